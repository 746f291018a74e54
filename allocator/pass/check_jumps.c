/* check_jumps - nothing stands where a jump would pass it over, or run into it, nor where nobody may come to it.
 *
 * Rule   A label node that leaves its stream by a jump tells nobody anything, nor does a StreamSwitchN. In lowered bodies a
 *        stream does not run out of a body or into one but at a label; the first command of a
 *        stream in such a body is a label, or the stream is started from the body. Whatever runs on a stream that is
 *        started, runs only if one of those runs that start it.
 * Why    A device skips no commands: what stands behind a jump is never reached, and what stands
 *        in a body that was not chosen would run. Of the streams that a StreamSwitchN starts one runs,
 *        so that none of them can tell of it.
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

	SD_TRY(check_records(job));
	if (!job->scopes.functional_count)
		return SD_OK;
	SD_NEED(job, last && by && empty);
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
		*before = s;
	}
	return SD_OK;
}
