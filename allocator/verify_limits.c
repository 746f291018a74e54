/* The limits of the device, and the order in which syncs are told. */
#include "verify_internal.h"

static void check_total(struct sd__judge *judge, int64_t limit, uint32_t have, const char *detail)
{
	if (limit > 0 && have > limit)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, detail, SD_NO_NODE, SD_NO_NODE, -1, have);
}

/* A single node may need more than a stream takes only where the peer's plans are wanted. */
static void check_depth(struct sd__judge *judge, uint32_t s)
{
	const struct sd_stream *stream = &judge->plan->stream[s];
	int64_t limit = stream->huge ? judge->limits.max_tasks_per_huge_stream : judge->limits.max_tasks_per_stream;
	uint32_t launches = judge->slot_first[s + 1] - judge->slot_first[s];

	if (judge->depth_unlimited || limit <= 0 || stream->task_count <= limit)
		return;
	if (launches > 1)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, "a stream holds more tasks than it takes", SD_NO_NODE, SD_NO_NODE, s, stream->task_count);
	else if (judge->request->options.compat != SD_GE)
		sd__violate(judge->verdict, SD_VIOLATION_LIMIT, "a node alone needs more tasks than a stream takes",
		            judge->slot[judge->slot_first[s]].node, SD_NO_NODE, s, stream->task_count);
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

/* Of the slots of a node the main one is first, then attached ones by logical stream. */
static uint32_t rank_of(const struct sd_plan *plan, uint32_t stream)
{
	return plan->stream[stream].attached ? plan->stream[stream].logical_id + 1 : 0;
}

/* Sorts like (record node, its slot, wait node, its slot). */
static int compare_syncs(const struct sd_plan *plan, const struct sd_sync *a, const struct sd_sync *b)
{
	const uint32_t left[] = { a->record_node, rank_of(plan, a->record_stream),
	                          a->wait_node, rank_of(plan, a->wait_stream) };
	const uint32_t right[] = { b->record_node, rank_of(plan, b->record_stream),
	                           b->wait_node, rank_of(plan, b->wait_stream) };

	for (int i = 0; i < 4; i++) {
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	return 0;
}

/* Syncs are told by the place of their record, then of their wait. Where nodes do not run
 * in the order in which they are listed, only the order along each stream is known here. */
void sd__verify_syncs(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	/* What a StreamSwitch tells stands at the head of another stream. */
	bool by_node = judge->listed_in_order && judge->launched_in_order && plan->activation_count == 0;

	for (uint32_t y = 1; y < plan->sync_count; y++) {
		const struct sd_sync *sync = &plan->sync[y];
		uint32_t record = judge->record_slot[y], record_before = judge->record_slot[y - 1];

		if ((by_node && compare_syncs(plan, sync - 1, sync) >= 0) ||
		    (sync->record_stream == sync[-1].record_stream && record < record_before) ||
		    (record == record_before && sync->wait_stream == sync[-1].wait_stream && judge->wait_slot[y] < judge->wait_slot[y - 1]))
			sd__violate(judge->verdict, SD_VIOLATION_COUNT, "syncs are not told in the order of execution",
			            sync->record_node, sync->wait_node, sync->record_stream, sync->id);
	}
}
