#include "reduce_doubt.h"

#include "reduce_trial.h"
#include "mutants.h"

#define WORK_OF_ALL (1u << 26) /* slots looked at, and runs tried, for all orders, */
#define WORK_OF_SLOT 256u      /* and for each slot as many more: orders that are left are kept */

/* The orders in doubt, one after the other. */
struct doubts {
	struct sd_trial trial;
	uint32_t *next_on_lane; /* per slot */
	uint64_t work_left;     /* for this order and those to come */
};

/* Whether the nodes with which bodies begin on the piece of an order know what it is about. Each is asked apart, so that the ways
 * that one leans on do not multiply with those of another. */
static bool entries_know(struct doubts *d, const struct sd_order_pair *order, uint32_t functional)
{
	const struct sd_slots *slots = &d->trial.job->slots;
	struct sd_exit_range own = slots->exits[functional];

	for (uint32_t i = own.first_entry; i < own.first_entry + (SD_MUTANT(doubt_first_entry) && own.entry_count ? 1 : own.entry_count); i++) {
		uint32_t entry = slots->entry.at[i];

		d->trial.work++;
		if (slots->lane[entry] != slots->lane[order->to])
			continue;
		if (slots->kind[entry] == SD_SLOT_FORK ? !entries_know(d, order, d->trial.job->scopes.functional_of[slots->node[entry]]) :
		                                         slots->stream[entry] == slots->stream[order->to] && !sd_trial_known_at(&d->trial, entry))
			return false;
	}
	return true;
}

/* Whether a launch behind `to` runs on one piece behind another one there, whenever it runs: that is asked, too. */
static bool follows_launch(const struct sd_slots *slots, uint32_t to, uint32_t launch)
{
	uint32_t front = slots->front[launch];

	while (front != SD_NO_INDEX && front > to && !sd_slot_launches(slots, front) && !sd_slots_exit(slots, front))
		front = slots->front[front];
	return front != SD_NO_INDEX && front > to && sd_slot_launches(slots, front);
}

/* In front of bodies, and where a condition ends, a lane must know what comes next on it must know: the first launch on each piece, up to one that
 * runs whenever the place is passed. Each is asked apart, as above. */
static bool launches_know(struct doubts *d, const struct sd_order_pair *order)
{
	const struct sd_slots *slots = &d->trial.job->slots;
	const struct sd_scopes *scopes = &d->trial.job->scopes;

	for (uint32_t s = d->next_on_lane[order->to]; s != SD_NO_INDEX; s = d->next_on_lane[s]) {
		d->trial.work++;
		if (!sd_slot_launches(slots, s) || !sd_scopes_meet(scopes, slots->scope[order->to], slots->scope[s]))
			continue;
		if (!follows_launch(slots, order->to, s) && !sd_trial_known_at(&d->trial, s))
			return false;
		if (sd_scope_within(scopes, slots->scope[order->to], slots->scope[s]))
			return true;
	}
	return true;
}

/* Whether an order is implied in all runs in which both ends run. */
static bool can_go(struct doubts *d, uint32_t number)
{
	const struct sd_slots *slots = &d->trial.job->slots;
	const struct sd_order_pair *order = &d->trial.asked->at[number];
	bool fork = slots->kind[order->to] == SD_SLOT_FORK, goes;

	if (!d->work_left)
		return false;
	d->trial.tried = number;
	d->trial.work = 0;
	if (order->cause == SD_CAUSE_SPLIT && (fork || slots->kind[order->to] == SD_SLOT_JOIN))
		goes = launches_know(d, order);
	else
		goes = fork ? entries_know(d, order, d->trial.job->scopes.functional_of[slots->node[order->to]]) : sd_trial_known_at(&d->trial, order->to);
	d->work_left -= d->trial.work < d->work_left ? d->trial.work : d->work_left;
	return goes;
}

static enum sd_status index_slots(struct doubts *d)
{
	struct sd_job *job = d->trial.job;
	uint32_t slots = job->slots.count, *last = SD_NEW(job->mem, uint32_t, job->slots.lane_count);

	d->next_on_lane = SD_NEW(job->mem, uint32_t, slots);
	SD_NEED(job, last && d->next_on_lane);
	memset(last, 0xff, job->slots.lane_count * sizeof(*last));
	for (uint32_t s = slots; s-- > 0;) {
		d->next_on_lane[s] = last[job->slots.lane[s]];
		last[job->slots.lane[s]] = s;
	}
	return SD_OK;
}

enum tried { KEPT, LEFT_OUT_TO_LAUNCHES, LEFT_OUT_TO_PLACES };

/* Tries each order in doubt of a kind. */
static enum sd_status try_each(struct doubts *d, const bool *doubt, bool *keep, enum tried which)
{
	struct sd_job *job = d->trial.job;

	for (uint32_t i = 0; i < d->trial.asked->count; i++) {
		if (!doubt[i] || keep[i] != (which == KEPT) || (!keep[i] && sd_slot_launches(&job->slots, d->trial.asked->at[i].to) != (which == LEFT_OUT_TO_LAUNCHES)))
			continue;
		if (sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		keep[i] = !can_go(d, i);
		SD_NEED(job, !d->trial.failed);
	}
	return SD_OK;
}

static enum sd_status start(struct doubts *d)
{
	SD_TRY(sd_trial_start(&d->trial));
	d->work_left = WORK_OF_ALL + (uint64_t)d->trial.job->slots.count * WORK_OF_SLOT;
	return index_slots(d);
}

enum sd_status sd_reduce_doubtful(struct sd_job *job, const struct sd_order_list *asked, const uint32_t *first,
                                  const bool *doubt, bool *keep)
{
	struct doubts d = { .trial = { .job = job, .asked = asked, .first = first, .keep = keep } };

	SD_TRY(start(&d));
	return try_each(&d, doubt, keep, KEPT);
}

enum sd_status sd_restore_doubtful(struct sd_job *job, const struct sd_order_list *asked, const uint32_t *first,
                                   const bool *doubt, bool *keep)
{
	struct doubts d = { .trial = { .job = job, .asked = asked, .first = first, .keep = keep } };

	SD_TRY(start(&d));
	/* What places in front of bodies must know depends on what the launches behind them are told. */
	SD_TRY(try_each(&d, doubt, keep, LEFT_OUT_TO_LAUNCHES));
	return try_each(&d, doubt, keep, LEFT_OUT_TO_PLACES);
}
