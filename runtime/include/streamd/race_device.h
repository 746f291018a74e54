/* race_device.h - a device that hands everything on to another one and checks it on the way.
 *
 * The race check (race_check.h) is fed with what the device takes. Tasks say in `access` what they use;
 * a copy with addresses also uses its source and its target. A wait of the host that succeeds counts,
 * and a query that says done. An aborted stream counts as done. What it finds is no error of a call:
 * ask the check. */
#ifndef SD_RACE_DEVICE_H
#define SD_RACE_DEVICE_H

#include "streamd/race_check.h"

/* `inner` stays the caller's, and must live as long; closing the new device closes only itself. */
enum sd_status sd_race_device_open(struct sd_device *inner, struct sd_device **device, struct sd_diag *diag);

/* What was found so far; valid until the device is closed. Ask while nobody enqueues. `missed`: memory ran out, not all was looked at. */
const struct sd_race_check *sd_race_device_check(const struct sd_device *device, bool *missed);

/* The program itself reads or writes memory of the device, or memory that tasks use. */
void sd_race_device_host_access(struct sd_device *device, const void *memory, uint64_t bytes, bool is_write);

#endif
