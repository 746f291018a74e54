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
 * stream. Looking at the edges of v therefore answers for the whole closure of R.
 *
 * Where bodies choose, a sync is implied if it is in every run. Rows of what is known in every
 * run show some that are, rows of what is known in some run that most are not; the few in
 * between are asked about by the definition. What a group tells stands for the ends of bodies
 * on its stream: if these are known without it, all is looked at anew without it. */
#include "verify_sweep.h"

#define TRIES_MIN 8u            /* syncs without which everything may be looked at anew */
#define TRIES_OF_SLOTS (1u << 22) /* more, as long as slots times tries are fewer */

static bool is_known(const struct sd__sweep *sweep, const int32_t *known, uint32_t slot, uint32_t at)
{
	uint32_t stream = sweep->judge->slot[slot].stream;

	return stream == sweep->judge->slot[at].stream ||
	       known[sd__column(sweep, stream)] >= (int32_t)sd__position(sweep->judge, slot);
}

/* Whether a launch is one in the bodies that the group stands for, on its stream. */
static bool is_in_bodies(const struct sd__judge *judge, uint32_t slot, uint32_t group)
{
	return judge->slot[slot].stream == judge->slot[group].stream &&
	       sd__graph_is_below(judge, judge->graph->graph_of[judge->slot[slot].node], judge->slot[group].node);
}

/* Whether `slot`, as the finder found it, is an end of the bodies on the stream of this group. */
static bool is_end_of(const struct sd__judge *judge, uint32_t slot, uint32_t group)
{
	return !judge->slot[slot].group && is_in_bodies(judge, slot, group);
}

/* Whether what stands before a sync may be known in some run without it: if it tells of ends, all of them. */
static bool may_be_known(struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	if (!judge->slot[from].group)
		return is_known(sweep, known, from, at);
	sd__finder_find(&sweep->finder, sd__question(judge, SD__ASKS_OUT, judge->slot[from].node));
	for (uint32_t i = 0; i < sweep->finder.slot.count; i++) {
		if (is_end_of(judge, sweep->finder.slot.at[i], from) && !is_known(sweep, known, sweep->finder.slot.at[i], at))
			return false;
	}
	return true;
}

void sd__minimal_join(struct sd__sweep *sweep, uint32_t at, int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;

	for (uint32_t i = judge->arriving_first[at]; i < judge->arriving_first[at + 1]; i++) {
		uint32_t y = judge->arriving[i], from = judge->record_slot[y];
		const struct sd_sync *sync = &judge->plan->sync[y];

		if (y == sweep->without) {
			sd__row_drop(&sweep->rows, sweep->row_of_sync[y]);
			continue;
		}
		if (sd__in_band(sweep, sync->record_stream) && sweep->may)
			sweep->maybe[y] = may_be_known(sweep, known, from, at);
		else if (sd__in_band(sweep, sync->record_stream) && sweep->without == SD__NONE && !judge->slot[from].group && is_known(sweep, known, from, at))
			sd__violate(judge->verdict, SD_VIOLATION_REDUNDANT, "what stands before it is known without it",
			            sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
		sd__learn(sweep, known, from, sweep->row_of_sync[y]);
	}
}

/* The last launch in front of a group; SD__NONE: none. */
static uint32_t launch_before(const struct sd__judge *judge, uint32_t group)
{
	uint32_t first = judge->slot_first[judge->slot[group].stream];

	while (group > first && judge->slot[group - 1].launch == SD__NONE)
		group--;
	return group > first ? group - 1 : SD__NONE;
}

/* Whether the bodies end where the group stands. */
static bool stands_behind(const struct sd__judge *judge, uint32_t group)
{
	uint32_t before = launch_before(judge, group);

	return before != SD__NONE && is_in_bodies(judge, before, group);
}

bool sd__minimal_tells(const struct sd__judge *judge, uint32_t from, uint32_t before)
{
	return before == from || (judge->slot[from].group && (is_in_bodies(judge, before, from) || before == launch_before(judge, from)));
}

/* Whether a launch that is the one before `at` on its logical stream, in some run, is what `from` tells of. */
static bool lane_asks(struct sd__sweep *sweep, uint32_t from, uint32_t at, bool all)
{
	const struct sd__judge *judge = sweep->judge;

	if (judge->plan->stream[judge->slot[from].stream].logical_id != judge->plan->stream[judge->slot[at].stream].logical_id)
		return false;
	sd__lanes_find(&sweep->lanes, at, all);
	for (uint32_t i = 0; i < sweep->lanes.before.count; i++) {
		if (sd__minimal_tells(judge, from, sweep->lanes.before.at[i]))
			return true;
	}
	return false;
}

/* The same as need and lane_last tell, where bodies choose: slots of several scopes may be asked for on one stream. */
static bool is_asked(struct sd__sweep *sweep, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t question = sd__slot_question(judge, at);
	bool is = false, ends = false;

	/* Most are asked for by the last of a run, or not by the logical stream at all. */
	if (lane_asks(sweep, from, at, false))
		return true;
	for (uint32_t i = judge->extra_first[at]; i < judge->extra_first[at + 1]; i++) {
		if (judge->extra[i].from == from)
			return true;
	}
	if (question == SD__NONE)
		return lane_asks(sweep, from, at, true) || sd__hoisted_asks(sweep, from, at);
	sd__finder_find(&sweep->finder, question);
	for (uint32_t i = 0; i < sweep->finder.slot.count; i++) {
		uint32_t wanted = sweep->finder.slot.at[i];

		/* A group tells of the ends on its stream; where there are none it tells of nothing. */
		is |= wanted == from;
		ends |= judge->slot[from].group && wanted < from && is_end_of(judge, wanted, from) && stands_behind(judge, from);
	}
	return (is && (ends || !judge->slot[from].group)) || lane_asks(sweep, from, at, true) || sd__hoisted_asks(sweep, from, at);
}

void sd__minimal_needed(struct sd__sweep *sweep, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t lane = judge->plan->stream[judge->slot[at].stream].logical_id;

	for (uint32_t i = judge->arriving_first[at]; sweep->without == SD__NONE && i < judge->arriving_first[at + 1]; i++) {
		const struct sd_sync *sync = &judge->plan->sync[judge->arriving[i]];
		uint32_t from = judge->record_slot[judge->arriving[i]];

		/* From the head of a stream, or behind an inserted node, a sync stands for the StreamSwitch. */
		if (!judge->slot[from].group && (judge->slot[from].launch == SD__NONE || judge->slot[from].node >= judge->real_nodes))
			from = judge->main_slot[sync->record_node];
		if (!sd__in_band(sweep, judge->slot[from].stream) || sync->cause == SD_CAUSE_ORDER || sync->cause == SD_CAUSE_HOST)
			continue;
		if ((sweep->need[sd__column(sweep, judge->slot[from].stream)] == (int32_t)sd__position(judge, from) && !judge->slot[from].group) ||
		    (judge->scopes.branches ? is_asked(sweep, from, at) : sweep->lane_last[lane] == from))
			continue;
		sd__violate(&sweep->unneeded, SD_VIOLATION_UNNEEDED, "neither an edge nor a logical stream asks for it",
		            sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
	}
}

/* Whether everything that is asked for holds without the sync. */
static enum sd_status holds_without(struct sd__sweep *sweep, uint32_t y, bool *holds)
{
	struct sd_verdict found = { 0 }, *verdict = sweep->judge->verdict;
	enum sd_status status;

	sweep->judge->verdict = &found;
	sweep->without = y;
	status = sd__sweep_all(sweep);
	sweep->without = SD__NONE;
	sweep->judge->verdict = verdict;
	*holds = found.count == 0;
	return status;
}

/* Whether all ends that the group tells of are known without the sync. */
static bool ends_are_known(struct sd__sweep *sweep, uint32_t y)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t from = judge->record_slot[y];

	sd__finder_find(&sweep->finder, sd__question(judge, SD__ASKS_OUT, judge->slot[from].node));
	for (uint32_t i = 0; i < sweep->finder.slot.count; i++) {
		uint32_t end = sweep->finder.slot.at[i];

		if (is_end_of(judge, end, from) && sd__exact_before(&sweep->exact, end, judge->wait_slot[y], y) != SD__YES)
			return false;
	}
	return true;
}

/* Whether the last launches of the bodies that the group tells of come before the first that waits for it, if all are of
 * one logical stream: looked at first, since it is what most groups between two pieces stand for. */
static bool lane_holds(struct sd__sweep *sweep, uint32_t y)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t from = judge->record_slot[y], last = launch_before(judge, from), next = judge->wait_slot[y];
	const struct sd_stream *stream = &judge->plan->stream[judge->slot[next].stream];
	uint32_t end = judge->slot_first[judge->slot[next].stream + 1];

	while (next < end && judge->slot[next].launch == SD__NONE)
		next++;
	if (last == SD__NONE || next == end || judge->plan->stream[judge->slot[last].stream].logical_id != stream->logical_id)
		return true;
	for (uint32_t i = last;; i--) {
		bool ends = i == last || judge->slot[i].run_in != judge->slot[i + 1].run_in;

		if (ends && judge->slot[i].launch != SD__NONE && sd__exact_before(&sweep->exact, i, next, y) != SD__YES)
			return false;
		if (i == judge->slot_first[judge->slot[from].stream] || !is_in_bodies(judge, i - 1, from))
			return true;
	}
}

static void tell(const struct sd__sweep *sweep, uint32_t y)
{
	const struct sd_sync *sync = &sweep->judge->plan->sync[y];

	sd__violate(sweep->judge->verdict, SD_VIOLATION_REDUNDANT, "what stands before it is known without it",
	            sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
}

enum sd_status sd__minimal_try(struct sd__sweep *sweep)
{
	const struct sd__judge *judge = sweep->judge;
	uint64_t tries = 0;

	sweep->may = true;
	SD_TRY(sd__sweep_all(sweep));
	sweep->may = false;
	for (uint32_t y = 0; y < judge->plan->sync_count; y++) {
		uint32_t from = judge->record_slot[y];
		bool holds;

		if (!sweep->maybe[y])
			continue;
		if (sd__stopped(judge))
			return SD_CANCELLED;
		if (!judge->slot[from].group) {
			if (sd__exact_before(&sweep->exact, from, judge->wait_slot[y], y) == SD__YES)
				tell(sweep, y);
			continue;
		}
		if (!ends_are_known(sweep, y) || !lane_holds(sweep, y) || (++tries > TRIES_MIN && tries * judge->slot_count > TRIES_OF_SLOTS))
			continue;
		SD_TRY(holds_without(sweep, y, &holds));
		if (holds)
			tell(sweep, y);
	}
	return sweep->finder.failed || sweep->exact.failed ? SD_RESOURCE_EXHAUSTED : SD_OK;
}
