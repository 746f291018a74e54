/* sim_streams_test - making, ending, waiting for and holding streams of the simulated device. */
#include "sim_world.h"

static enum sd_status make(struct sd_device *d, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag)
{
	*diag = (struct sd_diag){ 0 };
	return d->ops->stream_create(d, 9, flags, stream, rt_id, diag);
}

START_TEST(limits_name_the_resource)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("610lite"), .streams_max = 3 });
	sd_handle s[4], other;
	struct sd_diag diag;
	int32_t id;

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(make(d, i == 1 ? SD_STREAM_HUGE : 0, &s[i], &id, &diag), SD_OK);
	ck_assert_int_eq(make(d, 0, &other, &id, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "no streams (vendor error 207008) left: 3 of 3 are used");
	/* One that stands for none and one of the AI CPU cost nothing. */
	ck_assert_int_eq(make(d, SD_STREAM_FORBIDDEN_DEFAULT, &other, &id, &diag), SD_OK);
	ck_assert_int_eq(id, INT32_MAX);
	ck_assert_int_eq(submit(d, other, (struct sd_task){ .duration_ns = 1 }), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sync(d, other), SD_OK);
	ck_assert_int_eq(make(d, SD_STREAM_AICPU, &other, &id, &diag), SD_OK);
	ck_assert_int_eq(make(d, 0x40, &other, &id, &diag), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_BAD_STREAM_FLAGS);
	ck_assert_uint_eq(facts_of(d).streams_used, 3);
	ck_assert_int_eq(d->ops->stream_destroy(d, s[0], false, NULL), SD_OK);
	ck_assert_int_eq(make(d, 0, &s[3], &id, &diag), SD_OK);
	ck_assert_uint_ne(s[3], s[0]);
	ck_assert_int_eq(d->ops->stream_destroy(d, s[0], true, &diag), SD_NOT_FOUND);
	says(&diag, "no stream with handle");
	d->ops->close(d);
}
END_TEST

START_TEST(huge_streams_have_a_limit_and_a_depth_of_their_own)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("610lite"), .tasks_per_stream_max = 2 });
	struct sd_diag diag;
	sd_handle s;
	int32_t id;

	for (int i = 0; i < 16; i++)
		ck_assert_int_eq(make(d, SD_STREAM_HUGE, &s, &id, &diag), SD_OK);
	for (int i = 0; i < 3; i++)
		sleeps(d, s, 1);
	ck_assert_int_eq(make(d, SD_STREAM_HUGE, &s, &id, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "huge streams");
	d->ops->close(d);
	d = sim_with((struct sd_sim_options){ .profile = SD_TEXT("ascend950"), .tasks_per_stream_max = 2 });
	ck_assert_int_eq(make(d, SD_STREAM_PERSISTENT, &s, &id, &diag), SD_OK);
	for (int i = 0; i < 3; i++)
		sleeps(d, s, 1);
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_int_eq(make(d, SD_STREAM_HUGE, &s, &id, &diag), SD_INVALID_ARGUMENT);
	d->ops->close(d);
}
END_TEST

START_TEST(timeouts_are_of_the_devices_clock)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d);
	struct sd_diag diag = { 0 };

	sleeps(d, s, 5000 * US);
	ck_assert_int_eq(d->ops->stream_synchronize(d, s, 0, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(d->ops->stream_synchronize(d, s, -2, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(d->ops->stream_synchronize(d, s, 3, &diag), SD_DEADLINE_EXCEEDED);
	says(&diag, "not done after 3 ms (vendor error 507046)");
	ck_assert_uint_eq(d->ops->now_ns(d), 3000 * US);
	ck_assert_int_eq(d->ops->stream_synchronize(d, s, INT64_MAX, NULL), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 5000 * US);
	sleeps(d, s, 31000 * 1000 * US);
	ck_assert_int_eq(d->ops->stream_destroy(d, s, false, NULL), SD_DEADLINE_EXCEEDED);
	ck_assert_int_eq(d->ops->stream_destroy(d, s, true, NULL), SD_OK);
	d->ops->close(d);
}
END_TEST

START_TEST(who_polls_gets_on)
{
	struct sd_device *d = sim();
	enum sd_progress progress = SD_DONE;
	sd_handle s = new_stream(d);
	int polls = 0;

	for (int i = 0; i < 3; i++)
		sleeps(d, s, 10);
	for (progress = SD_NOT_DONE; progress == SD_NOT_DONE; polls++)
		ck_assert_int_eq(d->ops->stream_query(d, s, &progress, NULL), SD_OK);
	ck_assert_int_eq(polls, 3);
	ck_assert_uint_eq(d->ops->now_ns(d), 30);
	d->ops->close(d);
}
END_TEST

START_TEST(aborted_streams_lose_their_tasks_and_stopped_ones_the_running_one)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d);
	struct sd_diag diag = { 0 };

	for (int i = 0; i < 3; i++) {
		sleeps(d, s, 100);
		sleeps(d, t, 1000);
	}
	ck_assert_int_eq(d->ops->stream_abort(d, t, NULL), SD_OK);
	ck_assert_int_eq(d->ops->stream_stop(d, s, NULL), SD_OK);
	ck_assert_int_eq(d->ops->stream_synchronize(d, s, SD_FOR_EVER, &diag), SD_ABORTED);
	says(&diag, "was stopped (vendor error 507000)");
	ck_assert_uint_eq(d->ops->now_ns(d), 200);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(d->ops->stream_synchronize(d, t, SD_FOR_EVER, &diag), SD_ABORTED);
	says(&diag, "was aborted (vendor error 107023)");
	ck_assert_uint_eq(d->ops->now_ns(d), 200);
	ck_assert_int_eq(sync(d, t), SD_OK); /* told once */
	/* Nothing is there to end: nothing is told. */
	ck_assert_int_eq(d->ops->stream_abort(d, t, NULL), SD_OK);
	ck_assert_int_eq(d->ops->stream_stop(d, t, NULL), SD_OK);
	ck_assert_int_eq(sync(d, t), SD_OK);
	d->ops->close(d);
}
END_TEST

START_TEST(held_streams_wait_to_be_activated)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d);
	struct sd_diag diag = { 0 };
	enum sd_progress progress;

	ck_assert_int_eq(d->ops->stream_hold(d, t, NULL), SD_OK);
	sleeps(d, t, 10);
	ck_assert_int_eq(d->ops->stream_synchronize(d, t, SD_FOR_EVER, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_WAITS_FOR_EVER);
	says(&diag, "activation of stream");
	ck_assert_int_eq(d->ops->stream_query(d, t, &progress, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(d->ops->stream_synchronize(d, t, 5, NULL), SD_FAILED_PRECONDITION);
	sleeps(d, s, 100);
	ck_assert_int_eq(d->ops->activate(d, s, t, NULL), SD_OK);
	ck_assert_int_eq(sync(d, t), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 110);
	ck_assert_int_eq(d->ops->activate(d, s, 12345, NULL), SD_NOT_FOUND);
	d->ops->close(d);
}
END_TEST

/* The cores that come free go to who has waited longest; of equals to the more urgent stream. */
START_TEST(priorities_decide_between_equals)
{
	const struct sd_task all = { .kind = SD_TASK_KERNEL, .engine = SD_ENGINE_CUBE, .duration_ns = 10 };
	struct sd_device *d = sim();
	sd_handle s[2], e[2];
	int64_t ns;
	int32_t id;

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(d->ops->stream_create(d, i ? 0 : 7, 0, &s[i], &id, NULL), SD_OK);
		e[i] = new_event(d);
		ck_assert_int_eq(submit(d, s[i], all), SD_OK);
		ck_assert_int_eq(d->ops->event_record(d, s[i], e[i], NULL), SD_OK);
	}
	ck_assert_int_eq(sync(d, s[0]), SD_OK);
	ck_assert_int_eq(d->ops->event_elapsed(d, e[1], e[0], &ns, NULL), SD_OK);
	ck_assert_int_eq(ns, 10);
	d->ops->close(d);
}
END_TEST

RUN_TESTS("sim_streams", limits_name_the_resource, huge_streams_have_a_limit_and_a_depth_of_their_own, timeouts_are_of_the_devices_clock,
          who_polls_gets_on, aborted_streams_lose_their_tasks_and_stopped_ones_the_running_one, held_streams_wait_to_be_activated,
          priorities_decide_between_equals)
