/* flow_of.h - what of a graph runs and how often, read from the graph. */
#ifndef SD_FLOW_OF_H
#define SD_FLOW_OF_H

#include "streamd/flow.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

/* The nodes of each graph, producers first: those of graph g from its first_node on. Data edges out of
 * NextIteration lead into the next turn and order nothing. NULL over budget. */
uint32_t *sd_order_of(struct sd_arena *mem, const struct sd_graph *graph);

/* Whether an edge orders nothing within a run: those out of NextIteration, whose consumer is of the next turn. */
bool sd_edge_is_cut(const struct sd_graph *graph, const struct sd_edge *edge);

/* For a plan of the graph. RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_flow_of(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, struct sd_flow *flow,
                          struct sd_diag *diag);

#endif
