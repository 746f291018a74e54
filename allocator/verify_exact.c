#include "verify_exact.h"

#define STEPS_MIN (1u << 22)  /* for any plan */
#define STEPS_OF_SLOT 256u    /* more, for each slot */
#define OPEN_MAX 48           /* nodes whose other ways are tried at one time */

enum sd_status sd__exact_init(struct sd__exact *exact, struct sd__judge *judge)
{
	uint32_t nodes = judge->graph->node_count, streams = judge->plan->stream_count;

	*exact = (struct sd__exact){ .judge = judge, .without = SD__NONE };
	exact->steps_left = STEPS_MIN + (uint64_t)judge->slot_count * STEPS_OF_SLOT;
	SD__TAKE0(exact->seen, judge->mem, uint32_t, judge->slot_count + 1);
	SD__TAKE0(exact->stream_seen, judge->mem, uint32_t, streams + 1);
	SD__TAKE(exact->way, judge->mem, uint32_t, nodes + 1);
	SD__TAKE0(exact->fixed, judge->mem, uint8_t, nodes + 1);
	SD__TAKE0(exact->marked, judge->mem, uint32_t, nodes + 1);
	memset(exact->way, 0xff, nodes * sizeof(uint32_t));
	for (uint32_t g = 1; g < judge->graph->graph_count; g++) {
		if (judge->scopes.live[g] == g && exact->way[judge->graph->graph[g].parent] == SD__NONE)
			exact->way[judge->graph->graph[g].parent] = g;
	}
	return SD_OK;
}

static bool runs(const struct sd__exact *exact, uint32_t graph)
{
	const struct sd__judge *judge = exact->judge;

	for (uint32_t s = judge->scopes.live[graph]; s != SD_ROOT; s = sd__scope_up(judge, s)) {
		if (exact->way[judge->graph->graph[s].parent] != s)
			return false;
	}
	return true;
}

static bool is_behind(const struct sd__exact *exact, uint32_t slot)
{
	return exact->seen[slot] == exact->round;
}

static bool jump_is_taken(const struct sd__exact *exact, const struct sd__jump *jump)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t from = judge->main_slot[jump->from], parent;

	if (from == SD__NONE || !runs(exact, judge->slot[from].run_in))
		return false;
	if (jump->taken != SD__NONE)
		return runs(exact, jump->taken);
	/* The switch of a loop stands in the condition. */
	parent = judge->graph->graph[judge->graph->graph_of[jump->from]].parent;
	return parent != SD_NO_NODE && exact->way[parent] == SD__NONE;
}

/* Whether the slot is the first to run on its stream. */
static bool is_first(const struct sd__exact *exact, uint32_t at)
{
	const struct sd__judge *judge = exact->judge;

	for (uint32_t i = at; i > judge->slot_first[judge->slot[at].stream]; i--) {
		if (runs(exact, judge->slot[i - 1].run_in))
			return false;
	}
	return true;
}

/* Slots that start the stream of slot `at`, told by call-back; false if that says so. */
static bool each_starter(const struct sd__exact *exact, uint32_t at, bool (*look)(struct sd__exact *, uint32_t), struct sd__exact *context)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t s = judge->slot[at].stream;

	for (uint32_t i = judge->started_first[s]; i < judge->started_first[s + 1]; i++) {
		if (!look(context, judge->started_by[i]))
			return false;
	}
	return true;
}

static bool starter_is_behind(struct sd__exact *exact, uint32_t starter)
{
	return !runs(exact, exact->judge->slot[starter].run_in) || is_behind(exact, starter);
}

static bool starter_does_not_run(struct sd__exact *exact, uint32_t starter)
{
	return !runs(exact, exact->judge->slot[starter].run_in);
}

/* Whether all that start the stream, which slot `at` begins, run behind `from`. */
static bool starts_behind(struct sd__exact *exact, uint32_t at)
{
	uint32_t s = exact->judge->slot[at].stream;

	return exact->judge->starters[s] > 0 && is_first(exact, at) && each_starter(exact, at, starter_is_behind, exact) &&
	       !each_starter(exact, at, starter_does_not_run, exact);
}

static bool waits_behind(const struct sd__exact *exact, uint32_t at)
{
	const struct sd__judge *judge = exact->judge;
	const struct sd__slot *slot = &judge->slot[at];

	if (slot->wait_count == 0 || !runs(exact, slot->wait_in))
		return false;
	for (uint32_t c = slot->wait_first; c < slot->wait_first + slot->wait_count; c++) {
		if (judge->sync_of[c] != exact->without && is_behind(exact, judge->record_slot[judge->sync_of[c]]))
			return true;
	}
	return false;
}

static bool jumped_to_behind(const struct sd__exact *exact, uint32_t at)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t n = judge->slot[at].node;

	for (uint32_t j = sd__jumps_first(judge, n, at); j < sd__jumps_end(judge, n, at); j++) {
		if (jump_is_taken(exact, &judge->scopes.jump[j]) && is_behind(exact, judge->main_slot[judge->scopes.jump[j].from]))
			return true;
	}
	return false;
}

/* One run, as the ways say: is `at` behind `from`? */
static enum sd__answer run(struct sd__exact *exact)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t first = judge->place[exact->from], last = judge->place[exact->at];

	exact->round++;
	if (first >= last)
		return SD__NO;
	if (exact->steps_left < last - first)
		return SD__UNDECIDED;
	exact->steps_left -= last - first;
	exact->seen[exact->from] = exact->round;
	for (uint32_t i = first; i <= last; i++) {
		uint32_t at = judge->order[i], s = judge->slot[at].stream;

		if (!runs(exact, judge->slot[at].run_in))
			continue;
		if (i > first && exact->stream_seen[s] != exact->round && !waits_behind(exact, at) && !jumped_to_behind(exact, at) && !starts_behind(exact, at))
			continue;
		exact->seen[at] = exact->round;
		exact->stream_seen[s] = exact->round;
	}
	return is_behind(exact, exact->at) ? SD__YES : SD__NO;
}

/* The order leans on what a graph's scopes choose. */
static void lean_on(struct sd__exact *exact, uint32_t graph)
{
	const struct sd__judge *judge = exact->judge;

	for (uint32_t s = judge->scopes.live[graph]; s != SD_ROOT; s = sd__scope_up(judge, s)) {
		uint32_t n = judge->graph->graph[s].parent;

		if (exact->fixed[n] || exact->marked[n] == exact->round)
			continue;
		if (!sd_vec_room(judge->mem, &exact->lean)) {
			exact->failed = true;
			return;
		}
		exact->marked[n] = exact->round;
		exact->lean.at[exact->lean.count++] = n;
	}
}

static void walk_to(struct sd__exact *exact, uint32_t slot)
{
	if (!sd_vec_room(exact->judge->mem, &exact->walk)) {
		exact->failed = true;
		return;
	}
	exact->walk.at[exact->walk.count++] = slot;
}

/* Some run may have this starter too: the order leans on whatever keeps it out, or on itself. */
static bool lean_on_starter(struct sd__exact *exact, uint32_t starter)
{
	lean_on(exact, exact->judge->slot[starter].run_in);
	if (is_behind(exact, starter))
		walk_to(exact, starter);
	return true;
}

/* How many nodes an order leans on that goes by a graph, beside those of which that is known. */
static uint32_t count_leaning(const struct sd__exact *exact, uint32_t graph)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t count = 0;

	for (uint32_t s = judge->scopes.live[graph]; s != SD_ROOT; s = sd__scope_up(judge, s)) {
		uint32_t n = judge->graph->graph[s].parent;

		count += !exact->fixed[n] && exact->marked[n] != exact->round;
	}
	return count;
}

/* Of the slots of the stream in front of `at` that were found to be behind `from`, the first of those that lean on the
 * fewest nodes; SD__NONE: there is none. Which bodies run between the two does not matter. */
static uint32_t behind_on_stream(struct sd__exact *exact, uint32_t at)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t found = SD__NONE, least = SD__NONE;

	/* Slots in front of `from` are not looked at. */
	for (uint32_t i = at; i > judge->slot_first[judge->slot[at].stream] && judge->place[i - 1] >= judge->place[exact->from]; i--) {
		uint32_t leaning = is_behind(exact, i - 1) ? count_leaning(exact, judge->slot[i - 1].run_in) : SD__NONE;

		if (leaning != SD__NONE && leaning <= least) {
			found = i - 1;
			least = leaning;
		}
		exact->steps_left -= exact->steps_left > 0;
	}
	return found;
}

/* One reason why `at` is behind `from`: walks on to it, and notes what it leans on. */
static void give_reason(struct sd__exact *exact, uint32_t at)
{
	const struct sd__judge *judge = exact->judge;
	const struct sd__slot *slot = &judge->slot[at];
	uint32_t before;

	lean_on(exact, slot->run_in);
	if (at == exact->from)
		return;
	before = behind_on_stream(exact, at);
	if (before != SD__NONE) {
		walk_to(exact, before);
		return;
	}
	for (uint32_t c = slot->wait_first; slot->wait_count > 0 && runs(exact, slot->wait_in) && c < slot->wait_first + slot->wait_count; c++) {
		if (judge->sync_of[c] == exact->without || !is_behind(exact, judge->record_slot[judge->sync_of[c]]))
			continue;
		lean_on(exact, slot->wait_in);
		walk_to(exact, judge->record_slot[judge->sync_of[c]]);
		return;
	}
	for (uint32_t j = sd__jumps_first(judge, slot->node, at); j < sd__jumps_end(judge, slot->node, at); j++) {
		const struct sd__jump *jump = &judge->scopes.jump[j];

		if (!jump_is_taken(exact, jump) || !is_behind(exact, judge->main_slot[jump->from]))
			continue;
		lean_on(exact, jump->taken != SD__NONE ? jump->taken : sd__turning_body(judge, judge->graph->graph[judge->graph->graph_of[jump->from]].parent));
		walk_to(exact, judge->main_slot[jump->from]);
		return;
	}
	each_starter(exact, at, lean_on_starter, exact);
}

static void find_leaning(struct sd__exact *exact)
{
	uint32_t walked = 0;

	exact->walk.count = 0;
	walk_to(exact, exact->at);
	while (walked < exact->walk.count && !exact->failed)
		give_reason(exact, exact->walk.at[walked++]);
	exact->steps_left -= exact->steps_left < walked ? exact->steps_left : walked;
}

static enum sd__answer try_ways(struct sd__exact *exact, int open);

/* Takes the other ways of a node. */
static enum sd__answer try_others(struct sd__exact *exact, uint32_t n, int open)
{
	const struct sd__judge *judge = exact->judge;
	uint32_t taken = exact->way[n], turning = sd__turning_body(judge, n);
	enum sd__answer answer = SD__YES;

	exact->fixed[n] = 1;
	for (uint32_t k = 0; answer == SD__YES && k < sd__ways(judge, n); k++) {
		uint32_t way = turning == SD__NONE ? sd__body(judge, n, k) : k == 0 ? turning : SD__NONE;

		if (way == taken)
			continue;
		exact->way[n] = way;
		answer = try_ways(exact, open + 1);
	}
	exact->way[n] = taken;
	return answer;
}

static enum sd__answer try_ways(struct sd__exact *exact, int open)
{
	enum sd__answer answer = open > OPEN_MAX ? SD__UNDECIDED : run(exact);
	uint32_t first = exact->lean.count, end;

	if (answer != SD__YES)
		return answer;
	find_leaning(exact);
	end = exact->lean.count;
	for (uint32_t i = first; answer == SD__YES && !exact->failed && i < end; i++)
		answer = try_others(exact, exact->lean.at[i], open);
	for (uint32_t i = first; i < end; i++)
		exact->fixed[exact->lean.at[i]] = 0;
	exact->lean.count = first;
	return answer;
}

/* Takes the ways that lead to a graph, for good; false if others are taken already. */
static bool lead_to(struct sd__exact *exact, uint32_t graph)
{
	const struct sd__judge *judge = exact->judge;

	for (uint32_t s = judge->scopes.live[graph]; s != SD_ROOT; s = sd__scope_up(judge, s)) {
		uint32_t n = judge->graph->graph[s].parent;

		if (exact->fixed[n] && exact->way[n] != s)
			return false;
		exact->fixed[n] = 1;
		exact->way[n] = s;
	}
	return true;
}

static void release(struct sd__exact *exact, uint32_t graph)
{
	const struct sd__judge *judge = exact->judge;

	for (uint32_t s = judge->scopes.live[graph]; s != SD_ROOT; s = sd__scope_up(judge, s))
		exact->fixed[judge->graph->graph[s].parent] = 0;
}

enum sd__answer sd__exact_before(struct sd__exact *exact, uint32_t from, uint32_t at, uint32_t without)
{
	const struct sd__judge *judge = exact->judge;
	enum sd__answer answer = SD__YES;

	exact->from = from;
	exact->at = at;
	exact->without = without;
	if (lead_to(exact, judge->slot[from].run_in) && lead_to(exact, judge->slot[at].run_in))
		answer = try_ways(exact, 0);
	release(exact, judge->slot[from].run_in);
	release(exact, judge->slot[at].run_in);
	return exact->failed ? SD__UNDECIDED : answer;
}
