#include <unistd.h>

#include "acquire.h"
#include "conn.h"
#include "log.h"
#include "rpc.h"
#include "server.h"
#include "watch.h"

#define CHECK_MS 20u
#define GRACE_MS 100u   /* for requests that were on their way when the drain began: they get an answer */
#define GOODBYE_MS 500u /* for peers to close after their last answer */

bool sd_server_is_draining(const struct sd_server *server)
{
	return server->drain_state != SD_SERVING;
}

static bool is_quiet(const struct sd_server *server)
{
	if (server->requests_open)
		return false;
	for (const struct sd_conn *conn = server->conns; conn; conn = conn->next) {
		if (!conn->kind->is_quiet(conn))
			return false;
	}
	return true;
}

static void finish_all(struct sd_server *server)
{
	struct sd_conn *next;

	server->drain_state = SD_DRAINED;
	server->drain_began_ms = uv_now(&server->loop);
	for (struct sd_conn *conn = server->conns; conn; conn = next) {
		next = conn->next;
		conn->kind->finish(conn);
	}
}

static void on_check(uv_timer_t *timer)
{
	struct sd_server *server = timer->data;
	uint64_t age = uv_now(&server->loop) - server->drain_began_ms;
	bool given_up = age >= server->config.drain_ms;

	if (server->drain_state == SD_DRAINING && (given_up || (age >= GRACE_MS && is_quiet(server))))
		finish_all(server);
	else if (server->drain_state == SD_DRAINED && (server->conn_count == 0 || age >= GOODBYE_MS))
		uv_stop(&server->loop);
}

void sd_drain_begin(struct sd_server *server)
{
	struct sd_conn *next;
	struct sd_line line;

	if (sd_server_is_draining(server))
		return;
	server->drain_state = SD_DRAINING;
	server->drain_began_ms = uv_now(&server->loop);
	sd_service_stopping();
	if (sd_log_begin(&line, SD_LOG_INFO, "draining")) {
		sd_log_int(&line, "requests_open", server->requests_open);
		sd_log_end(&line);
	}
	sd_listener_stop(&server->listener);
	sd_grpc_stop(server);
	sd_rpc_fail_queued(server, SD_CODE_DRAINING);
	sd_acquire_drain(server);
	sd_watch_drain(server);
	server->batches.is_due = true; /* what they have not begun is refused */
	for (struct sd_conn *conn = server->conns; conn; conn = next) {
		next = conn->next;
		conn->kind->say_goodbye(conn);
	}
	uv_timer_start(&server->drain_timer, on_check, CHECK_MS, CHECK_MS);
}

void sd_drain_on_signal(uv_signal_t *handle, int number)
{
	struct sd_server *server = handle->data;

	/* Asked twice: whoever asks does not want to wait for what runs. The socket is gone already. */
	if (sd_server_is_draining(server))
		_exit(1);
	sd_drain_begin(server);
}
