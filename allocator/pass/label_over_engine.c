/* label_over_engine - nodes of a graph of unknown shape: the label's stream, else the cluster's.
 *
 * Rule   A node with a stream label, input or not, runs on the stream that this label has in
 *        the whole model, whatever its engine. Any other runs where its cluster does; inputs
 *        of the graph and clusters on an engine that skips stream assignment have none.
 * Example label "s" on a compute and a collective operator: they share a stream.
 * Cost   O(nodes). */
#include "passes.h"

#include "dynamic.h"
#include "mutants.h"

static int32_t label_stream(struct sd_job *job, uint32_t label)
{
	if (job->given.of_label[label] == SD_NO_STREAM)
		job->given.of_label[label] = sd_job_fresh(job);
	return job->given.of_label[label];
}

enum sd_status sd__pass_label_over_engine(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i], k = job->cluster_of[n];

		if (job->label[n] && !(SD_MUTANT(label_below_engine) && k != SD_NO_INDEX) && !(SD_MUTANT(label_inner_ignored) && !job->user_label[n]))
			job->stream[n] = label_stream(job, job->label[n]);
		else
			job->stream[n] = k == SD_NO_INDEX ? SD_NO_STREAM : job->clusters.at[k].stream;
	}
	return SD_OK;
}
