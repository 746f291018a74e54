/* sort_impl.h - what the sorting rules share; for sort*.c only. */
#ifndef SD_SORT_IMPL_H
#define SD_SORT_IMPL_H

#include "sort.h"

/* One sorting of all graphs. Arrays are indexed by node unless they say otherwise;
 * each graph uses its own part of them. */
struct sd__sorter {
	const struct sd_graph *g;
	const struct sd_adjacency *adj;
	const uint8_t *op;         /* per string: enum sd_op */
	const uint32_t *name_rank; /* place of a node's name among all; NULL where the rule does not ask */
	const uint32_t *rank;      /* place by the rule's key among the nodes of the same graph; NULL likewise */
	uint32_t *out;             /* result, as sd_order.node */
	uint32_t *degree, *ready, *queue, *spare; /* scratch */
};

static inline enum sd_op sd__op_of(const struct sd__sorter *s, uint32_t node)
{
	return (enum sd_op)s->op[s->g->op_type[node]];
}

/* The ranks by (output bytes, name), or by (data consumers, output bytes, name); needs name_rank.
 * NULL over budget. */
uint32_t *sd__rank_nodes(struct sd_arena *mem, const struct sd__sorter *s, bool by_consumers);

/* Whether the nodes as listed are in topological order. */
bool sd__is_topological(const struct sd__sorter *s, const struct sd_subgraph *graph);

/* The lowest node of some cycle of the graph; SD_NO_NODE if it has none. */
uint32_t sd__find_cycle(struct sd__sorter *s, const struct sd_subgraph *graph);

/* The rules. Each writes the graph's part of `out`; the graph has no cycle. dfs and bfs take the
 * ready node of the lowest rank if there are ranks. */
void sd__sort_dfs(struct sd__sorter *s, const struct sd_subgraph *graph);
void sd__sort_bfs(struct sd__sorter *s, const struct sd_subgraph *graph);

/* Inputs before the node, from every node or from those without successor only; inputs by rank, as
 * listed without ranks. False over budget. */
bool sd__sort_inputs_first(struct sd_arena *mem, struct sd__sorter *s, const struct sd_subgraph *graph,
                           bool from_ends);

/* Takes the order in `out` and delays readers of long-lived data in it. */
void sd__sort_late(struct sd__sorter *s, const struct sd_subgraph *graph);

/* Fills graph, flat and flat_pos of an order whose `node` is there. False over budget. */
bool sd__walk(struct sd_arena *mem, const struct sd_graph *g, struct sd_order *order);

#endif
