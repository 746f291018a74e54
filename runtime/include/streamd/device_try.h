/* device_try.h - does a device do what it is there for? Streams of both ends of the priorities, an event between
 * them, functions, memory, copies there and back. */
#ifndef SD_DEVICE_TRY_H
#define SD_DEVICE_TRY_H

#include "streamd/device.h"

#define SD_TRY_BYTES (UINT64_C(1) << 20) /* that are copied */

struct sd_device_trial {
	uint64_t launch_ns; /* of one function that does nothing, until the host knows that it is done; the least of some */
	uint64_t copy_ns;   /* of the bytes there and back, likewise */
	bool is_ordered;    /* the second stream waited for the first one */
	bool is_copied;     /* the bytes came back as they went */
};

/* OK also where the trial found something wrong: see there. Nothing is left on the device. Times are of the device's clock. */
enum sd_status sd_device_try(struct sd_device *device, struct sd_device_trial *trial, struct sd_diag *diag);

#endif
