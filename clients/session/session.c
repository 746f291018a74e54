#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json_message.h"
#include "formats/plan_answer.h"
#include "formats/request.h"
#include "session_impl.h"

/* ---- errors ---- */

enum sd_status sd__session_fail(const struct sd_session *session, const struct sd_diag *diag, struct sd_client_error *error)
{
	const struct sd_graph *graph = &session->request.graph;
	struct sd_names names = sd_graph_names(graph);
	struct sd_client_error unwanted;

	error = error ? error : &unwanted;
	sd__tell_diag(error, diag, &names);
	if (diag->node < graph->node_count)
		snprintf(error->node, sizeof(error->node), "%.*s", (int)graph->name[diag->node].len, graph->name[diag->node].at);
	return error->status;
}

/* ---- opening and closing ---- */

static enum sd_status no_memory(struct sd_client_error *error)
{
	struct sd_client_error unwanted;

	return sd__tell(error ? error : &unwanted, SD_CODE_HOST_SHORT, sd_arg_words("memory"), (struct sd_arg){ 0 });
}

static bool make_lock(struct sd_session *session)
{
	pthread_condattr_t monotonic;
	bool made;

	if (pthread_mutex_init(&session->lock, NULL) != 0)
		return false;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	made = pthread_cond_init(&session->changed, &monotonic) == 0;
	pthread_condattr_destroy(&monotonic);
	if (!made)
		pthread_mutex_destroy(&session->lock);
	return made;
}

static void set_options(struct sd_session *session, const struct sd_session_options *options)
{
	session->has_domain = options->domain;
	snprintf(session->domain, sizeof(session->domain), "%s", options->domain ? options->domain : "");
	session->device = options->device;
	session->priority = options->priority;
}

enum sd_status sd_session_open(struct sd_session **out, const struct sd_session_options *options, struct sd_client_error *error)
{
	static const struct sd_session_options usual = { .device = 0 };
	struct sd_session *session = calloc(1, sizeof(*session));
	enum sd_status status;

	*out = NULL;
	if (!session || !make_lock(session)) {
		free(session);
		return no_memory(error);
	}
	options = options ? options : &usual;
	set_options(session, options);
	sd_arena_init(&session->mem, 0);
	sd_arena_init(&session->run_mem, 0);
	status = sd_client_open(&session->client, &options->client, error);
	if (status == SD_OK)
		*out = session;
	else
		sd_session_close(session, NULL);
	return status;
}

enum sd_status sd_session_close(struct sd_session *session, struct sd_client_error *error)
{
	enum sd_status status;

	if (!session)
		return SD_OK;
	status = sd__session_give_back(session, error);
	sd_client_close(session->client);
	sd_arena_finish(&session->run_mem);
	sd_arena_finish(&session->mem);
	pthread_cond_destroy(&session->changed);
	pthread_mutex_destroy(&session->lock);
	free(session);
	return status;
}

/* ---- planning ---- */

/* The model as bytes of a PlanRequest, with the options over it. */
static enum sd_status read_model(struct sd_session *session, const char *model, const char *options, struct sd_text *bytes, struct sd_diag *diag)
{
	struct sd_json_reader reader = { &session->mem, diag, SD_CODE_BAD_JSON };
	struct sd_json_path at = sd_json_key(NULL, "options");
	struct sd_overlay overlay = { .options = NULL };
	struct sd_text content;
	enum sd_status status;

	SD_TRY(sd_input_read(&session->mem, model, &content, diag));
	if (options)
		SD_TRY(sd_json_load(&reader, &at, (struct sd_text){ options, (uint32_t)strlen(options) }, &overlay.options));
	status = sd_input_bytes(&session->mem, sd_input_kind(model, content), content, &overlay, NULL, bytes, diag);
	json_decref(overlay.options);
	return status;
}

/* Asks the daemon; the answer's bytes are the session's. */
static enum sd_status ask(struct sd_session *session, struct sd_text bytes, struct sd_text *answer, struct sd_client_error *error)
{
	struct sd_reply reply;
	enum sd_status status = sd_client_call(session->client, SD_METHOD_PLAN, bytes.at, bytes.len, 0, &reply);
	char *kept = status == SD_OK ? sd_arena_alloc(&session->mem, reply.body_bytes) : NULL;

	if (kept) {
		memcpy(kept, reply.body, reply.body_bytes);
		*answer = (struct sd_text){ kept, (uint32_t)reply.body_bytes };
	} else if (status == SD_OK) {
		status = no_memory(error);
	} else if (error) {
		*error = reply.error;
	}
	sd_reply_finish(&reply);
	return status;
}

static void tell_plan(const struct sd_session *session, bool from_cache, struct sd_session_plan *out)
{
	const struct sd_plan *plan = &session->plan;

	*out = (struct sd_session_plan){
		.nodes = session->request.graph.node_count, .streams = plan->stream_count, .events = plan->event_count,
		.notifies = plan->notify_count, .syncs = plan->sync_count, .from_cache = from_cache,
	};
}

static void forget_plan(struct sd_session *session)
{
	sd__session_give_back(session, NULL);
	session->is_planned = false;
	memset(&session->request, 0, sizeof(session->request));
	sd_arena_finish(&session->run_mem);
	sd_arena_finish(&session->mem);
}

enum sd_status sd_session_plan(struct sd_session *session, const char *model, const char *options, struct sd_session_plan *plan,
                               struct sd_client_error *error)
{
	struct sd_plan_answer answer;
	struct sd_diag diag = { 0 };
	struct sd_text bytes = SD_TEXT(""), got = SD_TEXT("");

	forget_plan(session);
	if (read_model(session, model, options, &bytes, &diag) != SD_OK)
		return sd__session_fail(session, &diag, error);
	SD_TRY(ask(session, bytes, &got, error));
	answer = sd_plan_answer_of(got);
	if (sd_planned_take(&session->mem, bytes, answer.plan, &session->request, &session->plan, NULL, &diag) != SD_OK)
		return sd__session_fail(session, &diag, error);
	session->is_planned = true;
	if (plan)
		tell_plan(session, answer.from_cache, plan);
	return SD_OK;
}
