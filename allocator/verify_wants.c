/* What must come before what in a graph with bodies.
 *
 * A consumer of a node with bodies waits for the node itself, if it is launched, and for the
 * ends of the bodies: the label behind lowered ones; else NetOutputs or, without one, nodes
 * that nobody consumes. A node in a body that has no producer there waits for what the node
 * with the body waits for, or for its launch; so that a launch at the end of each body stands for that, too. */
#include "verify_wants.h"

struct writer {
	struct sd__judge *judge;
	const uint8_t *consumed;  /* by node: somebody waits for it */
	bool counting;
	uint32_t question, next;
};

static void put(struct writer *w, uint32_t want)
{
	if (w->counting)
		w->judge->want_first[w->question + 1]++;
	else
		w->judge->want[w->next] = want;
	w->next++;
}

static void put_slot(struct writer *w, uint32_t slot)
{
	if (slot != SD__NONE)
		put(w, sd__question_count(w->judge) + slot);
}

/* What the bodies of a node wait for. */
static void put_start(struct writer *w, uint32_t n)
{
	if (w->judge->main_slot[n] != SD__NONE)
		put_slot(w, w->judge->main_slot[n]);
	else
		put(w, sd__question(w->judge, SD__ASKS_IN, n));
}

static void put_edges(struct writer *w, uint32_t n)
{
	const struct sd_graph *graph = w->judge->graph;

	for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
		uint32_t src = graph->in[e].src;

		if (src != SD_NO_NODE && !sd__cuts(w->judge, src))
			put(w, src);
	}
}

/* Whether some node of the same body surely comes first: then its own wants say all. */
static bool has_producer(const struct sd__judge *judge, uint32_t n)
{
	const struct sd_graph *graph = judge->graph;

	for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
		uint32_t src = graph->in[e].src;

		if (src != SD_NO_NODE && !sd__cuts(judge, src) && judge->main_slot[src] != SD__NONE)
			return true;
	}
	return false;
}

static void put_inputs(struct writer *w, uint32_t n)
{
	const struct sd_subgraph *graph = &w->judge->graph->graph[w->judge->graph->graph_of[n]];

	put_edges(w, n);
	if (graph->parent != SD_NO_NODE && !has_producer(w->judge, n))
		put_start(w, graph->parent);
}

static bool has_output(const struct sd__judge *judge, uint32_t g)
{
	const struct sd_subgraph *body = &judge->graph->graph[g];

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (sd__op_is(judge, n, SD__OP_OUTPUT))
			return true;
	}
	return false;
}

static bool is_end(const struct writer *w, uint32_t n, bool has_output)
{
	return has_output ? sd__op_is(w->judge, n, SD__OP_OUTPUT) : !w->consumed[n];
}

static void put_ends(struct writer *w, uint32_t g)
{
	const struct sd_subgraph *body = &w->judge->graph->graph[g];
	bool output = has_output(w->judge, g);

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (is_end(w, n, output))
			put(w, n);
	}
}

static bool ends_with_launch(const struct writer *w, uint32_t g, bool has_output)
{
	const struct sd_subgraph *body = &w->judge->graph->graph[g];

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (is_end(w, n, has_output) && w->judge->main_slot[n] != SD__NONE)
			return true;
	}
	return false;
}

/* Who waits for such bodies need not be asked for what stands in front of them: it would add up where many follow each other. */
static bool all_end_with_launch(const struct writer *w, uint32_t n)
{
	uint32_t bodies = sd__body_count(w->judge, n);

	for (uint32_t k = 0; k < bodies; k++) {
		uint32_t g = sd__body(w->judge, n, k);

		if (!ends_with_launch(w, g, has_output(w->judge, g)))
			return false;
	}
	return bodies > 0;
}

static void put_out(struct writer *w, uint32_t n)
{
	const struct sd__judge *judge = w->judge;
	uint32_t label = judge->scopes.lowered[n] ? judge->scopes.end_label[n] : SD_NO_NODE;

	put_slot(w, judge->main_slot[n]);
	if (label != SD_NO_NODE && judge->main_slot[label] != SD__NONE) {
		put_slot(w, judge->main_slot[label]);
		return;
	}
	for (uint32_t at = judge->group_of[n]; at != SD__NONE; at = judge->group_next[at]) {
		if (judge->slot[at].record_count > 0)
			put_slot(w, at);
	}
	for (uint32_t k = 0; k < sd__body_count(judge, n); k++)
		put_ends(w, sd__body(judge, n, k));
	if (judge->main_slot[n] == SD__NONE && !all_end_with_launch(w, n))
		put_edges(w, n);
}

static void put_question(struct writer *w, enum sd__asks asks, uint32_t n)
{
	bool has_bodies = sd__body_count(w->judge, n) > 0;
	uint32_t turning = has_bodies ? sd__turning_body(w->judge, n) : SD__NONE;

	w->question = sd__question(w->judge, asks, n);
	if (asks == SD__ASKS_OUT && has_bodies)
		put_out(w, n);
	else if (asks == SD__ASKS_OUT || (asks == SD__ASKS_IN && has_bodies))
		put_inputs(w, n);
	else if (asks == SD__ASKS_START && has_bodies)
		put_start(w, n);
	else if (asks == SD__ASKS_TURN && turning != SD__NONE)
		put_ends(w, turning);
}

static void put_all(struct writer *w)
{
	w->next = 0;
	for (int asks = SD__ASKS_OUT; asks < SD__ASKS; asks++) {
		for (uint32_t n = 0; n < w->judge->graph->node_count; n++)
			put_question(w, (enum sd__asks)asks, n);
	}
}

/* Groups by the node that they are for. */
static enum sd_status list_groups(struct sd__judge *judge)
{
	SD__TAKE(judge->group_of, judge->mem, uint32_t, judge->graph->node_count + 1);
	SD__TAKE(judge->group_next, judge->mem, uint32_t, judge->slot_count + 1);
	memset(judge->group_of, 0xff, judge->graph->node_count * sizeof(uint32_t));
	for (uint32_t at = judge->slot_count; at-- > 0;) {
		uint32_t n = judge->slot[at].node;

		if (!judge->slot[at].group)
			continue;
		judge->group_next[at] = judge->group_of[n];
		judge->group_of[n] = at;
	}
	return SD_OK;
}

enum sd_status sd__verify_wants(struct sd__judge *judge)
{
	const struct sd_graph *graph = judge->graph;
	uint32_t questions = sd__question_count(judge);
	struct writer w = { .judge = judge, .counting = true };
	uint8_t *consumed;

	if (!judge->scopes.bodies)
		return SD_OK;
	SD_TRY(list_groups(judge));
	SD__TAKE0(judge->want_first, judge->mem, uint32_t, (size_t)questions + 1);
	SD__TAKE0(consumed, judge->mem, uint8_t, graph->node_count + 1);
	for (uint32_t n = 0; n < graph->node_count; n++) {
		for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
			if (sd__is_read(judge, &graph->in[e]))
				consumed[graph->in[e].src] = 1;
		}
	}
	w.consumed = consumed;
	put_all(&w);
	for (uint32_t q = 0; q < questions; q++)
		judge->want_first[q + 1] += judge->want_first[q];
	SD__TAKE(judge->want, judge->mem, uint32_t, (size_t)w.next + 1);
	w.counting = false;
	put_all(&w);
	return SD_OK;
}

uint32_t sd__slot_question(const struct sd__judge *judge, uint32_t at)
{
	const struct sd__slot *slot = &judge->slot[at];
	uint32_t n = slot->node;

	/* On a stream where no body begins there is nothing to wait for; behind them, only for other pieces. */
	if (slot->group && (slot->wait_count == 0 || !slot->entered || (!slot->front && slot->run_in == judge->graph->graph_of[n])))
		return SD__NONE;
	if (slot->group)
		return sd__question(judge, slot->run_in == judge->graph->graph_of[n] ? SD__ASKS_START : SD__ASKS_TURN, n);
	if (judge->main_slot[n] != at)
		return SD__NONE;
	return sd__question(judge, sd__body_count(judge, n) > 0 ? SD__ASKS_IN : SD__ASKS_OUT, n);
}
