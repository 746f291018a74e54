/* Follows the slots in the order of the replay with vector clocks: is every edge kept,
 * and does each logical stream stay one sequence? */
#include "verify_sweep.h"

#define BAND_BYTES (32u << 20) /* of clocks held at one time */
#define STOP_STEP 4096u        /* slots between two looks at the stop flag */

/* A jump leads from one piece to another by itself. */
static bool is_jumped(const struct sd__judge *judge, uint32_t from, uint32_t at)
{
	uint32_t n = judge->slot[at].node;

	for (uint32_t j = sd__jumps_first(judge, n, at); j < sd__jumps_end(judge, n, at); j++) {
		if (judge->scopes.jump[j].from == judge->slot[from].node)
			return true;
	}
	return false;
}

/* Whether rows show that all launches which may be in front have run: of a run on one piece they need show the last only. */
static bool lane_is_known(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;

	sd__lanes_find(&sweep->lanes, at, false);
	for (uint32_t i = 0; i < sweep->lanes.before.count; i++) {
		uint32_t from = sweep->lanes.before.at[i], stream = judge->slot[from].stream;

		if (stream != judge->slot[at].stream && sd__in_band(sweep, stream) &&
		    known[sd__column(sweep, stream)] < (int32_t)sd__position(judge, from))
			return false;
	}
	return true;
}

/* The same where several launches may be the one in front. */
static void check_lane_branches(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;

	if (judge->slot[at].launch == SD__NONE || lane_is_known(sweep, at, known))
		return;
	sd__lanes_find(&sweep->lanes, at, true);
	for (uint32_t i = 0; i < sweep->lanes.before.count; i++) {
		uint32_t from = sweep->lanes.before.at[i], stream = judge->slot[from].stream;

		if (stream == judge->slot[at].stream || !sd__in_band(sweep, stream) || is_jumped(judge, from, at) ||
		    known[sd__column(sweep, stream)] >= (int32_t)sd__position(judge, from))
			continue;
		if (sd__exact_before(&sweep->exact, from, at, sweep->without) != SD__YES)
			sd__violate(judge->verdict, SD_VIOLATION_LANE, "two of its launches on different pieces may overlap",
			            judge->slot[from].node, judge->slot[at].node, judge->slot[at].stream, judge->plan->stream[judge->slot[at].stream].logical_id);
	}
}

static void check_lane(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[at].stream, lane = judge->plan->stream[stream].logical_id;
	uint32_t last = sweep->lane_last[lane], last_stream;

	if (judge->scopes.branches) {
		check_lane_branches(sweep, at, known);
		return;
	}
	if (last == SD__NONE)
		return;
	last_stream = judge->slot[last].stream;
	if (last_stream != stream && sd__in_band(sweep, last_stream) &&
	    known[sd__column(sweep, last_stream)] < (int32_t)sd__position(judge, last))
		sd__violate(judge->verdict, SD_VIOLATION_LANE, "two of its launches on different pieces may overlap",
		            judge->slot[last].node, judge->slot[at].node, stream, lane);
}

/* The row of a stream, to be written to. */
static int32_t *own_row(struct sd__sweep *sweep, uint32_t s)
{
	sweep->row_of_stream[s] = sd__row_own(&sweep->rows, sweep->row_of_stream[s]);
	return sd__row(&sweep->rows, sweep->row_of_stream[s]);
}

/* What a stream knows when others have started it. */
static void pass_start(struct sd__sweep *sweep, uint32_t at)
{
	struct sd__judge *judge = sweep->judge;
	uint32_t s = judge->slot[at].stream;

	if (at != judge->slot_first[s] || judge->starters[s] == 0)
		return;
	if (judge->starters[s] == 1) {
		sd__learn(sweep, own_row(sweep, s), judge->starter[s], sweep->row_of_start[s]);
	} else {
		sd__row_join(own_row(sweep, s), sd__row(&sweep->rows, sweep->row_of_start[s]), sweep->rows.width);
		sd__row_drop(&sweep->rows, sweep->row_of_start[s]);
	}
}

/* What is known when the waits of the slot are over; the stream's row until its next wait. */
static void pass_waits(struct sd__sweep *sweep, uint32_t at)
{
	if (sweep->judge->slot[at].wait_count > 0)
		sd__minimal_join(sweep, at, own_row(sweep, sweep->judge->slot[at].stream));
}

static void check_slot(struct sd__sweep *sweep, uint32_t at, uint32_t row)
{
	if (sweep->rows.width == 0 || sweep->may)
		return;
	check_lane(sweep, at, sd__row(&sweep->rows, row));
	sd__order_check(sweep, at, sd__row(&sweep->rows, row));
	sd__shared_turns(sweep, sd__row(&sweep->rows, row), at);
}

/* A stream that one slot starts begins in the scope of that slot. */
static void begin_stream(struct sd__sweep *sweep, uint32_t s)
{
	const struct sd__judge *judge = sweep->judge;
	bool single = judge->starters[s] == 1 && judge->starter[s] != SD__NONE;

	sd__branch_begin(sweep, s, single ? judge->scopes.live[judge->slot[judge->starter[s]].run_in] : SD_ROOT);
}

/* The same where the slot may stand in a body: waits and launch may belong to different ones. */
static enum sd_status enter_branches(struct sd__sweep *sweep, uint32_t at)
{
	struct sd__judge *judge = sweep->judge;
	const struct sd__slot *slot = &judge->slot[at];
	uint32_t run = judge->scopes.live[slot->run_in], wait = slot->wait_in == SD__NONE ? run : judge->scopes.live[slot->wait_in];

	if (at == judge->slot_first[slot->stream])
		begin_stream(sweep, slot->stream);
	pass_start(sweep, at);
	if (!sd__branch_to(sweep, slot->stream, wait, at))
		return SD_RESOURCE_EXHAUSTED;
	pass_waits(sweep, at);
	if (wait != run)
		check_slot(sweep, at, sweep->row_of_stream[slot->stream]);
	if (!sd__branch_to(sweep, slot->stream, run, at))
		return SD_RESOURCE_EXHAUSTED;
	sd__branch_jumped(sweep, at);
	if (wait == run)
		check_slot(sweep, at, sweep->row_of_stream[slot->stream]);
	if (sweep->rows.width > 0 && !sweep->may)
		sd__order_turns(sweep, at, sd__row(&sweep->rows, sweep->row_of_stream[slot->stream]));
	return SD_OK;
}

static enum sd_status enter_slot(struct sd__sweep *sweep, uint32_t at)
{
	if (sweep->judge->scopes.branches)
		return enter_branches(sweep, at);
	pass_start(sweep, at);
	pass_waits(sweep, at);
	check_slot(sweep, at, sweep->row_of_stream[sweep->judge->slot[at].stream]);
	return SD_OK;
}

/* What one of several that start a stream knows: the stream learns what all of them do. */
static void meet_start(struct sd__sweep *sweep, uint32_t stream, uint32_t at, uint32_t row)
{
	uint32_t column = sd__column(sweep, sweep->judge->slot[at].stream), *start = &sweep->row_of_start[stream];
	int32_t *known, own, position = (int32_t)sd__position(sweep->judge, at);

	if (*start == SD__NONE) {
		*start = sd__row_own(&sweep->rows, sd__row_share(&sweep->rows, row));
		sd__raise(sweep, sd__row(&sweep->rows, *start), at);
		return;
	}
	known = sd__row(&sweep->rows, *start);
	if (sweep->may) {
		sd__learn(sweep, known, at, sd__row_share(&sweep->rows, row));
		return;
	}
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

static void leave_slot(struct sd__sweep *sweep, uint32_t at)
{
	struct sd__judge *judge = sweep->judge;
	const struct sd_plan *plan = judge->plan;
	const struct sd__slot *slot = &judge->slot[at];
	uint32_t row = sweep->row_of_stream[slot->stream];

	if (slot->launch != SD__NONE)
		sweep->lane_last[plan->stream[slot->stream].logical_id] = at;
	for (uint32_t c = slot->record_first; c < slot->record_first + slot->record_count; c++)
		sweep->row_of_sync[judge->sync_of[c]] = sd__row_share(&sweep->rows, row);
	if (slot->activation != SD__NONE)
		start_streams(sweep, at, row);
	if (judge->scopes.branches) {
		sd__branch_jumps(sweep, at, row);
		if (slot->launch != SD__NONE && sweep->rows.width > 0 && !sweep->may)
			sd__lanes_pass(&sweep->lanes, at);
	}
	if (at + 1 == judge->slot_first[slot->stream + 1]) {
		if (judge->scopes.branches)
			sd__branch_end(sweep, slot->stream);
		sd__row_drop(&sweep->rows, row);
	}
}

/* Without a sync the question is only whether everything holds. */
static bool is_settled(const struct sd__sweep *sweep)
{
	return sweep->without != SD__NONE && sweep->judge->verdict->count > 0;
}

/* One pass for the columns from `first`; with width 0 it only counts the rows that are held at one time. */
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
	SD_TRY(sd__branch_init(sweep));
	if (judge->scopes.branches) {
		SD_TRY(sd__lanes_init(&sweep->lanes, judge));
		sd__exact_forget(&sweep->exact);
		sd__finder_forget(&sweep->finder);
	}
	if (width > 0)
		sd__order_meetings(sweep);
	for (uint32_t i = 0; i < judge->slot_count; i++) {
		if (i % STOP_STEP == 0 && sd__stopped(judge))
			return SD_CANCELLED;
		SD_TRY(enter_slot(sweep, judge->order[i]));
		if (is_settled(sweep))
			break;
		leave_slot(sweep, judge->order[i]);
	}
	return sweep->lanes.failed || sweep->finder.failed || sweep->exact.failed ? SD_RESOURCE_EXHAUSTED : SD_OK;
}

/* As many columns at a time as the rows leave room for. */
static uint32_t band_width(const struct sd__judge *judge, uint32_t row_count)
{
	uint64_t cells = BAND_BYTES / sizeof(int32_t) / ((uint64_t)row_count + judge->meeting_count + 1);
	uint64_t all = ((uint64_t)judge->column_count + SD__COLUMN_STEP - 1) / SD__COLUMN_STEP * SD__COLUMN_STEP;
	uint64_t width = cells < all ? cells / SD__COLUMN_STEP * SD__COLUMN_STEP : all;

	return width > SD__COLUMN_STEP ? (uint32_t)width : SD__COLUMN_STEP;
}

/* Rows that may be held at one time: one a slot and one a stream; where bodies choose also those in
 * front of them and behind. */
static size_t row_limit(const struct sd__judge *judge)
{
	size_t streams = judge->plan->stream_count;

	if (!judge->scopes.branches)
		return judge->slot_count + streams;
	return judge->slot_count + streams * (2 * SD_DEPTH_MAX + 3) + judge->graph->graph_count + judge->scopes.jump_count;
}

enum sd_status sd__sweep_all(struct sd__sweep *sweep)
{
	struct sd__judge *judge = sweep->judge;
	struct sd_arena_mark mark = sd_arena_mark(judge->mem);

	for (uint32_t first = 0; first < judge->column_count && !is_settled(sweep); first += sweep->width) {
		sd_arena_rewind(judge->mem, mark);
		SD_TRY(sweep_band(sweep, first, sweep->width, sweep->row_count));
	}
	sd_arena_rewind(judge->mem, mark);
	sd__exact_forget(&sweep->exact);
	sd__finder_forget(&sweep->finder);
	return SD_OK;
}

static enum sd_status start_sweep(struct sd__sweep *sweep)
{
	struct sd__judge *judge = sweep->judge;
	uint32_t streams = judge->plan->stream_count;

	SD__TAKE(sweep->row_of_stream, judge->mem, uint32_t, streams + 1);
	SD__TAKE(sweep->row_of_sync, judge->mem, uint32_t, judge->plan->sync_count + 1);
	SD__TAKE(sweep->row_of_start, judge->mem, uint32_t, streams + 1);
	SD__TAKE(sweep->lane_last, judge->mem, uint32_t, judge->plan->logical_stream_count + streams + 1);
	if (!judge->scopes.branches)
		return SD_OK;
	SD__TAKE0(sweep->maybe, judge->mem, uint8_t, judge->plan->sync_count + 1);
	SD_TRY(sd__exact_init(&sweep->exact, judge));
	return sd__finder_init(&sweep->finder, judge);
}

enum sd_status sd__verify_sweep(struct sd__judge *judge)
{
	struct sd__sweep *sweep;
	struct sd_arena_mark mark;

	SD__TAKE0(sweep, judge->mem, struct sd__sweep, 1);
	sweep->judge = judge;
	sweep->without = SD__NONE;
	SD_TRY(start_sweep(sweep));
	mark = sd_arena_mark(judge->mem);
	SD_TRY(sweep_band(sweep, 0, 0, (uint32_t)row_limit(judge)));
	sweep->row_count = sweep->rows.used_max;
	sweep->width = band_width(judge, sweep->row_count);
	sd_arena_rewind(judge->mem, mark);
	SD_TRY(sd__sweep_all(sweep));
	if (judge->scopes.branches && judge->verdict->count == 0)
		SD_TRY(sd__minimal_try(sweep));
	if (judge->verdict->count == 0)
		*judge->verdict = sweep->unneeded;
	return SD_OK;
}
