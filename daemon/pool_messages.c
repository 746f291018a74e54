#include "pool_messages.h"

#include <stdio.h>
#include <string.h>

#include "conn.h"
#include "packing.h"
#include "rpc.h"
#include "server.h"
#include "streamd/stream_flags.h"

struct sd_pool_device *sd_call_device(struct sd_call *call, uint32_t number)
{
	struct sd_pool_device *device = sd_devices_at(&call->server->devices, number);
	struct sd_diag diag = { 0 };

	if (device)
		return device;
	SD_FAIL2(&diag, SD_CODE_POOL_NO_DEVICE, SD_NO_NODE, sd_arg_int(number), sd_arg_int(call->server->devices.count));
	sd_call_fail(call, &diag);
	return NULL;
}

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

uint32_t sd_name_flags(uint32_t flags, char *name[SD_FLAG_NAMES_MAX])
{
	uint32_t flag, count = 0;
	const char *known;

	for (uint32_t i = 0; (known = sd_stream_flag_name(i, &flag)) && count < SD_FLAG_NAMES_MAX; i++) {
		if (flags & flag)
			name[count++] = sd_unconst(known);
	}
	return count;
}

void sd_fill_slot(const struct sd_pool_device *device, const struct sd_pool_slot_facts *facts, struct sd_slot_message *slot)
{
	Streamd__V1__PoolSlot *message = &slot->message;

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
	message->n_flag_names = sd_name_flags(facts->key.flags, slot->flag_name);
}

void sd_fill_model(const struct sd_pool_device *device, const struct sd_pool_model_facts *facts, uint64_t now, struct sd_model_message *model)
{
	const struct sd_holder *holder = facts->owner;
	uint64_t silent = now - holder->heard_ms;
	Streamd__V1__PoolModel *message = &model->message;

	streamd__v1__pool_model__init(message);
	sd_domain_text(device, facts->domain, model->domain);
	message->model = sd_holder_id(holder);
	message->name = sd_unconst(holder->name);
	message->domain = model->domain;
	message->uid = holder->conn->uid;
	message->pid = (uint32_t)holder->conn->pid;
	message->connection = holder->conn->id;
	message->leases = facts->leases;
	message->events = facts->events;
	message->notifies = facts->notifies;
	message->age_ms = now - holder->registered_ms;
	message->ttl_ms_left = silent < holder->ttl_ms ? holder->ttl_ms - (uint32_t)silent : 0;
}

void sd_fill_waiter(const struct sd_waiting *waiting, Streamd__V1__PoolWaiter *message)
{
	streamd__v1__pool_waiter__init(message);
	message->model = waiting->model;
	message->streams = waiting->streams < UINT32_MAX ? (uint32_t)waiting->streams : UINT32_MAX;
	message->wait_ms_left = waiting->wait_ms_left;
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
