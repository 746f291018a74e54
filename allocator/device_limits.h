/* device_limits.h - how much a device has of what a plan uses: the table of device profiles.
 *
 * 0 = unlimited. Figures of the devices are those that the runtime's chip
 * properties give; `default` has those of Graph Engine's test stub. Where the
 * properties give no number of events, 65,536 stand; notifies are 1,024 everywhere. */
#ifndef SD_DEVICE_LIMITS_H
#define SD_DEVICE_LIMITS_H

#include "streamd/request.h"

/* Tasks that the split keeps free on every physical stream: 7 for profiling points, 20 for the loader. */
#define SD_TASK_RESERVE 27

struct sd_limit_set {
	uint32_t profile; /* row of the table, for sd_profile_name() */
#define SD_X(name) int64_t name;
	SD_LIMIT_LIST(SD_X)
#undef SD_X
	bool unlimited_depth; /* a stream takes any number of tasks: no split */
	bool has_huge;        /* there are huge streams; if not, their two figures mean nothing */
};

/* The profile's figures, overlaid by device.limits. A device whose profile has no huge streams
 * gets them by stating max_tasks_per_huge_stream. INVALID_ARGUMENT (SD0113) for an unknown profile. */
enum sd_status sd_limits_resolve(const struct sd_plan_device *device, struct sd_limit_set *limits, struct sd_diag *diag);

#endif
