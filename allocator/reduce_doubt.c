#include "reduce_doubt.h"

#include "ways.h"
#include "mutants.h"

#define WORK_MAX (1u << 20)    /* slots looked at, and runs tried, for one order */
#define WORK_OF_ALL (1u << 26) /* the same for all orders, */
#define WORK_OF_SLOT 256u      /* and for each slot as many more: orders that are left are kept */
#define OPEN_MAX 48         /* functional nodes whose other ways are tried at one time */

/* A run that is being tried: a way through every functional node. Where it shows what is asked for, the nodes that this
 * leans on are taken differently, one after the other; those that it does not lean on never. */
struct trial {
	struct sd_job *job;
	const struct sd_order_list *asked;
	const uint32_t *first;
	const bool *keep;
	uint32_t tried;         /* the order */
	uint32_t goal;          /* the slot at which it is asked for */
	uint32_t *choice;       /* per functional node: the way */
	bool *fixed;            /* per functional node: the way is no longer to be changed */
	uint32_t *noted;        /* per functional node: the last run that was found to lean on it */
	SD_VEC(uint32_t) lean;  /* functional nodes, of all runs that are open */
	SD_VEC(uint32_t) walk;  /* slots that a reason leads to */
	uint32_t *next_on_lane; /* per slot */
	uint32_t *done;         /* per slot: the last question for which the target was known behind it */
	uint32_t *walked;       /* per slot: the last question for which it was walked to */
	uint32_t run, question, work;
	uint64_t work_left;     /* for this order and those to come */
	bool failed;            /* out of memory */
};

/* The way that a functional node takes; what follows leans on it. */
static uint32_t way_of(struct trial *t, uint32_t functional)
{
	if (t->fixed[functional] || t->noted[functional] == t->run)
		return t->choice[functional];
	if (!sd_vec_room(t->job->mem, &t->lean)) {
		t->failed = true;
		return 0;
	}
	t->noted[functional] = t->run;
	t->lean.at[t->lean.count++] = functional;
	return t->choice[functional];
}

/* Whether a scope runs: the same, unless `looks` only. */
static bool scope_runs(struct trial *t, uint32_t scope, bool looks)
{
	for (; scope != SD_SCOPE_ROOT; scope = t->job->scopes.at[scope].parent) {
		const struct sd_scope *s = &t->job->scopes.at[scope];
		bool loop = t->job->scopes.functional[s->functional].loop;

		if (loop && s->body == 0 && !SD_MUTANT(doubt_condition_skipped))
			continue;
		if ((looks ? t->choice[s->functional] : way_of(t, s->functional)) != s->body)
			return false;
	}
	return true;
}

/* Takes the ways on which a scope runs, for good; or gives them back. */
static void force(struct trial *t, uint32_t scope, bool takes)
{
	for (; scope != SD_SCOPE_ROOT; scope = t->job->scopes.at[scope].parent) {
		const struct sd_scope *s = &t->job->scopes.at[scope];

		if (t->job->scopes.functional[s->functional].loop && s->body == 0)
			continue;
		t->fixed[s->functional] = takes;
		t->choice[s->functional] = takes ? s->body : 0;
	}
}

static uint32_t resolve_need(struct trial *t, uint32_t need);

/* What a slot of a need stands for in the run: a launch; SD_NO_INDEX: nothing. */
static uint32_t resolve_end(struct trial *t, uint32_t slot)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_exit *exit = sd_slots_exit(slots, slot);
	uint32_t way, found;

	if (!exit)
		return slot;
	way = way_of(t, exit->functional);
	found = resolve_need(t, slots->told[exit->first_tail + way]);
	if (found == SD_NO_INDEX && way && t->job->scopes.functional[exit->functional].loop)
		found = resolve_need(t, slots->told[exit->first_tail]);
	return found;
}

static uint32_t resolve_need(struct trial *t, uint32_t need)
{
	const struct sd_slots *slots = &t->job->slots;
	uint32_t found = SD_NO_INDEX;

	for (; need != SD_NO_INDEX && found == SD_NO_INDEX; need = slots->need.at[need].older)
		found = resolve_end(t, slots->need.at[need].slot);
	return found;
}

/* Where a way through bodies ends on their lane; SD_NO_INDEX: it does not use it. */
static uint32_t end_of_way(struct trial *t, const struct sd_exit *exit)
{
	const uint32_t *tail = t->job->slots.tail.at + exit->first_tail;
	uint32_t way = way_of(t, exit->functional);

	if (tail[way] == SD_NO_INDEX && way && t->job->scopes.functional[exit->functional].loop)
		way = 0;
	return tail[way];
}

/* The last launch on the lane up to a slot, in the run. What is told behind bodies is what was launched in them; where their
 * lane was cut, the slot behind them that was there before knows the last of it. */
static uint32_t last_launch(struct trial *t, uint32_t from)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_exit *own = sd_slots_exit(slots, from);
	const struct sd_exit *exit = own ? sd_slots_exit_on(slots, own->functional, slots->lane[from]) : NULL;
	uint32_t slot = exit ? end_of_way(t, exit) : from;

	while (slot != SD_NO_INDEX && !sd_slot_launches(slots, slot) && slots->kind[slot] != SD_SLOT_HEAD) {
		const struct sd_exit *inner = sd_slots_exit(slots, slot);
		uint32_t end = inner ? end_of_way(t, inner) : SD_NO_INDEX;

		slot = end == SD_NO_INDEX ? slots->before[slot] : end;
		if (exit && slot != SD_NO_INDEX && slots->scope[slot] == slots->scope[from])
			return SD_NO_INDEX;
	}
	return slot;
}

/* What an order is about in the run: a launch, behind bodies on the stream of its sender. */
static uint32_t resolve(struct trial *t, const struct sd_order_pair *order)
{
	const struct sd_slots *slots = &t->job->slots;
	uint32_t target;

	if (order->need == SD_NO_INDEX)
		target = last_launch(t, order->from);
	else if (slots->apart)
		target = resolve_end(t, slots->need.at[order->need].slot);
	else
		target = resolve_need(t, order->need);
	if (target != SD_NO_INDEX && sd_slots_exit(slots, order->from) && slots->stream[target] != slots->stream[order->from])
		return SD_NO_INDEX;
	return target;
}

static bool is_done(const struct trial *t, uint32_t slot)
{
	return t->done[slot] == t->question;
}

struct asking {
	struct trial *t;
	bool some, all;
};

static void ask_starter(void *ctx, uint32_t from)
{
	struct asking *asking = ctx;

	if (!scope_runs(asking->t, asking->t->job->slots.scope[from], true))
		return;
	asking->some = true;
	asking->all &= is_done(asking->t, from);
}

static bool started_knowing(struct trial *t, uint32_t slot)
{
	struct asking asking = { t, false, true };

	sd_each_starter(t->job, slot, ask_starter, &asking);
	return asking.some && (asking.all || SD_MUTANT(doubt_any_starter));
}

/* The jump by which a label is reached; SD_NO_INDEX: it is none, or the target is not known behind it. */
static uint32_t knowing_jump(struct trial *t, uint32_t slot)
{
	enum sd_label_role role;
	const struct sd_functional *fun = sd_way_label(t->job, slot, &role);
	uint32_t jump;

	if (!fun)
		return SD_NO_INDEX;
	jump = role == SD_ROLE_HEAD ? t->job->slots.of_node[fun->switch_node] :
	                              sd_way_jump(t->job, fun, t->choice[fun - t->job->scopes.functional]);
	return is_done(t, jump) ? jump : SD_NO_INDEX;
}

/* The sender of a kept order behind which the target is known. */
static uint32_t knowing_sender(const struct trial *t, uint32_t slot)
{
	for (uint32_t i = t->first[slot]; i < t->first[slot + 1]; i++) {
		if (i != t->tried && (t->keep[i] || SD_MUTANT(doubt_left_out_counts)) && is_done(t, t->asked->at[i].from))
			return t->asked->at[i].from;
	}
	return SD_NO_INDEX;
}

/* The slot in front of another on its stream, in the run; SD_NO_INDEX: its starters are. */
static uint32_t slot_in_front(const struct trial *t, uint32_t slot)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_exit *exit = sd_slots_exit(slots, slot);

	if (!exit)
		return slots->front[slot];
	return sd_way_out(slots, exit, &t->job->scopes.functional[exit->functional], t->choice[exit->functional]);
}

/* Whether the target is known to be done when a slot starts. */
static bool knows(struct trial *t, uint32_t slot)
{
	uint32_t front = slot_in_front(t, slot);

	if (front != SD_NO_INDEX ? is_done(t, front) : started_knowing(t, slot))
		return true;
	return knowing_jump(t, slot) != SD_NO_INDEX || knowing_sender(t, slot) != SD_NO_INDEX;
}

static void walk_to(struct trial *t, uint32_t slot)
{
	if (t->walked[slot] == t->question)
		return;
	if (!sd_vec_room(t->job->mem, &t->walk)) {
		t->failed = true;
		return;
	}
	t->walked[slot] = t->question;
	t->walk.at[t->walk.count++] = slot;
}

/* Some run may have this starter too: the order leans on what keeps it out, or on itself. */
static void lean_on_starter(void *ctx, uint32_t from)
{
	struct trial *t = ctx;

	if (scope_runs(t, t->job->slots.scope[from], false))
		walk_to(t, from);
}

/* One reason why a slot knows the target: notes what it leans on, and leads to the slots that know it in front. */
static void give_reason(struct trial *t, uint32_t slot, uint32_t target)
{
	const struct sd_exit *exit = sd_slots_exit(&t->job->slots, slot);
	uint32_t front, other;

	scope_runs(t, t->job->slots.scope[slot], false);
	if (slot == target)
		return;
	front = t->job->slots.front[slot];
	/* What is known in front of bodies is known behind them, whichever run. */
	if (exit && (front == SD_NO_INDEX || !is_done(t, front))) {
		way_of(t, exit->functional);
		front = slot_in_front(t, slot);
	}
	if (front != SD_NO_INDEX && is_done(t, front)) {
		walk_to(t, front);
		return;
	}
	other = knowing_sender(t, slot);
	if (other == SD_NO_INDEX) {
		enum sd_label_role role;
		const struct sd_functional *fun = sd_way_label(t->job, slot, &role);

		other = knowing_jump(t, slot);
		if (other != SD_NO_INDEX && role == SD_ROLE_END)
			way_of(t, (uint32_t)(fun - t->job->scopes.functional));
	}
	if (other != SD_NO_INDEX)
		walk_to(t, other);
	else
		sd_each_starter(t->job, slot, lean_on_starter, t);
}

static void find_leaning(struct trial *t, uint32_t target, uint32_t end)
{
	t->walk.count = 0;
	walk_to(t, end);
	for (uint32_t i = 0; i < t->walk.count && !t->failed; i++)
		give_reason(t, t->walk.at[i], target);
	t->work += t->walk.count;
}

/* Whether `target` is known to be done when `end` starts, in the run. */
static bool reaches(struct trial *t, uint32_t target, uint32_t end)
{
	const struct sd_job *job = t->job;

	t->question++;
	if (target == SD_NO_INDEX || target == end)
		return true;
	t->done[target] = t->question;
	for (uint32_t i = job->rank[target] + 1; i <= job->rank[end]; i++) {
		uint32_t slot = job->sequence[i];

		t->work++;
		if ((slot == end || scope_runs(t, job->slots.scope[slot], true)) && knows(t, slot))
			t->done[slot] = t->question;
	}
	if (!is_done(t, end))
		return false;
	find_leaning(t, target, end);
	return true;
}

/* Whether the order is implied in the run, where it is asked for. */
static bool implied(struct trial *t)
{
	return reaches(t, resolve(t, &t->asked->at[t->tried]), t->goal);
}

static bool try_ways(struct trial *t, uint32_t open);

/* Takes the other ways of a functional node. */
static bool try_others(struct trial *t, uint32_t functional, uint32_t open)
{
	uint32_t taken = t->choice[functional], ways = sd_ways_of(&t->job->scopes.functional[functional]);
	bool goes = true;

	t->fixed[functional] = true;
	for (uint32_t k = 0; goes && k + SD_MUTANT(doubt_last_way) < ways; k++) {
		t->choice[functional] = k;
		goes = k == taken || try_ways(t, open + 1);
	}
	t->choice[functional] = taken;
	return goes;
}

static bool try_ways(struct trial *t, uint32_t open)
{
	uint32_t first = t->lean.count, end;
	bool goes;

	t->run++;
	t->work++;
	goes = open <= OPEN_MAX && implied(t) && t->work < WORK_MAX && !t->failed;
	end = t->lean.count;
	for (uint32_t i = first; goes && i < end; i++)
		goes = try_others(t, t->lean.at[i], open);
	for (uint32_t i = first; i < end; i++)
		t->fixed[t->lean.at[i]] = false;
	t->lean.count = first;
	return goes;
}

/* Whether the order is implied at a slot, in all runs in which that and both ends run. */
static bool known_at(struct trial *t, uint32_t goal)
{
	const uint32_t *scope = t->job->slots.scope, runs[] = { scope[t->asked->at[t->tried].from], scope[t->asked->at[t->tried].to], scope[goal] };
	bool goes;

	t->goal = goal;
	for (uint32_t i = 0; i < 3; i++)
		force(t, runs[i], true);
	goes = try_ways(t, 0);
	for (uint32_t i = 0; i < 3; i++)
		force(t, runs[i], false);
	return goes;
}

/* Whether the nodes with which bodies begin on the piece of an order know what it is about. Each is asked apart, so that the ways
 * that one leans on do not multiply with those of another. */
static bool entries_know(struct trial *t, const struct sd_order_pair *order, uint32_t functional)
{
	const struct sd_slots *slots = &t->job->slots;
	struct sd_exit_range own = slots->exits[functional];

	for (uint32_t i = own.first_entry; i < own.first_entry + (SD_MUTANT(doubt_first_entry) && own.entry_count ? 1 : own.entry_count); i++) {
		uint32_t entry = slots->entry.at[i];

		t->work++;
		if (slots->lane[entry] != slots->lane[order->to])
			continue;
		if (slots->kind[entry] == SD_SLOT_FORK ? !entries_know(t, order, t->job->scopes.functional_of[slots->node[entry]]) :
		                                         slots->stream[entry] == slots->stream[order->to] && !known_at(t, entry))
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
static bool launches_know(struct trial *t, const struct sd_order_pair *order)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_scopes *scopes = &t->job->scopes;

	for (uint32_t s = t->next_on_lane[order->to]; s != SD_NO_INDEX; s = t->next_on_lane[s]) {
		t->work++;
		if (!sd_slot_launches(slots, s) || !sd_scopes_meet(scopes, slots->scope[order->to], slots->scope[s]))
			continue;
		if (!follows_launch(slots, order->to, s) && !known_at(t, s))
			return false;
		if (sd_scope_within(scopes, slots->scope[order->to], slots->scope[s]))
			return true;
	}
	return true;
}

/* Whether an order is implied in all runs in which both ends run. */
static bool can_go(struct trial *t, uint32_t number)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_order_pair *order = &t->asked->at[number];
	bool fork = slots->kind[order->to] == SD_SLOT_FORK, goes;

	if (!t->work_left)
		return false;
	t->tried = number;
	t->work = 0;
	if (order->cause == SD_CAUSE_SPLIT && (fork || slots->kind[order->to] == SD_SLOT_JOIN))
		goes = launches_know(t, order);
	else
		goes = fork ? entries_know(t, order, t->job->scopes.functional_of[slots->node[order->to]]) : known_at(t, order->to);
	t->work_left -= t->work < t->work_left ? t->work : t->work_left;
	return goes;
}

static enum sd_status index_slots(struct trial *t)
{
	struct sd_job *job = t->job;
	uint32_t slots = job->slots.count, *last = SD_NEW(job->mem, uint32_t, job->slots.lane_count);

	t->next_on_lane = SD_NEW(job->mem, uint32_t, slots);
	SD_NEED(job, last && t->next_on_lane);
	memset(last, 0xff, job->slots.lane_count * sizeof(*last));
	for (uint32_t s = slots; s-- > 0;) {
		t->next_on_lane[s] = last[job->slots.lane[s]];
		last[job->slots.lane[s]] = s;
	}
	return SD_OK;
}

enum tried { KEPT, LEFT_OUT_TO_LAUNCHES, LEFT_OUT_TO_PLACES };

/* Tries each order in doubt of a kind. */
static enum sd_status try_each(struct trial *t, const bool *doubt, bool *keep, enum tried which)
{
	struct sd_job *job = t->job;

	for (uint32_t i = 0; i < t->asked->count; i++) {
		if (!doubt[i] || keep[i] != (which == KEPT) || (!keep[i] && sd_slot_launches(&job->slots, t->asked->at[i].to) != (which == LEFT_OUT_TO_LAUNCHES)))
			continue;
		if (sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		keep[i] = !can_go(t, i);
		SD_NEED(job, !t->failed);
	}
	return SD_OK;
}

static enum sd_status make_room(struct trial *t)
{
	struct sd_job *job = t->job;

	t->choice = SD_NEW0(job->mem, uint32_t, job->scopes.functional_count);
	t->fixed = SD_NEW0(job->mem, bool, job->scopes.functional_count);
	t->noted = SD_NEW0(job->mem, uint32_t, job->scopes.functional_count);
	t->done = SD_NEW0(job->mem, uint32_t, job->slots.count);
	t->walked = SD_NEW0(job->mem, uint32_t, job->slots.count);
	t->work_left = WORK_OF_ALL + (uint64_t)job->slots.count * WORK_OF_SLOT;
	SD_NEED(job, t->choice && t->fixed && t->noted && t->done && t->walked);
	return index_slots(t);
}

enum sd_status sd_reduce_doubtful(struct sd_job *job, const struct sd_order_list *asked, const uint32_t *first,
                                  const bool *doubt, bool *keep)
{
	struct trial t = { .job = job, .asked = asked, .first = first, .keep = keep };

	SD_TRY(make_room(&t));
	return try_each(&t, doubt, keep, KEPT);
}

enum sd_status sd_restore_doubtful(struct sd_job *job, const struct sd_order_list *asked, const uint32_t *first,
                                   const bool *doubt, bool *keep)
{
	struct trial t = { .job = job, .asked = asked, .first = first, .keep = keep };

	SD_TRY(make_room(&t));
	/* What places in front of bodies must know depends on what the launches behind them are told. */
	SD_TRY(try_each(&t, doubt, keep, LEFT_OUT_TO_LAUNCHES));
	return try_each(&t, doubt, keep, LEFT_OUT_TO_PLACES);
}
