/* task_queue_stream_test - streams of the queue: asked, destroyed, aborted; devices that never go on. */
#include "run_tests.h"

#include "on_host.h"
#include "on_queue.h"

START_TEST(query_and_destroy_hand_over)
{
	enum sd_progress progress = SD_DONE;
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	launch(stream, 2);
	ck_assert_int_eq(queue->ops->stream_query(queue, stream, &progress, NULL), SD_OK);
	while (progress == SD_NOT_DONE)
		ck_assert_int_eq(queue->ops->stream_query(queue, stream, &progress, NULL), SD_OK);
	ck_assert_str_eq(noted(), "1:2");
	launch(stream, 3);
	ck_assert_int_eq(queue->ops->stream_destroy(queue, stream, false, NULL), SD_OK);
	ck_assert_str_eq(noted(), "1:2 1:3 1!0");
	ck_assert_int_eq(launch(stream, 1), SD_NOT_FOUND);
	ck_assert_int_eq(queue->ops->stream_query(queue, stream, &progress, NULL), SD_NOT_FOUND);
	queue->ops->close(queue);
}
END_TEST

START_TEST(forced_destroy_and_abort_drop)
{
	sd_handle stream, other;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	other = queue_stream(0);
	launch(stream, 10);
	ck_assert_int_eq(queue->ops->stream_destroy(queue, stream, true, NULL), SD_OK);
	launch(other, 10);
	ck_assert_int_eq(queue->ops->stream_abort(queue, other, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, other, QUEUE_MS, NULL), SD_ABORTED);
	ck_assert_str_eq(noted(), "1!1 2#0");
	launch(other, 1);
	sync_queue(other);
	ck_assert_str_eq(noted(), "1!1 2#0 2:1");
	queue->ops->close(queue);
}
END_TEST

START_TEST(synchronize_keeps_its_timeout)
{
	struct sd_diag diag = { 0 };
	sd_handle stream;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	launch(stream, 1);
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, stream, 20, &diag), SD_DEADLINE_EXCEEDED);
	ck_assert_int_eq(diag.code, SD_CODE_SYNC_TIMEOUT);
	atomic_store(&notes.is_shut, false);
	sync_queue(stream);
	queue->ops->close(queue);
}
END_TEST

/* The stream is full and its head waits for what nobody does: no hang for ever. */
START_TEST(device_that_never_goes_on_is_told)
{
	struct sd_diag diag = { 0 };
	sd_handle stream, notify;
	struct sd_device *host;

	open_host((struct sd_host_options){ .cores = 1, .stuck_after_ms = 30, .has = { .tasks_per_stream_max = 4 } });
	host = device;
	ck_assert_int_eq(sd_task_queue_open(NULL, host, &queue, NULL), SD_OK);
	stream = queue_stream(0);
	ck_assert_int_eq(queue->ops->notify_create(queue, 0, &notify, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->notify_wait(queue, stream, notify, NULL), SD_OK);
	launch(stream, 20);
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, stream, SD_FOR_EVER, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_WAITS_FOR_EVER);
	queue->ops->close(queue);
	host->ops->close(host);
}
END_TEST

RUN_TESTS("task_queue_stream", query_and_destroy_hand_over, forced_destroy_and_abort_drop, synchronize_keeps_its_timeout,
          device_that_never_goes_on_is_told)
