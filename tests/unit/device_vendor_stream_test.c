/* device_vendor_stream_test - streams and holds over a stand-in. */
#include "vendor_world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ran;

static void run(void *arg)
{
	atomic_fetch_add(&ran, 1);
}

static const struct sd_task count = { .name = "count", .kind = SD_TASK_KERNEL, .run = run };

/* The task runs on the stand-in's thread. */
static void wait_until_ran(int tasks)
{
	while (atomic_load(&ran) < tasks)
		usleep(100);
}

static bool is_done(sd_handle stream)
{
	enum sd_progress progress;

	OK(device->ops->stream_query(device, stream, &progress, &diag));
	return progress == SD_DONE;
}

START_TEST(holds_are_opened_in_order)
{
	sd_handle main_stream, held;

	begin_acl();
	main_stream = make_stream(0);
	held = make_stream(0);
	for (int i = 0; i < 2; i++) {
		OK(device->ops->stream_hold(device, held, &diag));
		OK(device->ops->submit(device, held, &count, 1, &diag));
	}
	FAILS(device->ops->stream_synchronize(device, held, 20, &diag), VENDOR_TIMEOUT);
	ck_assert_int_eq(ran, 0);
	OK(device->ops->activate(device, main_stream, held, &diag));
	wait_until_ran(1);
	FAILS(device->ops->stream_synchronize(device, held, 20, &diag), VENDOR_TIMEOUT);
	ck_assert_int_eq(ran, 1);
	ck_assert(!is_done(held));
	FAILS(device->ops->stream_destroy(device, held, false, &diag), HOLD_CLOSED);
	OK(device->ops->activate(device, main_stream, held, &diag));
	OK(device->ops->stream_synchronize(device, held, SD_FOR_EVER, &diag));
	ck_assert_int_eq(ran, 2);
	ck_assert(is_done(held));
	end_well();
}
END_TEST

/* An activation for which no hold is enqueued does nothing, now or later. */
START_TEST(activation_without_hold)
{
	sd_handle main_stream, held;

	begin_acl();
	main_stream = make_stream(0);
	held = make_stream(0);
	OK(device->ops->activate(device, main_stream, held, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtRecordNotify"), 0);
	OK(device->ops->stream_hold(device, held, &diag));
	FAILS(device->ops->stream_synchronize(device, held, 20, &diag), VENDOR_TIMEOUT);
	OK(device->ops->activate(device, main_stream, held, &diag));
	OK(device->ops->stream_synchronize(device, held, SD_FOR_EVER, &diag));
	end_well();
}
END_TEST

/* What a synchronize proved to be passed is used again. */
START_TEST(holds_are_used_again)
{
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	for (int i = 0; i < 50; i++) {
		sd_handle held = make_stream(0);

		OK(device->ops->stream_hold(device, held, &diag));
		OK(device->ops->activate(device, stream, held, &diag));
		OK(i % 2 ? device->ops->stream_synchronize(device, held, SD_FOR_EVER, &diag) : SD_OK);
		OK(device->ops->stream_destroy(device, held, false, &diag));
	}
	ck_assert_uint_eq(standin.standin_created(STANDIN_NOTIFY), 1);
	end_well();
}
END_TEST

START_TEST(holds_of_aborted_streams_are_not)
{
	sd_handle stream, held;

	begin_acl();
	stream = make_stream(0);
	held = make_stream(0);
	OK(device->ops->stream_hold(device, held, &diag));
	OK(device->ops->stream_abort(device, held, &diag));
	OK(device->ops->activate(device, stream, held, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtRecordNotify"), 0);
	OK(device->ops->stream_hold(device, held, &diag));
	ck_assert_uint_eq(standin.standin_created(STANDIN_NOTIFY), 2);
	OK(device->ops->stream_destroy(device, held, true, &diag));
	end_well();
}
END_TEST

START_TEST(hold_fails)
{
	static const char *const calls[] = { "aclrtCreateNotify", "aclrtWaitAndResetNotify" };
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	for (int i = 0; i < 2; i++) {
		standin.standin_fail(calls[i], 1, 207009, NULL);
		FAILS(device->ops->stream_hold(device, stream, &diag), VENDOR_EXHAUSTED);
	}
	OK(device->ops->stream_hold(device, stream, &diag));
	standin.standin_fail("aclrtRecordNotify", 1, 507000, NULL);
	FAILS(device->ops->activate(device, make_stream(0), stream, &diag), VENDOR_FAILED);
	OK(device->ops->activate(device, make_stream(0), stream, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	ck_assert_uint_eq(standin.standin_created(STANDIN_NOTIFY), 1);
	end_well();
}
END_TEST

/* A stream that stands for none costs nothing and takes nothing. */
START_TEST(forbidden_default)
{
	sd_handle none, other;
	int32_t rt_id;

	begin_acl();
	OK(device->ops->stream_create(device, 0, SD_STREAM_FORBIDDEN_DEFAULT, &none, &rt_id, &diag));
	other = make_stream(0);
	ck_assert_int_eq(rt_id, INT32_MAX);
	ck_assert_uint_eq(standin.standin_created(STANDIN_STREAM), 1);
	FAILS(device->ops->submit(device, none, &count, 1, &diag), NO_TASKS_HERE);
	FAILS(device->ops->stream_hold(device, none, &diag), NO_TASKS_HERE);
	FAILS(device->ops->event_record(device, none, make_event(), &diag), NO_TASKS_HERE);
	FAILS(device->ops->activate(device, none, other, &diag), NO_TASKS_HERE);
	ck_assert(is_done(none));
	OK(device->ops->stream_synchronize(device, none, 1, &diag));
	OK(device->ops->stream_abort(device, none, &diag));
	OK(device->ops->stream_stop(device, none, &diag));
	OK(device->ops->stream_destroy(device, none, false, &diag));
	end_well();
}
END_TEST

START_TEST(times_to_wait)
{
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	FAILS(device->ops->stream_synchronize(device, stream, 0, &diag), BAD_DEVICE_VALUE);
	FAILS(device->ops->stream_synchronize(device, stream, -2, &diag), BAD_DEVICE_VALUE);
	OK(device->ops->stream_synchronize(device, stream, INT64_MAX, &diag));
	end_well();
}
END_TEST

/* The handle stays good if the device could not destroy the stream. */
START_TEST(destroy_fails)
{
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	standin.standin_fail("aclrtDestroyStream", 1, 507000, NULL);
	FAILS(device->ops->stream_destroy(device, stream, false, &diag), VENDOR_FAILED);
	ck_assert(is_done(stream));
	OK(device->ops->stream_destroy(device, stream, false, &diag));
	end_well();
}
END_TEST

/* A task that failed does not keep its stream from being destroyed; who did not wait long enough does. */
START_TEST(destroy_waits)
{
	struct sd_device_fault fault;
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	standin.standin_fail("aclrtSynchronizeStreamWithTimeout", 1, 507046, NULL);
	FAILS(device->ops->stream_destroy(device, stream, false, &diag), VENDOR_TIMEOUT);
	standin.standin_fail("aclrtSynchronizeStreamWithTimeout", 1, 507015, NULL);
	OK(device->ops->stream_destroy(device, stream, false, &diag));
	device->ops->take_fault(device, &fault);
	ck_assert_int_eq(fault.vendor_code, 507015);
	end_well();
}
END_TEST

static void *wait_for(void *arg)
{
	struct sd_diag own = { 0 };

	return device->ops->stream_synchronize(device, *(sd_handle *)arg, SD_FOR_EVER, &own) == SD_OK ? NULL : arg;
}

/* Who waits for a stream that is destroyed by force is let go. */
START_TEST(force_ends_waits)
{
	pthread_t thread;
	sd_handle held;

	begin_acl();
	held = make_stream(0);
	OK(device->ops->stream_hold(device, held, &diag));
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, &held), 0);
	while (standin.standin_calls("aclrtSynchronizeStreamWithTimeout") == 0)
		usleep(100);
	OK(device->ops->stream_destroy(device, held, true, &diag));
	pthread_join(thread, NULL);
	ck_assert_uint_eq(standin.standin_calls("aclrtDestroyStreamForce"), 1);
	end_well();
}
END_TEST

START_TEST(stop)
{
	begin_acl();
	FAILS(device->ops->stream_stop(device, make_stream(0), &diag), VENDOR_UNSUPPORTED);
	OK(device->ops->stream_stop(device, make_stream(SD_STREAM_CP_PROCESS_USE), &diag));
	end_well();
}
END_TEST

/* Tasks of such a stream wait for a bound model, and to synchronize proves nothing. */
START_TEST(persistent)
{
	sd_handle stream, other;

	begin_acl();
	stream = make_stream(SD_STREAM_PERSISTENT);
	other = make_stream(0);
	OK(device->ops->stream_hold(device, stream, &diag));
	OK(device->ops->submit(device, stream, &count, 1, &diag));
	OK(device->ops->activate(device, other, stream, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	ck_assert_int_eq(ran, 0);
	OK(device->ops->stream_hold(device, other, &diag));
	ck_assert_uint_eq(standin.standin_created(STANDIN_NOTIFY), 2);
	OK(device->ops->stream_destroy(device, stream, false, &diag));
	end_well();
}
END_TEST

RUN_TESTS("device_vendor_stream", holds_are_opened_in_order, activation_without_hold, holds_are_used_again, holds_of_aborted_streams_are_not, hold_fails, forbidden_default, times_to_wait,
          destroy_fails, destroy_waits, force_ends_waits, stop, persistent)
