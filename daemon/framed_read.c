#include <stdlib.h>
#include <string.h>

#include "framed_impl.h"
#include "rpc.h"
#include "server.h"
#include "streamd.pb-c.h"

#define PING_BODY_MAX 4096u

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct sd_framed *framed = handle->data;
	size_t room;
	unsigned char *direct = sd_reader_room(&framed->reader, &room);

	if (direct)
		*buf = uv_buf_init((char *)direct, (unsigned)room);
	else
		*buf = uv_buf_init((char *)framed->conn.server->read_buffer, SD_READ_BUFFER);
}

/* ---- frames ---- */

static void refuse(struct sd_framed *framed, enum sd_code code, struct sd_arg a, struct sd_arg b)
{
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, code, SD_NO_NODE, a, b);
	sd__framed_refuse(framed, &framed->reader.frame, &diag);
}

static void answer_glitch(struct sd_framed *framed, enum sd_code code, struct sd_arg a)
{
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, code, SD_NO_NODE, a);
	sd__framed_send_error(framed, &framed->reader.frame, &diag);
	sd__framed_glitch(framed);
}

static void take_body(struct sd_framed *framed)
{
	if (!sd_reader_take(&framed->reader))
		refuse(framed, SD_CODE_BROKEN, sd_arg_words("no memory is left"), (struct sd_arg){ 0 });
}

static struct sd_ask ask_of(const struct sd_frame *frame)
{
	return (struct sd_ask){ .rpc = sd_rpc_find(frame->method), .method = frame->method, .request_id = frame->request_id,
	                        .body_bytes = frame->body_bytes, .deadline_ms = frame->deadline_ms_left };
}

static void on_request_head(struct sd_framed *framed)
{
	struct sd_ask ask;
	struct sd_diag diag = { 0 };
	enum sd_status status;

	/* It waits where it is until one of those before it is done. */
	framed->is_held = framed->conn.call_count >= framed->conn.server->config.open_requests_max &&
	                  !sd_rpc_is_short(sd_rpc_find(framed->reader.frame.method));
	if (framed->is_held)
		return;
	ask = ask_of(&framed->reader.frame);
	status = sd_rpc_admit(&framed->conn, &ask, &diag);
	if (status != SD_OK) {
		sd__framed_send_error(framed, &framed->reader.frame, &diag);
		if (status == SD_UNIMPLEMENTED || status == SD_INVALID_ARGUMENT)
			sd__framed_glitch(framed);
		sd_reader_skip(&framed->reader);
		return;
	}
	framed->holds_request = true;
	take_body(framed);
}

static void on_known_head(struct sd_framed *framed)
{
	const struct sd_frame *frame = &framed->reader.frame;

	switch (frame->kind) {
	case SD_FRAME_HELLO:
		take_body(framed);
		return;
	case SD_FRAME_REQUEST:
		on_request_head(framed);
		return;
	case SD_FRAME_PING:
		if (frame->body_bytes <= PING_BODY_MAX) {
			take_body(framed);
			return;
		}
		answer_glitch(framed, SD_CODE_BAD_FRAME, sd_arg_words("a ping has at most 4,096 bytes"));
		break;
	case SD_FRAME_CANCEL:
		sd_rpc_cancel(&framed->conn, frame->request_id);
		break;
	case SD_FRAME_GOODBYE:
		framed->is_leaving = true;
		break;
	case SD_FRAME_ANSWER: case SD_FRAME_ERROR: case SD_FRAME_PONG:
		answer_glitch(framed, SD_CODE_BAD_FRAME, sd_arg_words("only the server sends frames of this kind"));
		break;
	default:
		answer_glitch(framed, SD_CODE_UNKNOWN_KIND, sd_arg_int(frame->kind));
		break;
	}
	sd_reader_skip(&framed->reader);
}

static void on_head(struct sd_framed *framed)
{
	const struct sd_frame *frame = &framed->reader.frame;
	uint64_t bytes = (uint64_t)frame->body_bytes + SD_FRAME_HEADER, max = sd__framed_frame_max(framed);

	framed->frame_count++;
	if (!framed->is_greeted && frame->kind != SD_FRAME_HELLO)
		refuse(framed, SD_CODE_NO_HELLO, (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
	else if (bytes > max)
		refuse(framed, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)bytes), sd_arg_int((int64_t)max));
	else if (framed->is_greeted && frame->kind == SD_FRAME_HELLO)
		refuse(framed, SD_CODE_BAD_FRAME, sd_arg_words("hello is said once"), (struct sd_arg){ 0 });
	else
		on_known_head(framed);
}

static void on_hello(struct sd_framed *framed, const unsigned char *body, size_t len)
{
	Streamd__V1__ClientHello *hello = streamd__v1__client_hello__unpack(NULL, len, body);
	struct sd_line line;

	if (!hello || hello->protocol != SD_PROTOCOL) {
		refuse(framed, SD_CODE_BAD_FRAME, sd_arg_words(hello ? "the protocol spoken here is 1" : "hello cannot be decoded"),
		       (struct sd_arg){ 0 });
	} else {
		if (sd_log_begin(&line, SD_LOG_DEBUG, "hello")) {
			sd_log_int(&line, "conn", (int64_t)framed->conn.id);
			sd_log_int(&line, "uid", framed->conn.uid);
			sd_log_text(&line, "client", hello->client);
			sd_log_end(&line);
		}
		framed->is_greeted = true;
		sd__framed_send(framed, &(struct sd_out){ .kind = SD_FRAME_HELLO, .body = sd_server_hello(framed->conn.server) });
	}
	if (hello)
		streamd__v1__client_hello__free_unpacked(hello, NULL);
}

static void on_frame(struct sd_framed *framed)
{
	struct sd_frame frame = framed->reader.frame;
	unsigned char *body = sd_reader_body(&framed->reader);
	struct sd_ask ask;

	if (frame.kind == SD_FRAME_REQUEST) {
		framed->holds_request = false;
		ask = ask_of(&frame);
		sd_rpc_begin(&framed->conn, &ask, body);
		return;
	}
	if (frame.kind == SD_FRAME_PING) {
		sd_lease_hear_all(&framed->conn);
		sd__framed_send(framed, &(struct sd_out){ .kind = SD_FRAME_PONG, .request_id = frame.request_id,
		                                     .body = sd_blob_copy(body, frame.body_bytes) });
	} else {
		on_hello(framed, body, frame.body_bytes);
	}
	free(body);
}

/* ---- bytes ---- */

/* Works off bytes as far as the connection may be read; answers how many are left. */
static size_t pump(struct sd_framed *framed, const unsigned char *at, size_t len)
{
	bool more = true;

	framed->is_pumping = true;
	while (more && framed->state < SD_FRAMED_CLOSING && sd__framed_may_read(framed)) {
		switch (sd_reader_feed(&framed->reader, &at, &len)) {
		case SD_READ_MORE: more = false; break;
		case SD_READ_FRAME: on_frame(framed); break;
		case SD_READ_BAD:
			refuse(framed, SD_CODE_BAD_FRAME, sd_arg_words("its length is smaller than its header"), (struct sd_arg){ 0 });
			break;
		case SD_READ_HEAD:
			on_head(framed);
			more = !framed->is_held;
			break;
		}
	}
	framed->is_pumping = false;
	framed->is_paused = !sd__framed_may_read(framed);
	return len;
}

/* Puts aside what may not be looked at yet: at most one read's worth, since reading stops then. */
static void put_aside(struct sd_framed *framed, const unsigned char *at, size_t len)
{
	if (!at || len == 0 || framed->state >= SD_FRAMED_CLOSING)
		return;
	framed->stash = malloc(len);
	if (!framed->stash) {
		sd__framed_close(framed, "no memory is left");
		return;
	}
	memcpy(framed->stash, at, len);
	framed->stash_len = len;
}

static void pump_stash(struct sd_framed *framed)
{
	unsigned char *stash = framed->stash;
	size_t len = framed->stash_len, left;

	framed->stash = NULL;
	framed->stash_len = 0;
	left = pump(framed, stash, len);
	put_aside(framed, stash ? stash + len - left : NULL, left);
	free(stash);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct sd_framed *framed = stream->data;
	const unsigned char *at = (const unsigned char *)buf->base;
	size_t room, left;

	if (n < 0) {
		sd__framed_close(framed, n == UV_EOF ? "the peer closed" : "the peer is gone");
		return;
	}
	framed->active_ms = uv_now(&framed->conn.server->loop);
	if (framed->state >= SD_FRAMED_CLOSING || n == 0)
		return;
	if (sd_reader_room(&framed->reader, &room) == at) {
		sd_reader_wrote(&framed->reader, (size_t)n);
		n = 0;
	}
	left = pump(framed, at, (size_t)n);
	put_aside(framed, at + (size_t)n - left, left);
	sd__framed_settle(framed);
}

static void set_reading(struct sd_framed *framed, bool reading)
{
	if (reading == framed->is_reading)
		return;
	framed->is_reading = reading;
	if (!reading)
		uv_read_stop((uv_stream_t *)&framed->pipe);
	else if (uv_read_start((uv_stream_t *)&framed->pipe, on_alloc, on_read) != 0)
		sd__framed_close(framed, "the socket cannot be read");
}

void sd__framed_resume(struct sd_framed *framed)
{
	if (sd__framed_may_read(framed) && (framed->stash || framed->is_held || framed->is_paused))
		pump_stash(framed);
	if (framed->state < SD_FRAMED_CLOSING)
		set_reading(framed, sd__framed_may_read(framed) && !framed->is_held && !framed->stash);
}

void sd__framed_drop_input(struct sd_framed *framed)
{
	set_reading(framed, true);
}
