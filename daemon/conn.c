#include "conn.h"

#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "conn_impl.h"
#include "error.h"
#include "rpc.h"
#include "server.h"

#define HELLO_FRAME_MAX 4096u  /* a stranger gets no more memory than this */
#define AT_ONCE_MAX 4096u      /* larger bodies are not worth the attempt */
#define CLOSING_MS 5000u       /* for a peer to see the end and close */
#define GLITCHES_MAX 100u      /* at once, and */
#define GLITCHES_PER_SECOND 10u

#define NO_TIME SIZE_MAX

/* The life of a connection: what a state is called, which setting bounds its time, and the largest frame. */
static const struct {
	const char *name;
	size_t timeout; /* offset into struct sd_config */
	bool small_frames;
} state_rule[SD_CONN_STATES] = {
	[SD_CONN_HELLO]   = { "hello",   offsetof(struct sd_config, hello_ms), true  },
	[SD_CONN_IDLE]    = { "idle",    offsetof(struct sd_config, idle_ms),  false },
	[SD_CONN_READING] = { "reading", offsetof(struct sd_config, frame_ms), false },
	[SD_CONN_BUSY]    = { "busy",    NO_TIME,                              false },
	[SD_CONN_CLOSING] = { "closing", NO_TIME,                              true  },
	[SD_CONN_CLOSED]  = { "closed",  NO_TIME,                              true  },
};

uint64_t sd__conn_frame_max(const struct sd_conn *conn)
{
	return state_rule[conn->state].small_frames ? HELLO_FRAME_MAX : conn->server->config.frame_bytes_max;
}

bool sd__conn_may_read(const struct sd_conn *conn)
{
	return conn->owed_bytes <= conn->server->config.owed_bytes_max;
}

static enum sd_conn_state state_of(const struct sd_conn *conn)
{
	if (!conn->is_greeted)
		return SD_CONN_HELLO;
	if (sd_reader_is_inside(&conn->reader) && !conn->is_held && sd__conn_may_read(conn))
		return SD_CONN_READING;
	return conn->call_count || conn->owed_bytes || conn->is_held ? SD_CONN_BUSY : SD_CONN_IDLE;
}

static uint64_t timeout_of(const struct sd_conn *conn)
{
	uint64_t ms;

	memcpy(&ms, (const char *)&conn->server->config + state_rule[conn->state].timeout, sizeof(ms));
	return ms;
}

static void on_timer(uv_timer_t *timer);

/* The time of a frame is for all of it, so that drip feeding does not extend it; the next frame has its own. */
static void enter(struct sd_conn *conn, enum sd_conn_state state)
{
	bool next_frame = state == SD_CONN_READING && conn->timed_frame != conn->frame_count;

	if (state == conn->state && !next_frame)
		return;
	conn->state = state;
	conn->timed_frame = conn->frame_count;
	if (state_rule[state].timeout == NO_TIME)
		uv_timer_stop(&conn->timer);
	else
		uv_timer_start(&conn->timer, on_timer, timeout_of(conn), 0);
}

void sd_conn_settle(struct sd_conn *conn)
{
	if (conn->is_pumping || conn->state >= SD_CONN_CLOSING)
		return;
	sd__conn_resume(conn);
	if (conn->state >= SD_CONN_CLOSING)
		return;
	if (conn->is_leaving && conn->call_count == 0)
		sd_conn_finish(conn);
	else
		enter(conn, state_of(conn));
}

/* ---- closing ---- */

static void on_closed(uv_handle_t *handle)
{
	struct sd_conn *conn = handle->data;

	if (--conn->handles_open == 0)
		free(conn);
}

static void unlist(struct sd_conn *conn)
{
	*(conn->prev ? &conn->prev->next : &conn->server->conns) = conn->next;
	if (conn->next)
		conn->next->prev = conn->prev;
	conn->server->conn_count--;
}

static void drop_input(struct sd_conn *conn)
{
	if (conn->holds_request)
		sd_rpc_give_up(conn->server, &conn->reader.frame);
	conn->holds_request = conn->is_held = false;
	sd_reader_finish(&conn->reader);
	free(conn->stash);
	conn->stash = NULL;
	conn->stash_len = 0;
}

void sd_conn_close(struct sd_conn *conn, const char *why)
{
	struct sd_line line;

	if (conn->state == SD_CONN_CLOSED)
		return;
	if (sd_log_begin(&line, SD_LOG_DEBUG, "closed")) {
		sd_log_int(&line, "conn", (int64_t)conn->id);
		sd_log_text(&line, "state", state_rule[conn->state].name);
		sd_log_text(&line, "why", why);
		sd_log_end(&line);
	}
	conn->state = SD_CONN_CLOSED;
	sd_rpc_abandon(conn);
	sd_lease_drop_conn(conn);
	drop_input(conn);
	unlist(conn);
	uv_close((uv_handle_t *)&conn->pipe, on_closed);
	uv_close((uv_handle_t *)&conn->timer, on_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
	struct sd_conn *conn = request->data;

	if (conn->state == SD_CONN_CLOSED)
		return;
	if (status < 0)
		sd_conn_close(conn, "shutdown failed");
	else
		uv_timer_start(&conn->timer, on_timer, CLOSING_MS, 0);
}

/* The end of our bytes is shown first and the peer's is waited for: a close with bytes
 * unread would let the peer miss the last answers. */
void sd_conn_finish(struct sd_conn *conn)
{
	if (conn->state >= SD_CONN_CLOSING)
		return;
	uv_timer_stop(&conn->timer);
	conn->state = SD_CONN_CLOSING;
	sd_rpc_abandon(conn);
	sd_lease_drop_conn(conn);
	drop_input(conn);
	conn->shutdown.data = conn;
	if (uv_shutdown(&conn->shutdown, (uv_stream_t *)&conn->pipe, on_shutdown) != 0)
		sd_conn_close(conn, "shutdown failed");
	else
		sd__conn_drop_input(conn);
}

static void time_out(struct sd_conn *conn, enum sd_code code, const char *words)
{
	struct sd_diag diag = { 0 };

	conn->server->metrics.counter[SD_COUNTER_connections_timed_out]++;
	SD_FAIL1(&diag, code, SD_NO_NODE, sd_arg_words(words));
	sd_conn_refuse(conn, &conn->reader.frame, &diag);
}

static void on_idle(struct sd_conn *conn)
{
	uint64_t silent = uv_now(&conn->server->loop) - conn->active_ms, idle = conn->server->config.idle_ms;

	if (silent < idle) {
		uv_timer_start(&conn->timer, on_timer, idle - silent, 0);
		return;
	}
	sd_conn_say_goodbye(conn);
	sd_conn_finish(conn);
}

static void on_timer(uv_timer_t *timer)
{
	struct sd_conn *conn = timer->data;

	switch (conn->state) {
	case SD_CONN_HELLO: time_out(conn, SD_CODE_NO_HELLO, ""); break;
	case SD_CONN_READING: time_out(conn, SD_CODE_BAD_FRAME, "it did not become complete in time"); break;
	case SD_CONN_IDLE: on_idle(conn); break;
	default: sd_conn_close(conn, "the peer did not close"); break;
	}
}

/* ---- writing ---- */

#define HEAD_MAX (SD_FRAME_HEADER + 16u)

struct write {
	uv_write_t request;
	struct sd_conn *conn;
	uint64_t bytes;
	struct sd_blob *body;
	unsigned char head[HEAD_MAX], tail[32];
};

static void on_write(uv_write_t *request, int status)
{
	struct write *write = request->data;
	struct sd_conn *conn = write->conn;

	conn->owed_bytes -= write->bytes;
	sd_blob_release(write->body);
	free(write);
	if (conn->state == SD_CONN_CLOSED)
		return;
	if (status < 0)
		sd_conn_close(conn, "the peer is gone");
	else
		sd_conn_settle(conn);
}

static void fill_head(unsigned char head[HEAD_MAX], const struct sd_out *out, uint64_t body_bytes)
{
	struct sd_frame frame = { .body_bytes = (uint32_t)body_bytes, .method = out->method, .kind = (uint8_t)out->kind,
	                          .request_id = out->request_id };

	sd_frame_write(head, &frame);
	memcpy(head + SD_FRAME_HEADER, out->head, out->head_len);
}

/* Pieces of a frame behind its first `skip` bytes; answers how many. */
static unsigned fill_parts(uv_buf_t part[3], const unsigned char *head, const unsigned char *tail, const struct sd_out *out, size_t skip)
{
	const uv_buf_t whole[] = {
		uv_buf_init((char *)(uintptr_t)head, SD_FRAME_HEADER + out->head_len),
		uv_buf_init(out->body ? (char *)out->body->data : NULL, out->body ? (unsigned)out->body->len : 0),
		uv_buf_init((char *)(uintptr_t)tail, out->tail_len),
	};
	unsigned parts = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (skip < whole[i].len)
			part[parts++] = uv_buf_init(whole[i].base + skip, (unsigned)(whole[i].len - skip));
		skip -= skip < whole[i].len ? skip : whole[i].len;
	}
	return parts;
}

/* What the socket takes at once, which is mostly all: then nothing is queued. Errors are left to the write that follows. */
static uint64_t write_at_once(struct sd_conn *conn, const struct sd_out *out, uint64_t body_bytes)
{
	unsigned char head[HEAD_MAX];
	uv_buf_t part[3];
	int taken;

	if (conn->owed_bytes || body_bytes > AT_ONCE_MAX)
		return 0;
	fill_head(head, out, body_bytes);
	taken = uv_try_write((uv_stream_t *)&conn->pipe, part, fill_parts(part, head, out->tail, out, 0));
	return taken > 0 ? (uint64_t)taken : 0;
}

/* The rest of a frame of which `taken` bytes are gone. */
static bool start_write(struct sd_conn *conn, const struct sd_out *out, uint64_t body_bytes, uint64_t taken)
{
	struct write *write = malloc(sizeof(*write));
	uv_buf_t part[3];

	if (!write)
		return false;
	*write = (struct write){ .request = { .data = write }, .conn = conn, .body = out->body, .bytes = SD_FRAME_HEADER + body_bytes - taken };
	fill_head(write->head, out, body_bytes);
	memcpy(write->tail, out->tail, out->tail_len);
	if (conn->owed_bytes == 0)
		conn->stall_ms = uv_now(&conn->server->loop);
	conn->owed_bytes += write->bytes;
	if (uv_write(&write->request, (uv_stream_t *)&conn->pipe, part, fill_parts(part, write->head, write->tail, out, taken), on_write) == 0)
		return true;
	conn->owed_bytes -= write->bytes;
	free(write);
	return false;
}

void sd_conn_send(struct sd_conn *conn, const struct sd_out *out)
{
	uint64_t body_bytes = (uint64_t)out->head_len + (out->body ? out->body->len : 0) + out->tail_len, taken;
	bool fits = body_bytes <= UINT32_MAX - SD_FRAME_HEADER &&
	            (conn->owed_bytes == 0 || conn->owed_bytes + body_bytes <= conn->server->config.unread_bytes_max);

	if (conn->state >= SD_CONN_CLOSING || !fits) {
		sd_blob_release(out->body);
		conn->server->metrics.counter[SD_COUNTER_connections_stalled] += conn->state < SD_CONN_CLOSING;
		if (conn->state < SD_CONN_CLOSING)
			sd_conn_close(conn, "too many answers are unread");
		return;
	}
	conn->server->metrics.counter[SD_COUNTER_answer_bytes] += SD_FRAME_HEADER + body_bytes;
	taken = write_at_once(conn, out, body_bytes);
	if (taken < SD_FRAME_HEADER + body_bytes && start_write(conn, out, body_bytes, taken))
		return;
	sd_blob_release(out->body);
	if (taken < SD_FRAME_HEADER + body_bytes)
		sd_conn_close(conn, "the peer is gone, or no memory is left");
}

void sd_conn_send_error(struct sd_conn *conn, const struct sd_frame *about, const struct sd_diag *diag)
{
	struct sd_out out = { .kind = SD_FRAME_ERROR, .method = about->method, .request_id = about->request_id,
	                      .body = sd_error_blob(diag, NULL) };

	sd_conn_send(conn, &out);
}

void sd_conn_refuse(struct sd_conn *conn, const struct sd_frame *about, const struct sd_diag *diag)
{
	struct sd_line line;

	if (sd_server_may_log(conn->server, conn) && sd_log_begin(&line, SD_LOG_INFO, "refused")) {
		sd_log_int(&line, "conn", (int64_t)conn->id);
		sd_log_int(&line, "uid", conn->uid);
		sd_log_text(&line, "code", sd_code_text(diag->code));
		sd_log_end(&line);
	}
	sd_conn_send_error(conn, about, diag);
	sd_conn_finish(conn);
}

void sd_conn_say_goodbye(struct sd_conn *conn)
{
	if (conn->state < SD_CONN_CLOSING && conn->is_greeted)
		sd_conn_send(conn, &(struct sd_out){ .kind = SD_FRAME_GOODBYE });
}

void sd_conn_glitch(struct sd_conn *conn)
{
	struct sd_diag diag = { 0 };
	uint64_t now = uv_now(&conn->server->loop), forgiven = (now - conn->glitches_ms) * GLITCHES_PER_SECOND / 1000;

	conn->server->metrics.counter[SD_COUNTER_glitches]++;
	if (forgiven) {
		conn->glitches -= forgiven < conn->glitches ? (uint32_t)forgiven : conn->glitches;
		conn->glitches_ms = now;
	}
	if (++conn->glitches <= GLITCHES_MAX)
		return;
	SD_FAIL1(&diag, SD_CODE_BAD_FRAME, SD_NO_NODE, sd_arg_words("too many senseless frames"));
	sd_conn_refuse(conn, &conn->reader.frame, &diag);
}

/* ---- watching ---- */

/* What the peer has not read: in our queue, and in the kernel's. */
static uint64_t unread_bytes(const struct sd_conn *conn, int fd)
{
	int in_kernel = 0;

	ioctl(fd, SIOCOUTQ, &in_kernel);
	return conn->pipe.write_queue_size + (uint64_t)in_kernel;
}

static void watch_stall(struct sd_conn *conn, int fd)
{
	uint64_t now = uv_now(&conn->server->loop), unread = unread_bytes(conn, fd);

	if (conn->owed_bytes == 0 || unread != conn->stall_seen) {
		conn->stall_seen = unread;
		conn->stall_ms = now;
	} else if (now - conn->stall_ms >= conn->server->config.stall_ms) {
		conn->server->metrics.counter[SD_COUNTER_connections_stalled]++;
		sd_conn_close(conn, "the peer does not read");
	}
}

void sd_conn_watch(struct sd_conn *conn)
{
	struct pollfd poll_fd = { .events = 0 };

	if (conn->state == SD_CONN_CLOSED || uv_fileno((uv_handle_t *)&conn->pipe, &poll_fd.fd) != 0)
		return;
	/* A peer that is not being read can die unseen; poll tells of it without reading. */
	if (!conn->is_reading && poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLHUP | POLLERR)))
		sd_conn_close(conn, "the peer is gone");
	else
		watch_stall(conn, poll_fd.fd);
}

/* ---- opening ---- */

static bool init_handles(struct sd_conn *conn)
{
	uv_loop_t *loop = &conn->server->loop;

	if (uv_timer_init(loop, &conn->timer) != 0)
		return false;
	conn->timer.data = conn;
	conn->handles_open = 1;
	if (uv_pipe_init(loop, &conn->pipe, 0) != 0) {
		uv_close((uv_handle_t *)&conn->timer, on_closed);
		return false;
	}
	conn->pipe.data = conn;
	conn->handles_open = 2;
	return true;
}

static void enlist(struct sd_conn *conn)
{
	struct sd_server *server = conn->server;

	conn->id = ++server->last_conn_id;
	conn->next = server->conns;
	if (conn->next)
		conn->next->prev = conn;
	server->conns = conn;
	server->conn_count++;
	server->metrics.counter[SD_COUNTER_connections]++;
}

void sd_conn_open(struct sd_server *server, int fd, const struct sd_peer *peer)
{
	struct sd_conn *conn = calloc(1, sizeof(*conn));

	if (!conn) {
		close(fd);
		return;
	}
	conn->server = server;
	conn->uid = peer->uid;
	conn->pid = peer->pid;
	conn->may_lease = peer->may_lease;
	if (!init_handles(conn)) {
		close(fd);
		if (!conn->handles_open)
			free(conn);
		return;
	}
	enlist(conn);
	conn->active_ms = conn->glitches_ms = uv_now(&server->loop);
	conn->state = SD_CONN_BUSY;
	if (uv_pipe_open(&conn->pipe, fd) != 0) {
		close(fd);
		sd_conn_close(conn, "the socket cannot be opened");
		return;
	}
	sd_conn_settle(conn);
}
