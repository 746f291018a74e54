/* client_world.h - a client, and a daemon in a thread that does what a script says, for its tests. The client's time passes where the
 * script says, too: programs are linked as still_clock.h wants. */
#ifndef SD_CLIENT_WORLD_H
#define SD_CLIENT_WORLD_H

#include "run_tests.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "c/streamd_client.h"
#include "formats/schema.h"
#include "still_clock.h"

enum step {
	END,
	ACCEPT,        /* take a connection, read hello, answer it */
	ACCEPT_MUTE,   /* take a connection and say nothing */
	ACCEPT_OTHER,  /* greet with another protocol */
	ACCEPT_REFUSE, /* greet with an error */
	READ,          /* read a frame whole */
	READ_HEADER,   /* read a frame's header and none of its body */
	ANSWER,        /* "yes", to the last request */
	ANSWER_OTHER,  /* to a request that nobody sent */
	BUSY,          /* a retryable error, to the last request */
	REFUSE,        /* a final error */
	PING, READ_PONG, GOODBYE,
	CUT_ANSWER,    /* half of an answer, then hang up */
	HANG_UP,
	READ_CANCEL,   /* the next frame must be a cancel of the last request */
	ANSWER_NEXT,   /* the next of the answers that the test has laid out, to the last request */
	READ_BEAT,     /* the next frame must be a heartbeat, which names no model */
	ANSWER_BEAT,   /* the next of the answers, to that */
	REQUEST_CANCELLED,
	SAY_CANCELLED, /* to the last request */
	WAIT,          /* until the test says go */
	TIME_PASSES,   /* until the client no longer waits for what it waits for */
};

struct daemon {
	char path[64], folder[64];
	int listener, peer;
	const enum step *script;
	pthread_t thread;
	struct sd_frame request;   /* the last */
	uint32_t deadline_ms_left[8];
	atomic_int requests;       /* read it first: what is known of the last request is there then */
	bool failed;
	int go[2];
	const ProtobufCMessage *answer[8]; /* for ANSWER_NEXT and ANSWER_BEAT */
	int answered;
	uint64_t beat;
	uint8_t body[512];         /* of the last request */
};

static struct daemon d;
static struct sd_client *client;
static struct sd_client_error error;
static struct sd_reply reply;

/* ---- the daemon ---- */

static inline void need(bool good)
{
	if (!good)
		d.failed = true;
}

static inline void put_frame(enum sd_frame_kind kind, uint64_t id, const void *body, size_t bytes, size_t sent)
{
	struct sd_frame frame = { .body_bytes = (uint32_t)bytes, .kind = (uint8_t)kind, .request_id = id };
	unsigned char header[SD_FRAME_HEADER];

	sd_frame_write(header, &frame);
	need(send(d.peer, header, sizeof(header), MSG_NOSIGNAL) == sizeof(header));
	need(sent == 0 || send(d.peer, body, sent, MSG_NOSIGNAL) == (ssize_t)sent);
}

static inline struct sd_frame get_header(void)
{
	unsigned char header[SD_FRAME_HEADER];
	struct sd_frame frame = { 0 };

	need(recv(d.peer, header, sizeof(header), MSG_WAITALL) == sizeof(header));
	need(sd_frame_read(header, &frame) == SD_OK);
	return frame;
}

static inline struct sd_frame get_frame(void)
{
	struct sd_frame frame = get_header();
	uint8_t byte;

	for (uint32_t i = 0; i < frame.body_bytes && !d.failed; i++) {
		need(recv(d.peer, &byte, 1, 0) == 1);
		if (i < sizeof(d.body))
			d.body[i] = byte;
	}
	return frame;
}

static inline void put_hello(uint32_t protocol)
{
	Streamd__V1__ServiceLimits limits;
	Streamd__V1__ServerHello hello;
	uint8_t body[128];

	streamd__v1__service_limits__init(&limits);
	limits.frame_bytes_max = 64u << 20;
	streamd__v1__server_hello__init(&hello);
	hello.protocol = protocol;
	hello.version = sd_message_string("9.9");
	hello.limits = &limits;
	put_frame(SD_FRAME_HELLO, 0, body, streamd__v1__server_hello__pack(&hello, body), streamd__v1__server_hello__get_packed_size(&hello));
}

static inline void put_error(uint64_t id, const char *code, const char *status, bool retryable)
{
	Streamd__V1__Error message;
	uint8_t body[256];
	size_t bytes;

	streamd__v1__error__init(&message);
	message.code = sd_message_string(code);
	message.status = sd_message_string(status);
	message.message = sd_message_string("because");
	message.node = sd_message_string("conv1");
	message.retryable = retryable;
	message.retry_after_ms = retryable ? 10 : 0;
	bytes = streamd__v1__error__pack(&message, body);
	put_frame(SD_FRAME_ERROR, id, body, bytes, bytes);
}

static inline void take_connection(void)
{
	d.peer = accept(d.listener, NULL, NULL);
	need(d.peer >= 0);
}

static inline void greet(uint32_t protocol)
{
	take_connection();
	need(get_frame().kind == SD_FRAME_HELLO);
	put_hello(protocol);
}

static inline void take_request(struct sd_frame frame)
{
	need(frame.kind == SD_FRAME_REQUEST);
	d.request = frame;
	if (d.requests < 8)
		d.deadline_ms_left[d.requests] = frame.deadline_ms_left;
	d.requests++;
}

static inline void put_next(uint64_t id)
{
	const ProtobufCMessage *message = d.answer[d.answered++];
	uint8_t body[512];
	size_t bytes = protobuf_c_message_pack(message, body);

	put_frame(SD_FRAME_ANSWER, id, body, bytes, bytes);
}

static inline void take_beat(void)
{
	struct sd_frame frame = get_frame();

	need(frame.kind == SD_FRAME_REQUEST && frame.method == SD_METHOD_HEARTBEAT && frame.body_bytes == 0);
	d.beat = frame.request_id;
}

static inline void run_step(enum step step)
{
	struct sd_frame frame;
	char byte;

	switch (step) {
	case ACCEPT: greet(SD_PROTOCOL); break;
	case ACCEPT_MUTE: take_connection(); break;
	case ACCEPT_OTHER: greet(SD_PROTOCOL + 1); break;
	case ACCEPT_REFUSE:
		take_connection();
		need(get_frame().kind == SD_FRAME_HELLO);
		put_error(0, "SD2014", "RESOURCE_EXHAUSTED", true);
		break;
	case READ: take_request(get_frame()); break;
	case READ_HEADER: take_request(get_header()); break;
	case ANSWER: put_frame(SD_FRAME_ANSWER, d.request.request_id, "yes", 3, 3); break;
	case ANSWER_OTHER: put_frame(SD_FRAME_ANSWER, d.request.request_id + 77, "other", 5, 5); break;
	case BUSY: put_error(d.request.request_id, "SD2013", "RESOURCE_EXHAUSTED", true); break;
	case SAY_CANCELLED: put_error(d.request.request_id, "SD4008", "CANCELLED", false); break;
	case REFUSE: put_error(d.request.request_id, "E18888", "INVALID_ARGUMENT", false); break;
	case PING: put_frame(SD_FRAME_PING, 5, "p", 1, 1); break;
	case READ_PONG: need(get_frame().kind == SD_FRAME_PONG); break;
	case GOODBYE: put_frame(SD_FRAME_GOODBYE, 0, NULL, 0, 0); break;
	case CUT_ANSWER: put_frame(SD_FRAME_ANSWER, d.request.request_id, "yes", 3, 1); close(d.peer); break;
	case HANG_UP: close(d.peer); break;
	case READ_CANCEL:
		frame = get_frame();
		need(frame.kind == SD_FRAME_CANCEL && frame.request_id == d.request.request_id);
		break;
	case ANSWER_NEXT: put_next(d.request.request_id); break;
	case READ_BEAT: take_beat(); break;
	case ANSWER_BEAT: put_next(d.beat); break;
	case REQUEST_CANCELLED: sd_client_cancel(client); break;
	case WAIT: need(read(d.go[0], &byte, 1) == 1); break;
	case TIME_PASSES: let_time_pass(); break;
	case END: break;
	}
}

static inline void *run_script(void *unused)
{
	for (const enum step *step = d.script; *step != END && !d.failed; step++)
		run_step(*step);
	return NULL;
}

static inline void start(const enum step *script)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memset(&d, 0, sizeof(d));
	strcpy(d.folder, "/tmp/client_test_XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(d.folder));
	snprintf(d.path, sizeof(d.path), "%.40s/sock", d.folder);
	strcpy(address.sun_path, d.path);
	d.script = script;
	d.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(pipe(d.go), 0);
	ck_assert_int_eq(bind(d.listener, (const struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(d.listener, 4), 0);
	ck_assert_int_eq(pthread_create(&d.thread, NULL, run_script, NULL), 0);
}

static inline enum sd_status open_client(uint32_t connect_ms)
{
	struct sd_client_options options = { .socket = d.path, .name = "test", .connect_ms = connect_ms };

	return sd_client_open(&client, &options, &error);
}

static inline void open_good(void)
{
	ck_assert_msg(open_client(0) == SD_OK, "%s", error.message);
}

static inline enum sd_status call(enum sd_method method, uint32_t deadline_ms)
{
	return sd_client_call(client, method, "body", 4, deadline_ms, &reply);
}

/* The connection is there until the script is done: its last steps may still write. */
static inline void finish(void)
{
	pthread_join(d.thread, NULL);
	sd_reply_finish(&reply);
	sd_client_close(client);
	close(d.listener);
	unlink(d.path);
	rmdir(d.folder);
	ck_assert(!d.failed);
}

#define SCRIPT(...) start((const enum step[]){ __VA_ARGS__, END })

#endif
