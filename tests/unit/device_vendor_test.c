/* device_vendor_test - handles, threads, and what is left at the end, over a stand-in. */
#include "vendor_world.h"

#include <pthread.h>

START_TEST(handles_are_never_reused)
{
	sd_handle first, second;
	enum sd_progress progress;

	begin_acl();
	first = make_stream(0);
	OK(device->ops->stream_destroy(device, first, false, &diag));
	second = make_stream(0);
	ck_assert_uint_ne(first, second);
	FAILS(device->ops->stream_query(device, first, &progress, &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->stream_destroy(device, first, false, &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->stream_synchronize(device, SD_NO_HANDLE, 1, &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->event_record(device, second, 77, &diag), NO_SUCH_HANDLE);
	end_well();
}
END_TEST

static void *use_device(void *arg)
{
	struct sd_diag own = { 0 };
	sd_handle stream, event;
	int32_t rt_id;

	for (int i = 0; i < 200; i++) {
		if (device->ops->stream_create(device, 0, 0, &stream, &rt_id, &own) != SD_OK || device->ops->event_create(device, 0, &event, &own) != SD_OK ||
		    device->ops->event_record(device, stream, event, &own) != SD_OK ||
		    device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &own) != SD_OK ||
		    device->ops->event_destroy(device, event, &own) != SD_OK || device->ops->stream_destroy(device, stream, i % 2, &own) != SD_OK)
			return "failed";
	}
	return NULL;
}

/* The context is a thread's own: each that calls gets it set. */
START_TEST(any_thread_may_call)
{
	pthread_t thread[4];
	struct sd_device_facts facts;

	begin_acl();
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, use_device, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		ck_assert_ptr_null(failed);
	}
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.streams_used, 0);
	ck_assert_uint_eq(facts.streams_created, 800);
	ck_assert_uint_eq(facts.streams_destroyed, 800);
	ck_assert_uint_eq(facts.events_created, facts.events_destroyed);
	end_well();
}
END_TEST

/* Close destroys all that the caller left. */
START_TEST(nothing_is_left)
{
	sd_handle stream, held, notify;
	void *memory;

	begin_acl();
	stream = make_stream(0);
	held = make_stream(0);
	OK(device->ops->stream_hold(device, held, &diag));
	OK(device->ops->event_record(device, stream, make_event(), &diag));
	OK(device->ops->notify_create(device, 0, &notify, &diag));
	OK(device->ops->notify_wait(device, stream, notify, &diag));
	OK(device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_FIRST, &memory, &diag));
	end_well();
}
END_TEST

START_TEST(context_cannot_be_set)
{
	sd_handle stream;
	int32_t rt_id;

	begin_acl();
	standin.standin_fail("aclrtSetCurrentContext", 1, 107002, NULL);
	FAILS(device->ops->stream_create(device, 0, 0, &stream, &rt_id, &diag), VENDOR_STATE);
	end_well();
}
END_TEST

/* A failure shows at the synchronize; the fault names the first task that may have failed. */
START_TEST(faults_are_kept_until_taken)
{
	char from[4] = "abc", to[4];
	struct sd_task copy = { .name = "copy a", .kind = SD_TASK_COPY, .source = from, .target = to, .bytes = 4, .way = SD_COPY_HOST_TO_DEVICE };
	struct sd_device_fault fault;
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	OK(device->ops->submit(device, stream, &copy, 1, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	copy.name = "copy b";
	OK(device->ops->submit(device, stream, &copy, 1, &diag));
	standin.standin_fail("aclrtSynchronizeStreamWithTimeout", 1, 507015, NULL);
	FAILS(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag), VENDOR_FAILED);
	device->ops->take_fault(device, &fault);
	ck_assert_int_eq(fault.status, SD_INTERNAL);
	ck_assert_int_eq(fault.vendor_code, 507015);
	ck_assert_uint_eq(fault.stream, stream);
	ck_assert_uint_eq(fault.task_index, 1);
	ck_assert_str_eq(fault.task_name, "copy b");
	device->ops->take_fault(device, &fault);
	ck_assert_int_eq(fault.status, SD_OK);
	end_well();
}
END_TEST

START_TEST(clock_goes_on)
{
	uint64_t before;

	begin_acl();
	before = device->ops->now_ns(device);
	ck_assert_uint_ge(device->ops->now_ns(device), before);
	end_well();
}
END_TEST

RUN_TESTS("device_vendor", handles_are_never_reused, any_thread_may_call, nothing_is_left, context_cannot_be_set, faults_are_kept_until_taken, clock_goes_on)
