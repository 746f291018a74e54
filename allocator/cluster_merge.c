/* cluster_merge.c - growing clusters along edges without closing a cycle between clusters.
 *
 * The textbook way asks, for every node and every cluster that feeds it, whether another
 * path leads from that cluster to the node: a search through the whole graph each time,
 * O(E * (V + E)) in all. Here the clusters stand in a list that is a topological order
 * of the graph of clusters at any time. A second path from parent P to child C runs
 * backwards from C over clusters that stand behind P, so the search looks at nothing
 * else; and when it finds no such path, exactly the clusters that it saw (the ancestors
 * of C behind P) must stand in front of the merged cluster: they are moved there, and
 * the list is a topological order again. Positions in the list are 64-bit ranks with
 * gaps, renumbered when a gap is used up.
 *
 * Nodes with one user label are merged without looking for a path. That may close a
 * cycle; from then on there is no topological order, and searches are unbounded. */
#include "cluster_merge.h"

#include "base/merge.h"

#define RANK_CLOSE (1ull << 20) /* between a cluster and one moved in front of it: leaves room for many more */

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
	uint64_t *rank;              /* per root: place in the topological order */
	uint32_t *ahead, *behind;    /* per root: neighbours in that order; index `count` is the list's head */
	uint32_t *member, *member_end; /* per position / root: linked list of members, for exact degrees */
	uint32_t *seen, *scanned;    /* per position: stamps */
	uint32_t stamp, scan;
	uint32_t *found, found_count; /* clusters met by the last search */
	uint32_t *parent, *scratch, *degree;
	bool cyclic;
};

static uint32_t find(struct merger *m, uint32_t at)
{
	while (m->owner[at] != at) {
		m->owner[at] = m->owner[m->owner[at]];
		at = m->owner[at];
	}
	return at;
}

/* ---- the order of clusters ---- */

static void unlink_cluster(struct merger *m, uint32_t c)
{
	m->behind[m->ahead[c]] = m->behind[c];
	m->ahead[m->behind[c]] = m->ahead[c];
}

static void link_before(struct merger *m, uint32_t c, uint32_t next)
{
	m->ahead[c] = m->ahead[next];
	m->behind[c] = next;
	m->behind[m->ahead[next]] = c;
	m->ahead[next] = c;
}

static void number_all(struct merger *m)
{
	uint64_t rank = 0, step = UINT64_MAX / (m->in->count + 1ull);

	for (uint32_t c = m->behind[m->in->count]; c != m->in->count; c = m->behind[c])
		m->rank[c] = rank += step;
}

static uint64_t rank_ahead(const struct merger *m, uint32_t c)
{
	return m->ahead[c] == m->in->count ? 0 : m->rank[m->ahead[c]];
}

static int compare_ranks(const void *arg, uint32_t a, uint32_t b)
{
	const struct merger *m = arg;

	return m->rank[a] < m->rank[b] ? -1 : m->rank[a] > m->rank[b];
}

/* Puts the clusters found by the last search in front of `parent`, in their own order. */
static void move_found(struct merger *m, uint32_t parent)
{
	uint64_t low, gap;

	if (!m->found_count)
		return;
	sd_merge_sort(m->found, m->scratch, m->found_count, compare_ranks, m);
	for (uint32_t i = 0; i < m->found_count; i++) {
		unlink_cluster(m, m->found[i]);
		link_before(m, m->found[i], parent);
	}
	low = rank_ahead(m, m->found[0]);
	gap = (m->rank[parent] - low) / (m->found_count + 1ull);
	if (gap == 0) {
		number_all(m);
		return;
	}
	if (gap > RANK_CLOSE)
		gap = RANK_CLOSE;
	for (uint32_t i = 0; i < m->found_count; i++)
		m->rank[m->found[i]] = low += gap;
}

/* ---- edges between clusters ---- */

/* Looks at the producers of cluster `at`: those behind `floor` in the order are added to
 * `found`. Edges that have become internal or double are dropped on the way. Answers
 * whether `parent` is among the producers. */
static bool scan_producers(struct merger *m, uint32_t at, uint32_t parent, uint64_t floor)
{
	uint32_t *link = &m->first[at], last = SD_NO_INDEX;
	bool met = false;

	m->scan++;
	while (*link != SD_NO_INDEX) {
		uint32_t e = *link, from = find(m, m->edge[e].from);

		if (from == at || m->scanned[from] == m->scan) {
			*link = m->edge[e].next;
			continue;
		}
		m->scanned[from] = m->scan;
		last = e;
		link = &m->edge[e].next;
		if (from == parent) {
			met = true;
		} else if (m->rank[from] > floor && m->seen[from] != m->stamp) {
			m->seen[from] = m->stamp;
			m->found[m->found_count++] = from;
		}
	}
	m->last[at] = last;
	return met;
}

/* Whether a path other than a direct edge leads from `parent` to `child`. Leaves the
 * ancestors of the child that stand behind the parent in `found`. */
static bool second_path(struct merger *m, uint32_t parent, uint32_t child)
{
	uint64_t floor = m->cyclic ? 0 : m->rank[parent];

	m->stamp++;
	m->found_count = 0;
	m->seen[child] = m->stamp;
	scan_producers(m, child, parent, floor);
	for (uint32_t i = 0; i < m->found_count; i++) {
		if (scan_producers(m, m->found[i], parent, floor))
			return true;
	}
	return false;
}

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

static uint32_t join(struct merger *m, uint32_t parent, uint32_t child)
{
	uint32_t keep = parent < child ? parent : child, gone = parent < child ? child : parent;

	if (!m->cyclic)
		move_found(m, parent);
	/* The merged cluster stands where the parent stood. */
	unlink_cluster(m, child);
	if (keep != parent) {
		link_before(m, keep, parent);
		unlink_cluster(m, parent);
		m->rank[keep] = m->rank[parent];
	}
	m->owner[gone] = keep;
	append_list(m, keep, gone);
	m->member[m->member_end[keep]] = gone;
	m->member_end[keep] = m->member_end[gone];
	return keep;
}

/* ---- one node's turn ---- */

/* Distinct clusters that `at` feeds now. */
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

/* The clusters that feed position `child`, in the order in which they are asked. Where no
 * inner label equals a user label any order gives the same clusters: degrees are left out. */
static uint32_t parents_of(struct merger *m, uint32_t child)
{
	uint32_t count = 0;

	m->stamp++;
	m->found_count = 0;
	scan_producers(m, child, SD_NO_INDEX, 0);
	for (uint32_t i = 0; i < m->found_count; i++)
		m->parent[count++] = m->found[i];
	for (uint32_t i = 0; i < count && m->in->ordered_by_degree; i++)
		m->degree[m->parent[i]] = out_degree(m, m->parent[i]);
	if (m->in->ordered_by_degree)
		sd_merge_sort(m->parent, m->scratch, count, compare_parents, m);
	return count;
}

static bool mergeable(struct merger *m, uint32_t parent, uint32_t child)
{
	const struct sd_merge_input *in = m->in;
	bool same_user = in->user[parent] && in->user[parent] == in->user[child];
	bool path;

	if (!same_user && (in->engine[parent] != in->engine[child] || in->label[parent] != in->label[child]))
		return false;
	path = second_path(m, parent, child);
	if (same_user && path)
		m->cyclic = true;
	return same_user || !path;
}

static void take_turn(struct merger *m, uint32_t child)
{
	uint32_t current = child, count = parents_of(m, child);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = find(m, m->parent[i]);

		if (parent != current && mergeable(m, parent, current))
			current = join(m, parent, current);
	}
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
	m->rank = SD_NEW(mem, uint64_t, n);
	m->ahead = SD_NEW(mem, uint32_t, n + 1u);
	m->behind = SD_NEW(mem, uint32_t, n + 1u);
	m->member = SD_NEW(mem, uint32_t, n);
	m->member_end = SD_NEW(mem, uint32_t, n);
	m->seen = SD_NEW0(mem, uint32_t, n);
	m->scanned = SD_NEW0(mem, uint32_t, n);
	m->found = SD_NEW(mem, uint32_t, n);
	m->parent = SD_NEW(mem, uint32_t, n);
	m->scratch = SD_NEW(mem, uint32_t, n);
	m->degree = SD_NEW(mem, uint32_t, n);
	SD_NEED(m->job, m->first && m->last && m->edge && m->rank && m->ahead && m->behind && m->member &&
	                m->member_end && m->seen && m->scanned && m->found && m->parent && m->scratch && m->degree);
	return SD_OK;
}

/* Every node a cluster of its own, in topological order. */
static void start_alone(struct merger *m)
{
	const struct sd_adjacency *adj = &m->job->adjacency;
	uint32_t n = m->in->count, edges = 0;

	m->ahead[n] = m->behind[n] = n;
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
		link_before(m, i, n);
	}
	number_all(m);
}

enum sd_status sd_merge_paths(struct sd_job *job, const struct sd_merge_input *input, uint32_t *owner)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	struct merger m = { .job = job, .in = input, .owner = owner };

	SD_TRY(make_merger(&m));
	start_alone(&m);
	for (uint32_t child = 0; child < input->count; child++) {
		if (child % SD_STOP_STRIDE == 0 && sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
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
		     (in->engine[previous] == in->engine[i] && in->label[previous] == in->label[i])))
			owner[i] = owner[previous];
		previous = i;
	}
}
