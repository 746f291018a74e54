/* runnable.h - may a plan that nobody has proved be run?
 *
 * Whoever runs a plan takes its numbers as indices, and launches each node where it is placed. Whether the plan keeps
 * the edges of its graph, and whether it gets to its end, is not looked at: that is what a run shows. */
#ifndef SD_RUNNABLE_H
#define SD_RUNNABLE_H

#include "base/arena.h"
#include "base/diag.h"
#include "streamd/plan.h"

/* For a plan that was read for its graph. INVALID_ARGUMENT: a stream, event, notify or activation that there is not (SD5079),
 * a node that is not launched once where it is placed (SD5080). Linear. */
enum sd_status sd_runnable_check(struct sd_arena *mem, const struct sd_plan *plan, struct sd_diag *diag);

#endif
