/* timeline_trace.h - a timeline in the trace-event format: a lane for each stream, a slice for each launch, arrows for syncs. */
#ifndef SD_TIMELINE_TRACE_H
#define SD_TIMELINE_TRACE_H

#include "base/arena.h"
#include "emit.h"
#include "timeline.h"

/* RESOURCE_EXHAUSTED over budget. Arrows without a launch at both ends are left out: the format ties arrows to slices. */
enum sd_status sd_timeline_write_trace(struct sd_arena *mem, struct sd_emitter *out, const struct sd_timeline *timeline, struct sd_diag *diag);

#endif
