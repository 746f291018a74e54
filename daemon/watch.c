#include "watch.h"

#include <stdlib.h>

#include "acquire.h"
#include "conn.h"
#include "packing.h"
#include "pool_messages.h"
#include "rpc.h"
#include "server.h"

struct sd_watcher {
	struct sd_watcher *prev, *next;
	struct sd_pool_device *device;
	struct sd_call *call;
	uint64_t told; /* the change that it knows of */
};

static void unlist(struct sd_watcher *watcher)
{
	*(watcher->prev ? &watcher->prev->next : &watcher->device->watchers) = watcher->next;
	if (watcher->next)
		watcher->next->prev = watcher->prev;
	watcher->device->watchers_lost++;
}

static void on_dropped(struct sd_call *call)
{
	unlist(call->arg);
	free(call->arg);
}

static void on_time_up(uv_timer_t *timer)
{
	struct sd_call *call = timer->data;

	sd_call_fail_early(call, SD_CODE_DEADLINE, call->deadline_ms);
}

static void tell(struct sd_watcher *watcher)
{
	Streamd__V1__WatchAnswer answer;
	Streamd__V1__PoolStatsAnswer stats;
	Streamd__V1__PoolLimits limits;

	streamd__v1__watch_answer__init(&answer);
	sd_fill_pool_stats(watcher->device, &stats, &limits);
	answer.change = watcher->told = watcher->device->change;
	answer.stats = &stats;
	sd_call_answer_part(watcher->call, sd_pack(&answer.base));
}

static void begin(struct sd_call *call, struct sd_pool_device *device)
{
	struct sd_watcher *watcher = malloc(sizeof(*watcher));

	if (watcher)
		watcher->call = sd_call_park(call, on_dropped, watcher);
	if (!watcher || !watcher->call) {
		free(watcher);
		sd_call_answer(call, NULL);
		return;
	}
	watcher->device = device;
	watcher->prev = NULL;
	watcher->next = device->watchers;
	if (watcher->next)
		watcher->next->prev = watcher;
	device->watchers = watcher;
	if (call->deadline_ms)
		uv_timer_start(&watcher->call->deadline, on_time_up, call->deadline_ms, 0);
	tell(watcher);
}

void sd_answer_watch(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__WatchRequest *request = streamd__v1__watch_request__unpack(NULL, call->body_bytes, call->body);
	struct sd_pool_device *device;

	if (!request) {
		sd_call_cannot_decode(call, "the WatchRequest cannot be decoded");
		return;
	}
	if (sd_server_is_draining(server))
		sd_call_fail_with(call, SD_CODE_DRAINING, (struct sd_arg){ 0 });
	else if ((device = sd_call_device(call, request->device)))
		begin(call, device);
	streamd__v1__watch_request__free_unpacked(request, NULL);
}

/* ---- after each turn ---- */

/* True: somebody has not read yet what it was told, and is to be told more. */
static bool tell_all(struct sd_pool_device *device)
{
	struct sd_watcher *watcher = device->watchers;
	bool is_owed = false;

	while (watcher) {
		uint64_t lost = device->watchers_lost;

		if (watcher->told != device->change && watcher->call->conn->kind->owes(watcher->call))
			is_owed = true;
		else if (watcher->told != device->change)
			tell(watcher);
		/* Telling may close a connection, and all watchers of it go: begin again, those that know are passed over. */
		watcher = lost == device->watchers_lost ? watcher->next : device->watchers;
	}
	return is_owed;
}

void sd_watch_turn(struct sd_server *server)
{
	struct sd_devices *devices = &server->devices;

	if (!devices->is_changed)
		return;
	devices->is_changed = false;
	for (uint32_t i = 0; i < devices->count; i++) {
		struct sd_pool_device *device = &devices->device[i];

		if (!device->is_changed)
			continue;
		sd_acquire_serve(server, device);
		device->is_changed = false;
		device->is_changed |= tell_all(device);
		devices->is_changed |= device->is_changed;
	}
}

uint32_t sd_watch_count(const struct sd_devices *devices)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < devices->count; i++) {
		for (const struct sd_watcher *watcher = devices->device[i].watchers; watcher; watcher = watcher->next)
			count++;
	}
	return count;
}

void sd_watch_drain(struct sd_server *server)
{
	for (uint32_t i = 0; i < server->devices.count; i++) {
		struct sd_pool_device *device = &server->devices.device[i];

		while (device->watchers)
			sd_call_fail_early(device->watchers->call, SD_CODE_DRAINING, 0);
	}
}
