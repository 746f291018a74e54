#include <stdlib.h>
#include <string.h>

#include "conn_impl.h"
#include "rpc.h"
#include "server.h"
#include "streamd.pb-c.h"

#define PING_BODY_MAX 4096u

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct sd_conn *conn = handle->data;
	size_t room;
	unsigned char *direct = sd_reader_room(&conn->reader, &room);

	if (direct)
		*buf = uv_buf_init((char *)direct, (unsigned)room);
	else
		*buf = uv_buf_init((char *)conn->server->read_buffer, SD_READ_BUFFER);
}

/* ---- frames ---- */

static void refuse(struct sd_conn *conn, enum sd_code code, struct sd_arg a, struct sd_arg b)
{
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, code, SD_NO_NODE, a, b);
	sd_conn_refuse(conn, &conn->reader.frame, &diag);
}

static void answer_glitch(struct sd_conn *conn, enum sd_code code, struct sd_arg a)
{
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, code, SD_NO_NODE, a);
	sd_conn_send_error(conn, &conn->reader.frame, &diag);
	sd_conn_glitch(conn);
}

static void take_body(struct sd_conn *conn)
{
	if (!sd_reader_take(&conn->reader))
		refuse(conn, SD_CODE_BROKEN, sd_arg_words("no memory is left"), (struct sd_arg){ 0 });
}

static void on_request_head(struct sd_conn *conn)
{
	/* It waits where it is until one of those before it is done. */
	conn->is_held = conn->call_count >= conn->server->config.open_requests_max && !sd_rpc_is_short(&conn->reader.frame);
	if (conn->is_held)
		return;
	if (!sd_rpc_admit(conn, &conn->reader.frame)) {
		sd_reader_skip(&conn->reader);
		return;
	}
	conn->holds_request = true;
	take_body(conn);
}

static void on_known_head(struct sd_conn *conn)
{
	const struct sd_frame *frame = &conn->reader.frame;

	switch (frame->kind) {
	case SD_FRAME_HELLO:
		take_body(conn);
		return;
	case SD_FRAME_REQUEST:
		on_request_head(conn);
		return;
	case SD_FRAME_PING:
		if (frame->body_bytes <= PING_BODY_MAX) {
			take_body(conn);
			return;
		}
		answer_glitch(conn, SD_CODE_BAD_FRAME, sd_arg_words("a ping has at most 4,096 bytes"));
		break;
	case SD_FRAME_CANCEL:
		sd_rpc_cancel(conn, frame->request_id);
		break;
	case SD_FRAME_GOODBYE:
		conn->is_leaving = true;
		break;
	case SD_FRAME_ANSWER: case SD_FRAME_ERROR: case SD_FRAME_PONG:
		answer_glitch(conn, SD_CODE_BAD_FRAME, sd_arg_words("only the server sends frames of this kind"));
		break;
	default:
		answer_glitch(conn, SD_CODE_UNKNOWN_KIND, sd_arg_int(frame->kind));
		break;
	}
	sd_reader_skip(&conn->reader);
}

static void on_head(struct sd_conn *conn)
{
	const struct sd_frame *frame = &conn->reader.frame;
	uint64_t bytes = (uint64_t)frame->body_bytes + SD_FRAME_HEADER, max = sd__conn_frame_max(conn);

	conn->frame_count++;
	if (!conn->is_greeted && frame->kind != SD_FRAME_HELLO)
		refuse(conn, SD_CODE_NO_HELLO, (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
	else if (bytes > max)
		refuse(conn, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)bytes), sd_arg_int((int64_t)max));
	else if (conn->is_greeted && frame->kind == SD_FRAME_HELLO)
		refuse(conn, SD_CODE_BAD_FRAME, sd_arg_words("hello is said once"), (struct sd_arg){ 0 });
	else
		on_known_head(conn);
}

static void on_hello(struct sd_conn *conn, const unsigned char *body, size_t len)
{
	Streamd__V1__ClientHello *hello = streamd__v1__client_hello__unpack(NULL, len, body);
	struct sd_line line;

	if (!hello || hello->protocol != SD_PROTOCOL) {
		refuse(conn, SD_CODE_BAD_FRAME, sd_arg_words(hello ? "the protocol spoken here is 1" : "hello cannot be decoded"),
		       (struct sd_arg){ 0 });
	} else {
		if (sd_log_begin(&line, SD_LOG_DEBUG, "hello")) {
			sd_log_int(&line, "conn", (int64_t)conn->id);
			sd_log_int(&line, "uid", conn->uid);
			sd_log_text(&line, "client", hello->client);
			sd_log_end(&line);
		}
		conn->is_greeted = true;
		sd_conn_send(conn, &(struct sd_out){ .kind = SD_FRAME_HELLO, .body = sd_server_hello(conn->server) });
	}
	if (hello)
		streamd__v1__client_hello__free_unpacked(hello, NULL);
}

static void on_frame(struct sd_conn *conn)
{
	struct sd_frame frame = conn->reader.frame;
	unsigned char *body = sd_reader_body(&conn->reader);

	if (frame.kind == SD_FRAME_REQUEST) {
		conn->holds_request = false;
		sd_rpc_begin(conn, &frame, body);
		return;
	}
	if (frame.kind == SD_FRAME_PING) {
		sd_lease_hear_all(conn);
		sd_conn_send(conn, &(struct sd_out){ .kind = SD_FRAME_PONG, .request_id = frame.request_id,
		                                     .body = sd_blob_copy(body, frame.body_bytes) });
	} else {
		on_hello(conn, body, frame.body_bytes);
	}
	free(body);
}

/* ---- bytes ---- */

/* Works off bytes as far as the connection may be read; answers how many are left. */
static size_t pump(struct sd_conn *conn, const unsigned char *at, size_t len)
{
	bool more = true;

	conn->is_pumping = true;
	while (more && conn->state < SD_CONN_CLOSING && sd__conn_may_read(conn)) {
		switch (sd_reader_feed(&conn->reader, &at, &len)) {
		case SD_READ_MORE: more = false; break;
		case SD_READ_FRAME: on_frame(conn); break;
		case SD_READ_BAD:
			refuse(conn, SD_CODE_BAD_FRAME, sd_arg_words("its length is smaller than its header"), (struct sd_arg){ 0 });
			break;
		case SD_READ_HEAD:
			on_head(conn);
			more = !conn->is_held;
			break;
		}
	}
	conn->is_pumping = false;
	conn->is_paused = !sd__conn_may_read(conn);
	return len;
}

/* Puts aside what may not be looked at yet: at most one read's worth, since reading stops then. */
static void put_aside(struct sd_conn *conn, const unsigned char *at, size_t len)
{
	if (!at || len == 0 || conn->state >= SD_CONN_CLOSING)
		return;
	conn->stash = malloc(len);
	if (!conn->stash) {
		sd_conn_close(conn, "no memory is left");
		return;
	}
	memcpy(conn->stash, at, len);
	conn->stash_len = len;
}

static void pump_stash(struct sd_conn *conn)
{
	unsigned char *stash = conn->stash;
	size_t len = conn->stash_len, left;

	conn->stash = NULL;
	conn->stash_len = 0;
	left = pump(conn, stash, len);
	put_aside(conn, stash ? stash + len - left : NULL, left);
	free(stash);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct sd_conn *conn = stream->data;
	const unsigned char *at = (const unsigned char *)buf->base;
	size_t room, left;

	if (n < 0) {
		sd_conn_close(conn, n == UV_EOF ? "the peer closed" : "the peer is gone");
		return;
	}
	conn->active_ms = uv_now(&conn->server->loop);
	if (conn->state >= SD_CONN_CLOSING || n == 0)
		return;
	if (sd_reader_room(&conn->reader, &room) == at) {
		sd_reader_wrote(&conn->reader, (size_t)n);
		n = 0;
	}
	left = pump(conn, at, (size_t)n);
	put_aside(conn, at + (size_t)n - left, left);
	sd_conn_settle(conn);
}

static void set_reading(struct sd_conn *conn, bool reading)
{
	if (reading == conn->is_reading)
		return;
	conn->is_reading = reading;
	if (!reading)
		uv_read_stop((uv_stream_t *)&conn->pipe);
	else if (uv_read_start((uv_stream_t *)&conn->pipe, on_alloc, on_read) != 0)
		sd_conn_close(conn, "the socket cannot be read");
}

void sd__conn_resume(struct sd_conn *conn)
{
	if (sd__conn_may_read(conn) && (conn->stash || conn->is_held || conn->is_paused))
		pump_stash(conn);
	if (conn->state < SD_CONN_CLOSING)
		set_reading(conn, sd__conn_may_read(conn) && !conn->is_held && !conn->stash);
}

void sd__conn_drop_input(struct sd_conn *conn)
{
	set_reading(conn, true);
}
