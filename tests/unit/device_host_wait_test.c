/* device_host_wait_test - callers that wait: in time, too late, and for what never comes. */
#include "run_tests.h"

#include "on_host.h"

#define FOR_EVER(stream, what) "stream " stream " waits for ever for " what ": nothing that is queued brings it; queue that in front of the wait"
#define STUCK_SOON { .cores = 1, .stuck_after_ms = 30 }

static const char *why(sd_handle stream, enum sd_status expected)
{
	static char message[SD_MESSAGE_MAX];
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag), expected);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	return message;
}

START_TEST(timeouts)
{
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	atomic_bool gate = false;
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	give_gate(stream, "gate", &gate);
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, 10, &diag), SD_DEADLINE_EXCEEDED);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_str_eq(message, "the stream is not done after 10 ms (vendor error 507046); allow more time");
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, 0, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, -2, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream + 1, 1, NULL), SD_NOT_FOUND);
	atomic_store(&gate, true);
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, NULL), SD_OK);
	close_host();
}
END_TEST

START_TEST(notify_that_never_comes_is_named)
{
	sd_handle a, b, event, notify;

	open_host((struct sd_host_options)STUCK_SOON);
	a = new_stream(0);
	b = new_stream(0);
	event = new_event();
	new_notify();
	notify = new_notify();
	device->ops->notify_wait(device, a, notify, NULL);
	record(a, event);
	wait_on(b, event);
	ck_assert_str_eq(why(b, SD_FAILED_PRECONDITION), FOR_EVER("1", "notify 2"));
	device->ops->stream_abort(device, a, NULL);
	ck_assert_int_eq(device->ops->stream_synchronize(device, a, SD_FOR_EVER, NULL), SD_ABORTED);
	ck_assert_str_eq(why(b, SD_FAILED_PRECONDITION), FOR_EVER("2", "the dropped record of event 1"));
	ck_assert_int_eq(device->ops->event_synchronize(device, event, SD_FOR_EVER, NULL), SD_FAILED_PRECONDITION);
	close_host();
}
END_TEST

START_TEST(hold_that_nobody_opens_is_named)
{
	sd_handle stream, other;

	open_host((struct sd_host_options)STUCK_SOON);
	stream = new_stream(0);
	other = new_stream(0);
	device->ops->stream_hold(device, stream, NULL);
	give_kernel(stream, "held");
	ck_assert_str_eq(why(stream, SD_FAILED_PRECONDITION), FOR_EVER("1", "the activation of stream 1"));
	device->ops->activate(device, other, stream, NULL);
	finish_stream(stream);
	close_host();
}
END_TEST

START_TEST(circle_is_named)
{
	sd_handle a, b, x, y;

	open_host((struct sd_host_options)STUCK_SOON);
	a = new_stream(0);
	b = new_stream(0);
	x = new_notify();
	y = new_notify();
	device->ops->notify_wait(device, a, x, NULL);
	device->ops->notify_record(device, a, y, NULL);
	device->ops->notify_wait(device, b, y, NULL);
	device->ops->notify_record(device, b, x, NULL);
	ck_assert_str_eq(why(a, SD_FAILED_PRECONDITION), FOR_EVER("1", "notify 1"));
	close_host();
}
END_TEST

/* Another thread that enqueues in time is waited for. */
static void *record_late(void *arg)
{
	const sd_handle *handle = arg;

	usleep(30000);
	device->ops->notify_record(device, handle[0], handle[1], NULL);
	return NULL;
}

START_TEST(record_that_comes_in_time_is_waited_for)
{
	sd_handle stream, handle[2];
	pthread_t thread;

	open_host((struct sd_host_options){ .cores = 1, .stuck_after_ms = 10000 });
	stream = new_stream(0);
	handle[0] = new_stream(0);
	handle[1] = new_notify();
	device->ops->notify_wait(device, stream, handle[1], NULL);
	ck_assert_int_eq(pthread_create(&thread, NULL, record_late, handle), 0);
	finish_stream(stream);
	pthread_join(thread, NULL);
	close_host();
}
END_TEST

static void *finish_elsewhere(void *arg)
{
	const sd_handle *stream = arg;

	finish_stream(*stream);
	return NULL;
}

START_TEST(many_callers_wait_at_once)
{
	pthread_t thread[8];
	sd_handle stream[8];

	open_host((struct sd_host_options){ .cores = 2 });
	for (int i = 0; i < 8; i++) {
		stream[i] = new_stream(i);
		for (int k = 0; k < 20; k++)
			give_sleep(stream[i], "sleep", 200000);
	}
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, finish_elsewhere, &stream[i / 2]), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	close_host();
}
END_TEST

RUN_TESTS("device_host_wait", timeouts, notify_that_never_comes_is_named, hold_that_nobody_opens_is_named, circle_is_named,
          record_that_comes_in_time_is_waited_for, many_callers_wait_at_once)
