/* kept.h - did a device keep the order of the plan that it ran?
 *
 * What the plan orders: a stream's launches one after the other; behind a wait nothing begins before all has ended that was
 * in front of its record; behind a hold, before all in front of its activation. Needs no graph. */
#ifndef SD_KEPT_H
#define SD_KEPT_H

#include "streamd/measure.h"
#include "streamd/plan.h"

#define SD_NO_LAUNCH UINT32_MAX

struct sd_kept_verdict {
	uint64_t orders, broken;
	uint32_t before, after; /* the first that was broken, as steps of the issue; SD_NO_LAUNCH before: `after` was not run at all */
	uint64_t early_ns;      /* by how much it began too early */
};

/* Linear in the steps. False over budget; scratch of `mem` is given back. */
bool sd_kept_check(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_issue *issue, const struct sd_run_time *time,
                   struct sd_kept_verdict *verdict);

#endif
