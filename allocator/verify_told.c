/* The order in which syncs are told: by the place of their record, then of their wait. */
#include "verify_internal.h"

/* Where a slot stands in the order of execution: nodes one after the other, a node's main slot
 * before its attached ones; groups in front of the bodies, then those behind them. */
struct place {
	uint32_t rank, part, lane;
};

enum { PART_MAIN, PART_ATTACHED, PART_BEFORE, PART_TURN, PART_BEHIND };

static struct place place_of(const struct sd__judge *judge, uint32_t at)
{
	const struct sd__slot *slot = &judge->slot[at];
	const struct sd_stream *stream = &judge->plan->stream[slot->stream];
	struct place place = { .rank = judge->rank ? judge->rank[slot->node] : slot->node, .part = PART_MAIN };

	if (!slot->group && !stream->attached)
		return place;
	place.part = PART_ATTACHED;
	if (!slot->group) {
		place.lane = stream->logical_id;
		return place;
	}
	/* Those of one node on several streams have no order among each other. */
	place.part = PART_BEFORE;
	if (slot->run_in == judge->graph->graph_of[slot->node] && !slot->back)
		return place;
	place.rank = judge->rank_end[slot->node];
	place.part = slot->run_in != judge->graph->graph_of[slot->node] ? PART_TURN : PART_BEHIND;
	return place;
}

static int compare_places(const struct place *a, const struct place *b)
{
	const uint32_t left[] = { a->rank, a->part, a->lane }, right[] = { b->rank, b->part, b->lane };

	for (int i = 0; i < 3; i++) {
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	return 0;
}

/* Whether the first of two slots that differ must not stand in front of the second. */
static bool is_behind(const struct sd__judge *judge, uint32_t first, uint32_t second)
{
	struct place a = place_of(judge, first), b = place_of(judge, second);
	int order = compare_places(&a, &b);

	return order > 0 || (order == 0 && !judge->slot[first].group);
}

static bool out_of_order(const struct sd__judge *judge, uint32_t y, uint32_t z)
{
	uint32_t record = judge->record_slot[y], wait = judge->wait_slot[y];

	if (record != judge->record_slot[z])
		return is_behind(judge, record, judge->record_slot[z]);
	return wait == judge->wait_slot[z] || is_behind(judge, wait, judge->wait_slot[z]);
}

static bool has_switches(const struct sd__judge *judge)
{
	bool has = judge->plan->inserted_count > 0;

	for (uint32_t i = 0; i < judge->plan->activation_count; i++)
		has |= sd__is_switch(judge, judge->plan->activation[i].node);
	return has;
}

/* Where nodes do not run in the order in which they are listed, only the order along each stream is known here. */
void sd__verify_syncs(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	/* What a StreamSwitch tells stands at the head of another stream. */
	bool by_node = judge->listed_in_order && judge->launched_in_order && (judge->scopes.bodies ? !has_switches(judge) : plan->activation_count == 0);

	for (uint32_t y = 1; y < plan->sync_count; y++) {
		const struct sd_sync *sync = &plan->sync[y];
		uint32_t record = judge->record_slot[y], record_before = judge->record_slot[y - 1];

		if ((by_node && out_of_order(judge, y - 1, y)) ||
		    (sync->record_stream == sync[-1].record_stream && record < record_before) ||
		    (record == record_before && sync->wait_stream == sync[-1].wait_stream && judge->wait_slot[y] < judge->wait_slot[y - 1]))
			sd__violate(judge->verdict, SD_VIOLATION_COUNT, "syncs are not told in the order of execution",
			            sync->record_node, sync->wait_node, sync->record_stream, sync->id);
	}
}
