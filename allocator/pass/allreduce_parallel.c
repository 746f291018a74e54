/* allreduce_parallel - what follows a gradient reduction leaves the stream of the backward pass.
 *
 * Rule   With hcom_parallel: from every all-reduce with attribute `fusion` > 0 and without
 *        user label, follow data edges to nodes of the same label (or of no label, if the
 *        reduction has one). Of all nodes met, in topological order, each old stream takes
 *        one fresh stream; nodes other than all-reduces move to it.
 * Why    The update that waits for a reduction must not hold up the gradients behind it.
 * Example b1 -> H -> ap -> out, b1 -> b2 -> out: H 0, b1 b2 1, ap out 2.
 * Cost   O(labels of reductions * (nodes + edges)): reductions of one label share a walk. */
#include "passes.h"

#include "base/merge.h"
#include "mutants.h"

struct walk {
	struct sd_job *job;
	uint32_t first;   /* node of the graph */
	uint32_t *seen;   /* per node of the graph: number of the walk that entered it last, 0 = none */
	uint32_t *todo, todo_count;
	uint32_t number;
};

static bool is_all_reduce(const struct sd_job *job, uint32_t node)
{
	enum sd_op op = sd_job_op(job, node);

	return op == SD_OP_HCOM_ALL_REDUCE || op == SD_OP_HOROVOD_ALLREDUCE;
}

static bool is_seed(const struct sd_job *job, uint32_t node)
{
	int64_t fusion;

	return is_all_reduce(job, node) && sd_graph_int(job->graph, node, SD_ATTR_FUSION, &fusion) && fusion >= !SD_MUTANT(allreduce_any_fusion) &&
	       !sd_graph_has(job->graph, node, SD_ATTR_USER_STREAM_LABEL);
}

static void enter_consumers(struct walk *w, uint32_t node, uint32_t label)
{
	const struct sd_adjacency *adj = &w->job->adjacency;

	for (uint32_t i = 0; i < adj->data_succ_count[node]; i++) {
		uint32_t to = adj->succ[adj->succ_first[node] + i], other = w->job->label[to];

		if (w->seen[to - w->first] == w->number || (other != label && !(label && !other && !SD_MUTANT(allreduce_own_label_only))))
			continue;
		w->seen[to - w->first] = w->number;
		w->todo[w->todo_count++] = to;
	}
}

static int compare_labels(const void *arg, uint32_t a, uint32_t b)
{
	const struct sd_job *job = arg;

	return job->label[a] < job->label[b] ? -1 : job->label[a] > job->label[b];
}

static enum sd_status walk_all(struct walk *w)
{
	struct sd_job *job = w->job;
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	uint32_t seeds = 0, *seed = SD_NEW(job->mem, uint32_t, graph->node_count);

	SD_NEED(job, seed);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (is_seed(job, graph->first_node + i))
			seed[seeds++] = graph->first_node + i;
	}
	sd_merge_sort(seed, w->todo, seeds, compare_labels, job);
	for (uint32_t i = 0; i < seeds; i++) {
		uint32_t label = job->label[seed[i]];

		w->number += i == 0 || label != job->label[seed[i - 1]];
		w->todo_count = 0;
		enter_consumers(w, seed[i], label);
		while (w->todo_count)
			enter_consumers(w, w->todo[--w->todo_count], label);
	}
	return SD_OK;
}

/* Each old stream on which something was met takes a fresh one. */
static enum sd_status move_met(const struct walk *w)
{
	struct sd_job *job = w->job;
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	uint32_t old_streams = sd_job_stream_bound(job);
	int32_t *moved = SD_NEW(job->mem, int32_t, old_streams);

	SD_NEED(job, moved);
	memset(moved, 0xff, (size_t)old_streams * sizeof(*moved));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i];
		int32_t old = job->stream[n];

		if (!w->seen[n - w->first] || old == SD_NO_STREAM)
			continue;
		if (moved[old] == SD_NO_STREAM)
			moved[old] = sd_job_fresh(job);
		if (!is_all_reduce(job, n) || SD_MUTANT(allreduce_leaves_too))
			job->stream[n] = moved[old];
	}
	return SD_OK;
}

enum sd_status sd__pass_allreduce_parallel(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	struct sd_arena_mark mark = sd_arena_mark(job->mem); /* what one graph takes must not add up over all */
	struct walk w = { .job = job, .first = graph->first_node };

	if (!job->options->hcom_parallel)
		return SD_OK;
	w.seen = SD_NEW0(job->mem, uint32_t, graph->node_count);
	w.todo = SD_NEW(job->mem, uint32_t, graph->node_count);
	SD_NEED(job, w.seen && w.todo);
	SD_TRY(walk_all(&w));
	if (w.number)
		SD_TRY(move_met(&w));
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
