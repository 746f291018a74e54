/* trace.h - a writer of the trace-event format that chrome://tracing and Perfetto read.
 *
 * Processes have lanes, lanes have slices, arrows lead from one slice to another. Times come in nanoseconds
 * and are written as microseconds. An end of an arrow belongs to the slice that is open on its lane at that
 * moment; the writer moves the start of an arrow to the last nanosecond of a slice that ends there. */
#ifndef SD_TRACE_H
#define SD_TRACE_H

#include "emit.h"

struct sd_trace {
	struct sd_emitter *out;
	uint64_t arrows; /* so far: the number of the last one */
};

/* What is shown of a slice when it is chosen: a text, or a number where `text` has no bytes at all. */
struct sd_trace_fact {
	const char *key;
	struct sd_text text; /* at NULL: the number */
	uint64_t number;
};

struct sd_trace_slice {
	uint32_t process, lane;
	struct sd_text name;
	const char *category;
	int64_t began_ns, ended_ns;
	const struct sd_trace_fact *fact;
	uint32_t fact_count;
};

struct sd_trace_arrow {
	uint32_t process;
	const char *name, *category;
	uint32_t from_lane, to_lane;
	int64_t from_began_ns, from_ended_ns; /* of the slice it starts at */
	int64_t to_ns;                        /* when the other one begins */
};

/* One JSON object from start to finish; a newline behind it is the caller's. */
void sd_trace_start(struct sd_trace *trace, struct sd_emitter *out);
void sd_trace_process(struct sd_trace *trace, uint32_t process, const char *name);
void sd_trace_lane(struct sd_trace *trace, uint32_t process, uint32_t lane, const char *name); /* lanes stand in the order of their numbers */
void sd_trace_slice(struct sd_trace *trace, const struct sd_trace_slice *slice);
void sd_trace_arrow(struct sd_trace *trace, const struct sd_trace_arrow *arrow);
void sd_trace_finish(struct sd_trace *trace);

#endif
