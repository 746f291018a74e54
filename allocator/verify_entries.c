/* Where structured bodies begin, stream by stream.
 *
 * An entry is a launched node of a body before which nothing in that body runs; where such a
 * node has bodies and is not launched itself, their entries are. What bodies wait for
 * stands on streams that hold an entry. The next turn of a loop begins on such a stream again:
 * there the ends of the body must be known, by a group behind it or without one. */
#include "verify_internal.h"

struct finder {
	struct sd__judge *judge;
	uint8_t *fed;       /* by node */
	uint32_t *stack, *next_edge; /* by depth; by node */
	uint32_t depth;
	uint8_t *read;      /* by node: some node reads it */
	uint8_t *given;     /* by node: whether its bodies end with something that runs */
	uint32_t *entry;    /* by stream: one of the node's entries there */
	uint32_t *round;    /* by stream: the node whose entry that is */
	uint32_t *stream, stream_count; /* those with entries of the node at hand */
	uint32_t *turns;    /* by stream: the node that waits for its next turn there */
	bool failed;        /* out of memory */
};

enum { UNSEEN, OPEN, FED, UNFED }; /* whether something in its body runs before a node */

static bool launches(const struct sd__judge *judge, uint32_t n)
{
	return judge->main_slot[n] != SD__NONE || sd__body_count(judge, n) > 0;
}

static bool is_fed(struct finder *f, uint32_t node);
static bool gives(struct finder *f, uint32_t node);

/* Whether a body ends with something that surely runs. */
static bool ends_surely(struct finder *f, uint32_t graph_number)
{
	const struct sd__judge *judge = f->judge;
	const struct sd_subgraph *body = &judge->graph->graph[graph_number];
	bool output = false;

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++)
		output |= sd__op_is(judge, n, SD__OP_OUTPUT);
	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		bool end = output ? sd__op_is(judge, n, SD__OP_OUTPUT) : !f->read[n];

		if (end && (judge->main_slot[n] != SD__NONE || gives(f, n) || is_fed(f, n)))
			return true;
	}
	return false;
}

/* Whether something surely runs in the bodies of a node, whichever of them do. */
static bool look_into(struct finder *f, uint32_t node)
{
	const struct sd__judge *judge = f->judge;
	uint32_t bodies = sd__body_count(judge, node);
	bool all = bodies > 0, any = false;

	if (judge->scopes.lowered[node])
		return true; /* labels are launched */
	for (uint32_t k = 0; k < bodies; k++) {
		bool sure = ends_surely(f, sd__body(judge, node, k));

		any |= sure;
		all &= sure;
	}
	if (!sd__has_groups(judge, node))
		return any;
	return sd__op_is(judge, node, SD__OP_LOOPS) ? ends_surely(f, sd__body(judge, node, 0)) : all;
}

static bool gives(struct finder *f, uint32_t node)
{
	if (f->given[node] == UNSEEN)
		f->given[node] = look_into(f, node) ? FED : UNFED;
	return f->given[node] == FED;
}

/* Whether what stands for a producer is known: it runs, or its bodies do, or something in front of it. */
static bool stands(struct finder *f, uint32_t src)
{
	return f->judge->main_slot[src] != SD__NONE || f->fed[src] == FED || gives(f, src);
}

/* Looks at the next producer; what is still to be looked at first is answered, else SD_NO_NODE. */
static uint32_t next_producer(struct finder *f, uint32_t n)
{
	const struct sd_graph *graph = f->judge->graph;

	while (f->next_edge[n] < graph->in_first[n + 1]) {
		uint32_t src = graph->in[f->next_edge[n]++].src;

		if (src == SD_NO_NODE || sd__cuts(f->judge, src))
			continue;
		if (stands(f, src)) {
			f->fed[n] = FED;
			return SD_NO_NODE;
		}
		if (f->fed[src] == UNSEEN)
			return src;
	}
	f->fed[n] = UNFED;
	return SD_NO_NODE;
}

/* Nodes that have bodies are asked about while others are being answered: the stack is shared. */
static bool is_fed(struct finder *f, uint32_t node)
{
	uint32_t base = f->depth;

	if (f->fed[node] == UNSEEN)
		f->stack[f->depth++] = node;
	while (f->depth > base) {
		uint32_t n = f->stack[f->depth - 1], src;

		if (f->fed[n] == UNSEEN) {
			f->fed[n] = OPEN;
			f->next_edge[n] = f->judge->graph->in_first[n];
		}
		src = next_producer(f, n);
		if (src != SD_NO_NODE) {
			f->stack[f->depth++] = src;
			continue;
		}
		f->depth--;
		/* A producer that is not launched was put behind its own: the edge is looked at again. */
		if (f->depth > base)
			f->next_edge[f->stack[f->depth - 1]]--;
	}
	return f->fed[node] == FED;
}

static void add_entry(struct finder *f, uint32_t node, uint32_t slot)
{
	uint32_t stream = f->judge->slot[slot].stream;

	if (f->round[stream] == node)
		return;
	f->round[stream] = node;
	f->entry[stream] = slot;
	f->stream[f->stream_count++] = stream;
}

/* Bodies lie in each other at most SD_DEPTH_MAX deep. */
static void find_entries(struct finder *f, uint32_t node, uint32_t of)
{
	const struct sd__judge *judge = f->judge;

	for (uint32_t k = 0; k < sd__body_count(judge, of); k++) {
		const struct sd_subgraph *body = &judge->graph->graph[sd__body(judge, of, k)];

		for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
			if (!launches(judge, n) || is_fed(f, n))
				continue;
			if (judge->main_slot[n] != SD__NONE)
				add_entry(f, node, judge->main_slot[n]);
			else
				find_entries(f, node, n);
		}
	}
}

/* The last slot of the node's bodies on the stream of an entry. */
static uint32_t last_of_bodies(const struct sd__judge *judge, uint32_t entry, uint32_t node)
{
	uint32_t end = judge->slot_first[judge->slot[entry].stream + 1], at = entry;

	while (at + 1 < end && sd__graph_is_below(judge, judge->graph->graph_of[judge->slot[at + 1].node], node))
		at++;
	return at;
}

/* The next turn begins on this stream, and no group waits for it: what the last slot there knows must do. */
static void note_turn(struct finder *f, uint32_t s, uint32_t node)
{
	struct sd__judge *judge = f->judge;
	uint32_t last = last_of_bodies(judge, f->entry[s], node);

	if (!sd_vec_room(judge->mem, &judge->turn)) {
		f->failed = true;
		return;
	}
	judge->turn.at[judge->turn.count] = (struct sd__turn){ .node = node, .next = judge->turn_of[last] };
	judge->turn_of[last] = judge->turn.count++;
}

static void check_groups(struct finder *f, uint32_t node)
{
	struct sd__judge *judge = f->judge;

	for (uint32_t at = judge->group_of[node]; at != SD__NONE; at = judge->group_next[at]) {
		struct sd__slot *slot = &judge->slot[at];

		slot->entered = f->round[slot->stream] == node;
		if (slot->wait_count == 0 || slot->run_in == judge->graph->graph_of[node])
			continue;
		if (!slot->entered)
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "a loop waits for its next turn on a stream where none of its bodies begins",
			            node, SD_NO_NODE, slot->stream, -1);
		f->turns[slot->stream] = node;
	}
}

static void check_node(struct finder *f, uint32_t n)
{
	const struct sd__judge *judge = f->judge;
	bool loops = sd__turning_body(judge, n) != SD__NONE;

	if (!sd__has_groups(judge, n) || (!loops && judge->group_of[n] == SD__NONE))
		return;
	f->stream_count = 0;
	find_entries(f, n, n);
	check_groups(f, n);
	for (uint32_t i = 0; loops && i < f->stream_count; i++) {
		if (f->turns[f->stream[i]] != n)
			note_turn(f, f->stream[i], n);
	}
}

enum sd_status sd__verify_entries(struct sd__judge *judge)
{
	struct finder f = { .judge = judge };
	uint32_t nodes = judge->graph->node_count, streams = judge->plan->stream_count;

	if (!judge->scopes.branches)
		return SD_OK;
	SD__TAKE0(f.fed, judge->mem, uint8_t, nodes + 1);
	SD__TAKE(f.stack, judge->mem, uint32_t, nodes + 1);
	SD__TAKE(f.next_edge, judge->mem, uint32_t, nodes + 1);
	SD__TAKE0(f.read, judge->mem, uint8_t, nodes + 1);
	SD__TAKE0(f.given, judge->mem, uint8_t, nodes + 1);
	for (uint32_t e = 0; e < judge->graph->edge_count; e++) {
		if (sd__is_read(judge, &judge->graph->in[e]))
			f.read[judge->graph->in[e].src] = 1;
	}
	SD__TAKE(f.entry, judge->mem, uint32_t, streams + 1);
	SD__TAKE(f.stream, judge->mem, uint32_t, streams + 1);
	SD__TAKE(f.round, judge->mem, uint32_t, streams + 1);
	SD__TAKE(f.turns, judge->mem, uint32_t, streams + 1);
	SD__TAKE(judge->turn_of, judge->mem, uint32_t, judge->slot_count + 1);
	memset(f.round, 0xff, streams * sizeof(uint32_t));
	memset(f.turns, 0xff, streams * sizeof(uint32_t));
	memset(judge->turn_of, 0xff, judge->slot_count * sizeof(uint32_t));
	for (uint32_t n = 0; n < judge->real_nodes; n++)
		check_node(&f, n);
	return f.failed ? SD_RESOURCE_EXHAUSTED : SD_OK;
}
