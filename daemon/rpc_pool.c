#include <stdlib.h>
#include <string.h>

#include "acquire.h"
#include "base/check.h"
#include "conn.h"
#include "force.h"
#include "packing.h"
#include "pool_messages.h"
#include "rpc.h"
#include "server.h"

static struct sd_text text_of(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

/* The reader of a message stands behind NAME##__unpack; all handlers begin and end alike. */
#define WITH_REQUEST(call, Name, name, handle)                                                                                 \
	do {                                                                                                                   \
		Streamd__V1__##Name *request_ = streamd__v1__##name##__unpack(NULL, (call)->body_bytes, (call)->body);         \
                                                                                                                               \
		if (!request_) {                                                                                               \
			sd_call_cannot_decode((call), "the " #Name " cannot be decoded");                                      \
			return;                                                                                                \
		}                                                                                                              \
		handle((call), request_);                                                                                      \
		streamd__v1__##name##__free_unpacked(request_, NULL);                                                          \
	} while (0)

static struct sd_holder *find_model(struct sd_call *call, uint64_t id)
{
	struct sd_holder *holder;
	struct sd_diag diag = { 0 };

	if (sd_lease_find_model(call->conn, id, &holder, &diag) == SD_OK)
		return holder;
	sd_call_fail(call, &diag);
	return NULL;
}

/* With force: whose it may be, for those who may that. */
static struct sd_holder *find_any_model(struct sd_call *call, uint64_t id, bool force)
{
	struct sd_holder *holder;
	struct sd_diag diag = { 0 };

	if (!force)
		return find_model(call, id);
	if (sd_force_check(call, &diag) == SD_OK && sd_lease_look_model(call->server, id, &holder, &diag) == SD_OK)
		return holder;
	sd_call_fail(call, &diag);
	return NULL;
}

/* ---- models ---- */

static void register_model(struct sd_call *call, const Streamd__V1__RegisterModelRequest *request)
{
	const struct sd_register ask = { .name = text_of(request->name), .domain = text_of(request->domain), .device = request->device,
	                                 .priority = request->priority, .ttl_ms = request->ttl_ms };
	Streamd__V1__RegisterModelAnswer answer;
	Streamd__V1__PoolLimits limits;
	struct sd_holder *holder;
	struct sd_diag diag = { 0 };

	streamd__v1__register_model_answer__init(&answer);
	if (sd_lease_register(call->conn, &ask, &holder, &diag) != SD_OK) {
		sd_call_fail(call, &diag);
		return;
	}
	sd_fill_pool_limits(holder->device, &limits);
	answer.model = sd_holder_id(holder);
	answer.ttl_ms = holder->ttl_ms;
	answer.limits = &limits;
	sd_call_answer(call, sd_pack(&answer.base));
}

void sd_answer_register_model(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, RegisterModelRequest, register_model_request, register_model);
}

static void unload(struct sd_call *call, const Streamd__V1__UnloadRequest *request)
{
	Streamd__V1__UnloadAnswer answer;
	struct sd_holder *holder = find_any_model(call, request->model, request->force);
	struct sd_gone gone = { 0 };

	if (!holder)
		return;
	streamd__v1__unload_answer__init(&answer);
	answer.released = request->force ? sd_force_unload(call, holder) : sd_lease_unload(holder, "unloaded", &gone);
	answer.destroy = gone.slot;
	answer.n_destroy = gone.count;
	sd_call_answer(call, sd_pack(&answer.base));
	free(gone.slot);
}

void sd_answer_unload(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, UnloadRequest, unload_request, unload);
}

static void hear(struct sd_holder *holder, Streamd__V1__HeartbeatAnswer *answer, struct sd_gone *gone)
{
	sd_lease_hear(holder);
	sd_lease_give_way(holder, gone);
	answer->renewed++;
	if (answer->ttl_ms == 0 || holder->ttl_ms < answer->ttl_ms)
		answer->ttl_ms = holder->ttl_ms;
}

/* Nothing is renewed unless all models that are named are there. */
static void heartbeat(struct sd_call *call, const Streamd__V1__HeartbeatRequest *request)
{
	Streamd__V1__HeartbeatAnswer answer;
	struct sd_gone gone = { 0 }, taken = { 0 };
	struct sd_holder *holder, *next;

	streamd__v1__heartbeat_answer__init(&answer);
	for (size_t i = 0; i < request->n_models; i++) {
		if (!find_model(call, request->models[i]))
			return;
	}
	for (size_t i = 0; i < request->n_models; i++) {
		if (sd_lease_find_model(call->conn, request->models[i], &holder, NULL) == SD_OK)
			hear(holder, &answer, &gone);
	}
	sd_gone_move(&gone, &call->conn->holding.owed);
	sd_gone_move(&taken, &call->conn->holding.taken);
	for (holder = request->n_models ? NULL : call->conn->holding.first; holder; holder = next) {
		next = holder->next;
		hear(holder, &answer, &gone);
	}
	answer.destroy = gone.slot;
	answer.n_destroy = gone.count;
	answer.taken = taken.slot;
	answer.n_taken = taken.count;
	sd_call_answer(call, sd_pack(&answer.base));
	sd_gone_finish(&gone);
	sd_gone_finish(&taken);
}

void sd_answer_heartbeat(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, HeartbeatRequest, heartbeat_request, heartbeat);
}

/* ---- giving back ---- */

static void fail_events(struct sd_call *call, uint64_t model)
{
	sd_call_fail_with(call, SD_CODE_POOL_NOT_HELD, sd_arg_int((int64_t)model));
}

static enum sd_status find_lease(struct sd_call *call, const Streamd__V1__ReleaseRequest *request, size_t i, struct sd_holder **holder,
                                 bool *was_released, struct sd_diag *diag)
{
	if (request->force)
		return sd_lease_look(call->server, request->leases[i], holder, was_released, diag);
	return sd_lease_find(call->conn, request->leases[i], holder, was_released, diag);
}

/* Whether all that is named may be given back; if not, nothing is. */
static bool may_release(struct sd_call *call, const Streamd__V1__ReleaseRequest *request, struct sd_holder **of_events)
{
	struct sd_pool_model_facts facts;
	struct sd_holder *holder;
	struct sd_diag diag = { 0 };
	bool was_released;

	*of_events = NULL;
	if (request->force && sd_force_check(call, &diag) != SD_OK) {
		sd_call_fail(call, &diag);
		return false;
	}
	for (size_t i = 0; i < request->n_leases; i++) {
		diag.code = SD_CODE_NONE;
		if (find_lease(call, request, i, &holder, &was_released, &diag) == SD_OK || was_released)
			continue;
		sd_call_fail(call, &diag);
		return false;
	}
	if (!request->events && !request->notifies)
		return true;
	*of_events = find_any_model(call, request->model, request->force);
	if (!*of_events)
		return false;
	sd_pool_model_facts((*of_events)->device->pool, (*of_events)->model, &facts, NULL);
	if (request->events <= facts.events && request->notifies <= facts.notifies)
		return true;
	fail_events(call, request->model);
	return false;
}

static void release(struct sd_call *call, const Streamd__V1__ReleaseRequest *request)
{
	Streamd__V1__ReleaseAnswer answer;
	struct sd_holder *holder, *of_events;
	struct sd_gone gone = { 0 };
	bool was_released;

	if (!may_release(call, request, &of_events))
		return;
	streamd__v1__release_answer__init(&answer);
	for (size_t i = 0; i < request->n_leases; i++) {
		if (find_lease(call, request, i, &holder, &was_released, NULL) != SD_OK) {
			answer.already_released++;
			continue;
		}
		if (request->force) {
			sd_force_release(call, holder, request->leases[i]);
		} else {
			sd_lease_release(holder, request->leases[i], request->broken, &gone, NULL);
			sd_lease_give_way(holder, &gone);
		}
		answer.released++;
	}
	if (of_events) {
		sd_pool_release_events(of_events->device->pool, of_events->model, request->events, request->notifies, NULL);
		sd_device_changed(&call->server->devices, of_events->device);
	}
	answer.destroy = gone.slot;
	answer.n_destroy = gone.count;
	sd_call_answer(call, sd_pack(&answer.base));
	free(gone.slot);
}

void sd_answer_release(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, ReleaseRequest, release_request, release);
}

/* ---- events and notifies without streams ---- */

/* The connection's model for this device that has no name; made where there is none. */
static enum sd_status find_nameless(struct sd_conn *conn, uint32_t device, struct sd_holder **found, struct sd_diag *diag)
{
	const struct sd_register ask = { .name = SD_TEXT("reserve"), .device = device, .is_nameless = true };
	struct sd_holder *holder = conn->holding.first;

	while (holder && (!holder->is_nameless || holder->device->number != device))
		holder = holder->next;
	if (!holder)
		return sd_lease_register(conn, &ask, found, diag);
	sd_lease_hear(holder);
	*found = holder;
	return SD_OK;
}

static void fail_short(struct sd_call *call, struct sd_pool_device *device, const struct sd_pool_shortfall *shortfall, struct sd_diag *diag)
{
	char words[SD_HOLDERS_MAX];

	sd_shortage_tell(device, shortfall, words, diag);
	call->server->metrics.pool_refused[shortfall->resource]++;
	sd_call_fail(call, diag);
}

static void take_reserve(struct sd_call *call, struct sd_holder *holder, bool is_events, uint64_t count)
{
	Streamd__V1__ReserveAnswer answer;
	struct sd_pool *pool = holder->device->pool;
	uint32_t some = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	struct sd_pool_shortfall shortfall = { 0 };
	struct sd_pool_model_facts facts;
	struct sd_free left;
	struct sd_diag diag = { 0 };

	streamd__v1__reserve_answer__init(&answer);
	if (sd_pool_acquire(pool, holder->model, NULL, 0, is_events ? some : 0, is_events ? 0 : some, NULL, &shortfall, &diag) != SD_OK) {
		fail_short(call, holder->device, &shortfall, &diag);
		return;
	}
	sd_device_changed(&call->server->devices, holder->device);
	sd_pool_model_facts(pool, holder->model, &facts, NULL);
	sd_count_free(holder->device, &left);
	answer.model = sd_holder_id(holder);
	answer.held = is_events ? facts.events : facts.notifies;
	answer.available = is_events ? left.events : left.notifies;
	sd_call_answer(call, sd_pack(&answer.base));
}

static enum sd_status check_reserve(const struct sd_call *call, const Streamd__V1__ReserveRequest *request, struct sd_holder **holder,
                                    struct sd_diag *diag)
{
	const struct sd_pool_device *device;

	if (request->what != STREAMD__V1__RESOURCE__RESOURCE_EVENT && request->what != STREAMD__V1__RESOURCE__RESOURCE_NOTIFY)
		return SD_FAIL0(diag, SD_CODE_POOL_BAD_RESERVE, SD_NO_NODE);
	if (sd_server_is_draining(call->server))
		return SD_FAIL0(diag, SD_CODE_DRAINING, SD_NO_NODE);
	if (request->model)
		SD_TRY(sd_lease_find_model(call->conn, request->model, holder, diag));
	else
		SD_TRY(find_nameless(call->conn, request->device, holder, diag));
	device = (*holder)->device;
	if (sd_wait_line_is_ahead_of(&device->line, (*holder)->priority))
		return SD_FAIL2(diag, SD_CODE_POOL_LINE, SD_NO_NODE, sd_arg_int(device->line.count), sd_arg_int(device->number));
	return SD_OK;
}

static void reserve(struct sd_call *call, const Streamd__V1__ReserveRequest *request)
{
	struct sd_holder *holder = NULL;
	struct sd_diag diag = { 0 };

	if (check_reserve(call, request, &holder, &diag) != SD_OK) {
		sd_call_fail(call, &diag);
		return;
	}
	SD_REQUIRE(holder);
	take_reserve(call, holder, request->what == STREAMD__V1__RESOURCE__RESOURCE_EVENT, request->count);
}

void sd_answer_reserve(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, ReserveRequest, reserve_request, reserve);
}

/* ---- looking ---- */

static void describe(struct sd_call *call, const Streamd__V1__DescribeRequest *request)
{
	Streamd__V1__DescribeAnswer answer;
	Streamd__V1__PoolLimits limits;
	struct sd_slot_message slot;
	struct sd_pool_device *device = sd_devices_at(&call->server->devices, sd_id_device(request->id));
	struct sd_pool_slot_facts facts;
	struct sd_diag diag = { 0 };
	enum sd_status status = device ? sd_pool_describe(device->pool, sd_id_in_pool(request->id), &facts, NULL) : SD_NOT_FOUND;

	streamd__v1__describe_answer__init(&answer);
	if (status != SD_OK) {
		SD_FAIL1(&diag, status == SD_NOT_FOUND ? SD_CODE_POOL_NO_SLOT : SD_CODE_POOL_STALE, SD_NO_NODE, sd_arg_int((int64_t)request->id));
		sd_call_fail(call, &diag);
		return;
	}
	sd_fill_slot(device, &facts, &slot);
	sd_fill_pool_limits(device, &limits);
	answer.slot = &slot.message;
	answer.limits = &limits;
	sd_call_answer(call, sd_pack(&answer.base));
}

void sd_answer_describe(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, DescribeRequest, describe_request, describe);
}

/* So many graphs fit, as far as this resource goes; remembers which one allows the fewest. */
static void bound_by(Streamd__V1__BudgetAnswer *answer, Streamd__V1__Resource resource, uint64_t left, uint64_t per_graph)
{
	uint64_t graphs = per_graph && left != UINT64_MAX ? left / per_graph : UINT64_MAX;

	if (graphs >= answer->graphs)
		return;
	answer->graphs = graphs;
	answer->bound = resource;
}

static void budget(struct sd_call *call, const Streamd__V1__BudgetRequest *request)
{
	Streamd__V1__BudgetAnswer answer;
	struct sd_pool_device *device = sd_call_device(call, request->device);
	struct sd_diag diag = { 0 };
	struct sd_free left;

	if (!device)
		return;
	if (!request->streams_per_graph && !request->events_per_graph && !request->notifies_per_graph) {
		SD_FAIL0(&diag, SD_CODE_POOL_BAD_BUDGET, SD_NO_NODE);
		sd_call_fail(call, &diag);
		return;
	}
	streamd__v1__budget_answer__init(&answer);
	sd_count_free(device, &left);
	answer.graphs = UINT64_MAX;
	answer.streams_free = left.streams;
	answer.events_free = left.events;
	answer.notifies_free = left.notifies;
	bound_by(&answer, STREAMD__V1__RESOURCE__RESOURCE_STREAM, left.streams, request->streams_per_graph);
	bound_by(&answer, STREAMD__V1__RESOURCE__RESOURCE_EVENT, left.events, request->events_per_graph);
	bound_by(&answer, STREAMD__V1__RESOURCE__RESOURCE_NOTIFY, left.notifies, request->notifies_per_graph);
	sd_call_answer(call, sd_pack(&answer.base));
}

void sd_answer_budget(struct sd_server *server, struct sd_call *call)
{
	WITH_REQUEST(call, BudgetRequest, budget_request, budget);
}
