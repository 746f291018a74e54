#include "sort_impl.h"

#include "base/check.h"

struct frame {
	uint32_t node, end;      /* what is left of a graph, into sd_order.node */
	uint32_t body, body_end; /* bodies left of the node met last, into sd_graph.body */
};

struct walk {
	const struct sd_graph *g;
	const uint32_t *order;
	uint32_t *graph, *flat;
	uint32_t graph_count, flat_count;
	struct frame frame[SD_DEPTH_MAX + 1];
	uint32_t depth;
};

static void enter(struct walk *w, uint32_t graph)
{
	const struct sd_subgraph *entered = &w->g->graph[graph];

	SD_REQUIRE(w->depth <= SD_DEPTH_MAX);
	w->frame[w->depth++] = (struct frame){ entered->first_node, entered->first_node + entered->node_count, 0, 0 };
}

/* Meets the next node of a graph: it and its bodies get their places. */
static void meet(struct walk *w, struct frame *frame)
{
	const struct sd_graph *g = w->g;
	uint32_t node = w->order[frame->node++];

	w->flat[w->flat_count++] = node;
	frame->body = g->body_first[node];
	frame->body_end = g->body_first[node + 1];
	for (uint32_t i = frame->body_end; i-- > frame->body;)
		w->graph[w->graph_count++] = g->body[i];
}

bool sd__walk(struct sd_arena *mem, const struct sd_graph *g, struct sd_order *order)
{
	uint32_t *flat_pos = SD_NEW(mem, uint32_t, g->node_count);
	struct walk w = { .g = g, .order = order->node };

	w.graph = SD_NEW(mem, uint32_t, g->graph_count);
	w.flat = SD_NEW(mem, uint32_t, g->node_count);
	if (!flat_pos || !w.graph || !w.flat)
		return false;
	w.graph[w.graph_count++] = SD_ROOT;
	enter(&w, SD_ROOT);
	while (w.depth > 0) {
		struct frame *frame = &w.frame[w.depth - 1];

		if (frame->body < frame->body_end)
			enter(&w, g->body[frame->body++]);
		else if (frame->node < frame->end)
			meet(&w, frame);
		else
			w.depth--;
	}
	SD_REQUIRE(w.graph_count == g->graph_count && w.flat_count == g->node_count);
	for (uint32_t i = 0; i < g->node_count; i++)
		flat_pos[w.flat[i]] = i;
	order->graph = w.graph;
	order->flat = w.flat;
	order->flat_pos = flat_pos;
	return true;
}
