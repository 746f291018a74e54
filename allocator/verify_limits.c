/* The limits of the device. */
#include "verify_internal.h"

static void check_total(struct sd__judge *judge, int64_t limit, uint32_t have, const char *detail)
{
	if (limit > 0 && have > limit)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, detail, SD_NO_NODE, SD_NO_NODE, -1, have);
}

/* The only launch of a stream; SD__NONE: there are several, or none. What launches nothing waits or tells around it. */
static uint32_t find_alone(const struct sd__judge *judge, uint32_t s)
{
	uint32_t found = SD__NONE;

	for (uint32_t i = judge->slot_first[s]; i < judge->slot_first[s + 1]; i++) {
		if (judge->slot[i].launch == SD__NONE)
			continue;
		if (found != SD__NONE)
			return SD__NONE;
		found = i;
	}
	return found;
}

/* A single node may need more than a stream takes only where the peer's plans are wanted. */
static void check_depth(struct sd__judge *judge, uint32_t s)
{
	const struct sd_stream *stream = &judge->plan->stream[s];
	int64_t limit = stream->huge ? judge->limits.max_tasks_per_huge_stream : judge->limits.max_tasks_per_stream;
	uint32_t alone;

	if (judge->depth_unlimited || limit <= 0 || stream->task_count <= limit)
		return;
	alone = find_alone(judge, s);
	if (alone == SD__NONE)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, "a stream holds more tasks than it takes", SD_NO_NODE, SD_NO_NODE, s, stream->task_count);
	else if (judge->request->options.compat != SD_GE)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, "a node alone needs more tasks than a stream takes",
		            judge->slot[alone].node, SD_NO_NODE, s, stream->task_count);
}

void sd__verify_limits(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t huge = 0;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		huge += plan->stream[s].huge;
		check_depth(judge, s);
	}
	if (huge > 0 && !judge->request->options.single_stream)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, "huge streams are for single-stream plans only", SD_NO_NODE, SD_NO_NODE, -1, huge);
	check_total(judge, judge->limits.max_huge_streams, huge, "there are more huge streams than the device has");
	check_total(judge, judge->limits.max_streams, plan->stream_count, "there are more streams than the device has");
	check_total(judge, judge->limits.max_events, plan->event_count, "there are more events than the device has");
	check_total(judge, judge->limits.max_notifies, plan->notify_count, "there are more notifies than the device has");
}
