/* check_limits - a plan that the device cannot hold is refused, with the figure it would need.
 *
 * Rule   Streams, events and notifies of the plan are at most those of the device profile
 *        or of device.limits; 0 is no limit. (Tasks per stream are split_streams' business.)
 * Why    A loader would fail later, with an error that names something else.
 * Cost   O(1). */
#include "passes.h"

#include "streamd/plan.h"

static enum sd_status check(struct sd_job *job, enum sd_code code, uint32_t needed, int64_t limit)
{
	if (limit == 0 || needed <= limit)
		return SD_OK;
	return SD_FAIL3(job->diag, code, SD_NO_NODE, sd_arg_int(needed), sd_arg_int(limit),
	                ((struct sd_arg){ .kind = SD_ARG_PROFILE, .number = job->limits.profile }));
}

enum sd_status sd__pass_check_limits(struct sd_job *job)
{
	SD_TRY(check(job, SD_CODE_LIMIT_STREAMS, job->plan->stream_count, job->limits.max_streams));
	SD_TRY(check(job, SD_CODE_LIMIT_EVENTS, job->plan->event_count, job->limits.max_events));
	return check(job, SD_CODE_LIMIT_NOTIFIES, job->plan->notify_count, job->limits.max_notifies);
}
