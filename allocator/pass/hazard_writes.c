/* hazard_writes - several streams that write one buffer, and nothing orders them.
 *
 * Rule   Of all launched nodes whose `writes` name one external buffer, each is held against the
 *        last one in front of it as the plan runs, in each run. Where the plan does not order the two, that is a
 *        hazard, told once for each node, with the place of the name in its list.
 * Why    What the buffer holds in the end would depend on which of them is the slower one.
 * Example a on stream 0 and b on stream 1 both write "cache": told of b.
 * Differs Graph Engine knows no such names.
 * Cost   That of reduce.c where a buffer has two writers, and O(writes * log writes). */
#include "passes.h"

#include "base/merge.h"
#include "hazard.h"
#include "mutants.h"

struct gathering {
	struct sd_job *job;
	uint32_t count;
	struct sd_text *name;
	uint32_t *buffer;  /* number of the name */
	uint32_t *slot, *entry; /* who writes it, and where in its list that stands */
	uint32_t *sorted;  /* by buffer, then as they run */
	SD_VEC(uint32_t) by_question; /* of the later writer, into the arrays above */
	SD_VEC(struct sd_question) question;
};

static enum sd_status gather(struct gathering *g)
{
	const struct sd_graph *graph = g->job->graph;
	uint32_t count = 0, buffers;

	for (uint32_t i = 0; i < graph->extra_count; i++)
		count += graph->extra[i].write_count;
	g->name = SD_NEW(g->job->mem, struct sd_text, count);
	g->buffer = SD_NEW(g->job->mem, uint32_t, count);
	g->slot = SD_NEW(g->job->mem, uint32_t, count);
	g->entry = SD_NEW(g->job->mem, uint32_t, count);
	SD_NEED(g->job, g->name && g->buffer && g->slot && g->entry);
	for (uint32_t i = 0; i < graph->extra_count; i++) {
		const struct sd_extra *extra = &graph->extra[i];

		for (uint32_t k = 0; g->job->launched[extra->node] && k < extra->write_count; k++) {
			g->name[g->count] = graph->write[extra->write_first + k];
			g->slot[g->count] = g->job->slots.of_node[extra->node];
			g->entry[g->count++] = k;
		}
	}
	return sd_job_intern(g->job, g->name, g->count, 0, g->buffer, &buffers);
}

static int compare_writes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct gathering *g = ctx;
	uint32_t rank_a = g->job->rank[g->slot[a]], rank_b = g->job->rank[g->slot[b]];

	if (g->buffer[a] != g->buffer[b])
		return g->buffer[a] < g->buffer[b] ? -1 : 1;
	return rank_a < rank_b ? -1 : rank_a > rank_b;
}

/* Asks about the writers of the same buffer in front of the one at place `at`, the nearest first. */
static enum sd_status ask_back(struct gathering *g, uint32_t at)
{
	struct sd_job *job = g->job;
	uint32_t b = g->sorted[at], node = job->slots.node[g->slot[b]];

	for (uint32_t k = at; k > 0 && at - k < SD_HAZARD_WALK && (g->buffer[g->sorted[k - 1]] == g->buffer[b] || SD_MUTANT(writes_of_all_buffers)); k--) {
		uint32_t a = g->sorted[k - 1], other = job->slots.node[g->slot[a]];

		if (g->slot[a] == g->slot[b] || !sd_may_both_run(job, other, node))
			continue;
		if (!sd_vec_room(job->mem, &g->by_question) || !sd_vec_room(job->mem, &g->question))
			SD_NEED(job, NULL);
		g->by_question.at[g->by_question.count++] = b;
		g->question.at[g->question.count++] = (struct sd_question){ g->slot[a], g->slot[b], false };
		if (sd_runs_with(job, node, other))
			break;
	}
	return SD_OK;
}

static enum sd_status ask_all(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t *spare = SD_NEW(job->mem, uint32_t, g->count);

	g->sorted = SD_NEW(job->mem, uint32_t, g->count);
	SD_NEED(job, spare && g->sorted);
	for (uint32_t i = 0; i < g->count; i++)
		g->sorted[i] = i;
	sd_merge_sort(g->sorted, spare, g->count, compare_writes, g);
	for (uint32_t i = 1 + SD_MUTANT(writes_second_on); i < g->count; i++)
		SD_TRY(ask_back(g, i));
	return SD_OK;
}

/* The first question of each slot that was answered with no; nodes in flat order. */
static enum sd_status tell(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t *told = SD_NEW(job->mem, uint32_t, job->slots.count);

	SD_NEED(job, told);
	memset(told, 0xff, job->slots.count * sizeof(*told));
	for (uint32_t q = 0; q < g->question.count; q++) {
		uint32_t *first = &told[g->question.at[q].to];

		if (!g->question.at[q].ordered && (*first == SD_NO_INDEX || g->entry[g->by_question.at[q]] < g->entry[g->by_question.at[*first]]))
			*first = q;
	}
	for (uint32_t s = 0; s < job->slots.count; s++) {
		if (told[s] != SD_NO_INDEX)
			SD_TRY(sd_hazard(job, SD_CODE_WRITES_UNORDERED, job->slots.node[s],
			                 sd_arg_node(job->slots.node[g->question.at[told[s]].from]), sd_arg_int(g->entry[g->by_question.at[told[s]]])));
	}
	return SD_OK;
}

enum sd_status sd__pass_hazard_writes(struct sd_job *job)
{
	struct gathering g = { .job = job };

	SD_TRY(gather(&g));
	if (g.count < 2)
		return SD_OK;
	SD_TRY(ask_all(&g));
	if (g.question.count == 0)
		return SD_OK;
	SD_TRY(sd_answer(job, g.question.at, g.question.count));
	return tell(&g);
}
