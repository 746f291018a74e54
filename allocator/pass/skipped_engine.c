/* skipped_engine - nodes that launch nothing go where their neighbours are.
 *
 * Rule   In topological order, nodes of unlabelled clusters on an engine that skips stream
 *        assignment: fed by nothing that has a stream, and without bodies, they lose
 *        theirs; else, if all neighbours with a stream share one, they move to it.
 * Why    A view or a reshape is no work; on a stream of its own it would only cost syncs.
 * Example data -> reshape -> a: the reshape has no stream. Between two nodes of a labelled
 *        stream it joins them.
 * Cost   O(nodes + edges). */
#include "passes.h"

#include "journal.h"
#include "mutants.h"

static bool is_movable(const struct sd_job *job, uint32_t node)
{
	uint32_t k = job->cluster_of[node];

	return k != SD_NO_INDEX && job->stream[node] != SD_NO_STREAM && !job->clusters.at[k].label &&
	       job->engines.engine[job->clusters.at[k].engine].skip_assign_stream;
}

/* Narrows `common` by some neighbours: SD_NO_STREAM = none seen yet. False when two differ. */
static bool share_stream(const struct sd_job *job, const uint32_t *near, uint32_t count, int32_t *common)
{
	for (uint32_t i = 0; i < count; i++) {
		int32_t stream = job->stream[near[i]];

		if (stream == SD_NO_STREAM)
			continue;
		if (*common != SD_NO_STREAM && *common != stream)
			return false;
		*common = stream;
	}
	return true;
}

static void move_node(struct sd_job *job, uint32_t n)
{
	const struct sd_adjacency *adj = &job->adjacency;
	uint32_t preds = adj->pred_first[n + 1] - adj->pred_first[n], succs = adj->succ_first[n + 1] - adj->succ_first[n];
	bool has_body = job->graph->body_first[n] != job->graph->body_first[n + 1];
	int32_t common = SD_NO_STREAM;
	bool same = share_stream(job, adj->pred + adj->pred_first[n], preds, &common);

	if ((!has_body || SD_MUTANT(skipped_with_bodies)) && same && common == SD_NO_STREAM) {
		job->stream[n] = SD_NO_STREAM;
		sd_hint(job, n, SD_REASON_NOTHING_HAS_STREAM, SD_NO_NODE);
		return;
	}
	if (succs == 0 || !same || (!share_stream(job, adj->succ + adj->succ_first[n], succs, &common) && !SD_MUTANT(skipped_by_producers)))
		return;
	if (common != SD_NO_STREAM)
		job->stream[n] = common;
}

enum sd_status sd__pass_skipped_engine(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i];

		if (is_movable(job, n))
			move_node(job, n);
	}
	return SD_OK;
}
