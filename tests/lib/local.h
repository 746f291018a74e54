/* local.h - the local pipeline for programs of the tests: file to bytes, bytes to plan, plan to bytes.
 *
 * The same calls in the same order as the daemon's worker and `streamctl plan --local`. */
#ifndef LOCAL_H
#define LOCAL_H

#include "base/arena.h"
#include "proto/count.h"
#include "streamd/planner.h"

/* Nanoseconds of each step; taken only when asked for. */
struct local_times {
	uint64_t count_ns, decode_ns, plan_ns, verify_ns, identify_ns, encode_ns;
};

struct local_answer {
	struct sd_counts counts;
	const struct sd_plan *plan;
	struct sd_text bytes; /* of the Plan message */
};

/* Bytes of a PlanRequest from a request JSON, PlanRequest or ONNX file, in `mem`. Ends the
 * program with a message when the file is none of them. */
struct sd_text local_read(struct sd_arena *mem, const char *path);

/* Counts, decodes, plans, identifies and encodes. `times` may be NULL. */
enum sd_status local_plan(struct sd_arena *mem, struct sd_text request, struct local_answer *answer,
                          struct sd_diag *diag, struct local_times *times);

/* Monotonic nanoseconds. */
uint64_t local_now(void);

#endif
