#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire.h"
#include "conn.h"
#include "holders.h"
#include "pool_messages.h"
#include "status_parts.h"

#define KEYS_MAX 64u /* (priority, flags) that are counted one by one; those that come later are counted together */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t rows_of(const struct sd_server *server)
{
	uint32_t each = SD_STATUS_DEVICE_ROWS / server->devices.count;

	return each < 2 ? 2 : least(each, SD_STATUS_ROWS);
}

static void open_shown(struct sd_emitter *out, const char *key)
{
	sd_emit_line(out, 2);
	sd_emit_key(out, key);
	sd_emit_open(out, '{');
	sd_emit_key(out, "shown");
	sd_emit_open(out, '[');
}

static void open_row(struct sd_emitter *out)
{
	sd_emit_line(out, 3);
	sd_emit_open(out, '{');
}

/* ---- occupancy by key ---- */

struct occupied {
	int32_t priority;
	uint32_t flags, slots, idle;
};

struct occupancy {
	struct occupied key[KEYS_MAX];
	uint32_t count;
	struct occupied rest;
};

/* Domains do not matter here: the keys of all of them are added up. */
static void add_key(void *arg, const struct sd_pool_key_facts *facts)
{
	struct occupancy *all = arg;
	struct occupied *at = all->key;

	while (at < all->key + all->count && (at->priority != facts->key.priority || at->flags != facts->key.flags))
		at++;
	if (at == all->key + all->count) {
		if (all->count == KEYS_MAX)
			at = &all->rest;
		else
			all->key[all->count++] = (struct occupied){ .priority = facts->key.priority, .flags = facts->key.flags };
	}
	at->slots += facts->slots;
	at->idle += facts->idle;
}

static int by_key(const void *a, const void *b)
{
	const struct occupied *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return (x->flags > y->flags) - (x->flags < y->flags);
}

static void put_flags(struct sd_emitter *out, uint32_t flags)
{
	char *name[SD_FLAG_NAMES_MAX];
	uint32_t count = sd_name_flags(flags, name);

	sd_emit_pair_uint(out, "flags", flags);
	sd_emit_key(out, "flag_names");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < count; i++)
		sd_emit_string(out, name[i]);
	sd_emit_close(out, ']');
}

static void put_keys(struct sd_emitter *out, const struct sd_pool_device *device, uint32_t rows)
{
	struct occupancy all = { .count = 0 };
	uint32_t shown;

	sd_pool_each_key(device->pool, add_key, &all);
	qsort(all.key, all.count, sizeof(all.key[0]), by_key);
	shown = least(all.count, rows);
	open_shown(out, "keys");
	for (uint32_t i = 0; i < all.count; i++) {
		const struct occupied *key = &all.key[i];

		if (i >= shown) {
			all.rest.slots += key->slots;
			all.rest.idle += key->idle;
			continue;
		}
		open_row(out);
		sd_emit_key(out, "priority");
		sd_emit_int(out, key->priority);
		put_flags(out, key->flags);
		sd_emit_pair_uint(out, "slots", key->slots);
		sd_emit_pair_uint(out, "idle", key->idle);
		sd_emit_close(out, '}');
	}
	sd_emit_close(out, ']');
	sd_emit_pair_uint(out, "rest_slots", all.rest.slots);
	sd_emit_pair_uint(out, "rest_idle", all.rest.idle);
	sd_emit_close(out, '}');
}

/* ---- who holds, who waits ---- */

/* A copy of a name, as long as is shown of it. */
static void copy_name(char out[SD_STATUS_NAME_MAX + 2], const char *name)
{
	snprintf(out, SD_STATUS_NAME_MAX + 2, "%s", name);
	sd__status_cut(out, SD_STATUS_NAME_MAX);
}

static void put_holder(struct sd_emitter *out, const struct sd_pool_device *device, const struct sd_pool_model_facts *facts, uint64_t now)
{
	const struct sd_holder *holder = facts->owner;
	char name[SD_STATUS_NAME_MAX + 2];
	struct sd_model_message model;

	sd_fill_model(device, facts, now, &model);
	copy_name(name, holder->name);
	model.message.name = name;
	sd__status_cut(model.domain, SD_STATUS_NAME_MAX);
	open_row(out);
	sd_message_write_fields(out, &model.message.base, &sd__status_style);
	sd_emit_pair_uint(out, "waiting", holder->waiting);
	sd_emit_close(out, '}');
}

static void put_holders(struct sd_emitter *out, const struct sd_server *server, const struct sd_pool_device *device, uint32_t rows)
{
	struct sd_share share[SD_STATUS_ROWS];
	struct sd_ranking ranking = { .resource = SD_POOL_STREAMS, .with_all = true, .most = rows, .share = share };
	struct sd_pool_stats stats;
	uint32_t leases = 0;

	sd_rank_holders(device->pool, &ranking);
	sd_pool_stats(device->pool, &stats);
	open_shown(out, "holders");
	for (uint32_t i = 0; i < ranking.count; i++) {
		put_holder(out, device, &share[i].facts, uv_now(&server->loop));
		leases += share[i].facts.leases;
	}
	sd_emit_close(out, ']');
	sd_emit_pair_uint(out, "rest", ranking.holders - ranking.count);
	sd_emit_pair_uint(out, "rest_leases", stats.leases - leases);
	sd_emit_close(out, '}');
}

static void put_waiting(struct sd_emitter *out, const struct sd_pool_device *device, uint32_t rows)
{
	const struct sd_line_place *place = sd_wait_line_head(&device->line);
	uint32_t shown = 0;

	open_shown(out, "waiting");
	for (; place && shown < rows; shown++, place = sd_wait_line_behind(&device->line, place)) {
		char name[SD_STATUS_NAME_MAX + 2];
		struct sd_waiting waiting;
		Streamd__V1__PoolWaiter message;

		sd_acquire_look(place, &waiting);
		sd_fill_waiter(&waiting, &message);
		copy_name(name, waiting.name);
		open_row(out);
		sd_emit_pair(out, "name", name);
		sd_emit_pair_uint(out, "priority", place->priority);
		sd_message_write_fields(out, &message.base, &sd__status_style);
		sd_emit_close(out, '}');
	}
	sd_emit_close(out, ']');
	sd_emit_pair_uint(out, "rest", device->line.count - shown);
	sd_emit_close(out, '}');
}

void sd__status_pools(struct sd_emitter *out, const struct sd_server *server)
{
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < server->devices.count; i++) {
		const struct sd_pool_device *device = &server->devices.device[i];
		Streamd__V1__PoolStatsAnswer stats;
		Streamd__V1__PoolLimits limits;

		sd_fill_pool_stats(device, &stats, &limits);
		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		sd_emit_pair_uint(out, "device", device->number);
		sd_emit_key(out, "stats");
		sd_message_write(out, &stats.base, &sd__status_style);
		put_keys(out, device, rows_of(server));
		put_holders(out, server, device, rows_of(server));
		put_waiting(out, device, rows_of(server));
		sd_emit_close(out, '}');
	}
	sd_emit_close(out, ']');
}
