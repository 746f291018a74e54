#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "grpc_conn.h"
#include "packing.h"
#include "server.h"
#include "streamd.pb-c.h"

#define MESSAGE_MAX 1536u /* bytes of grpc-message; stock clients take 8 KiB of headers in all */
#define DETAILS_MAX 3072u /* bytes of the details in binary; longer ones are left out */
#define ERROR_TYPE "type.googleapis.com/streamd.v1.Error"

#define NV(name, value, len) \
	{ (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), sizeof(name) - 1, (len), NGHTTP2_NV_FLAG_NONE }

/* ---- the end of a call ---- */

/* google.rpc.Status: code 1, message 2, details 3 (Any: type_url 1, value 2). */
static size_t put_tag(unsigned char *out, unsigned field, size_t len)
{
	size_t n = 0;

	out[n++] = (unsigned char)(field << 3 | 2);
	for (; len >= 0x80; len >>= 7)
		out[n++] = (unsigned char)(len | 0x80);
	out[n++] = (unsigned char)len;
	return n;
}

static size_t put_text(unsigned char *out, unsigned field, const void *at, size_t len)
{
	size_t n = put_tag(out, field, len);

	memcpy(out + n, at, len);
	return n + len;
}

static size_t write_details(unsigned char *out, enum sd_status status, const char *message, const struct sd_blob *error)
{
	unsigned char lengths[16];
	size_t any = put_tag(lengths, 1, sizeof(ERROR_TYPE) - 1) + sizeof(ERROR_TYPE) - 1 + put_tag(lengths, 2, error->len) + error->len, n = 0;

	out[n++] = 1 << 3;
	out[n++] = (unsigned char)status;
	n += put_text(out + n, 2, message, strlen(message));
	n += put_tag(out + n, 3, any);
	n += put_text(out + n, 1, ERROR_TYPE, sizeof(ERROR_TYPE) - 1);
	return n + put_text(out + n, 2, error->data, error->len);
}

/* What the end of a call says, as headers; the texts lie in it. */
struct ending {
	nghttp2_nv header[8];
	size_t count;
	char status[4], message[MESSAGE_MAX], details[DETAILS_MAX / 3 * 4 + 8];
};

static void add(struct ending *ending, const char *name, const char *value, size_t len)
{
	ending->header[ending->count++] = (nghttp2_nv){ (uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), len,
	                                                NGHTTP2_NV_FLAG_NONE };
}

static void add_error(struct ending *ending, enum sd_status status, const struct sd_blob *blob)
{
	Streamd__V1__Error *error = streamd__v1__error__unpack(NULL, blob->len, blob->data);
	unsigned char details[DETAILS_MAX];

	if (!error)
		return;
	add(ending, "grpc-message", ending->message, sd_grpc_escape(ending->message, MESSAGE_MAX, error->message, strlen(error->message)));
	if (blob->len + strlen(error->message) + sizeof(ERROR_TYPE) + 32 <= DETAILS_MAX)
		add(ending, "grpc-status-details-bin", ending->details,
		    sd_grpc_base64(ending->details, details, write_details(details, status, error->message, blob)));
	streamd__v1__error__free_unpacked(error, NULL);
}

static void describe_end(struct ending *ending, enum sd_status status, const struct sd_blob *error)
{
	int n = snprintf(ending->status, sizeof(ending->status), "%d", (int)status);

	add(ending, "grpc-status", ending->status, (size_t)n);
	if (error)
		add_error(ending, status, error);
}

/* ---- what goes out ---- */

static size_t length_of(const struct sd_grpc_out *out)
{
	return (size_t)out->head_len + out->body->len + out->tail_len;
}

static void drop_first(struct sd_grpc_stream *stream)
{
	struct sd_grpc_out *out = stream->first;

	stream->first = out->next;
	if (!stream->first)
		stream->last = NULL;
	sd_blob_release(out->body);
	free(out);
}

void sd_grpc_drop_outs(struct sd_grpc_stream *stream)
{
	stream->grpc->owed_bytes -= stream->owed_bytes;
	stream->owed_bytes = 0;
	while (stream->first)
		drop_first(stream);
}

/* Copies bytes of an answer from where it was left off; answers how many. */
static size_t copy_some(struct sd_grpc_out *out, unsigned char *to, size_t len)
{
	const struct {
		const unsigned char *at;
		size_t len;
	} part[3] = { { out->head, out->head_len }, { out->body->data, out->body->len }, { out->tail, out->tail_len } };
	size_t from = out->sent, done = 0;

	for (int i = 0; i < 3 && done < len; i++) {
		size_t n;

		if (from >= part[i].len) {
			from -= part[i].len;
			continue;
		}
		n = part[i].len - from < len - done ? part[i].len - from : len - done;
		memcpy(to + done, part[i].at + from, n);
		done += n;
		from = 0;
	}
	out->sent += done;
	return done;
}

int sd_grpc_send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *framehd, size_t length,
                      nghttp2_data_source *source, void *user_data)
{
	struct sd_grpc_conn *grpc = user_data;
	struct sd_grpc_stream *stream = source->ptr;
	unsigned char *to = grpc->fill;

	if (grpc->room < 9 + length)
		return NGHTTP2_ERR_WOULDBLOCK;
	memcpy(to, framehd, 9);
	to += 9;
	grpc->room -= (uint32_t)(9 + length);
	grpc->fill = to + length;
	grpc->owed_bytes -= length;
	stream->owed_bytes -= length;
	grpc->data_bytes += length;
	while (length) {
		size_t n = copy_some(stream->first, to, length);

		to += n;
		length -= n;
		if (stream->first->sent == length_of(stream->first))
			drop_first(stream);
	}
	return 0;
}

/* How much of the next frame there is; the status follows behind the last answer. */
static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length, uint32_t *flags,
                       nghttp2_data_source *source, void *user_data)
{
	struct sd_grpc_stream *stream = source->ptr;
	size_t left = 0;
	struct ending ending;

	for (const struct sd_grpc_out *out = stream->first; out && left <= length; out = out->next)
		left += length_of(out) - out->sent;
	if (left == 0 && !stream->is_ended)
		return NGHTTP2_ERR_DEFERRED;
	*flags |= NGHTTP2_DATA_FLAG_NO_COPY;
	if (left > length)
		return (ssize_t)length;
	if (!stream->is_ended)
		return (ssize_t)left;
	*flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
	ending.count = 0;
	describe_end(&ending, stream->status, stream->error);
	if (nghttp2_submit_trailer(session, id, ending.header, ending.count) != 0)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	return (ssize_t)left;
}

/* What happens when there is no memory even for an answer: the peer sees that the stream broke. */
static void break_stream(struct sd_grpc_stream *stream)
{
	nghttp2_submit_rst_stream(stream->grpc->session, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_INTERNAL_ERROR);
}

static void open_or_resume(struct sd_grpc_stream *stream)
{
	static const nghttp2_nv header[] = {
		NV(":status", "200", 3), NV("content-type", "application/grpc", 16), NV("grpc-accept-encoding", "identity,gzip", 13),
		NV("grpc-encoding", "gzip", 4), /* last: of those that pack */
	};
	size_t headers = sizeof(header) / sizeof(header[0]) - (stream->packs ? 0 : 1);
	nghttp2_data_provider provider = { .source.ptr = stream, .read_callback = on_read };
	bool was_open = stream->is_open;

	stream->is_open = true;
	if (was_open)
		nghttp2_session_resume_data(stream->grpc->session, stream->id);
	else if (nghttp2_submit_response(stream->grpc->session, stream->id, header, headers, &provider) != 0)
		break_stream(stream);
	sd_grpc_dirty(stream->grpc);
}

/* Flow control holds answers up for each call by itself; so one more is refused, and the connection stays. */
static void refuse_unread(struct sd_grpc_stream *stream)
{
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, SD_CODE_LIMIT_UNREAD, SD_NO_NODE, sd_arg_int((int64_t)stream->grpc->owed_bytes),
	         sd_arg_int((int64_t)stream->grpc->conn.server->config.unread_bytes_max));
	sd_grpc_fail(stream, &diag);
}

/* The message as it goes out: packed where it was packed and may be. */
static void fill_out(struct sd_grpc_stream *stream, struct sd_grpc_out *out, const struct sd_answer *answer)
{
	bool is_packed = stream->packs && answer->deflated.blob;

	*out = (struct sd_grpc_out){ .body = is_packed ? answer->deflated.blob : answer->body };
	sd_blob_release(is_packed ? answer->body : answer->deflated.blob);
	if (is_packed) {
		out->head_len = (uint8_t)(SD_GRPC_PREFIX + sd_gzip_front(out->head + SD_GRPC_PREFIX, answer));
		out->tail_len = (uint8_t)sd_gzip_back(out->tail, answer);
		stream->grpc->conn.server->metrics.counter[SD_COUNTER_answers_packed]++;
	} else {
		out->head_len = (uint8_t)(SD_GRPC_PREFIX + answer->head_len);
		out->tail_len = answer->tail_len;
		memcpy(out->head + SD_GRPC_PREFIX, answer->head, answer->head_len);
		memcpy(out->tail, answer->tail, answer->tail_len);
	}
	sd_grpc_put_prefix(out->head, is_packed, (uint32_t)(length_of(out) - SD_GRPC_PREFIX));
}

void sd_grpc_send(struct sd_grpc_stream *stream, const struct sd_answer *answer)
{
	struct sd_grpc_conn *grpc = stream->grpc;
	struct sd_server *server = grpc->conn.server;
	size_t len = answer->body ? (size_t)answer->head_len + answer->body->len + answer->tail_len : 0;
	bool fits = grpc->owed_bytes == 0 || grpc->owed_bytes + len <= server->config.unread_bytes_max;
	struct sd_grpc_out *out = answer->body && fits ? malloc(sizeof(*out)) : NULL;

	if (!out) {
		sd_answer_drop(answer);
		if (fits)
			sd_grpc_conn_close(grpc, "no memory is left");
		else
			refuse_unread(stream);
		return;
	}
	fill_out(stream, out, answer);
	*(stream->last ? &stream->last->next : &stream->first) = out;
	stream->last = out;
	if (grpc->owed_bytes == 0)
		grpc->stall_ms = uv_now(&server->loop);
	grpc->owed_bytes += length_of(out);
	stream->owed_bytes += length_of(out);
	server->metrics.counter[SD_COUNTER_answer_bytes] += length_of(out) - SD_GRPC_PREFIX;
	open_or_resume(stream);
}

void sd_grpc_count_end(struct sd_grpc_stream *stream, enum sd_status status)
{
	struct sd_metrics *metrics = &stream->grpc->conn.server->metrics;

	stream->status = status;
	stream->is_ended = true;
	if (!stream->is_begun)
		stream->grpc->early--;
	sd_grpc_stream_drop_body(stream);
	metrics->grpc_requests[stream->method ? stream->method->metric : sd_rpc_count()][status]++;
}

void sd_grpc_finish(struct sd_grpc_stream *stream, enum sd_status status, struct sd_blob *error)
{
	struct ending ending = { .header = { NV(":status", "200", 3), NV("content-type", "application/grpc", 16),
	                                     NV("grpc-accept-encoding", "identity,gzip", 13) }, .count = 3 };

	sd_grpc_count_end(stream, status);
	stream->error = error;
	if (stream->is_open) {
		open_or_resume(stream);
		return;
	}
	stream->is_open = true;
	describe_end(&ending, status, error);
	if (nghttp2_submit_response(stream->grpc->session, stream->id, ending.header, ending.count, NULL) != 0)
		break_stream(stream);
	sd_grpc_dirty(stream->grpc);
}

void sd_grpc_fail(struct sd_grpc_stream *stream, const struct sd_diag *diag)
{
	sd_grpc_finish(stream, sd_code_status(diag->code), sd_error_blob(diag, NULL));
}

void sd_grpc_http_status(struct sd_grpc_stream *stream, const char status[3])
{
	const nghttp2_nv header[] = { NV(":status", status, 3), NV("content-length", "0", 1) };
	struct sd_ask ask = { 0 };
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, SD_CODE_BAD_CALL, SD_NO_NODE, sd_arg_words("it is no POST of application/grpc"));
	sd_rpc_refused(&stream->grpc->conn, &ask, &diag);
	sd_grpc_count_end(stream, SD_INVALID_ARGUMENT);
	stream->is_open = true;
	if (nghttp2_submit_response(stream->grpc->session, stream->id, header, 2, NULL) != 0)
		break_stream(stream);
	sd_grpc_dirty(stream->grpc);
}

/* ---- the handlers' answers ---- */

static struct sd_grpc_stream *find(const struct sd_call *call)
{
	struct sd_grpc_conn *grpc = (struct sd_grpc_conn *)call->conn;

	return grpc->state < SD_GRPC_CLOSED ? nghttp2_session_get_stream_user_data(grpc->session, (int32_t)call->request_id) : NULL;
}

void sd_grpc_answer(struct sd_call *call, const struct sd_answer *answer)
{
	struct sd_grpc_stream *stream = find(call);

	if (!stream || stream->is_ended) {
		sd_answer_drop(answer);
		return;
	}
	if (answer->status != SD_OK) {
		sd_blob_release(answer->deflated.blob);
		sd_grpc_finish(stream, answer->status, answer->body);
		return;
	}
	sd_grpc_send(stream, answer);
	/* It ended with an error instead: what there was still to come is not wanted. */
	if (answer->is_part && stream->is_ended)
		sd_rpc_cancel(&stream->grpc->conn, call->request_id);
	else if (!answer->is_part && !stream->is_ended && stream->grpc->state < SD_GRPC_CLOSED)
		sd_grpc_finish(stream, SD_OK, NULL);
}

bool sd_grpc_owes(const struct sd_call *call)
{
	const struct sd_grpc_stream *stream = find(call);

	return stream && stream->first;
}

bool sd_grpc_is_full(const struct sd_call *call)
{
	const struct sd_grpc_stream *stream = find(call);

	/* When the connection owes as much, a call that is read still gets one after the other: it must not wait for those that are not. */
	return stream && stream->owed_bytes && stream->grpc->owed_bytes > call->server->config.owed_bytes_max;
}
