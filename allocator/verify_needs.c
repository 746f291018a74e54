/* What stands before each node that is not launched.
 *
 * An edge out of a node that is not launched asks that all launches behind which it
 * stands come first. Where that is one launch (or several of one stream: the last counts)
 * the node simply stands for it; only where launches of different streams meet does it
 * become a row of its own, one number a stream, so that k producers and m consumers of
 * such a node cost k + m and not k times m. */
#include "verify_wants.h"

struct walker {
	uint32_t *stack, *next_want; /* by depth; by question */
	uint32_t depth;
	uint8_t *state;              /* by question */
};

enum { UNSEEN, OPEN, DONE };

/* Two launches of one stream: the later one stands for both. Anything else needs a row. */
static bool merge(const struct sd__judge *judge, uint32_t *into, uint32_t origin)
{
	if (*into == SD__NONE || *into == origin) {
		*into = origin;
		return true;
	}
	if (*into >= judge->slot_count || origin >= judge->slot_count ||
	    judge->slot[*into].stream != judge->slot[origin].stream)
		return false;
	if (origin > *into)
		*into = origin;
	return true;
}

uint32_t sd__want_origin(const struct sd__judge *judge, uint32_t w)
{
	uint32_t want = sd__want(judge, w), questions = sd__question_count(judge);

	if (want == SD__NONE)
		return SD__NONE;
	return want >= questions ? want - questions : judge->origin[want];
}

static void close_question(struct sd__judge *judge, uint32_t q)
{
	uint32_t origin = SD__NONE;

	for (uint32_t w = sd__wants_first(judge, q); w < sd__wants_end(judge, q); w++) {
		uint32_t from = sd__want_origin(judge, w);

		if (from == SD__NONE)
			continue;
		if (!merge(judge, &origin, from)) {
			judge->meeting[judge->meeting_count] = q;
			origin = judge->slot_count + judge->meeting_count++;
			break;
		}
	}
	judge->origin[q] = origin;
}

static bool is_answered(const struct sd__judge *judge, uint32_t q)
{
	return q < judge->graph->node_count && sd__is_plain(judge, q);
}

/* The next question that q leads to and that is to be answered first; SD__NONE when there is none. */
static uint32_t next_question(struct sd__judge *judge, struct walker *walker, uint32_t q)
{
	uint32_t nodes = judge->graph->node_count;

	while (walker->next_want[q] < sd__wants_end(judge, q)) {
		uint32_t want = sd__want(judge, walker->next_want[q]++);

		if (want >= sd__question_count(judge) || is_answered(judge, want))
			continue;
		if (walker->state[want] == OPEN)
			sd__violate(judge->verdict, SD_VIOLATION_UNORDERED, "the edges run in a circle", want % nodes, q % nodes, -1, -1);
		else if (walker->state[want] == UNSEEN)
			return want;
	}
	return SD__NONE;
}

static void walk_from(struct sd__judge *judge, struct walker *walker, uint32_t question)
{
	walker->stack[0] = question;
	walker->depth = 1;
	while (walker->depth > 0) {
		uint32_t q = walker->stack[walker->depth - 1], next;

		if (walker->state[q] == UNSEEN) {
			walker->state[q] = OPEN;
			walker->next_want[q] = sd__wants_first(judge, q);
		}
		next = next_question(judge, walker, q);
		if (next != SD__NONE) {
			walker->stack[walker->depth++] = next;
			continue;
		}
		close_question(judge, q);
		walker->state[q] = DONE;
		walker->depth--;
	}
}

enum sd_status sd__verify_needs(struct sd__judge *judge)
{
	uint32_t questions = sd__question_count(judge);
	struct walker walker = { 0 };
	struct sd_arena_mark mark;

	SD__TAKE(judge->origin, judge->mem, uint32_t, questions + 1);
	SD__TAKE(judge->meeting, judge->mem, uint32_t, questions + 1);
	mark = sd_arena_mark(judge->mem);
	SD__TAKE(walker.stack, judge->mem, uint32_t, questions + 1);
	SD__TAKE(walker.next_want, judge->mem, uint32_t, questions + 1);
	SD__TAKE0(walker.state, judge->mem, uint8_t, questions + 1);
	memcpy(judge->origin, judge->main_slot, judge->graph->node_count * sizeof(uint32_t));
	for (uint32_t q = 0; q < questions; q++) {
		if (!is_answered(judge, q) && walker.state[q] == UNSEEN)
			walk_from(judge, &walker, q);
	}
	sd_arena_rewind(judge->mem, mark);
	return SD_OK;
}
