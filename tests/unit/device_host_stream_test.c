/* device_host_stream_test - streams: made within limits, destroyed, aborted, stopped, held. */
#include "run_tests.h"

#include "on_host.h"

static enum sd_status create(uint32_t flags, sd_handle *stream, int32_t *rt_id)
{
	return device->ops->stream_create(device, 0, flags, stream, rt_id, NULL);
}

START_TEST(limits_flags_and_counts)
{
	struct sd_device_facts facts;
	sd_handle stream, huge, none;
	int32_t rt_id;

	open_host((struct sd_host_options){ .cores = 1, .has = { .streams_max = 3, .has_huge = true, .huge_streams_max = 1 }, .fault = { .stream_create = 2 } });
	ck_assert_int_eq(create(0, &stream, &rt_id), SD_OK);
	ck_assert_int_eq(create(0, &huge, &rt_id), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(huge, SD_NO_HANDLE);
	ck_assert_int_eq(create(SD_STREAM_HUGE, &huge, &rt_id), SD_OK);
	ck_assert_int_eq(create(SD_STREAM_HUGE, &none, &rt_id), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(create(SD_STREAM_CP_PROCESS_USE | 1, &none, &rt_id), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(create(SD_STREAM_FORBIDDEN_DEFAULT, &none, &rt_id), SD_OK);
	ck_assert_int_eq(rt_id, INT32_MAX);
	ck_assert_int_eq(give(none, named("never")), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(create(0, &stream, &rt_id), SD_OK);
	ck_assert_int_eq(create(0, &none, &rt_id), SD_RESOURCE_EXHAUSTED);
	device->ops->facts(device, &facts);
	ck_assert_str_eq(facts.name, "host");
	ck_assert_uint_eq(facts.streams_used, 3);
	ck_assert_int_eq(device->ops->stream_destroy(device, huge, false, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_destroy(device, huge, false, NULL), SD_NOT_FOUND);
	ck_assert_int_eq(create(SD_STREAM_HUGE, &none, &rt_id), SD_OK);
	ck_assert_uint_ne(none, huge);
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.streams_created, 4);
	ck_assert_uint_eq(facts.streams_destroyed, 1);
	close_host();
}
END_TEST

START_TEST(destroy_waits_unless_forced)
{
	sd_handle patient, forced;
	struct sd_device_facts facts;

	open_host((struct sd_host_options){ .cores = 1 });
	patient = new_stream(0);
	forced = new_stream(0);
	for (int i = 0; i < 5; i++)
		give_sleep(patient, "patient", MS);
	ck_assert_int_eq(device->ops->stream_destroy(device, patient, false, NULL), SD_OK);
	ck_assert_uint_eq(done_count, 5);
	for (int i = 0; i < 5; i++)
		give_sleep(forced, "forced", 1000000 * MS);
	ck_assert_int_eq(device->ops->stream_destroy(device, forced, true, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_query(device, forced, &(enum sd_progress){ 0 }, NULL), SD_NOT_FOUND);
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.streams_used, 0);
	close_host();
	ck_assert_uint_eq(done_count, 10);
	for (int i = 5; i < 10; i++)
		ck_assert_int_eq(done[i].status, SD_ABORTED);
}
END_TEST

START_TEST(abort_ends_the_task_and_drops_the_rest)
{
	enum sd_progress progress = SD_DONE;
	struct sd_task kernel = named("kernel");
	sd_handle stream, other;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	other = new_stream(0);
	kernel.duration_ns = 1000000 * MS;
	give(stream, kernel);
	give_kernel(stream, "behind");
	give_sleep(other, "sleep", 1000000 * MS);
	give_kernel(other, "behind");
	device->ops->stream_query(device, stream, &progress, NULL);
	ck_assert_int_eq(progress, SD_NOT_DONE);
	ck_assert_int_eq(device->ops->stream_abort(device, other, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_synchronize(device, other, LONG_MS, NULL), SD_ABORTED);
	ck_assert_int_eq(device->ops->stream_abort(device, stream, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, LONG_MS, NULL), SD_ABORTED);
	ck_assert_uint_eq(done_count, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(done[i].status, SD_ABORTED);
	device->ops->stream_query(device, stream, &progress, NULL);
	ck_assert_int_eq(progress, SD_DONE);
	give_kernel(stream, "new");
	finish_stream(stream);
	ck_assert_int_eq(done[4].status, SD_OK);
	ck_assert_int_eq(device->ops->stream_abort(device, stream, NULL), SD_OK);
	finish_stream(stream);
	close_host();
}
END_TEST

START_TEST(stop_keeps_what_is_queued)
{
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	give_sleep(stream, "long", 1000000 * MS);
	give_kernel(stream, "kept");
	ck_assert_int_eq(device->ops->stream_stop(device, stream, NULL), SD_OK);
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, LONG_MS, NULL), SD_ABORTED);
	ck_assert_str_eq(order(), "long kept");
	ck_assert_int_eq(done[0].status, SD_ABORTED);
	ck_assert_int_eq(done[1].status, SD_OK);
	close_host();
}
END_TEST

START_TEST(held_streams_go_on_one_hold_at_a_time)
{
	sd_handle main_stream, held;

	open_host((struct sd_host_options){ .cores = 2 });
	main_stream = new_stream(0);
	held = new_stream(0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(device->ops->stream_hold(device, held, NULL), SD_OK);
		give_kernel(held, "held");
	}
	give_kernel(main_stream, "main");
	ck_assert_int_eq(device->ops->activate(device, main_stream, held, NULL), SD_OK);
	finish_stream(main_stream);
	ck_assert_int_eq(device->ops->stream_synchronize(device, held, 20, NULL), SD_DEADLINE_EXCEEDED);
	ck_assert_str_eq(order(), "main held");
	ck_assert_int_eq(device->ops->activate(device, main_stream, held, NULL), SD_OK);
	finish_stream(held);
	ck_assert_str_eq(order(), "main held held");
	ck_assert_int_eq(device->ops->activate(device, main_stream, held, NULL), SD_OK); /* nothing is held: opens nothing later */
	finish_stream(main_stream);
	device->ops->stream_hold(device, held, NULL);
	ck_assert_int_eq(device->ops->stream_synchronize(device, held, 20, NULL), SD_DEADLINE_EXCEEDED);
	close_host();
}
END_TEST

RUN_TESTS("device_host_stream", limits_flags_and_counts, destroy_waits_unless_forced, abort_ends_the_task_and_drops_the_rest,
          stop_keeps_what_is_queued, held_streams_go_on_one_hold_at_a_time)
