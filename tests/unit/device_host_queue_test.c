/* device_host_queue_test - entries: depth, all or none, growth of the ring, what is refused. */
#include "run_tests.h"

#include "on_host.h"

START_TEST(queue_takes_all_or_none)
{
	struct sd_task task[4] = { named("a"), named("b"), named("c"), named("d") };
	struct sd_device_facts facts;
	struct sd_diag diag = { 0 };
	atomic_bool gate = false;
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1, .has = { .tasks_per_stream_max = 4 } });
	stream = new_stream(0);
	give_gate(stream, "gate", &gate);
	ck_assert_int_eq(device->ops->submit(device, stream, task, 4, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_QUEUE_FULL);
	ck_assert_int_eq(device->ops->submit(device, stream, task, 3, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_hold(device, stream, NULL), SD_RESOURCE_EXHAUSTED);
	atomic_store(&gate, true);
	finish_stream(stream);
	ck_assert_str_eq(order(), "gate a b c");
	ck_assert_int_eq(device->ops->submit(device, stream, task, 4, NULL), SD_OK);
	finish_stream(stream);
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.submissions, 3);
	ck_assert_uint_eq(facts.tasks_submitted, 8);
	close_host();
}
END_TEST

START_TEST(depth_goes_with_the_flags)
{
	struct sd_task task[5] = { 0 };
	static const struct {
		uint32_t flags, most;
	} rows[] = { { 0, 2 }, { SD_STREAM_HUGE, 4 }, { SD_STREAM_PERSISTENT, 5 }, { SD_STREAM_PERSISTENT | SD_STREAM_AICPU, 2 } };

	open_host((struct sd_host_options){ .cores = 1, .has = { .tasks_per_stream_max = 2, .tasks_per_huge_stream_max = 4, .has_huge = true, .unlimited_depth = true } });
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sd_handle stream;
		int32_t rt_id;

		ck_assert_int_eq(device->ops->stream_create(device, 0, rows[i].flags, &stream, &rt_id, NULL), SD_OK);
		ck_assert_int_eq(device->ops->submit(device, stream, task, rows[i].most, NULL), SD_OK);
		finish_stream(stream);
		if (rows[i].most < 5)
			ck_assert_int_eq(device->ops->submit(device, stream, task, rows[i].most + 1, NULL), SD_RESOURCE_EXHAUSTED);
	}
	close_host();
}
END_TEST

START_TEST(ring_grows_in_order)
{
	static char name[1000][12];
	atomic_bool gate = false;
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	for (int i = 0; i < 11; i++)
		give_kernel(stream, "early");
	finish_stream(stream);
	done_count = 0;
	give_gate(stream, "gate", &gate);
	for (int i = 0; i < 1000; i++) {
		snprintf(name[i], sizeof(name[i]), "%d", i);
		give_kernel(stream, name[i]);
	}
	atomic_store(&gate, true);
	finish_stream(stream);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_ptr_eq(done[i + 1].name, name[i]);
	close_host();
}
END_TEST

START_TEST(bad_tasks_are_refused)
{
	struct sd_task good = named("good"), bad;
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1, .fault = { .submit = 1 } });
	stream = new_stream(0);
	bad = (struct sd_task){ .kind = (enum sd_task_kind)9 };
	ck_assert_int_eq(give(stream, bad), SD_INVALID_ARGUMENT);
	bad = (struct sd_task){ .kind = SD_TASK_COPY, .target = &bad, .bytes = 1 };
	ck_assert_int_eq(give(stream, bad), SD_INVALID_ARGUMENT);
	bad = (struct sd_task){ .kind = SD_TASK_SLEEP, .duration_ns = UINT64_MAX };
	ck_assert_int_eq(give(stream, bad), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(give(stream, good), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(device->ops->submit(device, stream, NULL, 0, NULL), SD_OK);
	finish_stream(stream);
	ck_assert_uint_eq(done_count, 0);
	close_host();
}
END_TEST

/* Streams and events in a random web, by several threads: all ends, in order. */
static atomic_uint turn;

static void *weave(void *arg)
{
	sd_handle stream[4], event[4];
	unsigned state = (unsigned)(uintptr_t)arg;

	for (int i = 0; i < 4; i++) {
		stream[i] = new_stream(i);
		event[i] = new_event();
	}
	for (int i = 0; i < 300; i++) {
		unsigned from = (state = state * 1103515245u + 12345u) >> 16 & 3, to = state >> 20 & 3;

		give_kernel(stream[from], "task");
		record(stream[from], event[from]);
		wait_on(stream[to], event[from]);
		if (i % 50 == 49)
			device->ops->stream_abort(device, stream[state >> 24 & 3], NULL);
		if (i % 50 == 49) {
			for (int k = 0; k < 4; k++)
				device->ops->stream_abort(device, stream[k], NULL);
		}
	}
	for (int i = 0; i < 4; i++) {
		device->ops->stream_synchronize(device, stream[i], LONG_MS, NULL);
		finish_stream(stream[i]);
		ck_assert_int_eq(device->ops->event_destroy(device, event[i], NULL), SD_OK);
		ck_assert_int_eq(device->ops->stream_destroy(device, stream[i], false, NULL), SD_OK);
	}
	atomic_fetch_add(&turn, 1);
	return NULL;
}

START_TEST(threads_weave)
{
	struct sd_device_facts facts;
	pthread_t thread[4];

	open_host((struct sd_host_options){ .cores = 3 });
	for (uintptr_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, weave, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(atomic_load(&turn), 4);
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.tasks_submitted, 1200);
	ck_assert_uint_eq(done_count, 1200);
	ck_assert_uint_eq(facts.streams_used + facts.events_used, 0);
	close_host();
}
END_TEST

RUN_TESTS("device_host_queue", queue_takes_all_or_none, depth_goes_with_the_flags, ring_grows_in_order, bad_tasks_are_refused, threads_weave)
