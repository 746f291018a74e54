/* loader_impl.h - private: what a loaded model holds. */
#ifndef SD_LOADER_IMPL_H
#define SD_LOADER_IMPL_H

#include "streamd/loader.h"

#define SD__BATCH 64u /* tasks of one submission */

struct sd_model_run {
	struct sd_device *device;
	struct sd_load load;
	struct sd_stream_source source;
	struct sd_arena mem;         /* the issue and all arrays here */
	struct sd_issue issue;
	sd_handle *stream, *event, *notify; /* SD_NO_HANDLE: not taken, or given back */
	uint32_t stream_count;       /* follow streams too */
	bool has_streams;
	bool is_broken;
	struct sd_task batch[SD__BATCH];
	uint32_t batched, batch_stream;
};

/* Streams of the device itself. */
struct sd_stream_source sd__device_source(struct sd_device *device);

#endif
