/* reduce_splits - the pieces of a logical stream keep its order with as few syncs as possible.
 *
 * Rule   The syncs of whole lanes and one order from each piece to the next are reduced
 *        together, the pieces now being the only free orders. Of the split orders those go that a
 *        way through other streams implies. Splitting only takes free orders away, so a sync
 *        of whole lanes goes only where an order of the pieces, such as that of an iteration
 *        loop, implies it.
 * Cost   That of reduce.c. */
#include "passes.h"

#include "journal.h"
#include "loop.h"
#include "reduce.h"
#include "sequence.h"
#include "mutants.h"

/* Both lists are sorted by receiver; so is the result. */
static void merge_lists(const struct sd_order_list *a, const struct sd_order_list *b, struct sd_order_list *out)
{
	uint32_t i = 0, k = 0;

	while (i < a->count || k < b->count) {
		bool take_b = i == a->count || (k < b->count && b->at[k].to < a->at[i].to);

		out->at[out->count++] = take_b ? b->at[k++] : a->at[i++];
	}
}

/* Bodies may have got slots, a piece in a body has starters of its own, and a loop waits for more. */
static enum sd_status sequence_anew(struct sd_job *job, const struct sd_order_list *orders)
{
	job->sequence = SD_NEW(job->mem, uint32_t, job->slots.count);
	job->rank = SD_NEW(job->mem, uint32_t, job->slots.count);
	SD_NEED(job, job->sequence && job->rank);
	return sd_sequence(job, orders);
}

enum sd_status sd__pass_reduce_splits(struct sd_job *job)
{
	uint32_t count = job->syncs.count + job->split_orders.count;
	struct sd_order_list all = { 0, SD_NEW(job->mem, struct sd_order_pair, count) };
	struct sd_order_list kept = { 0, SD_NEW(job->mem, struct sd_order_pair, count) };

	if (job->stream_count == job->slots.lane_count || (job->split_orders.count == 0 && (!job->scopes.functional_count || SD_MUTANT(splits_bodies_unreduced))))
		return SD_OK;
	SD_NEED(job, all.at && kept.at);
	merge_lists(&job->syncs, &job->split_orders, &all);
	if (job->scopes.functional_count || sd_loop_turn(job) != SD_NO_INDEX)
		SD_TRY(sequence_anew(job, &all));
	if (job->scopes.functional_count)
		sd_journal_forget_implied(job);
	SD_TRY(sd_reduce(job, &all, &kept));
	job->syncs = SD_MUTANT(splits_unreduced) ? all : kept;
	return SD_OK;
}
