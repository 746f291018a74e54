#include "verify_lanes.h"

enum sd_status sd__lanes_init(struct sd__lanes *lanes, struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t logical = plan->logical_stream_count + plan->stream_count, size = 64;
	uint32_t *pieces;

	*lanes = (struct sd__lanes){ .judge = judge };
	SD__TAKE0(lanes->in_pieces, judge->mem, uint8_t, logical + 1);
	SD__TAKE0(pieces, judge->mem, uint32_t, logical + 1);
	for (uint32_t s = 0; s < plan->stream_count; s++)
		lanes->in_pieces[plan->stream[s].logical_id] = ++pieces[plan->stream[s].logical_id] > 1;
	/* At most one lane for each slot and each scope around it. */
	while (size < UINT32_MAX / 4 && size / 2 < judge->slot_count)
		size *= 2;
	SD__TAKE(lanes->table, judge->mem, uint32_t, size);
	memset(lanes->table, 0xff, size * sizeof(uint32_t));
	lanes->table_mask = size - 1;
	return SD_OK;
}

static uint32_t *place_of(struct sd__lanes *lanes, uint32_t lane, uint32_t scope)
{
	uint32_t at = (lane * 0x9e3779b1u ^ scope * 0x85ebca6bu) & lanes->table_mask;

	while (lanes->table[at] != SD__NONE && (lanes->lane.at[lanes->table[at]].lane != lane || lanes->lane.at[lanes->table[at]].scope != scope))
		at = (at + 1) & lanes->table_mask;
	return &lanes->table[at];
}

static bool grow_table(struct sd__lanes *lanes)
{
	uint32_t size = (lanes->table_mask + 1) * 2;

	if (lanes->lane.count < size / 4)
		return true;
	lanes->table = SD_NEW(lanes->judge->mem, uint32_t, size);
	if (!lanes->table)
		return false;
	memset(lanes->table, 0xff, size * sizeof(uint32_t));
	lanes->table_mask = size - 1;
	for (uint32_t i = 0; i < lanes->lane.count; i++)
		*place_of(lanes, lanes->lane.at[i].lane, lanes->lane.at[i].scope) = i;
	return true;
}

/* The lane, made where there is none; SD__NONE out of memory. Scopes lie in each other at most SD_DEPTH_MAX deep. */
static uint32_t lane_at(struct sd__lanes *lanes, uint32_t lane, uint32_t scope)
{
	uint32_t found = *place_of(lanes, lane, scope), up = SD__NONE;

	if (found != SD__NONE)
		return found;
	if (scope != SD_ROOT)
		up = lane_at(lanes, lane, sd__scope_up(lanes->judge, scope));
	if (lanes->failed || !sd_vec_room(lanes->judge->mem, &lanes->lane) || !grow_table(lanes)) {
		lanes->failed = true;
		return SD__NONE;
	}
	found = lanes->lane.count++;
	lanes->lane.at[found] = (struct sd__lane){ .lane = lane, .scope = scope, .up = up, .last = SD__NONE, .inner = SD__NONE, .next = SD__NONE, .skip = SD__NONE };
	*place_of(lanes, lane, scope) = found;
	return found;
}

static void add(struct sd__lanes *lanes, uint32_t slot)
{
	if (!sd_vec_room(lanes->judge->mem, &lanes->before)) {
		lanes->failed = true;
		return;
	}
	lanes->before.at[lanes->before.count++] = slot;
}

/* Whether two inner lanes end with one slot each, on the same piece. */
static bool share_piece(const struct sd__lanes *lanes, uint32_t a, uint32_t b)
{
	const struct sd__lane *x = &lanes->lane.at[a], *y = &lanes->lane.at[b];

	return x->last != SD__NONE && x->inner == SD__NONE && y->last != SD__NONE && y->inner == SD__NONE &&
	       lanes->judge->slot[x->last].stream == lanes->judge->slot[y->last].stream;
}

/* The inner lane behind the run that this one begins. */
static uint32_t behind_run(const struct sd__lanes *lanes, uint32_t lane)
{
	uint32_t next = lanes->lane.at[lane].next;

	if (next == SD__NONE || lanes->lane.at[lanes->lane.at[lane].up].moved || !share_piece(lanes, lane, next))
		return next;
	return lanes->lane.at[next].skip;
}

/* What a lane may end with, but for the bodies of node `but`. */
static void add_ends(struct sd__lanes *lanes, uint32_t lane, uint32_t but, bool all)
{
	const struct sd_graph *graph = lanes->judge->graph;

	if (lanes->lane.at[lane].last != SD__NONE)
		add(lanes, lanes->lane.at[lane].last);
	for (uint32_t i = lanes->lane.at[lane].inner, next; i != SD__NONE; i = next) {
		bool left_out = graph->graph[lanes->lane.at[i].scope].parent == but;

		next = all || left_out ? lanes->lane.at[i].next : behind_run(lanes, i);
		if (!left_out)
			add_ends(lanes, i, SD_NO_NODE, all);
	}
}

/* What may come in front on a logical stream in a graph, but for the bodies of node `but`. */
static void find(struct sd__lanes *lanes, uint32_t logical, uint32_t graph, uint32_t but, bool all)
{
	const struct sd__judge *judge = lanes->judge;
	uint32_t lane;

	lanes->before.count = 0;
	if (!lanes->in_pieces[logical])
		return;
	lane = lane_at(lanes, logical, judge->scopes.live[graph]);
	while (!lanes->failed) {
		add_ends(lanes, lane, but, all);
		if (lanes->lane.at[lane].last != SD__NONE || lanes->lane.at[lane].up == SD__NONE)
			break;
		but = judge->graph->graph[lanes->lane.at[lane].scope].parent;
		lane = lanes->lane.at[lane].up;
	}
}

void sd__lanes_find(struct sd__lanes *lanes, uint32_t at, bool all)
{
	const struct sd__slot *slot = &lanes->judge->slot[at];

	find(lanes, lanes->judge->plan->stream[slot->stream].logical_id, slot->run_in, slot->group && slot->front ? slot->node : SD_NO_NODE, all);
}

void sd__lanes_find_on(struct sd__lanes *lanes, uint32_t logical, uint32_t graph)
{
	find(lanes, logical, graph, SD_NO_NODE, true);
}

/* Notes where a lane goes on that others in its list have come behind. */
static void note_moves(struct sd__lanes *lanes, uint32_t lane)
{
	for (uint32_t up; (up = lanes->lane.at[lane].up) != SD__NONE; lane = up) {
		if (lanes->lane.at[lane].listed && lanes->lane.at[up].inner != lane)
			lanes->lane.at[up].moved = true;
	}
}

/* Puts a lane in front of its list; the run that the one behind it begins no longer changes. */
static void put_in_front(struct sd__lanes *lanes, uint32_t lane, uint32_t up)
{
	uint32_t behind = lanes->lane.at[up].inner;

	if (behind != SD__NONE)
		lanes->lane.at[behind].skip = behind_run(lanes, behind);
	lanes->lane.at[lane].listed = true;
	lanes->lane.at[lane].next = behind;
	lanes->lane.at[up].inner = lane;
}

void sd__lanes_pass(struct sd__lanes *lanes, uint32_t at)
{
	const struct sd__judge *judge = lanes->judge;
	uint32_t logical = judge->plan->stream[judge->slot[at].stream].logical_id, lane;

	if (!lanes->in_pieces[logical])
		return;
	lane = lane_at(lanes, logical, judge->scopes.live[judge->slot[at].run_in]);
	if (lanes->failed)
		return;
	note_moves(lanes, lane);
	for (uint32_t i = lanes->lane.at[lane].inner; i != SD__NONE; i = lanes->lane.at[i].next)
		lanes->lane.at[i].listed = false;
	lanes->lane.at[lane].inner = SD__NONE;
	lanes->lane.at[lane].moved = false;
	lanes->lane.at[lane].last = at;
	for (uint32_t up; !lanes->lane.at[lane].listed && (up = lanes->lane.at[lane].up) != SD__NONE; lane = up)
		put_in_front(lanes, lane, up);
}
