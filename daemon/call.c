#include "call.h"

#include <stdlib.h>

#include "batch.h"
#include "call_impl.h"
#include "conn.h"
#include "error.h"
#include "rpc.h"
#include "server.h"

/* ---- the end of a request: one metric, one line ---- */

static void put_times(struct sd_line *line, const struct sd_result *result)
{
	static const char *const key[SD_STAGES] = {
#define SD_X(name, text) text "_us",
		SD_STAGE_LIST(SD_X)
#undef SD_X
	};

	for (int stage = 0; stage < SD_STAGES; stage++) {
		if (result->stage_ns[stage])
			sd_log_int(line, key[stage], (int64_t)(result->stage_ns[stage] / 1000));
	}
	if (result->nodes)
		sd_log_int(line, "nodes", (int64_t)result->nodes);
}

static const char *const source_text[SD_SOURCES] = {
#define SD_X(name, text) text,
	SD_SOURCE_LIST(SD_X)
#undef SD_X
};

static const char *method_of(const struct sd_call *call)
{
	return call->rpc ? call->rpc->name : "unknown";
}

static void log_end(const struct sd_call *call, const struct sd__outcome *end, uint64_t ns)
{
	enum sd_log_level level = end->status == SD_OK ? SD_LOG_DEBUG : SD_LOG_INFO;
	struct sd_conn *peer = call->batch ? sd_batch_conn(call->batch) : call->conn; /* whose share of the lines it takes */
	struct sd_line line;

	if ((level == SD_LOG_INFO && !sd_server_may_log(call->server, peer)) || !sd_log_begin(&line, level, "request"))
		return;
	sd_log_int(&line, "conn", (int64_t)call->conn_id);
	sd_log_int(&line, "request", (int64_t)call->request_id);
	sd_log_text(&line, "method", method_of(call));
	if (call->batch)
		sd_log_int(&line, "item", call->item);
	sd_log_text(&line, "status", sd_status_name(end->status));
	if (end->code != SD_CODE_NONE)
		sd_log_text(&line, "code", sd_code_text(end->code));
	sd_log_int(&line, "us", (int64_t)(ns / 1000));
	if (end->source != SD_SOURCE_NONE)
		sd_log_text(&line, "source", source_text[end->source]);
	if (end->result)
		put_times(&line, end->result);
	sd_log_end(&line);
}

void sd__call_record(struct sd_call *call, const struct sd__outcome *end)
{
	uint64_t ns = uv_hrtime() - call->arrived_ns;
	struct sd_metrics *metrics = &call->server->metrics;

	if (call->batch) {
		metrics->counter[SD_COUNTER_batch_items]++;
		metrics->counter[SD_COUNTER_batch_errors] += end->status != SD_OK;
	} else {
		sd_metrics_request(metrics, sd_rpc_row_of(call->rpc), end->status, ns);
	}
	if (end->status == SD_OK)
		metrics->answers[end->source]++;
	else if (end->status != SD_CANCELLED)
		sd_last_errors_add(&call->server->last_errors, method_of(call), call->conn_id, call->request_id, end->error);
	log_end(call, end, ns);
}

void sd__call_send(struct sd_call *call, const struct sd_answer *answer)
{
	if (call->batch)
		sd_batch_take(call, answer);
	else
		call->conn->kind->answer(call, answer);
}

void sd_call_answer(struct sd_call *call, struct sd_blob *body)
{
	sd__call_record(call, &(struct sd__outcome){ .status = SD_OK });
	sd__call_send(call, &(struct sd_answer){ .body = body });
}

void sd_call_fail(struct sd_call *call, const struct sd_diag *diag)
{
	enum sd_status status = sd_code_status(diag->code);
	struct sd_blob *error = sd_error_blob(diag, NULL);

	sd__call_record(call, &(struct sd__outcome){ .status = status, .code = diag->code, .error = error });
	sd__call_send(call, &(struct sd_answer){ .status = status, .body = error });
}

/* ---- calls that are not answered at once ---- */

void sd__call_open(struct sd_call *call)
{
	call->server->requests_open++;
	uv_timer_init(&call->server->loop, &call->deadline);
	call->deadline.data = call;
}

void sd__call_attach(struct sd_conn *conn, struct sd_call *call)
{
	call->conn_next = conn->calls;
	if (call->conn_next)
		call->conn_next->conn_prev = call;
	conn->calls = call;
	conn->call_count++;
	sd__call_open(call);
}

static void on_call_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void sd__call_free(struct sd_call *call)
{
	struct sd_conn *conn = call->conn;

	call->server->requests_open--;
	uv_close((uv_handle_t *)&call->deadline, on_call_closed);
	if (call->batch) {
		sd_batch_leave(call);
		return;
	}
	call->server->request_bytes -= call->body_bytes;
	free(call->body);
	if (!conn)
		return;
	*(call->conn_prev ? &call->conn_prev->conn_next : &conn->calls) = call->conn_next;
	if (call->conn_next)
		call->conn_next->conn_prev = call->conn_prev;
	conn->call_count--;
	conn->kind->settle(conn);
}

/* ---- calls that wait on the loop ---- */

struct sd_call *sd_call_park(const struct sd_call *filled, void (*dropped)(struct sd_call *call), void *arg)
{
	struct sd_call *call = malloc(sizeof(*call));

	if (!call)
		return NULL;
	*call = *filled;
	call->body = NULL;
	call->body_bytes = 0;
	call->dropped = dropped;
	call->arg = arg;
	sd__call_attach(call->conn, call);
	return call;
}

void sd_call_unpark(struct sd_call *call)
{
	call->is_answered = true;
	sd__call_free(call);
}

void sd_call_answer_part(struct sd_call *call, struct sd_blob *body)
{
	sd__call_send(call, &(struct sd_answer){ .is_part = true, .body = body });
}
