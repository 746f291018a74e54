#include "plan_summary.h"

#include <string.h>

/* Calls `see` with every (stream, node), node after node, none twice. */
static void each_place(const struct sd_plan *plan, const struct sd_graph *graph, struct sd_summary_nodes *nodes,
                       void (*see)(struct sd_summary_nodes *, uint32_t, uint32_t))
{
	for (uint32_t n = 0; n < graph->node_count; n++) {
		const struct sd_placement *at = &plan->node[n];

		if (at->logical_stream >= 0 && (uint32_t)at->logical_stream < plan->logical_stream_count)
			see(nodes, (uint32_t)at->logical_stream, n);
		for (uint32_t i = at->attached_first; i < at->attached_first + at->attached_count; i++) {
			int32_t stream = plan->attached_logical[i];
			uint32_t before = at->attached_first;

			while (before < i && plan->attached_logical[before] != stream)
				before++;
			if (before == i && plan->attached_stream[i] >= 0 && stream >= 0 && (uint32_t)stream < plan->logical_stream_count)
				see(nodes, (uint32_t)stream, n);
		}
	}
}

static void count_node(struct sd_summary_nodes *nodes, uint32_t stream, uint32_t node)
{
	(void)node;
	nodes->first[stream + 2]++;
}

static void put_node(struct sd_summary_nodes *nodes, uint32_t stream, uint32_t node)
{
	nodes->node[nodes->first[stream + 1]++] = node;
}

bool sd_summary_nodes(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_graph *graph, struct sd_summary_nodes *nodes)
{
	uint32_t streams = plan->logical_stream_count;

	/* Counted two places up: filling then moves each start to where it belongs. */
	nodes->first = SD_NEW0(mem, uint32_t, streams + 2u);
	if (!nodes->first)
		return false;
	each_place(plan, graph, nodes, count_node);
	for (uint32_t s = 0; s < streams; s++)
		nodes->first[s + 2] += nodes->first[s + 1];
	nodes->node = SD_NEW(mem, uint32_t, nodes->first[streams + 1]);
	if (!nodes->node)
		return false;
	each_place(plan, graph, nodes, put_node);
	return true;
}

void sd_put_summary(struct sd_emitter *out, const struct sd_plan *plan, const struct sd_graph *graph, const struct sd_summary *summary)
{
	struct sd_text label = SD_TEXT("");

	if (summary->label_node < graph->node_count)
		sd_graph_string(graph, summary->label_node, SD_ATTR_USER_STREAM_LABEL, &label);
	sd_put(out, "logic_stream_id: %u, user_stream_label: ", summary->logical_id);
	sd_put_name(out, label, "");
	sd_put(out, ", is_assigned_by_user_stream_pass: %s, attached_stream_ids: ", summary->by_stream_pass ? "true" : "false");
	for (uint32_t i = 0; i < summary->attached_count; i++)
		sd_put(out, "%u ", plan->summary_attached[summary->attached_first + i]);
	sd_put(out, ", physical_model_stream_num: %u, hccl_followed_stream_num: %u.\n", summary->physical_count, summary->follow_count);
}
