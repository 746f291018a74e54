/* reduce.h - of all orders that are asked for, those that nothing else implies.
 *
 * The free orders are those of each piece of a lane. Together with the orders in the
 * list they form an acyclic graph whose transitive reduction is unique: the orders kept
 * here are exactly its part that is not free, so none can be left out and no choice
 * is made. */
#ifndef SD_REDUCE_H
#define SD_REDUCE_H

#include "clock.h"
#include "job.h"

/* `asked` is sorted by `to`. Free is what a slot knows by the ways of ways.h. Where a slot starts a piece,
 * the slot before it on its lane is not free but must be in the list if it is to be kept. Writes to `kept` (room for all), in the
 * order of `asked`. Cost: O((slots + orders) * lanes / 16) in the worst case, as much as lanes
 * really learn from each other; memory O(lanes * lanes) at worst, for what slots know that
 * are still asked. */
enum sd_status sd_reduce(struct sd_job *job, const struct sd_order_list *asked, struct sd_order_list *kept);

/* The same sweep for who wants to know what is ordered by all of `asked`: calls `watch` for every slot, in sequence,
 * while `known` is what is done before the slot starts, whichever bodies run, on every lane but its own. `watch` takes no
 * memory of the job. */
typedef void (*sd_watch)(void *arg, uint32_t slot, const struct sd_clock *known);
enum sd_status sd_reduce_watch(struct sd_job *job, const struct sd_order_list *asked, sd_watch watch, void *arg);

#endif
