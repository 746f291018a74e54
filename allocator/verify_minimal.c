/* Whether the syncs are the fewest that keep what is asked for, and order nothing else.
 *
 * Implied by the others: a sync from u to v is redundant if v's stream, or another sync
 * that v waits for, already knows u. Of two that arrive together only the one recorded
 * later can know the other, so taking them latest first shows each that is implied.
 *
 * Asked for: let R be the order that edges and logical streams ask for, and S the order
 * of the plan, and let S hold R. If no sync is implied by the others, S has nothing
 * between the ends of any sync. A path of R from u to v lies in S; so it has nothing in
 * between either, and is one edge (through nodes not launched) or one step of a logical
 * stream. Looking at the edges of v therefore answers for the whole closure of R. */
#include "verify_sweep.h"

static bool is_known(const struct sd__sweep *sweep, const int32_t *known, uint32_t slot, uint32_t at)
{
	uint32_t stream = sweep->judge->slot[slot].stream;

	return stream == sweep->judge->slot[at].stream ||
	       known[stream - sweep->first] >= (int32_t)sd__position(sweep->judge, slot);
}

void sd__minimal_join(struct sd__sweep *sweep, uint32_t at, int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;

	for (uint32_t i = judge->arriving_first[at]; i < judge->arriving_first[at + 1]; i++) {
		uint32_t y = judge->arriving[i], from = judge->record_slot[y];
		const struct sd_sync *sync = &judge->plan->sync[y];

		if (sd__in_band(sweep, sync->record_stream) && is_known(sweep, known, from, at))
			sd__violate(judge->verdict, SD_VIOLATION_REDUNDANT, "what stands before it is known without it",
			            sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
		sd__learn(sweep, known, from, sweep->row_of_sync[y]);
	}
}

void sd__minimal_needed(struct sd__sweep *sweep, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t lane = judge->plan->stream[judge->slot[at].stream].logical_id;

	for (uint32_t i = judge->arriving_first[at]; i < judge->arriving_first[at + 1]; i++) {
		const struct sd_sync *sync = &judge->plan->sync[judge->arriving[i]];
		uint32_t from = judge->record_slot[judge->arriving[i]];

		/* From the head of a stream, or behind an inserted node, a sync stands for the StreamSwitch. */
		if (judge->slot[from].launch == SD__NONE || judge->slot[from].node >= judge->real_nodes)
			from = judge->main_slot[sync->record_node];
		if (!sd__in_band(sweep, judge->slot[from].stream) || sync->cause == SD_CAUSE_ORDER || sync->cause == SD_CAUSE_HOST)
			continue;
		if (sweep->need[judge->slot[from].stream - sweep->first] != (int32_t)sd__position(judge, from) && sweep->lane_last[lane] != from)
			sd__violate(&sweep->unneeded, SD_VIOLATION_UNNEEDED, "neither an edge nor a logical stream asks for it",
			            sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
	}
}
