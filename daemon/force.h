/* force.h - what operators take away from others: leases and models of any connection.
 *
 * Nobody is given the slots again: the streams in them may still be running in a process that does
 * not know yet. The next heartbeat of its connection tells it which leases it lost and which streams
 * it is to destroy. Each lease is a line in the log, whatever else is logged, and counts. */
#ifndef SD_FORCE_H
#define SD_FORCE_H

#include "lease.h"

struct sd_call;

/* PERMISSION_DENIED: the peer is no operator. */
enum sd_status sd_force_check(const struct sd_call *call, struct sd_diag *diag);

/* Takes one lease of the model. */
void sd_force_release(struct sd_call *call, struct sd_holder *holder, uint64_t lease);

/* Takes all of them; the model is no more. Answers how many they were. */
uint32_t sd_force_unload(struct sd_call *call, struct sd_holder *holder);

#endif
