/* sequence.h - an order of all slots in which each stands behind what it waits for. */
#ifndef SD_SEQUENCE_H
#define SD_SEQUENCE_H

#include "job.h"

/* Fills job->sequence and job->rank: each slot stands behind those whose knowledge it starts with
 * (ways.h) and the senders of `orders`. INVALID_ARGUMENT names a node that would stand before
 * itself. O(slots + orders + starters). */
enum sd_status sd_sequence(struct sd_job *job, const struct sd_order_list *orders);

#endif
