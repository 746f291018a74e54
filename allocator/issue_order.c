/* A token run over the streams: each goes on as far as it can, and of those that can the one with the least rank. */
#include "base/heap.h"
#include "issue_impl.h"

#define NOBODY UINT32_MAX

enum hold_state { UNREACHED, REACHED, OPENED };

struct run {
	struct sd__queues *q;
	struct sd_step *step;
	uint32_t step_count, launch_count;
	uint32_t *at;               /* by stream: where it is */
	uint32_t *ready;            /* heap of streams */
	uint32_t ready_count;
	uint32_t *next;             /* by stream: the next that waits for the same */
	bool *recorded;             /* by sync: recorded, and not waited for yet */
	uint32_t *busy[2];          /* by number of events, of notifies: the sync that holds it + 1 */
	uint32_t *for_sync;         /* by sync: streams that wait for its record */
	uint32_t *for_number[2];    /* by number: streams that wait until it is free */
	uint8_t *hold;              /* enum hold_state */
	uint32_t *for_hold;         /* by hold: streams that wait until it is reached, or opened */
};

static const struct sd__queued *head(const struct run *run, uint32_t stream)
{
	return &run->q->queued.at[run->at[stream]];
}

static int compare(const void *context, uint32_t a, uint32_t b)
{
	const struct run *run = context;
	uint32_t x = head(run, a)->rank, y = head(run, b)->rank;

	return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

static uint32_t *list_of(struct run *run, size_t count)
{
	uint32_t *list = SD_NEW(run->q->mem, uint32_t, count + 1);

	for (size_t i = 0; list && i < count; i++)
		list[i] = NOBODY;
	return list;
}

static enum sd_status take_room(struct run *run)
{
	const struct sd_plan *plan = run->q->plan;
	struct sd_arena *mem = run->q->mem;

	run->step = SD_NEW(mem, struct sd_step, run->q->queued.count + 1);
	run->at = SD_NEW(mem, uint32_t, plan->stream_count + 1);
	run->ready = SD_NEW(mem, uint32_t, plan->stream_count + 1);
	run->next = list_of(run, plan->stream_count);
	run->recorded = SD_NEW0(mem, bool, plan->sync_count + 1);
	run->busy[SD_SYNC_EVENT] = SD_NEW0(mem, uint32_t, plan->event_count + 1);
	run->busy[SD_SYNC_NOTIFY] = SD_NEW0(mem, uint32_t, plan->notify_count + 1);
	run->for_number[SD_SYNC_EVENT] = list_of(run, plan->event_count);
	run->for_number[SD_SYNC_NOTIFY] = list_of(run, plan->notify_count);
	run->for_sync = list_of(run, plan->sync_count);
	run->hold = SD_NEW0(mem, uint8_t, run->q->hold_count + 1);
	run->for_hold = list_of(run, run->q->hold_count);
	if (!run->step || !run->at || !run->ready || !run->next || !run->recorded || !run->busy[0] || !run->busy[1] || !run->for_number[0] ||
	    !run->for_number[1] || !run->for_sync || !run->hold || !run->for_hold)
		return sd__queues_no_memory(run->q);
	return SD_OK;
}

static void make_ready(struct run *run, uint32_t stream)
{
	if (run->at[stream] < run->q->first[stream + 1])
		sd_heap_push(run->ready, &run->ready_count, stream, compare, run);
}

static void wake(struct run *run, uint32_t *list)
{
	uint32_t stream = *list, next;

	*list = NOBODY;
	for (; stream != NOBODY; stream = next) {
		next = run->next[stream];
		make_ready(run, stream);
	}
}

static bool sleep_in(struct run *run, uint32_t stream, uint32_t *list)
{
	run->next[stream] = *list;
	*list = stream;
	return false;
}

static bool may_record(struct run *run, uint32_t stream, const struct sd__queued *queued, enum sd_sync_kind kind)
{
	uint32_t *busy = &run->busy[kind][queued->step.arg];

	if (*busy)
		return sleep_in(run, stream, &run->for_number[kind][queued->step.arg]);
	*busy = queued->with + 1;
	run->recorded[queued->with] = true;
	wake(run, &run->for_sync[queued->with]);
	return true;
}

static bool may_wait(struct run *run, uint32_t stream, const struct sd__queued *queued, enum sd_sync_kind kind)
{
	if (!run->recorded[queued->with])
		return sleep_in(run, stream, &run->for_sync[queued->with]);
	run->recorded[queued->with] = false;
	run->busy[kind][queued->step.arg] = 0;
	wake(run, &run->for_number[kind][queued->step.arg]);
	return true;
}

static void put(struct run *run, const struct sd__queued *queued)
{
	run->launch_count += queued->step.kind == SD_STEP_LAUNCH;
	run->step[run->step_count++] = queued->step;
}

/* A hold is put when it is reached, and gone behind when it is opened. */
static bool may_pass(struct run *run, uint32_t stream, const struct sd__queued *queued)
{
	uint8_t *state = &run->hold[queued->with];

	if (*state == OPENED)
		return true;
	if (*state == UNREACHED) {
		*state = REACHED;
		put(run, queued);
		wake(run, &run->for_hold[queued->with]);
	}
	return sleep_in(run, stream, &run->for_hold[queued->with]);
}

/* Puts the activation, unless there is nothing to open. */
static bool may_activate(struct run *run, uint32_t stream, const struct sd__queued *queued)
{
	uint8_t *state = queued->with == SD__NOT_HELD ? NULL : &run->hold[queued->with];

	if (!state || *state == OPENED)
		return true;
	if (*state == UNREACHED)
		return sleep_in(run, stream, &run->for_hold[queued->with]);
	*state = OPENED;
	put(run, queued);
	wake(run, &run->for_hold[queued->with]);
	return true;
}

/* Whether the stream went on; else it sleeps. */
static bool go_on(struct run *run, uint32_t stream)
{
	const struct sd__queued *queued = head(run, stream);
	bool goes = true;

	switch (queued->step.kind) {
	case SD_STEP_LAUNCH: break;
	case SD_STEP_RECORD: goes = may_record(run, stream, queued, SD_SYNC_EVENT); break;
	case SD_STEP_WAIT: goes = may_wait(run, stream, queued, SD_SYNC_EVENT); break;
	case SD_STEP_NOTIFY_RECORD: goes = may_record(run, stream, queued, SD_SYNC_NOTIFY); break;
	case SD_STEP_NOTIFY_WAIT: goes = may_wait(run, stream, queued, SD_SYNC_NOTIFY); break;
	case SD_STEP_HOLD: goes = may_pass(run, stream, queued); break;
	case SD_STEP_ACTIVATE: goes = may_activate(run, stream, queued); break;
	}
	if (goes) {
		if (queued->step.kind != SD_STEP_HOLD && queued->step.kind != SD_STEP_ACTIVATE)
			put(run, queued);
		run->at[stream]++;
	}
	return goes;
}

/* Says what the first stream that cannot go on waits for. */
static enum sd_status tell_stuck(const struct run *run)
{
	static const char *const what[] = { "launch", "event", "event", "notify", "notify", "an activation in front of step", "the hold of stream" };
	uint32_t stream = 0;

	while (run->at[stream] == run->q->first[stream + 1])
		stream++;
	return SD_FAIL3(run->q->diag, SD_CODE_NO_ISSUE_ORDER, SD_NO_NODE, sd_arg_int(stream), sd_arg_words(what[head(run, stream)->step.kind]),
	                sd_arg_int(head(run, stream)->step.kind == SD_STEP_HOLD ? run->at[stream] - run->q->first[stream] : head(run, stream)->step.arg));
}

enum sd_status sd_issue_make(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_flow *flow, const struct sd_choices *choices,
                             struct sd_issue *issue, struct sd_diag *diag)
{
	struct sd__queues queues = { .mem = mem, .plan = plan, .flow = flow, .diag = diag };
	struct run run = { .q = &queues };

	SD_TRY(sd_visits_make(mem, flow, choices, &queues.visits, diag));
	SD_TRY(sd__queues_make(&queues));
	SD_TRY(take_room(&run));
	memcpy(run.at, queues.first, plan->stream_count * sizeof(uint32_t));
	for (uint32_t s = 0; s < plan->stream_count; s++)
		make_ready(&run, s);
	while (run.ready_count > 0) {
		uint32_t stream = sd_heap_pop(run.ready, &run.ready_count, compare, &run);

		if (go_on(&run, stream))
			make_ready(&run, stream);
	}
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		if (run.at[s] < queues.first[s + 1])
			return tell_stuck(&run);
	}
	*issue = (struct sd_issue){ queues.visits, run.step_count, run.launch_count, run.step };
	return SD_OK;
}
