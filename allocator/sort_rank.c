#include "sort_impl.h"

#include "base/merge.h"

#define BYTES_NOT_STATED 4 /* an output of unknown size counts as one float */

struct key {
	const struct sd__sorter *s;
	const int64_t *bytes;
	bool by_consumers;
};

static int compare_keys(const void *ctx, uint32_t a, uint32_t b)
{
	const struct key *key = ctx;
	const uint32_t *consumers = key->s->adj->data_succ_count, *name = key->s->name_rank;

	if (key->by_consumers && consumers[a] != consumers[b])
		return consumers[a] < consumers[b] ? -1 : 1;
	if (key->bytes[a] != key->bytes[b])
		return key->bytes[a] < key->bytes[b] ? -1 : 1;
	return (name[a] > name[b]) - (name[a] < name[b]);
}

/* Sizes come from requests: a sum that does not fit is as large as can be. */
static int64_t sum_outputs(const struct sd_graph *g, const struct sd_extra *extra)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < extra->output_count; i++) {
		int64_t bytes = g->output[extra->output_first + i].bytes;

		if (__builtin_add_overflow(sum, bytes < 0 ? BYTES_NOT_STATED : bytes, &sum))
			return INT64_MAX;
	}
	return sum;
}

/* Nodes that do not state their outputs have as many as are used, at least one, save NetOutput. */
static void count_used_outputs(const struct sd__sorter *s, int64_t *outputs)
{
	const struct sd_graph *g = s->g;

	for (uint32_t node = 0; node < g->node_count; node++)
		outputs[node] = sd__op_of(s, node) != SD_OP_NET_OUTPUT;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		const struct sd_edge *edge = &g->in[i];

		if (edge->src == SD_NO_NODE || edge->port == SD_CONTROL)
			continue;
		if (outputs[edge->src] <= edge->port && !sd_adjacency_cuts(sd__op_of(s, edge->src)))
			outputs[edge->src] = (int64_t)edge->port + 1;
	}
}

static void find_output_bytes(const struct sd__sorter *s, int64_t *bytes)
{
	const struct sd_graph *g = s->g;

	count_used_outputs(s, bytes);
	for (uint32_t node = 0; node < g->node_count; node++) {
		const struct sd_extra *extra = g->extra_of[node] == UINT32_MAX ? NULL : &g->extra[g->extra_of[node]];

		bytes[node] = extra && extra->has_outputs ? sum_outputs(g, extra) : bytes[node] * BYTES_NOT_STATED;
	}
}

uint32_t *sd__rank_nodes(struct sd_arena *mem, const struct sd__sorter *s, bool by_consumers)
{
	uint32_t nodes = s->g->node_count;
	uint32_t *rank = SD_NEW(mem, uint32_t, nodes), *item = SD_NEW(mem, uint32_t, nodes);
	int64_t *bytes = SD_NEW(mem, int64_t, nodes);
	struct key key = { s, bytes, by_consumers };

	if (!rank || !item || !bytes)
		return NULL;
	find_output_bytes(s, bytes);
	for (uint32_t i = 0; i < s->g->graph_count; i++) {
		const struct sd_subgraph *graph = &s->g->graph[i];

		for (uint32_t k = 0; k < graph->node_count; k++)
			item[k] = graph->first_node + k;
		sd_merge_sort(item, s->spare, graph->node_count, compare_keys, &key);
		for (uint32_t k = 0; k < graph->node_count; k++)
			rank[item[k]] = k;
	}
	return rank;
}
