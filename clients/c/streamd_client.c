#include "streamd_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client_impl.h"
#include "formats/schema.h"

#define CONNECT_MS 5000u
#define ATTEMPTS 4u
#define DEADLINE_MS 30000u     /* where the daemon names no default of its own */

/* ---- errors ---- */

enum sd_status sd__tell_diag(struct sd_client_error *error, const struct sd_diag *diag, const struct sd_names *names)
{
	*error = (struct sd_client_error){ .status = sd_code_status(diag->code), .retryable = sd_code_retryable(diag->code) };
	snprintf(error->code, sizeof(error->code), "%s", sd_code_text(diag->code));
	snprintf(error->pass, sizeof(error->pass), "%s", diag->pass ? diag->pass : "");
	sd_diag_message(diag, names, error->message, sizeof(error->message));
	return error->status;
}

enum sd_status sd__tell(struct sd_client_error *error, enum sd_code code, struct sd_arg a, struct sd_arg b)
{
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, code, SD_NO_NODE, a, b);
	return sd__tell_diag(error, &diag, NULL);
}

enum sd_status sd__tell_unreachable(const struct sd_client *client, struct sd_client_error *error, const char *why)
{
	return sd__tell(error, SD_CODE_UNREACHABLE, sd_arg_words(client->path), sd_arg_words(why));
}

enum sd_status sd__tell_broken(struct sd_client_error *error, const char *what)
{
	return sd__tell(error, SD_CODE_BROKEN, sd_arg_words(what), (struct sd_arg){ 0 });
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
enum sd_status sd__tell_remote(struct sd_client_error *error, const unsigned char *body, size_t bytes)
{
	Streamd__V1__Error *message = streamd__v1__error__unpack(NULL, bytes, body);

	if (!message)
		return sd__tell_broken(error, "the daemon's error cannot be read");
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
		return sd__tell_broken(error, "the daemon's hello cannot be read");
	if (hello->protocol != SD_PROTOCOL) {
		streamd__v1__server_hello__free_unpacked(hello, NULL);
		return sd__tell_broken(error, "the daemon speaks another protocol; use a client of its version");
	}
	snprintf(client->version, sizeof(client->version), "%s", hello->version);
	client->deadline_ms_default = DEADLINE_MS;
	client->frame_bytes_max = 0;
	if (client->deadline_ms)
		client->deadline_ms_default = client->deadline_ms;
	if (hello->limits) {
		client->frame_bytes_max = hello->limits->frame_bytes_max;
		if (hello->limits->deadline_ms_default && !client->deadline_ms)
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
	return sd__tell_unreachable(client, error, event == SD__LATE ? "it does not read" : "it hung up");
}

static enum sd_status receive_hello(struct sd_client *client, int64_t until_ms, struct sd_client_error *error)
{
	enum sd__event event = sd__link_receive(&client->link, until_ms);
	struct sd_frame frame;
	unsigned char *body;
	enum sd_status status;

	if (event != SD__FRAME)
		return sd__tell_unreachable(client, error, event == SD__LATE ? "it does not greet" : "it hung up");
	body = sd__link_take(&client->link, &frame);
	if (frame.kind == SD_FRAME_HELLO)
		status = keep_hello(client, body, frame.body_bytes, error);
	else if (frame.kind == SD_FRAME_ERROR)
		status = sd__tell_remote(error, body, frame.body_bytes);
	else
		status = sd__tell_broken(error, "the daemon does not begin with hello");
	free(body);
	return status;
}

enum sd_status sd__ensure_connected(struct sd_client *client, int64_t until_ms, struct sd_client_error *error)
{
	int64_t bound = sd__now_ms() + client->connect_ms;
	enum sd_status status;
	int failed;

	if (client->link.fd >= 0 && (!client->leaving || client->models))
		return SD_OK;
	if (bound > until_ms)
		bound = until_ms;
	client->leaving = false;
	failed = sd__link_connect(&client->link, client->path, bound);
	if (failed)
		return sd__tell_unreachable(client, error, strerror(failed));
	status = send_hello(client, bound, error);
	if (status == SD_OK)
		status = receive_hello(client, bound, error);
	if (status != SD_OK)
		sd__link_close(&client->link);
	client->connections++;
	client->models = 0;
	client->beat_id = 0;
	client->gone.count = client->taken.count = 0;
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
	client->deadline_ms = options->deadline_ms;
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
		return sd__tell_broken(error, "there is no memory or no descriptor left");
	if (options && options->socket && strlen(options->socket) >= SD_CLIENT_PATH_MAX)
		status = sd__tell_unreachable(*client, error, "the path is too long for a socket");
	else
		status = sd__ensure_connected(*client, sd__now_ms() + (*client)->connect_ms, error);
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
	free(client->gone.id);
	free(client->taken.id);
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
