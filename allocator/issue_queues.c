/* What each stream does in a run: bodies that are not chosen left out, those of loops once for each turn,
 * holds where something is to be activated or jumped to. */
#include "base/merge.h"
#include "issue_impl.h"

#define NO_GRAPH UINT32_MAX

/* A hold has a key: the visit in which its stream is activated, or, behind the visits, the slot of a label. */
struct hold {
	uint32_t stream, key;
};

struct expander {
	struct sd__queues *q;
	const uint32_t *sync_of;         /* by command */
	uint32_t *started_in;            /* by stream: the graph around all that activate it; NO_GRAPH: none does */
	uint32_t *jumps_from, *jumps_to; /* by node: the first jump + 1 */
	uint32_t *next_from, *next_to;   /* by jump: the next + 1 */
	SD_VEC(struct hold) hold;
	uint32_t stream;
	uint32_t held_for;               /* visit for which the stream was last held; SD_NO_VISIT: none */
};

enum sd_status sd__queues_no_memory(struct sd__queues *q)
{
	return SD_FAIL1(q->diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

/* ---- which graph a command runs with ---- */

static uint32_t runs_in(const struct sd__queues *q, const struct sd_command *command)
{
	switch (command->kind) {
	case SD_LAUNCH: return q->flow->runs_in[command->arg];
	case SD_ACTIVATE: return q->flow->runs_in[q->plan->activation[command->arg].node];
	}
	return command->in;
}

static uint32_t around(const struct sd_flow *flow, uint32_t graph)
{
	return flow->graph_of[flow->parent[graph]];
}

/* The graph directly below `outer` in which `graph` lies; NO_GRAPH: it lies in none. */
static uint32_t towards(const struct sd_flow *flow, uint32_t outer, uint32_t graph)
{
	while (graph != SD_FLOW_ROOT && around(flow, graph) != outer)
		graph = around(flow, graph);
	return graph == SD_FLOW_ROOT ? NO_GRAPH : graph;
}

static uint32_t depth_of(const struct sd_flow *flow, uint32_t graph)
{
	uint32_t depth = 0;

	for (; graph != SD_FLOW_ROOT; graph = around(flow, graph))
		depth++;
	return depth;
}

static uint32_t common(const struct sd_flow *flow, uint32_t a, uint32_t b)
{
	uint32_t x = depth_of(flow, a), y = depth_of(flow, b);

	for (; x > y; x--)
		a = around(flow, a);
	for (; y > x; y--)
		b = around(flow, b);
	for (; a != b; b = around(flow, b))
		a = around(flow, a);
	return a;
}

/* ---- what activates and jumps ---- */

static enum sd_status find_starters(struct expander *e)
{
	const struct sd_plan *plan = e->q->plan;
	const struct sd_flow *flow = e->q->flow;

	e->started_in = SD_NEW(e->q->mem, uint32_t, plan->stream_count + 1);
	if (!e->started_in)
		return sd__queues_no_memory(e->q);
	for (uint32_t s = 0; s < plan->stream_count; s++)
		e->started_in[s] = NO_GRAPH;
	for (uint32_t a = 0; a < plan->activation_count; a++) {
		const struct sd_activation *activation = &plan->activation[a];

		if (flow->traits[activation->node] & SD_FLOW_NEXT_TURN)
			continue;
		for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
			uint32_t *graph = &e->started_in[plan->activated[i]], here = flow->runs_in[activation->node];

			if (!plan->stream[plan->activated[i]].initially_active)
				*graph = *graph == NO_GRAPH ? here : common(flow, *graph, here);
		}
	}
	return SD_OK;
}

static enum sd_status find_jumps(struct expander *e)
{
	const struct sd_flow *flow = e->q->flow;

	e->jumps_from = SD_NEW0(e->q->mem, uint32_t, flow->node_count + 1);
	e->jumps_to = SD_NEW0(e->q->mem, uint32_t, flow->node_count + 1);
	e->next_from = SD_NEW(e->q->mem, uint32_t, flow->jump_count + 1);
	e->next_to = SD_NEW(e->q->mem, uint32_t, flow->jump_count + 1);
	if (!e->jumps_from || !e->jumps_to || !e->next_from || !e->next_to)
		return sd__queues_no_memory(e->q);
	for (uint32_t j = flow->jump_count; j-- > 0;) {
		e->next_from[j] = e->jumps_from[flow->jump[j].from];
		e->jumps_from[flow->jump[j].from] = j + 1;
		e->next_to[j] = e->jumps_to[flow->jump[j].to];
		e->jumps_to[flow->jump[j].to] = j + 1;
	}
	return SD_OK;
}

/* The node whose bodies the jump is for. */
static uint32_t owner_of(const struct sd_flow *flow, const struct sd_jump *jump)
{
	switch (jump->kind) {
	case SD_JUMP_ENTER:
	case SD_JUMP_LEAVE: return flow->parent[jump->body];
	case SD_JUMP_TURN:
	case SD_JUMP_BACK: return flow->parent[flow->runs_in[jump->to]];
	case SD_JUMP_END: break;
	}
	return flow->parent[flow->runs_in[jump->from]];
}

/* The visit of the label that a jump leads to when its start runs in `visit`; SD_NO_VISIT: it is not taken there. */
static uint32_t leads_to(const struct expander *e, const struct sd_jump *jump, uint32_t visit)
{
	const struct sd_flow *flow = e->q->flow;
	const struct sd_visits *visits = &e->q->visits;
	uint32_t owner = owner_of(flow, jump), up = visits->visit[visit].parent, turn = visits->visit[visit].turn;

	switch (jump->kind) {
	case SD_JUMP_ENTER: return sd_visit_of_body(flow, visits, visit, owner, sd_flow_instance(flow, jump->body), 0);
	case SD_JUMP_LEAVE: return up;
	case SD_JUMP_TURN: return sd_visit_of_body(flow, visits, up, owner, 1, turn);
	case SD_JUMP_BACK: return sd_visit_of_body(flow, visits, up, owner, 0, turn + 1);
	case SD_JUMP_END: return turn == visits->taken[owner] ? up : SD_NO_VISIT;
	}
	return SD_NO_VISIT;
}

/* Whether the label is come to by this jump in `visit`. */
static bool comes_by(const struct expander *e, const struct sd_jump *jump, uint32_t visit)
{
	uint32_t owner = owner_of(e->q->flow, jump);

	switch (jump->kind) {
	case SD_JUMP_LEAVE: return e->q->visits.taken[owner] == sd_flow_instance(e->q->flow, jump->body);
	case SD_JUMP_BACK: return e->q->visits.visit[visit].turn > 0;
	case SD_JUMP_ENTER:
	case SD_JUMP_TURN:
	case SD_JUMP_END: break;
	}
	return true;
}

static bool changes_stream(const struct expander *e, const struct sd_jump *jump)
{
	return e->q->plan->node[jump->from].stream != e->q->plan->node[jump->to].stream;
}

static bool is_jumped_to(const struct expander *e, uint32_t node, uint32_t visit)
{
	for (uint32_t j = e->jumps_to[node]; j; j = e->next_to[j - 1]) {
		const struct sd_jump *jump = &e->q->flow->jump[j - 1];

		if (changes_stream(e, jump) && comes_by(e, jump, visit))
			return true;
	}
	return false;
}

/* ---- steps ---- */

static enum sd_status put(struct expander *e, enum sd_step_kind kind, uint32_t arg, uint32_t visit, uint32_t with)
{
	struct sd__queues *q = e->q;

	if (!sd_vec_room(q->mem, &q->queued))
		return sd__queues_no_memory(q);
	q->queued.at[q->queued.count++] = (struct sd__queued){ { kind, false, e->stream, arg, visit, 0 }, 0, with };
	return SD_OK;
}

static uint32_t label_key(const struct expander *e, uint32_t visit, uint32_t node)
{
	return e->q->visits.count + sd_visit_slot(&e->q->visits, visit, node);
}

static enum sd_status put_hold(struct expander *e, uint32_t visit, uint32_t key)
{
	if (!sd_vec_room(e->q->mem, &e->hold))
		return sd__queues_no_memory(e->q);
	e->hold.at[e->hold.count] = (struct hold){ e->stream, key };
	return put(e, SD_STEP_HOLD, 0, visit, e->hold.count++);
}

/* A stream that is activated is held in front of what each activation starts. */
static enum sd_status hold_in_front(struct expander *e, const struct sd_command *command, uint32_t visit)
{
	uint32_t graph = e->started_in[e->stream], started = graph == NO_GRAPH ? SD_NO_VISIT : sd_visit_up(&e->q->visits, visit, graph);
	bool label = command->kind == SD_LAUNCH && !command->attached && is_jumped_to(e, command->arg, visit);

	if (started != SD_NO_VISIT && started != e->held_for) {
		e->held_for = started;
		if (!label)
			SD_TRY(put_hold(e, visit, started));
	}
	return label ? put_hold(e, visit, label_key(e, visit, command->arg)) : SD_OK;
}

static enum sd_status put_launch(struct expander *e, const struct sd_command *command, uint32_t visit)
{
	uint32_t node = command->arg;

	SD_TRY(put(e, SD_STEP_LAUNCH, node, visit, 0));
	e->q->queued.at[e->q->queued.count - 1].step.attached = command->attached;
	e->q->queued.at[e->q->queued.count - 1].step.slot = sd_visit_slot(&e->q->visits, visit, node);
	for (uint32_t j = command->attached ? 0 : e->jumps_from[node]; j; j = e->next_from[j - 1]) {
		const struct sd_jump *jump = &e->q->flow->jump[j - 1];
		uint32_t to = changes_stream(e, jump) ? leads_to(e, jump, visit) : SD_NO_VISIT;

		if (to != SD_NO_VISIT)
			SD_TRY(put(e, SD_STEP_ACTIVATE, (uint32_t)e->q->plan->node[jump->to].stream, visit, label_key(e, to, jump->to)));
	}
	return SD_OK;
}

static enum sd_status put_activation(struct expander *e, uint32_t a, uint32_t visit)
{
	const struct sd_activation *activation = &e->q->plan->activation[a];

	if (e->q->flow->traits[activation->node] & SD_FLOW_NEXT_TURN)
		return SD_OK;
	for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
		uint32_t started = e->q->plan->activated[i];

		if (e->started_in[started] != NO_GRAPH)
			SD_TRY(put(e, SD_STEP_ACTIVATE, started, visit, sd_visit_up(&e->q->visits, visit, e->started_in[started])));
	}
	return SD_OK;
}

static enum sd_status put_command(struct expander *e, uint32_t c, uint32_t visit)
{
	static const enum sd_step_kind kind[] = {
		[SD_RECORD] = SD_STEP_RECORD, [SD_WAIT] = SD_STEP_WAIT, [SD_NOTIFY_RECORD] = SD_STEP_NOTIFY_RECORD, [SD_NOTIFY_WAIT] = SD_STEP_NOTIFY_WAIT,
	};
	const struct sd_command *command = &e->q->plan->command[c];

	SD_TRY(hold_in_front(e, command, visit));
	if (command->kind == SD_LAUNCH)
		return put_launch(e, command, visit);
	if (command->kind == SD_ACTIVATE)
		return put_activation(e, command->arg, visit);
	return put(e, kind[command->kind], command->arg, visit, e->sync_of[c]);
}

/* ---- bodies ---- */

/* Commands of bodies of one node that stand together. */
struct block {
	uint32_t first, end;
	uint32_t node;
	uint32_t visit;   /* of the graph around */
};

static enum sd_status expand(struct expander *e, uint32_t first, uint32_t end, uint32_t graph, uint32_t visit);

/* Those of one body, in one visit. */
static enum sd_status expand_body(struct expander *e, const struct block *block, uint32_t instance, uint32_t turn)
{
	const struct sd_flow *flow = e->q->flow;
	uint32_t graph = flow->graph_of[block->node], body = flow->body[flow->body_first[block->node] + instance];
	uint32_t visit = sd_visit_of_body(flow, &e->q->visits, block->visit, block->node, instance, turn);

	for (uint32_t c = block->first, last; visit != SD_NO_VISIT && c < block->end; c = last) {
		for (last = c; last < block->end && towards(flow, graph, runs_in(e->q, &e->q->plan->command[last])) == body; last++)
			;
		SD_TRY(expand(e, c, last, body, visit));
		last += last == c;
	}
	return SD_OK;
}

static enum sd_status expand_block(struct expander *e, const struct block *block)
{
	const struct sd_flow *flow = e->q->flow;
	uint32_t bodies = flow->body_first[block->node + 1] - flow->body_first[block->node];
	bool loops = flow->kind[block->node] == SD_FLOW_LOOPS;

	for (uint32_t turn = 0; turn <= (loops ? e->q->visits.taken[block->node] : 0); turn++) {
		for (uint32_t k = 0; k < bodies; k++)
			SD_TRY(expand_body(e, block, k, turn));
	}
	return SD_OK;
}

static enum sd_status expand(struct expander *e, uint32_t first, uint32_t end, uint32_t graph, uint32_t visit)
{
	const struct sd_flow *flow = e->q->flow;

	for (uint32_t c = first; c < end;) {
		uint32_t below = towards(flow, graph, runs_in(e->q, &e->q->plan->command[c]));
		struct block block = { .first = c, .visit = visit };

		if (below == NO_GRAPH) {
			SD_TRY(put_command(e, c++, visit));
			continue;
		}
		block.node = flow->parent[below];
		for (; c < end; c++) {
			below = towards(flow, graph, runs_in(e->q, &e->q->plan->command[c]));
			if (below == NO_GRAPH || flow->parent[below] != block.node)
				break;
		}
		block.end = c;
		SD_TRY(expand_block(e, &block));
	}
	return SD_OK;
}

/* ---- which hold an activation opens ---- */

static int compare_holds(const void *context, uint32_t a, uint32_t b)
{
	const struct hold *x = &((const struct expander *)context)->hold.at[a], *y = &((const struct expander *)context)->hold.at[b];

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static uint32_t find_hold(const struct expander *e, const uint32_t *sorted, uint32_t stream, uint32_t key)
{
	uint32_t low = 0, high = e->hold.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct hold *hold = &e->hold.at[sorted[middle]];

		if (hold->stream == stream && hold->key == key)
			return sorted[middle];
		if (hold->stream < stream || (hold->stream == stream && hold->key < key))
			low = middle + 1;
		else
			high = middle;
	}
	return SD__NOT_HELD;
}

static enum sd_status match_holds(struct expander *e)
{
	uint32_t *sorted = SD_NEW(e->q->mem, uint32_t, e->hold.count + 1), *spare = SD_NEW(e->q->mem, uint32_t, e->hold.count + 1);

	if (!sorted || !spare)
		return sd__queues_no_memory(e->q);
	for (uint32_t h = 0; h < e->hold.count; h++)
		sorted[h] = h;
	sd_merge_sort(sorted, spare, e->hold.count, compare_holds, e);
	for (uint32_t i = 0; i < e->q->queued.count; i++) {
		struct sd__queued *queued = &e->q->queued.at[i];

		if (queued->step.kind == SD_STEP_ACTIVATE)
			queued->with = find_hold(e, sorted, queued->step.arg, queued->with);
	}
	e->q->hold_count = e->hold.count;
	return SD_OK;
}

/* Waits and holds stand in front of a launch, records behind it: they are as urgent as it is. */
static void rank_steps(struct sd__queues *q)
{
	uint32_t rank = 0;

	for (uint32_t s = 0; s < q->plan->stream_count; s++) {
		for (uint32_t i = q->first[s]; i < q->first[s + 1]; i++) {
			if (q->queued.at[i].step.kind == SD_STEP_LAUNCH)
				rank = q->flow->rank[q->queued.at[i].step.arg];
			q->queued.at[i].rank = rank;
		}
		for (uint32_t i = q->first[s + 1]; i-- > q->first[s];) {
			enum sd_step_kind kind = q->queued.at[i].step.kind;

			if (kind == SD_STEP_LAUNCH)
				rank = q->queued.at[i].rank;
			else if (kind == SD_STEP_WAIT || kind == SD_STEP_NOTIFY_WAIT || kind == SD_STEP_HOLD)
				q->queued.at[i].rank = rank;
		}
		rank = 0;
	}
}

enum sd_status sd__queues_make(struct sd__queues *q)
{
	const struct sd_plan *plan = q->plan;
	uint32_t *sync_of = SD_NEW(q->mem, uint32_t, plan->command_count + 1);
	struct expander e = { .q = q, .sync_of = sync_of };

	q->first = SD_NEW(q->mem, uint32_t, plan->stream_count + 1);
	if (!sync_of || !q->first)
		return sd__queues_no_memory(q);
	SD_TRY(sd__pair_syncs(q, sync_of));
	SD_TRY(find_starters(&e));
	SD_TRY(find_jumps(&e));
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		q->first[s] = q->queued.count;
		e.stream = s;
		e.held_for = SD_NO_VISIT;
		SD_TRY(expand(&e, plan->stream[s].first_command, plan->stream[s].first_command + plan->stream[s].command_count, SD_FLOW_ROOT, 0));
	}
	q->first[plan->stream_count] = q->queued.count;
	rank_steps(q);
	return match_holds(&e);
}
