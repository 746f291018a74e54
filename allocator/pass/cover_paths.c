/* cover_paths - a graph as few paths of operators, which the automatic modes then spread over streams.
 *
 * Rule   Work nodes are those with a stream, without label and not of duration 0. They are
 *        covered by vertex-disjoint paths: a maximum matching of the edges between them,
 *        through nodes that are left out (dag.c, dag_match.c). Each graph for itself.
 * Why    Operators of a path follow each other: on one stream they need no sync.
 * Example 1 -> 2 -> 3, 4, 5: three paths.
 * Cost   O(edges * sqrt(nodes)), edges being those between work nodes; to find these, each
 *        work node looks through all labelled nodes that it reaches by labelled ones alone. */
#include "passes.h"

#include "dag.h"

/* Empty paths for the graph being visited; what is known of labels stays. */
static enum sd_status open_paths(struct sd_job *job)
{
	struct sd_paths *paths = job->paths;

	if (!paths) {
		paths = SD_NEW(job->mem, struct sd_paths, 1);
		SD_NEED(job, paths);
		paths->met_by = SD_NEW0(job->mem, uint32_t, job->labels.count + 1u);
		paths->place = SD_NEW0(job->mem, uint32_t, job->labels.count + 1u);
		SD_NEED(job, paths->met_by && paths->place);
		job->paths = paths;
	}
	*paths = (struct sd_paths){ .met_by = paths->met_by, .place = paths->place };
	return SD_OK;
}

enum sd_status sd__pass_cover_paths(struct sd_job *job)
{
	if (!sd_mode_balances(&job->mode))
		return SD_OK;
	SD_TRY(open_paths(job));
	SD_TRY(sd_dag_make(job, job->paths));
	SD_TRY(sd_dag_cover(job, job->paths));
	job->paths->stream = SD_NEW0(job->mem, uint32_t, job->paths->count);
	SD_NEED(job, job->paths->stream);
	return SD_OK;
}
