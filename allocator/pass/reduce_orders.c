/* reduce_orders - syncs are what is left of the required orders when all that is implied is gone.
 *
 * Rule   The orders of order_edges, reduced (reduce.c) over whole lanes.
 * Why    Each sync costs a record, a wait and one of a few events of the device.
 * Example a1 -> b2, a2 -> b1 on two lanes: only a2 -> b1 needs a sync.
 * Differs Graph Engine compares neighbours only and keeps up to several times as many.
 * Cost   That of reduce.c. */
#include "passes.h"

#include "reduce.h"

enum sd_status sd__pass_reduce_orders(struct sd_job *job)
{
	job->syncs.at = SD_NEW(job->mem, struct sd_order_pair, job->orders.count);
	SD_NEED(job, job->syncs.at);
	return sd_reduce(job, &job->orders, &job->syncs);
}
