/* streamd_client_test - the client against a daemon that does what a script says, in a thread. */
#include "run_tests.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "c/streamd_client.h"
#include "formats/schema.h"

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
	REQUEST_CANCELLED,
	WAIT,          /* until the test says go */
};

struct daemon {
	char path[64], folder[64];
	int listener, peer;
	const enum step *script;
	pthread_t thread;
	struct sd_frame request;   /* the last */
	uint32_t deadline_ms_left[8];
	int requests;
	bool failed;
	int go[2];
};

static struct daemon d;
static struct sd_client *client;
static struct sd_client_error error;
static struct sd_reply reply;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the daemon ---- */

static void need(bool good)
{
	if (!good)
		d.failed = true;
}

static void put_frame(enum sd_frame_kind kind, uint64_t id, const void *body, size_t bytes, size_t sent)
{
	struct sd_frame frame = { .body_bytes = (uint32_t)bytes, .kind = (uint8_t)kind, .request_id = id };
	unsigned char header[SD_FRAME_HEADER];

	sd_frame_write(header, &frame);
	need(send(d.peer, header, sizeof(header), MSG_NOSIGNAL) == sizeof(header));
	need(sent == 0 || send(d.peer, body, sent, MSG_NOSIGNAL) == (ssize_t)sent);
}

static struct sd_frame get_header(void)
{
	unsigned char header[SD_FRAME_HEADER];
	struct sd_frame frame = { 0 };

	need(recv(d.peer, header, sizeof(header), MSG_WAITALL) == sizeof(header));
	need(sd_frame_read(header, &frame) == SD_OK);
	return frame;
}

static struct sd_frame get_frame(void)
{
	struct sd_frame frame = get_header();
	char byte;

	for (uint32_t i = 0; i < frame.body_bytes && !d.failed; i++)
		need(recv(d.peer, &byte, 1, 0) == 1);
	return frame;
}

static void put_hello(uint32_t protocol)
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

static void put_error(uint64_t id, const char *code, const char *status, bool retryable)
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

static void take_connection(void)
{
	d.peer = accept(d.listener, NULL, NULL);
	need(d.peer >= 0);
}

static void greet(uint32_t protocol)
{
	take_connection();
	need(get_frame().kind == SD_FRAME_HELLO);
	put_hello(protocol);
}

static void take_request(struct sd_frame frame)
{
	need(frame.kind == SD_FRAME_REQUEST);
	d.request = frame;
	if (d.requests < 8)
		d.deadline_ms_left[d.requests++] = frame.deadline_ms_left;
}

static void run_step(enum step step)
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
	case REQUEST_CANCELLED: sd_client_cancel(client); break;
	case WAIT: need(read(d.go[0], &byte, 1) == 1); break;
	case END: break;
	}
}

static void *run_script(void *unused)
{
	for (const enum step *step = d.script; *step != END && !d.failed; step++)
		run_step(*step);
	return NULL;
}

static void start(const enum step *script)
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

static enum sd_status open_client(uint32_t connect_ms)
{
	struct sd_client_options options = { .socket = d.path, .name = "test", .connect_ms = connect_ms };

	return sd_client_open(&client, &options, &error);
}

static void open_good(void)
{
	ck_assert_msg(open_client(0) == SD_OK, "%s", error.message);
}

static enum sd_status call(enum sd_method method, uint32_t deadline_ms)
{
	return sd_client_call(client, method, "body", 4, deadline_ms, &reply);
}

static void finish(void)
{
	sd_reply_finish(&reply);
	sd_client_close(client);
	pthread_join(d.thread, NULL);
	close(d.listener);
	unlink(d.path);
	rmdir(d.folder);
	ck_assert(!d.failed);
}

#define SCRIPT(...) start((const enum step[]){ __VA_ARGS__, END })

/* ---- connecting ---- */

START_TEST(greets_and_keeps_what_it_hears)
{
	SCRIPT(ACCEPT);
	open_good();
	ck_assert_str_eq(sd_client_server_version(client), "9.9");
	ck_assert_str_eq(sd_client_path(client), d.path);
	finish();
}
END_TEST

START_TEST(nobody_there_is_told)
{
	struct sd_client_options options = { .socket = "/tmp/there/is/no/such.sock" };

	ck_assert_int_eq(sd_client_open(&client, &options, &error), SD_UNAVAILABLE);
	ck_assert_ptr_null(client);
	ck_assert_str_eq(error.code, "SD4010");
	ck_assert_str_eq(error.message, "no daemon answers at /tmp/there/is/no/such.sock: No such file or directory; start streamd or set STREAMD_SOCKET");
	ck_assert(error.retryable);
	sd_client_close(NULL);
}
END_TEST

START_TEST(a_path_that_no_socket_can_have_is_told)
{
	char path[200];
	struct sd_client_options options = { .socket = path };

	memset(path, 'p', sizeof(path));
	path[199] = '\0';
	ck_assert_int_eq(sd_client_open(&client, &options, &error), SD_UNAVAILABLE);
}
END_TEST

START_TEST(a_daemon_that_does_not_greet_is_left)
{
	int64_t begun = now_ms();

	SCRIPT(ACCEPT_MUTE);
	ck_assert_int_eq(open_client(100), SD_UNAVAILABLE);
	ck_assert_int_lt(now_ms() - begun, 5000);
	ck_assert_int_ge(now_ms() - begun, 100);
	finish();
}
END_TEST

START_TEST(another_protocol_is_not_spoken)
{
	SCRIPT(ACCEPT_OTHER);
	ck_assert_int_eq(open_client(0), SD_INTERNAL);
	ck_assert_ptr_nonnull(strstr(error.message, "another protocol"));
	finish();
}
END_TEST

START_TEST(a_refusal_at_the_door_is_handed_on)
{
	SCRIPT(ACCEPT_REFUSE);
	ck_assert_int_eq(open_client(0), SD_RESOURCE_EXHAUSTED);
	ck_assert_str_eq(error.code, "SD2014");
	finish();
}
END_TEST

START_TEST(the_socket_is_found_by_environment)
{
	char path[SD_CLIENT_PATH_MAX], folder[] = "/tmp/client_test_XXXXXX", sub[64], want[96];

	unsetenv("STREAMD_SOCKET");
	unsetenv("XDG_RUNTIME_DIR");
	ck_assert_str_eq(sd_client_socket_path(path), "/run/streamd/streamd.sock");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("XDG_RUNTIME_DIR", folder, 1);
	ck_assert_str_eq(sd_client_socket_path(path), "/run/streamd/streamd.sock");
	snprintf(sub, sizeof(sub), "%s/streamd", folder);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	snprintf(want, sizeof(want), "%s/streamd.sock", sub);
	ck_assert_str_eq(sd_client_socket_path(path), want);
	setenv("STREAMD_SOCKET", "/x/y", 1);
	ck_assert_str_eq(sd_client_socket_path(path), "/x/y");
	rmdir(sub);
	rmdir(folder);
}
END_TEST

/* ---- calling ---- */

START_TEST(an_answer_comes_back)
{
	SCRIPT(ACCEPT, READ, ANSWER_OTHER, PING, READ_PONG, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 5000), SD_OK);
	ck_assert_uint_eq(reply.body_bytes, 3);
	ck_assert_int_eq(memcmp(reply.body, "yes", 3), 0);
	finish();
	ck_assert_uint_eq(d.request.method, SD_METHOD_PLAN);
	ck_assert_uint_le(d.deadline_ms_left[0], 5000);
	ck_assert_uint_gt(d.deadline_ms_left[0], 0);
}
END_TEST

START_TEST(a_final_error_is_handed_on)
{
	SCRIPT(ACCEPT, READ, REFUSE);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 5000), SD_INVALID_ARGUMENT);
	ck_assert_str_eq(reply.error.code, "E18888");
	ck_assert_str_eq(reply.error.message, "because");
	ck_assert_str_eq(reply.error.node, "conv1");
	ck_assert(!reply.error.retryable);
	finish();
	ck_assert_int_eq(d.requests, 1);
}
END_TEST

START_TEST(busy_is_tried_again)
{
	SCRIPT(ACCEPT, READ, BUSY, READ, BUSY, READ, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 5000), SD_OK);
	finish();
	ck_assert_int_eq(d.requests, 3);
	ck_assert_uint_le(d.deadline_ms_left[2], d.deadline_ms_left[0]);
}
END_TEST

START_TEST(busy_for_too_long_is_told)
{
	SCRIPT(ACCEPT, READ, BUSY, READ, BUSY, READ, BUSY, READ, BUSY);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 20000), SD_RESOURCE_EXHAUSTED);
	ck_assert_str_eq(reply.error.code, "SD2013");
	finish();
	ck_assert_int_eq(d.requests, 4);
}
END_TEST

START_TEST(what_must_not_happen_twice_is_not_repeated)
{
	SCRIPT(ACCEPT, READ, BUSY);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_DRAIN, 5000), SD_RESOURCE_EXHAUSTED);
	finish();
	SCRIPT(ACCEPT, READ, HANG_UP);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_CACHE_FLUSH, 5000), SD_UNAVAILABLE);
	finish();
}
END_TEST

START_TEST(a_broken_connection_is_made_anew)
{
	SCRIPT(ACCEPT, READ, HANG_UP, ACCEPT, READ, CUT_ANSWER, ACCEPT, READ, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_STATUS, 5000), SD_OK);
	finish();
	ck_assert_int_eq(d.requests, 3);
}
END_TEST

START_TEST(goodbye_ends_the_connection_after_the_answer)
{
	SCRIPT(ACCEPT, READ, GOODBYE, ANSWER, ACCEPT, READ, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_STATUS, 5000), SD_OK);
	sd_reply_finish(&reply);
	ck_assert_int_eq(call(SD_METHOD_STATUS, 5000), SD_OK);
	finish();
}
END_TEST

START_TEST(the_deadline_ends_the_call_and_tells_the_daemon)
{
	int64_t begun = now_ms();

	SCRIPT(ACCEPT, READ, READ_CANCEL, ANSWER, READ, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 150), SD_DEADLINE_EXCEEDED);
	ck_assert_str_eq(reply.error.code, "SD4007");
	ck_assert_int_lt(now_ms() - begun, 5000);
	ck_assert_int_ge(now_ms() - begun, 150);
	/* The answer that comes too late belongs to nobody. */
	ck_assert_int_eq(call(SD_METHOD_PLAN, 5000), SD_OK);
	finish();
}
END_TEST

START_TEST(a_cancel_ends_the_call_and_tells_the_daemon)
{
	SCRIPT(ACCEPT, READ, REQUEST_CANCELLED, READ_CANCEL, READ, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 20000), SD_CANCELLED);
	ck_assert_str_eq(reply.error.code, "SD4008");
	ck_assert_int_eq(call(SD_METHOD_PLAN, 5000), SD_OK);
	finish();
}
END_TEST

START_TEST(a_refusal_before_all_is_sent_is_heard)
{
	size_t bytes = 32u << 20;
	char *body = calloc(1, bytes);

	SCRIPT(ACCEPT, READ_HEADER, REFUSE, WAIT);
	open_good();
	ck_assert_int_eq(sd_client_call(client, SD_METHOD_PLAN, body, bytes, 5000, &reply), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(write(d.go[1], "g", 1), 1);
	finish();
	free(body);
}
END_TEST

START_TEST(a_body_over_the_daemons_limit_is_not_sent)
{
	size_t bytes = 65u << 20;
	char *body = calloc(1, bytes);

	SCRIPT(ACCEPT);
	open_good();
	ck_assert_int_eq(sd_client_call(client, SD_METHOD_PLAN, body, bytes, 5000, &reply), SD_RESOURCE_EXHAUSTED);
	ck_assert_str_eq(reply.error.code, "SD2012");
	finish();
	free(body);
}
END_TEST

START_TEST(a_dead_daemon_raises_no_signal)
{
	SCRIPT(ACCEPT, HANG_UP);
	open_good();
	pthread_join(d.thread, NULL);
	close(d.listener);
	unlink(d.path);
	signal(SIGPIPE, SIG_DFL);
	ck_assert_int_eq(call(SD_METHOD_PLAN, 300), SD_UNAVAILABLE);
	sd_client_close(client);
	rmdir(d.folder);
}
END_TEST

RUN_TESTS("streamd_client", greets_and_keeps_what_it_hears, nobody_there_is_told, a_path_that_no_socket_can_have_is_told,
          a_daemon_that_does_not_greet_is_left, another_protocol_is_not_spoken, a_refusal_at_the_door_is_handed_on,
          the_socket_is_found_by_environment, an_answer_comes_back, a_final_error_is_handed_on, busy_is_tried_again,
          busy_for_too_long_is_told, what_must_not_happen_twice_is_not_repeated, a_broken_connection_is_made_anew,
          goodbye_ends_the_connection_after_the_answer, the_deadline_ends_the_call_and_tells_the_daemon,
          a_cancel_ends_the_call_and_tells_the_daemon, a_refusal_before_all_is_sent_is_heard,
          a_body_over_the_daemons_limit_is_not_sent, a_dead_daemon_raises_no_signal)
