/* cluster_merge.h - which neighbouring nodes of a graph grow together to one cluster.
 *
 * Works on one graph; nodes are given by position in its topological order. A cluster
 * is known by its smallest position, whose engine and labels it keeps. */
#ifndef SD_CLUSTER_MERGE_H
#define SD_CLUSTER_MERGE_H

#include "job.h"

/* What merging looks at, per position. */
struct sd_merge_input {
	uint32_t count;
	const uint32_t *node;     /* graph index */
	const uint32_t *position; /* per graph index, from `base` on */
	uint32_t base;
	const uint32_t *engine;   /* cluster engine; SD_MERGE_INPUT for nodes that belong to no cluster */
	const uint32_t *label;    /* 0 = none */
	const uint32_t *user;     /* the label where a user gave it, else 0 */
};

#define SD_MERGE_INPUT (SD_NO_ENGINE - 1)

/* Rule "merge": a node joins the clusters that feed it, unless a second path would close a
 * cycle between clusters. Writes the cluster of each position (its smallest one) to `owner`.
 * Cost: near-linear where paths are short; a node's search visits each cluster at most once,
 * and only clusters that stand between the two ends in a maintained topological order. Once
 * user labels have closed a cycle, each pair of clusters may cost a search through the graph. */
enum sd_status sd_merge_paths(struct sd_job *job, const struct sd_merge_input *input, uint32_t *owner);

/* Rule "topo": runs of neighbours in topological order. O(nodes). */
void sd_merge_runs(const struct sd_merge_input *input, uint32_t *owner);

#endif
