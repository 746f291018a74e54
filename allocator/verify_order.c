/* Whether what is asked for in front of a slot is known there. */
#include "verify_sweep.h"

static void tell_unordered(struct sd__sweep *sweep, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	sd__violate(judge->verdict, SD_VIOLATION_UNORDERED, "the second may start before the first has finished",
	            judge->slot[from].node, judge->slot[at].node, judge->slot[at].stream, -1);
}

static void unordered(struct sd__sweep *sweep, uint32_t from, uint32_t at)
{
	const struct sd__slot *slot = &sweep->judge->slot[at];

	/* Nothing starts in front of bodies: what they wait for is asked for where they begin. */
	if (!slot->group || slot->run_in != sweep->judge->graph->graph_of[slot->node])
		tell_unordered(sweep, from, at);
}

/* The same told by column and position. Who it is is of no use where the violation is only counted. */
static void unordered_meeting(struct sd__sweep *sweep, uint32_t column, uint32_t position, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	bool told = judge->verdict->count < SD_VIOLATIONS_MAX;

	unordered(sweep, told ? sd__column_slot(judge, column, position) : at, at);
}

/* Whether slot `from` is known to have run at slot `at`. */
static bool is_in_front(const struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[from].stream;

	if (stream == judge->slot[at].stream)
		return from < at;
	return known[sd__column(sweep, stream)] >= (int32_t)sd__position(judge, from);
}

/* One launch that must come before slot `at`. What `need` holds already has been looked at. False if it is not known to. */
static bool need_slot(struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t stream = judge->slot[from].stream, column = sd__column(sweep, stream);
	int32_t position = (int32_t)sd__position(judge, from);
	bool holds = true;

	if (!sd__in_band(sweep, stream) || sweep->need[column] >= position)
		return true;
	if (stream == judge->slot[at].stream ? from >= at : known[column] < position) {
		holds = false;
		if (!judge->scopes.branches)
			unordered(sweep, from, at);
	}
	sd__raise(sweep, sweep->need, from);
	return holds;
}

/* All launches that meet in front of a node that is not launched. */
static bool need_meeting(struct sd__sweep *sweep, const int32_t *known, const int32_t *meeting, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	bool holds = true;

	for (uint32_t column = 0; column < sweep->rows.width; column++) {
		bool own = sweep->first + column == judge->column[judge->slot[at].stream];

		if (meeting[column] > sweep->need[column] && meeting[column] > (own ? (int32_t)sd__position(judge, at) - 1 : known[column])) {
			holds = false;
			if (!judge->scopes.branches)
				unordered_meeting(sweep, sweep->first + column, (uint32_t)meeting[column], at);
		}
	}
	sd__row_join(sweep->need, meeting, sweep->rows.width);
	return holds;
}

/* Where bodies choose, a row knows only what holds on one stream in every run: what it does not know is asked for by its definition. */
static bool misses(struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	return sd__in_band(sweep, sweep->judge->slot[from].stream) && !is_in_front(sweep, known, from, at) &&
	       sd__exact_before(&sweep->exact, from, at, sweep->without) != SD__YES;
}

void sd__order_need(struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at)
{
	if (misses(sweep, known, from, at))
		unordered(sweep, from, at);
}

static void need_each(struct sd__sweep *sweep, const int32_t *known, uint32_t question, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	sd__finder_find(&sweep->finder, question);
	for (uint32_t i = 0; i < sweep->finder.slot.count; i++) {
		uint32_t from = sweep->finder.slot.at[i];

		/* What a group tells is that the ends on its stream have run; they are asked for, too. */
		if (!judge->slot[from].group)
			sd__order_need(sweep, known, from, at);
	}
}

/* The next turn of a loop comes behind all ends of its body, also on streams that no group says it of, and where the last that
 * happens is what inner bodies tell. A body may end with what was there before. */
void sd__order_turns(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;

	for (uint32_t t = judge->turn_of[at]; t != SD__NONE; t = judge->turn.at[t].next) {
		uint32_t loop = judge->turn.at[t].node;

		sd__finder_find(&sweep->finder, sd__question(judge, SD__ASKS_TURN, loop));
		for (uint32_t i = 0; i < sweep->finder.slot.count; i++) {
			uint32_t from = sweep->finder.slot.at[i];
			bool ends = !judge->slot[from].group && sd__graph_is_below(judge, judge->graph->graph_of[judge->slot[from].node], loop);

			if (ends && from != at && misses(sweep, known, from, at))
				tell_unordered(sweep, from, at);
		}
	}
}

static void need_extras(struct sd__sweep *sweep, const int32_t *known, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;

	for (uint32_t i = judge->extra_first[at]; i < judge->extra_first[at + 1]; i++) {
		const struct sd__extra *extra = &judge->extra[i];

		if (!sd__in_band(sweep, judge->slot[extra->from].stream) || (extra->optional && !is_in_front(sweep, known, extra->from, at)))
			continue;
		if (!need_slot(sweep, known, extra->from, at) && judge->scopes.branches)
			sd__order_need(sweep, known, extra->from, at);
	}
}

static void clear_need(struct sd__sweep *sweep, uint32_t origin)
{
	const struct sd__judge *judge = sweep->judge;

	if (origin < judge->slot_count && sd__in_band(sweep, judge->slot[origin].stream))
		sweep->need[sd__column(sweep, judge->slot[origin].stream)] = 0;
}

static void clear_needs(struct sd__sweep *sweep, uint32_t at, uint32_t question, bool wide)
{
	const struct sd__judge *judge = sweep->judge;

	if (wide) {
		memset(sweep->need, 0, sweep->rows.width * sizeof(int32_t));
		return;
	}
	for (uint32_t w = question == SD__NONE ? 0 : sd__wants_first(judge, question); question != SD__NONE && w < sd__wants_end(judge, question); w++)
		clear_need(sweep, sd__want_origin(judge, w));
	for (uint32_t i = judge->extra_first[at]; i < judge->extra_first[at + 1]; i++)
		clear_need(sweep, judge->extra[i].from);
}

/* Raises what is wanted; answers whether some of it was that of a meeting. */
static bool need_wants(struct sd__sweep *sweep, uint32_t question, uint32_t at, const int32_t *known)
{
	const struct sd__judge *judge = sweep->judge;
	bool wide = false, holds = true;

	for (uint32_t w = sd__wants_first(judge, question); w < sd__wants_end(judge, question); w++) {
		uint32_t origin = sd__want_origin(judge, w);

		if (origin == SD__NONE)
			continue;
		if (origin < judge->slot_count) {
			holds &= need_slot(sweep, known, origin, at);
		} else {
			holds &= need_meeting(sweep, known, sweep->meeting + (size_t)(origin - judge->slot_count) * sweep->rows.width, at);
			wide = true;
		}
	}
	if (!holds && judge->scopes.branches)
		need_each(sweep, known, question, at);
	return wide;
}

void sd__order_check(struct sd__sweep *sweep, uint32_t at, const int32_t *known)
{
	uint32_t question = sd__slot_question(sweep->judge, at);
	bool wide = question != SD__NONE && need_wants(sweep, question, at, known);

	need_extras(sweep, known, at);
	sd__minimal_needed(sweep, at);
	clear_needs(sweep, at, question, wide);
}

void sd__order_meetings(struct sd__sweep *sweep)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t width = sweep->rows.width;

	for (uint32_t m = 0; m < judge->meeting_count; m++) {
		int32_t *row = sweep->meeting + (size_t)m * width;
		uint32_t q = judge->meeting[m];

		memset(row, 0, width * sizeof(int32_t));
		for (uint32_t w = sd__wants_first(judge, q); w < sd__wants_end(judge, q); w++) {
			uint32_t origin = sd__want_origin(judge, w);

			if (origin < judge->slot_count)
				sd__raise(sweep, row, origin);
			else if (origin != SD__NONE)
				sd__row_join(row, sweep->meeting + (size_t)(origin - judge->slot_count) * width, width);
		}
	}
}
