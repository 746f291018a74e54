/* sort.h - the orders in which the planner looks at nodes and graphs.
 *
 * Every graph of a request is sorted topologically on its own, by the rule that
 * options.topo_sorting names; the sorted graphs then give the order of bodies and the
 * flat order of all nodes. Stream numbers depend on all of them.
 *
 *   submitted, stable   the nodes as listed where that is topological; else inputs first,
 *                       both roots and inputs taken as listed
 *   dfs                 a stack of ready nodes
 *   bfs                 a queue of ready nodes, filled in order of names
 *   rdfs                from the ends, inputs first in order of (output bytes, name); then late
 *
 * memory_priority lets dfs and bfs take the ready node with the smallest (data consumers,
 * output bytes, name), then runs late. "late" (sort_late.c) moves readers of long-lived
 * data right before their first consumer. Names compare as bytes. */
#ifndef SD_SORT_H
#define SD_SORT_H

#include "adjacency.h"
#include "streamd/request.h"

struct sd_order {
	/* All nodes; those of graph i at graph[i].first_node and the places behind it, in topological order. */
	const uint32_t *node;
	const uint32_t *pos;  /* node -> index in `node` */
	/* All graphs, the root first and parents before their bodies. Where the flat walk reaches a node
	 * with bodies they are appended last one first. */
	const uint32_t *graph;
	/* All nodes as a walk meets them: a node, then the nodes of its bodies in instance order, then
	 * the node behind it. */
	const uint32_t *flat;
	const uint32_t *flat_pos; /* node -> index in `flat` */
};

/* INVALID_ARGUMENT (E18888) names a node on a cycle; RESOURCE_EXHAUSTED over budget.
 * O((V + E) log V). */
enum sd_status sd_sort_make(struct sd_arena *mem, const struct sd_request *request,
                            const struct sd_adjacency *adjacency, struct sd_order *order, struct sd_diag *diag);

#endif
