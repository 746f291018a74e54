#include "devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_limits.h"

static uint64_t or_else(uint64_t stated, int64_t standard)
{
	return stated ? stated : (uint64_t)standard;
}

/* The profile's figures, and over them what the settings state. */
static bool read_limits(const struct sd_config *config, struct sd_pool_limits *limits, char error[SD_CONFIG_ERROR_MAX])
{
	struct sd_plan_device device = { .profile = { config->pool_profile, (uint32_t)strlen(config->pool_profile) } };
	struct sd_limit_set set;
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];

	if (sd_limits_resolve(&device, &set, &diag) != SD_OK) {
		sd_diag_message(&diag, NULL, message, sizeof(message));
		snprintf(error, SD_CONFIG_ERROR_MAX, "pool.profile: %.400s", message);
		return false;
	}
	*limits = (struct sd_pool_limits){
		.streams_max = (uint32_t)or_else(config->pool_streams_max, set.max_streams),
		.streams_reserved = (uint32_t)config->pool_streams_reserved,
		.has_huge = set.has_huge || config->pool_huge_tasks_max,
		.unlimited_depth = set.unlimited_depth,
		.tasks_max = (int64_t)or_else(config->pool_tasks_max, set.max_tasks_per_stream),
		.events_max = (uint32_t)or_else(config->pool_events_max, set.max_events),
		.notifies_max = (uint32_t)or_else(config->pool_notifies_max, set.max_notifies),
		.mode = (enum sd_pool_mode)config->pool_mode,
		.keeps_idle = config->pool_keep_idle,
	};
	limits->huge_streams_max = (uint32_t)or_else(config->pool_huge_streams_max, set.has_huge ? set.max_huge_streams : 0);
	limits->huge_tasks_max = (int64_t)or_else(config->pool_huge_tasks_max, set.has_huge ? set.max_tasks_per_huge_stream : 0);
	return true;
}

bool sd_devices_check(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX])
{
	struct sd_pool_limits limits;

	if (!read_limits(config, &limits, error))
		return false;
	if (limits.streams_max == 0 || limits.streams_reserved < limits.streams_max)
		return true;
	snprintf(error, SD_CONFIG_ERROR_MAX, "pool.streams_reserved = %u leaves nothing of the %u streams of a device; lower it or raise pool.streams_max",
	         limits.streams_reserved, limits.streams_max);
	return false;
}

/* ---- life ---- */

bool sd_devices_open(struct sd_devices *devices, const struct sd_config *config)
{
	struct sd_pool_limits limits;
	char error[SD_CONFIG_ERROR_MAX];

	*devices = (struct sd_devices){ .device = calloc(config->devices + 1, sizeof(struct sd_pool_device)) };
	if (!devices->device || !read_limits(config, &limits, error))
		return false;
	for (; devices->count < config->devices; devices->count++) {
		struct sd_pool_device *device = &devices->device[devices->count];

		device->number = devices->count;
		if (sd_pool_create(&device->pool, &limits) != SD_OK) {
			sd_devices_close(devices);
			return false;
		}
	}
	return true;
}

void sd_devices_close(struct sd_devices *devices)
{
	for (uint32_t i = 0; i < devices->count; i++)
		sd_pool_destroy(devices->device[i].pool);
	free(devices->device);
	*devices = (struct sd_devices){ 0 };
}

void sd_devices_apply(struct sd_devices *devices, const struct sd_config *config)
{
	struct sd_pool_limits limits;
	char error[SD_CONFIG_ERROR_MAX];

	if (!read_limits(config, &limits, error))
		return;
	for (uint32_t i = 0; i < devices->count; i++) {
		sd_pool_set_limits(devices->device[i].pool, &limits);
		sd_device_changed(devices, &devices->device[i]);
	}
}

void sd_device_changed(struct sd_devices *devices, struct sd_pool_device *device)
{
	device->change++;
	device->is_changed = devices->is_changed = true;
}

struct sd_pool_device *sd_devices_at(const struct sd_devices *devices, uint32_t number)
{
	return number < devices->count ? &devices->device[number] : NULL;
}

/* ---- users ---- */

struct sd_user *sd_device_user(struct sd_pool_device *device, uint32_t uid)
{
	struct sd_user *user = device->users;

	while (user && user->uid != uid)
		user = user->next;
	if (user)
		return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	*user = (struct sd_user){ .next = device->users, .uid = uid };
	device->users = user;
	return user;
}

void sd_device_drop_user(struct sd_pool_device *device, struct sd_user *user)
{
	struct sd_user **link = &device->users;

	if (user->models)
		return;
	while (*link != user)
		link = &(*link)->next;
	*link = user->next;
	free(user);
}
