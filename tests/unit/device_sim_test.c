/* device_sim_test - opening, closing, facts, and one clock for all. */
#include "sim_world.h"

START_TEST(a_device_of_a_profile)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("ascend910b") });
	struct sd_device_facts f = facts_of(d);

	ck_assert_str_eq(f.name, "sim");
	ck_assert_str_eq(d->ops->name, "sim");
	ck_assert_str_eq(sd_profile_name(f.profile), "ascend910b");
	ck_assert_uint_eq(f.streams_max, 2038);
	ck_assert_uint_eq(f.tasks_per_stream_max, 2013);
	ck_assert_uint_eq(f.events_max, 65536);
	ck_assert(!f.has_huge);
	ck_assert_uint_eq(f.cube_cores, 4);
	ck_assert_uint_eq(f.memory_bytes, UINT64_C(1) << 30);
	ck_assert_uint_eq(f.memory_free_bytes, f.memory_bytes);
	ck_assert_uint_eq(d->ops->now_ns(d), 0);
	d->ops->close(d);
	d = sim_with((struct sd_sim_options){ .streams_max = 3, .events_max = 4, .notifies_max = 5, .tasks_per_stream_max = 6, .memory_bytes = 7 });
	f = facts_of(d);
	ck_assert_uint_eq(f.streams_max * 10000 + f.events_max * 1000 + f.notifies_max * 100 + f.tasks_per_stream_max * 10, 34560);
	ck_assert_uint_eq(f.memory_bytes, 7);
	ck_assert(f.has_huge);
	d->ops->close(d);
	d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("ascend910b"), .huge_streams_max = 2, .tasks_per_huge_stream_max = 7 });
	f = facts_of(d);
	ck_assert(f.has_huge);
	ck_assert_uint_eq(f.huge_streams_max * 10 + f.tasks_per_huge_stream_max, 27);
	d->ops->close(d);
}
END_TEST

START_TEST(options_that_cannot_be)
{
	const struct sd_sim_fault nothing = { .call = SD_SIM_CALLS, .first = 1 };
	struct sd_sim_options options = { .profile = SD_TEXT("ascend1") };
	struct sd_device *d = NULL;
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(sd_sim_open(&options, &d, &diag), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_UNKNOWN_PROFILE);
	diag = (struct sd_diag){ 0 };
	options = (struct sd_sim_options){ .faults = &nothing, .fault_count = 1 };
	ck_assert_int_eq(sd_sim_open(&options, &d, &diag), SD_INVALID_ARGUMENT);
	says(&diag, "the call of a planned fault is 13");
	ck_assert_ptr_null(d);
	ck_assert_int_eq(sd_sim_open(NULL, &d, NULL), SD_OK);
	d->ops->close(d);
}
END_TEST

static void count_dropped(void *arg, enum sd_status status, uint64_t began, uint64_t ended)
{
	*(int *)arg += status == SD_ABORTED;
}

START_TEST(closing_drops_what_is_queued)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d);
	int dropped = 0;

	new_event(d);
	new_notify(d);
	ck_assert_int_eq(d->ops->stream_hold(d, t, NULL), SD_OK);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(submit(d, i % 2 ? s : t, (struct sd_task){ .duration_ns = 5, .done = count_dropped, .done_arg = &dropped }), SD_OK);
	ck_assert_uint_eq(facts_of(d).submissions, 3);
	d->ops->close(d);
	ck_assert_int_eq(dropped, 3);
}
END_TEST

START_TEST(statistics)
{
	struct sd_device *d = sim();
	struct sd_task batch[3] = { { .duration_ns = 1 }, { .duration_ns = 1 }, { .duration_ns = 1 } };
	struct sd_device_facts f;
	sd_handle s = new_stream(d), e = new_event(d), n = new_notify(d);

	new_event(d);
	ck_assert_int_eq(d->ops->submit(d, s, batch, 3, NULL), SD_OK);
	ck_assert_int_eq(d->ops->submit(d, s, batch, 0, NULL), SD_OK);
	ck_assert_int_eq(d->ops->stream_destroy(d, s, false, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_destroy(d, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->notify_destroy(d, n, NULL), SD_OK);
	f = facts_of(d);
	ck_assert_uint_eq(f.streams_created * 1000 + f.streams_destroyed * 100 + f.streams_used, 1100);
	ck_assert_uint_eq(f.events_created * 1000 + f.events_destroyed * 100 + f.events_used, 2101);
	ck_assert_uint_eq(f.notifies_created * 1000 + f.notifies_destroyed * 100 + f.notifies_used, 1100);
	ck_assert_uint_eq(f.tasks_submitted * 10 + f.submissions, 31);
	ck_assert_uint_eq(d->ops->now_ns(d), 3);
	d->ops->close(d);
}
END_TEST

/* Queueing takes no time, whatever is queued; only who waits lets time run. */
START_TEST(the_clock_stands_still_while_work_is_queued)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d);

	sleeps(d, s, 10 * US);
	new_event(d);
	ck_assert_uint_eq(d->ops->now_ns(d), 0);
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 10 * US);
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 10 * US);
	d->ops->close(d);
}
END_TEST

RUN_TESTS("device_sim", a_device_of_a_profile, options_that_cannot_be, closing_drops_what_is_queued, statistics,
          the_clock_stands_still_while_work_is_queued)
