#include <stdlib.h>

#include "acquire.h"
#include "conn.h"
#include "packing.h"
#include "pool_messages.h"
#include "rpc.h"
#include "server.h"
#include "watch.h"

#define LISTED_MAX 16384u /* of each kind: the loop must not stand still for a list */

void sd_answer_pool_stats(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__PoolStatsRequest *request = streamd__v1__pool_stats_request__unpack(NULL, call->body_bytes, call->body);
	Streamd__V1__PoolStatsAnswer answer;
	Streamd__V1__PoolLimits limits;
	const struct sd_pool_device *device;

	if (!request) {
		sd_call_cannot_decode(call, "the PoolStatsRequest cannot be decoded");
		return;
	}
	device = sd_call_device(call, request->device);
	if (device) {
		sd_fill_pool_stats(device, &answer, &limits);
		sd_call_answer(call, sd_pack(&answer.base));
	}
	streamd__v1__pool_stats_request__free_unpacked(request, NULL);
}

/* ---- lists ---- */

struct listing {
	const struct sd_pool_device *device;
	uint64_t now;
	uint32_t models, slots, waiting, leases; /* room, then what is filled */
	uint32_t model_count, slot_count, lease_count;
	struct sd_model_message *model;
	struct sd_slot_message *slot;
	Streamd__V1__PoolWaiter *waiter;
	Streamd__V1__PoolLease *lease;
	uint64_t model_id; /* whose leases are being put down */
	void **pointer; /* to models, slots, waiters, leases, in this order */
};

static void put_lease(void *arg, sd_pool_id lease, const struct sd_pool_slot_facts *facts)
{
	struct listing *listing = arg;
	Streamd__V1__PoolLease *message;

	if (listing->lease_count == listing->leases)
		return;
	message = &listing->lease[listing->lease_count++];
	streamd__v1__pool_lease__init(message);
	message->lease = sd_id_on_wire(listing->device, lease);
	message->slot = sd_id_on_wire(listing->device, facts->slot);
	message->model = listing->model_id;
}

static void put_model(void *arg, const struct sd_pool_model_facts *facts)
{
	struct listing *listing = arg;
	struct sd_model_message *row;

	if (listing->model_count == listing->models)
		return;
	row = &listing->model[listing->model_count++];
	sd_fill_model(listing->device, facts, listing->now, row);
	listing->model_id = row->message.model;
	sd_pool_each_lease(listing->device->pool, facts->model, put_lease, listing);
}

static void put_slot(void *arg, const struct sd_pool_slot_facts *facts)
{
	struct listing *listing = arg;

	if (listing->slot_count < listing->slots)
		sd_fill_slot(listing->device, facts, &listing->slot[listing->slot_count++]);
}

static void put_waiting(struct listing *listing)
{
	const struct sd_line_place *place = sd_wait_line_head(&listing->device->line);

	for (uint32_t i = 0; place && i < listing->waiting; i++, place = sd_wait_line_behind(&listing->device->line, place)) {
		struct sd_waiting waiting;

		sd_acquire_look(place, &waiting);
		sd_fill_waiter(&waiting, &listing->waiter[i]);
	}
}

static uint32_t at_most(uint32_t count)
{
	return count < LISTED_MAX ? count : LISTED_MAX;
}

static bool make_listing(struct listing *listing, const struct sd_pool_device *device, uint64_t now)
{
	struct sd_pool_stats stats;

	sd_pool_stats(device->pool, &stats);
	*listing = (struct listing){ .device = device, .now = now, .models = at_most(stats.models), .slots = at_most(stats.slots),
	                             .waiting = at_most(device->line.count), .leases = at_most(stats.leases) };
	listing->model = malloc((listing->models + 1) * sizeof(*listing->model));
	listing->slot = malloc((listing->slots + 1) * sizeof(*listing->slot));
	listing->waiter = malloc((listing->waiting + 1) * sizeof(*listing->waiter));
	listing->lease = malloc((listing->leases + 1) * sizeof(*listing->lease));
	listing->pointer = malloc((listing->models + listing->slots + listing->waiting + listing->leases + 1) * sizeof(*listing->pointer));
	return listing->model && listing->slot && listing->waiter && listing->lease && listing->pointer;
}

static void drop_listing(struct listing *listing)
{
	free(listing->model);
	free(listing->slot);
	free(listing->waiter);
	free(listing->lease);
	free(listing->pointer);
}

static struct sd_blob *pack_listing(struct listing *listing)
{
	Streamd__V1__ListAnswer answer;
	void **pointer = listing->pointer;

	streamd__v1__list_answer__init(&answer);
	sd_pool_each_model(listing->device->pool, put_model, listing);
	sd_pool_each_slot(listing->device->pool, put_slot, listing);
	put_waiting(listing);
	answer.models = (Streamd__V1__PoolModel **)pointer;
	answer.n_models = listing->model_count;
	for (uint32_t i = 0; i < listing->model_count; i++)
		*pointer++ = &listing->model[i].message;
	answer.slots = (Streamd__V1__PoolSlot **)pointer;
	answer.n_slots = listing->slot_count;
	for (uint32_t i = 0; i < listing->slot_count; i++)
		*pointer++ = &listing->slot[i].message;
	answer.waiting = (Streamd__V1__PoolWaiter **)pointer;
	answer.n_waiting = listing->waiting;
	for (uint32_t i = 0; i < listing->waiting; i++)
		*pointer++ = &listing->waiter[i];
	answer.leases = (Streamd__V1__PoolLease **)pointer;
	answer.n_leases = listing->lease_count;
	for (uint32_t i = 0; i < listing->lease_count; i++)
		*pointer++ = &listing->lease[i];
	return sd_pack(&answer.base);
}

void sd_answer_list(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__ListRequest *request = streamd__v1__list_request__unpack(NULL, call->body_bytes, call->body);
	const struct sd_pool_device *device;
	struct listing listing;

	if (!request) {
		sd_call_cannot_decode(call, "the ListRequest cannot be decoded");
		return;
	}
	device = sd_call_device(call, request->device);
	if (device) {
		sd_call_answer(call, make_listing(&listing, device, uv_now(&server->loop)) ? pack_listing(&listing) : NULL);
		drop_listing(&listing);
	}
	streamd__v1__list_request__free_unpacked(request, NULL);
}
