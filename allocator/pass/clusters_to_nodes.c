/* clusters_to_nodes - the nodes of a cluster run on its stream.
 *
 * Rule   Inputs have no stream. A node with `_rts_label_node` runs on the stream of the
 *        parent of its body; in the root it has none. The NetOutput of the body of a
 *        While in a graph of unknown shape runs on stream 0.
 * Cost   O(nodes). */
#include "passes.h"

#include "journal.h"
#include "mutants.h"

static bool leaves_dynamic_loop(const struct sd_job *job, uint32_t node)
{
	const struct sd_graph *graph = job->graph;
	const struct sd_subgraph *body = &graph->graph[job->visited];

	return sd_job_op(job, node) == SD_OP_NET_OUTPUT && body->parent != SD_NO_NODE && body->instance == 1 &&
	       sd_job_op(job, body->parent) == SD_OP_WHILE && graph->graph[graph->graph_of[body->parent]].dynamic;
}

enum sd_status sd__pass_clusters_to_nodes(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = graph->first_node + i, k = job->cluster_of[n];

		if (k == SD_NO_INDEX) {
			job->stream[n] = SD_MUTANT(node_input_on_stream) ? 0 : SD_NO_STREAM;
		} else if (sd_graph_has(job->graph, n, SD_ATTR_RTS_LABEL_NODE) && !SD_MUTANT(node_label_with_cluster)) {
			job->stream[n] = job->default_stream;
			sd_hint(job, n, SD_REASON_RUNTIME_LABEL, SD_NO_NODE);
		} else if (leaves_dynamic_loop(job, n)) {
			job->stream[n] = 0;
			sd_hint(job, n, SD_REASON_LOOP_OUTPUT, SD_NO_NODE);
		} else {
			job->stream[n] = job->clusters.at[k].stream;
		}
		if (k != SD_NO_INDEX && job->clusters.at[k].stream == SD_NO_STREAM)
			return SD_FAIL0(job->diag, SD_CODE_NO_STREAM, n);
	}
	return SD_OK;
}
