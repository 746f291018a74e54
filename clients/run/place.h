/* place.h - a device for a plan to run on, with the limits of the plan's request, and with what the settings put in front of it. */
#ifndef SD_PLACE_H
#define SD_PLACE_H

#include "streamd/device_name.h"
#include "streamd/stack.h"
#include "watch.h"

struct sd_place {
	struct sd_device_name name;
	struct sd_settings settings;
	struct sd_device *device;
	struct sd_stack stack; /* in front of it: what runs is put on stack.front */
};

/* Opens the device `name`; `line` gets what the setting event_log tells. Without success nothing is open. */
enum sd_status sd_place_open(struct sd_place *place, const struct sd_device_name *name, const struct sd_settings *settings,
                             const struct sd_request *request, sd_log_line line, void *arg, struct sd_diag *diag);

/* What is open; a cleared place is fine. Nothing may be loaded there any more. */
void sd_place_close(struct sd_place *place);

/* sd_watch_plan() there: as the settings say, and doing what the device can do. */
enum sd_status sd_place_watch(struct sd_arena *mem, struct sd_place *place, const struct sd_request *request, const struct sd_plan *plan,
                              const struct sd_watch_wish *wish, struct sd_watch *watch, struct sd_diag *diag);

/* A simulated device with the limits of the request, on `model`; the caller closes it. */
enum sd_status sd_place_simulated(const struct sd_request *request, const struct sd_machine_model *model, struct sd_device **device,
                                  struct sd_diag *diag);

#endif
