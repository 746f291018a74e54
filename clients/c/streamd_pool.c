#include "streamd_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_impl.h"
#include "formats/schema.h"

#define BEAT_MS_MAX 1000u /* others may wait for idle slots of ours while we wait for theirs */

/* ---- what the caller is to be told ---- */

/* Without memory some are missing: whoever made their streams keeps them longer. */
static void keep(struct sd__ids *ids, const uint64_t *id, size_t count)
{
	if (ids->count + count > ids->cap) {
		size_t cap = (ids->count + count) * 2;
		uint64_t *larger = realloc(ids->id, cap * sizeof(*larger));

		if (!larger)
			return;
		ids->id = larger;
		ids->cap = cap;
	}
	if (count)
		memcpy(ids->id + ids->count, id, count * sizeof(*id));
	ids->count += count;
}

static void hand_over(struct sd__ids *ids, struct sd_client_ids *out)
{
	if (ids->count == 0)
		return;
	*out = (struct sd_client_ids){ ids->id, ids->count };
	*ids = (struct sd__ids){ 0 };
}

void sd_client_ids_finish(struct sd_client_ids *ids)
{
	free(ids->id);
	*ids = (struct sd_client_ids){ 0 };
}

/* Fills what heartbeats tell; false: it cannot be read. */
static bool hear(struct sd_client *client, const unsigned char *body, size_t bytes, struct sd_client_heard *heard)
{
	Streamd__V1__HeartbeatAnswer *answer = streamd__v1__heartbeat_answer__unpack(NULL, bytes, body);

	if (!answer)
		return false;
	heard->renewed = answer->renewed;
	heard->ttl_ms = answer->ttl_ms;
	keep(&client->gone, answer->destroy, answer->n_destroy);
	keep(&client->taken, answer->taken, answer->n_taken);
	streamd__v1__heartbeat_answer__free_unpacked(answer, NULL);
	return true;
}

void sd__heard_beat(struct sd_client *client, const unsigned char *body, size_t bytes)
{
	struct sd_client_heard unwanted;

	hear(client, body, bytes, &unwanted);
}

/* ---- one exchange ---- */

struct exchange {
	struct sd__call call;
	struct sd_reply reply;
	unsigned char *body;
	struct sd_client_error *error, unwanted;
};

static enum sd_status no_memory(struct sd_client_error *error)
{
	return sd__tell_broken(error, "there is no memory left");
}

/* Sends the message and waits. finish_exchange() goes with it whatever came. */
static enum sd_status exchange(struct sd_client *client, struct exchange *x, enum sd_method method, const ProtobufCMessage *request,
                               struct sd_client_error *error)
{
	size_t bytes = protobuf_c_message_get_packed_size(request);
	enum sd_status status;

	x->error = error ? error : &x->unwanted;
	*x->error = (struct sd_client_error){ 0 };
	x->body = malloc(bytes + 1);
	if (!x->body)
		return no_memory(x->error);
	x->call.method = method;
	x->call.body = x->body;
	x->call.body_bytes = (uint32_t)protobuf_c_message_pack(request, x->body);
	x->call.reply = &x->reply;
	status = sd__client_call(client, &x->call);
	if (status != SD_OK)
		*x->error = x->reply.error;
	return status;
}

static void finish_exchange(struct exchange *x)
{
	free(x->body);
	sd_reply_finish(&x->reply);
}

static enum sd_status unreadable(struct exchange *x)
{
	return sd__tell_broken(x->error, "the daemon's answer cannot be read");
}

/* Whether the connection that the model was registered on is still there. */
static enum sd_status check_model(const struct sd_client *client, const struct sd_client_model *model, struct sd_client_error *error)
{
	struct sd_client_error unwanted;

	if (model->connection == client->connections)
		return SD_OK;
	return sd__tell_unreachable(client, error ? error : &unwanted, "the model was registered on a connection that is lost; register it anew");
}

/* ---- models ---- */

static char *string_or_empty(const char *text)
{
	return sd_message_string(text ? text : "");
}

enum sd_status sd_client_register(struct sd_client *client, const struct sd_client_model_ask *ask, struct sd_client_model *model,
                                  struct sd_client_error *error)
{
	Streamd__V1__RegisterModelRequest request;
	Streamd__V1__RegisterModelAnswer *answer;
	struct exchange x = { 0 };
	enum sd_status status;

	streamd__v1__register_model_request__init(&request);
	request.name = string_or_empty(ask->name);
	request.domain = string_or_empty(ask->domain);
	request.device = ask->device;
	request.priority = ask->priority;
	request.ttl_ms = ask->ttl_ms;
	status = exchange(client, &x, SD_METHOD_REGISTER_MODEL, &request.base, error);
	if (status == SD_OK) {
		answer = streamd__v1__register_model_answer__unpack(NULL, x.reply.body_bytes, x.reply.body);
		status = answer ? SD_OK : unreadable(&x);
		if (answer) {
			*model = (struct sd_client_model){ answer->model, answer->ttl_ms, client->connections };
			client->models++;
			streamd__v1__register_model_answer__free_unpacked(answer, NULL);
		}
	}
	finish_exchange(&x);
	return status;
}

enum sd_status sd_client_unload(struct sd_client *client, const struct sd_client_model *model, struct sd_client_returned *returned,
                                struct sd_client_error *error)
{
	Streamd__V1__UnloadRequest request;
	Streamd__V1__UnloadAnswer *answer;
	struct exchange x = { .call.stays = true };
	struct sd_client_returned unwanted;
	enum sd_status status;

	if (returned)
		*returned = (struct sd_client_returned){ 0 };
	SD_TRY(check_model(client, model, error));
	streamd__v1__unload_request__init(&request);
	request.model = model->id;
	status = exchange(client, &x, SD_METHOD_UNLOAD, &request.base, error);
	if (status == SD_OK) {
		client->models -= client->models > 0;
		answer = streamd__v1__unload_answer__unpack(NULL, x.reply.body_bytes, x.reply.body);
		status = answer ? SD_OK : unreadable(&x);
		if (answer) {
			(returned ? returned : &unwanted)->released = answer->released;
			keep(&client->gone, answer->destroy, answer->n_destroy);
			streamd__v1__unload_answer__free_unpacked(answer, NULL);
		}
	}
	finish_exchange(&x);
	if (returned)
		hand_over(&client->gone, &returned->gone);
	return status;
}

/* ---- acquiring ---- */

static Streamd__V1__StreamWant **make_wants(const struct sd_client_acquire_ask *ask)
{
	Streamd__V1__StreamWant *want = malloc((ask->want_count + 1) * (sizeof(*want) + sizeof(want)));
	Streamd__V1__StreamWant **pointer = (void *)(want + ask->want_count);

	if (!want)
		return NULL;
	for (uint32_t i = 0; i < ask->want_count; i++) {
		streamd__v1__stream_want__init(&want[i]);
		want[i].priority = ask->want[i].priority;
		want[i].flags = ask->want[i].flags;
		want[i].task_count = ask->want[i].task_count > 0 ? (uint64_t)ask->want[i].task_count : 0;
		want[i].count = ask->want[i].count;
		pointer[i] = &want[i];
	}
	pointer[ask->want_count] = want; /* what is to be freed */
	return pointer;
}

static struct sd_pool_grant grant_of(const Streamd__V1__StreamLease *lease)
{
	return (struct sd_pool_grant){ .lease = lease->lease, .slot = lease->slot, .want = lease->want,
	                               .key = { .priority = lease->priority, .flags = lease->flags },
	                               .task_count = (int64_t)lease->task_count, .shared_with = lease->shared_with, .is_new = lease->create };
}

static enum sd_status keep_grants(struct sd_client *client, struct exchange *x, struct sd_client_grants *grants)
{
	Streamd__V1__AcquireAnswer *answer = streamd__v1__acquire_answer__unpack(NULL, x->reply.body_bytes, x->reply.body);

	if (!answer)
		return unreadable(x);
	keep(&client->gone, answer->destroy, answer->n_destroy);
	grants->grant = malloc((answer->n_leases + 1) * sizeof(*grants->grant));
	if (grants->grant) {
		grants->count = (uint32_t)answer->n_leases;
		grants->new_streams = answer->new_streams;
		grants->events = answer->events;
		grants->notifies = answer->notifies;
		grants->waited_ms = answer->waited_ms;
		for (uint32_t i = 0; i < grants->count; i++)
			grants->grant[i] = grant_of(answer->leases[i]);
	}
	streamd__v1__acquire_answer__free_unpacked(answer, NULL);
	return grants->grant ? SD_OK : no_memory(x->error);
}

static uint32_t beat_ms_of(const struct sd_client_model *model)
{
	uint32_t third = model->ttl_ms / 3;

	return third > BEAT_MS_MAX ? BEAT_MS_MAX : third ? third : 1;
}

enum sd_status sd_client_acquire(struct sd_client *client, const struct sd_client_model *model, const struct sd_client_acquire_ask *ask,
                                 struct sd_client_grants *grants, struct sd_client_error *error)
{
	Streamd__V1__AcquireRequest request;
	/* The daemon refuses when the wait is over, and says why: there is time for its answer behind that. */
	uint64_t deadline = (uint64_t)ask->wait_ms + client->deadline_ms_default;
	struct exchange x = { .call = { .stays = true, .beat_ms = ask->wait_ms ? beat_ms_of(model) : 0,
	                                .deadline_ms = deadline < UINT32_MAX ? (uint32_t)deadline : UINT32_MAX } };
	Streamd__V1__StreamWant **wants;
	enum sd_status status;

	*grants = (struct sd_client_grants){ 0 };
	SD_TRY(check_model(client, model, error));
	wants = make_wants(ask);
	if (!wants)
		return no_memory(error ? error : &x.unwanted);
	streamd__v1__acquire_request__init(&request);
	request.model = model->id;
	request.wants = wants;
	request.n_wants = ask->want_count;
	request.events = ask->events;
	request.notifies = ask->notifies;
	request.wait_ms = ask->wait_ms;
	request.token = ask->token;
	request.dry_run = ask->dry_run;
	status = exchange(client, &x, SD_METHOD_ACQUIRE, &request.base, error);
	if (status == SD_OK)
		status = keep_grants(client, &x, grants);
	finish_exchange(&x);
	free(wants[ask->want_count]);
	hand_over(&client->gone, &grants->gone);
	return status;
}

void sd_client_grants_finish(struct sd_client_grants *grants)
{
	free(grants->grant);
	sd_client_ids_finish(&grants->gone);
	*grants = (struct sd_client_grants){ 0 };
}

/* ---- giving back ---- */

enum sd_status sd_client_release(struct sd_client *client, const struct sd_client_model *model, const struct sd_client_release_ask *ask,
                                 struct sd_client_returned *returned, struct sd_client_error *error)
{
	Streamd__V1__ReleaseRequest request;
	Streamd__V1__ReleaseAnswer *answer;
	struct exchange x = { .call.stays = true };
	enum sd_status status;

	*returned = (struct sd_client_returned){ 0 };
	SD_TRY(check_model(client, model, error));
	streamd__v1__release_request__init(&request);
	request.leases = (uint64_t *)(uintptr_t)ask->lease;
	request.n_leases = ask->lease_count;
	request.broken = ask->is_broken;
	request.model = model->id;
	request.events = ask->events;
	request.notifies = ask->notifies;
	status = exchange(client, &x, SD_METHOD_RELEASE, &request.base, error);
	if (status == SD_OK) {
		answer = streamd__v1__release_answer__unpack(NULL, x.reply.body_bytes, x.reply.body);
		status = answer ? SD_OK : unreadable(&x);
		if (answer) {
			returned->released = answer->released;
			returned->already_released = answer->already_released;
			keep(&client->gone, answer->destroy, answer->n_destroy);
			streamd__v1__release_answer__free_unpacked(answer, NULL);
		}
	}
	finish_exchange(&x);
	hand_over(&client->gone, &returned->gone);
	return status;
}

/* ---- staying ---- */

enum sd_status sd_client_heartbeat(struct sd_client *client, struct sd_client_heard *heard, struct sd_client_error *error)
{
	Streamd__V1__HeartbeatRequest request;
	struct exchange x = { .call.stays = true };
	enum sd_status status;

	*heard = (struct sd_client_heard){ 0 };
	streamd__v1__heartbeat_request__init(&request);
	status = exchange(client, &x, SD_METHOD_HEARTBEAT, &request.base, error);
	if (status == SD_OK && !hear(client, x.reply.body, x.reply.body_bytes, heard))
		status = unreadable(&x);
	finish_exchange(&x);
	hand_over(&client->gone, &heard->gone);
	hand_over(&client->taken, &heard->taken);
	return status;
}

/* ---- looking ---- */

static enum sd_status keep_slot(struct exchange *x, struct sd_client_slot *slot)
{
	Streamd__V1__DescribeAnswer *answer = streamd__v1__describe_answer__unpack(NULL, x->reply.body_bytes, x->reply.body);
	bool is_whole = answer && answer->slot;

	if (is_whole) {
		*slot = (struct sd_client_slot){ .slot = answer->slot->slot, .priority = answer->slot->priority, .flags = answer->slot->flags,
		                                 .task_count = answer->slot->task_count, .tenants = answer->slot->tenants,
		                                 .is_broken = answer->slot->broken };
		snprintf(slot->domain, sizeof(slot->domain), "%s", answer->slot->domain);
	}
	if (answer)
		streamd__v1__describe_answer__free_unpacked(answer, NULL);
	return is_whole ? SD_OK : unreadable(x);
}

enum sd_status sd_client_describe(struct sd_client *client, uint64_t id, struct sd_client_slot *slot, struct sd_client_error *error)
{
	Streamd__V1__DescribeRequest request;
	struct exchange x = { 0 };
	enum sd_status status;

	streamd__v1__describe_request__init(&request);
	request.id = id;
	status = exchange(client, &x, SD_METHOD_DESCRIBE, &request.base, error);
	if (status == SD_OK)
		status = keep_slot(&x, slot);
	finish_exchange(&x);
	return status;
}

static enum sd_status keep_stats(struct exchange *x, struct sd_client_pool_stats *stats)
{
	Streamd__V1__PoolStatsAnswer *answer = streamd__v1__pool_stats_answer__unpack(NULL, x->reply.body_bytes, x->reply.body);

	if (!answer)
		return unreadable(x);
	*stats = (struct sd_client_pool_stats){ .created = answer->created, .reused = answer->reused, .destroyed = answer->destroyed,
	                                        .slots = answer->live, .slots_idle = answer->idle, .leases = answer->live_leases,
	                                        .models = answer->models, .events = answer->events, .notifies = answer->notifies,
	                                        .waiting = answer->waiting, .refused = answer->refused, .expired = answer->expired };
	if (answer->limits) {
		stats->streams_max = answer->limits->streams_max;
		stats->streams_reserved = answer->limits->streams_reserved;
	}
	streamd__v1__pool_stats_answer__free_unpacked(answer, NULL);
	return SD_OK;
}

enum sd_status sd_client_pool_stats(struct sd_client *client, uint32_t device, struct sd_client_pool_stats *stats, struct sd_client_error *error)
{
	Streamd__V1__PoolStatsRequest request;
	struct exchange x = { 0 };
	enum sd_status status;

	streamd__v1__pool_stats_request__init(&request);
	request.device = device;
	status = exchange(client, &x, SD_METHOD_POOL_STATS, &request.base, error);
	if (status == SD_OK)
		status = keep_stats(&x, stats);
	finish_exchange(&x);
	return status;
}
