/* log_device.h - a device that hands everything on to another one and tells what passes.
 *
 * One line for each call that orders work or ends it: creations, records, waits, resets, holds,
 * activations, submissions, synchronizes, aborts; what is refused too, with the code. From it comes
 * what streams and events are at: how much each was given, what was last, and whether it is known to be
 * done, without asking the device. */
#ifndef SD_LOG_DEVICE_H
#define SD_LOG_DEVICE_H

#include "streamd/device.h"

typedef void (*sd_log_line)(void *arg, const char *text);

/* `line` is called under a lock, by whichever thread calls the device: it calls nothing of it. NULL: nothing is told
 * as it passes. `inner` stays the caller's, and must live as long; closing the new device closes only itself. */
enum sd_status sd_log_device_open(struct sd_device *inner, sd_log_line line, void *arg, struct sd_device **device, struct sd_diag *diag);

/* Facts of the device, then each stream, event and notify that is there. */
void sd_log_device_state(struct sd_device *device, sd_log_line line, void *arg);

#endif
