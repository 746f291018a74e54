/* independent_engine - engines that want streams of their own, such as collectives.
 *
 * Rule   Clusters of an independent engine get one fresh stream per engine and label,
 *        whatever an inner label gave them; a user label wins over the engine.
 * Example compute and collective with inner label "s": streams 0 and 1; with user label
 *        "s": both 0. Two unlabelled collectives share a stream though nothing links them.
 * Cost   O(clusters + independent * log independent). */
#include "passes.h"

#include "base/merge.h"
#include "mutants.h"

static int compare_keys(const void *arg, uint32_t a, uint32_t b)
{
	const struct sd_cluster *at = ((const struct sd_job *)arg)->clusters.at;

	if (at[a].engine != at[b].engine)
		return at[a].engine < at[b].engine ? -1 : 1;
	return SD_MUTANT(independent_without_label) ? 0 : at[a].label < at[b].label ? -1 : at[a].label > at[b].label;
}

static bool wants_stream(const struct sd_job *job, const struct sd_cluster *c)
{
	return job->engines.engine[c->engine].independent && !(c->stream != SD_NO_STREAM && c->user && !SD_MUTANT(independent_over_user));
}

enum sd_status sd__pass_independent_engine(struct sd_job *job)
{
	struct sd_cluster *at = job->clusters.at;
	uint32_t count = 0, *cluster = SD_NEW(job->mem, uint32_t, job->clusters.count);
	uint32_t *leader = SD_NEW(job->mem, uint32_t, job->clusters.count);

	SD_NEED(job, cluster && leader);
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		if (wants_stream(job, &at[k]))
			cluster[count++] = k;
	}
	sd_merge_sort(cluster, leader, count, compare_keys, job);
	/* Sorting is stable, so the first of a group is the first in rank order: its leader. */
	for (uint32_t i = 0; i < count; i++) {
		bool same = i && compare_keys(job, cluster[i - 1], cluster[i]) == 0;

		leader[cluster[i]] = same ? leader[cluster[i - 1]] : cluster[i];
	}
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		if (!wants_stream(job, &at[k]))
			continue;
		at[k].stream = leader[k] == k ? sd_job_fresh(job) : at[leader[k]].stream;
	}
	return SD_OK;
}
