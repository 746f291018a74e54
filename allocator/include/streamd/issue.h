/* issue.h - a plan as one list of steps, in an order in which a host can enqueue them.
 *
 * Every wait stands behind its record, and no other record of that event between the two; an
 * activation stands behind the hold that it opens; what is behind a hold stands behind its
 * activation. So every prefix of the list runs to its end. Commands of bodies that are not chosen
 * are left out, those of loops stand there once for each turn. Of steps that may come next the one
 * with the least rank does.
 *
 * Streams that do not start with the model are held: once in front of what each activation is to
 * start. Of several activations of the same hold the first one counts. Where a label is jumped to
 * from another stream its stream is held, and the jump activates it. */
#ifndef SD_ISSUE_H
#define SD_ISSUE_H

#include "streamd/flow.h"
#include "streamd/plan.h"

enum sd_step_kind {
	SD_STEP_LAUNCH,        /* arg: node */
	SD_STEP_RECORD,        /* arg: event */
	SD_STEP_WAIT,
	SD_STEP_NOTIFY_RECORD, /* arg: notify */
	SD_STEP_NOTIFY_WAIT,
	SD_STEP_HOLD,
	SD_STEP_ACTIVATE,      /* arg: stream that is started */
};

struct sd_step {
	enum sd_step_kind kind;
	bool attached;         /* a launch of the node's attached part */
	uint32_t stream;
	uint32_t arg;
	uint32_t visit;
	uint32_t slot;         /* of a launch: the slot of its node (flow.h) */
};

struct sd_issue {
	struct sd_visits visits;
	uint32_t step_count, launch_count;
	const struct sd_step *step;
};

/* Everything lies in `mem`. INVALID_ARGUMENT: syncs and commands do not agree. FAILED_PRECONDITION: there is no such
 * order; there is one for every plan that was proved. O((commands x turns) log streams). */
enum sd_status sd_issue_make(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_flow *flow, const struct sd_choices *choices,
                             struct sd_issue *issue, struct sd_diag *diag);

#endif
