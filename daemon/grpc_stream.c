#include <stdlib.h>
#include <string.h>

#include "grpc_conn.h"
#include "packed.h"
#include "server.h"

#define SMALL_MESSAGE_MAX (64u << 10) /* of the services that only gRPC has */

static struct sd_server *server_of(const struct sd_grpc_stream *stream)
{
	return stream->grpc->conn.server;
}

static struct sd_ask ask_of(const struct sd_grpc_stream *stream)
{
	return (struct sd_ask){ .rpc = stream->method ? stream->method->rpc : NULL, .request_id = (uint64_t)stream->id,
	                        .body_bytes = stream->body_bytes };
}

/* Refused before it became a call. */
static void refuse(struct sd_grpc_stream *stream, enum sd_code code, struct sd_arg a, struct sd_arg b)
{
	struct sd_ask ask = ask_of(stream);
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, code, SD_NO_NODE, a, b);
	sd_rpc_refused(&stream->grpc->conn, &ask, &diag);
	sd_grpc_fail(stream, &diag);
}

static void refuse_words(struct sd_grpc_stream *stream, const char *words)
{
	refuse(stream, SD_CODE_BAD_CALL, sd_arg_words(words), (struct sd_arg){ 0 });
}

/* ---- life ---- */

struct sd_grpc_stream *sd_grpc_stream_begin(struct sd_grpc_conn *grpc, int32_t id)
{
	struct sd_grpc_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->grpc = grpc;
	stream->id = id;
	stream->began_ms = uv_now(&grpc->conn.server->loop);
	stream->next = grpc->streams;
	if (stream->next)
		stream->next->prev = stream;
	grpc->streams = stream;
	grpc->stream_count++;
	grpc->early++;
	return stream;
}

static void leave_line(struct sd_grpc_stream *stream)
{
	struct sd_grpc_conn *grpc = stream->grpc;

	if (!stream->is_held)
		return;
	stream->is_held = false;
	*(stream->held_prev ? &stream->held_prev->held_next : &grpc->held_first) = stream->held_next;
	*(stream->held_next ? &stream->held_next->held_prev : &grpc->held_last) = stream->held_prev;
}

void sd_grpc_stream_drop_body(struct sd_grpc_stream *stream)
{
	leave_line(stream);
	if (stream->is_admitted)
		sd_rpc_give_up(server_of(stream), stream->body_bytes);
	stream->is_admitted = false;
	free(stream->body);
	stream->body = NULL;
}

void sd_grpc_stream_give_up(struct sd_grpc_stream *stream)
{
	struct sd_ask ask = ask_of(stream);
	struct sd_diag diag = { 0 };

	if (!stream->is_begun && !stream->is_ended) {
		SD_FAIL0(&diag, SD_CODE_CANCELLED, SD_NO_NODE);
		sd_rpc_refused(&stream->grpc->conn, &ask, &diag);
	}
	if (!stream->is_ended)
		sd_grpc_count_end(stream, SD_CANCELLED);
}

void sd_grpc_stream_end(struct sd_grpc_stream *stream)
{
	struct sd_grpc_conn *grpc = stream->grpc;
	bool is_open = stream->is_begun && !stream->is_ended;

	sd_grpc_stream_give_up(stream);
	sd_grpc_drop_outs(stream);
	sd_blob_release(stream->error);
	*(stream->prev ? &stream->prev->next : &grpc->streams) = stream->next;
	if (stream->next)
		stream->next->prev = stream->prev;
	grpc->stream_count--;
	if (is_open)
		sd_rpc_cancel(&grpc->conn, (uint64_t)stream->id);
	free(stream);
	sd_grpc_dirty(grpc);
}

/* ---- headers ---- */

static bool is_text(struct sd_text text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.at, word, text.len) == 0;
}

static void set_encoding(struct sd_grpc_stream *stream, struct sd_text value)
{
	stream->is_gzip = is_text(value, "gzip");
	stream->has_bad_encoding = !stream->is_gzip && !is_text(value, "identity");
}

static void set_timeout(struct sd_grpc_stream *stream, struct sd_text value)
{
	stream->has_bad_timeout = !sd_grpc_timeout(value.at, value.len, &stream->timeout_ms);
	if (stream->timeout_ms == 0)
		stream->timeout_ms = 1;
}

void sd_grpc_stream_header(struct sd_grpc_stream *stream, struct sd_text name, struct sd_text value)
{
	uint64_t bytes = (uint64_t)stream->header_bytes + name.len + value.len + 32; /* as HTTP/2 counts them */

	stream->header_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
	if (is_text(name, ":path")) {
		stream->has_path = true;
		stream->method = sd_grpc_find_method(server_of(stream), value);
	} else if (is_text(name, ":method"))
		stream->is_post = is_text(value, "POST");
	else if (is_text(name, "content-type"))
		stream->has_type = sd_grpc_content_type(value.at, value.len);
	else if (is_text(name, "te"))
		stream->has_te = is_text(value, "trailers");
	else if (is_text(name, "grpc-timeout"))
		set_timeout(stream, value);
	else if (is_text(name, "grpc-encoding"))
		set_encoding(stream, value);
	else if (is_text(name, "grpc-accept-encoding"))
		stream->takes_gzip |= sd_grpc_takes_gzip(value.at, value.len);
}

void sd_grpc_stream_headers_done(struct sd_grpc_stream *stream)
{
	uint64_t headers_max = server_of(stream)->config.grpc_header_bytes_max;

	if (stream->is_ended)
		return;
	if (stream->header_bytes > headers_max)
		refuse(stream, SD_CODE_LIMIT_HEADERS, sd_arg_int(stream->header_bytes), sd_arg_int((int64_t)headers_max));
	else if (!stream->is_post)
		sd_grpc_http_status(stream, "405");
	else if (!stream->has_type)
		sd_grpc_http_status(stream, "415");
	else if (!stream->has_path)
		refuse_words(stream, "it has no path");
	else if (!stream->method)
		refuse(stream, SD_CODE_UNKNOWN_PATH, (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
	else if (!stream->has_te)
		refuse_words(stream, "te: trailers is missing; something on the way drops it, or the client does not speak gRPC");
	else if (stream->has_bad_timeout)
		refuse_words(stream, "grpc-timeout must be 1 to 8 digits and one of H, M, S, m, u, n");
	else if (stream->has_bad_encoding)
		refuse(stream, SD_CODE_BAD_ENCODING, (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
}

/* ---- messages ---- */

/* May the message be read? Then there is memory for it. */
static bool admit_message(struct sd_grpc_stream *stream)
{
	const struct sd_rpc *rpc = stream->method->rpc;
	uint64_t max = rpc ? server_of(stream)->config.frame_bytes_max - SD_FRAME_HEADER : SMALL_MESSAGE_MAX;
	struct sd_ask ask;
	struct sd_diag diag = { 0 };

	if (stream->prefix[0] > 1 || (stream->prefix[0] == 1 && !stream->is_gzip)) {
		refuse_words(stream, "a message says that it is packed, and grpc-encoding does not say how");
		return false;
	}
	stream->body_bytes = sd_grpc_prefix_length(stream->prefix);
	if (stream->body_bytes > max) {
		refuse(stream, SD_CODE_LIMIT_FRAME, sd_arg_int(stream->body_bytes), sd_arg_int((int64_t)max));
		return false;
	}
	ask = ask_of(stream);
	if (rpc && sd_rpc_admit(&stream->grpc->conn, &ask, &diag) != SD_OK) {
		sd_grpc_fail(stream, &diag);
		return false;
	}
	stream->is_admitted = rpc != NULL;
	stream->body_have = 0;
	stream->body = malloc(stream->body_bytes ? stream->body_bytes : 1);
	if (!stream->body)
		refuse(stream, SD_CODE_BROKEN, sd_arg_words("no memory is left"), (struct sd_arg){ 0 });
	return stream->body;
}

/* Of a service that only gRPC has: taken at once, unpacked where it has to be. */
static void serve(struct sd_grpc_stream *stream)
{
	struct sd_text message = { (const char *)stream->body, stream->body_bytes };
	unsigned char *unpacked = NULL;

	if (stream->prefix[0] && !(unpacked = sd_unpack(&message, SMALL_MESSAGE_MAX)))
		refuse_words(stream, SD_UNPACK_WORDS);
	else
		stream->method->serve(stream, message);
	free(unpacked);
	free(stream->body);
	stream->body = NULL;
}

static void end_message(struct sd_grpc_stream *stream)
{
	stream->has_message = true;
	if (!stream->method->takes_many)
		return;
	serve(stream);
	stream->prefix_have = 0;
}

/* Takes bytes of a prefix or of a message from the front; false: the stream is over. */
static bool take(struct sd_grpc_stream *stream, const unsigned char **at, size_t *len)
{
	size_t n = SD_GRPC_PREFIX - stream->prefix_have;

	if (n) {
		n = n < *len ? n : *len;
		memcpy(stream->prefix + stream->prefix_have, *at, n);
		stream->prefix_have = (uint8_t)(stream->prefix_have + n);
		if (stream->prefix_have == SD_GRPC_PREFIX && !admit_message(stream))
			return false;
	} else {
		n = stream->body_bytes - stream->body_have < *len ? stream->body_bytes - stream->body_have : *len;
		memcpy(stream->body + stream->body_have, *at, n);
		stream->body_have += (uint32_t)n;
	}
	*at += n;
	*len -= n;
	if (stream->prefix_have == SD_GRPC_PREFIX && stream->body_have == stream->body_bytes)
		end_message(stream);
	return !stream->is_ended;
}

void sd_grpc_stream_data(struct sd_grpc_stream *stream, const unsigned char *at, size_t len)
{
	while (len && !stream->is_ended) {
		if (stream->has_message && !stream->method->takes_many) {
			refuse_words(stream, "it has more than one message");
			return;
		}
		if (!take(stream, &at, &len))
			return;
	}
}

/* ---- calls ---- */

static bool may_begin(const struct sd_grpc_conn *grpc)
{
	const struct sd_config *config = &grpc->conn.server->config;

	return grpc->conn.call_count < config->grpc_streams_max && grpc->owed_bytes <= config->owed_bytes_max;
}

/* A small message is unpacked here, a large one by its worker. */
static bool unpack_small(struct sd_grpc_stream *stream)
{
	struct sd_text message = { (const char *)stream->body, stream->body_bytes };
	unsigned char *unpacked = sd_unpack(&message, SD_RPC_LOOP_BODY_MAX);

	if (!unpacked) {
		refuse_words(stream, SD_UNPACK_WORDS);
		return false;
	}
	server_of(stream)->request_bytes += message.len;
	server_of(stream)->request_bytes -= stream->body_bytes;
	free(stream->body);
	stream->body = unpacked;
	stream->body_bytes = message.len;
	return true;
}

static void begin(struct sd_grpc_stream *stream)
{
	bool is_packed = stream->prefix[0] == 1;
	uint64_t spent = uv_now(&server_of(stream)->loop) - stream->began_ms, left;
	unsigned char *body;
	struct sd_ask ask;

	if (is_packed && !stream->method->rpc->run && !unpack_small(stream))
		return;
	ask = ask_of(stream);
	if (stream->timeout_ms) {
		left = stream->timeout_ms > spent ? stream->timeout_ms - spent : 1;
		ask.deadline_ms = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
	}
	if (is_packed && stream->method->rpc->run)
		ask.unpacked_max = (uint32_t)sd_rpc_body_max(server_of(stream), stream->method->rpc);
	ask.pack_above = stream->takes_gzip && stream->method->rpc->run ? (uint32_t)server_of(stream)->config.grpc_compress_above : 0;
	stream->packs = ask.pack_above;
	body = stream->body;
	stream->body = NULL;
	stream->is_admitted = false;
	stream->is_begun = true;
	stream->grpc->early--;
	sd_rpc_begin(&stream->grpc->conn, &ask, body);
}

void sd_grpc_begin_held(struct sd_grpc_conn *grpc)
{
	struct sd_grpc_stream *stream;

	while (grpc->state < SD_GRPC_CLOSING && (stream = grpc->held_first) && may_begin(grpc)) {
		leave_line(stream);
		begin(stream);
	}
}

static void hold(struct sd_grpc_stream *stream)
{
	struct sd_grpc_conn *grpc = stream->grpc;

	if (sd_rpc_is_short(stream->method->rpc) && grpc->owed_bytes <= grpc->conn.server->config.owed_bytes_max) {
		begin(stream);
		return;
	}
	stream->is_held = true;
	stream->held_prev = grpc->held_last;
	*(grpc->held_last ? &grpc->held_last->held_next : &grpc->held_first) = stream;
	grpc->held_last = stream;
	sd_grpc_begin_held(grpc);
}

void sd_grpc_stream_whole(struct sd_grpc_stream *stream)
{
	stream->is_whole = true;
	if (stream->is_ended)
		return;
	if (stream->prefix_have && !(stream->has_message && !stream->method->takes_many))
		refuse_words(stream, "it ends within a message");
	else if (stream->method->takes_many)
		sd_grpc_finish(stream, SD_OK, NULL);
	else if (!stream->has_message)
		refuse_words(stream, "it has no message");
	else if (stream->method->rpc)
		hold(stream);
	else
		serve(stream);
}

/* ---- time ---- */

/* When it must have become a call: by its deadline, and its message by the time that a frame has. */
static uint64_t due_of(const struct sd_grpc_stream *stream, bool *is_slow)
{
	uint64_t due = stream->timeout_ms ? stream->began_ms + stream->timeout_ms : UINT64_MAX;
	uint64_t whole = stream->began_ms + server_of(stream)->config.frame_ms;
	bool is_idle = stream->method && stream->method->takes_many && stream->prefix_have == 0;

	*is_slow = !stream->is_whole && !is_idle && whole < due;
	return *is_slow ? whole : due;
}

uint64_t sd_grpc_expire(struct sd_grpc_conn *grpc, uint64_t now)
{
	struct sd_grpc_stream *next;
	uint64_t first = UINT64_MAX;

	if (grpc->early == 0)
		return first;
	for (struct sd_grpc_stream *stream = grpc->streams; stream; stream = next) {
		bool is_slow;
		uint64_t due = due_of(stream, &is_slow);

		next = stream->next;
		if (stream->is_begun || stream->is_ended)
			continue;
		if (now < due) {
			first = due < first ? due : first;
			continue;
		}
		if (is_slow) {
			grpc->conn.server->metrics.counter[SD_COUNTER_connections_timed_out]++;
			refuse_words(stream, "it did not become complete in time");
		} else {
			refuse(stream, SD_CODE_DEADLINE, sd_arg_int((int64_t)stream->timeout_ms), (struct sd_arg){ 0 });
		}
	}
	return first;
}
