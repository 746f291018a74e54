/* cluster_merge.c - growing clusters along edges without closing a cycle between clusters.
 *
 * The textbook way asks, for every node and every cluster that feeds it, whether another
 * path leads from that cluster to the node: a search through the whole graph each time,
 * O(E * (V + E)) in all. Here the clusters stand in a list that is a topological order
 * of the graph of clusters at any time. A second path from parent P to child C runs
 * backwards from C over clusters that stand behind P, so a search looks at nothing else.
 * One search serves all parents of a node: from the last one in the order to the first,
 * it goes on as far back as the parent at hand asks for. It goes by breadth, since where
 * there is a second path there is mostly a short one. When there is none, exactly the
 * clusters seen (the ancestors of C behind P) must stand in front of the merged cluster:
 * they are moved there, and the list is a topological order again. Positions in the list
 * are 64-bit ranks with gaps, renumbered when a gap is used up.
 *
 * Nodes with one user label are merged although there is a second path. That closes a
 * cycle; from then on there is no topological order, and searches are unbounded. */
#include "cluster_merge.h"

#include "base/heap.h"
#include "base/merge.h"
#include "cluster_order.h"
#include "mutants.h"

#define MANY_PARENTS 16 /* from here on one search for all of them pays even where it cannot end early */

struct edge {
	uint32_t from; /* position; its cluster is looked up */
	uint32_t next;
};

struct merger {
	struct sd_job *job;
	const struct sd_merge_input *in;
	uint32_t *owner;             /* union-find over positions; roots are smallest positions */
	uint32_t *first, *last;      /* per root: list of edges from its producers */
	struct edge *edge;
	struct sd_cluster_order order; /* of roots, topological as long as nothing is cyclic */
	uint32_t *member, *member_end; /* per position / root: linked list of members, for exact degrees */
	uint32_t *scanned, scan;     /* per root: stamp of the last list in which it was met */
	bool cyclic;
	uint32_t work;               /* edges looked at since the question whether to stop */

	/* one search, told apart from others by its number */
	uint32_t search;
	uint32_t *seen;              /* per root: search that met it */
	uint32_t *ways;              /* per root met: clusters but the child that it was met from */
	uint32_t *found, found_count, next; /* ancestors to be followed, up to `next` done */
	uint32_t *later, later_count;/* heap: ancestors that stand too far ahead to be followed yet, the last one first */

	/* one node's turn */
	uint32_t *near;              /* producers of one cluster */
	uint32_t *parent, *joined;
	uint32_t *asked;             /* per root: search that was asked about it */
	uint32_t *scratch, *degree;  /* degree, then ways, of the parents */
};

static uint32_t find(struct merger *m, uint32_t at)
{
	while (m->owner[at] != at) {
		m->owner[at] = m->owner[m->owner[at]];
		at = m->owner[at];
	}
	return at;
}

/* ---- ways back ---- */

/* The distinct producers of a cluster. Edges that have become internal or double are
 * dropped on the way. */
static uint32_t list_producers(struct merger *m, uint32_t at, uint32_t *out)
{
	uint32_t *link = &m->first[at], count = 0;

	m->scan++;
	m->last[at] = SD_NO_INDEX;
	while (*link != SD_NO_INDEX) {
		uint32_t e = *link, from = find(m, m->edge[e].from);

		m->work++;
		if (from == at || m->scanned[from] == m->scan) {
			*link = m->edge[e].next;
			continue;
		}
		m->scanned[from] = m->scan;
		m->last[at] = e;
		link = &m->edge[e].next;
		out[count++] = from;
	}
	return count;
}

/* Ancestors behind `floor` are followed next, others when the search goes back further. */
static void meet(struct merger *m, uint32_t cluster, uint64_t floor)
{
	if (m->seen[cluster] == m->search)
		return;
	m->seen[cluster] = m->search;
	m->ways[cluster] = 0;
	if (m->order.rank[cluster] > floor)
		m->found[m->found_count++] = cluster;
	else
		sd_heap_push(m->later, &m->later_count, cluster, sd_cluster_compare_down, &m->order);
}

static void begin_search(struct merger *m)
{
	m->search++;
	m->found_count = m->next = m->later_count = 0;
}

static void follow(struct merger *m, uint32_t cluster, bool is_child, uint64_t floor)
{
	uint32_t count = list_producers(m, cluster, m->near);

	for (uint32_t i = 0; i < count; i++) {
		meet(m, m->near[i], floor);
		m->ways[m->near[i]] += !is_child;
	}
}

/* Whether a way leads from `parent` to the child other than by an edge. */
static bool reaches(struct merger *m, uint32_t parent, uint64_t floor)
{
	while (m->next < m->found_count && m->ways[parent] == 0)
		follow(m, m->found[m->next++], false, floor);
	return m->ways[parent] > 0;
}

/* The same where there is no order to bound the search. */
static bool reaches_anyhow(struct merger *m, uint32_t parent, uint32_t child)
{
	begin_search(m);
	m->seen[parent] = m->seen[child] = m->search;
	m->ways[parent] = m->ways[child] = 0;
	follow(m, child, true, 0);
	return reaches(m, parent, 0);
}

/* ---- joining ---- */

static void append_list(struct merger *m, uint32_t to, uint32_t from)
{
	if (m->first[from] == SD_NO_INDEX)
		return;
	if (m->first[to] == SD_NO_INDEX)
		m->first[to] = m->first[from];
	else
		m->edge[m->last[to]].next = m->first[from];
	m->last[to] = m->last[from];
}

/* The merged cluster stands where the first of the two stood. */
static uint32_t join(struct merger *m, uint32_t parent, uint32_t child)
{
	uint32_t keep = parent < child ? parent : child, gone = parent < child ? child : parent;
	bool kept_is_first = m->order.rank[keep] < m->order.rank[gone];

	sd_cluster_take(&m->order, kept_is_first ? gone : keep);
	if (!kept_is_first)
		sd_cluster_replace(&m->order, gone, keep);
	m->owner[gone] = keep;
	append_list(m, keep, gone);
	m->member[m->member_end[keep]] = gone;
	m->member_end[keep] = m->member_end[gone];
	return keep;
}

/* Two clusters with one label: whether their user label, or their engine, lets them be one. */
static bool same_user(const struct merger *m, uint32_t a, uint32_t b)
{
	return m->in->user[a] && m->in->user[a] == m->in->user[b];
}

static bool same_kind(const struct merger *m, uint32_t a, uint32_t b)
{
	return same_user(m, a, b) || m->in->engine[a] == m->in->engine[b];
}

/* Joins those of `count` parents that may be joined, all by their user label or all by their
 * engine, from the last in the order to the first. Answers the cluster that the child is in. */
static uint32_t join_all(struct merger *m, uint32_t child, const uint32_t *parent, uint32_t count)
{
	bool by_user = same_user(m, parent[0], child), closes = false;
	uint32_t joined = 0, passed = 0;

	begin_search(m);
	follow(m, child, true, UINT64_MAX);
	for (uint32_t i = 0; i < count; i++)
		m->asked[parent[i]] = m->search;
	for (uint32_t left = count; left > 0;) {
		uint32_t at = sd_heap_pop(m->later, &m->later_count, sd_cluster_compare_down, &m->order);

		if (m->asked[at] != m->search) {
			m->found[m->found_count++] = at;
			continue;
		}
		left--;
		if (!SD_MUTANT(cluster_second_way) && reaches(m, at, m->order.rank[at])) {
			m->found[m->found_count++] = at;
			closes |= by_user;
			continue;
		}
		m->joined[joined++] = at;
		passed = m->found_count;
		follow(m, at, true, m->order.rank[at]);
	}
	for (uint32_t i = 0; i < joined; i++)
		child = join(m, m->joined[i], child);
	sd_cluster_move(&m->order, m->found, passed, child, m->scratch);
	m->cyclic |= closes;
	for (uint32_t i = 0; i < count && closes; i++) {
		if (find(m, parent[i]) != child)
			child = join(m, find(m, parent[i]), child);
	}
	return child;
}

/* ---- one node's turn ---- */

/* Distinct clusters that `at` feeds now; the order of parents goes by it. */
static uint32_t out_degree(struct merger *m, uint32_t at)
{
	const struct sd_adjacency *adj = &m->job->adjacency;
	uint32_t degree = 0;

	m->scan++;
	m->scanned[at] = m->scan;
	for (uint32_t i = at; i != SD_NO_INDEX; i = m->member[i]) {
		uint32_t n = m->in->node[i];

		for (uint32_t k = adj->succ_first[n]; k < adj->succ_first[n + 1]; k++) {
			uint32_t to = find(m, m->in->position[adj->succ[k]] - m->in->base);

			m->work++;
			degree += m->scanned[to] != m->scan;
			m->scanned[to] = m->scan;
		}
	}
	return degree;
}

static int compare_parents(const void *arg, uint32_t a, uint32_t b)
{
	const struct merger *m = arg;

	if (m->degree[a] != m->degree[b])
		return m->degree[a] < m->degree[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The clusters that feed `child` and may ever be one with it: those with its label. Answers
 * whether their order matters, which is so where some of them have its user label and others
 * do not: then engine and user label of the child's cluster can change within its turn. */
static bool list_parents(struct merger *m, uint32_t child, uint32_t *count)
{
	const struct sd_merge_input *in = m->in;
	uint32_t producers = list_producers(m, child, m->near);
	bool mixed = false;

	*count = 0;
	for (uint32_t i = 0; i < producers; i++) {
		uint32_t p = m->near[i];

		if (in->engine[p] == SD_MERGE_INPUT || in->label[p] != in->label[child])
			continue;
		mixed |= in->user[p] != in->user[child];
		m->parent[(*count)++] = p;
	}
	return mixed && *count > 1;
}

static void sort_parents(struct merger *m, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		m->degree[m->parent[i]] = out_degree(m, m->parent[i]);
	sd_merge_sort(m->parent, m->scratch, count, compare_parents, m);
}

/* Finds in how many ways each of `count` parents reaches the child other than by an edge, for
 * all of them at once. In a cyclic graph a way may lead through its parent again, and is none. */
static void count_ways(struct merger *m, uint32_t child, uint32_t count, uint64_t *floor)
{
	*floor = m->cyclic ? 0 : UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (m->order.rank[m->parent[i]] < *floor)
			*floor = m->order.rank[m->parent[i]];
	}
	begin_search(m);
	m->seen[child] = m->search;
	m->ways[child] = 0;
	follow(m, child, true, *floor);
	while (m->next < m->found_count)
		follow(m, m->found[m->next++], false, *floor);
	for (uint32_t i = 0; i < count; i++)
		m->degree[m->parent[i]] = m->ways[m->parent[i]];
}

/* A parent that is about to join is no cluster any more that others reach the child through. */
static void forget_ways(struct merger *m, uint32_t parent)
{
	uint32_t count = list_producers(m, parent, m->near);

	for (uint32_t i = 0; i < count; i++) {
		if (m->seen[m->near[i]] == m->search)
			m->ways[m->near[i]]--;
	}
}

/* Ancestors of the child that the search found must stand in front of it. */
static void move_ancestors(struct merger *m, uint32_t child)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->found_count; i++) {
		uint32_t c = m->found[i];

		if (m->owner[c] == c && c != child && m->order.rank[c] > m->order.rank[child])
			m->found[count++] = c;
	}
	sd_cluster_move(&m->order, m->found, count, child, m->scratch);
}

/* One parent after the other, in the order of the list. */
static void join_in_turn(struct merger *m, uint32_t child, uint32_t count)
{
	bool counted = !m->cyclic || count >= MANY_PARENTS;
	uint64_t floor = 0;

	if (counted)
		count_ways(m, child, count, &floor);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = m->parent[i];
		bool by_user = same_user(m, parent, child), way;

		if (!same_kind(m, parent, child))
			continue;
		if (m->cyclic)
			way = !by_user && (!counted || m->degree[parent]) && reaches_anyhow(m, parent, child);
		else
			way = m->ways[parent] > 0;
		if (way && !by_user)
			continue;
		m->cyclic |= way;
		if (!m->cyclic && m->order.rank[parent] > floor)
			forget_ways(m, parent);
		child = join(m, parent, child);
	}
	if (!m->cyclic)
		move_ancestors(m, child);
}

static void take_turn(struct merger *m, uint32_t child)
{
	uint32_t count, kept = 0;
	bool ordered = list_parents(m, child, &count);

	if (ordered)
		sort_parents(m, count);
	if (ordered || m->cyclic) {
		join_in_turn(m, child, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (same_kind(m, m->parent[i], child))
			m->parent[kept++] = m->parent[i];
	}
	if (kept)
		join_all(m, child, m->parent, kept);
}

static enum sd_status make_merger(struct merger *m)
{
	struct sd_arena *mem = m->job->mem;
	const struct sd_adjacency *adj = &m->job->adjacency;
	uint32_t n = m->in->count, edges = 0;

	for (uint32_t i = 0; i < n; i++)
		edges += adj->pred_first[m->in->node[i] + 1] - adj->pred_first[m->in->node[i]];
	m->first = SD_NEW(mem, uint32_t, n);
	m->last = SD_NEW(mem, uint32_t, n);
	m->edge = SD_NEW(mem, struct edge, edges);
	m->member = SD_NEW(mem, uint32_t, n);
	m->member_end = SD_NEW(mem, uint32_t, n);
	m->scanned = SD_NEW0(mem, uint32_t, n);
	m->seen = SD_NEW0(mem, uint32_t, n);
	m->ways = SD_NEW(mem, uint32_t, n);
	m->asked = SD_NEW0(mem, uint32_t, n);
	m->found = SD_NEW(mem, uint32_t, n);
	m->later = SD_NEW(mem, uint32_t, n);
	m->near = SD_NEW(mem, uint32_t, n);
	m->parent = SD_NEW(mem, uint32_t, n);
	m->joined = SD_NEW(mem, uint32_t, n);
	m->scratch = SD_NEW(mem, uint32_t, n);
	m->degree = SD_NEW(mem, uint32_t, n);
	SD_NEED(m->job, m->first && m->last && m->edge && m->member && m->member_end && sd_cluster_order_init(&m->order, mem, n));
	SD_NEED(m->job, m->scanned && m->seen && m->ways && m->asked && m->found && m->later);
	SD_NEED(m->job, m->near && m->parent && m->joined && m->scratch && m->degree);
	return SD_OK;
}

/* Every node a cluster of its own, in topological order. */
static void start_alone(struct merger *m)
{
	const struct sd_adjacency *adj = &m->job->adjacency;
	uint32_t n = m->in->count, edges = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = m->in->node[i];

		m->owner[i] = m->member_end[i] = i;
		m->member[i] = SD_NO_INDEX;
		m->first[i] = m->last[i] = SD_NO_INDEX;
		for (uint32_t k = adj->pred_first[node]; k < adj->pred_first[node + 1]; k++) {
			m->edge[edges] = (struct edge){ m->in->position[adj->pred[k]] - m->in->base, SD_NO_INDEX };
			if (m->first[i] == SD_NO_INDEX)
				m->first[i] = edges;
			else
				m->edge[m->last[i]].next = edges;
			m->last[i] = edges++;
		}
	}
}

enum sd_status sd_merge_paths(struct sd_job *job, const struct sd_merge_input *input, uint32_t *owner)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	struct merger m = { .job = job, .in = input, .owner = owner };

	SD_TRY(make_merger(&m));
	start_alone(&m);
	for (uint32_t child = 0; child < input->count; child++) {
		if (m.work >= SD_STOP_STRIDE && sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		m.work = m.work >= SD_STOP_STRIDE ? 0 : m.work + 1;
		if (input->engine[child] != SD_MERGE_INPUT)
			take_turn(&m, child);
	}
	for (uint32_t i = 0; i < input->count; i++)
		owner[i] = find(&m, i);
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}

void sd_merge_runs(const struct sd_merge_input *in, uint32_t *owner)
{
	uint32_t previous = SD_NO_INDEX;

	for (uint32_t i = 0; i < in->count; i++) {
		owner[i] = i;
		if (in->engine[i] == SD_MERGE_INPUT)
			continue;
		if (previous != SD_NO_INDEX &&
		    ((in->user[previous] && in->user[previous] == in->user[i]) ||
		     (in->engine[previous] == in->engine[i] && (in->label[previous] == in->label[i] || SD_MUTANT(cluster_run_over_label)))))
			owner[i] = owner[previous];
		previous = i;
	}
}
