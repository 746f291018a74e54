#include "reduce_trial.h"

#include "ways.h"
#include "mutants.h"

#define WORK_MAX (1u << 22) /* slots looked at, and runs tried, for one order */
#define OPEN_MAX 48         /* functional nodes whose other ways are tried at one time */

uint32_t sd_trial_way(struct sd_trial *t, uint32_t functional)
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
static bool scope_runs(struct sd_trial *t, uint32_t scope, bool looks)
{
	for (; scope != SD_SCOPE_ROOT; scope = t->job->scopes.at[scope].parent) {
		const struct sd_scope *s = &t->job->scopes.at[scope];
		bool loop = t->job->scopes.functional[s->functional].loop;

		if (loop && s->body == 0 && !SD_MUTANT(doubt_condition_skipped))
			continue;
		if ((looks ? t->choice[s->functional] : sd_trial_way(t, s->functional)) != s->body)
			return false;
	}
	return true;
}

/* Takes the ways on which a scope runs, for good; or gives them back. */
static void force(struct sd_trial *t, uint32_t scope, bool takes)
{
	for (; scope != SD_SCOPE_ROOT; scope = t->job->scopes.at[scope].parent) {
		const struct sd_scope *s = &t->job->scopes.at[scope];

		if (t->job->scopes.functional[s->functional].loop && s->body == 0)
			continue;
		t->fixed[s->functional] = takes;
		t->choice[s->functional] = takes ? s->body : 0;
	}
}

static bool is_done(const struct sd_trial *t, uint32_t slot)
{
	return t->done[slot] == t->question;
}

struct asking {
	struct sd_trial *t;
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

static bool started_knowing(struct sd_trial *t, uint32_t slot)
{
	struct asking asking = { t, false, true };

	sd_each_starter(t->job, slot, ask_starter, &asking);
	return asking.some && (asking.all || SD_MUTANT(doubt_any_starter));
}

/* The jump by which a label is reached; SD_NO_INDEX: it is none, or the target is not known behind it. */
static uint32_t knowing_jump(struct sd_trial *t, uint32_t slot)
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
static uint32_t knowing_sender(const struct sd_trial *t, uint32_t slot)
{
	for (uint32_t i = t->first[slot]; i < t->first[slot + 1]; i++) {
		if (i != t->tried && (t->keep[i] || SD_MUTANT(doubt_left_out_counts)) && is_done(t, t->asked->at[i].from))
			return t->asked->at[i].from;
	}
	return SD_NO_INDEX;
}

/* The slot in front of another on its stream, in the run; SD_NO_INDEX: its starters are. */
static uint32_t slot_in_front(const struct sd_trial *t, uint32_t slot)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_exit *exit = sd_slots_exit(slots, slot);

	if (!exit)
		return slots->front[slot];
	return sd_way_out(slots, exit, &t->job->scopes.functional[exit->functional], t->choice[exit->functional]);
}

/* Whether the target is known to be done when a slot starts. */
static bool knows(struct sd_trial *t, uint32_t slot)
{
	uint32_t front = slot_in_front(t, slot);

	if (front != SD_NO_INDEX ? is_done(t, front) : started_knowing(t, slot))
		return true;
	return knowing_jump(t, slot) != SD_NO_INDEX || knowing_sender(t, slot) != SD_NO_INDEX;
}

static void walk_to(struct sd_trial *t, uint32_t slot)
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
	struct sd_trial *t = ctx;

	if (scope_runs(t, t->job->slots.scope[from], false))
		walk_to(t, from);
}

/* One reason why a slot knows the target: notes what it leans on, and leads to the slots that know it in front. */
static void give_reason(struct sd_trial *t, uint32_t slot, uint32_t target)
{
	const struct sd_exit *exit = sd_slots_exit(&t->job->slots, slot);
	uint32_t front, other;

	scope_runs(t, t->job->slots.scope[slot], false);
	if (slot == target)
		return;
	front = t->job->slots.front[slot];
	/* What is known in front of bodies is known behind them, whichever run. */
	if (exit && (front == SD_NO_INDEX || !is_done(t, front))) {
		sd_trial_way(t, exit->functional);
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
			sd_trial_way(t, (uint32_t)(fun - t->job->scopes.functional));
	}
	if (other != SD_NO_INDEX)
		walk_to(t, other);
	else
		sd_each_starter(t->job, slot, lean_on_starter, t);
}

static void find_leaning(struct sd_trial *t, uint32_t target, uint32_t end)
{
	t->walk.count = 0;
	walk_to(t, end);
	for (uint32_t i = 0; i < t->walk.count && !t->failed; i++)
		give_reason(t, t->walk.at[i], target);
	t->work += t->walk.count;
}

/* Whether `target` is known to be done when `end` starts, in the run. */
static bool reaches(struct sd_trial *t, uint32_t target, uint32_t end)
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
static bool implied(struct sd_trial *t)
{
	return reaches(t, sd_trial_target(t, &t->asked->at[t->tried]), t->goal);
}

static bool try_ways(struct sd_trial *t, uint32_t open);

/* Takes the other ways of a functional node. */
static bool try_others(struct sd_trial *t, uint32_t functional, uint32_t open)
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

static bool try_ways(struct sd_trial *t, uint32_t open)
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

bool sd_trial_known_at(struct sd_trial *t, uint32_t goal)
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

enum sd_status sd_trial_start(struct sd_trial *t)
{
	struct sd_job *job = t->job;

	t->choice = SD_NEW0(job->mem, uint32_t, job->scopes.functional_count);
	t->fixed = SD_NEW0(job->mem, bool, job->scopes.functional_count);
	t->noted = SD_NEW0(job->mem, uint32_t, job->scopes.functional_count);
	t->done = SD_NEW0(job->mem, uint32_t, job->slots.count);
	t->walked = SD_NEW0(job->mem, uint32_t, job->slots.count);
	SD_NEED(job, t->choice && t->fixed && t->noted && t->done && t->walked);
	return SD_OK;
}
