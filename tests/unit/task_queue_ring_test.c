/* task_queue_ring_test - entries: batches, the order of streams and objects, room. */
#include "run_tests.h"

#include "on_queue.h"

START_TEST(batches_of_64)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ .full_wait_ms = SD_FOR_EVER });
	stream = queue_stream(0);
	ck_assert_int_eq(launch(stream, 150), SD_OK);
	sync_queue(stream);
	ck_assert_str_eq(noted(), "1:64 1:64 1:22");
	ck_assert_uint_eq(stats_of_queue().batches, 3);
	ck_assert_uint_eq(stats_of_queue().tasks, 150);
	ck_assert_uint_eq(stats_of_queue().largest_batch, 64);
	queue->ops->close(queue);
}
END_TEST

START_TEST(alone_if_asked)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ .launches_alone = true });
	stream = queue_stream(0);
	ck_assert_int_eq(launch(stream, 3), SD_OK);
	sync_queue(stream);
	ck_assert_str_eq(noted(), "1:1 1:1 1:1");
	queue->ops->close(queue);
}
END_TEST

START_TEST(records_end_batches)
{
	sd_handle a, b;

	open_queue((struct sd_task_queue_options){ 0 });
	a = queue_stream(7);
	b = queue_stream(0);
	launch(a, 2);
	queue->ops->event_record(queue, a, 5, NULL);
	launch(a, 3);
	queue->ops->event_wait(queue, b, 5, NULL);
	launch(b, 1);
	sync_queue(b);
	ck_assert_str_eq(noted(), "1:2 1>5 2<5 2:1");
	sync_queue(a);
	ck_assert_str_eq(noted(), "1:2 1>5 2<5 2:1 1:3");
	queue->ops->close(queue);
}
END_TEST

/* Though stream 2 is the more urgent one: its wait is for the first record, and stays in front of the second. */
START_TEST(one_event_keeps_its_order)
{
	sd_handle a, b, c;

	open_queue((struct sd_task_queue_options){ 0 });
	a = queue_stream(7);
	b = queue_stream(0);
	c = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	launch(c, 64);
	wait_at_gate();
	launch(a, 1);
	queue->ops->event_record(queue, a, 5, NULL);
	launch(b, 1);
	queue->ops->event_wait(queue, b, 5, NULL);
	queue->ops->event_record(queue, c, 5, NULL);
	queue->ops->stream_hold(queue, a, NULL);
	queue->ops->activate(queue, c, a, NULL);
	atomic_store(&notes.is_shut, false);
	sync_queue(b);
	sync_queue(c);
	ck_assert_str_eq(noted(), "3:64 2:1 1:1 1>5 2<5 3>5 1|0 3^1");
	queue->ops->close(queue);
}
END_TEST

START_TEST(urgent_streams_go_first)
{
	sd_handle first, stream[3];

	open_queue((struct sd_task_queue_options){ 0 });
	first = queue_stream(0);
	stream[0] = queue_stream(6);
	stream[1] = queue_stream(2);
	stream[2] = queue_stream(2);
	atomic_store(&notes.is_shut, true);
	launch(first, 64);
	wait_at_gate();
	for (int i = 2; i >= 0; i--)
		launch(stream[i], 1);
	sd_task_queue_tick(queue);
	atomic_store(&notes.is_shut, false);
	for (int i = 0; i < 3; i++)
		sync_queue(stream[i]);
	ck_assert_str_eq(noted(), "1:64 3:1 4:1 2:1");
	queue->ops->close(queue);
}
END_TEST

START_TEST(full_is_refused_or_waited_for)
{
	struct sd_diag diag = { 0 }, late = { 0 };
	struct sd_task task[9] = { 0 };
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ .depth = 8, .full_wait_ms = SD_TASK_QUEUE_REFUSES });
	stream = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	ck_assert_int_eq(launch(stream, 8), SD_OK);
	ck_assert_int_eq(queue->ops->submit(queue, stream, task, 1, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_LAUNCH_FULL);
	ck_assert_int_eq(queue->ops->event_record(queue, stream, 1, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(stats_of_queue().refused, 2);
	atomic_store(&notes.is_shut, false);
	sync_queue(stream);
	ck_assert_int_eq(queue->ops->submit(queue, stream, task, 9, NULL), SD_RESOURCE_EXHAUSTED);
	queue->ops->close(queue);

	open_queue((struct sd_task_queue_options){ .depth = 8, .full_wait_ms = 20 });
	stream = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	ck_assert_int_eq(launch(stream, 8), SD_OK);
	ck_assert_int_eq(queue->ops->submit(queue, stream, task, 1, &late), SD_DEADLINE_EXCEEDED);
	ck_assert_int_eq(late.code, SD_CODE_LAUNCH_LATE);
	atomic_store(&notes.is_shut, false);
	sync_queue(stream);
	ck_assert_uint_eq(stats_of_queue().tasks, 8);
	ck_assert_uint_eq(stats_of_queue().waits, 1);
	queue->ops->close(queue);
}
END_TEST

static void *launch_200(void *stream)
{
	return launch(*(sd_handle *)stream, 200) == SD_OK ? stream : NULL;
}

/* The gate opens when somebody waits for room behind it. */
START_TEST(room_is_waited_for)
{
	pthread_t thread;
	sd_handle stream;
	void *launched;

	open_queue((struct sd_task_queue_options){ .depth = 8, .full_wait_ms = QUEUE_MS });
	stream = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	ck_assert_int_eq(pthread_create(&thread, NULL, launch_200, &stream), 0);
	while (stats_of_queue().waits == 0)
		usleep(100);
	atomic_store(&notes.is_shut, false);
	pthread_join(thread, &launched);
	ck_assert_ptr_nonnull(launched);
	sync_queue(stream);
	ck_assert_uint_eq(stats_of_queue().tasks, 200);
	ck_assert_uint_ge(stats_of_queue().waits, 1);
	queue->ops->close(queue);
}
END_TEST

RUN_TESTS("task_queue_ring", batches_of_64, alone_if_asked, records_end_batches, one_event_keeps_its_order, urgent_streams_go_first,
          full_is_refused_or_waited_for, room_is_waited_for)
