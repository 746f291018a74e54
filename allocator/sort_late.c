/* Delays nodes that read nothing but long-lived data, and what hangs on them alone, until right
 * before their first consumer: their results need not be held from early on.
 *
 * Place i of the given order is a slot that begins with one node. A slot that moves goes as a
 * whole to the front of another one, so the node a slot began with stays its last. */
#include "sort_impl.h"
#include "mutants.h"

#define NONE UINT32_MAX

struct slots {
	struct sd__sorter *s;
	const uint32_t *order; /* the given one: order[i] is the last node of slot i */
	uint32_t *pos;         /* per node: its slot at the beginning */
	uint32_t *head;        /* per slot: first node; NONE: the slot is empty */
	uint32_t *next;        /* per node: next one of the slot, NONE at its end */
	uint32_t *locked;      /* per slot: stays where it is */
};

static bool is_long_lived(enum sd_op op)
{
	switch (op) {
	case SD_OP_CONST:
	case SD_OP_CONSTANT:
	case SD_OP_FILE_CONSTANT:
	case SD_OP_CONST_PLACE_HOLDER:
	case SD_OP_VARIABLE:
	case SD_OP_VARIABLE_V2:
	case SD_OP_DATA:
	case SD_OP_REF_DATA:
	case SD_OP_AIPP_DATA:
	case SD_OP_ANN_DATA:
		return true;
	default:
		return false;
	}
}

static bool reads_long_lived_only(const struct sd__sorter *s, uint32_t node)
{
	uint32_t first = s->adj->pred_first[node], count = s->adj->data_pred_count[node];

	for (uint32_t i = first; i < first + count; i++) {
		if (!is_long_lived(sd__op_of(s, s->adj->pred[i])))
			return false;
	}
	return count > 0 || SD_MUTANT(sort_late_without_input);
}

static bool has_one_data_slot(const struct sd_graph *g, uint32_t node)
{
	uint32_t count = 0;

	for (uint32_t i = g->in_first[node]; i < g->in_first[node + 1]; i++)
		count += g->in[i].port != SD_CONTROL;
	return count == 1;
}

static bool may_move(const struct slots *slots, uint32_t i)
{
	uint32_t last = slots->order[i];

	if (slots->head[i] == NONE || slots->locked[i])
		return false;
	if (slots->head[i] == last)
		return reads_long_lived_only(slots->s, last);
	return has_one_data_slot(slots->s->g, last);
}

/* The slot in which the first consumer of a node began; NONE if it has no consumer. */
static uint32_t first_consumer(const struct slots *slots, uint32_t node)
{
	const struct sd_adjacency *adj = slots->s->adj;
	uint32_t first = NONE;

	for (uint32_t i = adj->succ_first[node]; i < adj->succ_first[node + 1]; i++) {
		if (slots->pos[adj->succ[i]] < first)
			first = slots->pos[adj->succ[i]];
	}
	return first;
}

static void move(struct slots *slots, uint32_t i, uint32_t to)
{
	const uint32_t *succ_first = slots->s->adj->succ_first;
	uint32_t last = slots->order[i];

	slots->next[last] = slots->head[to];
	slots->head[to] = slots->head[i];
	slots->head[i] = NONE;
	if (succ_first[last + 1] - succ_first[last] > 1)
		slots->locked[to] = true;
}

void sd__sort_late(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	uint32_t *out = s->out + graph->first_node, count = graph->node_count, at = 0;
	struct slots slots = { s, out, s->degree, s->ready, s->queue, s->spare };

	for (uint32_t i = 0; i < count; i++) {
		slots.pos[out[i]] = i;
		slots.head[i] = out[i];
		slots.next[out[i]] = NONE;
		slots.locked[i] = false;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = may_move(&slots, i) ? first_consumer(&slots, out[i]) : NONE;

		if (to != NONE && to > i + 1)
			move(&slots, i, to);
	}
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t node = slots.head[i]; node != NONE; node = slots.next[node])
			out[at++] = node;
	}
}
