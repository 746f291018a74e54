/* device_profile.h - what the table of device profiles says of a device, as facts. */
#ifndef SD_DEVICE_PROFILE_H
#define SD_DEVICE_PROFILE_H

#include "base/text.h"
#include "streamd/device.h"

/* Fills in the profile and the maxima of streams, events, notifies and tasks; all else is 0. An empty
 * name means "default". INVALID_ARGUMENT (SD0113): no such profile. */
enum sd_status sd_device_profile_facts(struct sd_text profile, struct sd_device_facts *facts, struct sd_diag *diag);

#endif
