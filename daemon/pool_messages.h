/* pool_messages.h - pools as messages, for the methods that tell of them. */
#ifndef SD_POOL_MESSAGES_H
#define SD_POOL_MESSAGES_H

#include "devices.h"
#include "streamd.pb-c.h"

#define SD_DOMAIN_TEXT_MAX 520
#define SD_FLAG_NAMES_MAX 16

/* What a device has left; UINT64_MAX: no limit. The reserve is not counted. */
struct sd_free {
	uint64_t streams, events, notifies;
};
void sd_count_free(const struct sd_pool_device *device, struct sd_free *left);

void sd_fill_pool_limits(const struct sd_pool_device *device, Streamd__V1__PoolLimits *limits);

/* A slot's message and what its pointers point to. */
struct sd_slot_message {
	Streamd__V1__PoolSlot message;
	char domain[SD_DOMAIN_TEXT_MAX];
	char *flag_name[SD_FLAG_NAMES_MAX];
};
void sd_fill_slot(const struct sd_pool_device *device, const struct sd_pool_slot_facts *facts, struct sd_slot_message *slot);

/* The domain as its models stated it; that of a process: "process 0.77" (user, number). */
void sd_domain_text(const struct sd_pool_device *device, uint32_t domain, char out[SD_DOMAIN_TEXT_MAX]);

/* `limits` is what the message points to. */
void sd_fill_pool_stats(const struct sd_pool_device *device, Streamd__V1__PoolStatsAnswer *stats, Streamd__V1__PoolLimits *limits);

#endif
