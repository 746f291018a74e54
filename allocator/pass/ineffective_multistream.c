/* ineffective_multistream - a node whose own stream lets nothing run beside it goes back.
 *
 * Rule   A node without label, `NewStreamId` or `_parallel_group`, none of whose neighbours
 *        is on its stream: if on another stream, one that no label asked for, its latest
 *        producer is directly followed by its earliest consumer, it moves between them. Of
 *        several such streams the highest. Earlier moves are visible to later nodes.
 * Why    Its producer's stream would only wait for it.
 * Example a[AI] -> h[HCCL] -> b[AI], nothing on a's stream between a and b: h joins them.
 * Cost   O(nodes + edges): the nodes of each stream are a list in topological order. */
#include "passes.h"

#include "journal.h"
#include "mutants.h"

struct lists {
	struct sd_job *job;
	uint32_t *next, *prev;     /* per node: neighbours on its stream */
	bool *labelled;            /* per stream: some node on it has a label */
	uint32_t *last_in, *first_out, *stamp; /* per stream, of the node being looked at */
	uint32_t *touched;         /* streams with a producer */
};

static const uint64_t label_bits = 1ull << SD_ATTR_STREAM_LABEL | 1ull << SD_ATTR_USER_STREAM_LABEL;
static const uint64_t fixed_bits = 1ull << SD_ATTR_STREAM_LABEL | 1ull << SD_ATTR_USER_STREAM_LABEL |
                                   1ull << SD_ATTR_NEW_STREAM_ID | 1ull << SD_ATTR_PARALLEL_GROUP;

static enum sd_status make_lists(struct sd_job *job, struct lists *l)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	uint32_t streams = sd_job_stream_bound(job), nodes = job->graph->node_count;
	uint32_t *end = SD_NEW(job->mem, uint32_t, streams);

	*l = (struct lists){
		.job = job, .next = SD_NEW(job->mem, uint32_t, nodes), .prev = SD_NEW(job->mem, uint32_t, nodes),
		.labelled = SD_NEW0(job->mem, bool, streams), .last_in = SD_NEW(job->mem, uint32_t, streams),
		.first_out = SD_NEW(job->mem, uint32_t, streams), .stamp = SD_NEW(job->mem, uint32_t, streams),
		.touched = SD_NEW(job->mem, uint32_t, streams),
	};
	SD_NEED(job, end && l->next && l->prev && l->labelled && l->last_in && l->first_out && l->stamp && l->touched);
	memset(end, 0xff, (size_t)streams * sizeof(*end));
	memset(l->stamp, 0xff, (size_t)streams * sizeof(*l->stamp));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i];
		int32_t s = job->stream[n];

		if (s == SD_NO_STREAM)
			continue;
		l->labelled[s] |= (job->graph->attr_present[n] & label_bits) != 0;
		l->next[n] = SD_NO_NODE;
		l->prev[n] = end[s];
		if (end[s] != SD_NO_NODE)
			l->next[end[s]] = n;
		end[s] = n;
	}
	return SD_OK;
}

static void unlink_node(struct lists *l, uint32_t n)
{
	if (l->prev[n] != SD_NO_NODE)
		l->next[l->prev[n]] = l->next[n];
	if (l->next[n] != SD_NO_NODE)
		l->prev[l->next[n]] = l->prev[n];
}

static void link_between(struct lists *l, uint32_t n, uint32_t in, uint32_t out)
{
	l->prev[n] = in;
	l->next[n] = out;
	l->next[in] = n;
	l->prev[out] = n;
}

/* Notes the latest producer on each stream. False when one is on the node's own stream. */
static bool note_producers(struct lists *l, uint32_t n, uint32_t *touched)
{
	const struct sd_job *job = l->job;
	const struct sd_adjacency *adj = &job->adjacency;

	*touched = 0;
	for (uint32_t e = adj->pred_first[n]; e < adj->pred_first[n + 1]; e++) {
		uint32_t p = adj->pred[e];
		int32_t s = job->stream[p];

		if (s == job->stream[n])
			return false;
		if (s == SD_NO_STREAM || (l->labelled[s] && !SD_MUTANT(ineffective_into_label)))
			continue;
		if (l->stamp[s] != n) {
			l->stamp[s] = n;
			l->last_in[s] = p;
			l->first_out[s] = SD_NO_NODE;
			l->touched[(*touched)++] = (uint32_t)s;
		} else if (job->order.pos[p] > job->order.pos[l->last_in[s]]) {
			l->last_in[s] = p;
		}
	}
	return true;
}

static bool note_consumers(struct lists *l, uint32_t n)
{
	const struct sd_job *job = l->job;
	const struct sd_adjacency *adj = &job->adjacency;

	for (uint32_t e = adj->succ_first[n]; e < adj->succ_first[n + 1]; e++) {
		uint32_t c = adj->succ[e];
		int32_t s = job->stream[c];

		if (s == job->stream[n])
			return false;
		if (s == SD_NO_STREAM || l->stamp[s] != n)
			continue;
		if (l->first_out[s] == SD_NO_NODE || job->order.pos[c] < job->order.pos[l->first_out[s]])
			l->first_out[s] = c;
	}
	return true;
}

static void look_at(struct lists *l, uint32_t n)
{
	struct sd_job *job = l->job;
	uint32_t touched;
	int32_t best = SD_NO_STREAM;

	if (!note_producers(l, n, &touched) || !note_consumers(l, n))
		return;
	for (uint32_t i = 0; i < touched; i++) {
		uint32_t s = l->touched[i];

		if (l->first_out[s] != SD_NO_NODE && (l->next[l->last_in[s]] == l->first_out[s] || SD_MUTANT(ineffective_far_apart)) && (SD_MUTANT(ineffective_lowest) ? best == SD_NO_STREAM || (int32_t)s < best : (int32_t)s > best))
			best = (int32_t)s;
	}
	if (best == SD_NO_STREAM)
		return;
	unlink_node(l, n);
	link_between(l, n, l->last_in[best], l->first_out[best]);
	job->stream[n] = best;
	sd_hint_through(job, n, SD_REASON_NOTHING_BESIDE, l->last_in[best], l->first_out[best]);
}

enum sd_status sd__pass_ineffective_multistream(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	struct sd_arena_mark mark = sd_arena_mark(job->mem); /* once a graph, with room for all: it must not add up */
	struct lists l;

	SD_TRY(make_lists(job, &l));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i];

		if (job->stream[n] != SD_NO_STREAM && !(job->graph->attr_present[n] & fixed_bits))
			look_at(&l, n);
	}
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
