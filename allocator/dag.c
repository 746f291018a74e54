#include "dag.h"

#include "core_type.h"
#include "mutants.h"

struct maker {
	struct sd_job *job;
	struct sd_dag *dag;
	uint32_t first;        /* node of the graph */
	uint32_t *work_of;     /* per node of the graph, from `first` */
	uint32_t *seen;        /* per node of the graph: the last work node that met it, + 1 */
	uint32_t *left_out;    /* nodes without work on the way from one work node */
	SD_VEC(uint32_t) succ;
};

static struct sd_work_cost cost_of(const struct sd_graph *g, uint32_t node)
{
	struct sd_work_cost cost = { .duration_ns = -1 };
	int64_t blocks = -1;

	if (g->extra_of[node] != UINT32_MAX && g->extra[g->extra_of[node]].duration_ns >= 0) {
		const struct sd_extra *extra = &g->extra[g->extra_of[node]];

		cost.duration_ns = extra->duration_ns;
		cost.duration_us = (double)(float)((double)extra->duration_ns / 1000.0);
		cost.cube = extra->cube_cores > 0 ? extra->cube_cores : 0;
		cost.vector = extra->vector_cores > 0 ? extra->vector_cores : 0;
		return cost;
	}
	sd_graph_int(g, node, SD_ATTR_TVM_BLOCKDIM, &blocks);
	if (blocks <= 0)
		return cost;
	blocks = blocks < INT32_MAX ? blocks : INT32_MAX;
	if (sd_core_of(g, node) == SD_CORE_CUBE)
		cost.cube = (int32_t)blocks;
	else if (sd_core_of(g, node) == SD_CORE_VECTOR)
		cost.vector = (int32_t)blocks;
	return cost;
}

static void note_label(struct sd_paths *paths, uint32_t label, uint32_t graph)
{
	if (paths->met_by[label] == graph + 1)
		return;
	paths->met_by[label] = graph + 1;
	paths->place[label] = paths->serial_count++;
}

static void choose_work(struct maker *m, struct sd_paths *paths)
{
	const struct sd_job *job = m->job;
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i], label = job->label[n];
		struct sd_work_cost cost = cost_of(job->graph, n);

		m->work_of[n - m->first] = SD_NO_WORK;
		if (label)
			note_label(paths, label, job->visited);
		if ((label && !SD_MUTANT(cover_labelled)) || job->stream[n] == SD_NO_STREAM || (cost.duration_ns == 0 && !SD_MUTANT(cover_instant)))
			continue;
		m->work_of[n - m->first] = m->dag->count;
		m->dag->node[m->dag->count] = n;
		m->dag->cost[m->dag->count++] = cost;
	}
}

/* Looks at the consumers of `node`: work nodes become successors of `from`, others wait in line. */
static enum sd_status look_behind(struct maker *m, uint32_t from, uint32_t node, uint32_t *waiting)
{
	const struct sd_adjacency *adj = &m->job->adjacency;

	for (uint32_t i = adj->succ_first[node]; i < adj->succ_first[node + 1]; i++) {
		uint32_t to = adj->succ[i] - m->first;

		if (m->seen[to] == from + 1)
			continue;
		m->seen[to] = from + 1;
		if (m->work_of[to] == SD_NO_WORK) {
			m->left_out[(*waiting)++] = adj->succ[i];
			continue;
		}
		if (!sd_vec_room(m->job->mem, &m->succ))
			SD_NEED(m->job, NULL);
		m->succ.at[m->succ.count++] = m->work_of[to];
	}
	return SD_OK;
}

static enum sd_status find_successors(struct maker *m)
{
	struct sd_dag *dag = m->dag;

	for (uint32_t w = 0; w < dag->count; w++) {
		uint32_t waiting = 0;

		if (sd_job_stopped(m->job))
			return SD_FAIL0(m->job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		dag->succ_first[w] = m->succ.count;
		m->seen[dag->node[w] - m->first] = w + 1;
		SD_TRY(look_behind(m, w, dag->node[w], &waiting));
		for (uint32_t i = 0; i < waiting && !SD_MUTANT(cover_not_through); i++)
			SD_TRY(look_behind(m, w, m->left_out[i], &waiting));
	}
	dag->succ_first[dag->count] = m->succ.count;
	dag->succ = m->succ.at;
	return SD_OK;
}

static enum sd_status find_predecessors(struct sd_job *job, struct sd_dag *dag)
{
	uint32_t edges = dag->succ_first[dag->count], *at = SD_NEW(job->mem, uint32_t, dag->count);

	dag->pred_first = SD_NEW0(job->mem, uint32_t, dag->count + 1u);
	dag->pred = SD_NEW(job->mem, uint32_t, edges);
	SD_NEED(job, at && dag->pred_first && dag->pred);
	for (uint32_t i = 0; i < edges; i++)
		dag->pred_first[dag->succ[i] + 1]++;
	for (uint32_t w = 0; w < dag->count; w++) {
		dag->pred_first[w + 1] += dag->pred_first[w];
		at[w] = dag->pred_first[w];
	}
	for (uint32_t w = 0; w < dag->count; w++) {
		for (uint32_t i = dag->succ_first[w]; i < dag->succ_first[w + 1]; i++)
			dag->pred[at[dag->succ[i]]++] = w;
	}
	return SD_OK;
}

/* Work nodes are in topological order, so one look at each is enough. */
static void find_levels(struct sd_dag *dag)
{
	dag->depth = 0;
	for (uint32_t w = 0; w < dag->count; w++) {
		dag->level[w] = 0;
		for (uint32_t i = dag->pred_first[w]; i < dag->pred_first[w + 1]; i++) {
			uint32_t above = dag->level[dag->pred[i]] + 1;

			dag->level[w] = above > dag->level[w] ? above : dag->level[w];
		}
		dag->depth = dag->level[w] >= dag->depth ? dag->level[w] + 1 : dag->depth;
	}
}

enum sd_status sd_dag_make(struct sd_job *job, struct sd_paths *paths)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	struct sd_dag *dag = &paths->dag;
	struct maker m = {
		.job = job, .dag = dag, .first = graph->first_node,
		.work_of = SD_NEW(job->mem, uint32_t, graph->node_count),
		.seen = SD_NEW0(job->mem, uint32_t, graph->node_count),
		.left_out = SD_NEW(job->mem, uint32_t, graph->node_count),
	};

	dag->node = SD_NEW(job->mem, uint32_t, graph->node_count);
	dag->cost = SD_NEW(job->mem, struct sd_work_cost, graph->node_count);
	SD_NEED(job, m.work_of && m.seen && m.left_out && dag->node && dag->cost);
	choose_work(&m, paths);
	dag->succ_first = SD_NEW(job->mem, uint32_t, dag->count + 1u);
	dag->level = SD_NEW(job->mem, uint32_t, dag->count);
	SD_NEED(job, dag->succ_first && dag->level);
	SD_TRY(find_successors(&m));
	SD_TRY(find_predecessors(job, dag));
	find_levels(dag);
	return SD_OK;
}
