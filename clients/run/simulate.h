/* simulate.h - the timeline of a plan on the model of its device. */
#ifndef SD_SIMULATE_H
#define SD_SIMULATE_H

#include "base/arena.h"
#include "formats/timeline.h"
#include "streamd/request.h"

/* One run: choices take their first body, loops turn once. Nodes without a duration take SD_RUN_DEFAULT_NS.
 * The model is the request's; its limits are not looked at. Everything lies in `mem`. */
enum sd_status sd_simulate(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_timeline *timeline,
                           struct sd_diag *diag);

#endif
