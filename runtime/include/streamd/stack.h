/* stack.h - what the settings of a process put in front of a device.
 *
 * From the device up: the queue (launch_aggregation), the check of accesses (mem_check), the log (event_log): the
 * last two see what the program does, in its order. Whoever enqueues does so on `front`; without any of them that
 * is the device itself. */
#ifndef SD_STACK_H
#define SD_STACK_H

#include "streamd/log_device.h"
#include "streamd/race_device.h"
#include "streamd/settings.h"

struct sd_stack {
	struct sd_device *front;
	struct sd_device *checked, *logged, *queue; /* NULL: it is not there */
	sd_log_line line;
	void *arg;
};

/* `device` stays the caller's, and is closed after the stack. `line` gets what event_log tells. On failure there is no stack. */
enum sd_status sd_stack_open(struct sd_stack *stack, struct sd_device *device, const struct sd_settings *settings, sd_log_line line, void *arg,
                             struct sd_diag *diag);

/* With event_log, what streams and events are at is told first. Nothing may be enqueued any more. */
void sd_stack_close(struct sd_stack *stack);

#endif
