#include "pool_messages.h"

#include <stdio.h>
#include <string.h>

#include "streamd/stream_flags.h"

static uint64_t left_of(uint64_t limit, uint64_t taken)
{
	if (limit == 0)
		return UINT64_MAX;
	return limit > taken ? limit - taken : 0;
}

void sd_count_free(const struct sd_pool_device *device, struct sd_free *left)
{
	const struct sd_pool_limits *limits = sd_pool_get_limits(device->pool);
	struct sd_pool_stats stats;

	sd_pool_stats(device->pool, &stats);
	left->streams = left_of(limits->streams_max, (uint64_t)stats.streams + limits->streams_reserved);
	left->events = left_of(limits->events_max, stats.events);
	left->notifies = left_of(limits->notifies_max, stats.notifies);
}

void sd_fill_pool_limits(const struct sd_pool_device *device, Streamd__V1__PoolLimits *message)
{
	const struct sd_pool_limits *limits = sd_pool_get_limits(device->pool);

	streamd__v1__pool_limits__init(message);
	message->streams_max = limits->streams_max;
	message->streams_reserved = limits->streams_reserved;
	message->huge_streams_max = limits->huge_streams_max;
	message->events_max = limits->events_max;
	message->notifies_max = limits->notifies_max;
	message->tasks_per_stream_max = (uint64_t)limits->tasks_max;
	message->tasks_per_huge_stream_max = (uint64_t)limits->huge_tasks_max;
	message->mode = limits->mode == SD_POOL_SHARED ? STREAMD__V1__POOL_MODE__POOL_MODE_SHARED : STREAMD__V1__POOL_MODE__POOL_MODE_EXCLUSIVE;
	message->priority_most_urgent = sd_stream_priority_clamp(INT64_MIN);
	message->priority_least_urgent = sd_stream_priority_clamp(INT64_MAX);
}

void sd_domain_text(const struct sd_pool_device *device, uint32_t domain, char out[SD_DOMAIN_TEXT_MAX])
{
	struct sd_text name = sd_pool_domain_name(device->pool, domain);

	out[0] = '\0';
	if (name.len)
		snprintf(out, SD_DOMAIN_TEXT_MAX, "%s%.*s", name.at[0] == '#' ? "process " : "", (int)name.len - 1, name.at + 1);
}

void sd_fill_slot(const struct sd_pool_device *device, const struct sd_pool_slot_facts *facts, struct sd_slot_message *slot)
{
	Streamd__V1__PoolSlot *message = &slot->message;
	const char *name;
	uint32_t flag;

	streamd__v1__pool_slot__init(message);
	sd_domain_text(device, facts->key.domain, slot->domain);
	message->slot = sd_id_on_wire(device, facts->slot);
	message->domain = slot->domain;
	message->priority = facts->key.priority;
	message->flags = facts->key.flags;
	message->task_count = (uint64_t)facts->task_count;
	message->tenants = facts->tenants;
	message->broken = facts->is_broken;
	message->flag_names = slot->flag_name;
	for (uint32_t i = 0; (name = sd_stream_flag_name(i, &flag)) && message->n_flag_names < SD_FLAG_NAMES_MAX; i++) {
		if (facts->key.flags & flag)
			slot->flag_name[message->n_flag_names++] = (char *)(uintptr_t)name;
	}
}

void sd_fill_pool_stats(const struct sd_pool_device *device, Streamd__V1__PoolStatsAnswer *message, Streamd__V1__PoolLimits *limits)
{
	struct sd_pool_stats stats;

	sd_pool_stats(device->pool, &stats);
	streamd__v1__pool_stats_answer__init(message);
	message->created = stats.created;
	message->reused = stats.reused;
	message->destroyed = stats.destroyed;
	message->live = stats.slots;
	message->idle = stats.slots_idle;
	message->live_leases = stats.leases;
	message->models = stats.models;
	message->events = stats.events;
	message->notifies = stats.notifies;
	message->waiting = device->line.count;
	message->refused = device->refused;
	message->expired = device->expired;
	sd_fill_pool_limits(device, limits);
	message->limits = limits;
}
