/* streamd_client_test - the client against a daemon that does what a script says, in a thread. */
#include "client_world.h"

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
	static const uint32_t connect_ms[][2] = { { 100, 100 }, { 0, 5000 } };

	for (int i = 0; i < 2; i++) {
		int64_t begun = now_ms();

		SCRIPT(ACCEPT_MUTE, TIME_PASSES);
		ck_assert_int_eq(open_client(connect_ms[i][0]), SD_UNAVAILABLE);
		ck_assert_int_eq(now_ms() - begun, connect_ms[i][1]);
		finish();
	}
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
	ck_assert_uint_eq(d.deadline_ms_left[0], 5000);
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
	ck_assert_uint_eq(d.deadline_ms_left[0], 5000);
	ck_assert_uint_le(d.deadline_ms_left[1], 5000 - 10); /* the daemon asked for a pause of 10 ms each time */
	ck_assert_uint_le(d.deadline_ms_left[2], d.deadline_ms_left[1] - 10);
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

	SCRIPT(ACCEPT, READ, TIME_PASSES, READ_CANCEL, ANSWER, READ, ANSWER);
	open_good();
	ck_assert_int_eq(call(SD_METHOD_PLAN, 150), SD_DEADLINE_EXCEEDED);
	ck_assert_str_eq(reply.error.code, "SD4007");
	ck_assert_int_eq(now_ms() - begun, 150);
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
