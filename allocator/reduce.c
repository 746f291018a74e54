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
 * that is still to come asks for it.
 *
 * Behind bodies a lane knows what it knows whichever of them ran: the least of what each way
 * through them knows, where the bodies that did not run count as done. That is too little
 * where several lanes leave one node and meet again. A second sweep, which takes the most
 * instead, tells which of the orders kept are in doubt; those are tried one by one
 * (reduce_doubt.c). */
#include "reduce.h"

#include "base/merge.h"
#include "clock.h"
#include "columns.h"
#include "journal.h"
#include "reduce_doubt.h"
#include "ways.h"
#include "mutants.h"

#define ROUNDS_MAX 8 /* in which doubtful orders are tried again; mostly it is one */

enum sweep {
	SWEEP_DECIDE, /* what is known on every way; keeps what is not */
	SWEEP_HOPE,   /* what is known on any way; doubts what is */
	SWEEP_CHECK,  /* what is known on every way by what was kept; doubts what was not kept and is not known */
	SWEEP_TELL,   /* what is known on every way by what was kept at last; the journal notes it */
	SWEEP_WATCH,  /* what is known on every way by all orders; somebody looks on */
};

struct reducer {
	struct sd_job *job;
	const struct sd_order_list *asked;
	struct sd_clock clock;
	struct sd_columns columns;
	uint32_t *first;  /* per slot + 1: into asked */
	uint32_t *row;    /* per slot: what was known when it started; good while somebody asks */
	uint32_t *asking; /* per slot: how many that have not been visited ask what it knew */
	uint32_t *by_age, *spare; /* orders of one slot, latest sender first */
	bool *keep;
	enum sweep mode;
	bool *doubt;      /* per order: what the sweep found out */
	sd_watch watch;   /* in SWEEP_WATCH */
	void *arg;
	struct sd_taught taught; /* with option explain, in the sweep that tells */
};

struct aging {
	const struct sd_order_pair *at;
	const uint32_t *rank;
};

static int compare_ages(const void *ctx, uint32_t a, uint32_t b)
{
	const struct aging *aging = ctx;
	uint32_t rank_a = aging->rank[aging->at[a].from], rank_b = aging->rank[aging->at[b].from];

	return SD_MUTANT(reduce_oldest_first) ? (rank_a < rank_b ? -1 : rank_a > rank_b) : rank_a > rank_b ? -1 : rank_a < rank_b;
}

/* How far its lane has come when a slot is done. What a lane that was cut has done, a fork knows by the orders that ask for it; where
 * all launches behind it know that otherwise these are not kept. */
static uint32_t done_behind(const struct reducer *r, uint32_t slot)
{
	const struct sd_slots *slots = &r->job->slots;
	bool all_kept = r->mode == SWEEP_DECIDE || r->mode == SWEEP_HOPE || SD_MUTANT(reduce_forks_know);

	return slots->apart && slots->kind[slot] == SD_SLOT_FORK && !all_kept ? 0 : sd_slot_done(slots, slot);
}

static void learn(struct reducer *r, uint32_t slot)
{
	sd_clock_learn(&r->clock, r->row[slot], sd_column(&r->columns, r->job->slots.lane[slot]), done_behind(r, slot) + SD_MUTANT(reduce_one_more_done));
}

static void count_asking(void *ctx, uint32_t slot)
{
	struct reducer *r = ctx;

	r->asking[slot]++;
}

static void asked_once(void *ctx, uint32_t slot)
{
	struct reducer *r = ctx;

	if (--r->asking[slot] == 0)
		sd_clock_drop(&r->clock, r->row[slot]);
}

/* Calls `see` with every slot whose knowledge `slot` is going to ask for. */
static void each_asked(struct reducer *r, uint32_t slot, sd_see see)
{
	sd_each_way(r->job, slot, see, r);
	for (uint32_t i = r->first[slot]; i < r->first[slot + 1]; i++)
		see(r, r->asked->at[i].from);
}

static uint32_t reach_of_need(const struct sd_job *job, uint32_t need, uint32_t stream);

/* How far a lane must have come for what a slot of a need stands for on one of its streams, whichever body ran. */
static uint32_t reach_of_end(const struct sd_job *job, uint32_t slot, uint32_t stream)
{
	const struct sd_slots *slots = &job->slots;
	const struct sd_exit *exit = sd_slots_exit(slots, slot);
	uint32_t most = 0;

	if (!exit)
		return slots->stream[slot] == stream ? sd_slot_reach(slots, slot) : 0;
	for (uint32_t k = 0; k < job->scopes.functional[exit->functional].body_count; k++) {
		uint32_t reach = reach_of_need(job, slots->told[exit->first_tail + k], stream);

		most = reach > most ? reach : most;
	}
	return most;
}

/* What is older is done by then. */
static uint32_t reach_of_need(const struct sd_job *job, uint32_t need, uint32_t stream)
{
	uint32_t most = 0;

	for (; need != SD_NO_INDEX && !most; need = job->slots.need.at[need].older)
		most = reach_of_end(job, job->slots.need.at[need].slot, stream);
	return most;
}

/* How far the lane of its sender must have come for an order to be kept. */
static uint32_t needed(const struct sd_job *job, const struct sd_order_pair *order)
{
	const struct sd_slots *slots = &job->slots;

	if (order->need == SD_NO_INDEX)
		return sd_slot_reach(slots, order->from);
	if (slots->apart)
		return reach_of_end(job, slots->need.at[order->need].slot, slots->stream[order->from]);
	return reach_of_need(job, order->need, slots->stream[order->from]);
}

/* Bodies that do not run on this way count as done. */
static void pass_by(struct reducer *r, uint32_t number, uint32_t way)
{
	const struct sd_slots *slots = &r->job->slots;
	const struct sd_functional *fun = &r->job->scopes.functional[number];

	for (uint32_t i = slots->exits[number].first; i < slots->exits[number].first + slots->exits[number].count; i++) {
		const struct sd_exit *exit = &slots->exit.at[i];
		uint32_t lane = sd_column(&r->columns, slots->lane[exit->slot]), come = sd_clock_knows(&r->clock, lane), known = come;
		uint32_t up_to = sd_slot_reach(slots, slots->before[exit->slot]);

		for (uint32_t k = 0; k < fun->body_count; k++) {
			uint32_t tail = slots->tail.at[exit->first_tail + k];
			bool runs = fun->loop ? k <= way : k == way;

			if (tail == SD_NO_INDEX)
				continue;
			if ((!runs || SD_MUTANT(reduce_implied_ways_pass)) && come >= up_to && come <= tail)
				come = tail + 1;
			up_to = sd_slot_reach(slots, tail);
		}
		if (come > known)
			sd_clock_learn(&r->clock, SD_CLOCK_START, lane, come);
	}
}

struct meeting {
	struct reducer *r;
	uint32_t found;
	bool all; /* what all of them know, not what any of them does */
};

/* Adds a row to what several ways, or starters, know. */
static void meet_row(struct meeting *m, uint32_t row, uint32_t column, uint32_t done)
{
	struct sd_clock *clock = &m->r->clock;

	if (m->found++ == 0) {
		sd_clock_open(clock, row);
		sd_clock_learn(clock, SD_CLOCK_START, column, done);
	} else if (m->all) {
		sd_clock_narrow(clock, row, column, done);
	} else {
		sd_clock_learn(clock, row, column, done);
	}
}

static void meet_starter(void *ctx, uint32_t from)
{
	struct meeting *m = ctx;

	meet_row(m, m->r->row[from], sd_column(&m->r->columns, m->r->job->slots.lane[from]), from + !SD_MUTANT(reduce_starter_not_done));
}

/* Opens the row of the first slot of a stream: nothing, or what all starters of the stream know. */
static void open_start(struct reducer *r, uint32_t slot)
{
	struct meeting m = { r, 0, r->mode != SWEEP_HOPE && !SD_MUTANT(reduce_union_of_starters) };

	sd_each_starter(r->job, slot, meet_starter, &m);
	if (m.found == 0)
		sd_clock_open(&r->clock, SD_CLOCK_START);
}

/* What is known where way `way` leaves bodies by `from`, of which the row is meant to be dropped. */
static uint32_t row_of_way(struct reducer *r, uint32_t slot, uint32_t from, uint32_t number, uint32_t way)
{
	if (from == SD_NO_INDEX) {
		open_start(r, slot);
	} else {
		sd_clock_open(&r->clock, r->row[from]);
		/* What its own stream has done, a slot knows by its place. */
		if (r->job->slots.stream[from] != r->job->slots.stream[slot] || done_behind(r, slot) == 0)
			sd_clock_learn(&r->clock, SD_CLOCK_START, sd_column(&r->columns, r->job->slots.lane[from]), done_behind(r, from));
	}
	pass_by(r, number, way);
	return sd_clock_close(&r->clock);
}

/* Opens a row with what is known whichever way was taken to an exit, or by jumps to an end label. */
static void open_ways(struct reducer *r, uint32_t slot, const struct sd_exit *exit, uint32_t number)
{
	const struct sd_job *job = r->job;
	const struct sd_functional *fun = &job->scopes.functional[number];
	struct meeting m = { r, 0, r->mode != SWEEP_HOPE && !SD_MUTANT(reduce_union_of_ways) };
	uint32_t known = SD_CLOCK_START;

	for (uint32_t k = 0; k < sd_ways_of(fun); k++) {
		uint32_t from = exit ? sd_way_out(&job->slots, exit, fun, k) : sd_way_jump(job, fun, k);
		uint32_t row = row_of_way(r, slot, from, number, k);

		if (k)
			sd_clock_open(&r->clock, known);
		if (k)
			sd_clock_drop(&r->clock, known);
		meet_row(&m, row, sd_column(&r->columns, job->slots.lane[slot]), 0);
		sd_clock_drop(&r->clock, row);
		known = sd_clock_close(&r->clock);
	}
	sd_clock_open(&r->clock, known);
	sd_clock_drop(&r->clock, known);
}

/* A label is reached by jumps, beside what its stream did before. */
static void learn_jumps(struct reducer *r, uint32_t slot)
{
	enum sd_label_role role;
	const struct sd_functional *fun = sd_way_label(r->job, slot, &role);
	uint32_t mine, jumped;

	if (!fun)
		return;
	if (role == SD_ROLE_HEAD) {
		learn(r, r->job->slots.of_node[fun->switch_node]);
		return;
	}
	mine = sd_clock_close(&r->clock);
	open_ways(r, slot, NULL, (uint32_t)(fun - r->job->scopes.functional));
	jumped = sd_clock_close(&r->clock);
	sd_clock_open(&r->clock, mine);
	sd_clock_learn(&r->clock, jumped, sd_column(&r->columns, r->job->slots.lane[slot]), 0);
	sd_clock_drop(&r->clock, mine);
	sd_clock_drop(&r->clock, jumped);
}

/* Opens the row of a slot: what it knows without any sync. */
static void open_slot(struct reducer *r, uint32_t slot)
{
	const struct sd_exit *exit = sd_slots_exit(&r->job->slots, slot);
	uint32_t front = r->job->slots.front[slot];

	if (exit)
		open_ways(r, slot, exit, exit->functional);
	else if (front == SD_NO_INDEX)
		open_start(r, slot);
	else
		sd_clock_open(&r->clock, r->row[front]);
	learn_jumps(r, slot);
}

/* Notes whether an order is known without it; whether the sweep goes on with it. */
static bool decide(struct reducer *r, uint32_t order, bool known)
{
	switch (r->mode) {
	case SWEEP_DECIDE:
		return r->keep[order] = !known;
	case SWEEP_HOPE:
		r->doubt[order] = known;
		return true;
	case SWEEP_TELL:
		return r->keep[order];
	case SWEEP_WATCH:
		return true;
	default:
		r->doubt[order] = !r->keep[order] && !known;
		return r->keep[order];
	}
}

/* Decides about the orders that end at `slot`. */
static void visit(struct reducer *r, uint32_t slot)
{
	const struct sd_slots *slots = &r->job->slots;
	uint32_t first = r->first[slot], count = r->first[slot + 1] - first;
	struct aging aging = { r->asked->at, r->job->rank };

	open_slot(r, slot);
	sd_taught_by(&r->taught, &r->clock, slots->front[slot]);
	for (uint32_t i = 0; i < count; i++)
		r->by_age[i] = first + i;
	sd_merge_sort(r->by_age, r->spare, count, compare_ages, &aging);
	for (uint32_t i = 0; i < count; i++) {
		const struct sd_order_pair *order = &r->asked->at[r->by_age[i]];
		uint32_t asks = needed(r->job, order);
		bool known = sd_clock_knows(&r->clock, sd_column(&r->columns, slots->lane[SD_MUTANT(reduce_wrong_lane) ? slot : order->from])) >= asks;

		if (decide(r, r->by_age[i], known)) {
			learn(r, order->from);
			sd_taught_by(&r->taught, &r->clock, order->from);
		} else if (known) {
			sd_taught_tell(&r->taught, &r->clock, r->job, order, asks);
		}
	}
	sd_taught_forget(&r->taught, &r->clock);
	if (r->mode == SWEEP_WATCH)
		r->watch(r->arg, slot, &r->clock);
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

/* With bodies only what was kept at last can be told of; without, the first sweep decides. */
static bool tells(const struct reducer *r)
{
	return r->job->journal && (r->mode == SWEEP_TELL || (r->mode == SWEEP_DECIDE && r->job->scopes.count == 1));
}

/* One sweep over all slots, with a clock of its own. */
static enum sd_status sweep_once(struct reducer *r)
{
	struct sd_job *job = r->job;
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	uint32_t most;

	r->row = SD_NEW(job->mem, uint32_t, job->slots.count);
	r->asking = SD_NEW0(job->mem, uint32_t, job->slots.count);
	SD_NEED(job, r->row && r->asking && sd_clock_init(&r->clock, job->mem, r->columns.count));
	most = index_asked(r);
	r->by_age = SD_NEW(job->mem, uint32_t, most);
	r->spare = SD_NEW(job->mem, uint32_t, most);
	SD_NEED(job, r->by_age && r->spare);
	SD_TRY(sd_taught_init(&r->taught, tells(r) ? job : NULL, most));
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		each_asked(r, slot, count_asking);
	SD_TRY(sweep(r));
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}

static uint32_t count_kept(const struct reducer *r)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->asked->count; i++)
		count += r->keep[i];
	return count;
}

/* Takes out what is needless among the orders in doubt; what was left out because of one of them comes `back`. */
static enum sd_status settle(struct reducer *r, const bool *hoped, bool *back)
{
	struct sd_job *job = r->job;
	uint32_t kept;

	for (uint32_t i = 0; i < r->asked->count; i++)
		r->doubt[i] = hoped[i] || sd_slots_exit(&job->slots, r->asked->at[i].from) || !sd_slot_launches(&job->slots, r->asked->at[i].to);
	SD_TRY(sd_reduce_doubtful(job, r->asked, r->first, r->doubt, r->keep));
	r->mode = SWEEP_CHECK;
	SD_TRY(sweep_once(r));
	kept = count_kept(r);
	if (!SD_MUTANT(doubt_not_restored))
		SD_TRY(sd_restore_doubtful(job, r->asked, r->first, r->doubt, r->keep));
	*back = count_kept(r) > kept;
	return SD_OK;
}

/* What each way implies by another road, or implies only as far as anybody asks. Only bodies make ways. What came back can
 * make needless what was kept before it did: all in doubt is tried again, until nothing comes back. */
static enum sd_status try_doubtful(struct reducer *r)
{
	struct sd_job *job = r->job;
	bool back = true, *hoped;

	if (job->scopes.count == 1 || SD_MUTANT(reduce_no_doubt))
		return SD_OK;
	r->doubt = SD_NEW0(job->mem, bool, r->asked->count);
	hoped = SD_NEW(job->mem, bool, r->asked->count);
	SD_NEED(job, r->doubt && hoped);
	r->mode = SWEEP_HOPE;
	SD_TRY(sweep_once(r));
	memcpy(hoped, r->doubt, r->asked->count * sizeof(*hoped));
	for (int round = 0; back && round < ROUNDS_MAX; round++)
		SD_TRY(settle(r, hoped, &back));
	r->mode = SWEEP_TELL;
	return tells(r) ? sweep_once(r) : SD_OK;
}

enum sd_status sd_reduce(struct sd_job *job, const struct sd_order_list *asked, struct sd_order_list *kept)
{
	struct sd_arena_mark mark;
	struct reducer r = { .job = job, .asked = asked, .columns = { job->slots.lane_count, NULL } };

	if (job->journal)
		SD_TRY(sd_journal_reserve(job, asked->count));
	mark = sd_arena_mark(job->mem);
	r.first = SD_NEW(job->mem, uint32_t, job->slots.count + 1u);
	r.keep = SD_NEW(job->mem, bool, asked->count);
	SD_NEED(job, r.first && r.keep);
	/* What is told of an order later asks for lanes by their numbers. */
	if (!job->journal && job->slots.lane_count > SD_CLOCK_FANOUT)
		SD_TRY(sd_columns_share(job, asked, &r.columns));
	SD_TRY(sweep_once(&r));
	SD_TRY(try_doubtful(&r));
	kept->count = 0;
	for (uint32_t i = 0; i < asked->count; i++) {
		if (r.keep[i])
			kept->at[kept->count++] = asked->at[i];
	}
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}

enum sd_status sd_reduce_watch(struct sd_job *job, const struct sd_order_list *asked, sd_watch watch, void *arg)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	struct reducer r = { .job = job, .asked = asked, .columns = { job->slots.lane_count, NULL }, .mode = SWEEP_WATCH, .watch = watch, .arg = arg };

	r.first = SD_NEW(job->mem, uint32_t, job->slots.count + 1u);
	SD_NEED(job, r.first);
	SD_TRY(sweep_once(&r));
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
