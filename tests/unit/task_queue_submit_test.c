/* task_queue_submit_test - handing over: beside the caller, again when refused, failures told later. */
#include "run_tests.h"

#include "on_queue.h"

START_TEST(enqueue_returns_while_the_device_takes)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	ck_assert_int_eq(launch(stream, 64), SD_OK);
	wait_at_gate();
	ck_assert_int_eq(launch(stream, 200), SD_OK);
	ck_assert_str_eq(noted(), "");
	atomic_store(&notes.is_shut, false);
	sync_queue(stream);
	ck_assert_str_eq(noted(), "1:64 1:64 1:64 1:64 1:8");
	queue->ops->close(queue);
}
END_TEST

START_TEST(refused_batches_are_given_again_smaller)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	notes.most_at_once = 20;
	ck_assert_int_eq(launch(stream, 64), SD_OK);
	sync_queue(stream);
	ck_assert_uint_eq(stats_of_queue().tasks, 64);
	ck_assert_uint_le(stats_of_queue().largest_batch, 20);
	ck_assert_uint_ge(stats_of_queue().retries, 2);
	ck_assert_uint_eq(stats_of_queue().failed, 0);
	queue->ops->close(queue);
}
END_TEST

START_TEST(refused_until_there_is_room)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	notes.is_busy = true;
	notes.refusals = 30;
	ck_assert_int_eq(launch(stream, 5), SD_OK);
	sync_queue(stream);
	ck_assert_uint_eq(stats_of_queue().tasks, 5);
	ck_assert_uint_eq(stats_of_queue().retries, 30);
	queue->ops->close(queue);
}
END_TEST

/* The last task of a full stream ends between the refusal and the next look at the stream: there is room now, and nothing is lost. */
START_TEST(refused_by_a_stream_that_runs_dry)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	notes.is_busy = notes.runs_dry = true;
	notes.refusals = 30;
	ck_assert_int_eq(launch(stream, 1), SD_OK);
	sync_queue(stream);
	ck_assert_str_eq(noted(), "1:1");
	ck_assert_uint_eq(stats_of_queue().retries, 30);
	ck_assert_uint_eq(stats_of_queue().failed, 0);
	queue->ops->close(queue);
}
END_TEST

static unsigned failed;

static void count_failed(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	failed += status != SD_OK;
}

START_TEST(failures_are_told_by_synchronize_and_kept)
{
	struct sd_task task = { .name = "task", .done = count_failed };
	struct sd_diag diag = { 0 };
	struct sd_last_error error;
	char message[SD_MESSAGE_MAX];
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	notes.fails_with = SD_UNAVAILABLE;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(queue->ops->submit(queue, stream, &task, 1, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, stream, QUEUE_MS, &diag), SD_UNAVAILABLE);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_str_eq(message, "the device did not take what was launched on stream 1: UNAVAILABLE");
	ck_assert_uint_eq(failed, 3);
	ck_assert_uint_eq(stats_of_queue().failed, 3);
	sync_queue(stream);
	sd_last_error_peek(&error);
	ck_assert_int_eq(error.status, SD_UNAVAILABLE);
	ck_assert_str_eq(error.message, message);
	queue->ops->close(queue);
}
END_TEST

START_TEST(refused_with_nothing_queued_is_a_failure)
{
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	notes.refusals = 1000;
	ck_assert_int_eq(launch(stream, 1), SD_OK);
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, stream, QUEUE_MS, NULL), SD_RESOURCE_EXHAUSTED);
	queue->ops->close(queue);
}
END_TEST

RUN_TESTS("task_queue_submit", enqueue_returns_while_the_device_takes, refused_batches_are_given_again_smaller, refused_until_there_is_room,
          refused_by_a_stream_that_runs_dry, failures_are_told_by_synchronize_and_kept, refused_with_nothing_queued_is_a_failure)
