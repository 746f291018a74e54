/* device_host_test - the host device as a whole: opened with limits, closed at any moment. */
#include "run_tests.h"

#include "on_host.h"

START_TEST(opened_without_options)
{
	struct sd_device_facts facts;
	struct sd_diag diag = { 0 };
	uint64_t now;

	ck_assert_int_eq(sd_host_open(NULL, &device, &diag), SD_OK);
	ck_assert_str_eq(device->ops->name, "host");
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.streams_max, 0);
	ck_assert_uint_gt(facts.memory_bytes, 0);
	ck_assert_uint_eq(facts.memory_bytes, facts.memory_free_bytes);
	ck_assert_uint_gt(facts.cube_cores, 0);
	now = device->ops->now_ns(device);
	ck_assert_uint_ge(device->ops->now_ns(device), now);
	close_host();
}
END_TEST

START_TEST(too_many_cores_are_refused)
{
	struct sd_host_options options = { .cores = SD_HOST_CORES_MAX + 1 };
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(sd_host_open(&options, &device, &diag), SD_INVALID_ARGUMENT);
	ck_assert_ptr_null(device);
	ck_assert_int_eq(diag.code, SD_CODE_BAD_DEVICE_VALUE);
}
END_TEST

/* Running, sleeping, held, blocked, ready and finished streams, with events, notifies and memory. */
START_TEST(closed_in_the_middle)
{
	struct sd_task kernel = named("kernel"), collective = named("collective");
	sd_handle stream[8], event, notify;
	void *memory;

	open_host((struct sd_host_options){ .cores = 1 });
	for (int i = 0; i < 8; i++)
		stream[i] = new_stream(i);
	event = new_event();
	notify = new_notify();
	kernel.duration_ns = collective.duration_ns = 1000000 * MS;
	collective.kind = SD_TASK_COLLECTIVE;
	for (int i = 0; i < 2; i++) {
		give(stream[i], kernel);
		give(stream[2 + i], collective);
	}
	record(stream[0], event);
	wait_on(stream[4], event);
	give_kernel(stream[4], "blocked");
	device->ops->notify_wait(device, stream[5], notify, NULL);
	give_kernel(stream[5], "blocked");
	device->ops->stream_hold(device, stream[6], NULL);
	give_kernel(stream[6], "held");
	device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_FIRST, &memory, NULL);
	close_host();
	ck_assert_uint_eq(done_count, 7);
	for (unsigned i = 0; i < done_count; i++)
		ck_assert_int_eq(done[i].status, SD_ABORTED);
}
END_TEST

RUN_TESTS("device_host", opened_without_options, too_many_cores_are_refused, closed_in_the_middle)
