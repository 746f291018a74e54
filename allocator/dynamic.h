/* dynamic.h - what the passes for graphs of unknown shape share.
 *
 * One plan covers the root and every body that is marked as of unknown shape itself;
 * bodies of known shape are requests of their own to a loader and have no stream here.
 * Streams are given to engines and labels once for the whole model. */
#ifndef SD_DYNAMIC_H
#define SD_DYNAMIC_H

#include "job.h"

/* Tables of job->given, once per job. RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_dynamic_open(struct sd_job *job);

/* The stream of the cluster's engine: that which the engine has, or a fresh one. */
int32_t sd_dynamic_engine_stream(struct sd_job *job, uint32_t engine);

/* Whether a node must be on the main stream, or has no other: graph inputs and outputs, owners of
 * bodies, nodes without stream. */
bool sd_dynamic_on_main(const struct sd_job *job, uint32_t node);

/* Whether nodes of the graph have streams: not in a body of known shape where the root is of
 * unknown shape. */
static inline bool sd_dynamic_plans(const struct sd_graph *graph, uint32_t index)
{
	return !graph->graph[SD_ROOT].dynamic || graph->graph[index].dynamic;
}

/* The main-stream rule over the whole plan: number[s] is the new number of stream s, SD_NO_STREAM
 * where it has none. An error naming the node whose stream has no number. */
enum sd_status sd_dynamic_renumber(struct sd_job *job, const int32_t *number);

#endif
