#include "verify_internal.h"

#include "base/check.h"

void sd__violate(struct sd_verdict *verdict, enum sd_violation_kind kind, const char *detail,
                 uint32_t a, uint32_t b, int64_t stream, int64_t id)
{
	if (verdict->count < SD_VIOLATIONS_MAX) {
		verdict->violation[verdict->count] = (struct sd_violation){
			.kind = kind, .a = a, .b = b, .stream = stream, .id = id, .detail = detail,
		};
	}
	if (verdict->count < UINT32_MAX)
		verdict->count++;
}

/* Each step ends the judgement where what follows would stand on broken ground. */
static enum sd_status judge_all(struct sd__judge *judge)
{
	SD_TRY(sd__verify_view(judge));
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(sd__verify_facts(judge));
	SD_TRY(sd__verify_scopes(judge));
	SD_TRY(sd__verify_flatten(judge));
	SD_TRY(sd__verify_tables(judge));
	sd__verify_explanations(judge);
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(sd__verify_slots(judge));
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(sd__verify_simulation(judge));
	SD_TRY(sd__verify_ends(judge));
	sd__verify_syncs(judge);
	sd__verify_limits(judge);
	SD_TRY(sd__verify_replay(judge));
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(sd__verify_reach(judge));
	SD_TRY(sd__verify_starts(judge));
	SD_TRY(sd__verify_switches(judge));
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(sd__verify_shared(judge));
	SD_TRY(sd__verify_extras(judge));
	SD_TRY(sd__verify_wants(judge));
	SD_TRY(sd__verify_entries(judge));
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(sd__verify_needs(judge));
	SD_TRY(sd__verify_columns(judge));
	return sd__verify_sweep(judge);
}

/* The steps of the judge only say that memory ran out, or that they were stopped. */
static enum sd_status give_reason(struct sd__judge *judge, enum sd_status status)
{
	struct sd_diag *why = &judge->verdict->why;

	if (status == SD_RESOURCE_EXHAUSTED)
		return SD_FAIL1(why, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)judge->mem->budget_bytes));
	return status == SD_CANCELLED ? SD_FAIL0(why, SD_CODE_CANCELLED, SD_NO_NODE) : status;
}

enum sd_status sd_verify(struct sd_arena *mem, const struct sd_request *request,
                         const struct sd_plan *plan, bool (*stop)(void *), void *stop_arg,
                         struct sd_verdict *verdict)
{
	struct sd__judge judge = {
		.mem = mem, .request = request, .graph = &request->graph, .plan = plan,
		.stop = stop, .stop_arg = stop_arg, .verdict = verdict,
	};
	struct sd_arena_mark mark = sd_arena_mark(mem);
	enum sd_status status;

	SD_REQUIRE(request->graph.graph_count > 0);
	verdict->count = 0;
	verdict->why = (struct sd_diag){ .code = SD_CODE_NONE };
	status = give_reason(&judge, judge_all(&judge));
	sd_arena_rewind(mem, mark);
	return status;
}
