/* batch.h - the requests of a PlanBatchRequest, found without decoding any of them.
 *
 * Only the outermost message is walked: what a request holds is looked at when its turn comes, so that a malformed one is its own
 * failure. Both functions take time linear in the number of requests. */
#ifndef SD_BATCH_WIRE_H
#define SD_BATCH_WIRE_H

#include "base/diag.h"

/* How many there are, without allocating. INVALID_ARGUMENT (SD0101) when the bytes are no PlanBatchRequest. */
enum sd_status sd_batch_count(struct sd_text bytes, uint64_t *items, struct sd_diag *diag);

/* Slices of `bytes`, in order; `item` has room for as many as were counted. */
void sd_batch_split(struct sd_text bytes, struct sd_text *item);

#endif
