/* task_queue_stream_test - streams of the queue: asked, destroyed, aborted; devices that never go on. */
#include "run_tests.h"

#include "on_host.h"
#include "on_queue.h"
#include "streamd/device_sim.h"

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

/* A device whose records come through a gate, which opens once the device has told a caller that it waits for ever. */
static const struct sd_device_ops *plain;
static struct sd_device_ops late;
static atomic_bool is_told;
static atomic_uint at_record;

static enum sd_status record_late(struct sd_device *d, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	atomic_fetch_add(&at_record, 1);
	while (!atomic_load(&is_told))
		usleep(100);
	return plain->notify_record(d, stream, notify, diag);
}

static enum sd_status tell(enum sd_status status)
{
	if (status == SD_FAILED_PRECONDITION)
		atomic_store(&is_told, true);
	return status;
}

static enum sd_status synchronize_stream(struct sd_device *d, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	return tell(plain->stream_synchronize(d, stream, timeout_ms, diag));
}

static enum sd_status synchronize_event(struct sd_device *d, sd_handle event, int64_t timeout_ms, struct sd_diag *diag)
{
	return tell(plain->event_synchronize(d, event, timeout_ms, diag));
}

static void open_late(bool on_sim)
{
	if (on_sim)
		ck_assert_int_eq(sd_sim_open(&(struct sd_sim_options){ .tasks_per_stream_max = 4 }, &device, NULL), SD_OK);
	else
		open_host((struct sd_host_options){ .cores = 1, .stuck_after_ms = 1, .has = { .tasks_per_stream_max = 4 } });
	plain = device->ops;
	late = *plain;
	late.notify_record = record_late;
	late.stream_synchronize = synchronize_stream;
	late.event_synchronize = synchronize_event;
	device->ops = &late;
	atomic_store(&is_told, false);
	atomic_store(&at_record, 0);
	ck_assert_int_eq(sd_task_queue_open(NULL, device, &queue, NULL), SD_OK);
}

static void close_late(void)
{
	queue->ops->close(queue);
	device->ops = plain;
	device->ops->close(device);
}

/* A stream with a wait, an event behind it, and `tasks` of which the device takes but some; then the record, at the gate. */
static void wait_in_front_of_its_record(sd_handle *waiter, sd_handle *event, uint32_t tasks)
{
	sd_handle recorder = queue_stream(7), notify;

	*waiter = queue_stream(0);
	ck_assert_int_eq(queue->ops->notify_create(queue, 0, &notify, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->event_create(queue, 0, event, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->notify_wait(queue, *waiter, notify, NULL), SD_OK);
	ck_assert_int_eq(queue->ops->event_record(queue, *waiter, *event, NULL), SD_OK);
	ck_assert_int_eq(launch(*waiter, tasks), SD_OK);
	sd_task_queue_tick(queue);
	while (tasks && stats_of_queue().retries == 0)
		usleep(100);
	ck_assert_int_eq(queue->ops->notify_record(queue, recorder, notify, NULL), SD_OK);
	while (atomic_load(&at_record) == 0)
		usleep(100);
}

START_TEST(what_is_yet_to_be_handed_over_is_waited_for)
{
	for (int way = 0; way < 6; way++) {
		sd_handle waiter, event;

		open_late(way % 2);
		wait_in_front_of_its_record(&waiter, &event, way / 2 == 2 ? 20 : 0);
		if (way / 2 == 1)
			ck_assert_int_eq(queue->ops->event_synchronize(queue, event, QUEUE_MS, NULL), SD_OK);
		sync_queue(waiter);
		ck_assert(atomic_load(&is_told));
		close_late();
	}
}
END_TEST

/* The device says that it waits for ever, the record does not come, and the time is up. */
START_TEST(what_is_never_handed_over_is_late)
{
	struct sd_diag diag = { 0 };
	sd_handle waiter, event;

	open_late(true);
	wait_in_front_of_its_record(&waiter, &event, 0);
	late.stream_synchronize = plain->stream_synchronize; /* nobody opens the gate */
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, waiter, 20, &diag), SD_DEADLINE_EXCEEDED);
	ck_assert_int_eq(diag.code, SD_CODE_SYNC_TIMEOUT);
	atomic_store(&is_told, true);
	sync_queue(waiter);
	close_late();
}
END_TEST

RUN_TESTS("task_queue_stream", query_and_destroy_hand_over, forced_destroy_and_abort_drop, synchronize_keeps_its_timeout,
          device_that_never_goes_on_is_told, what_is_yet_to_be_handed_over_is_waited_for, what_is_never_handed_over_is_late)
