/* plan_diff.h - what differs between two plans, in words, a line each. */
#ifndef SD_PLAN_DIFF_H
#define SD_PLAN_DIFF_H

#include "base/vec.h"
#include "plan_alone.h"

struct sd_plan_diff {
	SD_VEC(struct sd_text) line; /* differences; with explanations in both plans, lines that begin with blanks say why */
	SD_VEC(struct sd_text) note; /* what is no difference: for whom and by whom the plans were made */
	uint32_t count;              /* of differences */
};

/* Nodes are told apart by their names. A plan is equal to another when whoever runs it does the same: what they were made
 * for and by whom, and their explanations, are not compared. RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_plan_compare(struct sd_arena *mem, const struct sd_plan_alone *first, const struct sd_plan_alone *second,
                               struct sd_plan_diff *diff, struct sd_diag *diag);

#endif
