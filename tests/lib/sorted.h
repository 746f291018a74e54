/* sorted.h - topological orders of small graphs as text, for the suites of the sorting rules. */
#ifndef SD_SORTED_H
#define SD_SORTED_H

#include <check.h>

#include "graph_builder.h"
#include "sort.h"

/* Sorts; the request's graph and the order stay in `mem`. */
static inline enum sd_status sort_of(struct sd_arena *mem, struct sd_request *request, struct sd_order *order,
                                     struct sd_diag *diag)
{
	struct sd_adjacency adjacency;

	ck_assert_int_eq(sd_adjacency_make(mem, &request->graph, &adjacency, NULL), SD_OK);
	return sd_sort_make(mem, request, &adjacency, order, diag);
}

/* The names in the order that a rule gives. */
static inline const char *sorted(struct sd_arena *mem, const char *text, enum sd_sorting rule, bool memory_priority)
{
	struct sd_request *request = request_of(mem, text);
	struct sd_order order;

	request->options.topo_sorting = rule;
	request->options.memory_priority = memory_priority;
	ck_assert_int_eq(sort_of(mem, request, &order, NULL), SD_OK);
	for (uint32_t i = 0; i < request->graph.node_count; i++)
		ck_assert_uint_eq(order.node[order.pos[i]], i);
	return names_of(mem, &request->graph, order.node, request->graph.node_count);
}

#endif
