/* Which streams share a column of the rows.
 *
 * A stream is asked about between two places of the replay: from its first slot, or the first
 * slot in front of which it is asked for, to the last one that does. Streams of which never two
 * are asked about at one place share a column, so rows are as wide as streams live at one time,
 * not as there are streams. Positions go on from one stream of a column to the next: what a row says of
 * an earlier stream is less than any position of a later one, and reads as nothing known.
 * A meeting is asked about where its question is, so its streams never share a column. */
#include "verify_lanes.h"
#include "verify_wants.h"

struct life {
	uint32_t first, last; /* places; first SD__NONE: never asked about */
};

struct lives {
	struct sd__judge *judge;
	struct life *stream;
	struct life *meeting;
	uint32_t *lane_last;    /* by logical stream, where bodies choose nothing: its latest slot; SD__NONE: none yet */
	struct sd__lanes lanes; /* where they do */
	uint32_t *born, *next;  /* by place: a stream whose life begins there, and by stream the next one; SD__NONE: none */
	uint32_t *dead;         /* the same where it ends: by place */
	uint32_t *next_dead;
};

static void touch(struct life *life, struct life by)
{
	if (by.first == SD__NONE)
		return;
	if (life->first == SD__NONE) {
		*life = by;
		return;
	}
	life->first = by.first < life->first ? by.first : life->first;
	life->last = by.last > life->last ? by.last : life->last;
}

static void ask_slot(struct lives *lives, uint32_t slot, struct life by)
{
	if (slot != SD__NONE)
		touch(&lives->stream[lives->judge->slot[slot].stream], by);
}

static void ask_question(struct lives *lives, uint32_t question, struct life by)
{
	const struct sd__judge *judge = lives->judge;

	for (uint32_t w = sd__wants_first(judge, question); w < sd__wants_end(judge, question); w++) {
		uint32_t origin = sd__want_origin(judge, w);

		if (origin != SD__NONE && origin >= judge->slot_count)
			touch(&lives->meeting[origin - judge->slot_count], by);
		else
			ask_slot(lives, origin, by);
	}
}

/* Syncs are asked about where they are waited for: whether they are known, and whether something asks for them. */
static void ask_syncs(struct lives *lives, uint32_t at, struct life here)
{
	const struct sd__judge *judge = lives->judge;
	const struct sd__slot *slot = &judge->slot[at];

	for (uint32_t i = judge->arriving_first[at]; i < judge->arriving_first[at + 1]; i++) {
		ask_slot(lives, judge->record_slot[judge->arriving[i]], here);
		ask_slot(lives, judge->main_slot[judge->plan->sync[judge->arriving[i]].record_node], here);
	}
	for (uint32_t c = slot->record_first; judge->events_shared && c < slot->record_first + slot->record_count; c++) {
		uint32_t before = judge->turn_before[judge->sync_of[c]];

		if (before != SD__NONE)
			ask_slot(lives, judge->wait_slot[before], here);
	}
}

static void ask_lane(struct lives *lives, uint32_t at, struct life here)
{
	const struct sd__judge *judge = lives->judge;
	uint32_t *last = &lives->lane_last[judge->plan->stream[judge->slot[at].stream].logical_id];

	if (!judge->scopes.branches) {
		ask_slot(lives, *last, here);
		*last = judge->slot[at].launch != SD__NONE ? at : *last;
		return;
	}
	if (judge->slot[at].launch == SD__NONE)
		return;
	sd__lanes_find(&lives->lanes, at, false);
	for (uint32_t i = 0; i < lives->lanes.before.count; i++)
		ask_slot(lives, lives->lanes.before.at[i], here);
	sd__lanes_pass(&lives->lanes, at);
}

/* All that is asked in front of a slot, and behind it. */
static void ask_all(struct lives *lives, uint32_t at)
{
	const struct sd__judge *judge = lives->judge;
	struct life here = { judge->place[at], judge->place[at] };
	uint32_t question = sd__slot_question(judge, at);

	ask_slot(lives, at, here);
	if (question != SD__NONE)
		ask_question(lives, question, here);
	for (uint32_t i = judge->extra_first[at]; i < judge->extra_first[at + 1]; i++)
		ask_slot(lives, judge->extra[i].from, here);
	for (uint32_t t = judge->scopes.branches ? judge->turn_of[at] : SD__NONE; t != SD__NONE; t = judge->turn.at[t].next)
		ask_question(lives, sd__question(judge, SD__ASKS_TURN, judge->turn.at[t].node), here);
	ask_syncs(lives, at, here);
	ask_lane(lives, at, here);
}

static enum sd_status find_lives(struct lives *lives)
{
	struct sd__judge *judge = lives->judge;
	uint32_t streams = judge->plan->stream_count, logical = judge->plan->logical_stream_count + streams;

	SD__TAKE(lives->stream, judge->mem, struct life, streams + 1);
	SD__TAKE(lives->meeting, judge->mem, struct life, judge->meeting_count + 1);
	SD__TAKE(lives->lane_last, judge->mem, uint32_t, logical + 1);
	memset(lives->stream, 0xff, streams * sizeof(struct life));
	memset(lives->meeting, 0xff, judge->meeting_count * sizeof(struct life));
	memset(lives->lane_last, 0xff, logical * sizeof(uint32_t));
	if (judge->scopes.branches)
		SD_TRY(sd__lanes_init(&lives->lanes, judge));
	for (uint32_t i = 0; i < judge->slot_count; i++)
		ask_all(lives, judge->order[i]);
	/* What a meeting leads to is listed in front of it. */
	for (uint32_t m = judge->meeting_count; m-- > 0;)
		ask_question(lives, judge->meeting[m], lives->meeting[m]);
	return lives->lanes.failed ? SD_RESOURCE_EXHAUSTED : SD_OK;
}

static enum sd_status list_lives(struct lives *lives)
{
	struct sd__judge *judge = lives->judge;
	uint32_t streams = judge->plan->stream_count;

	SD__TAKE(lives->born, judge->mem, uint32_t, judge->slot_count + 1);
	SD__TAKE(lives->dead, judge->mem, uint32_t, judge->slot_count + 1);
	SD__TAKE(lives->next, judge->mem, uint32_t, streams + 1);
	SD__TAKE(lives->next_dead, judge->mem, uint32_t, streams + 1);
	memset(lives->born, 0xff, judge->slot_count * sizeof(uint32_t));
	memset(lives->dead, 0xff, judge->slot_count * sizeof(uint32_t));
	for (uint32_t s = streams; s-- > 0;) {
		const struct life *life = &lives->stream[s];

		if (life->first == SD__NONE)
			continue;
		lives->next[s] = lives->born[life->first];
		lives->born[life->first] = s;
		lives->next_dead[s] = lives->dead[life->last];
		lives->dead[life->last] = s;
	}
	return SD_OK;
}

/* Along the replay each stream takes the column that was given back last, or a new one. */
static enum sd_status share_columns(struct lives *lives)
{
	struct sd__judge *judge = lives->judge;
	uint32_t streams = judge->plan->stream_count, spare_count = 0;
	uint32_t *spare, *used;

	SD__TAKE(spare, judge->mem, uint32_t, streams + 1);
	SD__TAKE0(used, judge->mem, uint32_t, streams + 1);
	for (uint32_t i = 0; i < judge->slot_count; i++) {
		for (uint32_t s = lives->born[i]; s != SD__NONE; s = lives->next[s]) {
			uint32_t column = spare_count > 0 ? spare[--spare_count] : judge->column_count++;

			judge->column[s] = column;
			judge->column_base[s] = used[column];
			used[column] += judge->slot_first[s + 1] - judge->slot_first[s];
		}
		for (uint32_t s = lives->dead[i]; s != SD__NONE; s = lives->next_dead[s])
			spare[spare_count++] = judge->column[s];
	}
	return SD_OK;
}

enum sd_status sd__verify_columns(struct sd__judge *judge)
{
	struct lives lives = { .judge = judge };
	uint32_t streams = judge->plan->stream_count;
	struct sd_arena_mark mark;

	SD__TAKE(judge->column, judge->mem, uint32_t, streams + 1);
	SD__TAKE0(judge->column_base, judge->mem, uint32_t, streams + 1);
	memset(judge->column, 0xff, streams * sizeof(uint32_t));
	mark = sd_arena_mark(judge->mem);
	SD_TRY(find_lives(&lives));
	SD_TRY(list_lives(&lives));
	SD_TRY(share_columns(&lives));
	sd_arena_rewind(judge->mem, mark);
	return SD_OK;
}

uint32_t sd__column_slot(const struct sd__judge *judge, uint32_t column, uint32_t position)
{
	for (uint32_t s = 0; s < judge->plan->stream_count; s++) {
		uint32_t slots = judge->slot_first[s + 1] - judge->slot_first[s];

		if (judge->column[s] == column && position > judge->column_base[s] && position <= judge->column_base[s] + slots)
			return judge->slot_first[s] + (position - judge->column_base[s]) - 1;
	}
	return SD__NONE;
}
