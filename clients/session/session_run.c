/* Runs in leased slots, and what is told of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_impl.h"

#define RUNS 3u           /* of which the first warms up caches and threads */
#define FAULT_BYTES 400u

const struct sd_run_options sd__session_choices = { .draws_choices = true };

/* ---- streams for the loader ---- */

/* Real streams are of the kind that the loader asks for: on acl they run at once, whatever device the lease was thought for. */
static enum sd_status bind(struct sd_session *session, const struct sd_stream_want *want, uint32_t count, struct sd_reuse_stream *bound, struct sd_diag *diag)
{
	struct sd_pool_grant *grant;
	uint32_t failed;
	enum sd_status status;

	if (count != session->grants.count)
		return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("other streams are loaded than were leased"));
	grant = calloc((size_t)count + 1, sizeof(*grant));
	if (!grant)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	for (uint32_t i = 0; i < count; i++) {
		grant[i] = session->grants.grant[i];
		grant[i].key.flags = want[i].flags;
	}
	status = sd_reuse_bind(session->reuse, grant, count, bound, &failed, diag);
	if (status != SD_OK)
		session->is_broken[failed] = true;
	free(grant);
	return status;
}

/* The loader asks for what was leased, in the same order. */
static enum sd_status take_streams(void *arg, const struct sd_stream_want *want, uint32_t count, sd_handle *stream, struct sd_diag *diag)
{
	struct sd_session *session = arg;
	struct sd_reuse_stream *bound = calloc((size_t)count + 1, sizeof(*bound));
	enum sd_status status;

	if (!bound)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	status = bind(session, want, count, bound, diag);
	session->made_streams = 0;
	for (uint32_t i = 0; status == SD_OK && i < count; i++) {
		stream[i] = bound[i].stream;
		session->made_streams += !bound[i].is_reused;
	}
	free(bound);
	return status;
}

/* A stream stays in its slot until the lease is given back. */
static enum sd_status leave_stream(void *arg, sd_handle stream, bool is_broken, struct sd_diag *diag)
{
	struct sd_session *session = arg;
	struct sd_reuse_stream *bound = is_broken ? calloc((size_t)session->grants.count + 1, sizeof(*bound)) : NULL;
	uint32_t failed;

	if (!bound)
		return SD_OK;
	if (sd_reuse_bind(session->reuse, session->grants.grant, session->grants.count, bound, &failed, NULL) == SD_OK) {
		for (uint32_t i = 0; i < session->grants.count; i++)
			session->is_broken[i] |= bound[i].stream == stream;
	}
	free(bound);
	return SD_OK;
}

/* ---- where it runs ---- */

static void set_reuse(struct sd_session *session, struct sd_reuse *reuse)
{
	pthread_mutex_lock(&session->lock);
	session->reuse = reuse;
	pthread_mutex_unlock(&session->lock);
}

void sd__session_leave_place(struct sd_session *session)
{
	struct sd_reuse *reuse = session->reuse;

	set_reuse(session, NULL);
	sd_reuse_destroy(reuse);
	sd_place_close(&session->place);
}

static void log_line(void *arg, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static bool is_there(const struct sd_session *session, const struct sd_device_name *name)
{
	const struct sd_device_name *is = &session->place.name;

	return session->reuse && is->kind == name->kind && is->number == name->number && strcmp(is->library, name->library) == 0;
}

static enum sd_status go_to(struct sd_session *session, const char *device, struct sd_diag *diag)
{
	struct sd_device_name name;
	struct sd_reuse *reuse;

	if (sd_device_name_read(device, &name, NULL) != SD_OK)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the device of a run"), sd_arg_text((struct sd_text){ device, (uint32_t)strlen(device) }),
		                sd_arg_words("host, sim, or acl or cuda (:LIBRARY, @NUMBER)"));
	if (is_there(session, &name))
		return SD_OK;
	sd__session_leave_place(session);
	SD_TRY(sd_place_open(&session->place, &name, &session->settings, &session->request, log_line, NULL, diag));
	if (sd_reuse_create(&reuse, session->place.stack.front, NULL, diag) != SD_OK) {
		sd_place_close(&session->place);
		return sd_code_status(diag->code);
	}
	set_reuse(session, reuse);
	session->source = (struct sd_stream_source){ take_streams, leave_stream, session };
	return SD_OK;
}

/* ---- what was seen ---- */

/* The first order that was broken, or the first two accesses that nothing orders. */
static enum sd_status check_orders(struct sd_session *session, const struct sd_watch *watch, struct sd_diag *diag)
{
	struct sd_device *checked = session->place.stack.checked;
	char *text = sd_arena_alloc(&session->run_mem, FAULT_BYTES);
	const struct sd_race *race = NULL;
	bool missed = false;

	if (!text)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	if (checked)
		race = sd_race_at(sd_race_device_check(checked, &missed), 0);
	if (watch->broken > 0)
		sd_watch_fault_text(watch, &watch->fault[0], text, FAULT_BYTES);
	else if (race)
		snprintf(text, FAULT_BYTES, "nothing orders what %.128s and %.128s do to one memory", race->first.name, race->second.name);
	else
		return missed ? SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory")) : SD_OK;
	return SD_FAIL1(diag, SD_CODE_PLAN_UNKEPT, SD_NO_NODE, sd_arg_words(text));
}

static enum sd_status tell_run(struct sd_session *session, const struct sd_watch *watch, struct sd_session_run *run, struct sd_diag *diag)
{
	const struct sd_measure *seen = &watch->measure;
	struct sd_session_stream *stream = SD_NEW0(&session->run_mem, struct sd_session_stream, (size_t)seen->stream_count + 1);
	uint64_t runs = seen->runs;

	if (!stream)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	*run = (struct sd_session_run){ .runs = (uint32_t)runs, .made_streams = session->made_streams, .edges = watch->edges, .orders = watch->orders, .span_ns = seen->span_ns / runs,
	                                .busy_ns = seen->busy_ns / runs, .stream_count = seen->stream_count, .stream = stream };
	for (uint32_t s = 0; s < seen->stream_count; s++) {
		stream[s] = (struct sd_session_stream){ session->grants.grant[s].slot, seen->stream[s].tasks / runs, seen->stream[s].busy_ns / runs,
		                                        seen->stream[s].overlap_ns / runs };
		run->overlap_ns += stream[s].overlap_ns;
	}
	run->overlap = run->busy_ns ? (double)run->overlap_ns / (double)run->busy_ns : 0;
	return SD_OK;
}

static enum sd_status run_there(struct sd_session *session, uint32_t runs, struct sd_session_run *run, struct sd_diag *diag)
{
	struct sd_watch_wish wish = { .options = sd__session_choices, .runs = runs, .has_edges = true };
	struct sd_watch *watch = SD_NEW0(&session->run_mem, struct sd_watch, 1);
	enum sd_status status, ended;

	if (!watch)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	wish.options.source = &session->source;
	status = sd_place_watch(&session->run_mem, &session->place, &session->request, &session->plan, &wish, watch, diag);
	if (status == SD_OK)
		status = check_orders(session, watch, diag);
	if (status == SD_OK)
		status = tell_run(session, watch, run, diag);
	ended = sd_watch_end(watch, diag);
	return status != SD_OK ? status : ended;
}

/* ---- whether it may ---- */

static enum sd_status check_lease(struct sd_session *session, struct sd_client_error *error)
{
	struct sd_client_error unwanted;

	error = error ? error : &unwanted;
	if (!session->is_leased)
		return sd__tell(error, SD_CODE_CALL_ORDER, sd_arg_words("run in"), sd_arg_words("sd_session_lease()"));
	if (sd__session_is_lost(session, error))
		return error->status;
	for (uint32_t i = 0; i < session->grants.count; i++) {
		if (session->is_broken[i])
			return sd__tell(error, SD_CODE_LEASE_LOST, sd_arg_words("a run that failed left streams of it damaged, or could not make them"), (struct sd_arg){ 0 });
	}
	return SD_OK;
}

enum sd_status sd_session_run(struct sd_session *session, const char *device, uint32_t runs, struct sd_session_run *run, struct sd_client_error *error)
{
	struct sd_session_run unwanted;
	struct sd_diag diag = { 0 };

	SD_TRY(check_lease(session, error));
	sd_arena_finish(&session->run_mem);
	if (go_to(session, device ? device : "host", &diag) == SD_OK && run_there(session, runs ? runs : RUNS, run ? run : &unwanted, &diag) == SD_OK)
		return SD_OK;
	if (sd__session_is_lost(session, error ? error : &(struct sd_client_error){ .retryable = false })) /* which is why */
		return SD_FAILED_PRECONDITION;
	return sd__session_fail(session, &diag, error);
}
