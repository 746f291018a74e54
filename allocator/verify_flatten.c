/* The order in which the nodes of a graph with bodies stand one after another: each node, then
 * at once its bodies, then the next. A node that jumps out of its body is the last there. */
#include "verify_internal.h"

static bool leaves_body(const struct sd__judge *judge, uint32_t n)
{
	const struct sd_subgraph *body = &judge->graph->graph[judge->graph->graph_of[n]];

	if (body->parent == SD_NO_NODE)
		return false;
	if (sd__op_is(judge, n, SD__OP_GOTO))
		return true;
	if (sd__op_is(judge, n, SD__OP_LABEL))
		return sd_graph_bool(judge->graph, n, SD_ATTR_SUBGRAPH_END_NODE);
	return sd__op_is(judge, n, SD__OP_JUMPS) && sd__op_is(judge, body->parent, SD__OP_LOOPS) && body->instance == 0;
}

/* Bodies lie in each other at most SD_DEPTH_MAX deep. */
static uint32_t flatten(struct sd__judge *judge, uint32_t g, uint32_t rank)
{
	const struct sd_subgraph *graph = &judge->graph->graph[g];

	for (int round = 0; round < 2; round++) {
		for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
			if (leaves_body(judge, n) != (round == 1))
				continue;
			judge->rank[n] = rank++;
			for (uint32_t k = 0; k < sd__body_count(judge, n); k++)
				rank = flatten(judge, sd__body(judge, n, k), rank);
			judge->rank_end[n] = rank++;
		}
	}
	return rank;
}

enum sd_status sd__verify_flatten(struct sd__judge *judge)
{
	if (!judge->scopes.bodies)
		return SD_OK;
	SD__TAKE0(judge->rank, judge->mem, uint32_t, judge->graph->node_count + 1);
	SD__TAKE0(judge->rank_end, judge->mem, uint32_t, judge->graph->node_count + 1);
	flatten(judge, SD_ROOT, 0);
	/* An inserted node stands directly behind its StreamSwitch. */
	for (uint32_t n = judge->real_nodes; n < judge->graph->node_count; n++)
		judge->rank[n] = judge->rank_end[n] = judge->rank_end[sd__stands_for(judge, n)];
	return SD_OK;
}
