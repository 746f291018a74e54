/* pool_messages.h - pools as messages, for the methods that tell of them. */
#ifndef SD_POOL_MESSAGES_H
#define SD_POOL_MESSAGES_H

#include "acquire.h"
#include "devices.h"
#include "streamd.pb-c.h"

#define SD_DOMAIN_TEXT_MAX 520
#define SD_FLAG_NAMES_MAX 16

struct sd_call;

/* The device with this number; NULL if there is none, and the call is answered with that. */
struct sd_pool_device *sd_call_device(struct sd_call *call, uint32_t number);

/* What a device has left; UINT64_MAX: no limit. The reserve is not counted. */
struct sd_free {
	uint64_t streams, events, notifies;
};
void sd_count_free(const struct sd_pool_device *device, struct sd_free *left);

void sd_fill_pool_limits(const struct sd_pool_device *device, Streamd__V1__PoolLimits *limits);

/* What the flags are called, lowest bit first; answers how many there are. */
uint32_t sd_name_flags(uint32_t flags, char *name[SD_FLAG_NAMES_MAX]);

/* A slot's message and what its pointers point to. */
struct sd_slot_message {
	Streamd__V1__PoolSlot message;
	char domain[SD_DOMAIN_TEXT_MAX];
	char *flag_name[SD_FLAG_NAMES_MAX];
};
void sd_fill_slot(const struct sd_pool_device *device, const struct sd_pool_slot_facts *facts, struct sd_slot_message *slot);

/* A model's message and what its pointers point to, but for its name, which is its holder's. `now`: of the loop, in ms. */
struct sd_model_message {
	Streamd__V1__PoolModel message;
	char domain[SD_DOMAIN_TEXT_MAX];
};
void sd_fill_model(const struct sd_pool_device *device, const struct sd_pool_model_facts *facts, uint64_t now, struct sd_model_message *model);

void sd_fill_waiter(const struct sd_waiting *waiting, Streamd__V1__PoolWaiter *message);

/* The domain as its models stated it; that of a process: "process 0.77" (user, number). */
void sd_domain_text(const struct sd_pool_device *device, uint32_t domain, char out[SD_DOMAIN_TEXT_MAX]);

/* `limits` is what the message points to. */
void sd_fill_pool_stats(const struct sd_pool_device *device, Streamd__V1__PoolStatsAnswer *stats, Streamd__V1__PoolLimits *limits);

#endif
