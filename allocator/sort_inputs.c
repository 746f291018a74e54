/* stable and rdfs: a node stands behind its inputs, which stand behind theirs. */
#include "sort_impl.h"

struct post_order {
	const struct sd__sorter *s;
	const struct sd_subgraph *graph;
	uint32_t *pred;   /* predecessors of each node, lowest key first; its part is that of pred_first */
	uint32_t base;    /* pred_first of the graph's first node: index 0 of `pred` */
	uint32_t *cursor; /* per node: where its next predecessor stands; SD_NO_NODE: not visited yet */
	uint32_t emitted;
};

/* Orders all predecessor lists at once: going through the nodes in order of their keys, each
 * one is appended to the lists of its successors. */
static void order_inputs(struct post_order *p)
{
	const struct sd__sorter *s = p->s;
	const struct sd_adjacency *adj = s->adj;
	uint32_t first = p->graph->first_node, count = p->graph->node_count;

	for (uint32_t node = first; node < first + count; node++) {
		p->cursor[node] = adj->pred_first[node] - p->base;
		s->spare[s->rank ? s->rank[node] : node - first] = node;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = s->spare[i];

		for (uint32_t k = adj->succ_first[node]; k < adj->succ_first[node + 1]; k++)
			p->pred[p->cursor[adj->succ[k]]++] = node;
	}
	for (uint32_t node = first; node < first + count; node++)
		p->cursor[node] = SD_NO_NODE;
}

/* The next input that was not visited yet; SD_NO_NODE when there is none any more. */
static uint32_t next_input(struct post_order *p, uint32_t node)
{
	uint32_t end = p->s->adj->pred_first[node + 1] - p->base;

	while (p->cursor[node] < end) {
		uint32_t pred = p->pred[p->cursor[node]++];

		if (p->cursor[pred] == SD_NO_NODE)
			return pred;
	}
	return SD_NO_NODE;
}

static void visit(struct post_order *p, uint32_t root)
{
	uint32_t *stack = p->s->queue, depth = 0, node = root;

	while (true) {
		uint32_t input;

		if (p->cursor[node] == SD_NO_NODE) {
			p->cursor[node] = p->s->adj->pred_first[node] - p->base;
			stack[depth++] = node;
		}
		input = next_input(p, node);
		if (input != SD_NO_NODE) {
			node = input;
			continue;
		}
		p->s->out[p->graph->first_node + p->emitted++] = node;
		if (--depth == 0)
			return;
		node = stack[depth - 1];
	}
}

bool sd__sort_inputs_first(struct sd_arena *mem, struct sd__sorter *s, const struct sd_subgraph *graph,
                           bool from_ends)
{
	const struct sd_adjacency *adj = s->adj;
	struct sd_arena_mark mark = sd_arena_mark(mem);
	struct post_order p = { .s = s, .graph = graph, .cursor = s->degree };
	uint32_t end = graph->first_node + graph->node_count;

	p.base = adj->pred_first[graph->first_node];
	p.pred = SD_NEW(mem, uint32_t, adj->pred_first[end] - p.base);
	if (!p.pred)
		return false;
	order_inputs(&p);
	for (uint32_t node = graph->first_node; node < end; node++) {
		bool is_end = adj->succ_first[node] == adj->succ_first[node + 1];

		if (p.cursor[node] == SD_NO_NODE && (is_end || !from_ends))
			visit(&p, node);
	}
	sd_arena_rewind(mem, mark);
	return true;
}
