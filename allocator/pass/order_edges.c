/* order_edges - which launched nodes must wait for which others, because an edge says so.
 *
 * Rule   For every edge, data and control as listed, the producer comes before the consumer.
 *        A node that launches nothing stands for its producers, through any number of
 *        such nodes. Of several producers on one lane only the last is kept (the lane
 *        orders the others), and none on the consumer's own lane; what an earlier slot of
 *        its lane has waited for through such a node is not asked for again.
 * Why    These are the orders that streams do not give by themselves; what of them needs a
 *        sync is decided by reduce_orders.
 *        Orders that no edge asks for (order_attached) join them.
 * Example a(0) -> reshape -> c(1), b(0) -> c with a before b: b before c is kept.
 * Differs Graph Engine lets producers and consumers of a node without task meet on its
 *        stream; here they are paired directly, so that nothing is ordered unasked.
 * Cost   O(edges * lanes) at worst, O(edges) where nodes without task have few producers. */
#include "passes.h"

/* What a consumer must wait for: at most one slot per lane, as a range of `pool`. */
struct need {
	uint32_t first, count;
};

struct collector {
	struct sd_job *job;
	struct need *of_node;            /* per node that launches nothing */
	SD_VEC(uint32_t) pool;
	SD_VEC(struct sd_order_pair) orders;
	uint32_t *latest, *stamp;        /* per lane, of the node being looked at */
	enum sd_cause *cause;            /* per lane: of the first edge that named this slot */
	uint32_t *lane, lanes;           /* lanes met */
	uint32_t reading;                /* stamp of the reader being looked at */
	uint32_t *first_extra, *extra;   /* extra orders by receiving slot */
	uint32_t *read;                  /* per lane: begin of the list that one of its slots read last */
};

static void meet(struct collector *c, uint32_t slot, enum sd_cause cause)
{
	uint32_t lane = c->job->slots.lane[slot];

	if (c->stamp[lane] != c->reading) {
		c->stamp[lane] = c->reading;
		c->lane[c->lanes++] = lane;
	} else if (c->latest[lane] >= slot) {
		return;
	}
	c->latest[lane] = slot;
	c->cause[lane] = cause;
}

/* Data edges that close a loop order nothing. */
static bool orders_nothing(const struct sd_job *job, const struct sd_edge *edge)
{
	enum sd_op op = edge->src == SD_NO_NODE ? SD_OP_OTHER : sd_job_op(job, edge->src);

	return edge->src == SD_NO_NODE || op == SD_OP_NEXT_ITERATION || op == SD_OP_REF_NEXT_ITERATION;
}

static void begin_reader(struct collector *c)
{
	c->reading++;
	c->lanes = 0;
}

/* What a lane has read, its later slots need not wait for again. */
static void meet_list(struct collector *c, const struct need *list, uint32_t reader, enum sd_cause cause)
{
	uint32_t slot = c->job->slots.of_node[reader];
	uint32_t *read = slot == SD_NO_INDEX ? NULL : &c->read[c->job->slots.lane[slot]];

	if (list->count == 0 || (read && *read == list->first))
		return;
	for (uint32_t i = 0; i < list->count; i++)
		meet(c, c->pool.at[list->first + i], cause);
	if (read)
		*read = list->first;
}

static void meet_producers(struct collector *c, uint32_t reader)
{
	const struct sd_graph *graph = c->job->graph;

	for (uint32_t e = graph->in_first[reader]; e < graph->in_first[reader + 1]; e++) {
		const struct sd_edge *edge = &graph->in[e];
		enum sd_cause cause = edge->port == SD_CONTROL ? SD_CAUSE_CONTROL : SD_CAUSE_DATA;

		if (orders_nothing(c->job, edge))
			continue;
		if (c->job->slots.sender[edge->src] != SD_NO_INDEX)
			meet(c, c->job->slots.sender[edge->src], cause);
		else
			meet_list(c, &c->of_node[edge->src], reader, cause);
	}
}

/* Whether all that a node meets stands in one list, or is nothing. */
static bool shares_list(const struct collector *c, uint32_t node, struct need *list)
{
	const struct sd_graph *graph = c->job->graph;

	*list = (struct need){ 0, 0 };
	for (uint32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; e++) {
		const struct sd_edge *edge = &graph->in[e];
		const struct need *theirs;

		if (orders_nothing(c->job, edge))
			continue;
		if (c->job->slots.sender[edge->src] != SD_NO_INDEX)
			return false;
		theirs = &c->of_node[edge->src];
		if (theirs->count == 0 || (list->count && theirs->first == list->first))
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
	begin_reader(c);
	meet_producers(c, node);
	c->of_node[node] = (struct need){ c->pool.count, c->lanes };
	for (uint32_t i = 0; i < c->lanes; i++) {
		if (!sd_vec_room(c->job->mem, &c->pool))
			SD_NEED(c->job, NULL);
		c->pool.at[c->pool.count++] = c->latest[c->lane[i]];
	}
	return SD_OK;
}

/* Ends one slot: what it met on other lanes becomes orders. */
static enum sd_status ask(struct collector *c, uint32_t slot)
{
	for (uint32_t i = c->first_extra[slot]; i < c->first_extra[slot + 1]; i++) {
		const struct sd_order_pair *extra = &c->job->extra_orders.at[c->extra[i]];

		meet(c, extra->from, extra->cause);
	}
	for (uint32_t i = 0; i < c->lanes; i++) {
		uint32_t lane = c->lane[i];

		if (lane == c->job->slots.lane[slot])
			continue;
		if (!sd_vec_room(c->job->mem, &c->orders))
			SD_NEED(c->job, NULL);
		c->orders.at[c->orders.count++] = (struct sd_order_pair){ c->latest[lane], slot, c->cause[lane] };
	}
	return SD_OK;
}

/* Edges lead to the main slot; attached ones have extra orders only. */
static enum sd_status ask_node(struct collector *c, uint32_t node)
{
	const struct sd_slots *slots = &c->job->slots;

	uint32_t slot = slots->of_node[node];

	begin_reader(c);
	meet_producers(c, node);
	do {
		SD_TRY(ask(c, slot));
		begin_reader(c);
	} while (sd_slot_is_attached(slots, ++slot, node));
	return SD_OK;
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
		.job = job, .of_node = SD_NEW0(job->mem, struct need, nodes), .latest = SD_NEW(job->mem, uint32_t, lanes),
		.stamp = SD_NEW0(job->mem, uint32_t, lanes), .cause = SD_NEW(job->mem, enum sd_cause, lanes),
		.lane = SD_NEW(job->mem, uint32_t, lanes), .read = SD_NEW(job->mem, uint32_t, lanes),
	};

	SD_NEED(job, c.of_node && c.latest && c.stamp && c.cause && c.lane && c.read);
	SD_TRY(index_extra(&c));
	memset(c.read, 0xff, (size_t)lanes * sizeof(*c.read));
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t n = job->order.flat[i];

		if (i % SD_STOP_STRIDE == 0 && sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		if (job->launched[n])
			SD_TRY(ask_node(&c, n));
		else
			SD_TRY(hand_on(&c, n));
	}
	job->orders = (struct sd_order_list){ c.orders.count, c.orders.at };
	return SD_OK;
}
