/* check_jumps - nothing stands where a jump would pass it over, or run into it, nor where nobody may come to it.
 *
 * Rule   A label node that leaves its stream by a jump tells nobody anything, nor does a StreamSwitchN. In lowered bodies a
 *        stream does not run out of a body or into one but at a label; the first command of a
 *        stream in such a body is a label, or the stream is started from the body. Whatever runs on a stream that is
 *        started, runs only if one of those runs that start it. No command stands behind a StreamSwitch that has left its
 *        stream; in a structured loop it is started anew in each turn, and nothing on it is what the next turn begins with.
 * Why    A device skips no commands: what stands behind a jump is never reached, and what stands
 *        in a body that was not chosen would run. Of the streams that a StreamSwitchN starts one runs,
 *        so that none of them can tell of it. The next turn of a structured loop goes on behind the last one.
 * Cost   O(slots * depth + syncs), and for a slot outside of the bodies in front the starters of its stream. */
#include "passes.h"

#include "ways.h"
#include "mutants.h"

static bool leaves(enum sd_label_role role)
{
	return role == SD_ROLE_SWITCH || role == SD_ROLE_LOOP_SWITCH || (role == SD_ROLE_GOTO && !SD_MUTANT(jumps_goto_tells));
}

static enum sd_status check_records(const struct sd_job *job)
{
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		uint32_t from = job->syncs.at[i].from, node = job->slots.node[from];

		if (job->slots.kind[from] == SD_SLOT_MAIN && leaves(sd_scopes_role(&job->scopes, node)))
			return SD_FAIL1(job->diag, SD_CODE_BEHIND_JUMP, node, sd_arg_node(job->slots.node[job->syncs.at[i].to]));
		if (job->slots.kind[from] == SD_SLOT_MAIN && sd_job_op(job, node) == SD_OP_STREAM_SWITCH_N)
			return SD_FAIL1(job->diag, SD_CODE_BEHIND_CHOICE, node, sd_arg_node(job->slots.node[job->syncs.at[i].to]));
	}
	return SD_OK;
}

/* Whether a slot runs only if a label is jumped to. */
static bool is_lowered(const struct sd_job *job, uint32_t slot)
{
	for (uint32_t s = job->slots.scope[slot]; s != SD_SCOPE_ROOT; s = job->scopes.at[s].parent) {
		if (job->scopes.functional[job->scopes.at[s].functional].form == SD_FORM_LOWERED)
			return true;
	}
	return false;
}

struct starting {
	const struct sd_job *job;
	uint32_t scope;
	bool all; /* starters run only with the slot */
};

static void see_starter(void *ctx, uint32_t from)
{
	struct starting *s = ctx;

	s->all &= sd_scope_within(&s->job->scopes, s->job->slots.scope[from], s->scope);
}

/* The first slot on a stream: whoever starts it, starts it only when the slot is to run. */
static bool starts_well(const struct sd_job *job, uint32_t slot)
{
	struct starting s = { job, job->slots.scope[slot], true };
	uint32_t stream = job->slots.stream[slot];

	if (SD_MUTANT(jumps_started_from_outside) || !is_lowered(job, slot) || job->is_jumped[stream])
		return true;
	sd_each_starter(job, slot, see_starter, &s);
	return job->is_started[stream] && s.all;
}

/* Whether a slot falls into the end label of the bodies: only the last of a body that has no jump does. */
static bool falls_into_end(const struct sd_job *job, uint32_t from, const struct sd_functional *fun)
{
	const struct sd_scope *scope = &job->scopes.at[job->slots.scope[from]];

	return scope->depth && &job->scopes.functional[scope->functional] == fun && job->scopes.jump[fun->first_jump + scope->body] == SD_NO_NODE;
}

/* From one slot of a stream to the next one: behind a jump stands what is jumped to, and nothing else does but there. */
static bool goes_on_well(const struct sd_job *job, uint32_t from, uint32_t to)
{
	bool jumped = job->slots.kind[from] == SD_SLOT_MAIN && leaves(sd_scopes_role(&job->scopes, job->slots.node[from]));
	uint32_t before = job->slots.scope[from], scope = job->slots.scope[to];
	enum sd_label_role role;
	const struct sd_functional *fun = sd_way_label(job, to, &role);

	if (fun || jumped)
		return jumped ? fun != NULL : role == SD_ROLE_END && falls_into_end(job, from, fun);
	if (job->slots.kind[to] == SD_SLOT_MAIN && role == SD_ROLE_CONDITION)
		return before == job->scopes.at[scope].parent;
	return before == scope || (SD_MUTANT(jumps_one_end_lowered) ? !is_lowered(job, from) || !is_lowered(job, to) : !is_lowered(job, from) && !is_lowered(job, to));
}

struct finding {
	const struct sd_job *job;
	uint32_t slot, found; /* starter that runs whenever the slot does; SD_NO_INDEX: none */
};

static void find_starter(void *ctx, uint32_t from)
{
	struct finding *f = ctx;
	const struct sd_slots *slots = &f->job->slots;

	if (sd_scope_within(&f->job->scopes, slots->scope[f->slot], slots->scope[from]))
		f->found = from;
}

/* Whether a stream is started whenever a slot on it runs. `by`: the starter that was found for what is in front, or the label
 * by which the stream was entered. */
static enum sd_status check_started(const struct sd_job *job, uint32_t slot, uint32_t *by)
{
	struct finding f = { job, slot, SD_NO_INDEX };
	uint32_t stream = job->slots.stream[slot];
	enum sd_label_role role;

	if (!job->is_started[stream])
		return SD_OK;
	if (sd_way_label(job, slot, &role))
		*by = slot;
	if (*by != SD_NO_INDEX && sd_scope_within(&job->scopes, job->slots.scope[slot], job->slots.scope[*by]))
		return SD_OK;
	sd_each_starter(job, slot, find_starter, &f);
	if (f.found == SD_NO_INDEX)
		return SD_FAIL1(job->diag, SD_CODE_NOT_STARTED, job->slots.node[slot],
		                sd_arg_node(job->slots.node[job->starting.slot[job->starting.first[stream]]]));
	*by = f.found;
	return SD_OK;
}

/* The innermost structured loop in which something runs; SD_NO_INDEX: none. */
static uint32_t loop_around(const struct sd_scopes *scopes, uint32_t scope)
{
	for (; scope != SD_SCOPE_ROOT; scope = scopes->at[scope].parent) {
		const struct sd_functional *fun = &scopes->functional[scopes->at[scope].functional];

		if (fun->loop && fun->form == SD_FORM_STRUCTURED)
			return scopes->at[scope].functional;
	}
	return SD_NO_INDEX;
}

struct turning {
	const struct sd_job *job;
	uint32_t slot, loop;
	bool started; /* in each turn of the loop in which the slot runs */
};

static void find_starter_in_turn(void *ctx, uint32_t from)
{
	struct turning *t = ctx;
	const struct sd_scopes *scopes = &t->job->scopes;
	uint32_t scope = t->job->slots.scope[from];

	if (!sd_scope_within(scopes, t->job->slots.scope[t->slot], scope))
		return;
	while (scope != SD_SCOPE_ROOT && scopes->at[scope].functional != t->loop)
		scope = scopes->at[scope].parent;
	t->started |= scope != SD_SCOPE_ROOT;
}

/* A StreamSwitch that leaves its stream in each turn of a loop. */
static enum sd_status check_turns(const struct sd_job *job, uint32_t slot)
{
	struct turning t = { job, slot, loop_around(&job->scopes, job->slots.scope[slot]), false };

	if (t.loop == SD_NO_INDEX)
		return SD_OK;
	if (job->is_started[job->slots.stream[slot]])
		sd_each_starter(job, slot, find_starter_in_turn, &t);
	if (t.started || SD_MUTANT(jumps_switch_turns))
		return SD_OK;
	return SD_FAIL1(job->diag, SD_CODE_SWITCH_IN_LOOP, job->slots.node[slot], sd_arg_node(job->scopes.functional[t.loop].node));
}

/* StreamSwitches, each of which has left its stream. */
struct left {
	uint32_t *last; /* per stream: the slot of the last one; SD_NO_INDEX: none */
	uint32_t *older; /* per slot: the one before on its stream */
	bool *leaves;   /* per slot: it is such a launch */
};

static enum sd_status find_leaving(struct sd_job *job, struct left *left)
{
	*left = (struct left){ SD_NEW(job->mem, uint32_t, job->stream_count), SD_NEW(job->mem, uint32_t, job->slots.count), SD_NEW0(job->mem, bool, job->slots.count) };
	SD_NEED(job, left->last && left->older && left->leaves);
	memset(left->last, 0xff, job->stream_count * sizeof(*left->last));
	for (uint32_t i = 0; i < job->starts.count; i++) {
		uint32_t node = job->starts.at[i].node;

		if (sd_op_leaves_stream(sd_job_op(job, node)))
			left->leaves[job->slots.of_node[node]] = true;
	}
	return SD_OK;
}

/* Whether a command stands behind a StreamSwitch on its stream, in some run. */
static enum sd_status check_left(const struct sd_job *job, struct left *left, uint32_t slot)
{
	const struct sd_slots *slots = &job->slots;
	uint32_t *last = &left->last[slots->stream[slot]];

	for (uint32_t from = *last; from != SD_NO_INDEX; from = left->older[from]) {
		if (!sd_scopes_meet(&job->scopes, slots->scope[from], slots->scope[slot]))
			continue;
		if (slots->kind[slot] == SD_SLOT_AGAIN)
			return SD_FAIL1(job->diag, SD_CODE_SWITCH_IN_LOOP, slots->node[from], sd_arg_node(slots->node[slot]));
		return SD_FAIL1(job->diag, SD_CODE_BEHIND_SWITCH, slots->node[slot], sd_arg_node(slots->node[from]));
	}
	if (!left->leaves[slot])
		return SD_OK;
	left->older[slot] = *last;
	*last = slot;
	return check_turns(job, slot);
}

/* Slots that have no command. */
static void mark_empty(const struct sd_job *job, bool *empty)
{
	for (uint32_t s = 0; s < job->slots.count; s++)
		empty[s] = !sd_slot_launches(&job->slots, s) && job->slots.kind[s] != SD_SLOT_WAITS;
	for (uint32_t i = 0; i < job->syncs.count; i++)
		empty[job->syncs.at[i].from] = empty[job->syncs.at[i].to] = false;
}

enum sd_status sd__pass_check_jumps(struct sd_job *job)
{
	uint32_t *last = SD_NEW(job->mem, uint32_t, job->stream_count), *by = SD_NEW(job->mem, uint32_t, job->stream_count);
	bool *empty = SD_NEW(job->mem, bool, job->slots.count);
	struct left left;

	SD_TRY(check_records(job));
	if (!job->scopes.functional_count)
		return SD_OK;
	SD_NEED(job, last && by && empty);
	SD_TRY(find_leaving(job, &left));
	mark_empty(job, empty);
	memset(last, 0xff, job->stream_count * sizeof(*last));
	memset(by, 0xff, job->stream_count * sizeof(*by));
	for (uint32_t s = 0; s < job->slots.count; s++) {
		uint32_t *before = &last[job->slots.stream[s]];

		if (empty[s])
			continue;
		if (*before == SD_NO_INDEX ? !starts_well(job, s) : !goes_on_well(job, *before, s))
			return SD_FAIL0(job->diag, SD_CODE_STREAM_OF_BODIES, job->slots.node[s]);
		SD_TRY(check_started(job, s, &by[job->slots.stream[s]]));
		SD_TRY(check_left(job, &left, s));
		*before = s;
	}
	return SD_OK;
}
