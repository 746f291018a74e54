/* A device skips no command: where bodies are lowered to labels, a stream that goes on comes to
 * whatever stands next on it. So each command must be one that runs whenever its stream comes
 * there, and its stream must come there whenever it runs: started by the model or by an
 * activator, or entered at a label, or left at a jump. */
#include "verify_internal.h"

struct walk {
	struct sd__judge *judge;
	uint32_t stream;
	bool going;
	uint32_t scope;    /* live scope in which the stream is going */
	uint32_t *started; /* by graph: stream that something in this live scope starts, plus one */
};

/* The scope that decides whether a device comes to a command of a graph: without labels the executor issues only what is chosen. */
static uint32_t reach_of(const struct sd__judge *judge, uint32_t graph)
{
	uint32_t scope = judge->scopes.live[graph];

	for (uint32_t s = scope; s != SD_ROOT; s = sd__scope_up(judge, s)) {
		if (judge->scopes.lowered[judge->graph->graph[s].parent])
			return scope;
	}
	return SD_ROOT;
}

static void fault(const struct walk *walk, const char *detail, uint32_t at)
{
	sd__violate(walk->judge->verdict, SD_VIOLATION_DEADLOCK, detail, walk->judge->slot[at].node, SD_NO_NODE, walk->stream, -1);
}

static bool check(const struct walk *walk, uint32_t graph, uint32_t at)
{
	uint32_t scope = reach_of(walk->judge, graph);

	if (!walk->going)
		fault(walk, "the stream never comes to this command", at);
	else if (scope != walk->scope)
		fault(walk, sd__scope_holds(walk->judge, walk->scope, scope) ? "the stream runs into a body that may not be chosen"
		                                                               : "the stream does not come to this command whenever it runs", at);
	else
		return true;
	return false;
}

/* Whether execution arrives at the label if this scope is taken (SD__NONE: the body of the loop does not run). */
static bool arrives(const struct walk *walk, uint32_t at, uint32_t scope)
{
	const struct sd__judge *judge = walk->judge;
	uint32_t n = judge->slot[at].node;

	for (uint32_t j = sd__jumps_first(judge, n, at); j < sd__jumps_end(judge, n, at); j++) {
		if (judge->scopes.jump[j].taken == scope && judge->main_slot[judge->scopes.jump[j].from] != SD__NONE)
			return true;
	}
	return scope != SD__NONE && walk->going && walk->scope == scope;
}

/* Whether the stream, if it is going, may fall into the label: only from a body that ends there. */
static bool may_fall_into(const struct walk *walk, uint32_t node)
{
	const struct sd__judge *judge = walk->judge;

	return !walk->going || (walk->scope != SD_ROOT && judge->graph->graph[walk->scope].parent == node);
}

static bool enter_end(struct walk *walk, uint32_t at, uint32_t node)
{
	const struct sd__judge *judge = walk->judge;
	uint32_t turning = sd__turning_body(judge, node);
	bool all = may_fall_into(walk, node);

	if (sd__op_is(judge, node, SD__OP_LOOPS))
		all = all && arrives(walk, at, SD__NONE) && (turning == SD__NONE || arrives(walk, at, turning));
	for (uint32_t k = 0; !sd__op_is(judge, node, SD__OP_LOOPS) && k < sd__body_count(judge, node); k++)
		all = all && arrives(walk, at, sd__body(judge, node, k));
	if (!all)
		fault(walk, "execution does not arrive at this label from each body", at);
	return all;
}

/* The node whose bodies end at this slot; SD_NO_NODE: none. */
static uint32_t ends(const struct sd__judge *judge, uint32_t at)
{
	uint32_t n = judge->slot[at].node, parent = judge->graph->graph[judge->graph->graph_of[n]].parent;

	return parent != SD_NO_NODE && judge->main_slot[n] == at && judge->scopes.lowered[parent] && judge->scopes.end_label[parent] == n ? parent : SD_NO_NODE;
}

static bool pass(struct walk *walk, uint32_t at)
{
	const struct sd__judge *judge = walk->judge;
	const struct sd__slot *slot = &judge->slot[at];
	uint32_t node = ends(judge, at);

	if (slot->wait_count > 0 && !check(walk, slot->wait_in, at))
		return false;
	if (node != SD_NO_NODE) {
		if (!enter_end(walk, at, node))
			return false;
	} else if (slot->wait_in == SD__NONE) {
		if (walk->going || sd__jumps_first(judge, slot->node, at) == sd__jumps_end(judge, slot->node, at)) {
			fault(walk, "a label that is only jumped to is run into, or nobody jumps there", at);
			return false;
		}
	} else if (!check(walk, slot->run_in, at)) {
		return false;
	}
	walk->going = true;
	walk->scope = reach_of(judge, slot->run_in);
	return true;
}

/* Execution goes on elsewhere behind a jump: nothing can be told there. */
static bool leaves(const struct sd__judge *judge, uint32_t at)
{
	uint32_t n = judge->slot[at].node, parent = judge->graph->graph[judge->graph->graph_of[n]].parent;

	return judge->main_slot[n] == at && parent != SD_NO_NODE && judge->scopes.lowered[parent] && sd__op_is(judge, n, SD__OP_GOTO | SD__OP_JUMPS);
}

/* Where the stream starts; false where its starters do not agree. */
static bool start(struct walk *walk)
{
	const struct sd__judge *judge = walk->judge;
	uint32_t s = walk->stream;

	walk->going = judge->plan->stream[s].initially_active;
	walk->scope = SD_ROOT;
	for (uint32_t i = judge->started_first[s]; i < judge->started_first[s + 1]; i++) {
		uint32_t graph = judge->slot[judge->started_by[i]].run_in, scope = reach_of(judge, graph);

		walk->started[judge->scopes.live[graph]] = s + 1;
		if (walk->going && scope != walk->scope) {
			fault(walk, "the stream is started from several bodies", judge->slot_first[s]);
			return false;
		}
		walk->going = true;
		walk->scope = scope;
	}
	return true;
}

/* Whether something that starts the stream runs whenever the slot does. */
static bool is_started(const struct walk *walk, uint32_t at)
{
	const struct sd__judge *judge = walk->judge;

	if (judge->starters[walk->stream] == 0)
		return true;
	for (uint32_t s = judge->scopes.live[judge->slot[at].run_in];; s = sd__scope_up(judge, s)) {
		if (walk->started[s] == walk->stream + 1)
			return true;
		if (s == SD_ROOT)
			return false;
	}
}

static void walk_stream(struct walk *walk)
{
	const struct sd__judge *judge = walk->judge;
	uint32_t s = walk->stream;

	if (judge->slot_first[s] == judge->slot_first[s + 1] || !start(walk))
		return;
	for (uint32_t at = judge->slot_first[s]; at < judge->slot_first[s + 1]; at++) {
		bool by_label = judge->slot[at].wait_in == SD__NONE || ends(judge, at) != SD_NO_NODE;

		if (!pass(walk, at))
			return;
		/* Behind a label the jump has started it. */
		if (by_label)
			walk->started[judge->scopes.live[judge->slot[at].run_in]] = s + 1;
		if (!is_started(walk, at)) {
			fault(walk, "the stream is not started whenever this runs", at);
			return;
		}
		if (leaves(judge, at) && judge->slot[at].record_count > 0) {
			fault(walk, "a record stands behind a jump", at);
			return;
		}
		walk->going = walk->going && !leaves(judge, at);
	}
}

enum sd_status sd__verify_reach(struct sd__judge *judge)
{
	struct walk walk = { .judge = judge };

	if (!judge->scopes.bodies)
		return SD_OK;
	SD__TAKE0(walk.started, judge->mem, uint32_t, judge->graph->graph_count);
	for (uint32_t s = 0; s < judge->plan->stream_count; s++) {
		walk.stream = s;
		walk_stream(&walk);
	}
	return SD_OK;
}
