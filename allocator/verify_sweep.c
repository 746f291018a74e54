/* Follows the slots in the order of the replay with vector clocks: is every edge kept,
 * and does each logical stream stay one sequence? */
#include "verify_sweep.h"

#define BAND_BYTES (32u << 20) /* of clocks held at one time */
#define STOP_STEP 4096u        /* slots between two looks at the stop flag */

static void unordered(struct sd__sweep *sweep, uint32_t stream, uint32_t position, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	sd__violate(judge->verdict, SD_VIOLATION_UNORDERED, "the second may start before the first has finished",
	            judge->slot[judge->slot_first[stream] + position - 1].node, judge->slot[at].node, judge->slot[at].stream, -1);
}

/* One launch that must come before slot `at`. What `need` holds already has been looked at. */
static void need_slot(struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[from].stream, column = stream - sweep->first;
	int32_t position = (int32_t)sd__position(judge, from);

	if (!sd__in_band(sweep, stream) || sweep->need[column] >= position)
		return;
	if (stream == judge->slot[at].stream ? from >= at : known[column] < position)
		unordered(sweep, stream, (uint32_t)position, at);
	sd__raise(sweep, sweep->need, from);
}

/* All launches that meet in front of a node that is not launched. */
static void need_meeting(struct sd__sweep *sweep, const int32_t *known, const int32_t *meeting, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	for (uint32_t column = 0; column < sweep->rows.width; column++) {
		uint32_t stream = sweep->first + column;
		bool own = stream == judge->slot[at].stream;

		if (meeting[column] > sweep->need[column] && meeting[column] > (own ? (int32_t)sd__position(judge, at) - 1 : known[column]))
			unordered(sweep, stream, (uint32_t)meeting[column], at);
	}
	sd__row_join(sweep->need, meeting, sweep->rows.width);
}

/* Whether slot `from` is known to have run at slot `at`. */
static bool is_in_front(const struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[from].stream;

	if (stream == judge->slot[at].stream)
		return from < at;
	return known[stream - sweep->first] >= (int32_t)sd__position(judge, from);
}

static void need_extras(struct sd__sweep *sweep, const int32_t *known, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	for (uint32_t i = judge->extra_first[at]; i < judge->extra_first[at + 1]; i++) {
		const struct sd__extra *extra = &judge->extra[i];

		if (sd__in_band(sweep, judge->slot[extra->from].stream) && (!extra->optional || is_in_front(sweep, known, extra->from, at)))
			need_slot(sweep, known, extra->from, at);
	}
}

static void clear_need(struct sd__sweep *sweep, uint32_t origin)
{
	const struct sd__judge *judge = sweep->judge;

	if (origin < judge->slot_count && sd__in_band(sweep, judge->slot[origin].stream))
		sweep->need[judge->slot[origin].stream - sweep->first] = 0;
}

static void clear_needs(struct sd__sweep *sweep, uint32_t at, bool wide)
{
	const struct sd__judge *judge = sweep->judge;
	const struct sd_graph *graph = judge->graph;
	uint32_t n = judge->slot[at].node;

	if (wide) {
		memset(sweep->need, 0, sweep->rows.width * sizeof(int32_t));
		return;
	}
	for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++)
		clear_need(sweep, graph->in[e].src == SD_NO_NODE ? SD__NONE : judge->origin[graph->in[e].src]);
	for (uint32_t i = judge->extra_first[at]; i < judge->extra_first[at + 1]; i++)
		clear_need(sweep, judge->extra[i].from);
}

/* Raises the needs of the edges into the node of slot `at`; answers whether some were those of a meeting. */
static bool need_edges(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;
	const struct sd_graph *graph = judge->graph;
	uint32_t n = judge->slot[at].node;
	bool wide = false;

	for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
		uint32_t src = graph->in[e].src;
		uint32_t origin = src == SD_NO_NODE || sd__cuts(judge, src) ? SD__NONE : judge->origin[src];

		if (origin == SD__NONE)
			continue;
		if (origin < judge->slot_count) {
			need_slot(sweep, known, origin, at);
		} else {
			need_meeting(sweep, known, sweep->meeting + (size_t)(origin - judge->slot_count) * sweep->rows.width, at);
			wide = true;
		}
	}
	return wide;
}

/* Edges lead to a node's launch on its main stream. */
static void check_needs(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;
	bool main = judge->main_slot[judge->slot[at].node] == at, wide = main && need_edges(sweep, at, known);

	need_extras(sweep, known, at);
	sd__minimal_needed(sweep, at);
	clear_needs(sweep, at, wide);
}

static void check_lane(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[at].stream, lane = judge->plan->stream[stream].logical_id;
	uint32_t last = sweep->lane_last[lane], last_stream;

	if (last == SD__NONE)
		return;
	last_stream = judge->slot[last].stream;
	if (last_stream != stream && sd__in_band(sweep, last_stream) &&
	    known[last_stream - sweep->first] < (int32_t)sd__position(judge, last))
		sd__violate(judge->verdict, SD_VIOLATION_LANE, "two of its launches on different pieces may overlap",
		            judge->slot[last].node, judge->slot[at].node, stream, lane);
}

/* What is known at the slot's launch; the stream's row until its next wait. */
static uint32_t enter_slot(struct sd__sweep *sweep, uint32_t at)
{
	struct sd__judge *judge = sweep->judge;
	uint32_t s = judge->slot[at].stream;
	bool started = at == judge->slot_first[s] && judge->starters[s] > 0;
	uint32_t row = sweep->row_of_stream[s];
	int32_t *known;

	if (!started && judge->slot[at].wait_count == 0)
		return row;
	row = sweep->row_of_stream[s] = sd__row_own(&sweep->rows, row);
	known = sd__row(&sweep->rows, row);
	if (started && judge->starters[s] == 1) {
		sd__learn(sweep, known, judge->starter[s], sweep->row_of_start[s]);
	} else if (started) {
		sd__row_join(known, sd__row(&sweep->rows, sweep->row_of_start[s]), sweep->rows.width);
		sd__row_drop(&sweep->rows, sweep->row_of_start[s]);
	}
	sd__minimal_join(sweep, at, known);
	return row;
}

/* What one of several that start a stream knows: the stream learns what all of them do. */
static void meet_start(struct sd__sweep *sweep, uint32_t stream, uint32_t at, uint32_t row)
{
	uint32_t column = sweep->judge->slot[at].stream - sweep->first, *start = &sweep->row_of_start[stream];
	int32_t *known, own, position = (int32_t)sd__position(sweep->judge, at);

	if (*start == SD__NONE) {
		*start = sd__row_own(&sweep->rows, sd__row_share(&sweep->rows, row));
		sd__raise(sweep, sd__row(&sweep->rows, *start), at);
		return;
	}
	known = sd__row(&sweep->rows, *start);
	own = column < sweep->rows.width ? known[column] : 0;
	sd__row_meet(known, sd__row(&sweep->rows, row), sweep->rows.width);
	if (column < sweep->rows.width)
		known[column] = own < position ? own : position;
}

static void start_streams(struct sd__sweep *sweep, uint32_t at, uint32_t row)
{
	struct sd__judge *judge = sweep->judge;
	const struct sd_activation *activation = &judge->plan->activation[judge->slot[at].activation];

	for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
		uint32_t stream = judge->plan->activated[i];

		if (judge->starters[stream] == 1 && judge->starter[stream] == at)
			sweep->row_of_start[stream] = sd__row_share(&sweep->rows, row);
		else if (judge->starters[stream] > 1)
			meet_start(sweep, stream, at, row);
	}
}

static void leave_slot(struct sd__sweep *sweep, uint32_t at, uint32_t row)
{
	struct sd__judge *judge = sweep->judge;
	const struct sd_plan *plan = judge->plan;
	const struct sd__slot *slot = &judge->slot[at];

	if (slot->launch != SD__NONE)
		sweep->lane_last[plan->stream[slot->stream].logical_id] = at;
	for (uint32_t c = slot->record_first; c < slot->record_first + slot->record_count; c++)
		sweep->row_of_sync[judge->sync_of[c]] = sd__row_share(&sweep->rows, row);
	if (slot->activation != SD__NONE)
		start_streams(sweep, at, row);
	if (at + 1 == judge->slot_first[slot->stream + 1])
		sd__row_drop(&sweep->rows, row);
}

static void find_meetings(struct sd__sweep *sweep)
{
	const struct sd__judge *judge = sweep->judge;
	const struct sd_graph *graph = judge->graph;
	uint32_t width = sweep->rows.width;

	for (uint32_t m = 0; m < judge->meeting_count; m++) {
		int32_t *row = sweep->meeting + (size_t)m * width;
		uint32_t n = judge->meeting[m];

		memset(row, 0, width * sizeof(int32_t));
		for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
			uint32_t src = graph->in[e].src;
			uint32_t origin = src == SD_NO_NODE || sd__cuts(judge, src) ? SD__NONE : judge->origin[src];

			if (origin < judge->slot_count)
				sd__raise(sweep, row, origin);
			else if (origin != SD__NONE)
				sd__row_join(row, sweep->meeting + (size_t)(origin - judge->slot_count) * width, width);
		}
	}
}

/* One pass for the streams from `first`; with width 0 it only counts the rows that are held at one time. */
static enum sd_status sweep_band(struct sd__sweep *sweep, uint32_t first, uint32_t width, uint32_t row_count)
{
	struct sd__judge *judge = sweep->judge;

	sweep->first = first;
	SD_TRY(sd__rows_init(&sweep->rows, judge->mem, row_count, width));
	SD__TAKE0(sweep->need, judge->mem, int32_t, width + 1);
	sweep->meeting = SD_NEW(judge->mem, int32_t, (size_t)judge->meeting_count * width);
	if (!sweep->meeting)
		return SD_RESOURCE_EXHAUSTED;
	for (uint32_t s = 0; s < judge->plan->stream_count; s++)
		sweep->row_of_stream[s] = sd__row_share(&sweep->rows, SD__ROW_BLANK);
	memset(sweep->row_of_start, 0xff, judge->plan->stream_count * sizeof(uint32_t));
	memset(sweep->lane_last, 0xff, (judge->plan->logical_stream_count + judge->plan->stream_count) * sizeof(uint32_t));
	if (width > 0)
		find_meetings(sweep);
	for (uint32_t i = 0; i < judge->slot_count; i++) {
		uint32_t at = judge->order[i], row;

		if (i % STOP_STEP == 0 && sd__stopped(judge))
			return SD_CANCELLED;
		row = enter_slot(sweep, at);
		if (width > 0) {
			check_lane(sweep, at, sd__row(&sweep->rows, row));
			check_needs(sweep, at, sd__row(&sweep->rows, row));
			sd__shared_turns(sweep, sd__row(&sweep->rows, row), at);
		}
		leave_slot(sweep, at, row);
	}
	return SD_OK;
}

/* As many streams at a time as the rows leave room for. */
static uint32_t band_width(const struct sd__judge *judge, uint32_t row_count)
{
	uint64_t cells = BAND_BYTES / sizeof(int32_t) / ((uint64_t)row_count + judge->meeting_count + 1);
	uint64_t all = ((uint64_t)judge->plan->stream_count + SD__COLUMN_STEP - 1) / SD__COLUMN_STEP * SD__COLUMN_STEP;
	uint64_t width = cells < all ? cells / SD__COLUMN_STEP * SD__COLUMN_STEP : all;

	return width > SD__COLUMN_STEP ? (uint32_t)width : SD__COLUMN_STEP;
}

enum sd_status sd__verify_sweep(struct sd__judge *judge)
{
	struct sd__sweep *sweep;
	struct sd_arena_mark mark;
	uint32_t streams = judge->plan->stream_count, row_count, width;

	SD__TAKE0(sweep, judge->mem, struct sd__sweep, 1);
	sweep->judge = judge;
	SD__TAKE(sweep->row_of_stream, judge->mem, uint32_t, streams + 1);
	SD__TAKE(sweep->row_of_sync, judge->mem, uint32_t, judge->plan->sync_count + 1);
	SD__TAKE(sweep->row_of_start, judge->mem, uint32_t, streams + 1);
	SD__TAKE(sweep->lane_last, judge->mem, uint32_t, judge->plan->logical_stream_count + streams + 1);
	mark = sd_arena_mark(judge->mem);
	SD_TRY(sweep_band(sweep, 0, 0, judge->slot_count + streams));
	row_count = sweep->rows.used_max;
	width = band_width(judge, row_count);
	for (uint32_t first = 0; first < streams; first += width) {
		sd_arena_rewind(judge->mem, mark);
		SD_TRY(sweep_band(sweep, first, width, row_count));
	}
	if (judge->verdict->count == 0)
		*judge->verdict = sweep->unneeded;
	return SD_OK;
}
