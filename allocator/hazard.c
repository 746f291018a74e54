#include "hazard.h"

#include "reduce_doubt.h"

#define ORACLE_MAX 128u

struct answering {
	const struct sd_job *job;
	struct sd_question *question;
	uint32_t *first, *of_slot; /* slots + 1: into of_slot, questions by the slot they end at */
};

static void answer_slot(void *arg, uint32_t slot, const struct sd_clock *known)
{
	struct answering *a = arg;

	for (uint32_t i = a->first[slot]; i < a->first[slot + 1]; i++) {
		struct sd_question *question = &a->question[a->of_slot[i]];

		question->ordered = sd_is_before(a->job, known, question->from, slot);
	}
}

static enum sd_status index_questions(struct sd_job *job, struct answering *a, uint32_t count)
{
	uint32_t slots = job->slots.count;

	/* Counted two places up: filling then moves each start to where it belongs. */
	a->first = SD_NEW0(job->mem, uint32_t, slots + 2u);
	a->of_slot = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, a->first && a->of_slot);
	for (uint32_t i = 0; i < count; i++)
		a->first[a->question[i].to + 2]++;
	for (uint32_t s = 0; s < slots; s++)
		a->first[s + 2] += a->first[s + 1];
	for (uint32_t i = 0; i < count; i++)
		a->of_slot[a->first[a->question[i].to + 1]++] = i;
	return SD_OK;
}

enum sd_status sd_answer(struct sd_job *job, struct sd_question *question, uint32_t count)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	struct answering a = { .job = job, .question = question };
	struct sd_oracle oracle;
	bool open = false;

	for (uint32_t i = 0; i < count; i++) {
		question[i].ordered = sd_follows_on_lane(&job->slots, question[i].from, question[i].to);
		open |= !question[i].ordered;
	}
	if (!open)
		return SD_OK;
	SD_TRY(index_questions(job, &a, count));
	SD_TRY(sd_reduce_watch(job, &job->syncs, answer_slot, &a));
	SD_TRY(sd_oracle_open(&oracle, job));
	for (uint32_t i = 0; i < count; i++)
		question[i].ordered = question[i].ordered || sd_oracle_before(&oracle, question[i].from, question[i].to);
	SD_TRY(oracle.status);
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}

enum sd_status sd_oracle_open(struct sd_oracle *oracle, struct sd_job *job)
{
	uint32_t count = job->syncs.count, slots = job->slots.count, at = 0;

	*oracle = (struct sd_oracle){ .job = job, .status = SD_OK };
	if (job->scopes.count == 1)
		return SD_OK;
	oracle->asked = (struct sd_order_list){ count + 1, SD_NEW(job->mem, struct sd_order_pair, count + 1u) };
	oracle->first = SD_NEW(job->mem, uint32_t, slots + 1u);
	oracle->doubt = SD_NEW0(job->mem, bool, count + 1u);
	oracle->keep = SD_NEW(job->mem, bool, count + 1u);
	SD_NEED(job, oracle->asked.at && oracle->first && oracle->doubt && oracle->keep);
	if (count)
		memcpy(oracle->asked.at, job->syncs.at, count * sizeof(*oracle->asked.at));
	memset(oracle->keep, true, count + 1u);
	oracle->doubt[count] = true;
	for (uint32_t s = 0; s < slots; s++) {
		oracle->first[s] = at;
		while (at < count && job->syncs.at[at].to == s)
			at++;
	}
	oracle->first[slots] = at;
	oracle->left = ORACLE_MAX;
	return SD_OK;
}

bool sd_oracle_before(struct sd_oracle *oracle, uint32_t from, uint32_t to)
{
	struct sd_job *job = oracle->job;
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	uint32_t question = oracle->asked.count - 1;

	if (oracle->left == 0 || oracle->status != SD_OK)
		return false;
	oracle->left--;
	oracle->asked.at[question] = (struct sd_order_pair){ from, to, SD_CAUSE_ORDER, SD_NO_INDEX };
	oracle->keep[question] = true;
	oracle->status = sd_reduce_doubtful(job, &oracle->asked, oracle->first, oracle->doubt, oracle->keep);
	sd_arena_rewind(job->mem, mark);
	return !oracle->keep[question];
}

bool sd_may_both_run(const struct sd_job *job, uint32_t a, uint32_t b)
{
	return sd_scopes_meet(&job->scopes, sd_scope_of_run(&job->scopes, job->graph, a), sd_scope_of_run(&job->scopes, job->graph, b));
}

bool sd_runs_with(const struct sd_job *job, uint32_t node, uint32_t other)
{
	return sd_scope_within(&job->scopes, sd_scope_of_run(&job->scopes, job->graph, node), sd_scope_of_run(&job->scopes, job->graph, other));
}

enum sd_status sd_hazard(struct sd_job *job, enum sd_code code, uint32_t node, struct sd_arg a, struct sd_arg b)
{
	if (job->options->strict)
		return SD_FAIL2(job->diag, code, node, a, b);
	return sd_job_warn(job, code, node, a, b);
}
