#include "streamd/flow_of.h"

#include "base/heap.h"
#include "engines.h"
#include "optype.h"

struct reader {
	struct sd_arena *mem;
	const struct sd_graph *graph;
	struct sd_diag *diag;
	uint32_t *parent, *graph_of, *runs_in, *body_first, *rank;
	uint8_t *kind, *traits;
	struct sd_jump *jump;
	uint32_t jump_count;
	const uint32_t *order;
	uint32_t ranks;
};

static enum sd_op op_of(const struct sd_graph *graph, uint32_t node)
{
	return sd_op_find(graph->string[graph->op_type[node]]);
}

bool sd_edge_is_cut(const struct sd_graph *graph, const struct sd_edge *edge)
{
	enum sd_op op = op_of(graph, edge->src);

	return op == SD_OP_NEXT_ITERATION || op == SD_OP_REF_NEXT_ITERATION;
}

/* ---- producers first ---- */

struct sorter {
	const struct sd_graph *graph;
	uint32_t *missing;                 /* by node: edges that lead to it from nodes not listed yet */
	uint32_t *out_first, *out;         /* consumers */
	uint32_t *heap, heap_count;
	uint32_t *order;
};

static int by_index(const void *context, uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static bool counts(const struct sd_graph *graph, const struct sd_edge *edge)
{
	return edge->src != SD_NO_NODE && (edge->port == SD_CONTROL || !sd_edge_is_cut(graph, edge));
}

static bool list_consumers(struct sd_arena *mem, struct sorter *s)
{
	const struct sd_graph *graph = s->graph;

	s->missing = SD_NEW0(mem, uint32_t, graph->node_count + 1);
	s->out_first = SD_NEW0(mem, uint32_t, graph->node_count + 2);
	s->out = SD_NEW(mem, uint32_t, graph->edge_count + 1);
	s->heap = SD_NEW(mem, uint32_t, graph->node_count + 1);
	if (!s->missing || !s->out_first || !s->out || !s->heap)
		return false;
	/* Counted two places up: filling then moves each start to where it belongs. */
	for (uint32_t n = 0; n < graph->node_count; n++) {
		for (uint32_t i = graph->in_first[n]; i < graph->in_first[n + 1]; i++) {
			if (counts(graph, &graph->in[i])) {
				s->missing[n]++;
				if (graph->in[i].src + 2 <= graph->node_count)
					s->out_first[graph->in[i].src + 2]++;
			}
		}
	}
	for (uint32_t n = 0; n < graph->node_count; n++)
		s->out_first[n + 1] += s->out_first[n];
	for (uint32_t n = 0; n < graph->node_count; n++) {
		for (uint32_t i = graph->in_first[n]; i < graph->in_first[n + 1]; i++) {
			if (counts(graph, &graph->in[i]))
				s->out[s->out_first[graph->in[i].src + 1]++] = n;
		}
	}
	return true;
}

static void sort_graph(struct sorter *s, const struct sd_subgraph *graph)
{
	uint32_t first = graph->first_node, end = first + graph->node_count, listed = first;

	for (uint32_t n = first; n < end; n++) {
		if (s->missing[n] == 0)
			sd_heap_push(s->heap, &s->heap_count, n, by_index, NULL);
	}
	while (s->heap_count > 0) {
		uint32_t n = sd_heap_pop(s->heap, &s->heap_count, by_index, NULL);

		s->order[listed++] = n;
		for (uint32_t i = s->out_first[n]; i < s->out_first[n + 1]; i++) {
			if (--s->missing[s->out[i]] == 0)
				sd_heap_push(s->heap, &s->heap_count, s->out[i], by_index, NULL);
		}
	}
	/* What is on a cycle: no plan is made for it. */
	for (uint32_t n = first; listed < end && n < end; n++) {
		if (s->missing[n] > 0)
			s->order[listed++] = n;
	}
}

uint32_t *sd_order_of(struct sd_arena *mem, const struct sd_graph *graph)
{
	struct sorter s = { .graph = graph, .order = SD_NEW(mem, uint32_t, graph->node_count + 1) };

	if (!s.order || !list_consumers(mem, &s))
		return NULL;
	for (uint32_t g = 0; g < graph->graph_count; g++)
		sort_graph(&s, &graph->graph[g]);
	return s.order;
}

/* A body at the place of its parent; bodies in bodies are at most SD_DEPTH_MAX deep. */
static void rank_graph(struct reader *r, uint32_t g)
{
	const struct sd_subgraph *graph = &r->graph->graph[g];

	for (uint32_t i = graph->first_node; i < graph->first_node + graph->node_count; i++) {
		uint32_t n = r->order[i];

		r->rank[n] = r->ranks++;
		for (uint32_t b = r->graph->body_first[n]; b < r->graph->body_first[n + 1]; b++)
			rank_graph(r, r->graph->body[b]);
	}
}

/* ---- bodies ---- */

static bool op_loops(enum sd_op op)
{
	return op == SD_OP_WHILE || op == SD_OP__WHILE || op == SD_OP_STATELESS_WHILE || op == SD_OP_FOR;
}

static bool op_chooses(enum sd_op op)
{
	return op == SD_OP_IF || op == SD_OP__IF || op == SD_OP_STATELESS_IF || op == SD_OP_CASE || op == SD_OP_STATELESS_CASE;
}

/* What the node does with its bodies. Those of known shape in a graph of unknown shape run with it. */
static enum sd_flow_kind kind_of(const struct sd_graph *graph, uint32_t n)
{
	uint32_t bodies = graph->body_first[n + 1] - graph->body_first[n];
	enum sd_op op = op_of(graph, n);

	if (bodies < 2 || (graph->graph[graph->graph_of[n]].dynamic && !graph->graph[graph->body[graph->body_first[n]]].dynamic))
		return SD_FLOW_ALWAYS;
	if (op_loops(op) && bodies == 2)
		return SD_FLOW_LOOPS;
	return op_chooses(op) ? SD_FLOW_CHOOSES : SD_FLOW_ALWAYS;
}

/* The first node of a body with this operator that is, or is not, where the bodies end; SD_NO_NODE: none. */
static uint32_t label_node(const struct sd_graph *graph, uint32_t body, enum sd_op op, bool ends)
{
	const struct sd_subgraph *in = &graph->graph[body];

	for (uint32_t n = in->first_node; n < in->first_node + in->node_count; n++) {
		if (op_of(graph, n) == op && sd_graph_bool(graph, n, SD_ATTR_SUBGRAPH_END_NODE) == ends)
			return n;
	}
	return SD_NO_NODE;
}

static uint32_t label_node_of(const struct sd_graph *graph, uint32_t n, enum sd_op op, bool ends)
{
	uint32_t found = SD_NO_NODE;

	for (uint32_t b = graph->body_first[n]; found == SD_NO_NODE && b < graph->body_first[n + 1]; b++)
		found = label_node(graph, graph->body[b], op, ends);
	return found;
}

static void add_jump(struct reader *r, enum sd_jump_kind kind, uint32_t from, uint32_t to, uint32_t body)
{
	if (from != SD_NO_NODE && to != SD_NO_NODE)
		r->jump[r->jump_count++] = (struct sd_jump){ kind, from, to, body };
}

static void lower_loop(struct reader *r, uint32_t n, uint32_t jumper, uint32_t end)
{
	const struct sd_graph *graph = r->graph;
	uint32_t condition = graph->body[graph->body_first[n]], body = graph->body[graph->body_first[n] + 1];

	add_jump(r, SD_JUMP_TURN, jumper, label_node(graph, body, SD_OP_LABEL_SET, false), body);
	add_jump(r, SD_JUMP_BACK, label_node(graph, body, SD_OP_LABEL_GOTO_EX, false), label_node(graph, condition, SD_OP_LABEL_SET, false), condition);
	add_jump(r, SD_JUMP_END, jumper, end, condition);
}

static void lower_choice(struct reader *r, uint32_t n, uint32_t jumper, uint32_t end)
{
	const struct sd_graph *graph = r->graph;

	if (jumper != SD_NO_NODE)
		r->runs_in[jumper] = graph->graph_of[n];
	for (uint32_t b = graph->body_first[n]; b < graph->body_first[n + 1]; b++) {
		uint32_t body = graph->body[b];

		add_jump(r, SD_JUMP_ENTER, jumper, label_node(graph, body, SD_OP_LABEL_SET, false), body);
		if (end == SD_NO_NODE || graph->graph_of[end] != body)
			add_jump(r, SD_JUMP_LEAVE, label_node(graph, body, SD_OP_LABEL_GOTO_EX, false), end, body);
	}
}

/* Bodies that hold labels: when those run, and what jumps where. */
static void lower(struct reader *r, uint32_t n)
{
	const struct sd_graph *graph = r->graph;
	uint32_t jumper, end;

	if (r->kind[n] == SD_FLOW_ALWAYS)
		return;
	end = label_node_of(graph, n, SD_OP_LABEL_SET, true);
	if (end == SD_NO_NODE && label_node_of(graph, n, SD_OP_LABEL_SET, false) == SD_NO_NODE)
		return;
	if (end != SD_NO_NODE)
		r->runs_in[end] = graph->graph_of[n];
	jumper = label_node_of(graph, n, SD_OP_LABEL_SWITCH_BY_INDEX, false);
	if (r->kind[n] == SD_FLOW_LOOPS)
		lower_loop(r, n, jumper, end);
	else
		lower_choice(r, n, jumper, end);
}

static uint8_t traits_of(const struct sd_graph *graph, uint32_t n)
{
	struct sd_text engine;

	sd_engine_of(graph, n, &engine);
	return (uint8_t)((sd_text_is(engine, "DNN_HCCL") ? SD_FLOW_COLLECTIVE : 0) |
	                 (sd_graph_bool(graph, n, SD_ATTR_IS_LOOP_ACTIVE) ? SD_FLOW_NEXT_TURN : 0));
}

static bool take_room(struct reader *r, uint32_t nodes)
{
	const struct sd_graph *graph = r->graph;

	r->parent = SD_NEW(r->mem, uint32_t, graph->graph_count);
	r->graph_of = SD_NEW(r->mem, uint32_t, nodes + 1);
	r->runs_in = SD_NEW(r->mem, uint32_t, nodes + 1);
	r->body_first = SD_NEW(r->mem, uint32_t, nodes + 1);
	r->rank = SD_NEW(r->mem, uint32_t, nodes + 1);
	r->kind = SD_NEW0(r->mem, uint8_t, nodes + 1);
	r->traits = SD_NEW0(r->mem, uint8_t, nodes + 1);
	r->jump = SD_NEW(r->mem, struct sd_jump, (size_t)graph->graph_count * 3 + 1); /* two for every body, one more for a loop */
	r->order = sd_order_of(r->mem, graph);
	return r->parent && r->graph_of && r->runs_in && r->body_first && r->rank && r->kind && r->traits && r->jump && r->order;
}

enum sd_status sd_flow_of(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, struct sd_flow *flow,
                          struct sd_diag *diag)
{
	struct reader r = { .mem = mem, .graph = graph, .diag = diag };

	if (!take_room(&r, plan->node_count))
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	for (uint32_t g = 0; g < graph->graph_count; g++)
		r.parent[g] = graph->graph[g].parent;
	memcpy(r.body_first, graph->body_first, (graph->node_count + 1) * sizeof(uint32_t));
	rank_graph(&r, SD_ROOT);
	for (uint32_t n = 0; n < plan->node_count; n++) {
		/* An inserted StreamActive stands behind its StreamSwitch. */
		uint32_t of = n < graph->node_count ? n : plan->inserted[n - graph->node_count];

		r.graph_of[n] = r.runs_in[n] = graph->graph_of[of];
		r.rank[n] = r.rank[of];
		if (n >= graph->node_count) {
			r.body_first[n + 1] = r.body_first[n];
			continue;
		}
		r.kind[n] = (uint8_t)kind_of(graph, n);
		r.traits[n] = traits_of(graph, n);
	}
	for (uint32_t n = 0; n < graph->node_count; n++)
		lower(&r, n);
	*flow = (struct sd_flow){
		.node_count = plan->node_count, .graph_count = graph->graph_count, .parent = r.parent, .graph_of = r.graph_of,
		.runs_in = r.runs_in, .body_first = r.body_first, .body = graph->body, .kind = r.kind, .traits = r.traits, .rank = r.rank,
		.jump = r.jump, .jump_count = r.jump_count,
	};
	return SD_OK;
}
