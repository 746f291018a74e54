/* Runs the command lists the way a device does: every stream on its own, each as far as
 * it comes. What is left when nothing moves waits for ever.
 *
 * A stream that several slots may activate starts with the first of them; what it knows then
 * is what all of them know. It is held back here until all have run, if it can be: where
 * one of them waits for the stream itself, the stream is let go, and knows nothing.
 *
 * The order in which the slots were run is kept: it is one that the plan allows, and what
 * the plan orders is in that order in every other, too.
 *
 * All bodies are run, one after the other as they are listed, and a label only when all that
 * jump there have run: then what one run does, whatever it chooses, is a part of this order. */
#include "verify_internal.h"

struct runner {
	struct sd__judge *judge;
	uint32_t ran;
	uint32_t *slot;        /* by stream: next to run */
	uint32_t *wait;        /* by stream: waits of that slot already passed */
	uint32_t *blocked_by;  /* by stream: sync; SD__NONE: none */
	uint8_t *active, *queued;
	uint32_t *pending;     /* by stream not active: activations of it that have not run */
	uint32_t *held, held_count; /* streams that one of several has activated, some let go since */
	uint32_t *queue;       /* ring of stream_count */
	uint32_t queue_first, queue_count;
};

static void enqueue(struct runner *runner, uint32_t stream)
{
	uint32_t size = runner->judge->plan->stream_count;

	if (!runner->active[stream] || runner->queued[stream] || runner->blocked_by[stream] != SD__NONE)
		return;
	runner->queued[stream] = 1;
	runner->queue[(runner->queue_first + runner->queue_count++) % size] = stream;
}

static bool pass_waits(struct runner *runner, const struct sd__slot *slot)
{
	struct sd__judge *judge = runner->judge;
	uint32_t s = slot->stream;

	for (; runner->wait[s] < slot->wait_count; runner->wait[s]++) {
		uint32_t y = judge->sync_of[slot->wait_first + runner->wait[s]];

		if (judge->place[judge->record_slot[y]] == SD__NONE) {
			runner->blocked_by[s] = y;
			return false;
		}
	}
	runner->wait[s] = 0;
	return true;
}

static void release_waiters(struct runner *runner, const struct sd__slot *slot)
{
	struct sd__judge *judge = runner->judge;

	for (uint32_t c = slot->record_first; c < slot->record_first + slot->record_count; c++) {
		uint32_t y = judge->sync_of[c], waiter = judge->slot[judge->wait_slot[y]].stream;

		if (runner->blocked_by[waiter] == y) {
			runner->blocked_by[waiter] = SD__NONE;
			enqueue(runner, waiter);
		}
	}
}

/* A label is reached when all that jump to it have run. */
static bool jumps_are_done(const struct sd__judge *judge, uint32_t at)
{
	uint32_t n = judge->slot[at].node;

	for (uint32_t i = sd__jumps_first(judge, n, at); i < sd__jumps_end(judge, n, at); i++) {
		uint32_t from = judge->main_slot[judge->scopes.jump[i].from];

		if (from != SD__NONE && judge->place[from] == SD__NONE)
			return false;
	}
	return true;
}

/* Labels to which the slot's node jumps may be reached now. */
static void release_labels(struct runner *runner, uint32_t at)
{
	const struct sd__judge *judge = runner->judge;
	uint32_t n = judge->slot[at].node;

	if (!judge->scopes.leads_first || judge->main_slot[n] != at)
		return;
	for (uint32_t i = judge->scopes.leads_first[n]; i < judge->scopes.leads_first[n + 1]; i++) {
		uint32_t label = judge->main_slot[judge->scopes.jump[judge->scopes.leads[i]].to];

		if (label != SD__NONE)
			enqueue(runner, judge->slot[label].stream);
	}
}

static void start_streams(struct runner *runner, const struct sd__slot *slot)
{
	const struct sd_plan *plan = runner->judge->plan;
	const struct sd_activation *activation;

	if (slot->activation == SD__NONE)
		return;
	activation = &plan->activation[slot->activation];
	for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
		uint32_t stream = plan->activated[i];

		if (runner->active[stream])
			continue;
		if (--runner->pending[stream] == 0) {
			runner->active[stream] = 1;
			enqueue(runner, stream);
		} else if (runner->pending[stream] + 1 == runner->judge->starters[stream]) {
			runner->held[runner->held_count++] = stream;
		}
	}
}

static void run_stream(struct runner *runner, uint32_t s)
{
	struct sd__judge *judge = runner->judge;

	while (runner->slot[s] < judge->slot_first[s + 1]) {
		uint32_t at = runner->slot[s];
		const struct sd__slot *slot = &judge->slot[at];

		if (!jumps_are_done(judge, at) || !pass_waits(runner, slot))
			return;
		judge->order[runner->ran] = at;
		judge->place[at] = runner->ran++;
		runner->slot[s]++;
		start_streams(runner, slot);
		release_waiters(runner, slot);
		release_labels(runner, at);
	}
}

/* Starts a stream that waits for further activations of it; false if there is none. */
static bool let_go(struct runner *runner)
{
	while (runner->held_count > 0) {
		uint32_t stream = runner->held[--runner->held_count];

		if (runner->active[stream])
			continue;
		runner->active[stream] = 1;
		runner->judge->starters[stream] = 0;
		enqueue(runner, stream);
		return true;
	}
	return false;
}

static void report_stuck(struct runner *runner)
{
	struct sd__judge *judge = runner->judge;

	for (uint32_t s = 0; s < judge->plan->stream_count; s++) {
		const struct sd__slot *slot = &judge->slot[runner->slot[s]];
		uint32_t y = runner->blocked_by[s];

		if (runner->slot[s] == judge->slot_first[s + 1])
			continue;
		if (y != SD__NONE)
			sd__violate(judge->verdict, SD_VIOLATION_DEADLOCK, "a wait whose record never comes", slot->node,
			            judge->plan->sync[y].record_node, s, judge->plan->sync[y].id);
		else if (runner->active[s])
			sd__violate(judge->verdict, SD_VIOLATION_DEADLOCK, "a label to which nobody ever jumps", slot->node, SD_NO_NODE, s, -1);
		else
			sd__violate(judge->verdict, SD_VIOLATION_DEADLOCK, "the stream is never activated", slot->node, SD_NO_NODE, s, -1);
	}
}

/* Who activates the streams that do not start with the model. */
static void find_starters(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;

	for (uint32_t at = 0; at < judge->slot_count; at++) {
		const struct sd_activation *activation;

		if (judge->slot[at].activation == SD__NONE)
			continue;
		activation = &plan->activation[judge->slot[at].activation];
		for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
			uint32_t stream = plan->activated[i];

			if (!plan->stream[stream].initially_active)
				judge->starter[stream] = judge->starters[stream]++ == 0 ? at : SD__NONE;
		}
	}
}

/* The same as lists, where bodies choose who does. */
static enum sd_status list_starters(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;

	SD__TAKE0(judge->started_first, judge->mem, uint32_t, plan->stream_count + 2);
	SD__TAKE(judge->started_by, judge->mem, uint32_t, plan->activated_count + 1);
	for (uint32_t s = 0; s < plan->stream_count; s++)
		judge->started_first[s + 1] = judge->started_first[s] + judge->starters[s];
	/* Filling moves each start to the next one's place; moved back behind it. */
	for (uint32_t at = 0; at < judge->slot_count; at++) {
		const struct sd_activation *activation = judge->slot[at].activation == SD__NONE ? NULL : &plan->activation[judge->slot[at].activation];

		for (uint32_t i = 0; activation && i < activation->count; i++) {
			uint32_t stream = plan->activated[activation->first + i];

			if (!plan->stream[stream].initially_active)
				judge->started_by[judge->started_first[stream]++] = at;
		}
	}
	for (uint32_t s = plan->stream_count; s > 0; s--)
		judge->started_first[s] = judge->started_first[s - 1];
	judge->started_first[0] = 0;
	return SD_OK;
}

/* What a StreamSwitch tells from the head of a stream is true if nobody else starts that stream. */
static void check_heads(struct sd__judge *judge)
{
	for (uint32_t s = 0; s < judge->plan->stream_count; s++) {
		uint32_t head = judge->slot_first[s], starter = judge->starter[s];

		if (head == judge->slot_first[s + 1] || judge->slot[head].launch != SD__NONE || judge->slot[head].group)
			continue;
		if (starter == SD__NONE || sd__stands_for(judge, judge->slot[starter].node) != judge->slot[head].node)
			sd__violate(judge->verdict, SD_VIOLATION_PAIRING, "a StreamSwitch tells from a stream that others start too",
			            judge->slot[head].node, SD_NO_NODE, s, -1);
	}
}

/* Sorts the syncs by the slot that waits, and within it by place of record, latest first. */
static void find_arriving(struct sd__judge *judge, uint32_t *next)
{
	const struct sd_plan *plan = judge->plan;

	for (uint32_t y = 0; y < plan->sync_count; y++)
		judge->arriving_first[judge->wait_slot[y] + 1]++;
	for (uint32_t at = 0; at < judge->slot_count; at++) {
		judge->arriving_first[at + 1] += judge->arriving_first[at];
		next[at] = judge->arriving_first[at];
	}
	for (uint32_t i = judge->slot_count; i-- > 0;) {
		const struct sd__slot *slot = &judge->slot[judge->order[i]];

		for (uint32_t c = slot->record_first; c < slot->record_first + slot->record_count; c++) {
			uint32_t y = judge->sync_of[c];

			judge->arriving[next[judge->wait_slot[y]]++] = y;
		}
	}
}

static enum sd_status take_memory(struct runner *runner)
{
	struct sd__judge *judge = runner->judge;
	uint32_t streams = judge->plan->stream_count + 1;

	SD__TAKE(judge->order, judge->mem, uint32_t, judge->slot_count + 1);
	SD__TAKE(judge->place, judge->mem, uint32_t, judge->slot_count + 1);
	SD__TAKE(judge->starter, judge->mem, uint32_t, streams);
	SD__TAKE0(judge->starters, judge->mem, uint32_t, streams);
	SD__TAKE(runner->pending, judge->mem, uint32_t, streams);
	SD__TAKE(runner->held, judge->mem, uint32_t, streams);
	SD__TAKE0(judge->arriving_first, judge->mem, uint32_t, judge->slot_count + 1);
	SD__TAKE(judge->arriving, judge->mem, uint32_t, judge->plan->sync_count + 1);
	SD__TAKE(runner->slot, judge->mem, uint32_t, streams);
	SD__TAKE0(runner->wait, judge->mem, uint32_t, streams);
	SD__TAKE(runner->blocked_by, judge->mem, uint32_t, streams);
	SD__TAKE0(runner->active, judge->mem, uint8_t, streams);
	SD__TAKE0(runner->queued, judge->mem, uint8_t, streams);
	SD__TAKE(runner->queue, judge->mem, uint32_t, streams);
	memset(judge->place, 0xff, judge->slot_count * sizeof(uint32_t));
	memset(judge->starter, 0xff, streams * sizeof(uint32_t));
	memset(runner->blocked_by, 0xff, streams * sizeof(uint32_t));
	find_starters(judge);
	if (judge->scopes.bodies)
		SD_TRY(list_starters(judge));
	memcpy(runner->pending, judge->starters, streams * sizeof(uint32_t));
	return SD_OK;
}

enum sd_status sd__verify_replay(struct sd__judge *judge)
{
	struct runner runner = { .judge = judge };
	uint32_t *scratch;

	SD_TRY(take_memory(&runner));
	SD__TAKE0(scratch, judge->mem, uint32_t, (size_t)judge->slot_count + 1);
	for (uint32_t s = 0; s < judge->plan->stream_count; s++) {
		runner.slot[s] = judge->slot_first[s];
		/* What begins with a label is entered by a jump; the label waits for that. */
		runner.active[s] = judge->plan->stream[s].initially_active || judge->starters[s] == 0;
		enqueue(&runner, s);
	}
	while (runner.queue_count > 0 || let_go(&runner)) {
		uint32_t s = runner.queue[runner.queue_first];

		runner.queue_first = (runner.queue_first + 1) % judge->plan->stream_count;
		runner.queue_count--;
		runner.queued[s] = 0;
		if (sd__stopped(judge))
			return SD_CANCELLED;
		run_stream(&runner, s);
	}
	if (runner.ran < judge->slot_count) {
		report_stuck(&runner);
		return SD_OK;
	}
	check_heads(judge);
	find_arriving(judge, scratch);
	return SD_OK;
}
