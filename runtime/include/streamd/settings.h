/* settings.h - what a process can say about its runtime from outside: one table.
 *
 * Each setting is read from a variable of ours, or, where that is not set, from an alias: a name under
 * which texts about Ascend's runtime know it. The aliases mean the same here; no library of Ascend's
 * reads them. A value that cannot be is an error that names the variable. */
#ifndef SD_SETTINGS_H
#define SD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

enum sd_setting {
	SD_SET_LAUNCH_AGGREGATION, /* launches go through a queue, in batches (1) or one by one (0); not set: straight to the device */
	SD_SET_STREAM_PRIORITY,    /* of streams to which a plan gives none: 0 most urgent .. 7 */
	SD_SET_EVENT_LOG,          /* 1: every record, wait, hold and synchronize is told, and at the end what streams and events were at */
	SD_SET_MEM_CHECK,          /* 1: accesses to memory that nothing orders are found */
	SD_SETTINGS,
};

struct sd_settings {
	struct {
		int32_t value;
		const char *origin; /* the variable that set it; NULL: nobody did, `value` is the usual one */
	} of[SD_SETTINGS];
};

/* "launch_aggregation", its variable, its alias, and in words what it does; NULL past the last. */
struct sd_setting_row {
	const char *name, *variable, *alias, *meaning;
	int32_t usual, least, most;
};
const struct sd_setting_row *sd_setting_row(uint32_t setting);

/* `look_up` answers the value of a variable, or NULL; NULL itself: getenv(). INVALID_ARGUMENT (SD5042): a value that cannot be. */
enum sd_status sd_settings_read(struct sd_settings *settings, const char *(*look_up)(void *arg, const char *variable), void *arg, struct sd_diag *diag);

/* One line a setting: its name, its value, and who set it. */
void sd_settings_tell(const struct sd_settings *settings, void (*line)(void *arg, const char *text), void *arg);

#endif
