/* One process that loads models: leases from the daemon, streams of a simulated device in their slots. */
#include "loader.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "c/streamd_pool.h"
#include "lib/random.h"
#include "streamd/device_sim.h"
#include "streamd/reuse.h"

#define MODELS 3u
#define WANTS 3u
#define STREAMS_MAX 200u         /* of one model */
#define LONG_WAIT_MS 600000u
#define SHORT_WAIT_MS 20u
#define HOLD_US 20000u
#define DOMAINS 4u               /* that several processes share */

struct model {
	struct sd_client_model at;
	struct sd_client_grants grants;
	struct sd_pool_want want[WANTS];
	uint32_t wants, priority;
	uint32_t given_back;         /* of its grants, the first ones */
};

struct loader {
	struct book *book;
	const char *socket;
	uint32_t number, state;
	struct sd_client *client;
	struct sd_device *device;
	struct sd_reuse *reuse;
	char domain[16];             /* empty: of this process alone */
	struct model model[MODELS];
	uint32_t models;
	bool is_wrong;
};

static uint32_t chance(struct loader *l, uint32_t bound)
{
	return random_below(&l->state, bound);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A status that must be OK. */
static bool need(struct loader *l, enum sd_status status, const char *what, const struct sd_client_error *error)
{
	if (status == SD_OK)
		return true;
	book_trouble(l->book, "loader %u: %s: %s %s", l->number, what, error ? error->code : sd_status_name(status), error ? error->message : "");
	l->is_wrong = true;
	return false;
}

static void wrong(struct loader *l, const char *what, uint64_t number)
{
	book_trouble(l->book, "loader %u: %s (%llu)", l->number, what, (unsigned long long)number);
	l->is_wrong = true;
}

/* As a process does that is killed, at a moment that the seed chose. */
static void maybe_die(struct loader *l)
{
	if (chance(l, 400) != 0)
		return;
	book_strike_all(l->book, l->number);
	kill(getpid(), SIGKILL);
}

static void pause_us(uint32_t us)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)us * 1000 }, NULL);
}

/* Streams whose slots are no more. */
static void destroy(struct loader *l, struct sd_client_ids *gone)
{
	struct sd_diag diag = { 0 };

	for (size_t i = 0; i < gone->count; i++)
		need(l, sd_reuse_unbind(l->reuse, gone->id[i], true, &diag), "a stream cannot be destroyed", NULL);
	sd_client_ids_finish(gone);
}

/* ---- coming and going ---- */

static bool open_device(struct loader *l)
{
	const struct sd_sim_options options = { .streams_max = 1u << 20 };
	struct sd_diag diag = { 0 };

	return need(l, sd_sim_open(&options, &l->device, &diag), "no device", NULL) &&
	       need(l, sd_reuse_create(&l->reuse, l->device, NULL, &diag), "no streams", NULL);
}

static void close_device(struct loader *l)
{
	sd_reuse_destroy(l->reuse);
	if (l->device)
		l->device->ops->close(l->device);
	l->reuse = NULL;
	l->device = NULL;
}

static bool open_client(struct loader *l)
{
	const struct sd_client_options options = { .socket = l->socket, .name = "loader", .connect_ms = 60000 };
	struct sd_client_error error;

	return need(l, sd_client_open(&l->client, &options, &error), "no connection", &error);
}

static void forget_model(struct model *model)
{
	sd_client_grants_finish(&model->grants);
	*model = (struct model){ 0 };
}

/* Hangs up without a word: all that it had goes back, the streams of its own domain too. */
static bool hang_up(struct loader *l)
{
	book_strike_all(l->book, l->number);
	sd_client_close(l->client);
	l->client = NULL;
	while (l->models)
		forget_model(&l->model[--l->models]);
	close_device(l);
	atomic_fetch_add(&l->book->closed, 1);
	return open_client(l) && open_device(l);
}

/* ---- loading ---- */

static void choose_wants(struct loader *l, struct model *model)
{
	static const uint32_t flags[] = { 0, SD_STREAM_PERSISTENT, SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY };
	uint32_t left = 1 + chance(l, chance(l, 3) ? STREAMS_MAX / 4 : STREAMS_MAX);

	for (model->wants = 0; model->wants < WANTS && left; model->wants++) {
		uint32_t count = model->wants + 1 == WANTS ? left : 1 + chance(l, left);

		model->want[model->wants] = (struct sd_pool_want){ .priority = (int32_t)chance(l, 2), .flags = flags[chance(l, 3)],
		                                                   .task_count = chance(l, 4), .count = count };
		left -= count;
	}
}

/* Each slot once, of the kind that was asked for. */
static void check_grants(struct loader *l, const struct model *model)
{
	const struct sd_client_grants *grants = &model->grants;
	uint32_t at = 0;

	for (uint32_t w = 0; w < model->wants; w++) {
		const struct sd_pool_want *want = &model->want[w];

		for (uint32_t i = 0; i < want->count && at < grants->count; i++, at++) {
			const struct sd_pool_grant *grant = &grants->grant[at];

			if (grant->want != w || grant->key.priority != want->priority || grant->key.flags != want->flags ||
			    grant->task_count < want->task_count)
				wrong(l, "a slot of another kind is granted", grant->slot);
			for (uint32_t k = 0; k < at; k++) {
				if (grants->grant[k].slot == grant->slot)
					wrong(l, "a model is granted a slot twice", grant->slot);
			}
		}
		if (at == grants->count && w + 1 < model->wants)
			wrong(l, "fewer slots are granted than were asked for", at);
	}
	if (at != grants->count)
		wrong(l, "more slots are granted than were asked for", grants->count);
}

static void keep_wait(struct loader *l, const struct model *model, int64_t sent, uint32_t waited_ms, bool is_granted)
{
	book_add_wait(l->book, &(struct book_wait){ sent, now_ns(), waited_ms, model->priority, is_granted });
}

/* Who holds something does not wait for long for more: all would wait for each other. */
static uint32_t choose_wait(struct loader *l)
{
	return l->models == 0 ? LONG_WAIT_MS : chance(l, 2) ? SHORT_WAIT_MS : 0;
}

/* False: refused, as may be, or something is wrong. */
static bool acquire(struct loader *l, struct model *model)
{
	struct sd_client_acquire_ask ask = { .want = model->want, .want_count = model->wants, .events = chance(l, 8), .wait_ms = choose_wait(l) };
	struct sd_client_error error;
	int64_t sent = now_ns();
	enum sd_status status = sd_client_acquire(l->client, &model->at, &ask, &model->grants, &error);

	if (status == SD_OK)
		keep_wait(l, model, sent, (uint32_t)model->grants.waited_ms, true);
	destroy(l, &model->grants.gone);
	if (status == SD_OK)
		return true;
	atomic_fetch_add(&l->book->refused, 1);
	if (status == SD_RESOURCE_EXHAUSTED && error.retryable && ask.wait_ms != LONG_WAIT_MS)
		keep_wait(l, model, sent, ask.wait_ms, false);
	else
		need(l, status, "an acquire", &error);
	return false;
}

static bool take_streams(struct loader *l, struct model *model)
{
	struct sd_reuse_stream *stream = calloc(model->grants.count + 1, sizeof(*stream));
	struct sd_diag diag = { 0 };
	uint32_t failed;
	bool good = stream && need(l, sd_reuse_bind(l->reuse, model->grants.grant, model->grants.count, stream, &failed, &diag),
	                           "streams cannot be made", NULL);

	for (uint32_t i = 0; good && i < model->grants.count; i++) {
		/* Of its own domain a process has made every stream that is to be there. */
		if (!*l->domain && model->grants.grant[i].is_new == stream[i].is_reused)
			wrong(l, stream[i].is_reused ? "a stream is to be made that is there" : "a stream is to be there that nobody made", stream[i].slot);
		if (stream[i].is_reused)
			atomic_fetch_add(&l->book->reused, 1);
	}
	if (good && model->grants.count) {
		struct sd_task task = { .name = "t", .kind = SD_TASK_SLEEP, .duration_ns = 1000 };
		sd_handle chosen = stream[chance(l, model->grants.count)].stream;

		good = need(l, l->device->ops->submit(l->device, chosen, &task, 1, &diag), "a task is not taken", NULL) &&
		       need(l, l->device->ops->stream_synchronize(l->device, chosen, 1000, &diag), "a task does not end", NULL);
	}
	free(stream);
	return good;
}

static void drop_refused(struct loader *l, struct model *model)
{
	struct sd_client_returned returned;
	struct sd_client_error error;

	need(l, sd_client_unload(l->client, &model->at, &returned, &error), "an unload", &error);
	destroy(l, &returned.gone);
	forget_model(model);
}

static void load(struct loader *l)
{
	struct model *model = &l->model[l->models];
	struct sd_client_model_ask ask = { .name = "m", .domain = l->domain };
	struct sd_client_error error;

	model->priority = ask.priority = chance(l, 4) ? 3 : 1;
	choose_wants(l, model);
	if (!need(l, sd_client_register(l->client, &ask, &model->at, &error), "a registration", &error))
		return;
	if (!acquire(l, model)) {
		drop_refused(l, model);
		return;
	}
	check_grants(l, model);
	for (uint32_t i = 0; i < model->grants.count; i++)
		book_claim(l->book, l->number, model->grants.grant[i].slot);
	atomic_fetch_add(&l->book->granted, 1);
	l->models++;
	maybe_die(l);
	take_streams(l, model);
}

/* ---- running and giving back ---- */

static void look(struct loader *l)
{
	struct sd_client_pool_stats stats;
	struct sd_client_heard heard;
	struct sd_client_error error;

	if (need(l, sd_client_heartbeat(l->client, &heard, &error), "a heartbeat", &error) && heard.renewed != l->models)
		wrong(l, "a heartbeat keeps another number of models", heard.renewed);
	destroy(l, &heard.gone);
	if (heard.taken.count)
		wrong(l, "a lease was taken away", heard.taken.id[0]);
	if (need(l, sd_client_pool_stats(l->client, 0, &stats, &error), "figures", &error) && stats.slots > l->book->budget)
		wrong(l, "there are more slots than may be", stats.slots);
}

/* Some of the leases of a model, sometimes as broken. */
static void give_back_some(struct loader *l, struct model *model)
{
	uint64_t lease[STREAMS_MAX];
	uint32_t left = model->grants.count - model->given_back, count = left ? 1 + chance(l, left) : 0;
	struct sd_client_release_ask ask = { .lease = lease, .lease_count = count, .is_broken = chance(l, 4) == 0 };
	struct sd_client_returned returned;
	struct sd_client_error error;

	for (uint32_t i = 0; i < count; i++) {
		const struct sd_pool_grant *grant = &model->grants.grant[model->given_back++];

		lease[i] = grant->lease;
		book_strike(l->book, l->number, grant->slot);
	}
	if (need(l, sd_client_release(l->client, &model->at, &ask, &returned, &error), "a release", &error) && returned.released != count)
		wrong(l, "another number of leases goes back", returned.released);
	atomic_fetch_add(&l->book->broken, ask.is_broken ? count : 0);
	destroy(l, &returned.gone);
}

static void unload_oldest(struct loader *l)
{
	struct model *model = &l->model[0];
	uint32_t left = model->grants.count - model->given_back;
	struct sd_client_returned returned;
	struct sd_client_error error;

	for (uint32_t i = model->given_back; i < model->grants.count; i++)
		book_strike(l->book, l->number, model->grants.grant[i].slot);
	if (need(l, sd_client_unload(l->client, &model->at, &returned, &error), "an unload", &error) && returned.released != left)
		wrong(l, "an unload gives back another number of leases", returned.released);
	destroy(l, &returned.gone);
	forget_model(model);
	memmove(&l->model[0], &l->model[1], (MODELS - 1) * sizeof(l->model[0]));
	l->model[--l->models] = (struct model){ 0 };
}

static void go_on(struct loader *l)
{
	pause_us(chance(l, HOLD_US));
	if (chance(l, 3) == 0)
		look(l);
	if (l->models && chance(l, 3) == 0)
		give_back_some(l, &l->model[l->models - 1]);
	maybe_die(l);
	while (l->models && (l->models == MODELS || chance(l, 2)) && !l->is_wrong)
		unload_oldest(l);
	if (chance(l, 40) == 0)
		hang_up(l);
}

int loader_live(struct book *book, const char *socket, uint32_t number, uint32_t seed)
{
	struct loader l = { .book = book, .socket = socket, .number = number, .state = seed };

	/* Models of one slot together are of one process: the book knows one owner of a slot. */
	if (number % 2 && !book->is_shared)
		snprintf(l.domain, sizeof(l.domain), "d%u", number / 2 % DOMAINS);
	l.is_wrong = !open_client(&l) || !open_device(&l);
	while (!l.is_wrong && atomic_load(&book->troubles) == 0 && atomic_fetch_sub(&book->rounds_left, 1) > 0) {
		load(&l);
		go_on(&l);
	}
	atomic_store(&book->seat[number].is_leaving, 1);
	while (l.models && !l.is_wrong)
		unload_oldest(&l);
	while (l.models)
		forget_model(&l.model[--l.models]);
	sd_client_close(l.client);
	close_device(&l);
	return l.is_wrong ? LOADER_TROUBLE : 0;
}
