#include "rpc.h"

#include <stdlib.h>

#include "batch.h"
#include "call_impl.h"
#include "conn.h"
#include "error.h"
#include "packing.h"
#include "server.h"

static const struct sd_rpc table[] = {
/*	  name             number                    on the loop               on a worker         role             under load     idempotent */
	{ "Plan",          SD_METHOD_PLAN,           NULL,                     sd_run_plan,        SD_ROLE_SUBMIT,  SD_SHED_JOB,   true  },
	{ "PlanBatch",     SD_METHOD_PLAN_BATCH,     NULL,                     sd_run_plan_batch,  SD_ROLE_SUBMIT,  SD_SHED_JOB,   true  },
	{ "Explain",       SD_METHOD_EXPLAIN,        NULL,                     sd_run_explain,     SD_ROLE_SUBMIT,  SD_SHED_EXTRA, true  },
	{ "Verify",        SD_METHOD_VERIFY,         NULL,                     sd_run_verify,      SD_ROLE_SUBMIT,  SD_SHED_EXTRA, true  },
	{ "Simulate",      SD_METHOD_SIMULATE,       NULL,                     sd_run_simulate,    SD_ROLE_SUBMIT,  SD_SHED_EXTRA, true  },
	{ "Report",        SD_METHOD_REPORT,         sd_answer_report,         NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, false },
	{ "Status",        SD_METHOD_STATUS,         sd_answer_status,         NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "Limits",        SD_METHOD_LIMITS,         sd_answer_limits,         NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "CacheStats",    SD_METHOD_CACHE_STATS,    sd_answer_cache_stats,    NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "CacheFlush",    SD_METHOD_CACHE_FLUSH,    NULL,                     sd_run_cache_flush, SD_ROLE_ADMIN,   SD_SHED_JOB,   true  },
	{ "Drain",         SD_METHOD_DRAIN,          sd_answer_drain,          NULL,               SD_ROLE_ADMIN,   SD_SHED_NEVER, true  },
	{ "Ping",          SD_METHOD_PING,           sd_answer_ping,           NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "Jobs",          SD_METHOD_JOBS,           sd_answer_jobs,           NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "CancelJob",     SD_METHOD_CANCEL_JOB,     sd_answer_cancel_job,     NULL,               SD_ROLE_ADMIN,   SD_SHED_NEVER, false },
	{ "RegisterModel", SD_METHOD_REGISTER_MODEL, sd_answer_register_model, NULL,               SD_ROLE_LEASE,   SD_SHED_LEASE, false },
	{ "Acquire",       SD_METHOD_ACQUIRE,        sd_answer_acquire,        NULL,               SD_ROLE_LEASE,   SD_SHED_LEASE, false },
	{ "Release",       SD_METHOD_RELEASE,        sd_answer_release,        NULL,               SD_ROLE_LEASE,   SD_SHED_NEVER, false },
	{ "Heartbeat",     SD_METHOD_HEARTBEAT,      sd_answer_heartbeat,      NULL,               SD_ROLE_LEASE,   SD_SHED_NEVER, true  },
	{ "Describe",      SD_METHOD_DESCRIBE,       sd_answer_describe,       NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "Unload",        SD_METHOD_UNLOAD,         sd_answer_unload,         NULL,               SD_ROLE_LEASE,   SD_SHED_NEVER, false },
	{ "Budget",        SD_METHOD_BUDGET,         sd_answer_budget,         NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "Reserve",       SD_METHOD_RESERVE,        sd_answer_reserve,        NULL,               SD_ROLE_LEASE,   SD_SHED_LEASE, false },
	{ "PoolStats",     SD_METHOD_POOL_STATS,     sd_answer_pool_stats,     NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "List",          SD_METHOD_LIST,           sd_answer_list,           NULL,               SD_ROLE_OBSERVE, SD_SHED_NEVER, true  },
	{ "Watch",         SD_METHOD_WATCH,          sd_answer_watch,          NULL,               SD_ROLE_OBSERVE, SD_SHED_LEASE, true  },
};
#define ROWS ((uint32_t)(sizeof(table) / sizeof(table[0])))
_Static_assert(ROWS + SD_METRIC_EXTRAS <= SD_METRIC_METHODS, "each row has its metrics, and unknown and extra ones have theirs");

uint32_t sd_rpc_count(void)
{
	return ROWS;
}

const struct sd_rpc *sd_rpc_row(uint32_t row)
{
	return row < ROWS ? &table[row] : NULL;
}

const struct sd_rpc *sd_rpc_find(uint16_t number)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		if (table[i].number == number)
			return &table[i];
	}
	return NULL;
}

uint32_t sd_rpc_row_of(const struct sd_rpc *rpc)
{
	return rpc ? (uint32_t)(rpc - table) : ROWS;
}

/* ---- calls that run as jobs ---- */

static void free_job(struct sd_job *job)
{
	struct sd_call *call;

	while ((call = job->calls)) {
		job->calls = call->job_next;
		sd__call_free(call);
	}
	sd_job_destroy(job);
}

void sd__call_let_go(struct sd_call *call)
{
	struct sd_job *taken;

	uv_timer_stop(&call->deadline);
	if (call->dropped) {
		call->dropped(call);
		sd__call_free(call);
		return;
	}
	if (sd_jobs_forsake(&call->server->jobs, call, &taken))
		free_job(taken);
}

void sd_call_fail_early(struct sd_call *call, enum sd_code code, int64_t number)
{
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, code, SD_NO_NODE, sd_arg_int(number));
	/* First, because sending may close the connection, which lets go of what is not answered. */
	call->is_answered = true;
	sd_call_fail(call, &diag);
	sd__call_let_go(call);
}

static void on_deadline(uv_timer_t *timer)
{
	struct sd_call *call = timer->data;

	sd_call_fail_early(call, SD_CODE_DEADLINE, call->deadline_ms);
}

static struct sd_call *find_open(const struct sd_conn *conn, uint64_t request_id)
{
	struct sd_call *call = conn->calls;

	while (call && (call->is_answered || call->request_id != request_id))
		call = call->conn_next;
	return call;
}

void sd_rpc_cancel(struct sd_conn *conn, uint64_t request_id)
{
	struct sd_call *call = find_open(conn, request_id);

	if (call)
		sd_call_fail_early(call, SD_CODE_CANCELLED, 0);
}

void sd_rpc_abandon(struct sd_conn *conn)
{
	struct sd_call *call;

	while ((call = conn->calls)) {
		conn->calls = call->conn_next;
		conn->call_count--;
		call->conn = NULL;
		if (!call->is_answered) {
			call->is_answered = true;
			sd__call_record(call, &(struct sd__outcome){ .status = SD_CANCELLED, .code = SD_CODE_CANCELLED });
			sd__call_let_go(call);
		}
	}
}

static struct sd_admission bounds_of(const struct sd_config *config)
{
	return (struct sd_admission){ .nodes_max = config->nodes_max, .edges_max = config->edges_max,
	                              .attrs_max = config->attrs_max, .job_bytes_max = config->job_bytes_max };
}

static enum sd_status submit(struct sd_call *call, bool again, struct sd_diag *diag)
{
	const struct sd_config *config = &call->server->config;
	struct sd_admission bounds = bounds_of(config);

	if (!again && sd_server_is_draining(call->server) && !call->conn->kind->does_what_came)
		return SD_FAIL0(diag, SD_CODE_DRAINING, SD_NO_NODE);
	return sd_jobs_submit(&call->server->jobs, call, again, &bounds, again ? 0 : (uint32_t)config->queue_jobs_max, diag);
}

enum sd_status sd_rpc_submit_item(struct sd_call *item, struct sd_diag *diag)
{
	struct sd_admission bounds = bounds_of(&item->server->config);

	return sd_jobs_submit(&item->server->jobs, item, false, &bounds, 0, diag);
}

static uint32_t deadline_of(struct sd_server *server, const struct sd_ask *ask)
{
	const struct sd_config *config = &server->config;

	if (ask->deadline_ms == 0) {
		server->metrics.counter[SD_COUNTER_deadlines_missing]++;
		return (uint32_t)config->deadline_ms_default;
	}
	return ask->deadline_ms < config->deadline_ms_max ? ask->deadline_ms : (uint32_t)config->deadline_ms_max;
}

static void begin_job(struct sd_conn *conn, const struct sd_call *filled, const struct sd_ask *ask)
{
	struct sd_call *call = malloc(sizeof(*call));
	struct sd_diag diag = { 0 };

	if (!call) {
		free(filled->body);
		conn->server->request_bytes -= filled->body_bytes;
		conn->kind->close(conn, "no memory is left");
		return;
	}
	*call = *filled;
	call->deadline_ms = deadline_of(conn->server, ask);
	sd__call_attach(conn, call);
	if (submit(call, false, &diag) != SD_OK) {
		call->is_answered = true;
		sd_call_fail(call, &diag);
		sd__call_free(call);
		return;
	}
	uv_timer_start(&call->deadline, on_deadline, call->deadline_ms, 0);
}

void sd_rpc_begin(struct sd_conn *conn, const struct sd_ask *ask, unsigned char *body)
{
	struct sd_server *server = conn->server;
	struct sd_call call = { .server = server, .conn = conn, .rpc = ask->rpc, .conn_id = conn->id, .request_id = ask->request_id,
	                        .body = body, .body_bytes = ask->body_bytes, .unpacked_max = ask->unpacked_max, .pack_above = ask->pack_above,
	                        .items_max = (uint32_t)server->config.batch_items_max, .arrived_ns = uv_hrtime() };

	uv_update_time(&server->loop); /* its timer begins now, not when this turn of the loop did */
	if (call.rpc->run) {
		begin_job(conn, &call, ask);
		return;
	}
	call.deadline_ms = ask->deadline_ms;
	call.rpc->answer(server, &call);
	free(body);
	server->request_bytes -= ask->body_bytes;
}

/* ---- admission ---- */

uint64_t sd_rpc_body_max(const struct sd_server *server, const struct sd_rpc *rpc)
{
	uint64_t frame = server->config.frame_bytes_max - SD_FRAME_HEADER, batch = server->config.batch_bytes_max;

	if (!rpc->run)
		return SD_RPC_LOOP_BODY_MAX;
	return rpc->number == SD_METHOD_PLAN_BATCH && batch < frame ? batch : frame;
}

static enum sd_status check_request(struct sd_conn *conn, const struct sd_ask *ask, struct sd_diag *diag)
{
	const struct sd_server *server = conn->server;
	const struct sd_rpc *rpc = ask->rpc;

	if (!rpc)
		return SD_FAIL1(diag, SD_CODE_UNKNOWN_METHOD, SD_NO_NODE, sd_arg_int(ask->method));
	if (!sd_server_allows(conn, rpc->role))
		return SD_FAIL1(diag, rpc->role == SD_ROLE_LEASE ? SD_CODE_NO_LEASE_ROLE : SD_CODE_NOT_ALLOWED, SD_NO_NODE, sd_arg_words(rpc->name));
	if (find_open(conn, ask->request_id))
		return SD_FAIL1(diag, SD_CODE_REQUEST_ID_TWICE, SD_NO_NODE, sd_arg_int((int64_t)ask->request_id));
	if (rpc->run && sd_server_is_draining(server) && !conn->kind->does_what_came)
		return SD_FAIL0(diag, SD_CODE_DRAINING, SD_NO_NODE);
	if (ask->body_bytes > sd_rpc_body_max(server, rpc))
		return SD_FAIL2(diag, SD_CODE_LIMIT_FRAME, SD_NO_NODE, sd_arg_int((int64_t)ask->body_bytes + SD_FRAME_HEADER),
		                sd_arg_int((int64_t)sd_rpc_body_max(server, rpc) + SD_FRAME_HEADER));
	SD_TRY(sd_shed_check(conn->server, rpc->shed, rpc->name, diag));
	/* What is answered on the loop is held for a moment only. */
	if (rpc->run && server->request_bytes + ask->body_bytes > server->config.queue_bytes_max)
		return SD_FAIL1(diag, SD_CODE_LIMIT_HELD, SD_NO_NODE, sd_arg_int((int64_t)server->request_bytes));
	return SD_OK;
}

void sd_rpc_refused(struct sd_conn *conn, const struct sd_ask *ask, const struct sd_diag *diag)
{
	struct sd_call call = { .server = conn->server, .conn = conn, .rpc = ask->rpc, .conn_id = conn->id,
	                        .request_id = ask->request_id, .arrived_ns = uv_hrtime() };
	struct sd_blob *error = sd_error_blob(diag, NULL);

	sd__call_record(&call, &(struct sd__outcome){ .status = sd_code_status(diag->code), .code = diag->code, .error = error });
	sd_blob_release(error);
}

enum sd_status sd_rpc_admit(struct sd_conn *conn, const struct sd_ask *ask, struct sd_diag *diag)
{
	enum sd_status status = check_request(conn, ask, diag);

	if (status != SD_OK) {
		sd_rpc_refused(conn, ask, diag);
		return status;
	}
	conn->server->request_bytes += ask->body_bytes;
	conn->server->metrics.counter[SD_COUNTER_request_bytes] += ask->body_bytes;
	return SD_OK;
}

void sd_rpc_give_up(struct sd_server *server, uint32_t body_bytes)
{
	server->request_bytes -= body_bytes;
}

/* ---- the end of jobs ---- */

/* A PlanAnswer around the plan's bytes, which are shared and never touched. */
static void wrap_plan(struct sd_answer *out, const struct sd_result *result, bool from_cache)
{
	out->head_len = sd_put_head(out->head, 1, out->body->len); /* plan */
	out->tail_len = sd_put_number(out->tail, 2, from_cache);
	if (from_cache)
		return;
	out->tail_len = (uint8_t)(out->tail_len + sd_put_number(out->tail + out->tail_len, 3, result->stage_ns[SD_STAGE_PLAN]));
	out->tail_len = (uint8_t)(out->tail_len + sd_put_number(out->tail + out->tail_len, 4, result->stage_ns[SD_STAGE_VERIFY]));
}

static void answer_from(struct sd_call *call, const struct sd_job *job)
{
	const struct sd_result *result = &job->result;
	struct sd__outcome end = { .status = result->status, .code = result->code, .source = result->source, .result = result };
	struct sd_answer out = { .status = result->status, .body = result->body ? sd_blob_acquire(result->body) : NULL };

	call->is_answered = true;
	uv_timer_stop(&call->deadline);
	if (result->status != SD_OK)
		end.error = result->body;
	if (call->pack_above && result->deflated.blob) {
		out.deflated = result->deflated;
		sd_blob_acquire(out.deflated.blob);
	}
	if (result->status == SD_OK && result->source == SD_SOURCE_PLANNED && call != job->origin)
		end.source = SD_SOURCE_JOINED;
	sd__call_record(call, &end);
	if (result->status == SD_OK && result->source != SD_SOURCE_NONE && out.body)
		wrap_plan(&out, result, result->source != SD_SOURCE_PLANNED);
	sd__call_send(call, &out);
}

/* Calls that joined get an error that names their own nodes: they are planned by themselves. */
static bool run_again(struct sd_call *call, const struct sd_job *job)
{
	struct sd_diag diag = { 0 };

	return job->result.status != SD_OK && job->result.code != SD_CODE_SHED && call != job->origin && !call->is_answered && submit(call, true, &diag) == SD_OK;
}

void sd_rpc_ended(void *arg, struct sd_job *job)
{
	struct sd_server *server = arg;
	struct sd_call *call;

	sd_metrics_job(&server->metrics, &job->result);
	server->metrics.counter[SD_COUNTER_shed_misses] += job->result.code == SD_CODE_SHED;
	while ((call = job->calls)) {
		job->calls = call->job_next;
		if (run_again(call, job))
			continue;
		if (!call->is_answered && job->result.parts) {
			sd_batch_begin(call, &job->result);
			continue;
		}
		if (!call->is_answered)
			answer_from(call, job);
		sd__call_free(call);
	}
	sd_job_destroy(job);
}

static bool takes_refusal(const struct sd_job *job)
{
	const struct sd_conn *conn = job->origin->batch ? sd_batch_conn(job->origin->batch) : job->origin->conn;

	return !conn || !conn->kind->does_what_came;
}

void sd_rpc_fail_queued(struct sd_server *server, enum sd_code code)
{
	struct sd_diag diag = { 0 };
	struct sd_job *job;

	SD_FAIL0(&diag, code, SD_NO_NODE);
	while ((job = sd_jobs_take_queued(&server->jobs, takes_refusal))) {
		job->calls->is_answered = true;
		sd_call_fail(job->calls, &diag);
		free_job(job);
	}
}
