/* What attached streams and iteration loops must wait for, and what must wait for them: no edge says it.
 *
 *   declared  a node names data inputs that its attached stream reads: the producer, on
 *             its attached stream if it has one, comes before the node on its own
 *   cover     the last launch on every attached stream, graph by graph, comes before the
 *             graph's NetOutput
 *   loop      the last launch on every stream that an iteration loop starts again comes
 *             before the StreamSwitch of the loop
 *
 * In a body, its first StreamActive stands for whatever is in front of it.
 * A variable stands for the last node in front of the reader that writes it. Which one
 * that is is known where nodes keep the order in which they are listed; elsewhere any
 * writer that the plan puts in front will do. */
#include "verify_internal.h"

#include "base/vec.h"

struct pair {
	uint32_t from, to; /* slots */
	bool optional;     /* may be what is asked for */
};

struct collector {
	struct sd__judge *judge;
	SD_VEC(struct pair) list;
	SD_VEC(uint32_t) feeding;        /* what the reader at hand reads, by number of its input */
	uint32_t *writer_first, *writer; /* by node: nodes that write it, ascending; NULL: not looked for yet */
	uint32_t *first_active;      /* by graph, with bodies: the first StreamActive of a body; SD_NO_NODE: none */
	bool failed;                     /* out of memory */
};

static void ask(struct collector *c, uint32_t from, uint32_t to, bool optional)
{
	if (from == SD__NONE || to == SD__NONE || from == to)
		return;
	if (!sd_vec_room(c->judge->mem, &c->list)) {
		c->failed = true;
		return;
	}
	c->list.at[c->list.count++] = (struct pair){ from, to, optional };
}

static bool op_is(const struct sd__judge *judge, uint32_t n, uint32_t op)
{
	return judge->op[judge->graph->op_type[n]] & op;
}

static bool reads_variable(const struct sd__judge *judge, uint32_t e)
{
	const struct sd_edge *edge = &judge->graph->in[e];

	return edge->src != SD_NO_NODE && op_is(judge, edge->src, SD__OP_VARIABLE);
}

static bool find_writers(struct collector *c)
{
	const struct sd_graph *graph = c->judge->graph;
	uint32_t nodes = graph->node_count;

	c->writer_first = SD_NEW0(c->judge->mem, uint32_t, (size_t)nodes + 2);
	c->writer = SD_NEW(c->judge->mem, uint32_t, (size_t)graph->edge_count + 1);
	if (!c->writer_first || !c->writer)
		return false;
	/* Counted two places up: filling then moves each start to where it belongs. */
	for (uint32_t n = 0; n < nodes; n++) {
		for (uint32_t e = graph->in_first[n]; sd_graph_bool(graph, n, SD_ATTR_REFERENCE) && e < graph->in_first[n + 1]; e++)
			c->writer_first[graph->in[e].src + 2] += reads_variable(c->judge, e);
	}
	for (uint32_t n = 0; n < nodes; n++)
		c->writer_first[n + 1] += c->writer_first[n];
	for (uint32_t n = 0; n < nodes; n++) {
		for (uint32_t e = graph->in_first[n]; sd_graph_bool(graph, n, SD_ATTR_REFERENCE) && e < graph->in_first[n + 1]; e++) {
			if (reads_variable(c->judge, e))
				c->writer[c->writer_first[graph->in[e].src + 1]++] = n;
		}
	}
	return true;
}

/* The slot on the node's only attached stream, or its main one where it has none. */
static uint32_t outer_slot(const struct sd__judge *judge, uint32_t n)
{
	const struct sd_placement *place = &judge->plan->node[n];

	return place->attached_count > 0 ? judge->attached_slot[place->attached_first] : judge->main_slot[n];
}

static enum sd_status find_first_active(struct collector *c)
{
	const struct sd__judge *judge = c->judge;

	if (!judge->scopes.bodies)
		return SD_OK;
	SD__TAKE(c->first_active, judge->mem, uint32_t, judge->graph->graph_count);
	for (uint32_t g = 0; g < judge->graph->graph_count; g++)
		c->first_active[g] = SD_NO_NODE;
	for (uint32_t n = 0; n < judge->real_nodes; n++) {
		uint32_t *first = &c->first_active[judge->graph->graph_of[n]];

		if (judge->graph->graph_of[n] != SD_ROOT && *first == SD_NO_NODE && sd_graph_bool(judge->graph, n, SD_ATTR_SUBGRAPH_FIRST_ACTIVE))
			*first = n;
	}
	return SD_OK;
}

/* The first StreamActive of a body stands for what is in front of it; SD_NO_NODE: it does not. */
static uint32_t active_behind(const struct collector *c, uint32_t producer)
{
	const struct sd__judge *judge = c->judge;
	uint32_t first = c->first_active ? c->first_active[judge->graph->graph_of[producer]] : SD_NO_NODE;

	return first != SD_NO_NODE && judge->rank[first] > judge->rank[producer] ? first : SD_NO_NODE;
}

static void depend_on_itself(struct collector *c, uint32_t producer, uint32_t reader, bool optional)
{
	const struct sd__judge *judge = c->judge;
	const struct sd_placement *from = &judge->plan->node[producer], *to = &judge->plan->node[reader];

	/* Nodes with several attached streams order these themselves. */
	if (op_is(judge, producer, SD__OP_SOURCE) || from->attached_count > 1 || to->attached_count > 1 ||
	    from->attached_count + to->attached_count == 0)
		return;
	if (from->attached_count == to->attached_count &&
	    judge->plan->attached_logical[from->attached_first] == judge->plan->attached_logical[to->attached_first])
		return;
	ask(c, outer_slot(judge, producer), outer_slot(judge, reader), optional);
}

static void depend_on(struct collector *c, uint32_t producer, uint32_t reader, bool optional)
{
	uint32_t active = active_behind(c, producer);

	if (active != SD_NO_NODE)
		depend_on_itself(c, active, reader, optional || !c->judge->listed_in_order);
	/* Where the order of the nodes is not known, either may be the one. */
	if (active == SD_NO_NODE || !c->judge->listed_in_order)
		depend_on_itself(c, producer, reader, optional || active != SD_NO_NODE);
}

/* The writers of a variable that the reader may see, or the variable itself. */
static void depend_on_variable(struct collector *c, uint32_t variable, uint32_t reader)
{
	uint32_t last = variable;

	if (!c->writer && !find_writers(c)) {
		c->failed = true;
		return;
	}
	for (uint32_t i = c->writer_first[variable]; i < c->writer_first[variable + 1]; i++) {
		if (!c->judge->listed_in_order)
			depend_on(c, c->writer[i], reader, true);
		else if (c->writer[i] < reader)
			last = c->writer[i];
	}
	depend_on(c, last, reader, !c->judge->listed_in_order && c->writer_first[variable] < c->writer_first[variable + 1]);
}

/* Inputs that are connected have numbers, also one that closes a loop; those for control have none. */
static void find_feeding(struct collector *c, uint32_t reader)
{
	const struct sd_graph *graph = c->judge->graph;

	c->feeding.count = 0;
	for (uint32_t e = graph->in_first[reader]; e < graph->in_first[reader + 1]; e++) {
		if (graph->in[e].src == SD_NO_NODE || graph->in[e].port == SD_CONTROL)
			continue;
		if (!sd_vec_room(c->judge->mem, &c->feeding)) {
			c->failed = true;
			return;
		}
		c->feeding.at[c->feeding.count++] = graph->in[e].src;
	}
}

static void depend_on_input(struct collector *c, uint32_t reader, int64_t input)
{
	uint32_t src;

	if (input >= c->feeding.count)
		return;
	src = c->feeding.at[input];
	if (op_is(c->judge, src, SD__OP_VARIABLE))
		depend_on_variable(c, src, reader);
	else
		depend_on(c, src, reader, false);
}

/* "0,2" */
static void depend_on_text(struct collector *c, uint32_t reader, struct sd_text text)
{
	int64_t input = -1;

	for (uint32_t i = 0; i < text.len; i++) {
		if (text.at[i] >= '0' && text.at[i] <= '9' && input < UINT32_MAX)
			input = (input < 0 ? 0 : 10 * input) + text.at[i] - '0';
		if (input >= 0 && (text.at[i] == ',' || i + 1 == text.len)) {
			depend_on_input(c, reader, input);
			input = -1;
		}
	}
}

static void declared(struct collector *c, uint32_t n)
{
	struct sd__entries newer = sd__entries_of(c->judge->graph, n, SD_ATTR_ATTACHED_STREAM_INFO_LIST);
	struct sd__entries older = sd__entries_of(c->judge->graph, n, SD_ATTR_ATTACHED_STREAM_INFO);

	newer.count = newer.listed ? newer.count : 0;
	find_feeding(c, n);
	for (uint32_t i = 0; i < newer.count; i++) {
		const struct sd_value *inputs = sd__entry_value(&newer.map[i], "_attached_resource_depend_value_list_int", SD_VALUE_LIST);

		for (uint32_t k = 0; inputs && inputs->list.item == SD_VALUE_INT && k < inputs->list.count; k++) {
			if (inputs->list.integer[k] >= 0)
				depend_on_input(c, n, inputs->list.integer[k]);
		}
	}
	for (uint32_t i = 0; newer.count == 0 && i < older.count; i++) {
		const struct sd_value *text = sd__entry_value(&older.map[i], "_attached_stream_depend_value_list", SD_VALUE_STRING);

		if (text)
			depend_on_text(c, n, text->string);
	}
}

static uint32_t net_output(const struct sd__judge *judge, const struct sd_subgraph *graph)
{
	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		if (op_is(judge, n, SD__OP_OUTPUT) && judge->main_slot[n] != SD__NONE)
			return n;
	}
	return SD_NO_NODE;
}

/* `last` is by logical stream, all SD__NONE before and after. */
static void cover_graph(struct collector *c, const struct sd_subgraph *graph, uint32_t *last)
{
	const struct sd__judge *judge = c->judge;
	const struct sd_plan *plan = judge->plan;
	uint32_t out = net_output(judge, graph);

	for (int round = 0; out != SD_NO_NODE && round < 2; round++) {
		for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
			for (uint32_t i = plan->node[n].attached_first; i < plan->node[n].attached_first + plan->node[n].attached_count; i++) {
				uint32_t *at = &last[plan->attached_logical[i]], slot = judge->attached_slot[i];

				if (round == 0 && slot != SD__NONE && (*at == SD__NONE || judge->place[*at] < judge->place[slot]))
					*at = slot;
				if (round == 0)
					continue;
				ask(c, *at, judge->main_slot[out], false);
				*at = SD__NONE;
			}
		}
	}
}

/* The first node that starts the next turn of an iteration loop. */
static uint32_t loop_node(const struct sd__judge *judge)
{
	for (uint32_t n = 0; n < judge->real_nodes; n++) {
		if (sd__turns(judge, n))
			return n;
	}
	return SD_NO_NODE;
}

/* The first StreamSwitch among the control producers of a node, or, one step further, of those. */
static uint32_t switch_before(const struct sd__judge *judge, uint32_t n, bool further)
{
	const struct sd_graph *graph = judge->graph;
	uint32_t found = SD_NO_NODE;

	for (uint32_t e = graph->in_first[n]; found == SD_NO_NODE && e < graph->in_first[n + 1]; e++) {
		if (graph->in[e].src == SD_NO_NODE || graph->in[e].port != SD_CONTROL)
			continue;
		if (further)
			found = switch_before(judge, graph->in[e].src, false);
		else if (sd__is_switch(judge, graph->in[e].src))
			found = graph->in[e].src;
	}
	return found;
}

/* Loop: the last slot of every stream that starts with the model, and on which no StreamSwitch or
 * StreamSwitchN is, comes before the StreamSwitch of the loop, whose activator starts it again. These two leave their stream for one
 * that they start, so that nothing behind them could tell that it is done. Not where it stands in a body; what bodies tell behind it may be what is waited for. The same of the last
 * launch of every logical stream: a body may have started its last piece. */
static enum sd_status loop_orders_of(struct collector *c, uint32_t sw, bool logical)
{
	struct sd__judge *judge = c->judge;
	const struct sd_plan *plan = judge->plan;
	uint32_t streams = plan->stream_count, parts = logical ? plan->logical_stream_count + streams : streams, *last;
	uint8_t *switches;

	SD__TAKE(last, judge->mem, uint32_t, parts + 1);
	SD__TAKE0(switches, judge->mem, uint8_t, parts + 1);
	memset(last, 0xff, parts * sizeof(*last));
	for (uint32_t at = 0; at < judge->slot_count; at++) {
		uint32_t stream = judge->slot[at].stream, part = logical ? plan->stream[stream].logical_id : stream;

		switches[part] |= sd__leaves(judge, judge->slot[at].node);
		if (logical && judge->slot[at].launch == SD__NONE)
			continue;
		if (last[part] == SD__NONE || judge->place[last[part]] < judge->place[at])
			last[part] = at;
	}
	for (uint32_t s = 0; s < streams; s++) {
		if (plan->stream[s].initially_active && !switches[s] && last[s] != SD__NONE && (!logical || plan->stream[s].logical_id == s) &&
		    (!judge->scopes.bodies || judge->graph->graph_of[judge->slot[last[s]].node] == SD_ROOT))
			ask(c, last[s], judge->main_slot[sw], judge->slot[last[s]].group);
	}
	return SD_OK;
}

static enum sd_status loop_orders(struct collector *c)
{
	uint32_t node = loop_node(c->judge), sw;

	if (node == SD_NO_NODE)
		return SD_OK;
	sw = switch_before(c->judge, node, false);
	if (sw == SD_NO_NODE)
		sw = switch_before(c->judge, node, true);
	if (sw == SD_NO_NODE)
		return SD_OK;
	SD_TRY(loop_orders_of(c, sw, false));
	return loop_orders_of(c, sw, true);
}

/* Sorts what was collected by the slot that must come behind. */
static enum sd_status sort_pairs(struct collector *c)
{
	struct sd__judge *judge = c->judge;

	SD__TAKE0(judge->extra_first, judge->mem, uint32_t, judge->slot_count + 2);
	SD__TAKE(judge->extra, judge->mem, struct sd__extra, c->list.count + 1);
	for (uint32_t i = 0; i < c->list.count; i++)
		judge->extra_first[c->list.at[i].to + 2]++;
	for (uint32_t at = 0; at < judge->slot_count; at++)
		judge->extra_first[at + 1] += judge->extra_first[at];
	for (uint32_t i = 0; i < c->list.count; i++)
		judge->extra[judge->extra_first[c->list.at[i].to + 1]++] = (struct sd__extra){ c->list.at[i].from, c->list.at[i].optional };
	return SD_OK;
}

enum sd_status sd__verify_extras(struct sd__judge *judge)
{
	const struct sd_graph *graph = judge->graph;
	struct collector c = { .judge = judge };
	uint32_t *last;

	SD_TRY(find_first_active(&c));
	SD__TAKE(last, judge->mem, uint32_t, judge->plan->logical_stream_count + 1);
	memset(last, 0xff, judge->plan->logical_stream_count * sizeof(uint32_t));
	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (judge->main_slot[n] != SD__NONE &&
		    (sd_graph_has(graph, n, SD_ATTR_ATTACHED_STREAM_INFO) || sd_graph_has(graph, n, SD_ATTR_ATTACHED_STREAM_INFO_LIST)))
			declared(&c, n);
	}
	for (uint32_t g = 0; judge->plan->attached_count > 0 && g < graph->graph_count; g++)
		cover_graph(&c, &graph->graph[g], last);
	SD_TRY(loop_orders(&c));
	return c.failed ? SD_RESOURCE_EXHAUSTED : sort_pairs(&c);
}
