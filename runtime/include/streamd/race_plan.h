/* race_plan.h - the race check over a plan, without a device.
 *
 * The plan's steps are fed to the check as a host would enqueue them (issue.h), for every choice that
 * matters: all choices where they are at most SD_CHOICES_MAX, each node taking each of its bodies and
 * loops no turn and two; of more, enough that each two nodes meet in each two of their ways. */
#ifndef SD_RACE_PLAN_H
#define SD_RACE_PLAN_H

#include "streamd/issue.h"
#include "streamd/race_check.h"

#define SD_CHOICES_MAX 256u

/* How many runs the choices of a flow come to, and which way a node takes in run `run`. */
uint32_t sd_choice_runs(const struct sd_flow *flow);
uint32_t sd_choice_in(const struct sd_flow *flow, uint32_t run, uint32_t node);

struct sd_race_plan {
	const struct sd_plan *plan;
	const struct sd_flow *flow;
	const char *const *name;   /* by node */
	/* What the launches of a run use: by slot, one more, into `access`. Lies in `mem`. */
	enum sd_status (*accesses)(void *arg, struct sd_arena *mem, const struct sd_visits *visits, const uint32_t **first,
	                           const struct sd_access **access, struct sd_diag *diag);
	void *arg;
};

/* Feeds the check with run after run, up to the first in which something is found; `run` says which, or
 * how many there were. Tags of ends are nodes, and the first end is the one that the flow ranks first. Scratch
 * memory of `mem` is given back. O(runs x what the check takes). */
enum sd_status sd_race_check_plan(struct sd_arena *mem, const struct sd_race_plan *input, struct sd_race_check *check, uint32_t *run,
                                  struct sd_diag *diag);

/* One run, of which the steps are given. */
enum sd_status sd_race_check_issue(const struct sd_race_plan *input, const struct sd_issue *issue, const uint32_t *first,
                                   const struct sd_access *access, struct sd_race_check *check, struct sd_diag *diag);

#endif
