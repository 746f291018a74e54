/* What a logical stream asks for around lowered bodies on other streams than that of their labels: whoever goes on
 * in the bodies waits where they are jumped into, the jumps out of them wait for what ran in them, and whoever goes on behind
 * them waits for their end label. */
#include "verify_sweep.h"

/* The node with lowered bodies of which slot `at` is a label or jump; SD_NO_NODE: none. */
static uint32_t lowered_of(const struct sd__judge *judge, uint32_t at)
{
	uint32_t n = judge->slot[at].node, parent;

	if (n >= judge->real_nodes || judge->main_slot[n] != at || !(sd__op_is(judge, n, SD__OP_LABEL) || sd__op_is(judge, n, SD__OP_JUMPS) || sd__op_is(judge, n, SD__OP_GOTO)))
		return SD_NO_NODE;
	parent = judge->graph->graph[judge->graph->graph_of[n]].parent;
	return parent != SD_NO_NODE && judge->scopes.lowered[parent] ? parent : SD_NO_NODE;
}

/* The node behind whose lowered bodies slot `at` is the label; SD_NO_NODE: none. */
static uint32_t ended_by(const struct sd__judge *judge, uint32_t at)
{
	uint32_t n = lowered_of(judge, at);

	return n != SD_NO_NODE && judge->scopes.end_label[n] == judge->slot[at].node ? n : SD_NO_NODE;
}

static uint32_t logical_of(const struct sd__judge *judge, uint32_t at)
{
	return judge->plan->stream[judge->slot[at].stream].logical_id;
}

/* Whether a launch is one in bodies of a node. */
static bool is_below(const struct sd__judge *judge, uint32_t at, uint32_t n)
{
	return judge->slot[at].launch != SD__NONE && judge->slot[at].node < judge->real_nodes &&
	       sd__graph_is_below(judge, judge->graph->graph_of[judge->slot[at].node], n);
}

static bool bodies_use(const struct sd__judge *judge, uint32_t n, uint32_t logical)
{
	for (uint32_t i = 0; i < judge->slot_count; i++) {
		if (logical_of(judge, i) == logical && is_below(judge, i, n))
			return true;
	}
	return false;
}

/* Whether `from` tells of one of the slots found in front. */
static bool is_told(const struct sd__sweep *sweep, uint32_t from)
{
	uint32_t ended = ended_by(sweep->judge, from);

	for (uint32_t i = 0; i < sweep->lanes.before.count; i++) {
		uint32_t before = sweep->lanes.before.at[i];

		if (sd__minimal_tells(sweep->judge, from, before) || (ended != SD_NO_NODE && is_below(sweep->judge, before, ended)))
			return true;
	}
	return false;
}

/* Whether a logical stream makes a label or jump of node n wait. */
static bool label_waits(struct sd__sweep *sweep, uint32_t from, uint32_t at, uint32_t n, uint32_t logical)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t wait_in = judge->slot[at].wait_in;

	if (wait_in == SD__NONE)
		return false;
	sd__lanes_find_on(&sweep->lanes, logical, wait_in);
	return is_told(sweep, from) && (wait_in != judge->graph->graph_of[n] || bodies_use(judge, n, logical));
}

bool sd__hoisted_asks(struct sd__sweep *sweep, uint32_t from, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t n = lowered_of(judge, at), ended = ended_by(judge, from), last = SD__NONE;

	if (ended != SD_NO_NODE) {
		sd__lanes_find(&sweep->lanes, at, true);
		if (is_told(sweep, from))
			return true;
	}
	if (n == SD_NO_NODE)
		return false;
	if (label_waits(sweep, from, at, n, logical_of(judge, from)))
		return true;
	for (uint32_t i = 0; ended != SD_NO_NODE && i < judge->slot_count; i++) {
		if (logical_of(judge, i) == last || !is_below(judge, i, ended))
			continue;
		last = logical_of(judge, i);
		if (label_waits(sweep, from, at, n, last))
			return true;
	}
	return false;
}
