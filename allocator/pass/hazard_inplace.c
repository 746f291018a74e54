/* hazard_inplace - a node that writes in place over what another one may still read.
 *
 * Rule   Outputs that `overwrites` names are buffers. Output k of a node that overwrites lies in the
 *        buffer of its k-th producer, its further ones in buffers of their own; a node that launches nothing hands on what it reads (of several
 *        buffers the first HANDED_MAX), and who overwrites it overwrites all of that. A body's Data hands on an input of its node,
 *        and output k of a node with bodies is what input k of their NetOutputs reads. Who reads a buffer must
 *        be done before the next node that writes it, as the plan runs, may start; each that
 *        writes it, the producer included, must be done before the next one that does; so in each run. What the plan
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
#include "body_edges.h"
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

/* Who reads what somebody in front of it has overwritten. */
struct late {
	uint32_t reader, writer; /* nodes */
};

struct gathering {
	struct sd_job *job;
	struct range *roots;       /* per node: into root, whose output its own is: itself, or those that it hands on, each once */
	SD_VEC(uint32_t) root;
	uint32_t *output;          /* per graph: its NetOutput; SD_NO_NODE: none */
	uint32_t *own;             /* per node: buffer of its outputs, but for `entries`; SD_NO_INDEX: nobody overwrites them */
	uint32_t buffers;
	struct range *entries;     /* per node: into entry, buffers of its first outputs, one per name that it overwrites */
	SD_VEC(uint32_t) entry;
	struct range *written;     /* per node: into write, all buffers that it overwrites, each once */
	SD_VEC(uint32_t) write;
	struct range *handed;      /* per node that launches nothing: into version */
	SD_VEC(struct version) version;
	SD_VEC(struct access) access;
	uint32_t *reader_of, *writer_of; /* per node: who overwrites what it reads, who else writes; SD_NO_NODE: nobody */
	SD_VEC(uint32_t) writing;  /* accesses that write the buffer looked at, as the plan runs */
	uint32_t *place;           /* per node: behind its own one among these; 0: it has none */
	SD_VEC(struct sd_question) question;
	SD_VEC(uint8_t) by_reader; /* per question: a reader before a writer, not a writer before a writer */
	SD_VEC(struct late) late;
};

#define NEED_ROOM(g, vec) SD_NEED((g)->job, sd_vec_room((g)->job->mem, (vec)))

static const struct sd_extra *overwriter(const struct sd_job *job, uint32_t node)
{
	uint32_t extra = job->graph->extra_of[node];

	if (extra == UINT32_MAX || job->graph->extra[extra].overwrite_count == 0 || !job->launched[node])
		return NULL;
	return &job->graph->extra[extra];
}

/* Whether a node gives what it reads to those that read it: it launches nothing, and no bodies make something else of it. */
static bool hands_on(const struct sd_job *job, uint32_t node)
{
	return !job->launched[node] && job->graph->body_first[node] == job->graph->body_first[node + 1];
}

static enum sd_status add_root(struct gathering *g, uint32_t node, uint32_t root)
{
	struct range *roots = &g->roots[node];

	for (uint32_t i = 0; i < roots->count; i++) {
		if (g->root.at[roots->first + i] == root)
			return SD_OK;
	}
	if (roots->count == HANDED_MAX)
		return SD_OK;
	NEED_ROOM(g, &g->root);
	g->root.at[g->root.count++] = root;
	roots->count++;
	return SD_OK;
}

static enum sd_status add_roots_of(struct gathering *g, uint32_t node, uint32_t src)
{
	for (uint32_t i = 0; i < g->roots[src].count; i++)
		SD_TRY(add_root(g, node, g->root.at[g->roots[src].first + i]));
	return SD_OK;
}

static enum sd_status find_roots(struct gathering *g)
{
	const struct sd_job *job = g->job;

	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i];
		const struct sd_edge *in = sd_body_input(job, n);
		uint32_t preds = in || !hands_on(job, n) ? 0 : job->adjacency.data_pred_count[n];

		g->roots[n].first = g->root.count;
		if (in && in->src != SD_NO_NODE)
			SD_TRY(add_roots_of(g, n, in->src));
		for (uint32_t k = 0; k < preds; k++)
			SD_TRY(add_roots_of(g, n, job->adjacency.pred[job->adjacency.pred_first[n] + k]));
		if (g->roots[n].count == 0)
			SD_TRY(add_root(g, n, n));
	}
	return SD_OK;
}

static enum sd_status start(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t nodes = job->graph->node_count;

	g->roots = SD_NEW0(job->mem, struct range, nodes);
	g->own = SD_NEW(job->mem, uint32_t, nodes);
	g->entries = SD_NEW0(job->mem, struct range, nodes);
	g->written = SD_NEW0(job->mem, struct range, nodes);
	g->handed = SD_NEW0(job->mem, struct range, nodes);
	g->reader_of = SD_NEW(job->mem, uint32_t, nodes);
	g->writer_of = SD_NEW(job->mem, uint32_t, nodes);
	SD_NEED(job, g->roots && g->own && g->entries && g->written && g->handed && g->reader_of && g->writer_of);
	g->place = SD_NEW0(job->mem, uint32_t, nodes);
	g->output = SD_NEW(job->mem, uint32_t, job->graph->graph_count);
	SD_NEED(job, g->place && g->output);
	sd_body_outputs(job, g->output);
	memset(g->own, 0xff, nodes * sizeof(*g->own));
	memset(g->reader_of, 0xff, nodes * sizeof(*g->reader_of));
	memset(g->writer_of, 0xff, nodes * sizeof(*g->writer_of));
	return find_roots(g);
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

/* What `node` writes where it overwrites the output of `root`. */
static enum sd_status write_over(struct gathering *g, uint32_t node, uint32_t root, uint32_t *stamp)
{
	struct range theirs = g->entries[root];

	if (g->own[root] == SD_NO_INDEX)
		g->own[root] = g->buffers++;
	SD_TRY(add_write(g, node, g->own[root], stamp));
	for (uint32_t i = 0; i < theirs.count && i < HANDED_MAX; i++)
		SD_TRY(add_write(g, node, g->entry.at[theirs.first + i], stamp));
	return SD_OK;
}

/* One name of a list: what `node` writes by it, and where that output of `node` lies: of several buffers in the first. */
static enum sd_status overwrite(struct gathering *g, uint32_t node, uint32_t producer, uint32_t *stamp)
{
	struct range roots = g->roots[producer];
	bool has_entry = false;

	for (uint32_t i = 0; i < roots.count; i++) {
		uint32_t root = g->root.at[roots.first + i];
		struct range theirs = g->entries[root];

		if (root == node)
			continue;
		SD_TRY(write_over(g, node, root, stamp));
		if (has_entry)
			continue;
		NEED_ROOM(g, &g->entry);
		g->entry.at[g->entry.count] = theirs.count ? g->entry.at[theirs.first] : g->own[root];
		g->entry.count++;
		g->entries[node].count++;
		has_entry = true;
	}
	return SD_OK;
}

static enum sd_status find_buffers(struct gathering *g)
{
	const struct sd_graph *graph = g->job->graph;
	uint32_t *stamp = SD_NEW(g->job->mem, uint32_t, graph->node_count);

	SD_NEED(g->job, stamp);
	memset(stamp, 0xff, graph->node_count * sizeof(*stamp));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t node = g->job->order.flat[i];
		const struct sd_extra *extra = overwriter(g->job, node);

		if (!extra)
			continue;
		g->written[node].first = g->write.count;
		g->entries[node].first = g->entry.count;
		for (uint32_t k = 0; k < extra->overwrite_count; k++)
			SD_TRY(overwrite(g, node, graph->overwrite[extra->overwrite_first + k], stamp));
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
	if (g->handed[node].count == HANDED_MAX || !hands_on(g->job, node))
		return SD_OK;
	NEED_ROOM(g, &g->version);
	g->version.at[g->version.count++] = version;
	g->handed[node].count++;
	return SD_OK;
}

static enum sd_status read_edge(struct gathering *g, uint32_t node, const struct sd_edge *edge);

/* What a node with bodies gives at an output: of each body what its NetOutput reads there, of a loop without a turn what came in. */
static enum sd_status read_bodies(struct gathering *g, uint32_t node, uint32_t of, uint32_t port)
{
	const struct sd_job *job = g->job;
	const struct sd_functional *fun = sd_scopes_functional(&job->scopes, of);
	const struct sd_edge *in = fun && fun->loop ? sd_data_input(job->graph, of, port) : NULL;

	for (uint32_t i = job->graph->body_first[of]; i < job->graph->body_first[of + 1]; i++) {
		uint32_t out = g->output[job->graph->body[i]];
		const struct sd_edge *edge = out == SD_NO_NODE ? NULL : sd_data_input(job->graph, out, port);

		if (edge)
			SD_TRY(read_edge(g, node, edge));
	}
	return in ? read_edge(g, node, in) : SD_OK;
}

static enum sd_status read_edge(struct gathering *g, uint32_t node, const struct sd_edge *edge)
{
	struct range entries, handed;

	if (edge->src == SD_NO_NODE || edge->port == SD_CONTROL || sd_adjacency_cuts(sd_job_op(g->job, edge->src)))
		return SD_OK;
	if (g->job->graph->body_first[edge->src] != g->job->graph->body_first[edge->src + 1])
		SD_TRY(read_bodies(g, node, edge->src, (uint32_t)edge->port));
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

		const struct sd_edge *in = sd_body_input(g->job, node);

		g->handed[node].first = g->version.count;
		if (in)
			SD_TRY(read_edge(g, node, in));
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

/* A writer comes behind those in front of it, in each run behind the last. */
static enum sd_status ask_writers(struct gathering *g, uint32_t at)
{
	uint32_t slot = g->access.at[g->writing.at[at]].slot;

	for (uint32_t k = at; k > 0 && at - k < SD_HAZARD_WALK; k--) {
		uint32_t from = g->access.at[g->writing.at[k - 1]].slot;

		if (!SD_MUTANT(inplace_writers_forgotten))
			SD_TRY(ask(g, from, slot, false));
		if (from != slot && sd_runs_with(g->job, node_at(g, slot), node_at(g, from)))
			break;
	}
	return SD_OK;
}

/* What is read must be read before the next one writes, in each run; what is read later than it was overwritten cannot be. */
static enum sd_status ask_reader(struct gathering *g, const struct access *read)
{
	const uint32_t *rank = g->job->rank;
	uint32_t node = node_at(g, read->slot), first = g->place[read->version.writer];

	for (uint32_t k = first; k < g->writing.count && k - first < SD_HAZARD_WALK; k++) {
		uint32_t to = g->access.at[g->writing.at[k]].slot, writer = node_at(g, to);

		if (to == read->slot)
			break;
		if (!sd_may_both_run(g->job, node, writer))
			continue;
		if (rank[to] > rank[read->slot]) {
			SD_TRY(ask(g, read->slot, to, true));
		} else if (!SD_MUTANT(inplace_late_reader)) {
			NEED_ROOM(g, &g->late);
			g->late.at[g->late.count++] = (struct late){ node, writer };
		}
		if (sd_runs_with(g->job, node, writer))
			break;
	}
	return SD_OK;
}

/* Walks the accesses [first, end) to one buffer. */
static enum sd_status walk_buffer(struct gathering *g, const uint32_t *sorted, uint32_t first, uint32_t end)
{
	g->writing.count = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct access *access = &g->access.at[sorted[i]];

		if (!access->write)
			continue;
		NEED_ROOM(g, &g->writing);
		g->writing.at[g->writing.count++] = sorted[i];
		g->place[node_at(g, access->slot)] = g->writing.count;
	}
	for (uint32_t k = 0; k < g->writing.count; k++)
		SD_TRY(ask_writers(g, k));
	for (uint32_t i = first; i < end; i++) {
		if (!g->access.at[sorted[i]].write)
			SD_TRY(ask_reader(g, &g->access.at[sorted[i]]));
	}
	for (uint32_t k = 0; k < g->writing.count; k++)
		g->place[node_at(g, g->access.at[g->writing.at[k]].slot)] = 0;
	return SD_OK;
}

static enum sd_status walk_buffers(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t count = g->access.count, *sorted = SD_NEW(job->mem, uint32_t, count), *spare = SD_NEW(job->mem, uint32_t, count);

	SD_NEED(job, sorted && spare);
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	sd_merge_sort(sorted, spare, count, compare_accesses, g);
	for (uint32_t first = 0, end = 0; first < count; first = end) {
		while (end < count && g->access.at[sorted[end]].version.buffer == g->access.at[sorted[first]].version.buffer)
			end++;
		SD_TRY(walk_buffer(g, sorted, first, end));
	}
	return SD_OK;
}

/* Of whom a reader is told; the writer that it is told of as a writer needs no second word. */
static void tell_reader(struct gathering *g, uint32_t node, uint32_t writer)
{
	if (writer != g->writer_of[node])
		tell_first(g->reader_of, node, writer);
}

static enum sd_status tell(struct gathering *g)
{
	struct sd_job *job = g->job;

	for (uint32_t i = 0; i < g->question.count; i++) {
		if (!g->question.at[i].ordered && !g->by_reader.at[i])
			tell_first(g->writer_of, node_at(g, g->question.at[i].to), node_at(g, g->question.at[i].from));
	}
	for (uint32_t i = 0; i < g->late.count; i++)
		tell_reader(g, g->late.at[i].reader, g->late.at[i].writer);
	for (uint32_t i = 0; i < g->question.count; i++) {
		if (!g->question.at[i].ordered && g->by_reader.at[i])
			tell_reader(g, node_at(g, g->question.at[i].from), node_at(g, g->question.at[i].to));
	}
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t node = job->order.flat[i], writer = g->writer_of[node], reader = g->reader_of[node];

		if (writer != SD_NO_NODE)
			SD_TRY(sd_hazard(job, SD_CODE_OVERWRITES_UNORDERED, node, sd_arg_node(writer), (struct sd_arg){ 0 }));
		if (reader != SD_NO_NODE)
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
	SD_TRY(start(&g));
	SD_TRY(find_buffers(&g));
	SD_TRY(gather_accesses(&g));
	SD_TRY(walk_buffers(&g));
	SD_TRY(sd_answer(job, g.question.at, g.question.count));
	return tell(&g);
}
