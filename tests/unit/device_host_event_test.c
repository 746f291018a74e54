/* device_host_event_test - events and notifies: what a wait holds for, resets, times. */
#include "run_tests.h"

#include "on_host.h"

START_TEST(wait_orders_two_streams)
{
	sd_handle a, b, event;

	open_host((struct sd_host_options){ .cores = 2 });
	a = new_stream(0);
	b = new_stream(0);
	event = new_event();
	for (int round = 0; round < 50; round++) {
		give_sleep(a, "a", 100000);
		record(a, event);
		wait_on(b, event);
		give_kernel(b, "b");
		record(b, event);
		wait_on(a, event);
	}
	finish_stream(a);
	finish_stream(b);
	ck_assert_uint_eq(done_count, 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_str_eq(done[i].name, i % 2 ? "b" : "a");
	close_host();
}
END_TEST

/* A later record on another stream, which is done before, does not let it go. */
START_TEST(wait_holds_for_the_record_before_it)
{
	atomic_bool gate = false;
	sd_handle slow, fast, waiter, event;

	open_host((struct sd_host_options){ .cores = 2 });
	slow = new_stream(0);
	fast = new_stream(0);
	waiter = new_stream(0);
	event = new_event();
	give_gate(slow, "slow", &gate);
	record(slow, event);
	wait_on(waiter, event);
	give_kernel(waiter, "waiter");
	record(fast, event);
	finish_stream(fast);
	ck_assert_int_eq(device->ops->event_synchronize(device, event, LONG_MS, NULL), SD_OK);
	ck_assert_uint_eq(done_count, 0);
	atomic_store(&gate, true);
	finish_stream(waiter);
	ck_assert_str_eq(order(), "slow waiter");
	close_host();
}
END_TEST

START_TEST(wait_without_record_is_refused)
{
	struct sd_diag diag = { 0 };
	sd_handle stream, event;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	event = new_event();
	ck_assert_int_eq(device->ops->event_wait(device, stream, event, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_NOT_RECORDED);
	record(stream, event);
	wait_on(stream, event);
	finish_stream(stream);
	ck_assert_int_eq(device->ops->event_reset(device, stream, event, NULL), SD_OK);
	ck_assert_int_eq(device->ops->event_wait(device, stream, event, NULL), SD_FAILED_PRECONDITION);
	close_host();
}
END_TEST

START_TEST(query_tells_of_the_last_record)
{
	enum sd_progress progress = SD_NOT_DONE;
	atomic_bool gate = false;
	sd_handle stream, event;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	event = new_event();
	ck_assert_int_eq(device->ops->event_query(device, event, &progress, NULL), SD_OK);
	ck_assert_int_eq(progress, SD_DONE);
	give_gate(stream, "gate", &gate);
	record(stream, event);
	device->ops->event_query(device, event, &progress, NULL);
	ck_assert_int_eq(progress, SD_NOT_DONE);
	ck_assert_int_eq(device->ops->event_synchronize(device, event, 5, NULL), SD_DEADLINE_EXCEEDED);
	atomic_store(&gate, true);
	ck_assert_int_eq(device->ops->event_synchronize(device, event, LONG_MS, NULL), SD_OK);
	device->ops->event_query(device, event, &progress, NULL);
	ck_assert_int_eq(progress, SD_DONE);
	device->ops->event_reset(device, stream, event, NULL);
	device->ops->event_query(device, event, &progress, NULL);
	ck_assert_int_eq(progress, SD_DONE); /* as before its first record */
	close_host();
}
END_TEST

START_TEST(elapsed_is_the_time_between_records)
{
	struct sd_diag diag = { 0 }, reversed = { 0 };
	sd_handle stream, start, end;
	int64_t ns = 0;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	start = new_event();
	end = new_event();
	ck_assert_int_eq(device->ops->event_elapsed(device, start, end, &ns, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_EVENT_WITHOUT_TIME);
	record(stream, start);
	give_sleep(stream, "sleep", 3 * MS);
	record(stream, end);
	finish_stream(stream);
	ck_assert_int_eq(device->ops->event_elapsed(device, start, end, &ns, NULL), SD_OK);
	ck_assert_int_ge(ns, (int64_t)(3 * MS));
	ck_assert_int_eq(device->ops->event_elapsed(device, end, start, &ns, &reversed), SD_INVALID_ARGUMENT);
	close_host();
}
END_TEST

START_TEST(destroyed_event_still_orders_what_is_enqueued)
{
	atomic_bool gate = false;
	sd_handle a, b, event;

	open_host((struct sd_host_options){ .cores = 2 });
	a = new_stream(0);
	b = new_stream(0);
	event = new_event();
	give_gate(a, "a", &gate);
	record(a, event);
	wait_on(b, event);
	give_kernel(b, "b");
	ck_assert_int_eq(device->ops->event_destroy(device, event, NULL), SD_OK);
	ck_assert_int_eq(device->ops->event_destroy(device, event, NULL), SD_NOT_FOUND);
	ck_assert_uint_ne(new_event(), event);
	atomic_store(&gate, true);
	finish_stream(b);
	ck_assert_str_eq(order(), "a b");
	close_host();
}
END_TEST

START_TEST(notify_is_taken_away_by_its_waiter)
{
	struct sd_diag diag = { 0 };
	sd_handle a, b, notify;

	open_host((struct sd_host_options){ .cores = 1 });
	a = new_stream(0);
	b = new_stream(0);
	notify = new_notify();
	ck_assert_int_eq(device->ops->notify_wait(device, b, notify, NULL), SD_OK);
	give_kernel(b, "b");
	ck_assert_int_eq(device->ops->notify_wait(device, a, notify, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_NOTIFY_TAKEN);
	give_kernel(a, "a");
	ck_assert_int_eq(device->ops->notify_record(device, a, notify, NULL), SD_OK);
	finish_stream(b);
	ck_assert_str_eq(order(), "a b");
	ck_assert_int_eq(device->ops->notify_wait(device, a, notify, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_synchronize(device, a, 20, NULL), SD_DEADLINE_EXCEEDED);
	ck_assert_int_eq(device->ops->notify_record(device, b, notify, NULL), SD_OK);
	finish_stream(a);
	ck_assert_int_eq(device->ops->notify_destroy(device, notify, NULL), SD_OK);
	ck_assert_int_eq(device->ops->notify_destroy(device, notify, NULL), SD_NOT_FOUND);
	close_host();
}
END_TEST

START_TEST(limits_and_faults)
{
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	sd_handle event;

	open_host((struct sd_host_options){ .cores = 1, .has = { .events_max = 2, .notifies_max = 1 }, .fault = { .event_create = 2 } });
	new_event();
	ck_assert_int_eq(device->ops->event_create(device, 0, &event, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(event, SD_NO_HANDLE);
	new_event();
	ck_assert_int_eq(device->ops->event_create(device, 0, &event, &diag), SD_RESOURCE_EXHAUSTED);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_str_eq(message, "the device has no events left: 2 of 2 are used; destroy some, or ask for fewer");
	new_notify();
	ck_assert_int_eq(device->ops->notify_create(device, 0, &event, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(device->ops->event_create(device, 0x80, &event, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(device->ops->notify_create(device, 2, &event, NULL), SD_INVALID_ARGUMENT);
	close_host();
}
END_TEST

RUN_TESTS("device_host_event", wait_orders_two_streams, wait_holds_for_the_record_before_it, wait_without_record_is_refused,
          query_tells_of_the_last_record, elapsed_is_the_time_between_records, destroyed_event_still_orders_what_is_enqueued,
          notify_is_taken_away_by_its_waiter, limits_and_faults)
