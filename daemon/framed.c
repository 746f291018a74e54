#include "framed.h"

#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "call.h"
#include "error.h"
#include "framed_impl.h"
#include "rpc.h"
#include "server.h"

#define HELLO_FRAME_MAX 4096u  /* a stranger gets no more memory than this */
#define CLOSING_MS 5000u       /* for a peer to see the end and close */

#define NO_TIME SIZE_MAX

/* The life of a connection: what a state is called, which setting bounds its time, and the largest frame. */
static const struct {
	const char *name;
	size_t timeout; /* offset into struct sd_config */
	bool small_frames;
} state_rule[SD_FRAMED_STATES] = {
	[SD_FRAMED_HELLO]   = { "hello",   offsetof(struct sd_config, hello_ms), true  },
	[SD_FRAMED_IDLE]    = { "idle",    offsetof(struct sd_config, idle_ms),  false },
	[SD_FRAMED_READING] = { "reading", offsetof(struct sd_config, frame_ms), false },
	[SD_FRAMED_BUSY]    = { "busy",    NO_TIME,                              false },
	[SD_FRAMED_CLOSING] = { "closing", NO_TIME,                              true  },
	[SD_FRAMED_CLOSED]  = { "closed",  NO_TIME,                              true  },
};

uint64_t sd__framed_frame_max(const struct sd_framed *framed)
{
	return state_rule[framed->state].small_frames ? HELLO_FRAME_MAX : framed->conn.server->config.frame_bytes_max;
}

bool sd__framed_may_read(const struct sd_framed *framed)
{
	return framed->owed_bytes <= framed->conn.server->config.owed_bytes_max;
}

static enum sd_framed_state state_of(const struct sd_framed *framed)
{
	if (!framed->is_greeted)
		return SD_FRAMED_HELLO;
	if (sd_reader_is_inside(&framed->reader) && !framed->is_held && sd__framed_may_read(framed))
		return SD_FRAMED_READING;
	return framed->conn.call_count || framed->owed_bytes || framed->is_held ? SD_FRAMED_BUSY : SD_FRAMED_IDLE;
}

static uint64_t timeout_of(const struct sd_framed *framed)
{
	uint64_t ms;

	memcpy(&ms, (const char *)&framed->conn.server->config + state_rule[framed->state].timeout, sizeof(ms));
	return ms;
}

static void on_timer(uv_timer_t *timer);

/* The time of a frame is for all of it, so that drip feeding does not extend it; the next frame has its own. */
static void enter(struct sd_framed *framed, enum sd_framed_state state)
{
	bool next_frame = state == SD_FRAMED_READING && framed->timed_frame != framed->frame_count;

	if (state == framed->state && !next_frame)
		return;
	framed->state = state;
	framed->timed_frame = framed->frame_count;
	if (state_rule[state].timeout == NO_TIME)
		uv_timer_stop(&framed->timer);
	else
		uv_timer_start(&framed->timer, on_timer, timeout_of(framed), 0);
}

void sd__framed_settle(struct sd_framed *framed)
{
	if (framed->is_pumping || framed->state >= SD_FRAMED_CLOSING)
		return;
	sd__framed_resume(framed);
	if (framed->state >= SD_FRAMED_CLOSING)
		return;
	if (framed->is_leaving && framed->conn.call_count == 0)
		sd__framed_finish(framed);
	else
		enter(framed, state_of(framed));
}

/* ---- closing ---- */

static void on_closed(uv_handle_t *handle)
{
	struct sd_framed *framed = handle->data;

	if (--framed->handles_open == 0)
		free(framed);
}

static void drop_input(struct sd_framed *framed)
{
	if (framed->holds_request)
		sd_rpc_give_up(framed->conn.server, framed->reader.frame.body_bytes);
	framed->holds_request = framed->is_held = false;
	sd_reader_finish(&framed->reader);
	free(framed->stash);
	framed->stash = NULL;
	framed->stash_len = 0;
}

void sd__framed_close(struct sd_framed *framed, const char *why)
{
	struct sd_line line;

	if (framed->state == SD_FRAMED_CLOSED)
		return;
	if (sd_log_begin(&line, SD_LOG_DEBUG, "closed")) {
		sd_log_int(&line, "conn", (int64_t)framed->conn.id);
		sd_log_text(&line, "state", state_rule[framed->state].name);
		sd_log_text(&line, "why", why);
		sd_log_end(&line);
	}
	framed->state = SD_FRAMED_CLOSED;
	sd_conn_unlist(&framed->conn);
	drop_input(framed);
	uv_close((uv_handle_t *)&framed->pipe, on_closed);
	uv_close((uv_handle_t *)&framed->timer, on_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	struct sd_framed *framed = request->data;

	if (framed->state == SD_FRAMED_CLOSED)
		return;
	if (status < 0)
		sd__framed_close(framed, "shutdown failed");
	else
		uv_timer_start(&framed->timer, on_timer, CLOSING_MS, 0);
}

/* The end of our bytes is shown first and the peer's is waited for: a close with bytes
 * unread would let the peer miss the last answers. */
void sd__framed_finish(struct sd_framed *framed)
{
	if (framed->state >= SD_FRAMED_CLOSING)
		return;
	uv_timer_stop(&framed->timer);
	framed->state = SD_FRAMED_CLOSING;
	sd_conn_let_go(&framed->conn);
	drop_input(framed);
	framed->shutdown.data = framed;
	if (uv_shutdown(&framed->shutdown, (uv_stream_t *)&framed->pipe, on_shutdown) != 0)
		sd__framed_close(framed, "shutdown failed");
	else
		sd__framed_drop_input(framed);
}

static void time_out(struct sd_framed *framed, enum sd_code code, const char *words)
{
	struct sd_diag diag = { 0 };

	framed->conn.server->metrics.counter[SD_COUNTER_connections_timed_out]++;
	SD_FAIL1(&diag, code, SD_NO_NODE, sd_arg_words(words));
	sd__framed_refuse(framed, &framed->reader.frame, &diag);
}

static void on_idle(struct sd_framed *framed)
{
	uint64_t silent = uv_now(&framed->conn.server->loop) - framed->active_ms, idle = framed->conn.server->config.idle_ms;

	if (silent < idle) {
		uv_timer_start(&framed->timer, on_timer, idle - silent, 0);
		return;
	}
	sd__framed_send(framed, &(struct sd_out){ .kind = SD_FRAME_GOODBYE });
	sd__framed_finish(framed);
}

static void on_timer(uv_timer_t *timer)
{
	struct sd_framed *framed = timer->data;

	switch (framed->state) {
	case SD_FRAMED_HELLO: time_out(framed, SD_CODE_NO_HELLO, ""); break;
	case SD_FRAMED_READING: time_out(framed, SD_CODE_BAD_FRAME, "it did not become complete in time"); break;
	case SD_FRAMED_IDLE: on_idle(framed); break;
	default: sd__framed_close(framed, "the peer did not close"); break;
	}
}

/* ---- errors ---- */

void sd__framed_send_error(struct sd_framed *framed, const struct sd_frame *about, const struct sd_diag *diag)
{
	struct sd_out out = { .kind = SD_FRAME_ERROR, .method = about->method, .request_id = about->request_id,
	                      .body = sd_error_blob(diag, NULL) };

	sd__framed_send(framed, &out);
}

void sd__framed_refuse(struct sd_framed *framed, const struct sd_frame *about, const struct sd_diag *diag)
{
	struct sd_line line;

	if (sd_server_may_log(framed->conn.server, &framed->conn) && sd_log_begin(&line, SD_LOG_INFO, "refused")) {
		sd_log_int(&line, "conn", (int64_t)framed->conn.id);
		sd_log_int(&line, "uid", framed->conn.uid);
		sd_log_text(&line, "code", sd_code_text(diag->code));
		sd_log_end(&line);
	}
	sd_last_errors_add_conn(&framed->conn.server->last_errors, framed->conn.id, diag);
	sd__framed_send_error(framed, about, diag);
	sd__framed_finish(framed);
}

void sd__framed_glitch(struct sd_framed *framed)
{
	struct sd_diag diag = { 0 };

	if (sd_conn_glitch(&framed->conn))
		return;
	SD_FAIL1(&diag, SD_CODE_BAD_FRAME, SD_NO_NODE, sd_arg_words("too many senseless frames"));
	sd__framed_refuse(framed, &framed->reader.frame, &diag);
}

/* ---- watching ---- */

/* What the peer has not read: in our queue, and in the kernel's. */
static uint64_t unread_bytes(const struct sd_framed *framed, int fd)
{
	int in_kernel = 0;

	ioctl(fd, SIOCOUTQ, &in_kernel);
	return framed->pipe.write_queue_size + (uint64_t)in_kernel;
}

static void watch_stall(struct sd_framed *framed, int fd)
{
	uint64_t now = uv_now(&framed->conn.server->loop), unread = unread_bytes(framed, fd);

	if (framed->owed_bytes == 0 || unread != framed->stall_seen) {
		framed->stall_seen = unread;
		framed->stall_ms = now;
	} else if (now - framed->stall_ms >= framed->conn.server->config.stall_ms) {
		framed->conn.server->metrics.counter[SD_COUNTER_connections_stalled]++;
		sd__framed_close(framed, "the peer does not read");
	}
}

static void watch(struct sd_conn *conn)
{
	struct sd_framed *framed = (struct sd_framed *)conn;
	struct pollfd poll_fd = { .events = 0 };

	if (framed->state == SD_FRAMED_CLOSED || uv_fileno((uv_handle_t *)&framed->pipe, &poll_fd.fd) != 0)
		return;
	/* A peer that is not being read can die unseen; poll tells of it without reading. */
	if (!framed->is_reading && poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLHUP | POLLERR)))
		sd__framed_close(framed, "the peer is gone");
	else
		watch_stall(framed, poll_fd.fd);
}

/* ---- opening ---- */

static bool init_handles(struct sd_framed *framed)
{
	uv_loop_t *loop = &framed->conn.server->loop;

	if (uv_timer_init(loop, &framed->timer) != 0)
		return false;
	framed->timer.data = framed;
	framed->handles_open = 1;
	if (uv_pipe_init(loop, &framed->pipe, 0) != 0) {
		uv_close((uv_handle_t *)&framed->timer, on_closed);
		return false;
	}
	framed->pipe.data = framed;
	framed->handles_open = 2;
	return true;
}

/* ---- what all connections can ---- */

static struct sd_framed *of_conn(struct sd_conn *conn)
{
	return (struct sd_framed *)conn;
}

static void answer(struct sd_call *call, const struct sd_answer *answer)
{
	struct sd_out out = { .kind = answer->status == SD_OK ? SD_FRAME_ANSWER : SD_FRAME_ERROR, .method = (uint16_t)call->rpc->number,
	                      .request_id = call->request_id, .head_len = answer->head_len, .tail_len = answer->tail_len, .body = answer->body };

	memcpy(out.head, answer->head, sizeof(out.head));
	memcpy(out.tail, answer->tail, sizeof(out.tail));
	sd_blob_release(answer->deflated.blob);
	/* Without memory for the answer the connection cannot keep its promise. */
	if (out.body)
		sd__framed_send(of_conn(call->conn), &out);
	else
		sd__framed_close(of_conn(call->conn), "no memory is left");
}

static bool owes(const struct sd_call *call)
{
	return of_conn(call->conn)->owed_bytes != 0;
}

static bool is_full(const struct sd_call *call)
{
	return !sd__framed_may_read(of_conn(call->conn));
}

static bool is_behind(const struct sd_conn *conn)
{
	const struct sd_framed *framed = (const struct sd_framed *)conn;

	return framed->is_held || (framed->is_reading && sd_conn_has_unread((const uv_handle_t *)&framed->pipe));
}

static void settle(struct sd_conn *conn)
{
	sd__framed_settle(of_conn(conn));
}

static void say_goodbye(struct sd_conn *conn)
{
	struct sd_framed *framed = of_conn(conn);

	if (framed->state < SD_FRAMED_CLOSING && framed->is_greeted)
		sd__framed_send(framed, &(struct sd_out){ .kind = SD_FRAME_GOODBYE });
}

static bool is_quiet(const struct sd_conn *conn)
{
	return ((const struct sd_framed *)conn)->owed_bytes == 0;
}

static void finish(struct sd_conn *conn)
{
	sd__framed_finish(of_conn(conn));
}

static void close_now(struct sd_conn *conn, const char *why)
{
	sd__framed_close(of_conn(conn), why);
}

static const struct sd_conn_kind framed_kind = {
	.answer = answer, .owes = owes, .is_full = is_full, .is_behind = is_behind, .settle = settle, .watch = watch, .say_goodbye = say_goodbye, .is_quiet = is_quiet,
	.finish = finish, .close = close_now,
};

void sd_framed_open(struct sd_server *server, int fd, const struct sd_who *who)
{
	struct sd_framed *framed = calloc(1, sizeof(*framed));

	if (!framed) {
		close(fd);
		return;
	}
	framed->conn.server = server;
	if (!init_handles(framed)) {
		close(fd);
		if (!framed->handles_open)
			free(framed);
		return;
	}
	sd_conn_enlist(&framed->conn, &framed_kind, server, who);
	framed->active_ms = uv_now(&server->loop);
	framed->state = SD_FRAMED_BUSY;
	if (uv_pipe_open(&framed->pipe, fd) != 0) {
		close(fd);
		sd__framed_close(framed, "the socket cannot be opened");
		return;
	}
	sd__framed_settle(framed);
}

void sd_framed_turn_away(struct sd_server *server, int fd, const struct sd_diag *why)
{
	unsigned char bytes[SD_FRAME_HEADER + 1024];
	struct sd_blob *body = sd_error_blob(why, NULL);
	struct sd_frame frame = { .kind = SD_FRAME_ERROR };

	if (body && body->len <= 1024) {
		frame.body_bytes = (uint32_t)body->len;
		sd_frame_write(bytes, &frame);
		memcpy(bytes + SD_FRAME_HEADER, body->data, body->len);
		if (send(fd, bytes, SD_FRAME_HEADER + body->len, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
			shutdown(fd, SHUT_WR);
	}
	sd_blob_release(body);
	close(fd);
}
