/* devices.h - the devices whose streams the daemon gives out: a pool each, and what goes with it.
 *
 * Ids on the wire are those of a pool with the device's number in the bits that the pool leaves
 * free, so that a lease alone tells where it is from. For the loop thread. */
#ifndef SD_DEVICES_H
#define SD_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "streamd/pool.h"
#include "wait_line.h"

#define SD_DEVICES_MAX 64u

struct sd_watcher;

/* What the peers of one user hold on one device. */
struct sd_user {
	struct sd_user *next;
	uint32_t uid;
	uint32_t models;
	uint64_t streams;
};

struct sd_pool_device {
	uint32_t number;
	struct sd_pool *pool;
	struct sd_wait_line line;
	struct sd_user *users;
	struct sd_watcher *watchers;
	uint64_t watchers_lost; /* counts */
	uint64_t change; /* counts */
	bool is_changed; /* since the line and the watchers were looked after */
	uint64_t refused, expired;
};

struct sd_devices {
	struct sd_pool_device *device;
	uint32_t count;
	bool is_changed; /* one of them is */
};

/* Whether the settings of the pool fit together; false: `error` says what is wrong. */
bool sd_devices_check(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX]);

/* False: no memory; nothing is left behind. */
bool sd_devices_open(struct sd_devices *devices, const struct sd_config *config);
void sd_devices_close(struct sd_devices *devices);

/* Settings were read again. What is held above a lowered limit stays. */
void sd_devices_apply(struct sd_devices *devices, const struct sd_config *config);

/* Something about the device is not what it was: who waits or watches is looked after before the loop waits. */
void sd_device_changed(struct sd_devices *devices, struct sd_pool_device *device);

/* NULL if there is none. */
struct sd_pool_device *sd_devices_at(const struct sd_devices *devices, uint32_t number);

static inline uint64_t sd_id_on_wire(const struct sd_pool_device *device, sd_pool_id id)
{
	return id | (uint64_t)device->number << 26;
}

static inline uint32_t sd_id_device(uint64_t id)
{
	return (uint32_t)(id >> 26) & (SD_DEVICES_MAX - 1);
}

static inline sd_pool_id sd_id_in_pool(uint64_t id)
{
	return id & ~((uint64_t)(SD_DEVICES_MAX - 1) << 26);
}

/* The account of a user, made on first use; NULL: no memory. One that has no model any more is dropped. */
struct sd_user *sd_device_user(struct sd_pool_device *device, uint32_t uid);
void sd_device_drop_user(struct sd_pool_device *device, struct sd_user *user);

#endif
