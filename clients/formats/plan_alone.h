/* plan_alone.h - a plan in JSON without the request that it is for: its names are its own. */
#ifndef SD_PLAN_ALONE_H
#define SD_PLAN_ALONE_H

#include <jansson.h>

#include "base/arena.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

struct sd_plan_alone {
	json_t *root;           /* the document; names and texts point into it */
	struct sd_graph graph;  /* nodes and subgraphs by name, in the order in which the plan has them; nothing else */
	struct sd_plan plan;
};

/* Reads what sd_plan_write_json() writes. Fails as sd_plan_read_json() does. Give it to
 * sd_plan_alone_finish() whatever came. */
enum sd_status sd_plan_alone_read(struct sd_arena *mem, struct sd_text text, struct sd_plan_alone *alone, struct sd_diag *diag);

void sd_plan_alone_finish(struct sd_plan_alone *alone);

/* The name of a node, "" where there is none. */
static inline struct sd_text sd_plan_alone_name(const struct sd_plan_alone *alone, uint32_t node)
{
	return node < alone->graph.node_count ? alone->graph.name[node] : SD_TEXT("");
}

/* A text of the document; "" where there is none. */
struct sd_text sd_plan_alone_text(const json_t *object, const char *key);

#endif
