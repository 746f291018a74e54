#include "lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire.h"
#include "conn.h"
#include "log.h"
#include "server.h"
#include "utf8.h"

#define BEHIND_MS 10u /* until it is looked again whether a peer that is not read has said something */

static void changed(struct sd_holder *holder)
{
	sd_device_changed(&holder->server->devices, holder->device);
}

static void log_model(const struct sd_holder *holder, const char *event, const char *why, uint32_t released)
{
	struct sd_line line;

	if (!sd_server_may_log(holder->server, holder->conn) || !sd_log_begin(&line, SD_LOG_INFO, event))
		return;
	sd_log_int(&line, "conn", (int64_t)holder->conn->id);
	sd_log_int(&line, "uid", holder->conn->uid);
	sd_log_int(&line, "pid", holder->conn->pid);
	sd_log_int(&line, "device", holder->device->number);
	sd_log_int(&line, "model", (int64_t)sd_holder_id(holder));
	sd_log_text(&line, "name", holder->name);
	if (why) {
		sd_log_text(&line, "why", why);
		sd_log_int(&line, "released", released);
	}
	sd_log_end(&line);
}

/* ---- slots that are no more ---- */

void sd_gone_add(struct sd_gone *gone, uint64_t slot)
{
	if (gone->count == gone->cap) {
		size_t cap = gone->cap ? gone->cap * 2 : 16;
		uint64_t *larger = realloc(gone->slot, cap * sizeof(*larger));

		if (!larger)
			return;
		gone->slot = larger;
		gone->cap = cap;
	}
	gone->slot[gone->count++] = slot;
}

void sd_gone_move(struct sd_gone *to, struct sd_gone *from)
{
	for (size_t i = 0; i < from->count; i++)
		sd_gone_add(to, from->slot[i]);
	sd_gone_finish(from);
}

void sd_gone_finish(struct sd_gone *gone)
{
	free(gone->slot);
	*gone = (struct sd_gone){ 0 };
}

static void empty_domain(struct sd_devices *devices, struct sd_pool_device *device, uint32_t domain, struct sd_gone *gone)
{
	sd_pool_id slot[64];
	uint32_t count;

	do {
		count = sd_pool_trim_domain(device->pool, domain, slot, 64);
		for (uint32_t i = 0; gone && i < count; i++)
			sd_gone_add(gone, sd_id_on_wire(device, slot[i]));
		if (count)
			sd_device_changed(devices, device);
	} while (count == 64);
}

void sd_lease_give_way(struct sd_holder *holder, struct sd_gone *gone)
{
	if (holder->device->line.count)
		empty_domain(&holder->server->devices, holder->device, holder->domain, gone);
}

/* ---- time ---- */

static void on_time(uv_timer_t *timer)
{
	struct sd_holder *holder = timer->data;
	uint64_t silent = uv_now(&holder->server->loop) - holder->heard_ms;

	if (silent < holder->ttl_ms) {
		uv_timer_start(&holder->timer, on_time, holder->ttl_ms - silent, 0);
		return;
	}
	/* Its heartbeat may have come while the loop was late, or lie behind requests that wait to be taken. */
	if (holder->conn->kind->is_behind(holder->conn)) {
		uv_timer_start(&holder->timer, on_time, BEHIND_MS, 0);
		return;
	}
	holder->device->expired++;
	holder->server->metrics.counter[SD_COUNTER_pool_expired]++;
	sd_lease_unload(holder, "expired", NULL);
}

void sd_lease_hear(struct sd_holder *holder)
{
	holder->heard_ms = uv_now(&holder->server->loop);
}

void sd_lease_hear_all(struct sd_conn *conn)
{
	for (struct sd_holder *holder = conn->holding.first; holder; holder = holder->next)
		sd_lease_hear(holder);
}

/* ---- a model's life ---- */

static enum sd_status no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("no memory is left"));
}

/* Names are told to others, whose protobuf takes UTF-8 alone. */
static enum sd_status check_name(struct sd_text name, const char *what, struct sd_diag *diag)
{
	const char *why = name.len > SD_MODEL_NAME_MAX ? "is too long" : NULL;

	for (uint32_t at = 0, step; !why && at < name.len; at += step) {
		step = (uint32_t)sd_utf8_length((const unsigned char *)name.at + at, name.len - at);
		why = step ? NULL : "is no UTF-8";
	}
	return why ? SD_FAIL2(diag, SD_CODE_POOL_BAD_NAME, SD_NO_NODE, sd_arg_words(what), sd_arg_words(why)) : SD_OK;
}

static enum sd_status check_register(const struct sd_conn *conn, const struct sd_register *ask, struct sd_diag *diag)
{
	const struct sd_server *server = conn->server;

	if (sd_server_is_draining(server))
		return SD_FAIL0(diag, SD_CODE_DRAINING, SD_NO_NODE);
	if (!sd_devices_at(&server->devices, ask->device))
		return SD_FAIL2(diag, SD_CODE_POOL_NO_DEVICE, SD_NO_NODE, sd_arg_int(ask->device), sd_arg_int(server->devices.count));
	SD_TRY(check_name(ask->name, "the name", diag));
	SD_TRY(check_name(ask->domain, "the domain", diag));
	if (conn->holding.models >= server->config.pool_conn_models_max)
		return SD_FAIL1(diag, SD_CODE_POOL_CONN_MODELS, SD_NO_NODE, sd_arg_int(conn->holding.models));
	return SD_OK;
}

/* A stated domain begins with '=', that of a process with '#', so that nobody gets into another's by its name. */
static struct sd_text domain_of(const struct sd_conn *conn, const struct sd_register *ask, char out[SD_MODEL_NAME_MAX + 2])
{
	if (ask->domain.len == 0)
		return (struct sd_text){ out, (uint32_t)snprintf(out, SD_MODEL_NAME_MAX, "#%u.%d", conn->uid, conn->pid) };
	out[0] = '=';
	memcpy(out + 1, ask->domain.at, ask->domain.len);
	return (struct sd_text){ out, ask->domain.len + 1 };
}

static enum sd_status add_to_pool(struct sd_holder *holder, const struct sd_register *ask, struct sd_diag *diag)
{
	char domain[SD_MODEL_NAME_MAX + 2];
	struct sd_pool *pool = holder->device->pool;

	holder->user = sd_device_user(holder->device, holder->conn->uid);
	if (!holder->user)
		return no_memory(diag);
	if (sd_pool_domain(pool, domain_of(holder->conn, ask, domain), &holder->domain) == SD_OK &&
	    sd_pool_add_model(pool, holder->domain, holder, &holder->model) == SD_OK)
		return SD_OK;
	sd_device_drop_user(holder->device, holder->user);
	return no_memory(diag);
}

static void enlist(struct sd_holder *holder)
{
	struct sd_holding *holding = &holder->conn->holding;

	holder->next = holding->first;
	if (holder->next)
		holder->next->prev = holder;
	holding->first = holder;
	holding->models++;
	holding->was_used = true;
	holder->user->models++;
	uv_timer_init(&holder->server->loop, &holder->timer);
	holder->timer.data = holder;
	uv_timer_start(&holder->timer, on_time, holder->ttl_ms, 0);
}

enum sd_status sd_lease_register(struct sd_conn *conn, const struct sd_register *ask, struct sd_holder **out, struct sd_diag *diag)
{
	struct sd_server *server = conn->server;
	uint64_t now = uv_now(&server->loop), longest = server->config.pool_ttl_ms;
	struct sd_holder *holder;
	enum sd_status status;

	SD_TRY(check_register(conn, ask, diag));
	holder = calloc(1, sizeof(*holder) + ask->name.len + 1);
	if (!holder)
		return no_memory(diag);
	holder->server = server;
	holder->conn = conn;
	holder->device = sd_devices_at(&server->devices, ask->device);
	holder->priority = ask->priority;
	holder->ttl_ms = ask->ttl_ms && ask->ttl_ms < longest ? ask->ttl_ms : (uint32_t)longest;
	holder->registered_ms = holder->heard_ms = now;
	holder->is_nameless = ask->is_nameless;
	if (ask->name.len)
		memcpy(holder->name, ask->name.at, ask->name.len);
	status = add_to_pool(holder, ask, diag);
	if (status != SD_OK) {
		free(holder);
		return status;
	}
	enlist(holder);
	changed(holder);
	log_model(holder, "model", NULL, 0);
	*out = holder;
	return SD_OK;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void unlist(struct sd_holder *holder)
{
	struct sd_holding *holding = &holder->conn->holding;

	*(holder->prev ? &holder->prev->next : &holding->first) = holder->next;
	if (holder->next)
		holder->next->prev = holder->prev;
	holding->models--;
	for (uint32_t i = 0; i < SD_TOKENS; i++) {
		if (holding->token[i].model != sd_holder_id(holder))
			continue;
		sd_blob_release(holding->token[i].answer);
		holding->token[i] = (struct sd_token){ 0 };
	}
}

struct unloading {
	struct sd_holder *holder;
	struct sd_gone *gone;
	uint32_t released;
};

static void on_parted(void *arg, sd_pool_id lease, const struct sd_pool_parting *parting)
{
	struct unloading *unloading = arg;

	unloading->released++;
	if (unloading->gone && parting->is_gone)
		sd_gone_add(unloading->gone, sd_id_on_wire(unloading->holder->device, parting->slot));
}

uint32_t sd_lease_unload(struct sd_holder *holder, const char *why, struct sd_gone *gone)
{
	struct unloading unloading = { holder, gone, 0 };

	sd_pool_remove_model(holder->device->pool, holder->model, on_parted, &unloading);
	sd_lease_give_way(holder, gone);
	unlist(holder);
	holder->user->streams -= unloading.released;
	holder->conn->holding.streams -= unloading.released;
	holder->user->models--;
	sd_device_drop_user(holder->device, holder->user);
	holder->server->metrics.counter[SD_COUNTER_pool_released] += unloading.released;
	log_model(holder, "model_gone", why, unloading.released);
	changed(holder);
	sd_acquire_drop_waiting(holder);
	uv_close((uv_handle_t *)&holder->timer, on_closed);
	return unloading.released;
}

/* The streams that a process left idle go with it; a stated domain outlives processes. */
static void empty_process(struct sd_conn *conn)
{
	char name[SD_MODEL_NAME_MAX + 2];
	struct sd_text domain = domain_of(conn, &(struct sd_register){ 0 }, name);
	struct sd_devices *devices = &conn->server->devices;

	for (uint32_t i = 0; i < devices->count; i++) {
		struct sd_pool_device *device = sd_devices_at(devices, i);
		uint32_t number;

		if (sd_pool_find_domain(device->pool, domain, &number) && sd_pool_domain_models(device->pool, number) == 0)
			empty_domain(devices, device, number, NULL);
	}
}

void sd_lease_drop_conn(struct sd_conn *conn)
{
	while (conn->holding.first)
		sd_lease_unload(conn->holding.first, "connection", NULL);
	if (conn->holding.was_used)
		empty_process(conn);
	conn->holding.was_used = false;
	sd_gone_finish(&conn->holding.taken);
	sd_gone_finish(&conn->holding.owed);
}

/* ---- finding ---- */

enum sd_status sd_lease_look_model(struct sd_server *server, uint64_t id, struct sd_holder **holder, struct sd_diag *diag)
{
	struct sd_pool_device *device = sd_devices_at(&server->devices, sd_id_device(id));
	struct sd_pool_model_facts facts;
	enum sd_status status = device ? sd_pool_model_facts(device->pool, sd_id_in_pool(id), &facts, NULL) : SD_NOT_FOUND;

	if (status != SD_OK)
		return SD_FAIL1(diag, status == SD_NOT_FOUND ? SD_CODE_POOL_NO_MODEL : SD_CODE_POOL_MODEL_GONE, SD_NO_NODE, sd_arg_int((int64_t)id));
	*holder = facts.owner;
	return SD_OK;
}

enum sd_status sd_lease_look(struct sd_server *server, uint64_t id, struct sd_holder **holder, bool *was_released, struct sd_diag *diag)
{
	struct sd_pool_device *device = sd_devices_at(&server->devices, sd_id_device(id));
	struct sd_pool_model_facts facts;
	enum sd_status status = device ? sd_pool_lease_model(device->pool, sd_id_in_pool(id), &facts, NULL) : SD_NOT_FOUND;

	*was_released = status == SD_FAILED_PRECONDITION;
	if (status != SD_OK)
		return SD_FAIL1(diag, *was_released ? SD_CODE_POOL_RELEASED : SD_CODE_POOL_NO_LEASE, SD_NO_NODE, sd_arg_int((int64_t)id));
	*holder = facts.owner;
	return SD_OK;
}

/* What was found by number `id` is for its own connection, and is heard of by it. */
static enum sd_status check_owner(const struct sd_conn *conn, uint64_t id, struct sd_holder *holder, struct sd_diag *diag)
{
	if (holder->conn != conn)
		return SD_FAIL1(diag, SD_CODE_POOL_NOT_YOURS, SD_NO_NODE, sd_arg_int((int64_t)id));
	sd_lease_hear(holder);
	return SD_OK;
}

enum sd_status sd_lease_find_model(struct sd_conn *conn, uint64_t id, struct sd_holder **holder, struct sd_diag *diag)
{
	SD_TRY(sd_lease_look_model(conn->server, id, holder, diag));
	return check_owner(conn, id, *holder, diag);
}

enum sd_status sd_lease_find(struct sd_conn *conn, uint64_t id, struct sd_holder **holder, bool *was_released, struct sd_diag *diag)
{
	SD_TRY(sd_lease_look(conn->server, id, holder, was_released, diag));
	return check_owner(conn, id, *holder, diag);
}

/* ---- counts ---- */

enum sd_status sd_lease_release(struct sd_holder *holder, uint64_t lease, bool is_broken, struct sd_gone *gone, struct sd_diag *diag)
{
	struct sd_pool_parting parting;

	SD_TRY(sd_pool_release(holder->device->pool, sd_id_in_pool(lease), is_broken, &parting, diag));
	holder->user->streams--;
	holder->conn->holding.streams--;
	holder->server->metrics.counter[SD_COUNTER_pool_released]++;
	if (parting.is_gone)
		sd_gone_add(gone, sd_id_on_wire(holder->device, parting.slot));
	changed(holder);
	return SD_OK;
}

enum sd_status sd_lease_allows(const struct sd_holder *holder, uint64_t streams, struct sd_diag *diag)
{
	const struct sd_config *config = &holder->server->config;
	uint64_t of_user = holder->user->streams + streams, of_conn = holder->conn->holding.streams + streams;

	if (of_conn > config->pool_conn_streams_max)
		return SD_FAIL2(diag, SD_CODE_POOL_CONN_STREAMS, SD_NO_NODE, sd_arg_int((int64_t)of_conn),
		                sd_arg_int((int64_t)config->pool_conn_streams_max));
	if (config->pool_uid_streams_max && of_user > config->pool_uid_streams_max)
		return SD_FAIL3(diag, SD_CODE_POOL_QUOTA, SD_NO_NODE, sd_arg_int(holder->user->uid), sd_arg_int((int64_t)of_user),
		                sd_arg_int((int64_t)config->pool_uid_streams_max));
	return SD_OK;
}

void sd_lease_count(struct sd_holder *holder, uint32_t streams)
{
	holder->user->streams += streams;
	holder->conn->holding.streams += streams;
	changed(holder);
}
