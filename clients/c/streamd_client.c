#include "streamd_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "client_io.h"
#include "formats/schema.h"

#define CONNECT_MS 5000u
#define ATTEMPTS 4u
#define DEADLINE_MS 30000u     /* where the daemon names no default of its own */
#define FIRST_PAUSE_MS 20u     /* before a second attempt; doubles */
#define LONGEST_PAUSE_MS 1000u
#define FAREWELL_MS 500        /* how long a cancelled call waits for the daemon's word */

struct sd_client {
	struct sd__link link;
	char path[SD_CLIENT_PATH_MAX];
	char name[64], version[64];
	uint32_t connect_ms, attempts, deadline_ms_default;
	uint64_t frame_bytes_max;    /* 0: not stated */
	uint64_t last_id, random;
	bool leaving;                /* the daemon said goodbye: connect anew for the next call */
};

/* ---- errors ---- */

static enum sd_status tell(struct sd_client_error *error, enum sd_code code, struct sd_arg a, struct sd_arg b)
{
	struct sd_diag diag = { 0 };
	enum sd_status status = SD_FAIL2(&diag, code, SD_NO_NODE, a, b);

	*error = (struct sd_client_error){ .status = status, .retryable = sd_code_retryable(code) };
	snprintf(error->code, sizeof(error->code), "%s", sd_code_text(code));
	sd_diag_message(&diag, NULL, error->message, sizeof(error->message));
	return status;
}

static enum sd_status tell_unreachable(const struct sd_client *client, struct sd_client_error *error, const char *why)
{
	return tell(error, SD_CODE_UNREACHABLE, sd_arg_words(client->path), sd_arg_words(why));
}

static enum sd_status tell_broken(struct sd_client_error *error, const char *what)
{
	return tell(error, SD_CODE_BROKEN, sd_arg_words(what), (struct sd_arg){ 0 });
}

static enum sd_status status_named(const char *name)
{
	for (int status = SD_CANCELLED; status <= SD_UNAVAILABLE; status++) {
		if (strcmp(name, sd_status_name((enum sd_status)status)) == 0)
			return (enum sd_status)status;
	}
	return SD_INTERNAL;
}

/* The daemon's Error message. */
static enum sd_status tell_remote(struct sd_client_error *error, const unsigned char *body, size_t bytes)
{
	Streamd__V1__Error *message = streamd__v1__error__unpack(NULL, bytes, body);

	if (!message)
		return tell_broken(error, "the daemon's error cannot be read");
	*error = (struct sd_client_error){ .status = status_named(message->status), .retryable = message->retryable,
	                                   .retry_after_ms = message->retry_after_ms };
	snprintf(error->code, sizeof(error->code), "%s", message->code);
	snprintf(error->message, sizeof(error->message), "%s", message->message);
	snprintf(error->node, sizeof(error->node), "%s", message->node);
	snprintf(error->pass, sizeof(error->pass), "%s", message->pass);
	streamd__v1__error__free_unpacked(message, NULL);
	return error->status;
}

/* ---- connecting ---- */

static bool is_directory(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

const char *sd_client_socket_path(char out[SD_CLIENT_PATH_MAX])
{
	const char *stated = getenv("STREAMD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
	char directory[SD_CLIENT_PATH_MAX];

	if (stated && *stated) {
		snprintf(out, SD_CLIENT_PATH_MAX, "%s", stated);
		return out;
	}
	if (runtime && *runtime && (size_t)snprintf(directory, sizeof(directory), "%s/streamd", runtime) < sizeof(directory) &&
	    is_directory(directory) &&
	    (size_t)snprintf(out, SD_CLIENT_PATH_MAX, "%s/streamd.sock", directory) < SD_CLIENT_PATH_MAX)
		return out;
	strcpy(out, "/run/streamd/streamd.sock");
	return out;
}

static enum sd_status keep_hello(struct sd_client *client, const unsigned char *body, size_t bytes, struct sd_client_error *error)
{
	Streamd__V1__ServerHello *hello = streamd__v1__server_hello__unpack(NULL, bytes, body);

	if (!hello)
		return tell_broken(error, "the daemon's hello cannot be read");
	if (hello->protocol != SD_PROTOCOL) {
		streamd__v1__server_hello__free_unpacked(hello, NULL);
		return tell_broken(error, "the daemon speaks another protocol; use a client of its version");
	}
	snprintf(client->version, sizeof(client->version), "%s", hello->version);
	client->deadline_ms_default = DEADLINE_MS;
	client->frame_bytes_max = 0;
	if (hello->limits) {
		client->frame_bytes_max = hello->limits->frame_bytes_max;
		if (hello->limits->deadline_ms_default)
			client->deadline_ms_default = hello->limits->deadline_ms_default;
	}
	streamd__v1__server_hello__free_unpacked(hello, NULL);
	return SD_OK;
}

static enum sd_status send_hello(struct sd_client *client, int64_t until_ms, struct sd_client_error *error)
{
	Streamd__V1__ClientHello hello;
	struct sd_frame frame = { .kind = SD_FRAME_HELLO };
	uint8_t body[128];
	enum sd__event event;

	streamd__v1__client_hello__init(&hello);
	hello.protocol = SD_PROTOCOL;
	hello.client = client->name;
	frame.body_bytes = (uint32_t)streamd__v1__client_hello__pack(&hello, body);
	event = sd__link_send(&client->link, &frame, body, until_ms);
	if (event == SD__SENT || event == SD__FRAME)
		return SD_OK;
	return tell_unreachable(client, error, event == SD__LATE ? "it does not read" : "it hung up");
}

static enum sd_status receive_hello(struct sd_client *client, int64_t until_ms, struct sd_client_error *error)
{
	enum sd__event event = sd__link_receive(&client->link, until_ms);
	struct sd_frame frame;
	unsigned char *body;
	enum sd_status status;

	if (event != SD__FRAME)
		return tell_unreachable(client, error, event == SD__LATE ? "it does not greet" : "it hung up");
	body = sd__link_take(&client->link, &frame);
	if (frame.kind == SD_FRAME_HELLO)
		status = keep_hello(client, body, frame.body_bytes, error);
	else if (frame.kind == SD_FRAME_ERROR)
		status = tell_remote(error, body, frame.body_bytes);
	else
		status = tell_broken(error, "the daemon does not begin with hello");
	free(body);
	return status;
}

static enum sd_status ensure_connected(struct sd_client *client, int64_t until_ms, struct sd_client_error *error)
{
	int64_t bound = sd__now_ms() + client->connect_ms;
	enum sd_status status;
	int failed;

	if (client->link.fd >= 0 && !client->leaving)
		return SD_OK;
	if (bound > until_ms)
		bound = until_ms;
	client->leaving = false;
	failed = sd__link_connect(&client->link, client->path, bound);
	if (failed)
		return tell_unreachable(client, error, strerror(failed));
	status = send_hello(client, bound, error);
	if (status == SD_OK)
		status = receive_hello(client, bound, error);
	if (status != SD_OK)
		sd__link_close(&client->link);
	return status;
}

static struct sd_client *create(const struct sd_client_options *options)
{
	struct sd_client *client = calloc(1, sizeof(*client));

	if (!client)
		return NULL;
	client->link.fd = -1;
	client->link.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	client->connect_ms = options->connect_ms ? options->connect_ms : CONNECT_MS;
	client->attempts = options->attempts ? options->attempts : ATTEMPTS;
	client->deadline_ms_default = DEADLINE_MS;
	snprintf(client->name, sizeof(client->name), "%s", options->name ? options->name : "c");
	if (options->socket)
		snprintf(client->path, sizeof(client->path), "%s", options->socket);
	else
		sd_client_socket_path(client->path);
	/* Only for pauses: callers that fail together shall not come back together. */
	if (getrandom(&client->random, sizeof(client->random), GRND_NONBLOCK) != sizeof(client->random))
		client->random = (uint64_t)sd__now_ms() ^ (uint64_t)getpid() << 32;
	if (client->link.wake >= 0)
		return client;
	free(client);
	return NULL;
}

enum sd_status sd_client_open(struct sd_client **client, const struct sd_client_options *options, struct sd_client_error *error)
{
	static const struct sd_client_options plain;
	struct sd_client_error unwanted;
	enum sd_status status;

	if (!error)
		error = &unwanted;
	memset(error, 0, sizeof(*error));
	*client = create(options ? options : &plain);
	if (!*client)
		return tell_broken(error, "there is no memory or no descriptor left");
	if (options && options->socket && strlen(options->socket) >= SD_CLIENT_PATH_MAX)
		status = tell_unreachable(*client, error, "the path is too long for a socket");
	else
		status = ensure_connected(*client, sd__now_ms() + (*client)->connect_ms, error);
	if (status != SD_OK) {
		sd_client_close(*client);
		*client = NULL;
	}
	return status;
}

void sd_client_close(struct sd_client *client)
{
	if (!client)
		return;
	sd__link_close(&client->link);
	close(client->link.wake);
	free(client);
}

void sd_client_cancel(struct sd_client *client)
{
	uint64_t one = 1;
	int before = errno;

	while (write(client->link.wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	errno = before;
}

const char *sd_client_server_version(const struct sd_client *client)
{
	return client->version;
}

const char *sd_client_path(const struct sd_client *client)
{
	return client->path;
}

void sd_reply_finish(struct sd_reply *reply)
{
	free(reply->body);
	reply->body = NULL;
	reply->body_bytes = 0;
}

/* ---- calling ---- */

struct call {
	enum sd_method method;
	const void *body;
	uint32_t body_bytes, deadline_ms;
	int64_t until_ms;
	bool lost;                  /* the connection broke before an answer */
	struct sd_reply *reply;
};

/* Tells the daemon that nobody waits any more. If that cannot be sent at once the connection goes. */
static void withdraw(struct sd_client *client, uint64_t id)
{
	struct sd_frame frame = { .kind = SD_FRAME_CANCEL, .request_id = id };

	sd__link_calm(&client->link);
	if (sd__link_send(&client->link, &frame, NULL, sd__now_ms() + FAREWELL_MS) != SD__SENT)
		sd__link_close(&client->link);
}

/* The frame in the inbox. True when it ends the call. */
static bool take_frame(struct sd_client *client, uint64_t id, struct call *call, enum sd_status *status)
{
	struct sd_frame frame;
	unsigned char *body = sd__link_take(&client->link, &frame);
	bool mine = frame.request_id == id;

	if (mine && frame.kind == SD_FRAME_ANSWER) {
		call->reply->body = body;
		call->reply->body_bytes = frame.body_bytes;
		*status = SD_OK;
		return true;
	}
	if (frame.kind == SD_FRAME_GOODBYE)
		client->leaving = true;
	if (frame.kind == SD_FRAME_PING) {
		frame.kind = SD_FRAME_PONG;
		if (sd__link_send(&client->link, &frame, body, sd__now_ms() + FAREWELL_MS) != SD__SENT)
			sd__link_close(&client->link);
	}
	mine = mine && frame.kind == SD_FRAME_ERROR;
	if (mine)
		*status = tell_remote(&call->reply->error, body, frame.body_bytes);
	free(body);
	return mine;
}

static enum sd_status end_call(struct sd_client *client, uint64_t id, struct call *call, enum sd__event event, bool whole)
{
	struct sd_client_error *error = &call->reply->error;

	if (event == SD__LATE || event == SD__WOKEN) {
		/* Half a frame cannot be taken back. */
		if (whole)
			withdraw(client, id);
		else
			sd__link_close(&client->link);
		sd__link_calm(&client->link);
	} else {
		sd__link_close(&client->link);
	}
	switch (event) {
	case SD__LATE: return tell(error, SD_CODE_DEADLINE, sd_arg_int(call->deadline_ms), (struct sd_arg){ 0 });
	case SD__WOKEN: return tell(error, SD_CODE_CANCELLED, (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
	case SD__NO_MEMORY: return tell_broken(error, "there is no memory left for the answer");
	default: break;
	}
	call->lost = true;
	return tell_unreachable(client, error, "it hung up before it answered");
}

/* Reads frames until one ends the call. */
static enum sd_status await(struct sd_client *client, uint64_t id, struct call *call)
{
	enum sd_status status;
	enum sd__event event;

	do {
		event = client->link.fd < 0 ? SD__LOST : sd__link_receive(&client->link, call->until_ms);
		if (event == SD__FRAME && take_frame(client, id, call, &status))
			return status;
	} while (event == SD__FRAME);
	return end_call(client, id, call, event, true);
}

/* A frame came in before the request was sent: it says why the daemon does not want it. */
static enum sd_status refused_early(struct sd_client *client, uint64_t id, struct call *call)
{
	enum sd_status status;

	if (!take_frame(client, id, call, &status))
		return end_call(client, id, call, SD__LOST, false);
	sd__link_close(&client->link);
	return status;
}

static enum sd_status attempt(struct sd_client *client, struct call *call)
{
	struct sd_frame frame = { .body_bytes = call->body_bytes, .method = (uint16_t)call->method, .kind = SD_FRAME_REQUEST };
	uint64_t bytes = SD_FRAME_REST + (uint64_t)call->body_bytes;
	enum sd__event event;
	int64_t left;

	call->lost = false;
	call->reply->error = (struct sd_client_error){ 0 };
	SD_TRY(ensure_connected(client, call->until_ms, &call->reply->error));
	if (client->frame_bytes_max && bytes > client->frame_bytes_max)
		return tell(&call->reply->error, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)bytes), sd_arg_int((int64_t)client->frame_bytes_max));
	left = call->until_ms - sd__now_ms();
	frame.request_id = ++client->last_id;
	frame.deadline_ms_left = left > 0 ? (uint32_t)left : 1;
	event = sd__link_send(&client->link, &frame, call->body, call->until_ms);
	if (event == SD__SENT)
		return await(client, frame.request_id, call);
	if (event == SD__FRAME)
		return refused_early(client, frame.request_id, call);
	return end_call(client, frame.request_id, call, event, false);
}

static bool may_repeat(enum sd_method method)
{
	switch (method) {
	case SD_METHOD_CACHE_FLUSH:
	case SD_METHOD_DRAIN:
	case SD_METHOD_CANCEL_JOB:
	/* What they name goes with the connection that was lost; what they did there is not known. */
	case SD_METHOD_REGISTER_MODEL:
	case SD_METHOD_ACQUIRE:
	case SD_METHOD_RELEASE:
	case SD_METHOD_UNLOAD:
	case SD_METHOD_RESERVE:
		return false;
	default:
		return true;
	}
}

static uint64_t next_random(struct sd_client *client)
{
	client->random = client->random * 6364136223846793005u + 1442695040888963407u;
	return client->random >> 33;
}

/* Between half of the step and the whole, not below what the daemon asks for. */
static uint32_t pause_ms(struct sd_client *client, uint32_t attempt_number, uint32_t asked_ms)
{
	uint32_t step = FIRST_PAUSE_MS << (attempt_number < 6 ? attempt_number : 6);
	uint32_t chosen;

	if (step > LONGEST_PAUSE_MS)
		step = LONGEST_PAUSE_MS;
	chosen = step / 2 + (uint32_t)(next_random(client) % (step / 2 + 1));
	return chosen > asked_ms ? chosen : asked_ms + chosen / 2;
}

/* Waits before the next attempt; false when the call should end with what it has. */
static bool pause_before(struct sd_client *client, const struct call *call, uint32_t number)
{
	const struct sd_client_error *error = &call->reply->error;
	struct pollfd wake = { client->link.wake, POLLIN, 0 };
	uint32_t ms;

	if (!may_repeat(call->method) || !(error->retryable || call->lost) || number + 1 >= client->attempts)
		return false;
	ms = pause_ms(client, number, error->retry_after_ms);
	if (sd__now_ms() + ms >= call->until_ms)
		return false;
	return poll(&wake, 1, (int)ms) >= 0 || errno == EINTR;
}

enum sd_status sd_client_call(struct sd_client *client, enum sd_method method, const void *body, size_t body_bytes,
                              uint32_t deadline_ms, struct sd_reply *reply)
{
	struct call call = { .method = method, .body = body, .reply = reply };
	enum sd_status status;

	*reply = (struct sd_reply){ 0 };
	if (body_bytes > UINT32_MAX - SD_FRAME_REST)
		return tell(&reply->error, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)body_bytes), sd_arg_int(UINT32_MAX - SD_FRAME_REST));
	call.body_bytes = (uint32_t)body_bytes;
	call.deadline_ms = deadline_ms ? deadline_ms : client->deadline_ms_default;
	call.until_ms = sd__now_ms() + call.deadline_ms;
	for (uint32_t number = 0;; number++) {
		status = attempt(client, &call);
		if (status == SD_OK || !pause_before(client, &call, number))
			return status;
	}
}
