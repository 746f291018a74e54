/* number_syncs - events and notifies numbered in the order in which they are recorded.
 *
 * Rule   Syncs are sorted by the place of the sender, then of the receiver; in that order
 *        events are numbered from 0, and so are notifies.
 * Why    Numbers follow execution and nothing else, so equal graphs get equal plans.
 * Differs Graph Engine numbers by the names of the senders.
 * Cost   O(slots + syncs). */
#include "passes.h"

static enum sd_status sort_by_sender(struct sd_job *job)
{
	struct sd_order_list *syncs = &job->syncs;
	struct sd_order_pair *sorted = SD_NEW(job->mem, struct sd_order_pair, syncs->count);
	uint32_t *place = SD_NEW0(job->mem, uint32_t, job->slots.count + 1u);

	SD_NEED(job, sorted && place);
	for (uint32_t i = 0; i < syncs->count; i++)
		place[syncs->at[i].from + 1]++;
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		place[slot + 1] += place[slot];
	/* The list is sorted by receiver, and counting keeps that among equal senders. */
	for (uint32_t i = 0; i < syncs->count; i++)
		sorted[place[syncs->at[i].from]++] = syncs->at[i];
	syncs->at = sorted;
	return SD_OK;
}

enum sd_status sd__pass_number_syncs(struct sd_job *job)
{
	SD_TRY(sort_by_sender(job));
	job->sync_id = SD_NEW(job->mem, uint32_t, job->syncs.count);
	SD_NEED(job, job->sync_id);
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		bool event = sd_job_sync_kind(job, job->syncs.at[i].cause) == SD_SYNC_EVENT;

		job->sync_id[i] = event ? job->event_count++ : job->notify_count++;
	}
	return SD_OK;
}
