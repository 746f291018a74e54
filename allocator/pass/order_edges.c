/* order_edges - which launched nodes must wait for which others, because an edge says so.
 *
 * Rule   For every edge, data and control as listed, the producer comes before the consumer.
 *        A node that launches nothing stands for its producers, through any number of
 *        such nodes. Of several producers on one lane only the last is kept (the lane
 *        orders the others), and none on the consumer's own lane; what an earlier slot of
 *        its lane has waited for through such a node is not asked for again.
 *        Who waits for a functional node waits for the ends of its bodies: the end label of
 *        lowered ones; of structured ones the slots behind them, on the lanes on which they
 *        end; else the ends themselves. A functional node that launches nothing waits by its
 *        switch, by the label of its condition, by the slots in front of its bodies, on the
 *        lanes on which they begin; else by the nodes with which they begin, and what it waited for
 *        is asked for behind the bodies only if perhaps nothing runs in them. A node begins
 *        its body if nothing in the body surely runs before it, and ends it if it is the NetOutput or,
 *        without one, is read by nobody. In a structured loop the next turn waits for the ends
 *        of this one on every lane with which it begins.
 * Why    These are the orders that streams do not give by themselves; what of them needs a
 *        sync is decided by reduce_orders.
 *        Orders that no edge asks for (order_attached) join them.
 * Example a(0) -> reshape -> c(1), b(0) -> c with a before b: b before c is kept.
 * Differs Graph Engine lets producers and consumers of a node without task meet on its
 *        stream; here they are paired directly, so that nothing is ordered unasked. It orders
 *        nothing between structured bodies and their node.
 * Cost   O(edges * lanes) at worst, O(edges) where nodes without task have few producers;
 *        bodies add their beginnings and ends, times their depth. */
#include "passes.h"

#include "needs.h"
#include "ways.h"
#include "mutants.h"

struct collector {
	struct sd_job *job;
	struct sd_needs met;             /* what the node being looked at must wait for */
	struct sd_need_list *of_node;    /* per node that launches nothing, or has bodies */
	SD_VEC(struct sd_order_pair) orders;
	bool *sure, *ends_surely;        /* per node, per graph: something runs there whichever bodies do; NULL: there are no bodies */
	uint32_t *first_extra, *extra;   /* extra orders by receiving slot */
	uint32_t *read, *read_scope;     /* per lane: begin of the list that one of its slots read last, and its scope */
	struct sd_need_list *ends;       /* per graph: how it ends */
	SD_VEC(uint32_t) begins;         /* stack: slots with which the bodies that are open begin */
	uint32_t work;                   /* nodes since the last question whether to stop */
};

/* Data edges that close a loop order nothing. */
static bool orders_nothing(const struct sd_job *job, const struct sd_edge *edge)
{
	enum sd_op op = edge->src == SD_NO_NODE ? SD_OP_OTHER : sd_job_op(job, edge->src);

	return edge->src == SD_NO_NODE || (SD_MUTANT(edges_without_control) && edge->port == SD_CONTROL) || op == SD_OP_NEXT_ITERATION || op == SD_OP_REF_NEXT_ITERATION;
}

/* The list that stands for a producer; NULL where its own slot does. */
static const struct sd_need_list *list_of(const struct collector *c, uint32_t node)
{
	bool alone = c->job->slots.sender[node] != SD_NO_INDEX && !sd_scopes_functional(&c->job->scopes, node);

	return alone ? NULL : &c->of_node[node];
}

/* What a lane has read, its later slots need not wait for again. */
static void meet_list(struct collector *c, const struct sd_need_list *list, uint32_t reader, enum sd_cause cause)
{
	const struct sd_slots *slots = &c->job->slots;
	uint32_t slot = slots->waits_at[reader], lane = slot == SD_NO_INDEX ? 0 : slots->lane[slot];

	if (list->count == 0)
		return;
	if (slot != SD_NO_INDEX && c->read[lane] == list->first &&
	    sd_scope_within(&c->job->scopes, slots->scope[slot], c->read_scope[lane]))
		return;
	for (uint32_t i = 0; i < list->count; i++)
		sd_needs_meet(&c->met, c->met.pool.at[list->first + i].slot, cause, c->met.pool.at[list->first + i].need);
	if (slot == SD_NO_INDEX)
		return;
	c->read[lane] = list->first;
	c->read_scope[lane] = slots->scope[slot];
}

static void meet_producers(struct collector *c, uint32_t reader)
{
	const struct sd_graph *graph = c->job->graph;

	for (uint32_t e = graph->in_first[reader]; e < graph->in_first[reader + 1]; e++) {
		const struct sd_edge *edge = &graph->in[e];
		enum sd_cause cause = edge->port == SD_CONTROL ? SD_CAUSE_CONTROL : SD_CAUSE_DATA;
		const struct sd_need_list *list;

		if (orders_nothing(c->job, edge))
			continue;
		list = list_of(c, edge->src);
		if (list)
			meet_list(c, list, reader, cause);
		else
			sd_needs_meet(&c->met, c->job->slots.sender[edge->src], cause, SD_NO_INDEX);
	}
}

/* Whether all that a node meets stands in one list, or is nothing. */
static bool shares_list(const struct collector *c, uint32_t node, struct sd_need_list *list)
{
	const struct sd_graph *graph = c->job->graph;

	*list = (struct sd_need_list){ 0, 0 };
	for (uint32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; e++) {
		const struct sd_edge *edge = &graph->in[e];
		const struct sd_need_list *theirs;

		if (orders_nothing(c->job, edge))
			continue;
		theirs = list_of(c, edge->src);
		if (!theirs)
			return false;
		if (theirs->count == 0 || (list->count && (theirs->first == list->first || (SD_MUTANT(edges_lists_of_one_length) && theirs->count == list->count))))
			continue;
		if (list->count)
			return false;
		*list = *theirs;
	}
	return true;
}

/* A node that launches nothing hands on what it met. */
static enum sd_status hand_on(struct collector *c, uint32_t node)
{
	if (shares_list(c, node, &c->of_node[node]))
		return SD_OK;
	sd_needs_begin(&c->met);
	meet_producers(c, node);
	return sd_needs_keep(&c->met, &c->of_node[node]);
}

/* Asks for one order. Both ends must run equally often, or one would be recorded and the other not waited for. */
static enum sd_status require(struct collector *c, uint32_t from, uint32_t to, enum sd_cause cause, uint32_t need)
{
	const struct sd_slots *slots = &c->job->slots;

	if (from == to)
		return SD_OK;
	if (slots->scope[from] != slots->scope[to])
		return SD_FAIL1(c->job->diag, SD_CODE_PASSED_OVER, slots->node[to], sd_arg_node(slots->node[from]));
	if (slots->lane[from] == slots->lane[to] && from > to)
		return SD_FAIL0(c->job->diag, SD_CODE_ORDER_CYCLE, slots->node[to]);
	if (slots->lane[from] == slots->lane[to])
		return SD_OK;
	if (!sd_vec_room(c->job->mem, &c->orders))
		SD_NEED(c->job, NULL);
	c->orders.at[c->orders.count++] = (struct sd_order_pair){ from, to, cause, need };
	return SD_OK;
}

/* Ends one slot: what it met on other lanes becomes orders. */
static enum sd_status ask(struct collector *c, uint32_t slot)
{
	for (uint32_t i = c->first_extra[slot]; i < c->first_extra[slot + 1]; i++) {
		const struct sd_order_pair *extra = &c->job->extra_orders.at[c->extra[i]];

		sd_needs_meet(&c->met, extra->from, extra->cause, SD_NO_INDEX);
	}
	for (uint32_t i = 0; i < c->met.lanes; i++)
		SD_TRY(require(c, c->met.latest[c->met.lane[i]], slot, c->met.cause[c->met.lane[i]], c->met.need[c->met.lane[i]]));
	return SD_OK;
}

/* A label that is only jumped to comes behind the jump, and can wait for nothing else. */
static enum sd_status ask_label(struct collector *c, uint32_t node)
{
	const struct sd_slots *slots = &c->job->slots;
	const struct sd_scopes *scopes = &c->job->scopes;
	uint32_t scope = scopes->of_graph[c->job->graph->graph_of[node]];
	uint32_t jump = slots->of_node[scopes->functional[scopes->at[scope].functional].switch_node];

	for (uint32_t i = 0; i < c->met.lanes; i++) {
		if (c->met.latest[c->met.lane[i]] != jump)
			return SD_FAIL1(c->job->diag, SD_CODE_PASSED_OVER, node, sd_arg_node(slots->node[c->met.latest[c->met.lane[i]]]));
	}
	return SD_OK;
}

/* Edges lead to the main slot; attached ones have extra orders only. */
static enum sd_status ask_node(struct collector *c, uint32_t node)
{
	const struct sd_slots *slots = &c->job->slots;
	uint32_t slot = slots->of_node[node];

	SD_TRY(slots->waits_at[node] == SD_NO_INDEX ? ask_label(c, node) : ask(c, slots->waits_at[node]));
	while (sd_slot_is_attached(slots, ++slot, node)) {
		sd_needs_begin(&c->met);
		SD_TRY(ask(c, slot));
	}
	return SD_OK;
}

static enum sd_status begin_with(struct collector *c, uint32_t slot)
{
	if (!sd_vec_room(c->job->mem, &c->begins))
		SD_NEED(c->job, NULL);
	c->begins.at[c->begins.count++] = slot;
	return SD_OK;
}

/* With structured bodies, the lanes on which they begin: each once. Leaves them met. */
static void meet_begins(struct collector *c, uint32_t first)
{
	sd_needs_begin(&c->met);
	for (uint32_t i = first; i < c->begins.count; i++)
		sd_needs_meet(&c->met, c->begins.at[i], SD_CAUSE_SUBGRAPH, SD_NO_INDEX);
}

/* The next turn of a loop waits, wherever it begins, for the ends of this one. */
static enum sd_status ask_again(struct collector *c, uint32_t number, const struct sd_need_list *ends)
{
	for (uint32_t i = 0; i < c->met.lanes; i++) {
		uint32_t again = sd_slots_exit_on(&c->job->slots, number, c->met.lane[i])->again;

		for (uint32_t k = 0; k < ends->count && !SD_MUTANT(edges_no_next_turn); k++)
			SD_TRY(require(c, c->met.pool.at[ends->first + k].slot, again, SD_CAUSE_ORDER, c->met.pool.at[ends->first + k].need));
	}
	return SD_OK;
}

/* The split wants to know on which pieces structured bodies begin. */
static enum sd_status note_entries(struct collector *c, uint32_t number, uint32_t first)
{
	struct sd_slots *slots = &c->job->slots;

	slots->exits[number].first_entry = slots->entry.count;
	slots->exits[number].entry_count = c->begins.count - first;
	for (uint32_t i = first; i < c->begins.count; i++) {
		if (!sd_vec_room(c->job->mem, &slots->entry))
			SD_NEED(c->job, NULL);
		slots->entry.at[slots->entry.count++] = c->begins.at[i];
	}
	return SD_OK;
}

/* How a functional node begins: replaces what its bodies begin with on the stack. */
static enum sd_status find_begins(struct collector *c, uint32_t number, uint32_t first)
{
	const struct sd_job *job = c->job;
	const struct sd_functional *fun = &job->scopes.functional[number];
	const uint32_t *body = job->graph->body + job->graph->body_first[fun->node];

	if (fun->form == SD_FORM_INLINE)
		return SD_OK;
	SD_TRY(note_entries(c, number, first));
	meet_begins(c, first);
	c->begins.count = first;
	if (fun->form == SD_FORM_LOWERED)
		return begin_with(c, sd_way_in(job, fun));
	if (fun->loop)
		SD_TRY(ask_again(c, number, &c->ends[body[1]]));
	for (uint32_t i = 0; i < c->met.lanes; i++) {
		uint32_t fork = sd_slots_exit_on(&job->slots, number, c->met.lane[i])->fork;

		if (fork != SD_NO_INDEX)
			SD_TRY(begin_with(c, fork));
	}
	return SD_OK;
}

/* Meets what ends the bodies of a functional node. */
static void meet_ends(struct collector *c, uint32_t number)
{
	struct sd_slots *slots = &c->job->slots;
	const struct sd_functional *fun = &c->job->scopes.functional[number];
	const uint32_t *body = c->job->graph->body + c->job->graph->body_first[fun->node];

	if (fun->form == SD_FORM_LOWERED)
		sd_needs_meet(&c->met, slots->sender[fun->end_node], SD_CAUSE_SUBGRAPH, SD_NO_INDEX);
	for (uint32_t k = 0; fun->form != SD_FORM_LOWERED && k < fun->body_count; k++) {
		for (uint32_t i = 0; i < c->ends[body[k]].count; i++) {
			struct sd_met end = c->met.pool.at[c->ends[body[k]].first + i];
			const struct sd_exit *exit = fun->form == SD_FORM_INLINE ? NULL : sd_slots_exit_on(slots, number, slots->lane[end.slot]);

			if (!exit) {
				sd_needs_meet(&c->met, end.slot, SD_CAUSE_SUBGRAPH, end.need);
				continue;
			}
			slots->told[exit->first_tail + k] = end.need == SD_NO_INDEX ? sd_needs_new(&c->met, end.slot, SD_NO_INDEX) : end.need;
			sd_needs_meet(&c->met, exit->slot, SD_CAUSE_SUBGRAPH, sd_needs_new(&c->met, exit->slot, SD_NO_INDEX));
		}
	}
}

static void meet_met(struct collector *c, struct sd_met met)
{
	sd_needs_meet(&c->met, met.slot, met.cause, met.need);
}

static enum sd_status require_met(struct collector *c, struct sd_met met, uint32_t to)
{
	return require(c, met.slot, to, met.cause, met.need);
}

static enum sd_status visit_graph(struct collector *c, uint32_t graph_number);

/* Whether something in its graph surely runs before a node. */
static bool is_fed(const struct collector *c, uint32_t node)
{
	const struct sd_graph *graph = c->job->graph;

	for (uint32_t e = graph->in_first[node]; c->sure && e < graph->in_first[node + 1]; e++) {
		if (!orders_nothing(c->job, &graph->in[e]) && c->sure[graph->in[e].src])
			return true;
	}
	return false;
}

/* Whether something surely runs in bodies, whichever are taken, and those that read their node know its end. */
static bool bodies_run(const struct collector *c, const struct sd_functional *fun)
{
	const uint32_t *body = c->job->graph->body + c->job->graph->body_first[fun->node];
	bool all = true, any = false;

	for (uint32_t k = 0; k < fun->body_count; k++) {
		all &= c->ends_surely[body[k]];
		any |= c->ends_surely[body[k]];
	}
	if (fun->form == SD_FORM_INLINE)
		return any;
	if (fun->form == SD_FORM_LOWERED)
		return true;
	return fun->loop ? c->ends_surely[body[0]] : SD_MUTANT(edges_sure_of_one) ? any : all;
}

/* Whether something surely runs before those that read a node, because of the node or what stands before it. */
static bool is_sure(const struct collector *c, uint32_t node, const struct sd_functional *fun)
{
	return c->job->launched[node] || is_fed(c, node) || (fun && bodies_run(c, fun));
}

/* A functional node, once what it waits for is met: its bodies, and how they hang together with it. */
static enum sd_status visit_bodies(struct collector *c, uint32_t node)
{
	const struct sd_job *job = c->job;
	uint32_t first = c->begins.count, own = job->slots.of_node[node], number = job->scopes.functional_of[node];
	struct sd_need_list before;
	bool begins;

	sd_needs_begin(&c->met);
	if (own == SD_NO_INDEX)
		meet_producers(c, node);
	else
		sd_needs_meet(&c->met, own, SD_CAUSE_SUBGRAPH, SD_NO_INDEX);
	SD_TRY(sd_needs_keep(&c->met, &before));
	begins = own == SD_NO_INDEX && !is_fed(c, node);
	for (uint32_t i = job->graph->body_first[node]; i < job->graph->body_first[node + 1]; i++)
		SD_TRY(visit_graph(c, job->graph->body[i]));
	SD_TRY(find_begins(c, number, first));
	for (uint32_t i = first; i < c->begins.count; i++) {
		for (uint32_t k = 0; k < before.count; k++)
			SD_TRY(require_met(c, c->met.pool.at[before.first + k], c->begins.at[i]));
	}
	c->begins.count = begins ? c->begins.count : first;
	sd_needs_begin(&c->met);
	/* Behind bodies in which something runs, what they waited for is known; it would add up over all that follow each other. */
	for (uint32_t k = 0; k < before.count && !bodies_run(c, &job->scopes.functional[number]) && !SD_MUTANT(edges_bodies_stand_for_all); k++)
		meet_met(c, c->met.pool.at[before.first + k]);
	meet_ends(c, number);
	return sd_needs_keep(&c->met, &c->of_node[node]);
}

static enum sd_status visit(struct collector *c, uint32_t node)
{
	const struct sd_functional *fun = sd_scopes_functional(&c->job->scopes, node);
	bool launched = c->job->launched[node], inside = c->job->graph->graph_of[node] != SD_ROOT;

	if (++c->work % SD_STOP_STRIDE == 0 && sd_job_stopped(c->job))
		return SD_FAIL0(c->job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
	if (launched) {
		sd_needs_begin(&c->met);
		meet_producers(c, node);
		if (inside && !is_fed(c, node) && c->job->slots.waits_at[node] != SD_NO_INDEX)
			SD_TRY(begin_with(c, c->job->slots.waits_at[node]));
		SD_TRY(ask_node(c, node));
	}
	if (fun)
		SD_TRY(visit_bodies(c, node));
	else if (!launched)
		SD_TRY(hand_on(c, node));
	if (c->sure)
		c->sure[node] = is_sure(c, node, fun);
	return SD_OK;
}

static bool ends_graph(const struct sd_job *job, uint32_t node, bool has_output)
{
	if (has_output && !SD_MUTANT(edges_ends_without_output))
		return sd_job_op(job, node) == SD_OP_NET_OUTPUT;
	return job->adjacency.succ_first[node] == job->adjacency.succ_first[node + 1];
}

/* How a body ends. */
static enum sd_status keep_ends(struct collector *c, uint32_t graph_number)
{
	const struct sd_subgraph *graph = &c->job->graph->graph[graph_number];
	bool has_output = false;

	for (uint32_t i = 0; i < graph->node_count; i++)
		has_output |= sd_job_op(c->job, graph->first_node + i) == SD_OP_NET_OUTPUT;
	sd_needs_begin(&c->met);
	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		const struct sd_need_list *list = list_of(c, n);

		if (!ends_graph(c->job, n, has_output))
			continue;
		c->ends_surely[graph_number] |= c->sure[n];
		for (uint32_t i = 0; list && i < list->count; i++)
			meet_met(c, c->met.pool.at[list->first + i]);
		if (!list)
			sd_needs_meet(&c->met, c->job->slots.sender[n], SD_CAUSE_SUBGRAPH, SD_NO_INDEX);
	}
	return sd_needs_keep(&c->met, &c->ends[graph_number]);
}

static enum sd_status visit_graph(struct collector *c, uint32_t graph_number)
{
	const struct sd_subgraph *graph = &c->job->graph->graph[graph_number];

	for (uint32_t i = 0; i < graph->node_count; i++)
		SD_TRY(visit(c, c->job->order.node[graph->first_node + i]));
	return graph_number == SD_ROOT ? SD_OK : keep_ends(c, graph_number);
}

/* Extra orders by the slot that they end at, in the order in which they were asked for. */
static enum sd_status index_extra(struct collector *c)
{
	struct sd_job *job = c->job;
	uint32_t count = job->extra_orders.count, slots = job->slots.count, *next = SD_NEW(job->mem, uint32_t, slots);

	c->first_extra = SD_NEW0(job->mem, uint32_t, slots + 1u);
	c->extra = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, next && c->first_extra && c->extra);
	for (uint32_t i = 0; i < count; i++)
		c->first_extra[job->extra_orders.at[i].to + 1]++;
	for (uint32_t s = 0; s < slots; s++) {
		next[s] = c->first_extra[s];
		c->first_extra[s + 1] += next[s];
	}
	for (uint32_t i = 0; i < count; i++)
		c->extra[next[job->extra_orders.at[i].to]++] = i;
	return SD_OK;
}

enum sd_status sd__pass_order_edges(struct sd_job *job)
{
	uint32_t nodes = job->graph->node_count, lanes = job->slots.lane_count;
	struct collector c = {
		.job = job, .of_node = SD_NEW0(job->mem, struct sd_need_list, nodes), .read = SD_NEW(job->mem, uint32_t, lanes),
		.read_scope = SD_NEW(job->mem, uint32_t, lanes), .ends = SD_NEW0(job->mem, struct sd_need_list, job->graph->graph_count),
	};

	SD_TRY(sd_needs_init(&c.met, job));
	if (job->scopes.functional_count) {
		c.sure = SD_NEW0(job->mem, bool, nodes);
		c.ends_surely = SD_NEW0(job->mem, bool, job->graph->graph_count);
		SD_NEED(job, c.sure && c.ends_surely);
	}
	SD_NEED(job, c.of_node && c.read && c.read_scope && c.ends);
	SD_TRY(index_extra(&c));
	memset(c.read, 0xff, (size_t)lanes * sizeof(*c.read));
	SD_TRY(visit_graph(&c, SD_ROOT));
	job->orders = (struct sd_order_list){ c.orders.count, c.orders.at };
	/* Bodies are asked about before and behind what stands in them. */
	return job->scopes.functional_count ? sd_job_sort_orders(job, &job->orders) : SD_OK;
}
