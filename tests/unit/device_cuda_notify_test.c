/* device_cuda_notify_test - notifies and holds as words, and what becomes of streams that wait for them. */
#include "vendor_count.h"

/* The k-th record is for the k-th wait; a notify that was destroyed gives its word to the next one. */
START_TEST(notifies)
{
	sd_handle waiter, recorder, notify;

	begin_cuda();
	waiter = make_stream(0);
	recorder = make_stream(0);
	for (int round = 0; round < 3; round++) {
		OK(device->ops->notify_create(device, 0, &notify, &diag));
		for (int i = 0; i < 2; i++) {
			OK(device->ops->notify_wait(device, waiter, notify, &diag));
			FAILS(device->ops->stream_synchronize(device, waiter, 10, &diag), VENDOR_TIMEOUT);
			OK(device->ops->notify_record(device, recorder, notify, &diag));
			OK(device->ops->stream_synchronize(device, waiter, SD_FOR_EVER, &diag));
		}
		OK(device->ops->notify_record(device, recorder, notify, &diag)); /* nobody waits for it, nor will */
		OK(device->ops->stream_synchronize(device, recorder, SD_FOR_EVER, &diag));
		OK(device->ops->notify_destroy(device, notify, &diag));
	}
	ck_assert_uint_eq(standin.standin_calls("cuMemHostAlloc"), 1);
	end_well();
}
END_TEST

/* More words than a page holds. */
START_TEST(many_notifies)
{
	struct sd_cuda_options options = { .library = CUDA_STANDIN };
	sd_handle stream, recorder, notify;

	standin = standin_open(CUDA_STANDIN);
	standin.standin_reset();
	OK(sd_cuda_open(&options, &device, &diag));
	stream = make_stream(0);
	recorder = make_stream(0);
	for (int i = 0; i < 1500; i++) {
		OK(device->ops->notify_create(device, 0, &notify, &diag));
		OK(device->ops->notify_wait(device, stream, notify, &diag));
		OK(device->ops->notify_record(device, recorder, notify, &diag));
	}
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	ck_assert_uint_eq(standin.standin_calls("cuMemHostAlloc"), 2);
	end_well();
}
END_TEST

/* Nothing that is enqueued can be taken back: functions are dropped, holds opened, copies made; told once. */
START_TEST(aborted)
{
	char from[4] = "abc", to[4] = "";
	struct sd_task batch[2] = { count, { .name = "copy", .kind = SD_TASK_COPY, .source = from, .target = to, .bytes = 4, .way = SD_COPY_HOST_TO_HOST, .done = done } };
	sd_handle stream;

	begin_cuda();
	stream = make_stream(0);
	OK(device->ops->stream_hold(device, stream, &diag));
	OK(device->ops->submit(device, stream, batch, 2, &diag));
	OK(device->ops->stream_abort(device, stream, &diag));
	FAILS(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag), STREAM_ABORTED);
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	ck_assert_str_eq(to, from);
	ck_assert_int_eq(ran, 0);
	ck_assert_int_eq(told[SD_ABORTED], 2);
	ck_assert_int_eq(told[SD_OK], 0);
	OK(device->ops->stream_abort(device, stream, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag)); /* there was nothing to abort */
	FAILS(device->ops->stream_stop(device, stream, &diag), VENDOR_UNSUPPORTED);
	end_well();
}
END_TEST

/* Copies are made while their memory is there, not after the destroy. */
START_TEST(destroyed_by_force)
{
	char from[4] = "abc", to[4] = "";
	struct sd_task batch[2] = { count, { .name = "copy", .kind = SD_TASK_COPY, .source = from, .target = to, .bytes = 4, .way = SD_COPY_HOST_TO_HOST } };
	sd_handle stream;

	begin_cuda();
	stream = make_stream(0);
	OK(device->ops->stream_hold(device, stream, &diag));
	OK(device->ops->submit(device, stream, batch, 2, &diag));
	FAILS(device->ops->stream_destroy(device, stream, false, &diag), HOLD_CLOSED);
	OK(device->ops->stream_destroy(device, stream, true, &diag));
	ck_assert_str_eq(to, from);
	ck_assert_int_eq(ran, 0);
	ck_assert_int_eq(told[SD_ABORTED], 1);
	end_well();
	ck_assert_int_eq(ran, 0);
}
END_TEST

/* Whatever streams wait for, close ends it. */
START_TEST(closed_in_the_middle)
{
	sd_handle stream, held, notify, event;

	begin_cuda();
	stream = make_stream(0);
	held = make_stream(0);
	event = make_event();
	OK(device->ops->notify_create(device, 0, &notify, &diag));
	OK(device->ops->stream_hold(device, held, &diag));
	OK(device->ops->submit(device, held, &count, 1, &diag));
	OK(device->ops->event_record(device, held, event, &diag));
	OK(device->ops->event_wait(device, stream, event, &diag));
	OK(device->ops->notify_wait(device, stream, notify, &diag));
	OK(device->ops->notify_wait(device, stream, notify, &diag));
	OK(device->ops->submit(device, stream, &count, 1, &diag));
	end_well();
	ck_assert_int_eq(told[SD_ABORTED], 2);
	ck_assert_int_eq(ran, 0);
}
END_TEST

/* Tasks of a PERSISTENT stream run, and a synchronize means what it says: its holds are used again. */
START_TEST(persistent_runs)
{
	sd_handle stream, other;

	begin_cuda();
	stream = make_stream(SD_STREAM_PERSISTENT);
	other = make_stream(0);
	OK(device->ops->stream_hold(device, stream, &diag));
	OK(device->ops->submit(device, stream, &count, 1, &diag));
	OK(device->ops->activate(device, other, stream, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	ck_assert_int_eq(ran, 1);
	end_well();
}
END_TEST

/* A little of everything; what fails is passed over. */
static void story(void)
{
	char from[4] = "abc", to[4];
	struct sd_task batch[2] = { count, { .name = "copy", .kind = SD_TASK_COPY, .source = from, .target = to, .bytes = 4, .way = SD_COPY_HOST_TO_HOST, .done = done } };
	sd_handle stream[2], event, notify;
	enum sd_progress progress;
	void *block;
	int32_t rt_id;
	int64_t ns;

	for (int i = 0; i < 2; i++)
		device->ops->stream_create(device, i, 0, &stream[i], &rt_id, NULL);
	device->ops->event_create(device, 0, &event, NULL);
	device->ops->notify_create(device, 0, &notify, NULL);
	device->ops->stream_hold(device, stream[1], NULL);
	device->ops->submit(device, stream[1], batch, 2, NULL);
	device->ops->activate(device, stream[0], stream[1], NULL);
	device->ops->notify_record(device, stream[0], notify, NULL);
	device->ops->event_record(device, stream[0], event, NULL);
	device->ops->event_wait(device, stream[1], event, NULL);
	device->ops->event_query(device, event, &progress, NULL);
	device->ops->event_elapsed(device, event, event, &ns, NULL);
	device->ops->event_synchronize(device, event, 1000, NULL);
	device->ops->stream_query(device, stream[0], &progress, NULL);
	device->ops->stream_synchronize(device, stream[0], 1000, NULL);
	if (device->ops->memory_alloc(device, 64, SD_PAGES_HUGE_FIRST, &block, NULL) == SD_OK)
		device->ops->memory_free(device, block, NULL);
	device->ops->stream_abort(device, stream[1], NULL);
	device->ops->stream_destroy(device, stream[1], true, NULL);
	device->ops->event_destroy(device, event, NULL);
	device->ops->notify_destroy(device, notify, NULL);
	device->ops->stream_destroy(device, stream[0], false, NULL);
}

/* Every call of the library fails once: nothing is lost, told twice, or left at the end. */
START_TEST(each_call_fails_once)
{
	uint64_t k = 0, calls = 1;

	while (++k <= calls) {
		struct sd_device_facts facts;
		uint64_t before;

		begin_cuda();
		for (int i = 0; i <= SD_UNAVAILABLE; i++)
			told[i] = 0;
		before = standin.standin_calls(NULL);
		standin.standin_fail(NULL, k, 719, NULL);
		story();
		calls = standin.standin_calls(NULL) - before;
		standin.standin_fail(NULL, 0, 0, NULL);
		ck_assert_int_le(told[SD_OK] + told[SD_ABORTED], 2);
		device->ops->facts(device, &facts);
		ck_assert_uint_eq(facts.streams_created - facts.streams_destroyed, facts.streams_used);
		ck_assert_uint_eq(facts.events_created - facts.events_destroyed, facts.events_used);
		ck_assert_uint_eq(facts.notifies_created - facts.notifies_destroyed, facts.notifies_used);
		ck_assert_uint_le(facts.streams_used, 1); /* whose destroy failed */
		end_well();
	}
	ck_assert_uint_gt(k, 40);
	printf("# %llu calls of the library, each failed once\n", (unsigned long long)k - 1);
}
END_TEST

RUN_TESTS("device_cuda_notify", notifies, many_notifies, aborted, destroyed_by_force, closed_in_the_middle, persistent_runs, each_call_fails_once)
