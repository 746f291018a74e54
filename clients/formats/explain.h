/* explain.h - the explanations of a plan: as JSON, and as text for people. */
#ifndef SD_FORMATS_EXPLAIN_H
#define SD_FORMATS_EXPLAIN_H

#include "base/arena.h"
#include "emit.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

/* A plan with option explain and where its names come from. */
struct sd_explained {
	const struct sd_plan *plan;
	const struct sd_graph *graph;
	const struct sd_text *name; /* by node of the plan, sd_plan_names() */
};

/* Names for sd_explanation_text(). Valid as long as `explained`. */
struct sd_names sd_explained_names(const struct sd_explained *explained);

/* One explanation as an object. */
void sd_explanation_write_json(struct sd_emitter *out, const struct sd_explained *explained, const struct sd_explanation *why);

/* The stories of all nodes, or that of one, with the syncs that others wait for on its account: `only` is
 * SD_NO_NODE for all. The text takes memory, and fails with RESOURCE_EXHAUSTED; the JSON is
 * {"explanations": [..]}, without newline after it. */
enum sd_status sd_explained_write_text(struct sd_arena *mem, struct sd_emitter *out, const struct sd_explained *explained,
                                       uint32_t only, struct sd_diag *diag);
void sd_explained_write_json(struct sd_emitter *out, const struct sd_explained *explained, uint32_t only);

#endif
