/* mark_cv - vector operators that may run beside the cube cores.
 *
 * Rule   With the mode "cv": take the last cube operator before a vector operator and
 *        the first one after it. If the vector operator does not lie on a path between
 *        them, it is clustered with VectorEngine. Where there is no cube operator after
 *        it, a path from the one before it is enough to stay.
 *        A node that carries `_enable_cv_parallel` already is marked in every mode.
 * Why    A vector operator between two cube operators that wait for it gains nothing by
 *        a stream of its own.
 * Example aic1 -> aiv1 -> aic2, aiv2 -> aiv3: aiv1 stays, aiv2 and aiv3 are marked.
 * Cost   O(nodes + edges): positions between two neighbouring cube operators are swept
 *        once forwards and once backwards, as no path between them leaves that window. */
#include "passes.h"

#include "core_type.h"
#include "mutants.h"

struct sweep {
	struct sd_job *job;
	const uint32_t *node; /* the graph's nodes by position */
	uint32_t count;
	uint8_t *core;        /* per node */
	bool *reached;        /* per node: from the cube operator before it; then: up */
};

static bool touches(const struct sweep *s, const uint32_t *near, uint32_t count, uint32_t cube)
{
	for (uint32_t i = 0; i < count; i++) {
		if (near[i] == cube || s->reached[near[i]])
			return true;
	}
	return false;
}

/* Marks which nodes of positions [first, end) the cube operator in front of them reaches. */
static void sweep_down(struct sweep *s, uint32_t first, uint32_t end, uint32_t cube)
{
	const struct sd_adjacency *adj = &s->job->adjacency;

	for (uint32_t i = first; i < end; i++) {
		uint32_t n = s->node[i], at = adj->pred_first[n];

		s->reached[n] = cube != SD_NO_NODE && touches(s, adj->pred + at, adj->pred_first[n + 1] - at, cube);
	}
}

/* Decides about the vector operators of the window, from its end: `up` is still in
 * `reached`, which is then overwritten with "reaches the cube operator behind". */
static void sweep_up(struct sweep *s, uint32_t first, uint32_t end, uint32_t cube)
{
	const struct sd_adjacency *adj = &s->job->adjacency;

	for (uint32_t i = end; i-- > first;) {
		uint32_t n = s->node[i], at = adj->succ_first[n];
		bool up = s->reached[n];
		bool down = cube != SD_NO_NODE && touches(s, adj->succ + at, adj->succ_first[n + 1] - at, cube);

		s->reached[n] = down;
		if (s->core[n] == SD_CORE_VECTOR && !(up && cube == SD_NO_NODE && !SD_MUTANT(cv_last_leaves)) && !(SD_MUTANT(cv_needs_neither) ? up || down : up && down))
			s->job->vector_beside_cube[n] = true;
	}
}

static void mark_graph(struct sweep *s)
{
	uint32_t before = SD_NO_NODE, first = 0;

	for (uint32_t i = 0; i <= s->count; i++) {
		bool cube = i < s->count && s->core[s->node[i]] == SD_CORE_CUBE;
		uint32_t after = cube ? s->node[i] : SD_NO_NODE;

		if (!cube && i < s->count)
			continue;
		sweep_down(s, first, i, before);
		/* Nodes outside the window are known as not reached to both sweeps. */
		sweep_up(s, first, i, after);
		for (uint32_t k = first; k < i; k++)
			s->reached[s->node[k]] = false;
		before = after;
		first = i + 1;
	}
}

enum sd_status sd__pass_mark_cv(struct sd_job *job)
{
	const struct sd_graph *graph = job->graph;
	struct sweep s = { .job = job };

	job->vector_beside_cube = SD_NEW(job->mem, bool, graph->node_count);
	SD_NEED(job, job->vector_beside_cube);
	for (uint32_t n = 0; n < graph->node_count; n++)
		job->vector_beside_cube[n] = sd_graph_has(graph, n, SD_ATTR_ENABLE_CV_PARALLEL);
	if (!job->mode.cv)
		return SD_OK;
	s.core = SD_NEW(job->mem, uint8_t, graph->node_count);
	s.reached = SD_NEW0(job->mem, bool, graph->node_count);
	SD_NEED(job, s.core && s.reached);
	for (uint32_t n = 0; n < graph->node_count; n++)
		s.core[n] = (uint8_t)sd_core_of(graph, n);
	for (uint32_t g = 0; g < graph->graph_count; g++) {
		s.node = job->order.node + graph->graph[g].first_node;
		s.count = graph->graph[g].node_count;
		mark_graph(&s);
	}
	return SD_OK;
}
