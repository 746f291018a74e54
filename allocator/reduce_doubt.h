/* reduce_doubt.h - syncs that every way through the bodies makes needless, each by another road. */
#ifndef SD_REDUCE_DOUBT_H
#define SD_REDUCE_DOUBT_H

#include "job.h"

/* Clears keep[i] of each order that is kept and in doubt, and that in every run is implied by the other
 * kept ones. `first` holds per slot + 1 where its orders begin. One after the other, so that what is
 * left is enough, and none of it can go. Where an order has more runs than can be tried it stays.
 * O(slots between the two ends * runs) for each. */
enum sd_status sd_reduce_doubtful(struct sd_job *job, const struct sd_order_list *asked, const uint32_t *first,
                                  const bool *doubt, bool *keep);

/* Sets keep[i] of each order in doubt that is not kept, and that in some run nothing implies. */
enum sd_status sd_restore_doubtful(struct sd_job *job, const struct sd_order_list *asked, const uint32_t *first,
                                   const bool *doubt, bool *keep);

#endif
