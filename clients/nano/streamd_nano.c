#include "streamd_nano.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nano_io.h"
#include "pb_decode.h"
#include "pb_encode.h"

#define CLIENT_NAME "nano"

/* ---- errors ---- */

static enum sd_status tell(struct sd_nano_error *error, enum sd_status status, const char *code, const char *message)
{
	*error = (struct sd_nano_error){ .status = status, .retryable = status == SD_UNAVAILABLE };
	snprintf(error->code, sizeof(error->code), "%s", code);
	snprintf(error->message, sizeof(error->message), "%s", message);
	return status;
}

static enum sd_status tell_unreachable(const struct sd_nano *client, struct sd_nano_error *error, const char *why)
{
	tell(error, SD_UNAVAILABLE, "SD4010", "");
	snprintf(error->message, sizeof(error->message), "no daemon answers at %s: %s; start streamd or set STREAMD_SOCKET", client->path, why);
	return SD_UNAVAILABLE;
}

static enum sd_status tell_unreadable(struct sd_nano *client, struct sd_nano_error *error, const char *what)
{
	sd_nano_close(client);
	return tell(error, SD_INTERNAL, "SD4011", what);
}

/* Why the connection did not do what it should; it is closed. */
static enum sd_status tell_broken(struct sd_nano *client, struct sd_nano_error *error, const char *why)
{
	bool late = sd__nano_late(client);

	sd_nano_close(client);
	if (late)
		return tell(error, SD_DEADLINE_EXCEEDED, "SD4007", "no answer within the deadline; allow more time or send a smaller graph");
	return tell_unreachable(client, error, why);
}

/* A text, cut to the room that there is. */
struct cut_text {
	char *text;
	size_t room; /* with the NUL */
};

static bool read_cut(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	const struct cut_text *to = *arg;
	size_t kept = in->bytes_left < to->room ? in->bytes_left : to->room - 1;

	(void)field;
	if (!pb_read(in, (pb_byte_t *)to->text, kept))
		return false;
	to->text[kept] = 0;
	return pb_read(in, NULL, in->bytes_left);
}

static enum sd_status status_named(const char *name)
{
	for (int status = SD_CANCELLED; status <= SD_UNAVAILABLE; status++)
		if (strcmp(sd_status_name((enum sd_status)status), name) == 0)
			return (enum sd_status)status;
	return SD_INTERNAL;
}

static enum sd_status read_error(struct sd_nano *client, pb_istream_t *in, struct sd_nano_error *error)
{
	streamd_v1_Error message = streamd_v1_Error_init_zero;
	struct cut_text text = { error->message, sizeof(error->message) }, node = { error->node, sizeof(error->node) };

	*error = (struct sd_nano_error){ 0 };
	message.message = (pb_callback_t){ { .decode = read_cut }, &text };
	message.node = (pb_callback_t){ { .decode = read_cut }, &node };
	if (!pb_decode(in, streamd_v1_Error_fields, &message))
		return tell_unreadable(client, error, "the daemon's error cannot be read; use a client of its version");
	memcpy(error->code, message.code, sizeof(error->code));
	error->retryable = message.retryable;
	error->retry_after_ms = message.retry_after_ms;
	error->status = status_named(message.status);
	return error->status;
}

/* ---- streams of nanopb over the connection ---- */

static bool write_bytes(pb_ostream_t *out, const pb_byte_t *bytes, size_t count)
{
	return sd__nano_put(out->state, bytes, count);
}

static bool read_bytes(pb_istream_t *in, pb_byte_t *bytes, size_t count)
{
	struct sd_nano *client = in->state;

	client->body_left -= (uint32_t)count;
	return sd__nano_get(client, bytes, count);
}

static bool send_frame(struct sd_nano *client, const struct sd_frame *frame, const pb_msgdesc_t *fields, const void *message)
{
	pb_ostream_t out = { .callback = write_bytes, .state = client, .max_size = frame->body_bytes };
	unsigned char header[SD_FRAME_HEADER];

	sd_frame_write(header, frame);
	return sd__nano_put(client, header, sizeof(header)) && (!fields || pb_encode(&out, fields, message)) &&
	       out.bytes_written == frame->body_bytes && sd__nano_flush(client);
}

static bool receive_header(struct sd_nano *client, struct sd_frame *frame)
{
	unsigned char header[SD_FRAME_HEADER];

	if (!sd__nano_get(client, NULL, client->body_left))
		return false;
	client->body_left = 0;
	if (!sd__nano_get(client, header, sizeof(header)) || sd_frame_read(header, frame) != SD_OK)
		return false;
	client->body_left = frame->body_bytes;
	return true;
}

/* ---- connecting ---- */

static enum sd_status receive_hello(struct sd_nano *client, struct sd_nano_error *error)
{
	pb_istream_t in = { .callback = read_bytes, .state = client };
	streamd_v1_ServerHello hello = streamd_v1_ServerHello_init_zero;
	struct sd_frame frame;

	if (!receive_header(client, &frame))
		return tell_broken(client, error, "it does not greet");
	in.bytes_left = frame.body_bytes;
	if (frame.kind == SD_FRAME_ERROR) {
		enum sd_status status = read_error(client, &in, error);

		sd_nano_close(client);
		return status;
	}
	if (frame.kind != SD_FRAME_HELLO || !pb_decode(&in, streamd_v1_ServerHello_fields, &hello) || hello.protocol != SD_PROTOCOL)
		return tell_unreadable(client, error, "the daemon speaks another protocol; use a client of its version");
	return SD_OK;
}

static enum sd_status ensure_connected(struct sd_nano *client, struct sd_nano_error *error)
{
	streamd_v1_ClientHello hello = { .protocol = SD_PROTOCOL, .client = (char[]){ CLIENT_NAME } };
	struct sd_frame frame = { .kind = SD_FRAME_HELLO };
	size_t bytes;
	int failed;

	if (client->fd >= 0)
		return SD_OK;
	failed = sd__nano_connect(client);
	if (failed)
		return tell_unreachable(client, error, strerror(failed));
	if (!pb_get_encoded_size(&bytes, streamd_v1_ClientHello_fields, &hello))
		return tell_unreadable(client, error, "the hello cannot be written");
	frame.body_bytes = (uint32_t)bytes;
	if (!send_frame(client, &frame, streamd_v1_ClientHello_fields, &hello) && !client->answered_early)
		return tell_broken(client, error, "it hung up");
	client->answered_early = false;
	return receive_hello(client, error);
}

/* ---- calls ---- */

static bool answer_ping(struct sd_nano *client, const struct sd_frame *ping)
{
	struct sd_frame pong = { .kind = SD_FRAME_PONG, .request_id = ping->request_id };

	return send_frame(client, &pong, NULL, NULL);
}

/* Frames until the one that ends the call; what is about other calls is passed over. */
static bool await_frame(struct sd_nano *client, struct sd_frame *frame)
{
	while (receive_header(client, frame)) {
		bool ours = frame->request_id == client->last_id || frame->request_id == 0;

		if (frame->kind == SD_FRAME_ANSWER && frame->request_id == client->last_id)
			return true;
		if (frame->kind == SD_FRAME_ERROR && ours)
			return true;
		if (frame->kind == SD_FRAME_PING && !answer_ping(client, frame))
			return false;
	}
	return false;
}

static enum sd_status receive_answer(struct sd_nano *client, const pb_msgdesc_t *fields, void *answer, struct sd_nano_error *error)
{
	pb_istream_t in = { .callback = read_bytes, .state = client };
	struct sd_frame frame;

	if (!await_frame(client, &frame))
		return tell_broken(client, error, "it hung up before it answered");
	in.bytes_left = frame.body_bytes;
	if (frame.kind == SD_FRAME_ERROR)
		return read_error(client, &in, error);
	if (pb_decode(&in, fields, answer))
		return SD_OK;
	if (client->in_at == client->in_end && client->body_left > 0 && sd__nano_late(client))
		return tell_broken(client, error, "");
	sd_nano_close(client);
	return tell(error, SD_CANCELLED, "SD4008", "the answer was not taken to its end: it cannot be read, or who reads it wanted no more");
}

/* The request could not be sent: the daemon said why, or is gone, or the caller's functions gave up. */
static enum sd_status not_sent(struct sd_nano *client, const pb_msgdesc_t *fields, void *answer, struct sd_nano_error *error, bool ended)
{
	enum sd_status status;

	if (client->answered_early) {
		status = receive_answer(client, fields, answer, error);
		sd_nano_close(client);
		return status;
	}
	if (sd__nano_late(client) || !ended)
		return tell_broken(client, error, "it hung up");
	sd_nano_close(client);
	return tell(error, SD_CANCELLED, "SD4008", "the request was not sent to its end: who describes it gave up, or did not say the same twice");
}

enum sd_status sd_nano_call(struct sd_nano *client, enum sd_method method, const pb_msgdesc_t *request_fields, const void *request,
                            uint32_t deadline_ms, const pb_msgdesc_t *answer_fields, void *answer, struct sd_nano_error *error)
{
	struct sd_frame frame = { .method = (uint16_t)method, .kind = SD_FRAME_REQUEST };
	enum sd_status status;
	size_t bytes;
	int64_t left;

	client->until_ms = sd__nano_now_ms() + deadline_ms;
	client->answered_early = false;
	status = ensure_connected(client, error);
	if (status != SD_OK)
		return status;
	if (!pb_get_encoded_size(&bytes, request_fields, request))
		return tell(error, SD_CANCELLED, "SD4008", "the request cannot be written: who describes it gave up");
	if (bytes > SD_FRAME_BODY_MAX)
		return tell(error, SD_RESOURCE_EXHAUSTED, "SD2012", "the request does not fit a frame; send a smaller graph");
	left = client->until_ms - sd__nano_now_ms();
	frame.body_bytes = (uint32_t)bytes;
	frame.request_id = ++client->last_id;
	frame.deadline_ms_left = left > 0 ? (uint32_t)left : 1;
	if (!send_frame(client, &frame, request_fields, request))
		return not_sent(client, answer_fields, answer, error, client->out_used < SD_NANO_BUFFER);
	return receive_answer(client, answer_fields, answer, error);
}

/* ---- life ---- */

/* The path as $STREAMD_SOCKET and $XDG_RUNTIME_DIR say. */
static int write_path(char *out, size_t room)
{
	const char *stated = getenv("STREAMD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat folder;
	int length;

	if (stated && *stated)
		return snprintf(out, room, "%s", stated);
	if (runtime && *runtime) {
		length = snprintf(out, room, "%s/streamd", runtime);
		if (length > 0 && (size_t)length < room && stat(out, &folder) == 0 && S_ISDIR(folder.st_mode))
			return snprintf(out, room, "%s/streamd/streamd.sock", runtime);
	}
	return snprintf(out, room, "/run/streamd/streamd.sock");
}

enum sd_status sd_nano_init(struct sd_nano *client, const char *path)
{
	int length;

	*client = (struct sd_nano){ .fd = -1 };
	length = path ? snprintf(client->path, sizeof(client->path), "%s", path) : write_path(client->path, sizeof(client->path));
	return length >= 0 && (size_t)length < sizeof(client->path) ? SD_OK : SD_INVALID_ARGUMENT;
}

void sd_nano_close(struct sd_nano *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}
