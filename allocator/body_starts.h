/* body_starts.h - the streams that run with a body. */
#ifndef SD_BODY_STARTS_H
#define SD_BODY_STARTS_H

#include "job.h"

/* Lanes that the first active node of each body starts. */
struct sd_body_starts {
	uint32_t *node;          /* per graph: its first node with subgraph_first_active; SD_NO_NODE: none */
	uint32_t *first, *count; /* per graph: into lane */
	SD_VEC(uint32_t) lane;
};

/* `starters` are those by label, `lane` theirs. A body's own streams, of what it launches, are started with it, but the one
 * of the node itself, those that a label starts from this body, and those that a graph around it
 * uses too: they run already. O(nodes + attached + starters). */
enum sd_status sd_body_starts_find(struct sd_job *job, const struct sd_starter *starters, uint32_t starter_count,
                                   const uint32_t *lane, struct sd_body_starts *out);

#endif
