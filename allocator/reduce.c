/* reduce.c - the transitive reduction, by one sweep with vector clocks.
 *
 * The textbook way compares every order with the paths through all others. Here slots
 * are visited in a sequence in which each stands behind what it waits for. Each slot
 * knows by its row of clocks which slot of every lane is done before it starts: what its
 * lane's last slot knew (or, on a lane that is started, what all its starters knew), and
 * what the orders that end here bring. These are looked at from the latest sender to the
 * earliest: an order whose sender is already known to be done is implied by a path
 * through a later one (or through the lane) and is left out; any other is kept, and its
 * sender's knowledge is added. An implied order can never be needed by another one, so
 * deciding all of them in one sweep is exact. What a slot knew is given back when nothing
 * that is still to come asks for it. */
#include "reduce.h"

#include "base/merge.h"
#include "clock.h"
#include "journal.h"

struct reducer {
	struct sd_job *job;
	const struct sd_order_list *asked;
	struct sd_clock clock;
	uint32_t *first;  /* per slot + 1: into asked */
	uint32_t *row;    /* per slot: what was known when it started; good while somebody asks */
	uint32_t *asking; /* per slot: how many that have not been visited ask what it knew */
	uint32_t *by_age, *spare; /* orders of one slot, latest sender first */
	bool *keep;
	struct sd_taught taught; /* with option explain */
};

struct aging {
	const struct sd_order_pair *at;
	const uint32_t *rank;
};

static int compare_ages(const void *ctx, uint32_t a, uint32_t b)
{
	const struct aging *aging = ctx;
	uint32_t rank_a = aging->rank[aging->at[a].from], rank_b = aging->rank[aging->at[b].from];

	return rank_a > rank_b ? -1 : rank_a < rank_b;
}

static void learn(struct reducer *r, uint32_t slot)
{
	sd_clock_learn(&r->clock, r->row[slot], r->job->slots.lane[slot], slot + 1);
}

/* The slot whose knowledge a slot starts with; SD_NO_INDEX: it begins its piece. */
static uint32_t free_before(const struct reducer *r, uint32_t slot)
{
	return r->job->slots.starts_piece[slot] ? SD_NO_INDEX : r->job->slots.before[slot];
}

/* Calls `see` with every slot whose knowledge `slot` is going to ask for. */
static void each_asked(struct reducer *r, uint32_t slot, void (*see)(struct reducer *, uint32_t))
{
	const struct sd_starts *starts = &r->job->starts;
	uint32_t before = free_before(r, slot), lane = r->job->slots.lane[slot];

	if (before != SD_NO_INDEX)
		see(r, before);
	for (uint32_t i = starts->first_of_lane[lane]; before == SD_NO_INDEX && i < starts->first_of_lane[lane + 1]; i++)
		see(r, sd_job_starter_slot(r->job, starts->of_lane[i], lane));
	for (uint32_t i = r->first[slot]; i < r->first[slot + 1]; i++)
		see(r, r->asked->at[i].from);
}

static void count_asking(struct reducer *r, uint32_t slot)
{
	r->asking[slot]++;
}

static void asked_once(struct reducer *r, uint32_t slot)
{
	if (--r->asking[slot] == 0)
		sd_clock_drop(&r->clock, r->row[slot]);
}

/* Opens the row of the first slot of a piece: nothing, or what all starters of its lane know. */
static void open_start(struct reducer *r, uint32_t slot)
{
	const struct sd_starts *starts = &r->job->starts;
	uint32_t lane = r->job->slots.lane[slot], first = starts->first_of_lane[lane], end = starts->first_of_lane[lane + 1];

	if (first == end)
		sd_clock_open(&r->clock, SD_CLOCK_START);
	for (uint32_t i = first; i < end; i++) {
		uint32_t from = sd_job_starter_slot(r->job, starts->of_lane[i], lane);

		if (i == first) {
			sd_clock_open(&r->clock, r->row[from]);
			learn(r, from);
		} else {
			sd_clock_narrow(&r->clock, r->row[from], r->job->slots.lane[from], from + 1);
		}
	}
}

/* Decides about the orders that end at `slot`. */
static void visit(struct reducer *r, uint32_t slot)
{
	const struct sd_slots *slots = &r->job->slots;
	uint32_t first = r->first[slot], count = r->first[slot + 1] - first, before = free_before(r, slot);
	struct aging aging = { r->asked->at, r->job->rank };

	if (before == SD_NO_INDEX)
		open_start(r, slot);
	else
		sd_clock_open(&r->clock, r->row[before]);
	sd_taught_by(&r->taught, &r->clock, before);
	for (uint32_t i = 0; i < count; i++)
		r->by_age[i] = first + i;
	sd_merge_sort(r->by_age, r->spare, count, compare_ages, &aging);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = r->asked->at[r->by_age[i]].from;

		r->keep[r->by_age[i]] = sd_clock_knows(&r->clock, slots->lane[from]) <= from;
		if (r->keep[r->by_age[i]]) {
			learn(r, from);
			sd_taught_by(&r->taught, &r->clock, from);
		} else {
			sd_taught_tell(&r->taught, &r->clock, r->job, &r->asked->at[r->by_age[i]]);
		}
	}
	sd_taught_forget(&r->taught, &r->clock);
	r->row[slot] = sd_clock_close(&r->clock);
	if (r->asking[slot] == 0)
		sd_clock_drop(&r->clock, r->row[slot]);
	each_asked(r, slot, asked_once);
}

static enum sd_status sweep(struct reducer *r)
{
	struct sd_job *job = r->job;
	uint32_t work = SD_STOP_STRIDE;

	for (uint32_t i = 0; i < job->slots.count; i++) {
		uint32_t slot = job->sequence[i];

		if (work >= SD_STOP_STRIDE && sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		work = work >= SD_STOP_STRIDE ? 0 : work;
		visit(r, slot);
		work += 1 + r->first[slot + 1] - r->first[slot];
		SD_NEED(job, !r->clock.failed);
	}
	return SD_OK;
}

/* Where each slot's orders stand; answers the most of any slot. */
static uint32_t index_asked(struct reducer *r)
{
	uint32_t at = 0, most = 0;

	for (uint32_t slot = 0; slot < r->job->slots.count; slot++) {
		r->first[slot] = at;
		while (at < r->asked->count && r->asked->at[at].to == slot)
			at++;
		most = at - r->first[slot] > most ? at - r->first[slot] : most;
	}
	r->first[r->job->slots.count] = at;
	return most;
}

enum sd_status sd_reduce(struct sd_job *job, const struct sd_order_list *asked, struct sd_order_list *kept)
{
	struct sd_arena_mark mark;
	struct reducer r = { .job = job, .asked = asked };
	uint32_t most;

	if (job->journal)
		SD_TRY(sd_journal_reserve(job, asked->count));
	mark = sd_arena_mark(job->mem);
	r.first = SD_NEW(job->mem, uint32_t, job->slots.count + 1u);
	r.row = SD_NEW(job->mem, uint32_t, job->slots.count);
	r.asking = SD_NEW0(job->mem, uint32_t, job->slots.count);
	r.keep = SD_NEW(job->mem, bool, asked->count);
	SD_NEED(job, r.first && r.row && r.asking && r.keep && sd_clock_init(&r.clock, job->mem, job->slots.lane_count));
	most = index_asked(&r);
	r.by_age = SD_NEW(job->mem, uint32_t, most);
	r.spare = SD_NEW(job->mem, uint32_t, most);
	SD_NEED(job, r.by_age && r.spare);
	SD_TRY(sd_taught_init(&r.taught, job, most));
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		each_asked(&r, slot, count_asking);
	SD_TRY(sweep(&r));
	kept->count = 0;
	for (uint32_t i = 0; i < asked->count; i++) {
		if (r.keep[i])
			kept->at[kept->count++] = asked->at[i];
	}
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
