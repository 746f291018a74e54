/* Explanations: whether they speak of what there is. Whether they are true is not for the judge to say. */
#include "verify_internal.h"

static bool is_node(const struct sd_plan *plan, uint32_t node)
{
	return node == SD_NO_NODE || node < plan->node_count;
}

static const char *fault_of(const struct sd_plan *plan, const struct sd_explanation *why)
{
	if (why->node >= plan->node_count || !is_node(plan, why->other) || !is_node(plan, why->through))
		return "an explanation speaks of a node that does not exist";
	if (why->pass >= plan->pass_count || why->reason >= SD_REASONS)
		return "an explanation is by no pass or for no reason";
	if (why->from < SD_NO_STREAM || why->to < SD_NO_STREAM)
		return "an explanation speaks of a stream that cannot exist";
	if (sd_reason_is_sync(why->reason) && why->number >= plan->sync_count)
		return "an explanation speaks of a sync that does not exist";
	return NULL;
}

void sd__verify_explanations(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;

	for (uint32_t i = 0; i < plan->explanation_count; i++) {
		const char *fault = fault_of(plan, &plan->explanation[i]);

		if (fault)
			sd__violate(judge->verdict, SD_VIOLATION_COUNT, fault, SD_NO_NODE, SD_NO_NODE, -1, i);
	}
}
