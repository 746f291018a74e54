/* plan_dot.h - a plan as a Graphviz graph: a cluster for each stream, its launches in a chain,
 * syncs as dashed edges from record to wait. */
#ifndef SD_PLAN_DOT_H
#define SD_PLAN_DOT_H

#include "base/arena.h"
#include "emit.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

/* RESOURCE_EXHAUSTED over the arena's budget. */
enum sd_status sd_plan_write_dot(struct sd_arena *mem, struct sd_emitter *out, const struct sd_plan *plan,
                                 const struct sd_graph *graph, struct sd_diag *diag);

#endif
