/* plan_diff_parts.h - private: what the parts of the comparison of plans share. */
#ifndef SD_PLAN_DIFF_PARTS_H
#define SD_PLAN_DIFF_PARTS_H

#include <stdio.h>

#include "plan_diff.h"
#include "plan_names.h"
#include "quote.h"

struct sd__diff {
	struct sd_arena *mem;
	const struct sd_plan_alone *a, *b; /* the first plan, and the second */
	struct sd_plan_diff *out;
	bool failed;                       /* over budget; what is told since is lost */
};

/* One difference; one line that says why there is the last one; one note. */
__attribute__((format(printf, 2, 3)))
void sd__diff_tell(struct sd__diff *d, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void sd__diff_why(struct sd__diff *d, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void sd__diff_note(struct sd__diff *d, const char *format, ...);

/* Placements by the names of their nodes, with the reasons that both plans give. */
void sd__diff_nodes(struct sd__diff *d);

/* Syncs, activations, summaries, warnings: what one plan lists and the other does not. */
void sd__diff_facts(struct sd__diff *d);

#endif
