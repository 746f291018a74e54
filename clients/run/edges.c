#include "edges.h"

#include "formats/json_path.h"
#include "optype.h"
#include "streamd/flow_of.h"

/* When something was done, and by which launched node. */
struct moment {
	uint64_t ns;
	uint32_t by;
};

struct checker {
	const struct sd_graph *graph;
	const struct sd_plan *plan;
	const struct sd_flow *flow;
	const struct sd_visits *visits;
	const struct sd_seen *seen;
	struct sd_edges_verdict *verdict;
	const uint32_t *order;
	uint32_t *end_label;      /* by node: the label at which its bodies end; SD_NO_NODE: none */
	bool *is_read;            /* by node: somebody in its graph reads it */
	uint64_t *base;           /* by visit: into done */
	struct moment *done;      /* by visit, by node of its graph */
	struct moment *ends;      /* by visit: when the graph had ended */
};

static void later(struct moment *moment, struct moment other)
{
	if (other.ns > moment->ns)
		*moment = other;
}

static struct moment *done_at(struct checker *c, uint32_t visit, uint32_t node)
{
	return &c->done[c->base[visit] + node - c->graph->graph[c->graph->graph_of[node]].first_node];
}

static void note(struct checker *c, struct sd_broken_edge edge)
{
	if (c->verdict->broken < SD_BROKEN_EDGES_MAX)
		c->verdict->edge[c->verdict->broken] = edge;
	c->verdict->broken++;
}

/* The launch of a node: it must not have begun before `need`. Answers when it ended. */
static struct moment launched(struct checker *c, uint32_t node, uint32_t visit, struct moment need)
{
	uint32_t run = sd_visit_up(c->visits, visit, c->flow->runs_in[node]);
	const struct sd_seen *seen = &c->seen[sd_visit_slot(c->visits, run, node)];

	if (!seen->is_done)
		note(c, (struct sd_broken_edge){ SD_NO_NODE, node, visit, 0, 0 });
	else if (seen->began_ns < need.ns)
		note(c, (struct sd_broken_edge){ need.by, node, visit, need.ns, seen->began_ns });
	return (struct moment){ seen->ended_ns, node };
}

static void walk(struct checker *c, uint32_t visit, struct moment enter);

static void walk_loop(struct checker *c, uint32_t visit, uint32_t node, struct moment enter, struct moment *done)
{
	uint32_t turns = c->visits->taken[node];

	for (uint32_t turn = 0; turn <= turns; turn++) {
		walk(c, sd_visit_of_body(c->flow, c->visits, visit, node, 0, turn), enter);
		if (turn < turns) {
			uint32_t body = sd_visit_of_body(c->flow, c->visits, visit, node, 1, turn);

			walk(c, body, enter);
			later(&enter, c->ends[body]);
		}
	}
	later(done, enter);
}

/* The bodies of a node that run; `done` becomes when the last of them had ended. */
static void walk_bodies(struct checker *c, uint32_t visit, uint32_t node, struct moment enter, struct moment *done)
{
	const struct sd_graph *graph = c->graph;

	if (c->flow->kind[node] == SD_FLOW_LOOPS) {
		walk_loop(c, visit, node, enter, done);
	} else {
		for (uint32_t k = 0; k < graph->body_first[node + 1] - graph->body_first[node]; k++) {
			uint32_t body = sd_visit_of_body(c->flow, c->visits, visit, node, k, 0);

			if (body == SD_NO_VISIT)
				continue;
			walk(c, body, enter);
			later(done, c->ends[body]);
		}
	}
	if (c->end_label[node] != SD_NO_NODE)
		later(done, launched(c, c->end_label[node], visit, (struct moment){ 0, SD_NO_NODE }));
}

static struct moment node_done(struct checker *c, uint32_t visit, uint32_t node, struct moment enter)
{
	const struct sd_graph *graph = c->graph;
	enum sd_op op = sd_op_find(graph->string[graph->op_type[node]]);
	struct moment done = enter;

	for (uint32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; i++) {
		const struct sd_edge *edge = &graph->in[i];

		if (edge->src == SD_NO_NODE || sd_edge_is_cut(graph, edge))
			continue;
		c->verdict->edges++;
		later(&done, *done_at(c, visit, edge->src));
	}
	if (c->plan->node[node].stream != SD_NO_STREAM)
		done = launched(c, node, visit, done);
	else if (op == SD_OP_CONST || op == SD_OP_CONSTANT)
		done = (struct moment){ 0, SD_NO_NODE };
	if (graph->body_first[node] < graph->body_first[node + 1])
		walk_bodies(c, visit, node, done, &done);
	return done;
}

/* Goes through a graph as it ran in a visit; bodies in bodies are at most SD_DEPTH_MAX deep. */
static void walk(struct checker *c, uint32_t visit, struct moment enter)
{
	const struct sd_subgraph *graph = &c->graph->graph[c->visits->visit[visit].graph];
	struct moment output = { 0, SD_NO_NODE }, loose = enter;
	bool has_output = false;

	for (uint32_t i = graph->first_node; i < graph->first_node + graph->node_count; i++) {
		uint32_t node = c->order[i];
		struct moment done = node_done(c, visit, node, enter);

		*done_at(c, visit, node) = done;
		if (sd_op_find(c->graph->string[c->graph->op_type[node]]) == SD_OP_NET_OUTPUT) {
			has_output = true;
			later(&output, done);
		} else if (!c->is_read[node]) {
			later(&loose, done);
		}
	}
	c->ends[visit] = has_output ? output : loose;
}

static void find_end_labels(struct checker *c)
{
	for (uint32_t n = 0; n < c->graph->node_count; n++)
		c->end_label[n] = SD_NO_NODE;
	for (uint32_t j = 0; j < c->flow->jump_count; j++) {
		const struct sd_jump *jump = &c->flow->jump[j];

		if (jump->kind == SD_JUMP_LEAVE || jump->kind == SD_JUMP_END)
			c->end_label[c->flow->parent[jump->body]] = jump->to;
	}
	for (uint32_t i = 0; i < c->graph->edge_count; i++) {
		if (c->graph->in[i].src != SD_NO_NODE)
			c->is_read[c->graph->in[i].src] = true;
	}
}

static bool take_room(struct checker *c, struct sd_arena *mem)
{
	uint64_t total = 0;

	c->order = sd_order_of(mem, c->graph);
	c->end_label = SD_NEW(mem, uint32_t, c->graph->node_count + 1);
	c->is_read = SD_NEW0(mem, bool, c->graph->node_count + 1);
	c->base = SD_NEW(mem, uint64_t, c->visits->count);
	c->ends = SD_NEW0(mem, struct moment, c->visits->count);
	for (uint32_t v = 0; c->base && v < c->visits->count; v++) {
		c->base[v] = total;
		total += c->graph->graph[c->visits->visit[v].graph].node_count;
	}
	c->done = SD_NEW0(mem, struct moment, total + 1);
	return c->order && c->end_label && c->is_read && c->base && c->ends && c->done;
}

enum sd_status sd_edges_check(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, const struct sd_flow *flow,
                              const struct sd_visits *visits, const struct sd_seen *seen, struct sd_edges_verdict *verdict,
                              struct sd_diag *diag)
{
	struct checker c = { .graph = graph, .plan = plan, .flow = flow, .visits = visits, .seen = seen, .verdict = verdict };
	struct sd_arena_mark mark = sd_arena_mark(mem);

	*verdict = (struct sd_edges_verdict){ 0 };
	if (!take_room(&c, mem))
		return sd_memory_fail(mem, diag);
	find_end_labels(&c);
	walk(&c, 0, (struct moment){ 0, SD_NO_NODE });
	sd_arena_rewind(mem, mark);
	return SD_OK;
}
