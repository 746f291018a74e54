/* sequence_slots - an order in which all slots can run.
 *
 * Rule   Each slot stands behind the one before it on its lane, the senders of its orders and,
 *        if it is the first of a lane that is started, the starters (sequence.h). Flat order is
 *        that where nothing but edges is asked for; starters and other orders may run across it.
 * Why    The reduction sweeps along it; where there is none, the request asks for what
 *        cannot be.
 * Cost   O(slots + orders + starters). */
#include "passes.h"

#include "sequence.h"

enum sd_status sd__pass_sequence_slots(struct sd_job *job)
{
	uint32_t slots = job->slots.count;

	job->sequence = SD_NEW(job->mem, uint32_t, slots);
	job->rank = SD_NEW(job->mem, uint32_t, slots);
	SD_NEED(job, job->sequence && job->rank);
	if (job->starts.count || job->extra_orders.count || job->scopes.functional_count)
		return sd_sequence(job, &job->orders);
	for (uint32_t s = 0; s < slots; s++)
		job->sequence[s] = job->rank[s] = s;
	return SD_OK;
}
