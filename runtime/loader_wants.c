/* What loading a plan takes. */
#include "loader_impl.h"

static uint64_t follow_streams(const struct sd_plan *plan)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < plan->summary_count; i++)
		count += plan->summary[i].follow_count;
	return count;
}

static void fill(struct sd_admission_row *row, uint64_t needed, uint64_t most, uint64_t used)
{
	row->needed = needed;
	row->available = most == 0 ? UINT64_MAX : most > used ? most - used : 0;
	row->missing = row->available < needed ? needed - row->available : 0;
}

void sd_load_admit(const struct sd_plan *plan, uint32_t turn_events, const struct sd_device_facts *facts, struct sd_load_admission *admission)
{
	uint64_t follow = follow_streams(plan), huge = 0;

	*admission = (struct sd_load_admission){ .follow_streams = (uint32_t)follow, .fits = true };
	for (uint32_t s = 0; s < plan->stream_count; s++)
		huge += plan->stream[s].huge;
	fill(&admission->row[SD_ADMIT_STREAMS], plan->stream_count + follow, facts->streams_max, facts->streams_used);
	fill(&admission->row[SD_ADMIT_HUGE_STREAMS], huge, facts->huge_streams_max, 0);
	fill(&admission->row[SD_ADMIT_EVENTS], (uint64_t)plan->event_count + turn_events, facts->events_max, facts->events_used);
	fill(&admission->row[SD_ADMIT_NOTIFIES], plan->notify_count, facts->notifies_max, facts->notifies_used);
	if (!facts->has_huge)
		admission->row[SD_ADMIT_HUGE_STREAMS] = (struct sd_admission_row){ huge, 0, huge };
	for (uint32_t r = 0; r < SD_ADMIT_RESOURCES; r++)
		admission->fits &= admission->row[r].missing == 0;
}

/* The streams on which a collective is launched, or its attached part. */
static void mark_collectives(const struct sd_plan *plan, const struct sd_flow *flow, struct sd_stream_want *want)
{
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		for (uint32_t c = plan->stream[s].first_command; c < plan->stream[s].first_command + plan->stream[s].command_count; c++) {
			if (plan->command[c].kind == SD_LAUNCH && (flow->traits[plan->command[c].arg] & SD_FLOW_COLLECTIVE))
				want[s].flags |= SD_STREAM_FORCE_COPY;
		}
	}
}

/* The main stream's task count is an upper bound for those that its collectives use besides. */
static int64_t tasks_of_logical(const struct sd_plan *plan, uint32_t logical)
{
	int64_t most = 0;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		if (plan->stream[s].logical_id == logical && plan->stream[s].task_count > most)
			most = plan->stream[s].task_count;
	}
	return most;
}

struct sd_stream_want *sd_streams_wanted(struct sd_arena *mem, const struct sd_load *load, uint32_t *count)
{
	const struct sd_plan *plan = load->plan;
	uint64_t total = plan->stream_count + follow_streams(plan);
	struct sd_stream_want *want = total <= UINT32_MAX ? SD_NEW(mem, struct sd_stream_want, total + 1) : NULL;
	uint32_t all = (load->detects_overflow ? SD_STREAM_OVERFLOW : 0) | (load->runs_at_once ? 0 : SD_STREAM_PERSISTENT), filled = 0;

	if (!want)
		return NULL;
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		const struct sd_stream *stream = &plan->stream[s];

		want[filled++] = (struct sd_stream_want){
			stream->priority ? stream->priority : load->priority,
			stream->flags | (stream->huge ? SD_STREAM_HUGE : 0) | all, stream->task_count,
		};
	}
	mark_collectives(plan, load->flow, want);
	for (uint32_t i = 0; i < plan->summary_count; i++) {
		int64_t tasks = plan->summary[i].follow_count ? tasks_of_logical(plan, plan->summary[i].logical_id) : 0;

		for (uint32_t k = 0; k < plan->summary[i].follow_count; k++)
			want[filled++] = (struct sd_stream_want){ load->priority, SD_STREAM_FORCE_COPY | all, tasks };
	}
	*count = filled;
	return want;
}
