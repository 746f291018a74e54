/* check_limits - a plan that the device cannot hold is refused, with the figure it would need.
 *
 * Rule   Streams, huge ones, events and notifies of the plan are at most those of the device profile
 *        or of device.limits; 0 is no limit. A stream that holds more tasks than one may
 *        hold is one node alone (split_streams sees to that), or has a node that starts more
 *        streams than were foreseen: an error that names it. An inserted node is told as
 *        its StreamSwitch.
 * Why    A loader would fail later, with an error that names something else.
 * Differs Graph Engine checks neither streams nor nodes; with compat ge a node that is too
 *        large is a warning.
 * Cost   O(streams + commands of the streams that are too long). */
#include "passes.h"

#include "streamd/plan.h"
#include "mutants.h"

static struct sd_arg profile(const struct sd_job *job)
{
	return (struct sd_arg){ .kind = SD_ARG_PROFILE, .number = job->limits.profile };
}

static enum sd_status check(struct sd_job *job, enum sd_code code, uint32_t needed, int64_t limit)
{
	if (limit == 0 || needed + SD_MUTANT(limit_one_less) <= limit)
		return SD_OK;
	return SD_FAIL3(job->diag, code, SD_NO_NODE, sd_arg_int(needed), sd_arg_int(limit), profile(job));
}

/* Whom to name for a stream that is too long: who starts most streams on it, else the first one
 * launched, else the StreamSwitch that tells from its head; and whether it stands there alone. */
static uint32_t longest(const struct sd_job *job, const struct sd_stream *stream, bool *alone)
{
	const struct sd_plan *plan = job->plan;
	uint32_t node = SD_NO_NODE, most = 0, launches = 0;

	for (uint32_t c = stream->first_command; c < stream->first_command + stream->command_count; c++) {
		const struct sd_command *command = &plan->command[c];

		launches += command->kind == SD_LAUNCH;
		if (command->kind == SD_LAUNCH && node == SD_NO_NODE)
			node = command->arg;
		if (command->kind != SD_ACTIVATE || plan->activation[command->arg].count <= most)
			continue;
		node = plan->activation[command->arg].node;
		most = plan->activation[command->arg].count;
	}
	for (uint32_t y = 0; node == SD_NO_NODE && y < plan->sync_count; y++) {
		if (&plan->stream[plan->sync[y].record_stream] == stream)
			node = plan->sync[y].record_node;
	}
	*alone = launches == 1;
	return node < job->graph->node_count ? node : job->inserted[node - job->graph->node_count];
}

static enum sd_status check_tasks(struct sd_job *job)
{
	for (uint32_t s = 0; s < job->plan->stream_count; s++) {
		const struct sd_stream *stream = &job->plan->stream[s];
		int64_t limit = stream->huge && !SD_MUTANT(limit_huge_as_normal) ? job->limits.max_tasks_per_huge_stream : job->limits.max_tasks_per_stream;
		uint32_t node;
		bool alone;

		if (limit == 0 || sd_job_unlimited_depth(job) || stream->task_count <= limit)
			continue;
		node = longest(job, stream, &alone);
		if (!alone)
			return SD_FAIL3(job->diag, SD_CODE_LIMIT_STARTER_TASKS, node, sd_arg_int(stream->task_count),
			                sd_arg_int(limit), profile(job));
		if (job->options->compat != SD_GE)
			return SD_FAIL3(job->diag, SD_CODE_LIMIT_NODE_TASKS, node, sd_arg_int(stream->task_count),
			                sd_arg_int(limit), profile(job));
		SD_TRY(sd_job_warn(job, SD_CODE_NODE_OVER_LIMIT, node, sd_arg_int(stream->task_count), sd_arg_int(limit)));
	}
	return SD_OK;
}

enum sd_status sd__pass_check_limits(struct sd_job *job)
{
	uint32_t huge = 0;

	for (uint32_t s = 0; s < job->plan->stream_count; s++)
		huge += job->plan->stream[s].huge;
	SD_TRY(check(job, SD_CODE_LIMIT_STREAMS, job->plan->stream_count, job->limits.max_streams));
	SD_TRY(check(job, SD_CODE_LIMIT_HUGE_STREAMS, huge, job->limits.max_huge_streams));
	SD_TRY(check(job, SD_CODE_LIMIT_EVENTS, job->plan->event_count, SD_MUTANT(limit_events_not_asked) ? 0 : job->limits.max_events));
	SD_TRY(check(job, SD_CODE_LIMIT_NOTIFIES, job->plan->notify_count, job->limits.max_notifies));
	return check_tasks(job);
}
