/* plan_summary.h - the summary of a plan as Graph Engine's StreamAllocationSummary gives it:
 * one line of text a logical stream, and which nodes are on it. */
#ifndef SD_PLAN_SUMMARY_H
#define SD_PLAN_SUMMARY_H

#include "plan_names.h"

struct sd_summary_nodes {
	uint32_t *first; /* logical streams + 1: into node */
	uint32_t *node;  /* those placed on the stream, or launched on it as an attached one; by node index */
};

/* In `mem`; false over budget. Nodes that the planner inserted are on none of them. */
bool sd_summary_nodes(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_graph *graph, struct sd_summary_nodes *nodes);

/* "logic_stream_id: 0, user_stream_label: , is_assigned_by_user_stream_pass: false,
 * attached_stream_ids: 1 2 , physical_model_stream_num: 2, hccl_followed_stream_num: 4." and a
 * newline, on one line. */
void sd_put_summary(struct sd_emitter *out, const struct sd_plan *plan, const struct sd_graph *graph, const struct sd_summary *summary);

#endif
