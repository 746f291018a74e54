/* stories.h - explanations as short words, for tables of requests and what is said of a node. */
#ifndef SD_STORIES_H
#define SD_STORIES_H

#include "planned.h"

/* What the explained plan says of a node, in order, with blanks between: "by_label.label:0", where it is about
 * streams "dense_streams.renumbered:2>0", and the nodes that it speaks of in brackets: "follows:1(a)",
 * "implied_by_sync(a,b)". Reasons in front of the first stream are left out, and so is the pass unless
 * `passes` is set. The code of the refusal if there is no plan. In `mem`. */
const char *story_of(struct sd_arena *mem, const struct planned *planned, const char *node, bool passes);

/* The same request with option explain, planned. */
struct planned explained_plan_of(struct sd_arena *mem, struct sd_request *request);

#endif
