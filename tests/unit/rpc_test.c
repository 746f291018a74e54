/* rpc_test - a call's time begins when the call is read, however long the turn of the loop that reads it took before. */
#include "run_tests.h"

#include <sys/socket.h>
#include <unistd.h>

#include "daemon_here.h"
#include "frame.h"
#include "streamd.pb-c.h"

#define DEADLINE_MS 100u
#define STALL_MS 150u
#define WHOLE_MS 2u /* the loop counts whole milliseconds */

static const char *const settings[] = { "jobs.workers", "1", NULL };

static int peer, wake[2];
static uint64_t stalled_until_ns;

static void say(enum sd_frame_kind kind, enum sd_method method, uint64_t id, uint32_t deadline_ms, const ProtobufCMessage *message)
{
	struct sd_frame frame = { .method = (uint16_t)method, .kind = (uint8_t)kind, .request_id = id, .deadline_ms_left = deadline_ms };
	unsigned char bytes[SD_FRAME_HEADER + 256];

	frame.body_bytes = (uint32_t)protobuf_c_message_pack(message, bytes + SD_FRAME_HEADER);
	sd_frame_write(bytes, &frame);
	ck_assert_int_eq(send(peer, bytes, SD_FRAME_HEADER + frame.body_bytes, 0), SD_FRAME_HEADER + frame.body_bytes);
}

/* The next frame of this kind, turning the loop until it is there. */
static struct sd_frame hear(enum sd_frame_kind kind)
{
	struct sd_frame frame = { 0 };

	do {
		unsigned char header[SD_FRAME_HEADER], body[4096];

		while (recv(peer, header, sizeof(header), MSG_PEEK) != sizeof(header)) {
			daemon_here_turn(peer, false);
			usleep(100);
		}
		ck_assert_int_eq(recv(peer, header, sizeof(header), 0), sizeof(header));
		ck_assert_int_eq(sd_frame_read(header, &frame), SD_OK);
		ck_assert_uint_le(frame.body_bytes, sizeof(body));
		ck_assert_int_eq(recv(peer, body, frame.body_bytes, 0), frame.body_bytes);
	} while (frame.kind != kind);
	return frame;
}

/* What takes long in the turn of the loop. */
static void on_wake(uv_poll_t *handle, int status, int events)
{
	char byte;

	ck_assert_int_eq(read(wake[0], &byte, 1), 1);
	usleep(STALL_MS * 1000);
	stalled_until_ns = uv_hrtime();
}

/* The loop finds both at once, and this one first. */
static void stall_in_front_of_what_is_said(void)
{
	static uv_poll_t handle;

	ck_assert_int_eq(pipe(wake), 0);
	ck_assert_int_eq(uv_poll_init(&daemon_here.loop, &handle, wake[0]), 0);
	ck_assert_int_eq(uv_poll_start(&handle, UV_READABLE, on_wake), 0);
	daemon_here_turn(peer, false);
	ck_assert_int_eq(write(wake[1], "w", 1), 1);
}

START_TEST(a_late_loop_takes_no_time_from_a_call)
{
	Streamd__V1__ClientHello hello;
	Streamd__V1__WatchRequest watch;
	uint64_t waited_ns;

	daemon_here_open(settings);
	peer = daemon_here_connect(false);
	streamd__v1__client_hello__init(&hello);
	streamd__v1__watch_request__init(&watch);
	hello.protocol = SD_PROTOCOL;
	say(SD_FRAME_HELLO, 0, 0, 0, &hello.base);
	hear(SD_FRAME_HELLO);
	stall_in_front_of_what_is_said();
	say(SD_FRAME_REQUEST, SD_METHOD_WATCH, 7, DEADLINE_MS, &watch.base);
	ck_assert_uint_eq(hear(SD_FRAME_ERROR).request_id, 7);
	waited_ns = uv_hrtime() - stalled_until_ns;
	ck_assert_uint_gt(stalled_until_ns, 0);
	ck_assert_msg(waited_ns >= (DEADLINE_MS - WHOLE_MS) * UINT64_C(1000000), "it was given %llu ns", (unsigned long long)waited_ns);
}
END_TEST

RUN_TESTS("rpc", a_late_loop_takes_no_time_from_a_call)
