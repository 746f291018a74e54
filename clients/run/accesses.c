#include "accesses.h"

#include "base/merge.h"
#include "base/vec.h"
#include "formats/json_path.h"
#include "optype.h"
#include "streamd/flow_of.h"

#define BUFFER_BYTES 512u    /* of an output that states no size; sizes are rounded up to it */
#define FIRST_ADDRESS 0x10000u
#define PORTS_MAX 1024u       /* outputs of one node that are told apart; those behind share the last */

/* Buffers that a node's output may be: a piece of the pool. */
struct set {
	uint32_t first, count;
};

struct range {
	uint64_t address, bytes;
};

struct finder {
	struct sd_arena *mem;
	const struct sd_graph *graph;
	const struct sd_plan *plan;
	const struct sd_flow *flow;
	const struct sd_visits *visits;
	const uint32_t *order;
	uint32_t *port_first;      /* by node, one more: its outputs */
	uint64_t *port_at;         /* by output: within the memory of its graph */
	uint64_t *port_bytes;
	uint32_t *output_of;       /* by graph: its NetOutput; SD_NO_NODE: none */
	uint64_t *memory;          /* by visit: where its memory begins; one more: where named buffers do */
	uint64_t *base;            /* by visit: into all */
	struct set *all;           /* by visit and node that launches nothing: what its outputs may be */
	SD_VEC(struct range) pool;
	struct sd_text *named;     /* distinct names of buffers, in byte order */
	uint32_t *rank_of_write;   /* by entry of graph->write */
	struct set *used;          /* by slot: into access */
	SD_VEC(struct sd_access) access;
	bool failed;
};

static bool is_launched(const struct finder *f, uint32_t node)
{
	return f->plan->node[node].stream != SD_NO_STREAM;
}

static struct set *all_of(const struct finder *f, uint32_t visit, uint32_t node)
{
	return &f->all[f->base[visit] + node - f->graph->graph[f->graph->graph_of[node]].first_node];
}

static void add_range(struct finder *f, struct range range)
{
	if (sd_vec_room(f->mem, &f->pool))
		f->pool.at[f->pool.count++] = range;
	else
		f->failed = true;
}

static struct range output(const struct finder *f, uint32_t visit, uint32_t node, uint32_t port)
{
	uint32_t at = f->port_first[node] + (port < PORTS_MAX ? port : PORTS_MAX - 1), run = sd_visit_up(f->visits, visit, f->graph->graph_of[node]);

	return (struct range){ f->memory[run] + f->port_at[at], f->port_bytes[at] };
}

static void add_value(struct finder *f, uint32_t visit, uint32_t node, uint32_t port);

/* The data input `slot` of a node, counted over its data edges. */
static void add_input(struct finder *f, uint32_t visit, uint32_t node, uint32_t slot)
{
	const struct sd_graph *graph = f->graph;

	for (uint32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; i++) {
		const struct sd_edge *edge = &graph->in[i];

		if (edge->port == SD_CONTROL || slot-- > 0)
			continue;
		if (edge->src != SD_NO_NODE && !sd_edge_is_cut(graph, edge))
			add_value(f, visit, edge->src, (uint32_t)edge->port);
		return;
	}
}

/* What output `port` of a graph's NetOutput is in a visit. */
static void add_result(struct finder *f, uint32_t visit, uint32_t port)
{
	uint32_t node = f->output_of[f->visits->visit[visit].graph];

	if (node != SD_NO_NODE)
		add_input(f, visit, node, port);
}

/* An output of a node with bodies is that of those that ran. */
static void add_functional(struct finder *f, uint32_t visit, uint32_t node, uint32_t port)
{
	uint32_t turns = f->visits->taken[node];

	if (f->flow->kind[node] == SD_FLOW_LOOPS) {
		if (turns == 0)
			add_input(f, visit, node, port);
		else
			add_result(f, sd_visit_of_body(f->flow, f->visits, visit, node, 1, turns - 1), port);
		return;
	}
	for (uint32_t k = 0; k < f->graph->body_first[node + 1] - f->graph->body_first[node]; k++) {
		uint32_t body = sd_visit_of_body(f->flow, f->visits, visit, node, k, 0);

		if (body != SD_NO_VISIT)
			add_result(f, body, port);
	}
}

/* The buffers of one output, put at the end of the pool; bodies in bodies are at most SD_DEPTH_MAX deep. */
static void add_value(struct finder *f, uint32_t visit, uint32_t node, uint32_t port)
{
	const struct sd_graph *graph = f->graph;

	if (graph->body_first[node] < graph->body_first[node + 1]) {
		add_functional(f, visit, node, port);
	} else if (is_launched(f, node)) {
		add_range(f, output(f, visit, node, port));
	} else {
		struct set all = *all_of(f, visit, node);

		for (uint32_t i = all.first; i < all.first + all.count; i++)
			add_range(f, f->pool.at[i]);
	}
}

/* A Data of a body is the input of its parent, or what the turn before gave. */
static void add_data(struct finder *f, uint32_t visit, uint32_t node)
{
	const struct sd_visit *at = &f->visits->visit[visit];
	uint32_t parent = f->graph->graph[at->graph].parent;
	int64_t index;

	if (parent == SD_NO_NODE || !sd_graph_int(f->graph, node, SD_ATTR_PARENT_NODE_INDEX, &index) || index < 0 || index > INT32_MAX)
		return;
	if (f->flow->kind[parent] == SD_FLOW_LOOPS && at->turn > 0)
		add_result(f, sd_visit_of_body(f->flow, f->visits, at->parent, parent, 1, at->turn - 1), (uint32_t)index);
	else
		add_input(f, at->parent, parent, (uint32_t)index);
}

/* What the outputs of a node that launches nothing are: its only input, or all that it has. */
static void find_all(struct finder *f, uint32_t visit, uint32_t node)
{
	const struct sd_graph *graph = f->graph;
	struct set *all = all_of(f, visit, node);

	all->first = f->pool.count;
	if (sd_op_find(graph->string[graph->op_type[node]]) == SD_OP_DATA)
		add_data(f, visit, node);
	for (uint32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; i++) {
		if (graph->in[i].port != SD_CONTROL && graph->in[i].src != SD_NO_NODE && !sd_edge_is_cut(graph, &graph->in[i]))
			add_value(f, visit, graph->in[i].src, (uint32_t)graph->in[i].port);
	}
	all->count = f->pool.count - all->first;
}

/* ---- accesses of launches ---- */

static void put(struct finder *f, struct range range, bool is_write)
{
	if (sd_vec_room(f->mem, &f->access))
		f->access.at[f->access.count++] = (struct sd_access){ range.address, range.bytes, is_write };
	else
		f->failed = true;
}

/* Uses what stands in the pool from `first` on, and takes it off again. */
static void put_pool(struct finder *f, uint32_t first, bool is_write)
{
	for (uint32_t i = first; i < f->pool.count; i++)
		put(f, f->pool.at[i], is_write);
	f->pool.count = first;
}

static void put_extra(struct finder *f, uint32_t visit, const struct sd_extra *extra)
{
	uint32_t first = f->pool.count;

	for (uint32_t i = extra->overwrite_first; i < extra->overwrite_first + extra->overwrite_count; i++) {
		uint32_t node = f->graph->overwrite[i], within = sd_visit_up(f->visits, visit, f->graph->graph_of[node]);

		for (uint32_t port = 0; within != SD_NO_VISIT && port < f->port_first[node + 1] - f->port_first[node]; port++)
			add_value(f, within, node, port);
	}
	put_pool(f, first, true);
	for (uint32_t i = extra->write_first; i < extra->write_first + extra->write_count; i++)
		put(f, (struct range){ f->memory[f->visits->count] + (uint64_t)f->rank_of_write[i] * BUFFER_BYTES, BUFFER_BYTES }, true);
}

static void find_launch(struct finder *f, uint32_t visit, uint32_t node)
{
	const struct sd_graph *graph = f->graph;
	uint32_t run = sd_visit_up(f->visits, visit, f->flow->runs_in[node]), first = f->pool.count;
	struct set *used = &f->used[sd_visit_slot(f->visits, run, node)];

	used->first = f->access.count;
	for (uint32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; i++) {
		if (graph->in[i].port != SD_CONTROL && graph->in[i].src != SD_NO_NODE && !sd_edge_is_cut(graph, &graph->in[i]))
			add_value(f, visit, graph->in[i].src, (uint32_t)graph->in[i].port);
	}
	put_pool(f, first, false);
	for (uint32_t port = 0; port < f->port_first[node + 1] - f->port_first[node]; port++)
		put(f, output(f, visit, node, port), true);
	if (graph->extra_of[node] != UINT32_MAX)
		put_extra(f, visit, &graph->extra[graph->extra_of[node]]);
	used->count = f->access.count - used->first;
}

/* Goes through a visit, and those of bodies at the place of their parents. */
static void walk(struct finder *f, uint32_t visit)
{
	const struct sd_subgraph *graph = &f->graph->graph[f->visits->visit[visit].graph];

	for (uint32_t i = graph->first_node; i < graph->first_node + graph->node_count && !f->failed; i++) {
		uint32_t node = f->order[i], bodies = f->graph->body_first[node + 1] - f->graph->body_first[node];
		uint32_t turns = bodies && f->flow->kind[node] == SD_FLOW_LOOPS ? f->visits->taken[node] : 0;

		if (is_launched(f, node))
			find_launch(f, visit, node);
		else if (bodies == 0)
			find_all(f, visit, node);
		for (uint32_t turn = 0; turn <= turns; turn++) {
			for (uint32_t k = 0; k < bodies; k++) {
				uint32_t body = sd_visit_of_body(f->flow, f->visits, visit, node, k, turn);

				if (body != SD_NO_VISIT)
					walk(f, body);
			}
		}
	}
}

/* ---- where memory lies ---- */

static uint64_t bytes_of(const struct sd_graph *graph, uint32_t node, uint32_t port)
{
	const struct sd_extra *extra = graph->extra_of[node] != UINT32_MAX ? &graph->extra[graph->extra_of[node]] : NULL;
	int64_t bytes = extra && port < extra->output_count ? graph->output[extra->output_first + port].bytes : -1;

	if (bytes <= 0 || bytes > INT64_C(1) << 40)
		return BUFFER_BYTES;
	return ((uint64_t)bytes + BUFFER_BYTES - 1) / BUFFER_BYTES * BUFFER_BYTES;
}

/* A node has the outputs that it states and those that are read, at least one. */
static bool count_ports(struct finder *f)
{
	const struct sd_graph *graph = f->graph;
	uint32_t *ports = SD_NEW(f->mem, uint32_t, graph->node_count + 1);

	f->port_first = SD_NEW(f->mem, uint32_t, graph->node_count + 1);
	if (!ports || !f->port_first)
		return false;
	for (uint32_t n = 0; n < graph->node_count; n++)
		ports[n] = graph->extra_of[n] != UINT32_MAX && graph->extra[graph->extra_of[n]].output_count ? graph->extra[graph->extra_of[n]].output_count : 1;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct sd_edge *edge = &graph->in[i];
		uint32_t needed = edge->port == SD_CONTROL ? 0 : (uint32_t)edge->port + 1;

		if (edge->src != SD_NO_NODE && needed > ports[edge->src])
			ports[edge->src] = needed;
	}
	f->port_first[0] = 0;
	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (ports[n] > PORTS_MAX)
			ports[n] = PORTS_MAX;
		if (f->port_first[n] > UINT32_MAX - ports[n])
			return false;
		f->port_first[n + 1] = f->port_first[n] + ports[n];
	}
	return true;
}

static bool lay_out(struct finder *f)
{
	const struct sd_graph *graph = f->graph;
	uint64_t *size = SD_NEW0(f->mem, uint64_t, graph->graph_count), at = FIRST_ADDRESS, total = 0;

	f->port_at = SD_NEW(f->mem, uint64_t, f->port_first[graph->node_count] + 1);
	f->port_bytes = SD_NEW(f->mem, uint64_t, f->port_first[graph->node_count] + 1);
	f->output_of = SD_NEW(f->mem, uint32_t, graph->graph_count);
	f->memory = SD_NEW(f->mem, uint64_t, f->visits->count + 1);
	f->base = SD_NEW(f->mem, uint64_t, f->visits->count + 1);
	if (!size || !f->port_at || !f->port_bytes || !f->output_of || !f->memory || !f->base)
		return false;
	for (uint32_t g = 0; g < graph->graph_count; g++)
		f->output_of[g] = SD_NO_NODE;
	for (uint32_t n = 0; n < graph->node_count; n++) {
		uint32_t g = graph->graph_of[n];

		for (uint32_t p = f->port_first[n]; p < f->port_first[n + 1]; p++) {
			f->port_at[p] = size[g];
			f->port_bytes[p] = bytes_of(graph, n, p - f->port_first[n]);
			size[g] += f->port_bytes[p];
		}
		if (sd_op_find(graph->string[graph->op_type[n]]) == SD_OP_NET_OUTPUT)
			f->output_of[g] = n;
	}
	for (uint32_t v = 0; v < f->visits->count; v++) {
		f->memory[v] = at;
		at += size[f->visits->visit[v].graph];
		f->base[v] = total;
		total += graph->graph[f->visits->visit[v].graph].node_count;
	}
	f->memory[f->visits->count] = at;
	f->all = SD_NEW0(f->mem, struct set, total + 1);
	f->used = SD_NEW0(f->mem, struct set, f->visits->slot_count + 1);
	return f->all && f->used;
}

/* Equal names of buffers are one buffer. */
static bool rank_writes(struct finder *f)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->graph->extra_count; i++) {
		uint32_t end = f->graph->extra[i].write_first + f->graph->extra[i].write_count;

		count = f->graph->extra[i].write_count && end > count ? end : count;
	}
	f->rank_of_write = sd_text_ranks(f->mem, f->graph->write, count);
	return f->rank_of_write != NULL;
}

enum sd_status sd_accesses_of(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, const struct sd_flow *flow,
                              const struct sd_visits *visits, struct sd_accesses *accesses, struct sd_diag *diag)
{
	struct finder f = { .mem = mem, .graph = graph, .plan = plan, .flow = flow, .visits = visits, .order = sd_order_of(mem, graph) };
	struct sd_access *access;
	uint32_t *first, filled = 0;

	if (!f.order || !count_ports(&f) || !lay_out(&f) || !rank_writes(&f))
		return sd_memory_fail(mem, diag);
	walk(&f, 0);
	first = SD_NEW(mem, uint32_t, visits->slot_count + 2);
	access = SD_NEW(mem, struct sd_access, f.access.count + 1);
	if (f.failed || !first || !access)
		return sd_memory_fail(mem, diag);
	for (uint32_t slot = 0; slot < visits->slot_count; slot++) {
		first[slot] = filled;
		for (uint32_t i = 0; i < f.used[slot].count; i++)
			access[filled++] = f.access.at[f.used[slot].first + i];
	}
	first[visits->slot_count] = filled;
	*accesses = (struct sd_accesses){ first, access };
	return SD_OK;
}
