/* edges.h - did a run keep the edges of its graph?
 *
 * Looked at is what was seen: when each launch began and ended. An edge holds when its consumer began
 * no sooner than its producer ended; where nodes launch nothing their producers stand for them; the
 * first nodes of a body come behind the producers of its parent, those of the next turn of a loop
 * behind the ends of the turn before, and whoever reads a node with bodies behind their ends: the
 * NetOutput of the one that ran, or without one all its nodes that nobody reads. Linear in the edges. */
#ifndef SD_EDGES_H
#define SD_EDGES_H

#include "streamd/flow.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

#define SD_BROKEN_EDGES_MAX 20 /* kept; more are counted */

/* A launch as it was seen, by slot (flow.h). */
struct sd_seen {
	uint64_t began_ns, ended_ns;
	bool is_done;
};

struct sd_broken_edge {
	uint32_t before, after; /* launched nodes; SD_NO_NODE before: the launch was not seen at all */
	uint32_t visit;
	uint64_t ended_ns, began_ns;
};

struct sd_edges_verdict {
	uint64_t edges;         /* looked at, in all visits */
	uint64_t broken;
	struct sd_broken_edge edge[SD_BROKEN_EDGES_MAX];
};

/* RESOURCE_EXHAUSTED over budget; what is used of `mem` is given back. */
enum sd_status sd_edges_check(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, const struct sd_flow *flow,
                              const struct sd_visits *visits, const struct sd_seen *seen, struct sd_edges_verdict *verdict,
                              struct sd_diag *diag);

#endif
