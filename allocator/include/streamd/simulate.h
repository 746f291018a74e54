/* simulate.h - runs a plan on the device model. */
#ifndef SD_SIMULATE_H
#define SD_SIMULATE_H

#include "base/arena.h"
#include "plan.h"
#include "request.h"
#include "simulation.h"

/* For a plan of the request whose numbers are indices of it. The same plan and request give the same figures everywhere.
 * FAILED_PRECONDITION or INVALID_ARGUMENT: the plan does not get to its end (issue.h). RESOURCE_EXHAUSTED: too many
 * runs of bodies, or `mem` over budget. O(n log n) in commands, and in rounds of cores. */
enum sd_status sd_simulate(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan,
                           struct sd_simulation *simulation, struct sd_diag *diag);

#endif
