/* task_queue_event_test - events and notifies through the queue: what is underway counts. */
#include "run_tests.h"

#include "on_host.h"
#include "on_queue.h"

START_TEST(record_that_is_underway_is_not_done)
{
	enum sd_progress progress = SD_DONE;
	struct sd_diag diag = { 0 };
	sd_handle stream;
	int64_t ns;

	open_queue((struct sd_task_queue_options){ 0 });
	stream = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	launch(stream, 1);
	queue->ops->event_record(queue, stream, 9, NULL);
	ck_assert_int_eq(queue->ops->event_query(queue, 9, &progress, NULL), SD_OK);
	ck_assert_int_eq(progress, SD_NOT_DONE);
	ck_assert_int_eq(queue->ops->event_synchronize(queue, 9, 10, NULL), SD_DEADLINE_EXCEEDED);
	ck_assert_int_eq(queue->ops->event_elapsed(queue, 9, 9, &ns, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_EVENT_WITHOUT_TIME);
	atomic_store(&notes.is_shut, false);
	ck_assert_int_eq(queue->ops->event_destroy(queue, 9, NULL), SD_OK);
	ck_assert_str_eq(noted(), "1:1 1>9 0~9");
	queue->ops->close(queue);
}
END_TEST

START_TEST(events_of_the_host)
{
	enum sd_progress progress = SD_NOT_DONE;
	sd_handle stream, start, end, notify;
	struct sd_device *host;
	int64_t ns = 0;

	open_host((struct sd_host_options){ .cores = 1 });
	host = device;
	ck_assert_int_eq(sd_task_queue_open(NULL, host, &queue, NULL), SD_OK);
	device = queue;
	stream = new_stream(0);
	start = new_event();
	end = new_event();
	notify = new_notify();
	record(stream, start);
	give_sleep(stream, "sleep", 2 * MS);
	record(stream, end);
	ck_assert_int_eq(queue->ops->event_synchronize(queue, end, QUEUE_MS, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->event_query(queue, end, &progress, NULL), SD_OK);
	ck_assert_int_eq(progress, SD_DONE);
	ck_assert_int_eq(queue->ops->event_elapsed(queue, start, end, &ns, NULL), SD_OK);
	ck_assert_int_ge(ns, (int64_t)(2 * MS));
	ck_assert_int_eq(queue->ops->event_reset(queue, stream, end, NULL), SD_OK);
	wait_on(stream, end);
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, stream, QUEUE_MS, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(queue->ops->notify_record(queue, stream, notify, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->notify_wait(queue, stream, notify, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->notify_destroy(queue, notify, NULL), SD_OK);
	finish_stream(stream);
	queue->ops->close(queue);
	host->ops->close(host);
}
END_TEST

RUN_TESTS("task_queue_event", record_that_is_underway_is_not_done, events_of_the_host)
