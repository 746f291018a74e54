/* device_vendor_event_test - events and notifies over a stand-in. */
#include "vendor_world.h"

static bool is_done(sd_handle event)
{
	enum sd_progress progress;

	OK(device->ops->event_query(device, event, &progress, &diag));
	return progress == SD_DONE;
}

START_TEST(wait_needs_a_record)
{
	sd_handle stream, event;

	begin_acl();
	stream = make_stream(0);
	event = make_event();
	ck_assert(is_done(event));
	FAILS(device->ops->event_wait(device, stream, event, &diag), NOT_RECORDED);
	OK(device->ops->event_synchronize(device, event, SD_FOR_EVER, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtSynchronizeEventWithTimeout"), 0);
	OK(device->ops->event_record(device, stream, event, &diag));
	OK(device->ops->event_wait(device, make_stream(0), event, &diag));
	OK(device->ops->event_synchronize(device, event, SD_FOR_EVER, &diag));
	OK(device->ops->event_reset(device, stream, event, &diag));
	FAILS(device->ops->event_wait(device, stream, event, &diag), NOT_RECORDED);
	OK(device->ops->event_record(device, stream, event, &diag));
	OK(device->ops->event_wait(device, stream, event, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtStreamWaitEvent"), 2);
	end_well();
}
END_TEST

/* A wait holds for the record before it, not for one behind it. */
START_TEST(recorded_again)
{
	sd_handle main_stream, held, event;

	begin_acl();
	main_stream = make_stream(0);
	held = make_stream(0);
	event = make_event();
	OK(device->ops->event_record(device, main_stream, event, &diag));
	OK(device->ops->event_wait(device, main_stream, event, &diag));
	OK(device->ops->stream_hold(device, held, &diag));
	OK(device->ops->event_record(device, held, event, &diag));
	OK(device->ops->stream_synchronize(device, main_stream, SD_FOR_EVER, &diag));
	ck_assert(!is_done(event));
	FAILS(device->ops->event_synchronize(device, event, 10, &diag), VENDOR_TIMEOUT);
	OK(device->ops->event_wait(device, main_stream, event, &diag));
	FAILS(device->ops->stream_synchronize(device, main_stream, 10, &diag), VENDOR_TIMEOUT);
	OK(device->ops->activate(device, make_stream(0), held, &diag));
	OK(device->ops->stream_synchronize(device, main_stream, SD_FOR_EVER, &diag));
	ck_assert(is_done(event));
	end_well();
}
END_TEST

START_TEST(elapsed)
{
	sd_handle stream, start, end;
	int64_t ns = -1;

	begin_acl();
	stream = make_stream(0);
	start = make_event();
	end = make_event();
	OK(device->ops->event_record(device, stream, start, &diag));
	FAILS(device->ops->event_elapsed(device, start, end, &ns, &diag), NOT_RECORDED);
	FAILS(device->ops->event_elapsed(device, start, 99, &ns, &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->event_elapsed(device, 99, end, &ns, &diag), NO_SUCH_HANDLE);
	OK(device->ops->event_record(device, stream, end, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	OK(device->ops->event_elapsed(device, start, end, &ns, &diag));
	ck_assert_int_ge(ns, 0);
	end_well();
}
END_TEST

START_TEST(notifies)
{
	sd_handle waiter, recorder, notify;
	struct sd_device_facts facts;

	begin_acl();
	waiter = make_stream(0);
	recorder = make_stream(0);
	OK(device->ops->notify_create(device, 0, &notify, &diag));
	for (int i = 0; i < 2; i++) {
		OK(device->ops->notify_wait(device, waiter, notify, &diag));
		FAILS(device->ops->stream_synchronize(device, waiter, 10, &diag), VENDOR_TIMEOUT);
		OK(device->ops->notify_record(device, recorder, notify, &diag));
		OK(device->ops->stream_synchronize(device, waiter, SD_FOR_EVER, &diag));
	}
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.notifies_used, 1);
	OK(device->ops->notify_destroy(device, notify, &diag));
	FAILS(device->ops->notify_record(device, recorder, notify, &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->notify_create(device, 1, &notify, &diag), FLAGS_UNSUPPORTED);
	end_well();
}
END_TEST

/* Each call fails once: the objects stay as they were. */
START_TEST(calls_fail)
{
	sd_handle stream, event, notify, none;
	enum sd_progress progress;

	begin_acl();
	stream = make_stream(0);
	event = make_event();
	OK(device->ops->notify_create(device, 0, &notify, &diag));
	standin.standin_fail("aclrtRecordEvent", 1, 507000, NULL);
	FAILS(device->ops->event_record(device, stream, event, &diag), VENDOR_FAILED);
	FAILS(device->ops->event_wait(device, stream, event, &diag), NOT_RECORDED);
	standin.standin_fail("aclrtDestroyEvent", 1, 507000, NULL);
	FAILS(device->ops->event_destroy(device, event, &diag), VENDOR_FAILED);
	standin.standin_fail("aclrtDestroyNotify", 1, 507000, NULL);
	FAILS(device->ops->notify_destroy(device, notify, &diag), VENDOR_FAILED);
	standin.standin_fail("aclrtCreateEventExWithFlag", 1, 207007, NULL);
	FAILS(device->ops->event_create(device, 0, &none, &diag), VENDOR_EXHAUSTED);
	ck_assert_uint_eq(none, SD_NO_HANDLE);
	standin.standin_fail("aclrtCreateNotify", 1, 207009, NULL);
	FAILS(device->ops->notify_create(device, 0, &none, &diag), VENDOR_EXHAUSTED);
	ck_assert_uint_eq(none, SD_NO_HANDLE);
	OK(device->ops->event_record(device, stream, event, &diag));
	standin.standin_fail("aclrtQueryEventStatus", 1, 507000, NULL);
	FAILS(device->ops->event_query(device, event, &progress, &diag), VENDOR_FAILED);
	OK(device->ops->notify_destroy(device, notify, &diag));
	OK(device->ops->event_destroy(device, event, &diag));
	FAILS(device->ops->event_destroy(device, event, &diag), NO_SUCH_HANDLE);
	end_well();
}
END_TEST

RUN_TESTS("device_vendor_event", wait_needs_a_record, recorded_again, elapsed, notifies, calls_fail)
