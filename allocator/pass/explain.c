/* explain - the journal of the run becomes part of the plan.
 *
 * Rule   With option explain, what was noted while the passes ran (journal.h) is told node after
 *        node, each node's in the order of the decisions; then which syncs it waits for and
 *        what asks for them.
 * Why    Who reads a plan asks why a node is where it is, and why it waits for another or does not.
 * Example b follows a on stream 0: b runs on AIcoreEngine, goes on where a leaves off, needs
 *        no sync with a.
 * Cost   O(nodes + edges + syncs); nothing without the option. */
#include "passes.h"

#include "journal.h"
#include "streamd/plan.h"
#include "mutants.h"

/* By node; those of one node stay in their order. */
static enum sd_status sort_notes(struct sd_job *job, struct sd_explanation **sorted)
{
	const struct sd_journal *j = job->journal;
	uint32_t nodes = job->plan->node_count, *place = SD_NEW0(job->mem, uint32_t, nodes + 1u);

	*sorted = SD_NEW(job->mem, struct sd_explanation, j->note.count);
	SD_NEED(job, place && *sorted);
	for (uint32_t i = 0; i < j->note.count; i++)
		place[j->note.at[i].node + 1]++;
	for (uint32_t n = 0; n < nodes; n++)
		place[n + 1] += place[n];
	for (uint32_t i = 0; i < j->note.count; i++)
		(*sorted)[place[j->note.at[i].node]++] = j->note.at[i];
	return SD_OK;
}

enum sd_status sd__pass_explain(struct sd_job *job)
{
	struct sd_explanation *sorted;

	if (!job->journal)
		return SD_OK;
	SD_TRY(SD_MUTANT(explain_no_syncs) ? SD_OK : sd_journal_syncs(job));
	SD_TRY(sort_notes(job, &sorted));
	job->plan->explained = true;
	job->plan->pass_count = job->journal->pass_count;
	job->plan->pass_name = job->journal->pass_name;
	job->plan->explanation_count = job->journal->note.count - (SD_MUTANT(explain_last_forgotten) && job->journal->note.count);
	job->plan->explanation = sorted;
	return SD_OK;
}
