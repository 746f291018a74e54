/* Events that share a number: which record and which wait belong together, and that they take
 * turns.
 *
 * A device counts nothing: a number that is recorded a second time before it was waited for lets a wait
 * pass too early, or leaves a record over. So in the order in which the events of a number are recorded,
 * the wait of each must be known to be done when the next one is recorded. */
#include "verify_sweep.h"

#include "base/merge.h"

struct end {
	uint32_t id, stream, node;
};

static struct end end_of(const struct sd_sync *sync, bool waits)
{
	return waits ? (struct end){ sync->id, sync->wait_stream, sync->wait_node }
	             : (struct end){ sync->id, sync->record_stream, sync->record_node };
}

static int compare_ends(struct end a, struct end b)
{
	if (a.id != b.id)
		return a.id < b.id ? -1 : 1;
	if (a.stream != b.stream)
		return a.stream < b.stream ? -1 : 1;
	return a.node < b.node ? -1 : a.node > b.node;
}

static int compare_records(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_sync *sync = ctx;

	return compare_ends(end_of(&sync[a], false), end_of(&sync[b], false));
}

static int compare_waits(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_sync *sync = ctx;

	return compare_ends(end_of(&sync[a], true), end_of(&sync[b], true));
}

enum sd_status sd__shared_index(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t *spare;

	if (!judge->events_shared)
		return SD_OK;
	SD__TAKE(judge->by_record, judge->mem, uint32_t, plan->sync_count + 1);
	SD__TAKE(judge->by_wait, judge->mem, uint32_t, plan->sync_count + 1);
	SD__TAKE(spare, judge->mem, uint32_t, plan->sync_count + 1);
	judge->event_syncs = 0;
	for (uint32_t y = 0; y < plan->sync_count; y++) {
		if (plan->sync[y].kind == SD_SYNC_EVENT)
			judge->by_record[judge->event_syncs++] = y;
	}
	memcpy(judge->by_wait, judge->by_record, judge->event_syncs * sizeof(uint32_t));
	sd_merge_sort(judge->by_record, spare, judge->event_syncs, compare_records, plan->sync);
	sd_merge_sort(judge->by_wait, spare, judge->event_syncs, compare_waits, plan->sync);
	return SD_OK;
}

/* First of `by` that is not in front of these ends. */
static uint32_t lower_bound(const struct sd__judge *judge, struct end wanted, bool waits)
{
	const uint32_t *by = waits ? judge->by_wait : judge->by_record;
	uint32_t low = 0, high = judge->event_syncs;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare_ends(end_of(&judge->plan->sync[by[middle]], waits), wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t sd__shared_find(const struct sd__judge *judge, uint32_t id, uint32_t stream, uint32_t node, bool waits)
{
	uint32_t at = lower_bound(judge, (struct end){ id, stream, node }, waits);
	uint32_t y = at < judge->event_syncs ? (waits ? judge->by_wait : judge->by_record)[at] : SD__NONE;

	return y != SD__NONE && judge->plan->sync[y].id == id ? y : SD__NONE;
}

uint32_t sd__shared_head(const struct sd__judge *judge, uint32_t id, uint32_t stream)
{
	for (uint32_t i = lower_bound(judge, (struct end){ id, stream, 0 }, false); i < judge->event_syncs; i++) {
		const struct sd_sync *sync = &judge->plan->sync[judge->by_record[i]];

		if (sync->id != id || sync->record_stream != stream)
			break;
		if (sd__is_switch(judge, sync->record_node))
			return judge->by_record[i];
	}
	return SD__NONE;
}

static int compare_turns(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd__judge *judge = ctx;
	const struct sd_sync *sync = judge->plan->sync;
	uint32_t place_a = judge->place[judge->record_slot[a]], place_b = judge->place[judge->record_slot[b]];

	if (sync[a].id != sync[b].id)
		return sync[a].id < sync[b].id ? -1 : 1;
	return place_a < place_b ? -1 : place_a > place_b;
}

enum sd_status sd__verify_shared(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t *spare;

	if (!judge->events_shared)
		return SD_OK;
	SD__TAKE(spare, judge->mem, uint32_t, plan->sync_count + 1);
	SD__TAKE(judge->turn_before, judge->mem, uint32_t, plan->sync_count + 1);
	memset(judge->turn_before, 0xff, plan->sync_count * sizeof(uint32_t));
	sd_merge_sort(judge->by_record, spare, judge->event_syncs, compare_turns, judge);
	for (uint32_t i = 1; i < judge->event_syncs; i++) {
		uint32_t y = judge->by_record[i], before = judge->by_record[i - 1];

		if (plan->sync[y].id == plan->sync[before].id)
			judge->turn_before[y] = before;
	}
	return SD_OK;
}

static bool is_done(const struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[from].stream;

	/* Within a slot waits come first. */
	if (stream == judge->slot[at].stream)
		return from <= at;
	return !sd__in_band(sweep, stream) || known[sd__column(sweep, stream)] >= (int32_t)sd__position(judge, from);
}

void sd__shared_turns(const struct sd__sweep *sweep, const int32_t *known, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	const struct sd__slot *slot = &judge->slot[at];

	for (uint32_t c = slot->record_first; judge->events_shared && c < slot->record_first + slot->record_count; c++) {
		uint32_t y = judge->sync_of[c], before = judge->turn_before[y];

		if (before != SD__NONE && !is_done(sweep, known, judge->wait_slot[before], at))
			sd__violate(judge->verdict, SD_VIOLATION_PAIRING, "an event is recorded again before it is known to be waited for",
			            judge->plan->sync[before].wait_node, slot->node, slot->stream, judge->plan->sync[y].id);
	}
}
