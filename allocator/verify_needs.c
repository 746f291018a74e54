/* What stands before each node that is not launched.
 *
 * An edge out of a node that is not launched asks that all launches behind which it
 * stands come first. Where that is one launch (or several of one stream: the last counts)
 * the node simply stands for it; only where launches of different streams meet does it
 * become a row of its own, one number a stream, so that k producers and m consumers of
 * such a node cost k + m and not k times m. */
#include "verify_internal.h"

struct walker {
	uint32_t *stack, *next_edge; /* by depth; by node */
	uint32_t depth;
	uint8_t *state;              /* by node */
};

enum { UNSEEN, OPEN, DONE };

/* Two launches of one stream: the later one stands for both. Anything else needs a row. */
static bool merge(const struct sd__judge *judge, uint32_t *into, uint32_t origin)
{
	if (*into == SD__NONE || *into == origin) {
		*into = origin;
		return true;
	}
	if (*into >= judge->slot_count || origin >= judge->slot_count ||
	    judge->slot[*into].stream != judge->slot[origin].stream)
		return false;
	if (origin > *into)
		*into = origin;
	return true;
}

static void close_node(struct sd__judge *judge, uint32_t n)
{
	const struct sd_graph *graph = judge->graph;
	uint32_t origin = SD__NONE;

	for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
		uint32_t src = graph->in[e].src;

		if (src == SD_NO_NODE || sd__cuts(judge, src) || judge->origin[src] == SD__NONE)
			continue;
		if (!merge(judge, &origin, judge->origin[src])) {
			judge->meeting[judge->meeting_count] = n;
			origin = judge->slot_count + judge->meeting_count++;
			break;
		}
	}
	judge->origin[n] = origin;
}

/* The next producer of n that is to be looked at first; SD_NO_NODE when there is none. */
static uint32_t next_producer(struct sd__judge *judge, struct walker *walker, uint32_t n)
{
	const struct sd_graph *graph = judge->graph;

	while (walker->next_edge[n] < graph->in_first[n + 1]) {
		uint32_t src = graph->in[walker->next_edge[n]++].src;

		if (src == SD_NO_NODE || judge->main_slot[src] != SD__NONE || sd__cuts(judge, src))
			continue;
		if (walker->state[src] == OPEN)
			sd__violate(judge->verdict, SD_VIOLATION_UNORDERED, "the edges run in a circle", src, n, -1, -1);
		else if (walker->state[src] == UNSEEN)
			return src;
	}
	return SD_NO_NODE;
}

static void walk_from(struct sd__judge *judge, struct walker *walker, uint32_t node)
{
	walker->stack[0] = node;
	walker->depth = 1;
	while (walker->depth > 0) {
		uint32_t n = walker->stack[walker->depth - 1], src;

		if (walker->state[n] == UNSEEN) {
			walker->state[n] = OPEN;
			walker->next_edge[n] = judge->graph->in_first[n];
		}
		src = next_producer(judge, walker, n);
		if (src != SD_NO_NODE) {
			walker->stack[walker->depth++] = src;
			continue;
		}
		close_node(judge, n);
		walker->state[n] = DONE;
		walker->depth--;
	}
}

enum sd_status sd__verify_needs(struct sd__judge *judge)
{
	uint32_t nodes = judge->graph->node_count;
	struct walker walker = { 0 };
	struct sd_arena_mark mark;

	SD__TAKE(judge->origin, judge->mem, uint32_t, nodes + 1);
	SD__TAKE(judge->meeting, judge->mem, uint32_t, nodes + 1);
	mark = sd_arena_mark(judge->mem);
	SD__TAKE(walker.stack, judge->mem, uint32_t, nodes + 1);
	SD__TAKE(walker.next_edge, judge->mem, uint32_t, nodes + 1);
	SD__TAKE0(walker.state, judge->mem, uint8_t, nodes + 1);
	memcpy(judge->origin, judge->main_slot, nodes * sizeof(uint32_t));
	for (uint32_t n = 0; n < nodes; n++) {
		if (judge->main_slot[n] == SD__NONE && walker.state[n] == UNSEEN)
			walk_from(judge, &walker, n);
	}
	sd_arena_rewind(judge->mem, mark);
	return SD_OK;
}
