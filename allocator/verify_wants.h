/* verify_wants.h - what must come before what, node by node.
 *
 * A question is whose producers are asked for. Question `n` below the number of nodes asks
 * what stands before a consumer of node n; if it is not launched, that is what it waits for
 * itself. Nodes with bodies have three more: what they wait for, what their bodies wait for,
 * and what the next turn of a loop waits for. An answer is a list of wants: each another
 * question, or a slot, or nothing. Without bodies the answers are the edges of the graph. */
#ifndef SD_VERIFY_WANTS_H
#define SD_VERIFY_WANTS_H

#include "base/vec.h"
#include "verify_internal.h"

enum sd__asks { SD__ASKS_OUT, SD__ASKS_IN, SD__ASKS_START, SD__ASKS_TURN, SD__ASKS };

/* Questions that there are. */
static inline uint32_t sd__question_count(const struct sd__judge *judge)
{
	return judge->graph->node_count * (judge->scopes.bodies ? SD__ASKS : 1u);
}

static inline uint32_t sd__question(const struct sd__judge *judge, enum sd__asks asks, uint32_t node)
{
	return (uint32_t)asks * judge->graph->node_count + node;
}

static inline uint32_t sd__wants_first(const struct sd__judge *judge, uint32_t question)
{
	return judge->want ? judge->want_first[question] : judge->graph->in_first[question];
}

static inline uint32_t sd__wants_end(const struct sd__judge *judge, uint32_t question)
{
	return judge->want ? judge->want_first[question + 1] : judge->graph->in_first[question + 1];
}

/* Want number `w`: a question; a slot, told as sd__question_count() + slot; SD__NONE: nothing. */
static inline uint32_t sd__want(const struct sd__judge *judge, uint32_t w)
{
	uint32_t src;

	if (judge->want)
		return judge->want[w];
	src = judge->graph->in[w].src;
	return src == SD_NO_NODE || sd__cuts(judge, src) ? SD__NONE : src;
}

/* Where want number `w` leads: as sd__judge.origin. */
uint32_t sd__want_origin(const struct sd__judge *judge, uint32_t w);

/* What the slot waits for as a question; SD__NONE: nothing but what no edge says. */
uint32_t sd__slot_question(const struct sd__judge *judge, uint32_t at);

/* All slots that are an answer to a question. */
struct sd__finder {
	struct sd__judge *judge;
	uint32_t round;
	uint32_t *seen;          /* by question: the round in which it was met */
	SD_VEC(uint32_t) open;
	SD_VEC(uint32_t) slot;   /* the answer */
	bool failed;             /* out of memory */
};

enum sd_status sd__finder_init(struct sd__finder *finder, struct sd__judge *judge);
void sd__finder_find(struct sd__finder *finder, uint32_t question);

/* Lets go of memory that grows with the answers: to be called when the arena is rewound behind the initialisation. */
static inline void sd__finder_forget(struct sd__finder *finder)
{
	memset(&finder->open, 0, sizeof(finder->open));
	memset(&finder->slot, 0, sizeof(finder->slot));
}

/* Whether node n stands for itself: its launch is all that its consumers wait for. */
static inline bool sd__is_plain(const struct sd__judge *judge, uint32_t n)
{
	return judge->main_slot[n] != SD__NONE && sd__body_count(judge, n) == 0;
}

#endif
