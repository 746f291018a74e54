/* plan_answer.h - what a daemon answers when it is asked for a plan, and the plan in it. */
#ifndef SD_PLAN_ANSWER_H
#define SD_PLAN_ANSWER_H

#include "base/arena.h"
#include "base/diag.h"
#include "proto/plan_codec.h"
#include "streamd/request.h"

struct sd_plan_answer {
	struct sd_text plan;          /* bytes of the Plan, in those of the answer */
	bool from_cache;
	uint64_t plan_ns, verify_ns;
};

/* The parts of a PlanAnswer; what it does not hold is zero. */
struct sd_plan_answer sd_plan_answer_of(struct sd_text bytes);

/* Counts and decodes the bytes of a PlanRequest, which must outlive it. After a failure request->graph names the nodes
 * that the diagnostic speaks of. */
enum sd_status sd_request_take(struct sd_arena *mem, struct sd_text bytes, struct sd_request *request, struct sd_diag *diag);

/* The same, and the plan that was answered for it; `identity` may be NULL. */
enum sd_status sd_planned_take(struct sd_arena *mem, struct sd_text bytes, struct sd_text plan_bytes, struct sd_request *request,
                               struct sd_plan *plan, struct sd_identity *identity, struct sd_diag *diag);

#endif
