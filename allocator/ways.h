/* ways.h - what a slot knows to be done when it starts, without any sync.
 *
 * That is what the slot in front of it on its stream knew; of the first one on a stream, what all
 * its starters know. Behind bodies it is what is known whichever of them ran. A label is reached
 * by jumps as well. */
#ifndef SD_WAYS_H
#define SD_WAYS_H

#include "job.h"

typedef void (*sd_see)(void *ctx, uint32_t slot);

/* Ways to come to an exit or an end label: one for each body of a choice; of a loop, past its body
 * and through it. */
static inline uint32_t sd_ways_of(const struct sd_functional *fun)
{
	return fun->loop ? 2 : fun->body_count;
}

/* The slot in which lowered bodies are waited for with: that from which they are jumped into, or the label of a condition on the
 * way in. */
uint32_t sd_way_in(const struct sd_job *job, const struct sd_functional *fun);

/* Where way `k` left the stream of an exit; SD_NO_INDEX: it did not use it, nor did anything in front. */
uint32_t sd_way_out(const struct sd_slots *slots, const struct sd_exit *exit, const struct sd_functional *fun, uint32_t k);

/* The slot from which way `k` comes to the end label of a lowered node. */
uint32_t sd_way_jump(const struct sd_job *job, const struct sd_functional *fun, uint32_t k);

/* Whose label a slot is the launch of, a head or an end label; NULL for all others. */
const struct sd_functional *sd_way_label(const struct sd_job *job, uint32_t slot, enum sd_label_role *role);

/* The graph to which the waits and records of a slot belong: that of its node, unless a label runs with
 * its parent, or a loop stands behind its body. */
uint32_t sd_slot_graph(const struct sd_job *job, uint32_t slot);

/* Calls `see` with each slot whose knowledge `slot` starts with. */
void sd_each_way(const struct sd_job *job, uint32_t slot, sd_see see, void *ctx);

/* Calls `see` with each slot that starts the stream of `slot`, and can run in one run with it. */
void sd_each_starter(const struct sd_job *job, uint32_t slot, sd_see see, void *ctx);

#endif
