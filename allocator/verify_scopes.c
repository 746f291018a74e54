/* When the bodies of a graph run, and where the jumps of those lead that are lowered to labels. */
#include "verify_internal.h"

uint32_t sd__body_count(const struct sd__judge *judge, uint32_t n)
{
	if (!judge->scopes.bodies || n >= judge->real_nodes)
		return 0;
	return judge->graph->body_first[n + 1] - judge->graph->body_first[n];
}

uint32_t sd__body(const struct sd__judge *judge, uint32_t n, uint32_t k)
{
	return judge->graph->body[judge->graph->body_first[n] + k];
}

bool sd__is_choice(const struct sd__judge *judge, uint32_t n)
{
	uint32_t bodies = sd__body_count(judge, n);

	return bodies > 0 && (sd__op_is(judge, n, SD__OP_LOOPS) || (sd__op_is(judge, n, SD__OP_CHOOSES) && bodies > 1));
}

uint32_t sd__scope_up(const struct sd__judge *judge, uint32_t scope)
{
	return judge->scopes.live[judge->graph->graph_of[judge->graph->graph[scope].parent]];
}

bool sd__scope_holds(const struct sd__judge *judge, uint32_t outer, uint32_t inner)
{
	while (inner != outer && inner != SD_ROOT)
		inner = sd__scope_up(judge, inner);
	return inner == outer;
}

uint32_t sd__scope_towards(const struct sd__judge *judge, uint32_t outer, uint32_t inner)
{
	uint32_t up;

	for (; (up = sd__scope_up(judge, inner)) != outer; inner = up)
		;
	return inner;
}

bool sd__scopes_exclude(const struct sd__judge *judge, uint32_t a, uint32_t b)
{
	for (uint32_t s = a; s != SD_ROOT; s = sd__scope_up(judge, s)) {
		for (uint32_t t = b; t != SD_ROOT; t = sd__scope_up(judge, t)) {
			if (s != t && judge->graph->graph[s].parent == judge->graph->graph[t].parent)
				return true;
		}
	}
	return false;
}

uint32_t sd__ways(const struct sd__judge *judge, uint32_t n)
{
	return sd__op_is(judge, n, SD__OP_LOOPS) ? 2 : sd__body_count(judge, n);
}

bool sd__graph_is_below(const struct sd__judge *judge, uint32_t g, uint32_t n)
{
	for (; g != SD_ROOT; g = judge->graph->graph_of[judge->graph->graph[g].parent]) {
		if (judge->graph->graph[g].parent == n)
			return true;
	}
	return false;
}

uint32_t sd__run_in(const struct sd__judge *judge, uint32_t n)
{
	return judge->scopes.run_in && n < judge->real_nodes ? judge->scopes.run_in[n] : judge->graph->graph_of[n];
}

uint32_t sd__wait_in(const struct sd__judge *judge, uint32_t n)
{
	return judge->scopes.wait_in && n < judge->real_nodes ? judge->scopes.wait_in[n] : judge->graph->graph_of[n];
}

static void find_scope(struct sd__judge *judge, uint32_t g)
{
	const struct sd_graph *graph = judge->graph;
	uint32_t chain[SD_DEPTH_MAX + 1], depth = 0;

	for (; judge->scopes.scope[g] == SD__NONE && depth <= SD_DEPTH_MAX; g = graph->graph_of[graph->graph[g].parent])
		chain[depth++] = g;
	while (depth-- > 0) {
		uint32_t parent = graph->graph[chain[depth]].parent, around = graph->graph_of[parent];
		bool opens = sd__is_choice(judge, parent), condition = sd__op_is(judge, parent, SD__OP_LOOPS) && graph->graph[chain[depth]].instance == 0;

		judge->scopes.scope[chain[depth]] = opens ? chain[depth] : judge->scopes.scope[around];
		judge->scopes.live[chain[depth]] = opens && !condition ? chain[depth] : judge->scopes.live[around];
		judge->scopes.branches |= sd__is_choice(judge, parent);
	}
}

/* The first node of a body with this operator that is, or is not, the end of its parent's bodies; SD_NO_NODE: none. */
static uint32_t find_label_node(const struct sd__judge *judge, uint32_t g, uint16_t op, bool ends)
{
	const struct sd_subgraph *body = &judge->graph->graph[g];

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		/* On other nodes than labels the attribute says nothing. */
		bool end = op == SD__OP_LABEL && sd_graph_bool(judge->graph, n, SD_ATTR_SUBGRAPH_END_NODE);

		if (sd__op_is(judge, n, op) && end == ends)
			return n;
	}
	return SD_NO_NODE;
}

static uint32_t find_in_bodies(const struct sd__judge *judge, uint32_t n, uint16_t op, bool ends)
{
	uint32_t found = SD_NO_NODE;

	for (uint32_t k = 0; found == SD_NO_NODE && k < sd__body_count(judge, n); k++)
		found = find_label_node(judge, sd__body(judge, n, k), op, ends);
	return found;
}

/* `body` is the one for which the jump is taken; SD__NONE: where that of a loop does not run. */
static void add_jump(struct sd__scopes *scopes, uint32_t from, uint32_t to, uint32_t body)
{
	if (from != SD_NO_NODE && to != SD_NO_NODE)
		scopes->jump[scopes->jump_count++] = (struct sd__jump){ from, to, body == SD__NONE ? SD__NONE : scopes->live[body] };
}

static bool same_label(const struct sd__judge *judge, uint32_t a, uint32_t b)
{
	int64_t left, right;

	return sd_graph_int(judge->graph, a, SD_ATTR_LABEL_SWITCH_INDEX, &left) &&
	       sd_graph_int(judge->graph, b, SD_ATTR_LABEL_SWITCH_INDEX, &right) && left == right;
}

/* The labels of a loop: its condition's is fallen into on the way in, the switch tells whether
 * the body runs or the loop is left, the jump back orders nothing. */
static void lower_loop(struct sd__judge *judge, uint32_t n, uint32_t jumper, uint32_t end)
{
	struct sd__scopes *scopes = &judge->scopes;
	uint32_t condition = find_label_node(judge, sd__body(judge, n, 0), SD__OP_LABEL, false), body, head;

	if (condition != SD_NO_NODE)
		scopes->wait_in[condition] = judge->graph->graph_of[n];
	if (sd__body_count(judge, n) < 2)
		return;
	body = sd__body(judge, n, 1);
	head = find_label_node(judge, body, SD__OP_LABEL, false);
	if (head != SD_NO_NODE)
		scopes->wait_in[head] = SD__NONE;
	add_jump(scopes, jumper, head, body);
	if (end == SD_NO_NODE)
		return;
	add_jump(scopes, jumper, end, SD__NONE);
	add_jump(scopes, find_label_node(judge, body, SD__OP_GOTO, false), end, body);
}

static void lower_choice(struct sd__judge *judge, uint32_t n, uint32_t jumper, uint32_t end)
{
	struct sd__scopes *scopes = &judge->scopes;

	if (jumper != SD_NO_NODE)
		scopes->run_in[jumper] = scopes->wait_in[jumper] = judge->graph->graph_of[n];
	for (uint32_t k = 0; k < sd__body_count(judge, n); k++) {
		uint32_t body = sd__body(judge, n, k), head = find_label_node(judge, body, SD__OP_LABEL, false);
		uint32_t leave = find_label_node(judge, body, SD__OP_GOTO, false);

		if (head != SD_NO_NODE)
			scopes->wait_in[head] = SD__NONE;
		add_jump(scopes, jumper, head, body);
		if (end != SD_NO_NODE && leave != SD_NO_NODE && same_label(judge, leave, end))
			add_jump(scopes, leave, end, body);
	}
}

/* Whether a node's bodies are lowered; if so, when its label nodes run. */
static void lower(struct sd__judge *judge, uint32_t n)
{
	struct sd__scopes *scopes = &judge->scopes;
	uint32_t jumper, end;

	if (!sd__is_choice(judge, n))
		return;
	end = find_in_bodies(judge, n, SD__OP_LABEL, true);
	if (end == SD_NO_NODE && find_in_bodies(judge, n, SD__OP_LABEL, false) == SD_NO_NODE)
		return;
	scopes->lowered[n] = 1;
	scopes->end_label[n] = end;
	if (end != SD_NO_NODE)
		scopes->run_in[end] = judge->graph->graph_of[n];
	jumper = find_in_bodies(judge, n, SD__OP_JUMPS, false);
	if (sd__op_is(judge, n, SD__OP_LOOPS))
		lower_loop(judge, n, jumper, end);
	else
		lower_choice(judge, n, jumper, end);
}

/* Sorts the jumps by target, and lists them by start. */
static enum sd_status sort_jumps(struct sd__judge *judge)
{
	struct sd__scopes *scopes = &judge->scopes;
	uint32_t nodes = judge->graph->node_count, count = scopes->jump_count;
	struct sd__jump *found = scopes->jump;

	SD__TAKE(scopes->jump, judge->mem, struct sd__jump, count + 1);
	SD__TAKE(scopes->leads, judge->mem, uint32_t, count + 1);
	SD__TAKE0(scopes->jump_first, judge->mem, uint32_t, nodes + 2);
	SD__TAKE0(scopes->leads_first, judge->mem, uint32_t, nodes + 2);
	/* Counted two places up: filling then moves each start to where it belongs. */
	for (uint32_t i = 0; i < count; i++)
		scopes->jump_first[found[i].to + 2]++;
	for (uint32_t n = 0; n < nodes; n++)
		scopes->jump_first[n + 1] += scopes->jump_first[n];
	for (uint32_t i = 0; i < count; i++)
		scopes->jump[scopes->jump_first[found[i].to + 1]++] = found[i];
	for (uint32_t i = 0; i < count; i++)
		scopes->leads_first[scopes->jump[i].from + 2]++;
	for (uint32_t n = 0; n < nodes; n++)
		scopes->leads_first[n + 1] += scopes->leads_first[n];
	for (uint32_t i = 0; i < count; i++)
		scopes->leads[scopes->leads_first[scopes->jump[i].from + 1]++] = i;
	return SD_OK;
}

static enum sd_status find_labels(struct sd__judge *judge)
{
	struct sd__scopes *scopes = &judge->scopes;
	uint32_t nodes = judge->graph->node_count;

	SD__TAKE(scopes->run_in, judge->mem, uint32_t, nodes + 1);
	SD__TAKE(scopes->wait_in, judge->mem, uint32_t, nodes + 1);
	SD__TAKE0(scopes->lowered, judge->mem, uint8_t, nodes + 1);
	SD__TAKE(scopes->end_label, judge->mem, uint32_t, nodes + 1);
	/* At most two for every body, and two for every loop. */
	SD__TAKE(scopes->jump, judge->mem, struct sd__jump, (size_t)judge->graph->graph_count * 3 + 1);
	memcpy(scopes->run_in, judge->graph->graph_of, nodes * sizeof(uint32_t));
	memcpy(scopes->wait_in, judge->graph->graph_of, nodes * sizeof(uint32_t));
	for (uint32_t n = 0; n < nodes; n++)
		scopes->end_label[n] = SD_NO_NODE;
	for (uint32_t n = 0; n < judge->real_nodes; n++)
		lower(judge, n);
	return sort_jumps(judge);
}

enum sd_status sd__verify_scopes(struct sd__judge *judge)
{
	uint32_t graphs = judge->graph->graph_count;

	judge->scopes.bodies = graphs > 1;
	SD__TAKE(judge->scopes.scope, judge->mem, uint32_t, graphs);
	SD__TAKE0(judge->scopes.live, judge->mem, uint32_t, graphs);
	memset(judge->scopes.scope, 0xff, graphs * sizeof(uint32_t));
	judge->scopes.scope[SD_ROOT] = judge->scopes.live[SD_ROOT] = SD_ROOT;
	for (uint32_t g = 1; g < graphs; g++)
		find_scope(judge, g);
	return graphs > 1 ? find_labels(judge) : SD_OK;
}

/* Whether a node is a label that is only jumped to: nothing can wait in front of it, or its body is left by a jump itself. */
static bool only_jumped_to(const struct sd__judge *judge, uint32_t n)
{
	const struct sd__scopes *scopes = &judge->scopes;

	if (sd__wait_in(judge, n) == SD__NONE)
		return true;
	for (uint32_t i = scopes->jump_first ? scopes->jump_first[n] : 0; scopes->jump_first && i < scopes->jump_first[n + 1]; i++) {
		if (judge->graph->graph_of[scopes->jump[i].from] == judge->graph->graph_of[n])
			return true;
	}
	return false;
}

bool sd__is_jumped_to(const struct sd__judge *judge, uint32_t s)
{
	const struct sd_stream *stream = &judge->plan->stream[s];
	const struct sd_command *first = &judge->plan->command[stream->first_command];

	return stream->command_count > 0 && first->kind == SD_LAUNCH && first->arg < judge->real_nodes && only_jumped_to(judge, first->arg);
}
