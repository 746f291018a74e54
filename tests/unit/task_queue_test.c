/* task_queue_test - the queue as a whole: options, ticks, what goes through, closing. */
#include "run_tests.h"

#include "on_host.h"
#include "on_queue.h"
#include "streamd/device_sim.h"

START_TEST(options_are_checked)
{
	struct sd_diag diag = { 0 };
	struct sd_device *none;

	ck_assert_int_eq(sd_task_queue_open(&(struct sd_task_queue_options){ .full_wait_ms = -2 }, note_device(), &none, &diag), SD_INVALID_ARGUMENT);
	ck_assert_ptr_null(none);
	ck_assert_int_eq(diag.code, SD_CODE_BAD_DEVICE_VALUE);
	ck_assert_int_eq(sd_task_queue_open(&(struct sd_task_queue_options){ .depth = SD_TASK_QUEUE_DEPTH_MAX + 1 }, note_device(), &none, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(sd_task_queue_open(NULL, note_device(), &queue, NULL), SD_OK);
	ck_assert_str_eq(queue->ops->name, "queue");
	queue->ops->close(queue);
}
END_TEST

START_TEST(tick_hands_over_what_is_collected)
{
	sd_handle a, b;

	open_queue((struct sd_task_queue_options){ 0 });
	a = queue_stream(0);
	b = queue_stream(1);
	ck_assert_int_eq(launch(a, 3), SD_OK);
	ck_assert_int_eq(launch(b, 2), SD_OK);
	usleep(20000);
	ck_assert_str_eq(noted(), "");
	sd_task_queue_tick(queue);
	while (stats_of_queue().batches < 2)
		usleep(1000);
	ck_assert_msg(strcmp(noted(), "1:3 2:2") == 0 || strcmp(noted(), "2:2 1:3") == 0, "%s", noted());
	queue->ops->close(queue);
}
END_TEST

static unsigned ends[3];

static void count_end(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	ends[status == SD_OK ? 0 : status == SD_ABORTED ? 1 : 2]++;
}

START_TEST(closing_drops_what_is_not_handed_over)
{
	struct sd_task task = { .name = "task", .done = count_end };
	sd_handle a, b;

	open_queue((struct sd_task_queue_options){ 0 });
	a = queue_stream(0);
	b = queue_stream(0);
	atomic_store(&notes.is_shut, true);
	for (int i = 0; i < 64; i++)
		queue->ops->submit(queue, a, &task, 1, NULL);
	wait_at_gate();
	for (int i = 0; i < 10; i++) {
		queue->ops->submit(queue, a, &task, 1, NULL);
		queue->ops->event_record(queue, a, 1, NULL);
		queue->ops->event_wait(queue, b, 1, NULL);
		queue->ops->submit(queue, b, &task, 1, NULL);
	}
	ck_assert_uint_eq(ends[0] + ends[1], 0);
	atomic_store(&notes.is_shut, false);
	queue->ops->close(queue);
	ck_assert_uint_eq(ends[0] + ends[1], 84);
	ck_assert_uint_ge(ends[0], 64);
	ck_assert_uint_eq(ends[2], 0);
}
END_TEST

/* In front of threads that really run: what was enqueued runs once, in order, whatever the batches are. */
static void weave(bool launches_alone)
{
	struct sd_task_queue_options options = { .launches_alone = launches_alone, .depth = 40, .full_wait_ms = SD_FOR_EVER };
	static char name[600][12];
	sd_handle stream[3], event[3];
	struct sd_device *host;
	int last[3] = { -1, -1, -1 };

	open_host((struct sd_host_options){ .cores = 2, .has = { .tasks_per_stream_max = 16 } });
	host = device;
	ck_assert_int_eq(sd_task_queue_open(&options, host, &queue, NULL), SD_OK);
	device = queue;
	for (int i = 0; i < 3; i++) {
		stream[i] = new_stream(i);
		event[i] = new_event();
	}
	for (int i = 0; i < 600; i++) {
		snprintf(name[i], sizeof(name[i]), "%d", i);
		give_kernel(stream[i % 3], name[i]);
		if (i % 10 == 0) {
			record(stream[i % 3], event[i % 3]);
			wait_on(stream[(i + 1) % 3], event[i % 3]);
		}
	}
	for (int i = 0; i < 3; i++)
		finish_stream(stream[i]);
	ck_assert_uint_eq(done_count, 600);
	for (unsigned i = 0; i < done_count; i++) {
		int number = atoi(done[i].name);

		ck_assert_int_gt(number, last[number % 3]);
		last[number % 3] = number;
		ck_assert_int_eq(done[i].status, SD_OK);
	}
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(device->ops->event_synchronize(device, event[i], 20000, NULL), SD_OK);
		ck_assert_int_eq(device->ops->event_destroy(device, event[i], NULL), SD_OK);
		ck_assert_int_eq(device->ops->stream_destroy(device, stream[i], false, NULL), SD_OK);
	}
	queue->ops->close(queue);
	host->ops->close(host);
}

START_TEST(in_front_of_the_host)
{
	weave(false);
	weave(true);
}
END_TEST

/* The simulated device tells the same times, whatever went over in one batch. */
static int64_t simulate(bool has_queue)
{
	sd_handle stream[2], event[2], start;
	struct sd_device *sim;
	int64_t ns = 0;

	ck_assert_int_eq(sd_sim_open(NULL, &sim, NULL), SD_OK);
	device = sim;
	if (has_queue) {
		ck_assert_int_eq(sd_task_queue_open(NULL, sim, &queue, NULL), SD_OK);
		device = queue;
	}
	start = new_event();
	for (int i = 0; i < 2; i++) {
		stream[i] = new_stream(i);
		event[i] = new_event();
	}
	record(stream[0], start);
	for (int i = 0; i < 300; i++) {
		give_sleep(stream[i % 2], "sleep", (uint64_t)(i % 7) * 1000);
		if (i % 20 == 0) {
			record(stream[i % 2], event[0]);
			wait_on(stream[(i + 1) % 2], event[0]);
		}
	}
	record(stream[1], event[1]);
	finish_stream(stream[1]);
	finish_stream(stream[0]);
	ck_assert_int_eq(device->ops->event_elapsed(device, start, event[1], &ns, NULL), SD_OK);
	if (has_queue)
		queue->ops->close(queue);
	sim->ops->close(sim);
	return ns;
}

START_TEST(in_front_of_the_simulated_device)
{
	int64_t ns = simulate(false);

	ck_assert_int_gt(ns, 0);
	ck_assert_int_eq(simulate(true), ns);
}
END_TEST

RUN_TESTS("task_queue", options_are_checked, tick_hands_over_what_is_collected, closing_drops_what_is_not_handed_over, in_front_of_the_host,
          in_front_of_the_simulated_device)
