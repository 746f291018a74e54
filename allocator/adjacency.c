#include "adjacency.h"

#include "base/merge.h"

bool sd_adjacency_cuts(enum sd_op op)
{
	return op == SD_OP_NEXT_ITERATION || op == SD_OP_REF_NEXT_ITERATION;
}

struct builder {
	const struct sd_graph *g;
	const bool *cut_type; /* per string: a type whose data outputs close a loop */
	uint32_t *pred_first, *pred, *data_pred_count;
	uint32_t *succ_first, *succ, *data_succ_count;
	/* Scratch: where the next successor of a node goes, and the port of each one. */
	uint32_t *data_at, *control_at, *by_port, *spare;
	int32_t *port;
};

static bool is_kept(const struct builder *b, const struct sd_edge *edge)
{
	if (edge->src == SD_NO_NODE)
		return false;
	return edge->port == SD_CONTROL || !b->cut_type[b->g->op_type[edge->src]];
}

static void count_edges(struct builder *b)
{
	const struct sd_graph *g = b->g;

	for (uint32_t node = 0; node < g->node_count; node++) {
		uint32_t kept = 0;

		for (uint32_t i = g->in_first[node]; i < g->in_first[node + 1]; i++) {
			if (!is_kept(b, &g->in[i]))
				continue;
			kept++;
			b->succ_first[g->in[i].src + 1]++;
			if (g->in[i].port != SD_CONTROL) {
				b->data_pred_count[node]++;
				b->data_succ_count[g->in[i].src]++;
			}
		}
		b->pred_first[node + 1] = b->pred_first[node] + kept;
	}
	for (uint32_t node = 0; node < g->node_count; node++) {
		b->succ_first[node + 1] += b->succ_first[node];
		b->data_at[node] = b->succ_first[node];
		b->control_at[node] = b->succ_first[node] + b->data_succ_count[node];
	}
}

static void place_edges(struct builder *b)
{
	const struct sd_graph *g = b->g;

	for (uint32_t node = 0; node < g->node_count; node++) {
		uint32_t data = b->pred_first[node], control = data + b->data_pred_count[node];

		for (uint32_t i = g->in_first[node]; i < g->in_first[node + 1]; i++) {
			uint32_t src = g->in[i].src, at;

			if (!is_kept(b, &g->in[i]))
				continue;
			if (g->in[i].port == SD_CONTROL) {
				b->pred[control++] = src;
				at = b->control_at[src]++;
			} else {
				b->pred[data++] = src;
				at = b->data_at[src]++;
			}
			b->succ[at] = node;
			b->port[at] = g->in[i].port;
		}
	}
}

static int compare_ports(const void *ctx, uint32_t a, uint32_t b)
{
	const int32_t *port = ctx;

	return (port[a] > port[b]) - (port[a] < port[b]);
}

/* Puts the data consumers of every node in order of its outputs. */
static void order_by_port(struct builder *b)
{
	for (uint32_t node = 0; node < b->g->node_count; node++) {
		uint32_t first = b->succ_first[node], count = b->data_succ_count[node];
		bool ordered = true;

		for (uint32_t i = first + 1; i < first + count && ordered; i++)
			ordered = b->port[i - 1] <= b->port[i];
		if (ordered)
			continue;
		for (uint32_t i = 0; i < count; i++)
			b->by_port[i] = first + i;
		sd_merge_sort(b->by_port, b->spare, count, compare_ports, b->port);
		for (uint32_t i = 0; i < count; i++)
			b->spare[i] = b->succ[b->by_port[i]];
		memcpy(b->succ + first, b->spare, count * sizeof(*b->succ));
	}
}

static bool take_results(struct builder *b, struct sd_arena *mem)
{
	size_t nodes = b->g->node_count, edges = b->g->edge_count;

	b->pred_first = SD_NEW0(mem, uint32_t, nodes + 1);
	b->succ_first = SD_NEW0(mem, uint32_t, nodes + 1);
	b->data_pred_count = SD_NEW0(mem, uint32_t, nodes);
	b->data_succ_count = SD_NEW0(mem, uint32_t, nodes);
	b->pred = SD_NEW(mem, uint32_t, edges);
	b->succ = SD_NEW(mem, uint32_t, edges);
	return b->pred_first && b->succ_first && b->data_pred_count && b->data_succ_count && b->pred && b->succ;
}

static bool take_scratch(struct builder *b, struct sd_arena *mem)
{
	size_t nodes = b->g->node_count, edges = b->g->edge_count;
	bool *cut_type = SD_NEW(mem, bool, b->g->string_count);

	b->data_at = SD_NEW(mem, uint32_t, nodes);
	b->control_at = SD_NEW(mem, uint32_t, nodes);
	b->by_port = SD_NEW(mem, uint32_t, edges);
	b->spare = SD_NEW(mem, uint32_t, edges);
	b->port = SD_NEW(mem, int32_t, edges);
	if (!cut_type || !b->data_at || !b->control_at || !b->by_port || !b->spare || !b->port)
		return false;
	for (uint32_t i = 0; i < b->g->string_count; i++)
		cut_type[i] = sd_adjacency_cuts(sd_op_find(b->g->string[i]));
	b->cut_type = cut_type;
	return true;
}

enum sd_status sd_adjacency_make(struct sd_arena *mem, const struct sd_graph *graph,
                                 struct sd_adjacency *adjacency, struct sd_diag *diag)
{
	struct builder b = { .g = graph };
	bool room = take_results(&b, mem);
	struct sd_arena_mark mark = sd_arena_mark(mem);

	if (!room || !take_scratch(&b, mem))
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	count_edges(&b);
	place_edges(&b);
	order_by_port(&b);
	sd_arena_rewind(mem, mark);
	*adjacency = (struct sd_adjacency){ b.pred_first, b.pred, b.data_pred_count,
	                                    b.succ_first, b.succ, b.data_succ_count };
	return SD_OK;
}
