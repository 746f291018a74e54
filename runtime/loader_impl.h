/* loader_impl.h - private: what a loaded model holds. */
#ifndef SD_LOADER_IMPL_H
#define SD_LOADER_IMPL_H

#include "streamd/loader.h"

#define SD__BATCH 64u /* tasks of one submission */

/* What a run enqueues: the steps of the issue, and between them those that keep turns of a loop apart. */
struct sd__steps {
	const struct sd_step *step;
	uint32_t step_count;
	uint32_t event_count;        /* those of the plan, then the loader's own */
};

struct sd_model_run {
	struct sd_device *device;
	struct sd_load load;
	struct sd_stream_source source;
	struct sd_arena mem;         /* the issue and all arrays here */
	struct sd_issue issue;
	struct sd__steps steps;
	sd_handle *stream, *event, *notify; /* SD_NO_HANDLE: not taken, or given back */
	uint32_t stream_count;       /* follow streams too */
	bool has_streams;
	bool is_broken;
	struct sd_task batch[SD__BATCH];
	uint32_t batched, batch_stream;
};

/* False: `mem` is over budget. O(steps x streams / 64) where a notify is recorded again, else linear. */
bool sd__steps_make(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_issue *issue, struct sd__steps *steps);

/* Streams of the device itself. */
struct sd_stream_source sd__device_source(struct sd_device *device);

#endif
