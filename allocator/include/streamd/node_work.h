/* node_work.h - what a node keeps busy while it runs, and for how long. */
#ifndef SD_NODE_WORK_H
#define SD_NODE_WORK_H

#include "graph.h"
#include "machine.h"
#include "plan.h"

#define SD_NODE_UNKNOWN_NS UINT64_C(20000) /* taken for a node that states no duration: a small kernel */

/* Of a node of the plan, inserted ones too. By its engine; where that has cores of both kinds by `_cube_vector_core_type`, else by
 * its operator type. Cores are what it fills, at most its caps. A label, an activation or the end of a model keeps
 * nothing busy, and takes no time unless it states some. False: its duration is SD_NODE_UNKNOWN_NS, which nobody stated. */
bool sd_node_work(const struct sd_graph *graph, const struct sd_plan *plan, uint32_t node, struct sd_engine_work *work);

#endif
