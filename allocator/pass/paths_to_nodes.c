/* paths_to_nodes - nodes go to the streams that an automatic mode chose for their paths.
 *
 * Rule   The graph takes fresh streams: one for each stream that the mode used, then one for
 *        each label, in order of first appearance. A work node goes to that of its path, a
 *        labelled node to that of its label. Nodes without stream keep none, and a node with
 *        `_rts_label_node` keeps its own.
 * Why    Whatever engines and groups asked for before is gone: the mode places all operators.
 *        Labels are no part of the number of streams that was asked for.
 * Cost   O(nodes). */
#include "passes.h"

#include "dag.h"
#include "journal.h"
#include "mutants.h"

static void place(struct sd_job *job, uint32_t node, int32_t stream)
{
	if (job->stream[node] != SD_NO_STREAM && (!sd_graph_bool(job->graph, node, SD_ATTR_RTS_LABEL_NODE) || SD_MUTANT(paths_move_label_nodes)))
		job->stream[node] = stream;
}

enum sd_status sd__pass_paths_to_nodes(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	const struct sd_paths *paths = job->paths;
	int32_t base = sd_job_next(job);

	if (!paths)
		return SD_OK;
	for (uint32_t w = 0; w < paths->dag.count; w++) {
		uint32_t path = paths->of_work[w];

		place(job, paths->dag.node[w], base + (int32_t)paths->stream[path]);
		sd_hint(job, paths->dag.node[w], SD_REASON_PATH, paths->dag.node[paths->work[paths->first[path]]]);
	}
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = graph->first_node + i;

		if (job->label[n])
			place(job, n, base + (int32_t)((SD_MUTANT(paths_labels_between) ? 0 : paths->streams) + paths->place[job->label[n]]));
	}
	job->next_stream = base + (int32_t)(paths->streams + paths->serial_count);
	return SD_OK;
}
