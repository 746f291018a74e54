/* acquire.h - acquires: what is asked for, waiting in line, and who else has it.
 *
 * For the loop thread. The methods themselves are rows of the table in rpc.c. */
#ifndef SD_ACQUIRE_H
#define SD_ACQUIRE_H

#include "lease.h"

#define SD_WANTS_MAX 256u /* of one acquire */

/* The model's acquires in line are answered: it is gone. */
void sd_acquire_drop_waiting(struct sd_holder *holder);

/* Serves those in line for as long as there is enough for the first. */
void sd_acquire_serve(struct sd_server *server, struct sd_pool_device *device);

/* Nobody waits any more, as nothing will be given. */
void sd_acquire_drain(struct sd_server *server);

/* What waits at a place of the line, for listings. */
struct sd_waiting {
	uint64_t model; /* as on the wire */
	const char *name; /* of the model */
	uint64_t streams;
	uint32_t wait_ms_left;
};
void sd_acquire_look(const struct sd_line_place *place, struct sd_waiting *waiting);

/* Writes who holds most of a resource, behind its limit: "1984; held by 'big1' (uid 0, pid 7): 1500".
 * `diag` gets it in place of the limit, and refers to `words` from then on. */
#define SD_HOLDERS_MAX 320
void sd_shortage_tell(struct sd_pool_device *device, const struct sd_pool_shortfall *shortfall, char words[SD_HOLDERS_MAX], struct sd_diag *diag);

#endif
