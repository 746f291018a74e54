/* model.h - the figures of the device model, with its defaults where the request states none. */
#ifndef SD_MODEL_H
#define SD_MODEL_H

#include "streamd/request.h"

#define SD_MODEL_CUBE_CORES 24
#define SD_MODEL_VECTOR_CORES 48
#define SD_MODEL_RECORD_NS 500
#define SD_MODEL_WAIT_NS 500
#define SD_MODEL_EVENT_LATENCY_NS 1500
#define SD_MODEL_LAUNCH_GAP_NS 1000
#define SD_MODEL_AICPU_SERVERS 4
#define SD_MODEL_ACTIVATE_NS 1000
#define SD_MODEL_LINK_ALPHA_NS 12000

static inline int64_t sd_model_or(int64_t stated, int64_t otherwise)
{
	return stated >= 0 ? stated : otherwise;
}

#endif
