#include <string.h>

#include "grpc_conn.h"
#include "server.h"

static struct sd_grpc_stream *stream_of(nghttp2_session *session, int32_t id)
{
	return nghttp2_session_get_stream_user_data(session, id);
}

/* After a connection was closed from within, nghttp2 has to stop. */
static int go_on(const struct sd_grpc_conn *grpc)
{
	return grpc->state < SD_GRPC_CLOSED ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static void on_senseless(struct sd_grpc_conn *grpc, const char *what)
{
	if (!sd_conn_glitch(&grpc->conn))
		sd_grpc_send_away(grpc, NGHTTP2_ENHANCE_YOUR_CALM, what);
}

/* ---- headers ---- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct sd_grpc_conn *grpc = arg;
	struct sd_grpc_stream *stream;

	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return go_on(grpc);
	stream = sd_grpc_stream_begin(grpc, frame->hd.stream_id);
	if (!stream)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
	return go_on(grpc);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len,
                     const uint8_t *value, size_t value_len, uint8_t flags, void *arg)
{
	struct sd_grpc_stream *stream = stream_of(session, frame->hd.stream_id);

	if (stream && frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		sd_grpc_stream_header(stream, (struct sd_text){ (const char *)name, (uint32_t)name_len },
		                      (struct sd_text){ (const char *)value, (uint32_t)value_len });
	return 0;
}

/* ---- frames ---- */

/* Pings that come without anything else going on are counted, as they cost without doing anything. */
static void on_ping(struct sd_grpc_conn *grpc, const nghttp2_ping *ping)
{
	if (ping->hd.flags & NGHTTP2_FLAG_ACK) {
		sd_grpc_heard_ping(grpc, ping->opaque_data);
		return;
	}
	sd_lease_hear_all(&grpc->conn);
	if (!grpc->has_sent)
		on_senseless(grpc, "too_many_pings");
	grpc->has_sent = false;
}

static void on_request_frame(struct sd_grpc_conn *grpc, struct sd_grpc_stream *stream, const nghttp2_frame *frame)
{
	bool is_last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		sd_grpc_stream_headers_done(stream);
	else if (frame->hd.type == NGHTTP2_DATA && frame->hd.length == 0 && !is_last)
		on_senseless(grpc, "too many empty frames");
	if (is_last && grpc->state < SD_GRPC_CLOSED)
		sd_grpc_stream_whole(stream);
}

static void on_frame(struct sd_grpc_conn *grpc, nghttp2_session *session, const nghttp2_frame *frame)
{
	struct sd_grpc_stream *stream;

	switch (frame->hd.type) {
	case NGHTTP2_HEADERS:
	case NGHTTP2_DATA:
		stream = stream_of(session, frame->hd.stream_id);
		if (stream)
			on_request_frame(grpc, stream, frame);
		break;
	case NGHTTP2_PING:
		on_ping(grpc, &frame->ping);
		break;
	case NGHTTP2_SETTINGS:
		if (!(frame->hd.flags & NGHTTP2_FLAG_ACK))
			sd_grpc_greeted(grpc);
		break;
	case NGHTTP2_RST_STREAM:
		grpc->conn.server->metrics.counter[SD_COUNTER_grpc_resets]++;
		break;
	case NGHTTP2_PRIORITY:
		on_senseless(grpc, "too many priorities");
		break;
	default:
		break;
	}
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct sd_grpc_conn *grpc = arg;

	if (!(frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK)))
		grpc->active_ms = uv_now(&grpc->conn.server->loop);
	on_frame(grpc, session, frame);
	return go_on(grpc);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *at, size_t len, void *arg)
{
	struct sd_grpc_stream *stream = stream_of(session, id);

	if (stream)
		sd_grpc_stream_data(stream, at, len);
	return go_on(arg);
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error_code, void *arg)
{
	struct sd_grpc_stream *stream = stream_of(session, id);

	if (stream) {
		nghttp2_session_set_stream_user_data(session, id, NULL);
		sd_grpc_stream_end(stream);
	}
	return go_on(arg);
}

/* Who still sends a message that was answered already is told to stop: behind the answer, not before it. */
static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct sd_grpc_conn *grpc = arg;
	struct sd_grpc_stream *stream;

	if (frame->hd.type == NGHTTP2_GOAWAY)
		sd_grpc_sent_goaway(grpc);
	if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
		return 0;
	grpc->has_sent = true;
	stream = frame->hd.flags & NGHTTP2_FLAG_END_STREAM ? stream_of(session, frame->hd.stream_id) : NULL;
	if (stream && !stream->is_whole)
		nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
	return 0;
}

bool sd_grpc_callbacks_make(nghttp2_session_callbacks **callbacks)
{
	if (nghttp2_session_callbacks_new(callbacks) != 0)
		return false;
	nghttp2_session_callbacks_set_on_begin_headers_callback(*callbacks, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(*callbacks, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(*callbacks, on_frame_recv);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(*callbacks, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(*callbacks, on_stream_close);
	nghttp2_session_callbacks_set_on_frame_send_callback(*callbacks, on_frame_send);
	nghttp2_session_callbacks_set_send_data_callback(*callbacks, sd_grpc_send_data);
	return true;
}

bool sd_grpc_session_open(struct sd_grpc_conn *grpc)
{
	const struct sd_server *server = grpc->conn.server;
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)server->config.grpc_streams_max },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, SD_GRPC_STREAM_WINDOW },
		{ NGHTTP2_SETTINGS_MAX_FRAME_SIZE, SD_GRPC_FRAME_MAX },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)server->config.grpc_header_bytes_max },
	};
	const nghttp2_option *option = grpc->is_tcp ? server->grpc.option_tcp : server->grpc.option_unix;

	if (nghttp2_session_server_new2(&grpc->session, server->grpc.callbacks, grpc, option) != 0)
		return false;
	if (nghttp2_submit_settings(grpc->session, NGHTTP2_FLAG_NONE, settings, sizeof(settings) / sizeof(settings[0])) != 0 ||
	    nghttp2_session_set_local_window_size(grpc->session, NGHTTP2_FLAG_NONE, 0, SD_GRPC_CONN_WINDOW) != 0)
		return false;
	sd_grpc_dirty(grpc);
	return true;
}
