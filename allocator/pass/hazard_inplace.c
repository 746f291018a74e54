/* hazard_inplace - a node that writes in place over what another one may still read.
 *
 * Rule   Outputs that `overwrites` names are buffers. Output k of a node that overwrites lies in the
 *        buffer of its k-th producer, its further ones in buffers of their own; a node that launches nothing hands on what it reads (of several
 *        buffers the first HANDED_MAX), and with one input it stands for that input. Who reads a buffer must
 *        be done before the next node that writes it, as the plan runs, may start; each that
 *        writes it, the producer included, must be done before the next one that does. What the plan
 *        does not order so is a hazard, told once for each reader and once for each writer.
 * Why    The reader would get the new content, or half of it; on one stream too, where it stands
 *        behind the writer.
 * Example p feeds r on stream 0 and w on stream 1, w overwrites p: told of r, unless r is a control
 *        input of w.
 * Differs Graph Engine knows no such list.
 * Cost   That of reduce.c where something is overwritten, and O(nodes + accesses * log accesses), accesses
 *        being at most edges * HANDED_MAX. */
#include "passes.h"

#include "base/merge.h"
#include "hazard.h"
#include "mutants.h"

#define HANDED_MAX 16u

/* The content of a buffer, named by who wrote it. */
struct version {
	uint32_t buffer, writer;
};

struct range {
	uint32_t first, count;
};

struct access {
	uint32_t slot;
	struct version version; /* read; for a write, what it leaves */
	bool write;
};

struct gathering {
	struct sd_job *job;
	uint32_t *root;            /* per node: whom its output stands for */
	uint32_t *own;             /* per node: buffer of its outputs, but for `entries`; SD_NO_INDEX: nobody overwrites them */
	uint32_t buffers, *root_of; /* per buffer: its producer */
	struct range *entries;     /* per node: into entry, buffers of its first outputs, one per name that it overwrites */
	SD_VEC(uint32_t) entry;
	struct range *written;     /* per node: into write, all buffers that it overwrites, each once */
	SD_VEC(uint32_t) write;
	struct range *handed;      /* per node that launches nothing: into version */
	SD_VEC(struct version) version;
	SD_VEC(struct access) access;
	uint32_t *reader_of, *writer_of; /* per node: who overwrites what it reads, who else writes; SD_NO_NODE: nobody */
	SD_VEC(struct sd_question) question;
	SD_VEC(uint8_t) by_reader; /* per question: a reader before a writer, not a writer before a writer */
};

#define NEED_ROOM(g, vec) SD_NEED((g)->job, sd_vec_room((g)->job->mem, (vec)))

static const struct sd_extra *overwriter(const struct sd_job *job, uint32_t node)
{
	uint32_t extra = job->graph->extra_of[node];

	if (extra == UINT32_MAX || job->graph->extra[extra].overwrite_count == 0 || !job->launched[node])
		return NULL;
	return &job->graph->extra[extra];
}

static enum sd_status start(struct gathering *g, uint32_t overwritten)
{
	struct sd_job *job = g->job;
	uint32_t nodes = job->graph->node_count;

	g->root = SD_NEW(job->mem, uint32_t, nodes);
	g->own = SD_NEW(job->mem, uint32_t, nodes);
	g->root_of = SD_NEW(job->mem, uint32_t, overwritten);
	g->entries = SD_NEW0(job->mem, struct range, nodes);
	g->written = SD_NEW0(job->mem, struct range, nodes);
	g->handed = SD_NEW0(job->mem, struct range, nodes);
	g->reader_of = SD_NEW(job->mem, uint32_t, nodes);
	g->writer_of = SD_NEW(job->mem, uint32_t, nodes);
	SD_NEED(job, g->root && g->own && g->root_of && g->entries && g->written && g->handed && g->reader_of && g->writer_of);
	memset(g->own, 0xff, nodes * sizeof(*g->own));
	memset(g->reader_of, 0xff, nodes * sizeof(*g->reader_of));
	memset(g->writer_of, 0xff, nodes * sizeof(*g->writer_of));
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t n = job->order.flat[i];
		bool stands_for = !job->launched[n] && job->adjacency.data_pred_count[n] == 1;

		g->root[n] = stands_for ? g->root[job->adjacency.pred[job->adjacency.pred_first[n]]] : n;
	}
	return SD_OK;
}

static enum sd_status add_write(struct gathering *g, uint32_t node, uint32_t buffer, uint32_t *stamp)
{
	if (stamp[buffer] == node)
		return SD_OK;
	stamp[buffer] = node;
	NEED_ROOM(g, &g->write);
	g->write.at[g->write.count++] = buffer;
	g->written[node].count++;
	return SD_OK;
}

/* One name of a list: what `node` writes by it, and where that output of `node` lies. */
static enum sd_status overwrite(struct gathering *g, uint32_t node, uint32_t producer, uint32_t *stamp)
{
	uint32_t root = g->root[producer];
	struct range theirs = g->entries[root];

	if (g->own[root] == SD_NO_INDEX) {
		g->own[root] = g->buffers;
		g->root_of[g->buffers++] = root;
	}
	NEED_ROOM(g, &g->entry);
	g->entry.at[g->entry.count] = theirs.count ? g->entry.at[theirs.first] : g->own[root];
	g->entry.count++;
	g->entries[node].count++;
	SD_TRY(add_write(g, node, g->own[root], stamp));
	for (uint32_t i = 0; i < theirs.count && i < HANDED_MAX; i++)
		SD_TRY(add_write(g, node, g->entry.at[theirs.first + i], stamp));
	return SD_OK;
}

static enum sd_status find_buffers(struct gathering *g, uint32_t overwritten)
{
	const struct sd_graph *graph = g->job->graph;
	uint32_t *stamp = SD_NEW(g->job->mem, uint32_t, overwritten);

	SD_NEED(g->job, stamp);
	memset(stamp, 0xff, overwritten * sizeof(*stamp));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t node = g->job->order.flat[i];
		const struct sd_extra *extra = overwriter(g->job, node);

		if (!extra)
			continue;
		g->written[node].first = g->write.count;
		g->entries[node].first = g->entry.count;
		for (uint32_t k = 0; k < extra->overwrite_count; k++) {
			if (g->root[graph->overwrite[extra->overwrite_first + k]] != node)
				SD_TRY(overwrite(g, node, graph->overwrite[extra->overwrite_first + k], stamp));
		}
	}
	return SD_OK;
}

static enum sd_status add_access(struct gathering *g, uint32_t node, struct version version, bool write)
{
	NEED_ROOM(g, &g->access);
	g->access.at[g->access.count++] = (struct access){ g->job->slots.of_node[node], version, write };
	return SD_OK;
}

/* A launched node reads a version; one that launches nothing hands it on. */
static enum sd_status take(struct gathering *g, uint32_t node, struct version version)
{
	if (g->job->launched[node])
		return add_access(g, node, version, false);
	if (g->handed[node].count == HANDED_MAX)
		return SD_OK;
	NEED_ROOM(g, &g->version);
	g->version.at[g->version.count++] = version;
	g->handed[node].count++;
	return SD_OK;
}

static enum sd_status read_edge(struct gathering *g, uint32_t node, const struct sd_edge *edge)
{
	struct range entries, handed;

	if (edge->src == SD_NO_NODE || edge->port == SD_CONTROL || sd_adjacency_cuts(sd_job_op(g->job, edge->src)))
		return SD_OK;
	entries = g->entries[edge->src];
	handed = g->handed[edge->src];
	if ((uint32_t)edge->port < entries.count)
		SD_TRY(take(g, node, (struct version){ g->entry.at[entries.first + (uint32_t)edge->port], edge->src }));
	else if (g->own[edge->src] != SD_NO_INDEX)
		SD_TRY(take(g, node, (struct version){ g->own[edge->src], edge->src }));
	for (uint32_t i = 0; i < handed.count && !SD_MUTANT(inplace_not_through); i++)
		SD_TRY(take(g, node, g->version.at[handed.first + i]));
	return SD_OK;
}

static enum sd_status gather_accesses(struct gathering *g)
{
	const struct sd_graph *graph = g->job->graph;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t node = g->job->order.flat[i];

		g->handed[node].first = g->version.count;
		for (uint32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; e++)
			SD_TRY(read_edge(g, node, &graph->in[e]));
		if (!g->job->launched[node])
			continue;
		if (g->own[node] != SD_NO_INDEX)
			SD_TRY(add_access(g, node, (struct version){ g->own[node], node }, true));
		for (uint32_t k = 0; k < g->written[node].count; k++)
			SD_TRY(add_access(g, node, (struct version){ g->write.at[g->written[node].first + k], node }, true));
	}
	return SD_OK;
}

/* By buffer, then as they run, a node's reads before its writes. */
static int compare_accesses(const void *ctx, uint32_t a, uint32_t b)
{
	const struct gathering *g = ctx;
	const struct access *at_a = &g->access.at[a], *at_b = &g->access.at[b];
	uint32_t rank_a = g->job->rank[at_a->slot], rank_b = g->job->rank[at_b->slot];

	if (at_a->version.buffer != at_b->version.buffer)
		return at_a->version.buffer < at_b->version.buffer ? -1 : 1;
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	return (int)at_a->write - (int)at_b->write;
}

static uint32_t node_at(const struct gathering *g, uint32_t slot)
{
	return g->job->slots.node[slot];
}

static enum sd_status ask(struct gathering *g, uint32_t from, uint32_t to, bool by_reader)
{
	if (from == to || !sd_may_both_run(g->job, node_at(g, from), node_at(g, to)))
		return SD_OK;
	NEED_ROOM(g, &g->question);
	NEED_ROOM(g, &g->by_reader);
	g->question.at[g->question.count++] = (struct sd_question){ from, to, false };
	g->by_reader.at[g->by_reader.count++] = by_reader;
	return SD_OK;
}

static void tell_first(uint32_t *of, uint32_t node, uint32_t partner)
{
	if (of[node] == SD_NO_NODE)
		of[node] = partner;
}

/* Walks the accesses [first, end) to one buffer. What was read since the last write must be done before the
 * next; what is read later than it was overwritten cannot be. `next` says who overwrote a node's version. */
static enum sd_status walk_buffer(struct gathering *g, const uint32_t *sorted, uint32_t first, uint32_t end, uint32_t *next)
{
	uint32_t root = g->root_of[g->access.at[sorted[first]].version.buffer], pending = first, last_slot = SD_NO_INDEX;
	uint32_t last = g->job->launched[root] ? SD_NO_NODE : root;

	for (uint32_t i = first; i < end; i++) {
		const struct access *access = &g->access.at[sorted[i]];
		uint32_t node = node_at(g, access->slot), writer = access->version.writer;

		if (!access->write) {
			if (writer != last && !SD_MUTANT(inplace_late_reader) && next[writer] != SD_NO_NODE && sd_may_both_run(g->job, node, next[writer]))
				tell_first(g->reader_of, node, next[writer]);
			continue;
		}
		if (last_slot != SD_NO_INDEX && !SD_MUTANT(inplace_writers_forgotten))
			SD_TRY(ask(g, last_slot, access->slot, false));
		for (; pending < i; pending++) {
			const struct access *read = &g->access.at[sorted[pending]];

			if (!read->write && read->version.writer == last)
				SD_TRY(ask(g, read->slot, access->slot, true));
		}
		if (last != SD_NO_NODE)
			next[last] = node;
		last = node;
		last_slot = access->slot;
	}
	for (uint32_t i = first; i < end; i++)
		next[g->access.at[sorted[i]].version.writer] = SD_NO_NODE;
	next[root] = SD_NO_NODE;
	return SD_OK;
}

static enum sd_status walk_buffers(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t count = g->access.count, *sorted = SD_NEW(job->mem, uint32_t, count), *spare = SD_NEW(job->mem, uint32_t, count);
	uint32_t *next = SD_NEW(job->mem, uint32_t, job->graph->node_count);

	SD_NEED(job, sorted && spare && next);
	memset(next, 0xff, job->graph->node_count * sizeof(*next));
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	sd_merge_sort(sorted, spare, count, compare_accesses, g);
	for (uint32_t first = 0, end = 0; first < count; first = end) {
		while (end < count && g->access.at[sorted[end]].version.buffer == g->access.at[sorted[first]].version.buffer)
			end++;
		SD_TRY(walk_buffer(g, sorted, first, end, next));
	}
	return SD_OK;
}

static enum sd_status tell(struct gathering *g)
{
	struct sd_job *job = g->job;

	for (uint32_t i = 0; i < g->question.count; i++) {
		uint32_t from = node_at(g, g->question.at[i].from), to = node_at(g, g->question.at[i].to);

		if (!g->question.at[i].ordered && g->by_reader.at[i])
			tell_first(g->reader_of, from, to);
		else if (!g->question.at[i].ordered)
			tell_first(g->writer_of, to, from);
	}
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t node = job->order.flat[i], writer = g->writer_of[node], reader = g->reader_of[node];

		if (writer != SD_NO_NODE)
			SD_TRY(sd_hazard(job, SD_CODE_OVERWRITES_UNORDERED, node, sd_arg_node(writer), (struct sd_arg){ 0 }));
		if (reader != SD_NO_NODE && reader != writer)
			SD_TRY(sd_hazard(job, SD_CODE_READ_OVERWRITTEN, node, sd_arg_node(reader), (struct sd_arg){ 0 }));
	}
	return SD_OK;
}

enum sd_status sd__pass_hazard_inplace(struct sd_job *job)
{
	struct gathering g = { .job = job };
	uint32_t overwritten = 0;

	for (uint32_t i = 0; i < job->graph->extra_count; i++)
		overwritten += job->graph->extra[i].overwrite_count;
	if (overwritten == 0)
		return SD_OK;
	SD_TRY(start(&g, overwritten));
	SD_TRY(find_buffers(&g, overwritten));
	SD_TRY(gather_accesses(&g));
	SD_TRY(walk_buffers(&g));
	SD_TRY(sd_answer(job, g.question.at, g.question.count));
	return tell(&g);
}
