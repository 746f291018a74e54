/* Streams of the daemon's pool: leasing them, keeping them, giving them back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "session_impl.h"
#include "streamd/flow_of.h"

/* ---- keeping ---- */

static void lose(struct sd_session *session, const char *how)
{
	session->is_lost = true;
	sd__tell(&session->loss, SD_CODE_LEASE_LOST, sd_arg_words(how), (struct sd_arg){ 0 });
}

/* An answer that is late is asked for again; a connection that is lost has lost what it held. */
static void hear(struct sd_session *session)
{
	struct sd_client_heard heard;
	struct sd_client_error error;
	enum sd_status status = sd_client_heartbeat(session->client, &heard, &error);

	pthread_mutex_lock(&session->lock);
	for (size_t i = 0; session->reuse && i < heard.gone.count; i++)
		sd_reuse_unbind(session->reuse, heard.gone.id[i], false, NULL);
	if (status != SD_OK && status != SD_DEADLINE_EXCEEDED)
		lose(session, error.message);
	else if (status == SD_OK && heard.taken.count > 0)
		lose(session, "an operator took streams of it away");
	else if (status == SD_OK && heard.renewed == 0)
		lose(session, "the daemon has not heard of it for too long, or an operator took it away");
	pthread_mutex_unlock(&session->lock);
	sd_client_ids_finish(&heard.gone);
	sd_client_ids_finish(&heard.taken);
}

/* Under the lock: until it is time for the next heartbeat, or the session gives back. */
static void pause_until_next(struct sd_session *session)
{
	uint64_t third_ms = session->model.ttl_ms / 3 + 1;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(third_ms / 1000);
	until.tv_nsec += (long)(third_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (!session->stops && pthread_cond_timedwait(&session->changed, &session->lock, &until) != ETIMEDOUT)
		;
}

static void *keep(void *arg)
{
	struct sd_session *session = arg;

	pthread_mutex_lock(&session->lock);
	while (!session->stops && !session->is_lost) {
		pause_until_next(session);
		if (session->stops)
			break;
		pthread_mutex_unlock(&session->lock);
		hear(session);
		pthread_mutex_lock(&session->lock);
	}
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

bool sd__session_is_lost(struct sd_session *session, struct sd_client_error *loss)
{
	bool is_lost;

	pthread_mutex_lock(&session->lock);
	is_lost = session->is_lost;
	if (is_lost)
		*loss = session->loss;
	pthread_mutex_unlock(&session->lock);
	return is_lost;
}

/* ---- giving back ---- */

static void stop_keeping(struct sd_session *session)
{
	pthread_mutex_lock(&session->lock);
	session->stops = true;
	pthread_cond_signal(&session->changed);
	pthread_mutex_unlock(&session->lock);
	pthread_join(session->beater, NULL);
}

/* Streams that a run left damaged: nobody is given their slots again. */
static void tell_broken(struct sd_session *session)
{
	for (uint32_t i = 0; i < session->grants.count; i++) {
		const uint64_t lease = session->grants.grant[i].lease;
		const struct sd_client_release_ask ask = { .lease = &lease, .lease_count = 1, .is_broken = true };
		struct sd_client_returned returned;

		if (!session->is_broken[i])
			continue;
		sd_client_release(session->client, &session->model, &ask, &returned, NULL);
		sd_client_ids_finish(&returned.gone);
	}
}

static enum sd_status unload(struct sd_session *session, struct sd_client_error *error)
{
	struct sd_client_returned returned;
	enum sd_status status = sd_client_unload(session->client, &session->model, &returned, error);

	sd_client_ids_finish(&returned.gone);
	return status;
}

/* What an acquire brought, without a thread that keeps it. */
static void forget_lease(struct sd_session *session)
{
	sd_client_grants_finish(&session->grants);
	free(session->is_broken);
	session->is_broken = NULL;
	session->is_leased = session->stops = session->is_lost = false;
}

enum sd_status sd__session_give_back(struct sd_session *session, struct sd_client_error *error)
{
	struct sd_client_error unwanted, loss;
	enum sd_status status;

	if (!session->is_leased)
		return SD_OK;
	error = error ? error : &unwanted;
	stop_keeping(session);
	sd__session_leave_place(session);
	tell_broken(session);
	status = unload(session, error);
	if (sd__session_is_lost(session, &loss)) {
		*error = loss;
		status = loss.status;
	}
	forget_lease(session);
	return status;
}

/* ---- leasing ---- */

/* What the loader will ask for, in its order. */
static enum sd_status find_wants(struct sd_session *session, struct sd_pool_want **out, uint32_t *count, struct sd_diag *diag)
{
	struct sd_load load = { .plan = &session->plan, .priority = session->settings.of[SD_SET_STREAM_PRIORITY].value };
	const struct sd_stream_want *stream;
	struct sd_pool_want *want;
	struct sd_flow flow;

	SD_TRY(sd_flow_of(&session->mem, &session->request.graph, &session->plan, &flow, diag));
	load.flow = &flow;
	stream = sd_streams_wanted(&session->mem, &load, count);
	want = stream ? SD_NEW(&session->mem, struct sd_pool_want, (size_t)*count + 1) : NULL;
	if (!want)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	for (uint32_t i = 0; i < *count; i++)
		want[i] = (struct sd_pool_want){ .priority = stream[i].priority, .flags = stream[i].flags, .task_count = stream[i].task_count, .count = 1 };
	*out = want;
	return SD_OK;
}

/* The events that a run will take: those of the loader are as many as turns are to be kept apart. */
static enum sd_status find_events(const struct sd_session *session, uint32_t *events, struct sd_diag *diag)
{
	struct sd_arena scratch;
	enum sd_status status;

	sd_arena_init(&scratch, 0);
	status = sd_runner_events(&scratch, &session->request, &session->plan, &sd__session_choices, events, diag);
	sd_arena_finish(&scratch);
	return status;
}

static enum sd_status enlist(struct sd_session *session, struct sd_client_error *error)
{
	char name[SD_CLIENT_DOMAIN_MAX];
	struct sd_text graph = session->request.graph.graph[SD_ROOT].name;
	const struct sd_client_model_ask ask = { .name = name, .domain = session->has_domain ? session->domain : NULL,
	                                         .device = session->device, .priority = session->priority };

	snprintf(name, sizeof(name), "%.*s", (int)graph.len, graph.at);
	return sd_client_register(session->client, &ask, &session->model, error);
}

static enum sd_status acquire(struct sd_session *session, const struct sd_client_acquire_ask *ask, struct sd_client_error *error)
{
	enum sd_status status = sd_client_acquire(session->client, &session->model, ask, &session->grants, error);

	if (status == SD_OK) {
		session->is_broken = calloc((size_t)ask->want_count + 1, sizeof(*session->is_broken));
		session->is_leased = session->is_broken && pthread_create(&session->beater, NULL, keep, session) == 0;
	}
	if (status == SD_OK && !session->is_leased) {
		struct sd_diag diag = { 0 };

		SD_FAIL1(&diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory or threads"));
		status = sd__session_fail(session, &diag, error);
	}
	if (status != SD_OK) {
		unload(session, NULL);
		forget_lease(session);
	}
	return status;
}

static void tell_lease(const struct sd_client_grants *grants, struct sd_session_lease *lease)
{
	*lease = (struct sd_session_lease){ .streams = grants->count, .new_streams = grants->new_streams, .events = grants->events,
	                                    .notifies = grants->notifies, .waited_ms = grants->waited_ms };
}

enum sd_status sd_session_lease(struct sd_session *session, uint32_t wait_ms, struct sd_session_lease *lease, struct sd_client_error *error)
{
	struct sd_client_acquire_ask ask = { .wait_ms = wait_ms };
	struct sd_diag diag = { 0 };
	struct sd_pool_want *want = NULL;
	uint32_t count = 0, events = 0;

	sd__session_give_back(session, NULL);
	if (!session->is_planned) {
		SD_FAIL2(&diag, SD_CODE_CALL_ORDER, SD_NO_NODE, sd_arg_words("lease"), sd_arg_words("sd_session_plan()"));
		return sd__session_fail(session, &diag, error);
	}
	if (sd_settings_read(&session->settings, NULL, NULL, &diag) != SD_OK || find_wants(session, &want, &count, &diag) != SD_OK ||
	    find_events(session, &events, &diag) != SD_OK)
		return sd__session_fail(session, &diag, error);
	ask.want = want;
	ask.want_count = count;
	ask.events = events;
	ask.notifies = session->plan.notify_count;
	SD_TRY(enlist(session, error));
	SD_TRY(acquire(session, &ask, error));
	if (lease)
		tell_lease(&session->grants, lease);
	return SD_OK;
}
