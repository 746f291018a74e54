/* split_streams - a logical stream longer than the device takes becomes several physical ones.
 *
 * Rule   Along each lane, items are counted: an event wait 2, a notify wait 1, a launch its
 *        tasks, a record 1. A cut falls in front of an item when there are items since the
 *        last cut, not all of them empty, and with this one and the reserve they exceed the
 *        limit. Waits and records stay with their node: a cut in front of a wait or the launch
 *        puts the whole slot on the new piece, one in front of a record the next slot of the
 *        lane. The count goes on from where the cut fell. Neighbouring slots of a lane with one
 *        `_continuous_stream_label` stay together: a cut inside such a group moves to its
 *        front if the group does not begin the piece and fits; else it stays, with a
 *        warning. A new piece takes the next free stream number, over all lanes in the order
 *        in which cuts take effect; the first piece keeps the number of its logical stream.
 *        In a structured loop the body goes on, on each lane, on the piece on which the condition ended: no cut falls in
 *        front of what the body launches first there, the reserve takes it. If that is not enough, the cut moves in front
 *        of the last launch of the condition, if that does not begin the piece and both fit one. No cut falls in front of
 *        the launch of a label, a node with bodies or the first StreamActive of a body, nor where nothing but waits in front of
 *        structured bodies stands on the piece: these are waited for wherever the bodies begin. With single_stream, a stream too
 *        long for the device's normal streams becomes a huge one where the device has those. With unlimited depth nothing is cut.
 * Why    A device stream holds a fixed number of tasks.
 * Differs Records that alone would push a piece over the limit, the syncs between pieces
 *        included, move their node to the next piece; Graph Engine tears syncs from their
 *        nodes, which can lose an order, and keeps a group together over all streams of a graph.
 * Cost   O(slots + syncs). */
#include "passes.h"

#include "split.h"
#include "mutants.h"

#define ROOM_FOR_TURN 8 /* tasks of syncs behind a body: what the next turn waits for, what is told of the end */

enum item { ITEM_WAIT, ITEM_LAUNCH, ITEM_RECORD };

struct lane_state {
	int64_t items;      /* since the last cut as it fell */
	int64_t held;       /* on the current piece: whole slots, and the wait for the piece before */
	uint32_t stream;    /* current piece */
	uint32_t launches;  /* on the current piece, and what else keeps it from being empty */
	uint32_t piece_first; /* slot that begins the current piece */
	uint32_t first_launch; /* on the current piece; SD_NO_INDEX: none yet */
	bool goes_on;       /* the slot at hand stays on the piece on which the condition of its loop ended */
	bool cut_next;      /* a cut in front of a record: the next slot begins a piece */
	uint32_t group, scope; /* continuous label of the last slot, 0 = none; when it runs */
	uint32_t group_first; /* first slot of that group since the last cut */
	int64_t group_items;  /* its items since the last cut */
};

struct splitter {
	struct sd_job *job;
	int64_t limit;               /* 0: none */
	uint32_t *waits[2];          /* per kind of sync, per slot */
	uint32_t *records;           /* per slot */
	int64_t *size;               /* per slot: its launch as the split counts it */
	uint32_t *group;             /* per slot: continuous label; 0 = none */
	uint32_t *glued;             /* per slot: the end of a condition, on the piece of which it must be; SD_NO_INDEX: none. NULL: there are no bodies */
	struct lane_state *lane;
	SD_VEC(uint32_t) logical_of; /* per stream */
};

static void count_syncs(struct splitter *s)
{
	const struct sd_order_list *syncs = &s->job->syncs;

	for (uint32_t i = 0; i < syncs->count; i++) {
		s->records[syncs->at[i].from]++;
		s->waits[sd_job_sync_kind(s->job, syncs->at[i].cause)][syncs->at[i].to]++;
	}
}

static enum sd_status new_piece(struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	if (!sd_vec_room(s->job->mem, &s->logical_of))
		SD_NEED(s->job, NULL);
	lane->stream = s->logical_of.count;
	lane->held = SD_MUTANT(split_first_wait_free) ? 0 : sd_job_wait_tasks(SD_SYNC_EVENT);
	lane->launches = 0;
	lane->piece_first = slot;
	lane->first_launch = SD_NO_INDEX;
	lane->cut_next = false;
	s->logical_of.at[s->logical_of.count++] = s->job->slots.lane[slot];
	return SD_OK;
}

/* A slot is on the current piece of its lane. */
static void put_on_piece(const struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	s->job->slots.stream[slot] = lane->stream;
	if (sd_slot_launches(&s->job->slots, slot) && lane->first_launch == SD_NO_INDEX)
		lane->first_launch = slot;
}

static int64_t sync_size(const struct splitter *s, uint32_t slot)
{
	return s->waits[SD_SYNC_EVENT][slot] * sd_job_wait_tasks(SD_SYNC_EVENT) +
	       s->waits[SD_SYNC_NOTIFY][slot] * sd_job_wait_tasks(SD_SYNC_NOTIFY) + s->records[slot];
}

static int64_t slot_size(const struct splitter *s, uint32_t slot)
{
	return sync_size(s, slot) + sd_job_slot_tasks(s->job, slot);
}

static bool is_glued(const struct splitter *s, uint32_t slot)
{
	return s->glued && s->glued[slot] != SD_NO_INDEX;
}

/* The group's slots from its first one up to, not including, `slot` go to a new piece. */
static enum sd_status move_group(struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	uint32_t first = lane->group_first;

	SD_TRY(new_piece(s, lane, first));
	for (uint32_t m = s->job->slots.before[slot]; m >= first && m != SD_NO_INDEX; m = s->job->slots.before[m]) {
		s->job->slots.stream[m] = lane->stream;
		lane->held += slot_size(s, m);
		lane->launches += sd_slot_launches(&s->job->slots, m) || slot_size(s, m);
	}
	return SD_OK;
}

/* A cut in front of a wait or launch of a slot in a group. Where the slot begins a piece already, the group is torn there. */
static enum sd_status cut_group(struct splitter *s, struct lane_state *lane, uint32_t slot, int64_t size, bool *cut)
{
	bool begun = lane->group_first != slot;
	bool at_front = lane->group_items == lane->items || lane->group_first <= lane->piece_first || is_glued(s, lane->group_first);

	if (begun && !at_front && !*cut && !SD_MUTANT(split_group_torn) && lane->group_items + size + SD_TASK_RESERVE <= s->limit) {
		SD_TRY(move_group(s, lane, slot));
		lane->items = lane->group_items += size;
		return SD_OK;
	}
	if (begun && !*cut)
		SD_TRY(sd_job_warn(s->job, SD_CODE_GROUP_TOO_LARGE, s->job->slots.node[slot], (struct sd_arg){ 0 }, (struct sd_arg){ 0 }));
	*cut = true;
	lane->items = lane->group_items = size;
	lane->group_first = slot;
	return SD_OK;
}

/* Launches in front of which no cut may fall: they are jumped to, or start what follows them. */
static bool stays_behind(const struct sd_job *job, uint32_t slot)
{
	uint32_t node = job->slots.node[slot];

	switch (sd_job_op(job, node)) {
	case SD_OP_LABEL_SET: case SD_OP_LABEL_GOTO_EX: case SD_OP_LABEL_SWITCH_BY_INDEX:
		return !SD_MUTANT(split_at_label);
	default:
		return job->graph->body_first[node] != job->graph->body_first[node + 1] ||
		       sd_graph_bool(job->graph, node, SD_ATTR_SUBGRAPH_FIRST_ACTIVE);
	}
}

/* What a functional node waits for in front of its bodies, or a loop behind its body, is waited for on every piece on
 * which they begin. */
static bool is_gate(const struct sd_job *job, uint32_t slot)
{
	return job->slots.kind[slot] == SD_SLOT_FORK || job->slots.kind[slot] == SD_SLOT_AGAIN;
}

/* What a glued slot takes along to a new piece: all of the lane from there on to which it is glued. Answers its tasks; -1 where
 * that is no launch, or would leave a piece on which nothing is launched. */
static int64_t taken_along(const struct splitter *s, const struct lane_state *lane, uint32_t slot)
{
	const struct sd_slots *slots = &s->job->slots;
	uint32_t from = s->glued[slot];
	int64_t size = 0;

	if (!sd_slot_launches(slots, from) || slots->stream[from] != lane->stream || from <= lane->first_launch)
		return -1;
	for (uint32_t m = from; m < slot; m++) {
		if (slots->lane[m] == slots->lane[slot])
			size += slot_size(s, m);
	}
	return size;
}

enum turn { TURN_STAYS, TURN_TAKES_ALONG, TURN_TORN };

/* What becomes of a cut in front of a glued slot. Syncs of the loop are added later: where neither leaves them room, there is
 * more of it for what begins its piece. */
static enum turn turn_at(const struct splitter *s, const struct lane_state *lane, uint32_t slot)
{
	int64_t along = taken_along(s, lane, slot), size = slot_size(s, slot), stays = lane->held + size;
	int64_t moves = along < 0 ? s->limit : sd_job_wait_tasks(SD_SYNC_EVENT) + along + size;

	if (stays + ROOM_FOR_TURN <= s->limit && !SD_MUTANT(split_turn_early))
		return TURN_STAYS;
	if (moves < s->limit)
		return TURN_TAKES_ALONG;
	return stays < s->limit ? TURN_STAYS : TURN_TORN;
}

/* Counts one item; `cut` is set when the slot of a wait or launch, or the one behind a record, must begin a piece. */
static enum sd_status count_item(struct splitter *s, struct lane_state *lane, uint32_t slot, enum item item, int64_t size, bool *cut)
{
	if (!s->limit || !lane->items || lane->items + size + (SD_MUTANT(split_without_reserve) ? 0 : SD_TASK_RESERVE) + SD_MUTANT(split_below_limit) <= s->limit) {
		lane->items += size;
		lane->group_items += size;
		return SD_OK;
	}
	if ((item == ITEM_LAUNCH && stays_behind(s->job, slot)) || is_gate(s->job, slot) || (item != ITEM_RECORD && lane->goes_on)) {
		lane->items += size;
		lane->group_items += size;
		return SD_OK;
	}
	if (s->group[slot] && item != ITEM_RECORD)
		return cut_group(s, lane, slot, size, cut);
	*cut = true;
	lane->items = lane->group_items = size;
	lane->group_first = slot;
	return SD_OK;
}

/* Records alone follow what they tell of. */
static bool can_begin_piece(const struct splitter *s, uint32_t slot)
{
	return sd_slot_launches(&s->job->slots, slot) || s->job->slots.kind[slot] == SD_SLOT_WAITS ||
	       s->waits[SD_SYNC_EVENT][slot] || s->waits[SD_SYNC_NOTIFY][slot];
}

/* A group begins with what can begin a piece: what is told behind bodies stays with them. */
static void enter_group(const struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	uint32_t scope = s->job->slots.scope[slot];

	if (s->group[slot] && s->group[slot] == lane->group && (scope == lane->scope || SD_MUTANT(split_group_over_bodies)) && can_begin_piece(s, lane->group_first))
		return;
	lane->group = s->group[slot];
	lane->scope = scope;
	lane->group_first = slot;
	lane->group_items = 0;
}

/* Counts what stands in a slot up to its launch. */
static enum sd_status count_up_to_launch(struct splitter *s, struct lane_state *lane, uint32_t slot, bool *cut)
{
	for (int kind = SD_SYNC_EVENT; kind <= SD_SYNC_NOTIFY; kind++) {
		for (uint32_t i = 0; i < s->waits[kind][slot]; i++)
			SD_TRY(count_item(s, lane, slot, ITEM_WAIT, sd_job_wait_tasks((enum sd_sync_kind)kind), cut));
	}
	if (!sd_slot_launches(&s->job->slots, slot))
		return SD_OK;
	return count_item(s, lane, slot, ITEM_LAUNCH, s->size[slot], cut);
}

/* A cut in front of the slot although its count does not ask for it: it begins to count anew. */
static enum sd_status cut_here(struct splitter *s, struct lane_state *lane, uint32_t slot, bool *cut)
{
	if (s->group[slot] && lane->group_first != slot)
		SD_TRY(sd_job_warn(s->job, SD_CODE_GROUP_TOO_LARGE, s->job->slots.node[slot], (struct sd_arg){ 0 }, (struct sd_arg){ 0 }));
	*cut = true;
	lane->items = lane->group_items = 0;
	lane->group_first = slot;
	return count_up_to_launch(s, lane, slot, cut);
}

/* The launch of a label that stands behind waits of its own, to which no jump leads. */
static bool is_label_behind_waits(const struct sd_job *job, uint32_t slot)
{
	uint32_t waits = job->slots.waits_at[job->slots.node[slot]];

	return job->slots.kind[slot] == SD_SLOT_MAIN && waits != SD_NO_INDEX && job->slots.kind[waits] == SD_SLOT_WAITS;
}

/* What is going to stand behind the waits of a label. */
static int64_t label_size(const struct splitter *s, uint32_t slot)
{
	return s->job->slots.kind[slot] == SD_SLOT_WAITS ? slot_size(s, s->job->slots.of_node[s->job->slots.node[slot]]) : 0;
}

/* A piece that begins with the slot, or with what it takes along. */
static enum sd_status begin_piece(struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	struct sd_slots *slots = &s->job->slots;
	int64_t along;

	if (!is_glued(s, slot) || turn_at(s, lane, slot) == TURN_TORN)
		return new_piece(s, lane, slot);
	along = taken_along(s, lane, slot);
	SD_TRY(new_piece(s, lane, s->glued[slot]));
	for (uint32_t m = s->glued[slot]; m < slot; m++) {
		if (slots->lane[m] != slots->lane[slot])
			continue;
		put_on_piece(s, lane, m);
		lane->launches += sd_slot_launches(slots, m);
	}
	lane->items += along;
	lane->held += along;
	return SD_OK;
}

static enum sd_status place_slot(struct splitter *s, uint32_t slot)
{
	struct lane_state *lane = &s->lane[s->job->slots.lane[slot]];
	int64_t size = slot_size(s, slot);
	bool stays = is_label_behind_waits(s->job, slot) || is_gate(s->job, slot) || (is_glued(s, slot) && turn_at(s, lane, slot) == TURN_STAYS);
	bool cut = lane->cut_next && !stays && can_begin_piece(s, slot);

	if (!lane->launches) {
		lane->piece_first = slot;
		lane->first_launch = SD_NO_INDEX;
	}
	enter_group(s, lane, slot);
	lane->goes_on = stays && is_glued(s, slot);
	SD_TRY(count_up_to_launch(s, lane, slot, &cut));
	/* It must fit, and so must the record that the next piece waits for. */
	if (!cut && !stays && s->limit && lane->launches && can_begin_piece(s, slot) && lane->held + size + label_size(s, slot) + 1 > s->limit)
		SD_TRY(cut_here(s, lane, slot, &cut));
	/* A slot that begins its piece anyway needs no other one, however long it is. */
	if (cut && lane->launches)
		SD_TRY(begin_piece(s, lane, slot));
	for (uint32_t i = 0; i < s->records[slot]; i++)
		SD_TRY(count_item(s, lane, slot, ITEM_RECORD, SD_MUTANT(split_record_at_once) ? 0 : 1, &lane->cut_next));
	lane->held += size;
	/* What launches, tells and waits for nothing is not there; what waits in front of bodies goes along with what they begin with. */
	lane->launches += sd_slot_launches(&s->job->slots, slot) || (size && (s->job->slots.kind[slot] != SD_SLOT_FORK || SD_MUTANT(split_behind_fork)));
	put_on_piece(s, lane, slot);
	return SD_OK;
}

static enum sd_status measure(struct splitter *s)
{
	int64_t *syncs = SD_NEW(s->job->mem, int64_t, s->job->slots.count);

	SD_NEED(s->job, syncs);
	for (uint32_t slot = 0; slot < s->job->slots.count; slot++)
		syncs[slot] = sync_size(s, slot);
	return sd_split_sizes(s->job, s->limit, syncs, &s->size);
}

static enum sd_status find_glued(struct splitter *s)
{
	struct sd_job *job = s->job;

	if (!job->scopes.functional_count)
		return SD_OK;
	s->glued = SD_NEW(job->mem, uint32_t, job->slots.count);
	SD_NEED(job, s->glued);
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		s->glued[slot] = sd_slot_launches(&job->slots, slot) ? sd_split_turn(job, slot) : SD_NO_INDEX;
	return SD_OK;
}

static enum sd_status start(struct splitter *s)
{
	struct sd_job *job = s->job;

	s->waits[SD_SYNC_EVENT] = SD_NEW0(job->mem, uint32_t, job->slots.count);
	s->waits[SD_SYNC_NOTIFY] = SD_NEW0(job->mem, uint32_t, job->slots.count);
	s->records = SD_NEW0(job->mem, uint32_t, job->slots.count);
	s->lane = SD_NEW0(job->mem, struct lane_state, job->slots.lane_count);
	SD_NEED(job, s->waits[SD_SYNC_EVENT] && s->waits[SD_SYNC_NOTIFY] && s->records && s->lane);
	SD_TRY(sd_split_groups(job, &s->group));
	SD_TRY(find_glued(s));
	count_syncs(s);
	SD_TRY(measure(s));
	for (uint32_t lane = 0; lane < job->slots.lane_count; lane++) {
		s->lane[lane].stream = lane;
		if (!sd_vec_room(job->mem, &s->logical_of))
			SD_NEED(job, NULL);
		s->logical_of.at[s->logical_of.count++] = lane;
	}
	return SD_OK;
}

enum sd_status sd__pass_split_streams(struct sd_job *job)
{
	struct splitter s = { .job = job };
	bool huge;

	s.limit = sd_split_limit(job, &huge);
	SD_TRY(start(&s));
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		SD_TRY(place_slot(&s, slot));
	job->stream_count = s.logical_of.count;
	job->logical_of = s.logical_of.at;
	job->huge = SD_NEW(job->mem, bool, job->stream_count);
	SD_NEED(job, job->huge);
	memset(job->huge, huge, job->stream_count * sizeof(*job->huge));
	return SD_OK;
}
