/* adjacency.h - who feeds whom, in the orders that the planner's rules go by.
 *
 * Duplicates are kept: two edges between one pair of nodes are two entries. Left out
 * are unconnected slots and the data edges that leave NextIteration and RefNextIteration:
 * they close a loop and order nothing within one turn; their control edges stay. */
#ifndef SD_ADJACENCY_H
#define SD_ADJACENCY_H

#include "base/arena.h"
#include "optype.h"
#include "streamd/graph.h"

struct sd_adjacency {
	/* Predecessors of node n: pred[pred_first[n] .. pred_first[n + 1]), data inputs in slot
	 * order (data_pred_count[n] of them), then control inputs. */
	const uint32_t *pred_first, *pred, *data_pred_count;
	/* Successors: the consumers of output 0, of output 1, ... (data_succ_count[n] in all), then
	 * the control consumers; each group in the order in which its edges are listed. */
	const uint32_t *succ_first, *succ, *data_succ_count;
};

/* RESOURCE_EXHAUSTED over budget. O(E), with a sort where outputs are used out of order. */
enum sd_status sd_adjacency_make(struct sd_arena *mem, const struct sd_graph *graph,
                                 struct sd_adjacency *adjacency, struct sd_diag *diag);

/* Whether the data outputs of an operator type are left out. */
bool sd_adjacency_cuts(enum sd_op op);

#endif
