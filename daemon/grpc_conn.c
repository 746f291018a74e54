#include "grpc_conn.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "tls.h"

#define CLOSING_MS 5000u /* for a peer to see the end and close */
#define LEAVING_MS 1000u /* for a peer to hear the goodbye */

static const char *const state_name[] = {
	[SD_GRPC_HELLO] = "hello", [SD_GRPC_OPEN] = "open", [SD_GRPC_LEAVING] = "leaving", [SD_GRPC_LAST] = "last",
	[SD_GRPC_CLOSING] = "closing", [SD_GRPC_CLOSED] = "closed",
};

static struct sd_grpc_conn *of_conn(const struct sd_conn *conn)
{
	return (struct sd_grpc_conn *)(uintptr_t)conn;
}

static uint64_t now_of(const struct sd_grpc_conn *grpc)
{
	return uv_now(&grpc->conn.server->loop);
}

void sd_grpc_dirty(struct sd_grpc_conn *grpc)
{
	struct sd_grpc *all = &grpc->conn.server->grpc;

	if (grpc->is_dirty || grpc->state == SD_GRPC_CLOSED)
		return;
	grpc->is_dirty = true;
	grpc->dirty_next = all->dirty;
	all->dirty = grpc;
}

/* ---- closing ---- */

static void on_closed(uv_handle_t *handle)
{
	struct sd_grpc_conn *grpc = handle->data;

	if (--grpc->handles_open)
		return;
	while (grpc->streams)
		sd_grpc_stream_end(grpc->streams);
	nghttp2_session_del(grpc->session);
	sd_tls_end(grpc->ssl);
	free(grpc);
}

static void leave_dirty(struct sd_grpc_conn *grpc)
{
	struct sd_grpc_conn **at = &grpc->conn.server->grpc.dirty;

	if (!grpc->is_dirty)
		return;
	while (*at != grpc)
		at = &(*at)->dirty_next;
	*at = grpc->dirty_next;
	grpc->is_dirty = false;
}

/* It may be in use further up: what nghttp2 has of it goes once the loop has come round. */
void sd_grpc_conn_close(struct sd_grpc_conn *grpc, const char *why)
{
	struct sd_line line;

	if (grpc->state == SD_GRPC_CLOSED)
		return;
	if (sd_log_begin(&line, SD_LOG_DEBUG, "closed")) {
		sd_log_int(&line, "conn", (int64_t)grpc->conn.id);
		sd_log_text(&line, "state", state_name[grpc->state]);
		sd_log_text(&line, "why", why);
		sd_log_end(&line);
	}
	leave_dirty(grpc);
	grpc->state = SD_GRPC_CLOSED;
	sd_conn_unlist(&grpc->conn);
	for (struct sd_grpc_stream *stream = grpc->streams; stream; stream = stream->next)
		sd_grpc_stream_give_up(stream);
	uv_close((uv_handle_t *)&grpc->io.stream, on_closed);
	uv_close((uv_handle_t *)&grpc->timer, on_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	struct sd_grpc_conn *grpc = request->data;

	if (status < 0)
		sd_grpc_conn_close(grpc, "shutdown failed");
}

/* The end of our bytes is shown first and the peer's is waited for. */
static void begin_closing(struct sd_grpc_conn *grpc)
{
	sd_conn_let_go(&grpc->conn);
	grpc->state = SD_GRPC_CLOSING;
	grpc->leave_ms = now_of(grpc);
	grpc->shutdown.data = grpc;
	sd_grpc_io_end(grpc);
	if (grpc->state == SD_GRPC_CLOSED)
		return;
	if (uv_shutdown(&grpc->shutdown, &grpc->io.stream, on_shutdown) != 0)
		sd_grpc_conn_close(grpc, "shutdown failed");
}

/* ---- goodbye ---- */

/* From here on the peer's new streams are not looked at; it knows that, and takes them elsewhere. */
static void end_streams(struct sd_grpc_conn *grpc)
{
	nghttp2_submit_goaway(grpc->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(grpc->session),
	                      NGHTTP2_NO_ERROR, NULL, 0);
	grpc->state = SD_GRPC_LAST;
	sd_grpc_dirty(grpc);
}

static const uint8_t is_it_there[8] = "alive", has_it_heard[8] = "goodbye";

/* First a notice without a bound, and behind it a ping: once that is answered, the peer knows, and all that it sent before has come. */
static void say_goodbye(struct sd_conn *conn)
{
	struct sd_grpc_conn *grpc = of_conn(conn);

	if (grpc->state >= SD_GRPC_LEAVING || !grpc->session)
		return;
	grpc->conn.server->metrics.counter[SD_COUNTER_grpc_goaways]++;
	sd_grpc_health_drain(grpc);
	nghttp2_submit_shutdown_notice(grpc->session);
	grpc->state = SD_GRPC_LEAVING;
	grpc->leave_ms = now_of(grpc);
	sd_grpc_dirty(grpc);
}

void sd_grpc_sent_goaway(struct sd_grpc_conn *grpc)
{
	if (grpc->state == SD_GRPC_LEAVING)
		nghttp2_submit_ping(grpc->session, NGHTTP2_FLAG_NONE, has_it_heard);
}

void sd_grpc_heard_ping(struct sd_grpc_conn *grpc, const uint8_t what[8])
{
	grpc->ping_ms = 0;
	if (grpc->state == SD_GRPC_LEAVING && memcmp(what, has_it_heard, sizeof(has_it_heard)) == 0)
		end_streams(grpc);
}

void sd_grpc_send_away(struct sd_grpc_conn *grpc, uint32_t error_code, const char *why)
{
	struct sd_line line;

	if (grpc->state >= SD_GRPC_CLOSING || !grpc->session)
		return;
	if (sd_server_may_log(grpc->conn.server, &grpc->conn) && sd_log_begin(&line, SD_LOG_INFO, "refused")) {
		sd_log_int(&line, "conn", (int64_t)grpc->conn.id);
		sd_log_int(&line, "uid", grpc->conn.uid);
		sd_log_text(&line, "why", why);
		sd_log_end(&line);
	}
	nghttp2_submit_goaway(grpc->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(grpc->session), error_code,
	                      (const uint8_t *)why, strlen(why));
	grpc->is_sent_away = true;
	sd_grpc_dirty(grpc);
}

void sd_grpc_greeted(struct sd_grpc_conn *grpc)
{
	if (grpc->state == SD_GRPC_HELLO)
		grpc->state = SD_GRPC_OPEN;
	else if (!sd_conn_glitch(&grpc->conn))
		sd_grpc_send_away(grpc, NGHTTP2_ENHANCE_YOUR_CALM, "too many settings");
}

static bool is_sent(const struct sd_grpc_conn *grpc)
{
	return !grpc->is_writing && !grpc->carry_len && !nghttp2_session_want_write(grpc->session);
}

static bool is_quiet(const struct sd_conn *conn)
{
	const struct sd_grpc_conn *grpc = of_conn(conn);

	if (!grpc->session || grpc->state >= SD_GRPC_CLOSING)
		return true;
	return grpc->state == SD_GRPC_LAST && grpc->stream_count == 0 && is_sent(grpc);
}

static void finish(struct sd_conn *conn)
{
	struct sd_grpc_conn *grpc = of_conn(conn);

	if (grpc->state >= SD_GRPC_CLOSING)
		return;
	if (grpc->session && grpc->state < SD_GRPC_LAST)
		end_streams(grpc);
	sd_grpc_io_flush(grpc);
	if (grpc->state < SD_GRPC_CLOSING)
		begin_closing(grpc);
}

/* ---- time ---- */

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool has_nothing_open(const struct sd_grpc_conn *grpc)
{
	return grpc->state == SD_GRPC_OPEN && grpc->stream_count == 0 && grpc->conn.call_count == 0;
}

/* When something has to be looked at next. */
static uint64_t due_of(const struct sd_grpc_conn *grpc, uint64_t first_stream)
{
	const struct sd_config *config = &grpc->conn.server->config;
	uint64_t due = first_stream;

	switch (grpc->state) {
	case SD_GRPC_HELLO: return grpc->opened_ms + config->hello_ms;
	case SD_GRPC_LEAVING: return sooner(due, grpc->leave_ms + LEAVING_MS);
	case SD_GRPC_CLOSING: return grpc->leave_ms + CLOSING_MS;
	default: break;
	}
	if (grpc->ping_ms)
		due = sooner(due, grpc->ping_ms + config->grpc_keepalive_timeout_ms);
	else
		due = sooner(due, grpc->heard_ms + config->grpc_keepalive_ms);
	if (has_nothing_open(grpc))
		due = sooner(due, grpc->active_ms + config->idle_ms);
	if (grpc->state == SD_GRPC_OPEN && config->grpc_age_ms)
		due = sooner(due, grpc->opened_ms + config->grpc_age_ms);
	return due;
}

static void keep_alive(struct sd_grpc_conn *grpc, uint64_t now)
{
	const struct sd_config *config = &grpc->conn.server->config;

	if (grpc->ping_ms && now >= grpc->ping_ms + config->grpc_keepalive_timeout_ms) {
		grpc->conn.server->metrics.counter[SD_COUNTER_connections_timed_out]++;
		sd_grpc_conn_close(grpc, "the peer does not answer pings");
	} else if (!grpc->ping_ms && now >= grpc->heard_ms + config->grpc_keepalive_ms) {
		nghttp2_submit_ping(grpc->session, NGHTTP2_FLAG_NONE, is_it_there);
		grpc->ping_ms = now;
		sd_grpc_dirty(grpc);
	}
}

static void look_at_time(struct sd_grpc_conn *grpc)
{
	const struct sd_config *config = &grpc->conn.server->config;
	uint64_t now = now_of(grpc);

	switch (grpc->state) {
	case SD_GRPC_HELLO:
		if (now < grpc->opened_ms + config->hello_ms)
			return;
		grpc->conn.server->metrics.counter[SD_COUNTER_connections_timed_out]++;
		sd_grpc_conn_close(grpc, "it did not say what it wants in time");
		return;
	case SD_GRPC_CLOSING:
		if (now >= grpc->leave_ms + CLOSING_MS)
			sd_grpc_conn_close(grpc, "the peer did not close");
		return;
	case SD_GRPC_LEAVING:
		if (now >= grpc->leave_ms + LEAVING_MS)
			end_streams(grpc);
		break;
	default:
		break;
	}
	if ((has_nothing_open(grpc) && now >= grpc->active_ms + config->idle_ms) ||
	    (grpc->state == SD_GRPC_OPEN && config->grpc_age_ms && now >= grpc->opened_ms + config->grpc_age_ms))
		say_goodbye(&grpc->conn);
	keep_alive(grpc, now);
}

static void on_timer(uv_timer_t *timer)
{
	struct sd_grpc_conn *grpc = timer->data;

	grpc->armed_ms = UINT64_MAX;
	look_at_time(grpc);
	sd_grpc_dirty(grpc);
}

/* A timer that fires too early looks again; so it is set anew only for something sooner. */
static void arm(struct sd_grpc_conn *grpc)
{
	uint64_t now = now_of(grpc), due = due_of(grpc, sd_grpc_expire(grpc, now));

	if (due >= grpc->armed_ms)
		return;
	grpc->armed_ms = due;
	uv_timer_start(&grpc->timer, on_timer, due > now ? due - now : 0, 0);
}

void sd_grpc_conn_turn(struct sd_grpc_conn *grpc)
{
	arm(grpc);
	if (grpc->state < SD_GRPC_CLOSED)
		sd_grpc_io_flush(grpc);
	sd_grpc_begin_held(grpc); /* there may be room again, now that answers are gone */
	if (grpc->state >= SD_GRPC_CLOSING || !grpc->session || !is_sent(grpc))
		return;
	if (grpc->is_sent_away || (grpc->state == SD_GRPC_LAST && grpc->stream_count == 0) || !nghttp2_session_want_read(grpc->session)) {
		begin_closing(grpc);
		sd_grpc_dirty(grpc); /* its time runs differently now */
	}
}

/* Once a second: a peer that takes nothing of what it is owed. */
static void watch(struct sd_conn *conn)
{
	struct sd_grpc_conn *grpc = of_conn(conn);
	uint64_t now = now_of(grpc), moved;
	int fd, in_kernel = 0;

	if (grpc->state == SD_GRPC_CLOSED || uv_fileno((uv_handle_t *)&grpc->io.stream, &fd) != 0)
		return;
	ioctl(fd, SIOCOUTQ, &in_kernel);
	/* Held up by the peer's windows, pings still move; held up by its socket, nothing does. */
	moved = grpc->is_writing ? grpc->moved_bytes - (uint64_t)in_kernel : grpc->data_bytes;
	if ((grpc->owed_bytes == 0 && !grpc->is_writing) || moved != grpc->stall_seen) {
		grpc->stall_seen = moved;
		grpc->stall_ms = now;
	} else if (now - grpc->stall_ms >= conn->server->config.stall_ms) {
		conn->server->metrics.counter[SD_COUNTER_connections_stalled]++;
		sd_grpc_conn_close(grpc, "the peer does not read");
	}
}

static bool is_behind(const struct sd_conn *conn)
{
	const struct sd_grpc_conn *grpc = (const struct sd_grpc_conn *)conn;

	return grpc->held_first || sd_conn_has_unread((const uv_handle_t *)&grpc->io.stream);
}

static void settle(struct sd_conn *conn)
{
	sd_grpc_dirty(of_conn(conn));
}

static void close_now(struct sd_conn *conn, const char *why)
{
	sd_grpc_conn_close(of_conn(conn), why);
}

static const struct sd_conn_kind grpc_kind = {
	.answer = sd_grpc_answer, .owes = sd_grpc_owes, .is_full = sd_grpc_is_full, .is_behind = is_behind, .settle = settle, .watch = watch, .say_goodbye = say_goodbye, .is_quiet = is_quiet,
	.finish = finish, .close = close_now, .does_what_came = true,
};

/* ---- opening ---- */

static bool init_handles(struct sd_grpc_conn *grpc)
{
	uv_loop_t *loop = &grpc->conn.server->loop;

	if (uv_timer_init(loop, &grpc->timer) != 0)
		return false;
	grpc->timer.data = grpc;
	grpc->handles_open = 1;
	if ((grpc->is_tcp ? uv_tcp_init(loop, &grpc->io.tcp) : uv_pipe_init(loop, &grpc->io.pipe, 0)) != 0) {
		uv_close((uv_handle_t *)&grpc->timer, on_closed);
		return false;
	}
	grpc->io.stream.data = grpc;
	grpc->handles_open = 2;
	return true;
}

/* By TCP the kernel tells nothing of the peer: it may what everybody may, unless a certificate says more. */
static struct sd_who stranger(struct sd_server *server)
{
	return (struct sd_who){ .uid = UINT32_C(0x80000000), .may_lease = server->lease_gid == SD_ANY_GID };
}

static const char *start(struct sd_grpc_conn *grpc, int fd)
{
	struct sd_server *server = grpc->conn.server;

	if ((grpc->is_tcp ? uv_tcp_open(&grpc->io.tcp, fd) : uv_pipe_open(&grpc->io.pipe, fd)) != 0) {
		close(fd);
		return "the socket cannot be opened";
	}
	if (grpc->is_tcp)
		uv_tcp_nodelay(&grpc->io.tcp, 1);
	if (grpc->is_tcp && server->grpc.tls && !(grpc->ssl = sd_tls_begin(server->grpc.tls)))
		return "no memory is left";
	if (!grpc->ssl && !sd_grpc_session_open(grpc))
		return "no memory is left";
	return sd_grpc_io_start(grpc) ? NULL : "the socket cannot be read";
}

void sd_grpc_conn_open(struct sd_server *server, int fd, const struct sd_who *who)
{
	struct sd_grpc_conn *grpc = calloc(1, sizeof(*grpc));
	struct sd_who unknown = stranger(server);
	const char *why;

	if (!grpc) {
		close(fd);
		return;
	}
	grpc->conn.server = server;
	grpc->is_tcp = !who;
	if (!init_handles(grpc)) {
		close(fd);
		if (!grpc->handles_open)
			free(grpc);
		return;
	}
	sd_conn_enlist(&grpc->conn, &grpc_kind, server, who ? who : &unknown);
	if (!who)
		grpc->conn.pid = (int32_t)(grpc->conn.id & INT32_MAX); /* each connection is a process of its own */
	server->metrics.counter[SD_COUNTER_grpc_connections]++;
	grpc->opened_ms = grpc->heard_ms = grpc->active_ms = now_of(grpc);
	grpc->armed_ms = UINT64_MAX;
	why = start(grpc, fd);
	if (why)
		sd_grpc_conn_close(grpc, why);
	else
		sd_grpc_dirty(grpc);
}

void sd_grpc_turn_away(struct sd_server *server, int fd, const struct sd_diag *why)
{
	/* Empty SETTINGS, and a GOAWAY with ENHANCE_YOUR_CALM for no stream at all. */
	static const unsigned char frames[] = { 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11 };

	if (!server->grpc.tls && send(fd, frames, sizeof(frames), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		shutdown(fd, SHUT_WR);
	close(fd);
}
