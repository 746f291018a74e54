#include "acquire.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "conn.h"
#include "packing.h"
#include "rpc.h"
#include "server.h"
#include "streamd/stream_flags.h"

/* ---- what is asked for ---- */

struct ask {
	uint32_t want_count, wait_ms;
	uint32_t events, notifies;
	uint64_t streams, token;
	struct sd_pool_want want[SD_WANTS_MAX];
};

static int64_t clamp_tasks(uint64_t tasks)
{
	return tasks < INT64_MAX ? (int64_t)tasks : INT64_MAX;
}

static uint32_t clamp_count(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static enum sd_status read_ask(const Streamd__V1__AcquireRequest *request, struct ask *ask, struct sd_diag *diag)
{
	if (request->n_wants > SD_WANTS_MAX)
		return SD_FAIL2(diag, SD_CODE_POOL_WANTS, SD_NO_NODE, sd_arg_int((int64_t)request->n_wants), sd_arg_int(SD_WANTS_MAX));
	ask->want_count = (uint32_t)request->n_wants;
	ask->wait_ms = request->wait_ms;
	ask->events = clamp_count(request->events);
	ask->notifies = clamp_count(request->notifies);
	ask->token = request->token;
	ask->streams = 0;
	for (uint32_t i = 0; i < ask->want_count; i++) {
		const Streamd__V1__StreamWant *want = request->wants[i];
		bool is_acl = want->flag_space == STREAMD__V1__FLAG_SPACE__FLAG_SPACE_ACL;

		ask->want[i] = (struct sd_pool_want){ .priority = want->priority, .count = want->count ? want->count : 1,
		                                      .flags = is_acl ? sd_stream_flags_from_acl(want->flags) : want->flags,
		                                      .task_count = clamp_tasks(want->task_count) };
		ask->streams += ask->want[i].count;
	}
	return SD_OK;
}

/* ---- the answer ---- */

static void fill_lease(const struct sd_pool_device *device, const struct sd_pool_grant *grant, Streamd__V1__StreamLease *lease)
{
	streamd__v1__stream_lease__init(lease);
	lease->lease = sd_id_on_wire(device, grant->lease);
	lease->slot = sd_id_on_wire(device, grant->slot);
	lease->create = grant->is_new;
	lease->priority = grant->key.priority;
	lease->flags = grant->key.flags;
	lease->task_count = (uint64_t)grant->task_count;
	lease->shared_with = grant->shared_with;
	lease->want = grant->want;
}

/* What an acquire got. */
struct got {
	struct sd_pool_grant *grant; /* owned */
	uint32_t streams;
	struct sd_gone gone;         /* of its own domain */
	uint64_t waited_ms;
};

static void drop_got(struct got *got)
{
	free(got->grant);
	free(got->gone.slot);
}

static struct sd_blob *pack_got(const struct sd_holder *holder, const struct ask *ask, const struct got *got)
{
	Streamd__V1__AcquireAnswer answer;
	Streamd__V1__StreamLease *lease = malloc((got->streams + 1) * (sizeof(*lease) + sizeof(void *)));
	Streamd__V1__StreamLease **pointer = (void *)(lease + got->streams + 1);
	struct sd_blob *blob;

	if (!lease)
		return NULL;
	streamd__v1__acquire_answer__init(&answer);
	for (uint32_t i = 0; i < got->streams; i++) {
		fill_lease(holder->device, &got->grant[i], &lease[i]);
		pointer[i] = &lease[i];
		answer.new_streams += got->grant[i].is_new;
	}
	answer.leases = pointer;
	answer.n_leases = got->streams;
	answer.events = ask->events;
	answer.notifies = ask->notifies;
	answer.waited_ms = got->waited_ms;
	answer.destroy = got->gone.slot;
	answer.n_destroy = got->gone.count;
	blob = sd_pack(&answer.base);
	free(lease);
	return blob;
}

/* ---- tokens ---- */

static struct sd_blob *remembered(const struct sd_holder *holder, uint64_t token)
{
	const struct sd_holding *holding = &holder->conn->holding;

	for (uint32_t i = 0; token && i < SD_TOKENS; i++) {
		if (holding->token[i].token == token && holding->token[i].model == sd_holder_id(holder))
			return sd_blob_acquire(holding->token[i].answer);
	}
	return NULL;
}

static void remember(const struct sd_holder *holder, uint64_t token, struct sd_blob *answer)
{
	struct sd_holding *holding = &holder->conn->holding;
	struct sd_token *place = &holding->token[holding->next_token];

	if (!token || !answer)
		return;
	holding->next_token = (holding->next_token + 1) % SD_TOKENS;
	sd_blob_release(place->answer);
	*place = (struct sd_token){ sd_holder_id(holder), token, sd_blob_acquire(answer) };
}

/* ---- taking ---- */

/* Idle slots of its domain and of domains that nobody uses make room for new ones. */
static bool make_room(struct sd_holder *holder, const struct ask *ask, const struct sd_pool_shortfall *shortfall, struct sd_gone *gone)
{
	uint32_t own, most = clamp_count(ask->streams);
	sd_pool_id *slot;
	uint32_t count;

	if (shortfall->resource != SD_POOL_STREAMS && shortfall->resource != SD_POOL_HUGE_STREAMS)
		return false;
	/* Nothing is given up for what then fails for another reason. */
	if (sd_pool_check(holder->device->pool, holder->model, NULL, 0, ask->events, ask->notifies, NULL, NULL) != SD_OK)
		return false;
	slot = calloc(most, sizeof(*slot));
	count = slot ? sd_pool_make_room(holder->device->pool, holder->model, ask->want, ask->want_count, slot, most, &own) : 0;
	for (uint32_t i = 0; i < count && i < own; i++)
		sd_gone_add(gone, sd_id_on_wire(holder->device, slot[i]));
	free(slot);
	return count > 0;
}

static enum sd_status take(struct sd_holder *holder, const struct ask *ask, struct got *got, struct sd_pool_shortfall *shortfall,
                           struct sd_diag *diag)
{
	struct sd_pool *pool = holder->device->pool;
	enum sd_status status;

	SD_TRY(sd_lease_allows(holder, ask->streams, diag));
	got->streams = (uint32_t)ask->streams;
	got->grant = calloc(ask->streams + 1, sizeof(*got->grant));
	if (!got->grant)
		return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("no memory is left"));
	status = sd_pool_acquire(pool, holder->model, ask->want, ask->want_count, ask->events, ask->notifies, got->grant, shortfall, diag);
	if (status == SD_RESOURCE_EXHAUSTED && make_room(holder, ask, shortfall, &got->gone)) {
		*diag = (struct sd_diag){ 0 };
		status = sd_pool_acquire(pool, holder->model, ask->want, ask->want_count, ask->events, ask->notifies, got->grant, shortfall, diag);
	}
	return status;
}

static void count_got(struct sd_holder *holder, const struct got *got)
{
	struct sd_metrics *metrics = &holder->server->metrics;
	uint32_t new_streams = 0;

	for (uint32_t i = 0; i < got->streams; i++)
		new_streams += got->grant[i].is_new;
	metrics->counter[SD_COUNTER_pool_acquired_new] += new_streams;
	metrics->counter[SD_COUNTER_pool_acquired_reused] += got->streams - new_streams;
	sd_lease_count(holder, got->streams);
}

/* Nothing was taken: says who has it. */
static void refuse(struct sd_call *call, struct sd_holder *holder, const struct sd_pool_shortfall *shortfall, struct sd_diag *diag)
{
	char words[SD_HOLDERS_MAX];
	bool is_short = shortfall->needed > 0;
	struct sd_line line;

	if (is_short) {
		sd_shortage_tell(holder->device, shortfall, words, diag);
		holder->server->metrics.pool_refused[shortfall->resource]++;
	}
	if (is_short && sd_server_may_log(holder->server, holder->conn) && sd_log_begin(&line, SD_LOG_INFO, "pool_refused")) {
		sd_log_int(&line, "conn", (int64_t)holder->conn->id);
		sd_log_int(&line, "uid", holder->conn->uid);
		sd_log_text(&line, "name", holder->name);
		sd_log_text(&line, "code", sd_code_text(diag->code));
		sd_log_int(&line, "device", holder->device->number);
		sd_log_int(&line, "needed", (int64_t)shortfall->needed);
		sd_log_int(&line, "available", (int64_t)shortfall->available);
		sd_log_int(&line, "limit", (int64_t)shortfall->limit);
		sd_log_end(&line);
	}
	sd_call_fail(call, diag);
}

static void answer_got(struct sd_call *call, struct sd_holder *holder, const struct ask *ask, struct got *got)
{
	struct sd_blob *blob = pack_got(holder, ask, got);

	count_got(holder, got);
	remember(holder, ask->token, blob);
	drop_got(got);
	sd_call_answer(call, blob);
}

/* ---- waiting ---- */

struct waiter {
	struct sd_line_place place;
	struct sd_holder *holder;
	struct sd_call *call;
	uint64_t until_ms;
	struct ask ask; /* its last wants are not there where they were not needed */
};

#define WAITER_OF(at) ((struct waiter *)((uintptr_t)(at) - offsetof(struct waiter, place)))

/* The waiter is the caller's to free. */
static void leave_line(struct waiter *waiter)
{
	struct sd_holder *holder = waiter->holder;

	sd_wait_line_leave(&holder->device->line, &waiter->place);
	holder->waiting--;
	sd_device_changed(&holder->server->devices, holder->device);
}

static void on_dropped(struct sd_call *call)
{
	leave_line(call->arg);
	free(call->arg);
}

static uint64_t waited_ns(const struct sd_call *call)
{
	return uv_hrtime() - call->arrived_ns;
}

/* The time is up: refused as it would have been at once. */
static void on_time_up(uv_timer_t *timer)
{
	struct sd_call *call = timer->data;
	struct waiter *waiter = call->arg;
	struct sd_holder *holder = waiter->holder;
	struct sd_pool_shortfall shortfall = { 0 };
	struct sd_diag diag = { 0 };

	if (sd_pool_check(holder->device->pool, holder->model, waiter->ask.want, waiter->ask.want_count, waiter->ask.events,
	                  waiter->ask.notifies, &shortfall, &diag) == SD_OK)
		SD_FAIL2(&diag, SD_CODE_POOL_LINE, SD_NO_NODE, sd_arg_int(holder->device->line.count - 1), sd_arg_int(holder->device->number));
	call->is_answered = true;
	leave_line(waiter);
	free(waiter);
	refuse(call, holder, &shortfall, &diag);
	sd_call_unpark(call);
}

static size_t ask_bytes(const struct ask *ask)
{
	return offsetof(struct ask, want) + ask->want_count * sizeof(ask->want[0]);
}

static void wait_in_line(struct sd_call *call, struct sd_holder *holder, const struct ask *ask)
{
	struct waiter *waiter = malloc(offsetof(struct waiter, ask) + ask_bytes(ask));
	uint32_t wait_ms = call->deadline_ms && call->deadline_ms < ask->wait_ms ? call->deadline_ms : ask->wait_ms;

	if (waiter)
		waiter->call = sd_call_park(call, on_dropped, waiter);
	if (!waiter || !waiter->call) {
		free(waiter);
		sd_call_answer(call, NULL);
		return;
	}
	waiter->holder = holder;
	waiter->until_ms = uv_now(&holder->server->loop) + wait_ms;
	memcpy(&waiter->ask, ask, ask_bytes(ask));
	holder->waiting++;
	sd_wait_line_join(&holder->device->line, &waiter->place, holder->priority);
	uv_timer_start(&waiter->call->deadline, on_time_up, wait_ms, 0);
	sd_device_changed(&holder->server->devices, holder->device);
}

void sd_acquire_look(const struct sd_line_place *place, struct sd_waiting *waiting)
{
	const struct waiter *waiter = WAITER_OF(place);
	uint64_t now = uv_now(&waiter->holder->server->loop);

	*waiting = (struct sd_waiting){ sd_holder_id(waiter->holder), waiter->holder->name, waiter->ask.streams,
	                                waiter->until_ms > now ? (uint32_t)(waiter->until_ms - now) : 0 };
}

static struct waiter *find_waiter(const struct sd_holder *holder, uint64_t token)
{
	struct sd_line_place *place = holder->waiting ? sd_wait_line_head(&holder->device->line) : NULL;

	while (place && (WAITER_OF(place)->holder != holder || (token && WAITER_OF(place)->ask.token != token)))
		place = sd_wait_line_behind(&holder->device->line, place);
	return place ? WAITER_OF(place) : NULL;
}

void sd_acquire_drop_waiting(struct sd_holder *holder)
{
	struct waiter *waiter;

	while ((waiter = find_waiter(holder, 0)))
		sd_call_fail_early(waiter->call, SD_CODE_POOL_MODEL_GONE, (int64_t)sd_holder_id(holder));
}

void sd_acquire_drain(struct sd_server *server)
{
	for (uint32_t i = 0; i < server->devices.count; i++) {
		struct sd_line_place *place;

		while ((place = sd_wait_line_head(&server->devices.device[i].line)))
			sd_call_fail_early(WAITER_OF(place)->call, SD_CODE_DRAINING, 0);
	}
}

/* True: the one at the head is done, and the next is at the head. */
static bool serve_head(struct waiter *waiter)
{
	struct sd_holder *holder = waiter->holder;
	struct sd_call *call = waiter->call;
	struct got got = { 0 };
	struct sd_pool_shortfall shortfall = { 0 };
	struct sd_diag diag = { 0 };
	enum sd_status status = take(holder, &waiter->ask, &got, &shortfall, &diag);

	if (status == SD_RESOURCE_EXHAUSTED && sd_code_retryable(diag.code) && diag.code != SD_CODE_POOL_QUOTA) {
		drop_got(&got);
		return false;
	}
	uv_timer_stop(&call->deadline);
	call->is_answered = true;
	leave_line(waiter);
	if (status == SD_OK) {
		got.waited_ms = waited_ns(call) / 1000000;
		sd_histogram_add(&holder->server->metrics.pool_wait_time, waited_ns(call));
		answer_got(call, holder, &waiter->ask, &got);
	} else {
		drop_got(&got);
		refuse(call, holder, &shortfall, &diag);
	}
	sd_call_unpark(call);
	free(waiter);
	return true;
}

void sd_acquire_serve(struct sd_server *server, struct sd_pool_device *device)
{
	struct sd_line_place *head;

	do
		head = sd_wait_line_head(&device->line);
	while (head && serve_head(WAITER_OF(head)));
}

/* ---- the method ---- */

/* Whether it has to let others go first, and may. */
static enum sd_status check_line(const struct sd_call *call, const struct sd_holder *holder, const struct ask *ask, bool *waits, struct sd_diag *diag)
{
	const struct sd_pool_device *device = holder->device;
	struct sd_pool_shortfall shortfall;
	struct sd_diag now = { 0 };

	*waits = sd_wait_line_is_ahead_of(&device->line, holder->priority);
	if (!*waits)
		return SD_OK;
	SD_TRY(sd_lease_allows(holder, ask->streams, diag));
	/* What can never be is refused at once. */
	if (sd_pool_check(device->pool, holder->model, ask->want, ask->want_count, ask->events, ask->notifies, &shortfall, &now) != SD_OK &&
	    !sd_code_retryable(now.code)) {
		*waits = false;
		return SD_OK;
	}
	if (ask->wait_ms == 0)
		return SD_FAIL2(diag, SD_CODE_POOL_LINE, SD_NO_NODE, sd_arg_int(device->line.count), sd_arg_int(device->number));
	return SD_OK;
}

static enum sd_status check_room_in_line(const struct sd_holder *holder, struct sd_diag *diag)
{
	const struct sd_pool_device *device = holder->device;

	if (device->line.count < holder->server->config.pool_waiting_max)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_POOL_LINE_FULL, SD_NO_NODE, sd_arg_int(device->line.count), sd_arg_int(device->number));
}

static void take_or_wait(struct sd_call *call, struct sd_holder *holder, const struct ask *ask)
{
	struct got got = { 0 };
	struct sd_pool_shortfall shortfall = { 0 };
	struct sd_diag diag = { 0 };
	bool waits;
	enum sd_status status = check_line(call, holder, ask, &waits, &diag);

	if (status == SD_OK && !waits)
		status = take(holder, ask, &got, &shortfall, &diag);
	if (status == SD_OK && !waits) {
		answer_got(call, holder, ask, &got);
		return;
	}
	drop_got(&got);
	waits = waits || (shortfall.needed && sd_code_retryable(diag.code) && ask->wait_ms);
	if (waits && shortfall.needed)
		diag = (struct sd_diag){ 0 };
	if (waits && diag.code == SD_CODE_NONE && check_room_in_line(holder, &diag) == SD_OK)
		wait_in_line(call, holder, ask);
	else
		refuse(call, holder, waits ? &(struct sd_pool_shortfall){ 0 } : &shortfall, &diag);
}

static void answer_dry_run(struct sd_call *call, struct sd_holder *holder, const struct ask *ask)
{
	Streamd__V1__AcquireAnswer answer;
	struct sd_pool *pool = holder->device->pool;
	struct sd_pool_shortfall shortfall = { 0 };
	struct sd_diag diag = { 0 };
	uint32_t slots, new_slots;

	streamd__v1__acquire_answer__init(&answer);
	if (sd_lease_allows(holder, ask->streams, &diag) != SD_OK ||
	    sd_pool_check(pool, holder->model, ask->want, ask->want_count, ask->events, ask->notifies, &shortfall, &diag) != SD_OK ||
	    sd_pool_measure(pool, holder->model, ask->want, ask->want_count, &slots, &new_slots, &diag) != SD_OK) {
		refuse(call, holder, &shortfall, &diag);
		return;
	}
	answer.events = ask->events;
	answer.notifies = ask->notifies;
	answer.new_streams = new_slots;
	sd_call_answer(call, sd_pack(&answer.base));
}

static enum sd_status check_call(const struct sd_call *call, const Streamd__V1__AcquireRequest *request, struct sd_holder **holder,
                                 struct ask *ask, struct sd_diag *diag)
{
	if (sd_server_is_draining(call->server))
		return SD_FAIL0(diag, SD_CODE_DRAINING, SD_NO_NODE);
	SD_TRY(sd_lease_find_model(call->conn, request->model, holder, diag));
	return read_ask(request, ask, diag);
}

static void acquire(struct sd_call *call, const Streamd__V1__AcquireRequest *request)
{
	struct sd_holder *holder = NULL;
	struct ask ask = { 0 };
	struct sd_diag diag = { 0 };
	struct sd_blob *again;

	if (check_call(call, request, &holder, &ask, &diag) != SD_OK) {
		sd_call_fail(call, &diag);
		return;
	}
	SD_REQUIRE(holder);
	again = remembered(holder, ask.token);
	if (again) {
		sd_call_answer(call, again);
	} else if (request->dry_run) {
		answer_dry_run(call, holder, &ask);
	} else if (ask.token && find_waiter(holder, ask.token)) {
		SD_FAIL2(&diag, SD_CODE_POOL_TOKEN_WAITS, SD_NO_NODE, sd_arg_int((int64_t)request->model), sd_arg_int((int64_t)ask.token));
		sd_call_fail(call, &diag);
	} else {
		take_or_wait(call, holder, &ask);
	}
}

void sd_answer_acquire(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__AcquireRequest *request = streamd__v1__acquire_request__unpack(NULL, call->body_bytes, call->body);

	if (!request) {
		sd_call_cannot_decode(call, "the AcquireRequest cannot be decoded");
		return;
	}
	acquire(call, request);
	streamd__v1__acquire_request__free_unpacked(request, NULL);
}
