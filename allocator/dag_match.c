/* A path cover is a matching: each work node has at most one partner before and one behind.
 *
 * The search is the layered one: a round lays out the nodes by how many partners must be
 * exchanged to free a place for them, up to the first layer that finds a free one, and then
 * augments along those layers from each node that has no partner behind, lowest first.
 * The way down a layer is a stack of its own, as it can be as long as the graph. */
#include "dag.h"

#define NONE UINT32_MAX

struct matcher {
	const struct sd_dag *dag;
	uint32_t *right, *left;    /* partner behind, partner before; NONE */
	uint32_t *layer;           /* NONE: not reached in this round */
	uint32_t *queue, *stack;
	uint32_t *cursor;          /* per node: the edge that is being tried */
	bool *taken;               /* per node: has a new partner before it since this round began */
	uint32_t last;             /* the first layer that sees a free place */
};

/* Lays out one round. False when no free place can be reached. */
static bool lay_out(struct matcher *m)
{
	const struct sd_dag *dag = m->dag;
	uint32_t count = 0;

	m->last = NONE;
	for (uint32_t u = 0; u < dag->count; u++) {
		m->layer[u] = m->right[u] == NONE ? 0 : NONE;
		if (m->right[u] == NONE)
			m->queue[count++] = u;
	}
	for (uint32_t i = 0; i < count && m->layer[m->queue[i]] <= m->last; i++) {
		uint32_t u = m->queue[i];

		for (uint32_t e = dag->succ_first[u]; e < dag->succ_first[u + 1]; e++) {
			uint32_t w = m->left[dag->succ[e]];

			if (w == NONE) {
				m->last = m->layer[u];
			} else if (m->layer[w] == NONE && m->last == NONE) {
				m->layer[w] = m->layer[u] + 1;
				m->queue[count++] = w;
			}
		}
	}
	return m->last != NONE;
}

/* Gives every node on the stack the place that it was trying. */
static void exchange(struct matcher *m, uint32_t depth)
{
	while (depth--) {
		uint32_t u = m->stack[depth], v = m->dag->succ[m->cursor[u]];

		m->taken[v] = true;
		m->right[u] = v;
		m->left[v] = u;
	}
}

static void augment(struct matcher *m, uint32_t start)
{
	uint32_t depth = 1;

	m->stack[0] = start;
	while (depth) {
		uint32_t u = m->stack[depth - 1], v, w;

		if (m->cursor[u] == m->dag->succ_first[u + 1]) {
			/* Failed for the rest of the round; whoever came here tries its next edge. */
			if (--depth)
				m->cursor[m->stack[depth - 1]]++;
			continue;
		}
		v = m->dag->succ[m->cursor[u]];
		w = m->left[v];
		if (!m->taken[v] && w == NONE && m->layer[u] == m->last) {
			exchange(m, depth);
			return;
		}
		if (!m->taken[v] && w != NONE && m->layer[w] == m->layer[u] + 1)
			m->stack[depth++] = w;
		else
			m->cursor[u]++;
	}
}

static void play_round(struct matcher *m)
{
	for (uint32_t u = 0; u < m->dag->count; u++) {
		m->cursor[u] = m->dag->succ_first[u];
		m->taken[u] = false;
	}
	for (uint32_t u = 0; u < m->dag->count; u++) {
		if (m->right[u] == NONE)
			augment(m, u);
	}
}

static void list_paths(const struct matcher *m, struct sd_paths *paths)
{
	uint32_t used = 0;

	for (uint32_t head = 0; head < m->dag->count; head++) {
		if (m->left[head] != NONE)
			continue;
		paths->first[paths->count] = used;
		for (uint32_t w = head; w != NONE; w = m->right[w]) {
			paths->of_work[w] = paths->count;
			paths->work[used++] = w;
		}
		paths->count++;
	}
	paths->first[paths->count] = used;
}

enum sd_status sd_dag_cover(struct sd_job *job, struct sd_paths *paths)
{
	uint32_t count = paths->dag.count;
	struct matcher m = { .dag = &paths->dag };
	struct sd_arena_mark mark;

	paths->first = SD_NEW(job->mem, uint32_t, count + 1u);
	paths->work = SD_NEW(job->mem, uint32_t, count);
	paths->of_work = SD_NEW(job->mem, uint32_t, count);
	mark = sd_arena_mark(job->mem);
	m.right = SD_NEW(job->mem, uint32_t, count);
	m.left = SD_NEW(job->mem, uint32_t, count);
	m.layer = SD_NEW(job->mem, uint32_t, count);
	m.queue = SD_NEW(job->mem, uint32_t, count);
	m.stack = SD_NEW(job->mem, uint32_t, count);
	m.cursor = SD_NEW(job->mem, uint32_t, count);
	m.taken = SD_NEW(job->mem, bool, count);
	SD_NEED(job, paths->first && paths->work && paths->of_work && m.right && m.left && m.layer && m.queue &&
	             m.stack && m.cursor && m.taken);
	memset(m.right, 0xff, count * sizeof(*m.right));
	memset(m.left, 0xff, count * sizeof(*m.left));
	while (lay_out(&m)) {
		if (sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		play_round(&m);
	}
	list_paths(&m, paths);
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
