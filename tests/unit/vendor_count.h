/* vendor_count.h - over vendor_world.h: a task that counts, and the words of the last diagnostic. */
#ifndef SD_VENDOR_COUNT_H
#define SD_VENDOR_COUNT_H

#include <stdatomic.h>

#include "vendor_world.h"

static atomic_int ran, told[SD_UNAVAILABLE + 1]; /* told: by status */

static inline void run(void *arg)
{
	atomic_fetch_add(&ran, 1);
}

static inline void done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	atomic_fetch_add(&told[status], 1);
}

static const struct sd_task count = { .name = "count", .kind = SD_TASK_KERNEL, .run = run, .done = done };

static inline const char *message(void)
{
	static char text[SD_MESSAGE_MAX];

	sd_diag_message(&diag, NULL, text, sizeof(text));
	return text;
}

#endif
