/* check_limits - a plan that the device cannot hold is refused, with the figure it would need.
 *
 * Rule   Streams, events and notifies of the plan are at most those of the device profile
 *        or of device.limits; 0 is no limit. A stream that holds more tasks than one may
 *        hold is one node alone (split_streams sees to that): an error that names it.
 * Why    A loader would fail later, with an error that names something else.
 * Differs Graph Engine checks neither streams nor nodes; with compat ge a node that is too
 *        large is a warning.
 * Cost   O(streams + commands of the streams that are too long). */
#include "passes.h"

#include "streamd/plan.h"

static struct sd_arg profile(const struct sd_job *job)
{
	return (struct sd_arg){ .kind = SD_ARG_PROFILE, .number = job->limits.profile };
}

static enum sd_status check(struct sd_job *job, enum sd_code code, uint32_t needed, int64_t limit)
{
	if (limit == 0 || needed <= limit)
		return SD_OK;
	return SD_FAIL3(job->diag, code, SD_NO_NODE, sd_arg_int(needed), sd_arg_int(limit), profile(job));
}

static uint32_t first_launched(const struct sd_plan *plan, const struct sd_stream *stream)
{
	const struct sd_command *command = plan->command + stream->first_command;

	while (command->kind != SD_LAUNCH)
		command++;
	return command->arg;
}

static enum sd_status check_tasks(struct sd_job *job)
{
	for (uint32_t s = 0; s < job->plan->stream_count; s++) {
		const struct sd_stream *stream = &job->plan->stream[s];
		int64_t limit = stream->huge ? job->limits.max_tasks_per_huge_stream : job->limits.max_tasks_per_stream;
		uint32_t node;

		if (limit == 0 || sd_job_unlimited_depth(job) || stream->task_count <= limit)
			continue;
		node = first_launched(job->plan, stream);
		if (job->options->compat != SD_GE)
			return SD_FAIL3(job->diag, SD_CODE_LIMIT_NODE_TASKS, node, sd_arg_int(stream->task_count),
			                sd_arg_int(limit), profile(job));
		SD_TRY(sd_job_warn(job, SD_CODE_NODE_OVER_LIMIT, node, sd_arg_int(stream->task_count), sd_arg_int(limit)));
	}
	return SD_OK;
}

enum sd_status sd__pass_check_limits(struct sd_job *job)
{
	SD_TRY(check(job, SD_CODE_LIMIT_STREAMS, job->plan->stream_count, job->limits.max_streams));
	SD_TRY(check(job, SD_CODE_LIMIT_EVENTS, job->plan->event_count, job->limits.max_events));
	SD_TRY(check(job, SD_CODE_LIMIT_NOTIFIES, job->plan->notify_count, job->limits.max_notifies));
	return check_tasks(job);
}
