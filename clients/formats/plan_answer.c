#include "plan_answer.h"

#include "proto/graph_codec.h"
#include "proto/wire.h"

/* Fields of PlanAnswer; its plan is kept as bytes. */
enum { ANSWER_PLAN = 1, ANSWER_FROM_CACHE = 2, ANSWER_PLAN_NS = 3, ANSWER_VERIFY_NS = 4 };

struct sd_plan_answer sd_plan_answer_of(struct sd_text bytes)
{
	struct sd_plan_answer answer = { .from_cache = false };
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == ANSWER_PLAN && field.type == SD_WIRE_BYTES)
			answer.plan = field.bytes;
		else if (field.number == ANSWER_FROM_CACHE)
			answer.from_cache = field.number_value != 0;
		else if (field.number == ANSWER_PLAN_NS)
			answer.plan_ns = field.number_value;
		else if (field.number == ANSWER_VERIFY_NS)
			answer.verify_ns = field.number_value;
	}
	return answer;
}

enum sd_status sd_request_take(struct sd_arena *mem, struct sd_text bytes, struct sd_request *request, struct sd_diag *diag)
{
	struct sd_counts counts;

	SD_TRY(sd_request_count(bytes, &counts, diag));
	return sd_request_decode(mem, bytes, &counts, request, diag);
}

enum sd_status sd_planned_take(struct sd_arena *mem, struct sd_text bytes, struct sd_text plan_bytes, struct sd_request *request,
                               struct sd_plan *plan, struct sd_identity *identity, struct sd_diag *diag)
{
	SD_TRY(sd_request_take(mem, bytes, request, diag));
	return sd_plan_decode(mem, plan_bytes, request->graph.node_count, request->graph.graph_count, plan, identity, diag);
}
