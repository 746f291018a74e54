/* The journal of orders: which became syncs, and why the others need none. */
#include "journal.h"

#define THROUGH_EDGES_MAX 64u /* edges looked at behind nodes that launch nothing, a waiting node; more would not be linear */

/* ---- orders that others imply ---- */

enum sd_status sd_taught_init(struct sd_taught *taught, struct sd_job *job, uint32_t most)
{
	*taught = (struct sd_taught){ 0 };
	if (!job)
		return SD_OK;
	taught->row = SD_NEW(job->mem, uint32_t, most + 1u);
	taught->from = SD_NEW(job->mem, uint32_t, most + 1u);
	SD_NEED(job, taught->row && taught->from);
	return SD_OK;
}

void sd_taught_by(struct sd_taught *taught, struct sd_clock *clock, uint32_t from)
{
	if (!taught->row)
		return;
	taught->row[taught->count] = sd_clock_hold(clock);
	taught->from[taught->count++] = from;
}

/* The first step that knows that the lane has come so far. What is known once stays known. */
static uint32_t find_step(const struct sd_taught *taught, const struct sd_clock *clock, uint32_t lane, uint32_t asks)
{
	uint32_t low = 0, high = taught->count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sd_clock_row_knows(clock, taught->row[middle], lane) >= asks)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The first one of those that start the stream of a slot and can run with it. */
static uint32_t first_starter(const struct sd_job *job, uint32_t slot)
{
	const struct sd_start_index *starting = &job->starting;
	const struct sd_slots *slots = &job->slots;
	uint32_t stream = slots->stream[slot];

	for (uint32_t i = starting->first[stream]; i < starting->first[stream + 1]; i++) {
		if (sd_scopes_meet(&job->scopes, slots->scope[starting->slot[i]], slots->scope[slot]))
			return slots->node[starting->slot[i]];
	}
	return SD_NO_NODE;
}

static bool stands_around(const struct sd_slots *slots, uint32_t slot)
{
	switch (slots->kind[slot]) {
	case SD_SLOT_FORK: case SD_SLOT_JOIN: case SD_SLOT_AGAIN: case SD_SLOT_EXIT:
		return true;
	default:
		return false;
	}
}

void sd_taught_tell(const struct sd_taught *taught, const struct sd_clock *clock, struct sd_job *job, const struct sd_order_pair *order, uint32_t asks)
{
	const struct sd_slots *slots = &job->slots;
	struct sd_explanation note = { .reason = SD_REASON_IMPLIED_BY_SYNC, .from = SD_NO_STREAM, .to = SD_NO_STREAM };
	uint32_t step, from;

	if (!taught->row)
		return;
	note.node = slots->node[order->to];
	note.other = slots->node[order->from];
	/* A node's own slots say nothing that a reader would ask for, nor do places around bodies. */
	if (note.node == note.other || stands_around(slots, order->from) || stands_around(slots, order->to))
		return;
	step = find_step(taught, clock, slots->lane[order->from], asks);
	from = taught->from[step];
	if (step == 0)
		note.reason = from == SD_NO_INDEX ? SD_REASON_IMPLIED_BY_START : SD_REASON_IMPLIED_BY_STREAM;
	note.through = from == SD_NO_INDEX ? first_starter(job, order->to) : slots->node[from];
	if (note.through == note.other) {
		/* By another launch of the same node, which has a sync to tell of; or by its starting the stream. */
		if (note.reason != SD_REASON_IMPLIED_BY_START)
			return;
		note.reason = SD_REASON_IMPLIED_BY_STARTER;
		note.through = SD_NO_NODE;
	}
	/* There is room, so this does not fail. */
	(void)sd_journal_note(job, &note);
}

void sd_taught_forget(struct sd_taught *taught, struct sd_clock *clock)
{
	for (uint32_t i = 0; i < taught->count; i++)
		sd_clock_drop(clock, taught->row[i]);
	taught->count = 0;
}

void sd_journal_forget_implied(struct sd_job *job)
{
	struct sd_journal *j = job->journal;
	uint32_t kept = 0;

	for (uint32_t i = 0; j && i < j->note.count; i++) {
		enum sd_reason reason = j->note.at[i].reason;

		if (reason != SD_REASON_IMPLIED_BY_SYNC && reason != SD_REASON_IMPLIED_BY_START && reason != SD_REASON_IMPLIED_BY_STREAM &&
		    reason != SD_REASON_IMPLIED_BY_STARTER)
			j->note.at[kept++] = j->note.at[i];
	}
	if (j)
		j->note.count = kept;
}

/* ---- edges that ask for no order of their own ---- */

struct edges {
	struct sd_job *job;
	uint32_t *told;         /* per node: reader whose edges named it last, + 1 */
	uint32_t *latest, *asked_by; /* per lane: last slot that an order of the reader names; reader + 1 */
};

/* The first order that ends at the slot or behind it: they are sorted by receiver. */
static uint32_t find_orders(const struct sd_order_list *orders, uint32_t to)
{
	uint32_t low = 0, high = orders->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (orders->at[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Which slots the orders of the reader name. */
static void note_asked(struct edges *e, uint32_t reader)
{
	const struct sd_order_list *orders = &e->job->orders;
	uint32_t to = e->job->slots.of_node[reader];

	for (uint32_t i = find_orders(orders, to); i < orders->count && orders->at[i].to == to; i++) {
		uint32_t from = orders->at[i].from, lane = e->job->slots.lane[from];

		e->latest[lane] = from;
		e->asked_by[lane] = reader + 1;
	}
}

static enum sd_status tell_edge(struct edges *e, uint32_t reader, uint32_t producer)
{
	const struct sd_slots *slots = &e->job->slots;
	uint32_t from = slots->sender[producer], to = slots->of_node[reader], lane;
	struct sd_explanation note = { .node = reader, .from = SD_NO_STREAM, .to = SD_NO_STREAM, .other = producer, .through = SD_NO_NODE };

	if (from == SD_NO_INDEX || e->told[producer] == reader + 1)
		return SD_OK;
	e->told[producer] = reader + 1;
	lane = slots->lane[from];
	if (lane == slots->lane[to]) {
		note.reason = SD_REASON_SAME_STREAM;
		return from < to ? sd_journal_note(e->job, &note) : SD_OK;
	}
	if (e->asked_by[lane] != reader + 1 || e->latest[lane] <= from)
		return SD_OK;
	note.reason = SD_REASON_LATER_PRODUCER;
	note.through = slots->node[e->latest[lane]];
	return sd_journal_note(e->job, &note);
}

enum sd_status sd_journal_edges(struct sd_job *job)
{
	const struct sd_graph *graph = job->graph;
	uint32_t lanes = job->slots.lane_count;
	struct edges e = { .job = job, .told = SD_NEW0(job->mem, uint32_t, graph->node_count), .latest = SD_NEW0(job->mem, uint32_t, lanes),
	                   .asked_by = SD_NEW0(job->mem, uint32_t, lanes) };

	SD_NEED(job, e.told && e.latest && e.asked_by);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.flat[i];

		if (!job->launched[n])
			continue;
		note_asked(&e, n);
		for (uint32_t k = graph->in_first[n]; k < graph->in_first[n + 1]; k++) {
			if (graph->in[k].src != SD_NO_NODE)
				SD_TRY(tell_edge(&e, n, graph->in[k].src));
		}
	}
	return SD_OK;
}

/* ---- syncs ---- */

struct askers {
	struct sd_job *job;
	uint32_t *stamp;   /* per node: the reader that it feeds, + 1 */
	uint32_t *through; /* per node: which of the reader's producers it feeds it through; SD_NO_NODE: none, directly */
	bool *data;        /* per node that feeds it directly: by a data edge */
};

static void mark(struct askers *a, uint32_t reader, uint32_t producer, uint32_t through)
{
	if (producer == SD_NO_NODE || a->stamp[producer] == reader + 1)
		return;
	a->stamp[producer] = reader + 1;
	a->through[producer] = through;
	a->data[producer] = false;
}

/* Marks what feeds the reader, directly and through one node that launches nothing. */
static void mark_producers(struct askers *a, uint32_t reader)
{
	const struct sd_graph *graph = a->job->graph;
	uint32_t left = THROUGH_EDGES_MAX;

	for (uint32_t i = graph->in_first[reader]; i < graph->in_first[reader + 1]; i++) {
		mark(a, reader, graph->in[i].src, SD_NO_NODE);
		if (graph->in[i].src != SD_NO_NODE)
			a->data[graph->in[i].src] |= graph->in[i].port != SD_CONTROL;
	}
	for (uint32_t i = graph->in_first[reader]; i < graph->in_first[reader + 1]; i++) {
		uint32_t src = graph->in[i].src;

		if (src == SD_NO_NODE || a->job->launched[src])
			continue;
		for (uint32_t k = graph->in_first[src]; k < graph->in_first[src + 1] && left > 0; k++, left--)
			mark(a, reader, graph->in[k].src, src);
	}
}

static enum sd_reason reason_of_cause(enum sd_cause cause)
{
	static const enum sd_reason reason[] = {
		[SD_CAUSE_DATA] = SD_REASON_SYNC_DATA, [SD_CAUSE_CONTROL] = SD_REASON_SYNC_CONTROL,
		[SD_CAUSE_SUBGRAPH] = SD_REASON_SYNC_SUBGRAPH, [SD_CAUSE_ATTACHED] = SD_REASON_SYNC_ATTACHED,
		[SD_CAUSE_COVER] = SD_REASON_SYNC_COVER, [SD_CAUSE_LOOP] = SD_REASON_SYNC_LOOP, [SD_CAUSE_SPLIT] = SD_REASON_SYNC_SPLIT,
		[SD_CAUSE_ORDER] = SD_REASON_SYNC_ORDER, [SD_CAUSE_HOST] = SD_REASON_SYNC_HOST,
	};

	return reason[cause];
}

/* Which edge it is that the sync is for. */
static void tell_edge_of_sync(const struct askers *a, struct sd_explanation *note)
{
	if (a->stamp[note->other] != note->node + 1) {
		note->reason = SD_REASON_SYNC_THROUGH_MANY;
		return;
	}
	note->through = a->through[note->other];
	if (note->through != SD_NO_NODE)
		note->reason = SD_REASON_SYNC_THROUGH;
	else
		note->reason = a->data[note->other] ? SD_REASON_SYNC_DATA : SD_REASON_SYNC_CONTROL;
}

static enum sd_status tell_sync(struct askers *a, uint32_t place)
{
	struct sd_job *job = a->job;
	const struct sd_order_pair *sync = &job->syncs.at[place];
	uint32_t reader = job->slots.node[sync->to], producer = job->slots.node[sync->from];
	struct sd_explanation note = {
		.node = reader, .reason = reason_of_cause(sync->cause), .from = SD_NO_STREAM, .to = SD_NO_STREAM,
		.other = producer, .through = SD_NO_NODE, .number = place,
	};

	if (sync->cause == SD_CAUSE_DATA || sync->cause == SD_CAUSE_CONTROL)
		tell_edge_of_sync(a, &note);
	job->journal->pass = sync->cause == SD_CAUSE_SPLIT ? job->journal->pieces_pass : job->journal->orders_pass;
	return sd_journal_note(job, &note);
}

/* The syncs by the slot that waits, in the order of their numbers. */
static uint32_t *sort_by_receiver(struct sd_job *job)
{
	uint32_t slots = job->slots.count, *at = SD_NEW0(job->mem, uint32_t, slots + 1u), *sorted = SD_NEW(job->mem, uint32_t, job->syncs.count);

	if (!at || !sorted)
		return NULL;
	for (uint32_t i = 0; i < job->syncs.count; i++)
		at[job->syncs.at[i].to + 1]++;
	for (uint32_t s = 0; s < slots; s++)
		at[s + 1] += at[s];
	for (uint32_t i = 0; i < job->syncs.count; i++)
		sorted[at[job->syncs.at[i].to]++] = i;
	return sorted;
}

enum sd_status sd_journal_syncs(struct sd_job *job)
{
	uint32_t nodes = job->graph->node_count, reader = SD_NO_NODE, *sorted = sort_by_receiver(job);
	struct askers a = { job, SD_NEW0(job->mem, uint32_t, nodes), SD_NEW(job->mem, uint32_t, nodes), SD_NEW(job->mem, bool, nodes) };

	SD_NEED(job, sorted && a.stamp && a.through && a.data);
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		uint32_t node = job->slots.node[job->syncs.at[sorted[i]].to];

		if (node != reader)
			mark_producers(&a, node);
		reader = node;
		SD_TRY(tell_sync(&a, sorted[i]));
	}
	return SD_OK;
}
