/* run_trace.h - what was seen of runs, in the trace-event format that chrome://tracing and Perfetto read.
 *
 * One process for each watch, one lane for each stream, a slice for each task, an arrow for each sync from the task in front
 * of the record to the one behind the wait. Times are microseconds, those of each watch from its first task on. */
#ifndef SD_RUN_TRACE_H
#define SD_RUN_TRACE_H

#include "emit.h"
#include "watch.h"

struct sd_trace_part {
	const char *name;             /* of the process */
	const struct sd_watch *watch; /* its times were kept */
};

/* Writes one JSON object. False over budget; whether the file took it all tells sd_emit_finish(). */
bool sd_run_trace_write(struct sd_arena *mem, struct sd_emitter *out, const struct sd_trace_part *part, uint32_t count);

#endif
