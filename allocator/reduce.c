/* reduce.c - the transitive reduction, by one sweep with vector clocks.
 *
 * The textbook way compares every order with the paths through all others. Here slots
 * are visited in flat order, which is topological. Each slot knows by its row of clocks
 * which slot of every lane is done before it starts: what its lane's last slot knew,
 * and what the orders that end here bring. These are looked at from the latest sender
 * to the earliest: an order whose sender is already known to be done is implied by a
 * path through a later one (or through the lane) and is left out; any other is kept,
 * and its sender's knowledge is added. An implied order can never be needed by another
 * one, so deciding all of them in one sweep is exact. What a slot knew is given back
 * when nothing that is still to come asks for it. */
#include "reduce.h"

#include "base/merge.h"
#include "clock.h"

struct reducer {
	struct sd_job *job;
	const struct sd_order_list *asked;
	struct sd_order_list *kept;
	struct sd_clock clock;
	uint32_t *row;    /* per slot: what was known when it started; good while somebody asks */
	uint32_t *asking; /* per slot: orders from it and slots behind it that have not been visited */
	uint32_t *by_age, *spare; /* orders of one slot, latest sender first */
	bool *keep;
};

static int compare_ages(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_order_pair *at = ctx;

	return at[a].from > at[b].from ? -1 : at[a].from < at[b].from;
}

static void learn(struct reducer *r, uint32_t slot)
{
	sd_clock_learn(&r->clock, r->row[slot], r->job->slots.lane[slot], slot + 1);
}

/* The slot whose knowledge a slot starts with; SD_NO_INDEX: none. */
static uint32_t free_before(const struct reducer *r, uint32_t slot)
{
	return r->job->slots.starts_piece[slot] ? SD_NO_INDEX : r->job->slots.before[slot];
}

static void count_asking(struct reducer *r)
{
	for (uint32_t i = 0; i < r->asked->count; i++)
		r->asking[r->asked->at[i].from]++;
	for (uint32_t slot = 0; slot < r->job->slots.count; slot++) {
		uint32_t before = free_before(r, slot);

		if (before != SD_NO_INDEX)
			r->asking[before]++;
	}
}

static void asked_once(struct reducer *r, uint32_t slot)
{
	if (slot != SD_NO_INDEX && --r->asking[slot] == 0)
		sd_clock_drop(&r->clock, r->row[slot]);
}

/* Keeps what a slot knew when it started, and gives back what nobody will ask any more. */
static void leave(struct reducer *r, uint32_t slot, uint32_t row, uint32_t first, uint32_t count)
{
	r->row[slot] = row;
	if (r->asking[slot] == 0)
		sd_clock_drop(&r->clock, row);
	asked_once(r, free_before(r, slot));
	for (uint32_t i = first; i < first + count; i++)
		asked_once(r, r->asked->at[i].from);
}

/* Decides about the orders asked[first .. first + count) that end at `slot`. */
static void visit(struct reducer *r, uint32_t slot, uint32_t first, uint32_t count)
{
	const struct sd_slots *slots = &r->job->slots;
	uint32_t before = free_before(r, slot);

	sd_clock_open(&r->clock, before == SD_NO_INDEX ? SD_CLOCK_START : r->row[before]);
	for (uint32_t i = 0; i < count; i++)
		r->by_age[i] = first + i;
	sd_merge_sort(r->by_age, r->spare, count, compare_ages, r->asked->at);
	for (uint32_t i = 0; i < count; i++) {
		const struct sd_order_pair *order = &r->asked->at[r->by_age[i]];

		r->keep[r->by_age[i]] = sd_clock_knows(&r->clock, slots->lane[order->from]) <= order->from;
		if (r->keep[r->by_age[i]])
			learn(r, order->from);
	}
	leave(r, slot, sd_clock_close(&r->clock), first, count);
	for (uint32_t i = first; i < first + count; i++) {
		if (r->keep[i])
			r->kept->at[r->kept->count++] = r->asked->at[i];
	}
}

static enum sd_status sweep(struct reducer *r)
{
	struct sd_job *job = r->job;
	uint32_t at = 0, work = SD_STOP_STRIDE;

	for (uint32_t slot = 0; slot < job->slots.count; slot++) {
		uint32_t first = at;

		if (work >= SD_STOP_STRIDE && sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		work = work >= SD_STOP_STRIDE ? 0 : work;
		while (at < r->asked->count && r->asked->at[at].to == slot)
			at++;
		visit(r, slot, first, at - first);
		work += 1 + at - first;
		SD_NEED(job, !r->clock.failed);
	}
	return SD_OK;
}

static uint32_t most_per_slot(const struct sd_order_list *asked)
{
	uint32_t most = 0, run = 0;

	for (uint32_t i = 0; i < asked->count; i++) {
		run = i && asked->at[i].to == asked->at[i - 1].to ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

enum sd_status sd_reduce(struct sd_job *job, const struct sd_order_list *asked, struct sd_order_list *kept)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	struct reducer r = { .job = job, .asked = asked, .kept = kept };

	uint32_t most = most_per_slot(asked);

	kept->count = 0;
	r.row = SD_NEW(job->mem, uint32_t, job->slots.count);
	r.asking = SD_NEW0(job->mem, uint32_t, job->slots.count);
	r.by_age = SD_NEW(job->mem, uint32_t, most);
	r.spare = SD_NEW(job->mem, uint32_t, most);
	r.keep = SD_NEW(job->mem, bool, asked->count);
	SD_NEED(job, r.row && r.asking && r.by_age && r.spare && r.keep && sd_clock_init(&r.clock, job->mem, job->slots.lane_count));
	count_asking(&r);
	SD_TRY(sweep(&r));
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
