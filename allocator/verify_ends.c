/* The two ends of a sync happen equally often: they have one scope, and what execution leaves by
 * a jump tells nothing behind it. Bodies stand together on each stream, groups around them. */
#include "verify_internal.h"

static uint32_t graph_of(const struct sd__judge *judge, uint32_t at)
{
	return judge->graph->graph_of[judge->slot[at].node];
}

/* The slot in front of `at` on its stream, or behind it; SD__NONE: none. */
static uint32_t neighbour(const struct sd__judge *judge, uint32_t at, bool behind)
{
	uint32_t s = judge->slot[at].stream;

	if (behind)
		return at + 1 < judge->slot_first[s + 1] ? at + 1 : SD__NONE;
	return at > judge->slot_first[s] ? at - 1 : SD__NONE;
}

/* Whether a slot is a command of the node's bodies, or of the node in its own body of a loop. */
static bool is_of_bodies(const struct sd__judge *judge, uint32_t at, uint32_t n)
{
	return at != SD__NONE && (sd__graph_is_below(judge, graph_of(judge, at), n) || (judge->slot[at].group && sd__graph_is_below(judge, judge->slot[at].run_in, n)));
}

/* What a node waits for and what it tells are two groups: if the second stands in front of its bodies, so does the first. */
static void find_fronts(struct sd__judge *judge)
{
	for (uint32_t at = judge->slot_count; at-- > 1;) {
		struct sd__slot *slot = &judge->slot[at - 1], *next = &judge->slot[at];

		slot->front |= slot->group && next->group && next->front && slot->stream == next->stream && slot->node == next->node && slot->run_in == next->run_in;
	}
}

/* A group of the parent's scope stands in front of the bodies, or behind those of some piece; only the
 * next turn of a loop is waited for within: at the end of the body. */
static void check_groups(struct sd__judge *judge)
{
	for (uint32_t at = 0; at < judge->slot_count; at++) {
		struct sd__slot *slot = &judge->slot[at];
		bool before, behind;

		if (!slot->group)
			continue;
		before = is_of_bodies(judge, neighbour(judge, at, false), slot->node);
		behind = is_of_bodies(judge, neighbour(judge, at, true), slot->node);
		slot->front = behind && !before;
		slot->back = before || (neighbour(judge, at, false) != SD__NONE && slot[-1].group && slot[-1].node == slot->node && slot[-1].back);
		if (slot->run_in != judge->graph->graph_of[slot->node] &&
		    (slot->wait_count == 0 || slot->run_in != sd__turning_body(judge, slot->node) || !before || behind))
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "what the next turn of a loop waits for does not stand behind its body",
			            slot->node, SD_NO_NODE, slot->stream, -1);
	}
}

/* Leaves the scopes that do not hold the next one; a node is left for good when that is in none of its bodies. */
static uint32_t leave(struct sd__judge *judge, uint32_t in, uint32_t scope, uint32_t s, uint32_t *left)
{
	while (!sd__scope_holds(judge, in, scope)) {
		uint32_t up = sd__scope_up(judge, in), parent = judge->graph->graph[in].parent, next = SD_ROOT;

		if (up != scope && sd__scope_holds(judge, up, scope))
			next = sd__scope_towards(judge, up, scope);
		left[in] = s;
		for (uint32_t k = 0; (next == SD_ROOT || judge->graph->graph[next].parent != parent) && k < sd__body_count(judge, parent); k++)
			left[sd__body(judge, parent, k)] = s;
		in = up;
	}
	return in;
}

/* Commands of a body stand together, body after body; a body that was left is not entered again. */
static void check_walk(struct sd__judge *judge, uint32_t s, uint32_t *left)
{
	uint32_t in = SD_ROOT;

	for (uint32_t at = judge->slot_first[s]; at < judge->slot_first[s + 1]; at++) {
		uint32_t scope = judge->scopes.live[judge->slot[at].run_in];

		in = leave(judge, in, scope, s, left);
		for (; in != scope && left[in] != s; in = sd__scope_towards(judge, in, scope))
			;
		if (left[in] == s) {
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "the commands of a body do not stand together", judge->slot[at].node, SD_NO_NODE, s, -1);
			return;
		}
	}
}

enum sd_status sd__verify_ends(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t *left;

	if (!judge->scopes.bodies)
		return SD_OK;
	for (uint32_t y = 0; y < plan->sync_count; y++) {
		const struct sd_sync *sync = &plan->sync[y];
		uint32_t run_in = judge->slot[judge->record_slot[y]].run_in, wait_in = judge->slot[judge->wait_slot[y]].wait_in;

		if (judge->scopes.scope[run_in] != judge->scopes.scope[wait_in])
			sd__violate(judge->verdict, SD_VIOLATION_PAIRING, "the two ends of a sync do not always happen together",
			            sync->record_node, sync->wait_node, sync->wait_stream, sync->id);
	}
	check_groups(judge);
	find_fronts(judge);
	SD__TAKE(left, judge->mem, uint32_t, judge->graph->graph_count);
	memset(left, 0xff, judge->graph->graph_count * sizeof(uint32_t));
	for (uint32_t s = 0; s < plan->stream_count; s++)
		check_walk(judge, s, left);
	return SD_OK;
}
