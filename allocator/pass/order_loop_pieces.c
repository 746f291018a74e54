/* order_loop_pieces - a piece of a stream must be finished before the iteration loop starts it again.
 *
 * Rule   What order_loop asks of lanes is asked of the pieces that they have become, those of
 *        the lane of the loop's StreamSwitch too. Of the pieces of one lane the last is
 *        enough, since it stands behind the others.
 * Why    The loop's activator starts the pieces for the next turn. order_loop leaves out a
 *        lane that holds a StreamSwitch; of its pieces only the one that holds it can be.
 * Example a, b and a StreamSwitch share an attached stream, which is cut behind b: what b does
 *        there comes before the StreamSwitch of the loop.
 * Cost   O(slots + streams). */
#include "passes.h"

#include "loop.h"
#include "mutants.h"

/* Keeps the last of the ends of each lane; they ascend along their lanes. */
static enum sd_status keep_last(struct sd_job *job, uint32_t *end, uint32_t *count)
{
	uint32_t *last = SD_NEW(job->mem, uint32_t, job->slots.lane_count), kept = 0;

	SD_NEED(job, last);
	for (uint32_t i = 0; i < *count; i++)
		last[job->slots.lane[end[i]]] = end[i];
	for (uint32_t i = 0; i < *count; i++) {
		if ((last[job->slots.lane[end[i]]] == end[i]) != SD_MUTANT(loop_pieces_all_but_last))
			end[kept++] = end[i];
	}
	*count = kept;
	return SD_OK;
}

/* Adds orders to `to` to the list of split orders, which is sorted by receiver. */
static enum sd_status insert(struct sd_job *job, const uint32_t *from, uint32_t count, uint32_t to)
{
	struct sd_order_list *list = &job->split_orders;
	struct sd_order_pair *at = SD_NEW(job->mem, struct sd_order_pair, list->count + count);
	uint32_t i = 0, end = 0;

	SD_NEED(job, at);
	while (i < list->count && list->at[i].to <= to)
		at[end++] = list->at[i++];
	for (uint32_t k = 0; k < count; k++)
		at[end++] = (struct sd_order_pair){ from[k], to, SD_CAUSE_LOOP, SD_NO_INDEX };
	while (i < list->count)
		at[end++] = list->at[i++];
	*list = (struct sd_order_list){ end, at };
	return SD_OK;
}

enum sd_status sd__pass_order_loop_pieces(struct sd_job *job)
{
	uint32_t *end, count, turn = sd_loop_turn(job);

	/* Without a cut the pieces are the lanes. */
	if (turn == SD_NO_INDEX || job->split_orders.count == 0)
		return SD_OK;
	SD_TRY(sd_loop_ends(job, SD_MUTANT(loop_pieces_of_lanes) ? job->slots.lane : job->slots.stream, job->stream_count, &end, &count));
	SD_TRY(keep_last(job, end, &count));
	return insert(job, end, count, turn);
}
