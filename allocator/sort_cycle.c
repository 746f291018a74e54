#include "sort_impl.h"

bool sd__is_topological(const struct sd__sorter *s, const struct sd_subgraph *graph)
{
	const struct sd_adjacency *adj = s->adj;

	for (uint32_t node = graph->first_node; node < graph->first_node + graph->node_count; node++) {
		for (uint32_t i = adj->pred_first[node]; i < adj->pred_first[node + 1]; i++) {
			if (adj->pred[i] >= node)
				return false;
		}
	}
	return true;
}

/* Takes nodes away that have no predecessor left, again and again. What stays has a
 * degree above 0. Answers how many stay. */
static uint32_t peel(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	const struct sd_adjacency *adj = s->adj;
	uint32_t first = graph->first_node, end = first + graph->node_count, taken = 0, ready = 0;

	for (uint32_t node = first; node < end; node++) {
		s->degree[node] = adj->pred_first[node + 1] - adj->pred_first[node];
		if (s->degree[node] == 0)
			s->queue[ready++] = node;
	}
	while (taken < ready) {
		uint32_t node = s->queue[taken++];

		for (uint32_t i = adj->succ_first[node]; i < adj->succ_first[node + 1]; i++) {
			if (--s->degree[adj->succ[i]] == 0)
				s->queue[ready++] = adj->succ[i];
		}
	}
	return graph->node_count - taken;
}

/* A node that stayed has a predecessor that stayed. */
static uint32_t step_back(const struct sd__sorter *s, uint32_t node)
{
	uint32_t at = s->adj->pred_first[node];

	while (s->degree[s->adj->pred[at]] == 0)
		at++;
	return s->adj->pred[at];
}

uint32_t sd__find_cycle(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	uint32_t node = graph->first_node, lowest;

	if (peel(s, graph) == 0)
		return SD_NO_NODE;
	while (s->degree[node] == 0)
		node++;
	/* Going back from there, as many steps as there are nodes end inside a cycle. */
	for (uint32_t i = 0; i < graph->node_count; i++)
		node = step_back(s, node);
	lowest = node;
	for (uint32_t at = step_back(s, node); at != node; at = step_back(s, at))
		lowest = at < lowest ? at : lowest;
	return lowest;
}
