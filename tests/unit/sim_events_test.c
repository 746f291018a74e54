/* sim_events_test - events and notifies of the simulated device. */
#include "sim_world.h"

START_TEST(a_wait_is_for_the_last_record_in_front_of_it)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d), e = new_event(d);
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(d->ops->event_wait(d, t, e, &diag), SD_FAILED_PRECONDITION);
	says(&diag, "has no record that a wait could be for (vendor error 107024)");
	sleeps(d, s, 10);
	ck_assert_int_eq(d->ops->event_record(d, s, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_wait(d, t, e, NULL), SD_OK);
	sleeps(d, s, 100);
	ck_assert_int_eq(d->ops->event_record(d, s, e, NULL), SD_OK); /* replaces the first for later waits alone */
	ck_assert_int_eq(sync(d, t), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 10);
	ck_assert_int_eq(d->ops->event_wait(d, t, e, NULL), SD_OK);
	ck_assert_int_eq(sync(d, t), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 110);
	ck_assert_int_eq(d->ops->event_reset(d, s, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_wait(d, t, e, NULL), SD_FAILED_PRECONDITION);
	d->ops->close(d);
}
END_TEST

START_TEST(events_cost_what_the_model_says)
{
	static const struct sd_machine_model model = { .cube_cores = 1, .vector_cores = 1, .record_ns = 3, .event_latency_ns = 70, .wait_ns = 500 };
	struct sd_device *d = sim_with((struct sd_sim_options){ .model = &model });
	sd_handle s = new_stream(d), t = new_stream(d), e = new_event(d);

	sleeps(d, s, 1000);
	ck_assert_int_eq(d->ops->event_record(d, s, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_wait(d, t, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_synchronize(d, e, SD_FOR_EVER, NULL), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 1003);
	ck_assert_int_eq(sync(d, t), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 1573);
	d->ops->close(d);
}
END_TEST

START_TEST(query_synchronize_and_timeouts)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), e = new_event(d);
	enum sd_progress progress = SD_NOT_DONE;
	struct sd_diag diag = { 0 };
	int polls = 0;

	ck_assert_int_eq(d->ops->event_query(d, e, &progress, NULL), SD_OK);
	ck_assert_int_eq(progress, SD_DONE); /* never recorded: nothing to wait for */
	ck_assert_int_eq(d->ops->event_synchronize(d, e, 1, NULL), SD_OK);
	sleeps(d, s, 5000 * US);
	sleeps(d, s, 5000 * US);
	ck_assert_int_eq(d->ops->event_record(d, s, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_synchronize(d, e, 0, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(d->ops->event_synchronize(d, e, 2, &diag), SD_DEADLINE_EXCEEDED);
	says(&diag, "the event is not done after 2 ms (vendor error 507047)");
	for (progress = SD_NOT_DONE; progress == SD_NOT_DONE; polls++)
		ck_assert_int_eq(d->ops->event_query(d, e, &progress, NULL), SD_OK);
	ck_assert_int_eq(polls, 3);
	ck_assert_uint_eq(d->ops->now_ns(d), 10000 * US);
	d->ops->close(d);
}
END_TEST

START_TEST(time_between_events)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), a = new_event(d), b = new_event(d);
	struct sd_diag diag = { 0 };
	int64_t ns = -1;

	ck_assert_int_eq(d->ops->event_record(d, s, a, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_elapsed(d, a, b, &ns, NULL), SD_FAILED_PRECONDITION);
	sleeps(d, s, 250);
	ck_assert_int_eq(d->ops->event_record(d, s, b, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_elapsed(d, a, b, &ns, &diag), SD_FAILED_PRECONDITION);
	says(&diag, "107006");
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_int_eq(d->ops->event_elapsed(d, a, b, &ns, NULL), SD_OK);
	ck_assert_int_eq(ns, 250);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(d->ops->event_elapsed(d, b, a, &ns, &diag), SD_INVALID_ARGUMENT);
	says(&diag, "107007");
	d->ops->close(d);
}
END_TEST

/* An event may go before what waits for it: the wait keeps the record. */
START_TEST(waits_outlive_their_event)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d), e = new_event(d), next;

	sleeps(d, s, 50);
	ck_assert_int_eq(d->ops->event_record(d, s, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_wait(d, t, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_destroy(d, e, NULL), SD_OK);
	next = new_event(d);
	ck_assert_uint_ne(next, e);
	ck_assert_int_eq(d->ops->event_record(d, t, next, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_synchronize(d, next, SD_FOR_EVER, NULL), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 50);
	ck_assert_int_eq(d->ops->event_destroy(d, e, NULL), SD_NOT_FOUND);
	ck_assert_int_eq(d->ops->event_query(d, s, &(enum sd_progress){ SD_DONE }, NULL), SD_NOT_FOUND); /* a stream is no event */
	d->ops->close(d);
}
END_TEST

START_TEST(a_notify_has_one_waiter)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d), u = new_stream(d), n = new_notify(d);
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(d->ops->notify_wait(d, t, n, NULL), SD_OK); /* the record may come later */
	ck_assert_int_eq(d->ops->notify_wait(d, u, n, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_NOTIFY_TAKEN);
	sleeps(d, s, 30);
	ck_assert_int_eq(d->ops->notify_record(d, s, n, NULL), SD_OK);
	ck_assert_int_eq(sync(d, t), SD_OK);
	ck_assert_uint_eq(d->ops->now_ns(d), 30);
	/* The wait took the record away: the next one needs another. */
	ck_assert_int_eq(d->ops->notify_wait(d, u, n, NULL), SD_OK);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(d->ops->stream_synchronize(d, u, SD_FOR_EVER, &diag), SD_FAILED_PRECONDITION);
	says(&diag, "for ever for notify");
	ck_assert_int_eq(d->ops->notify_record(d, s, n, NULL), SD_OK);
	ck_assert_int_eq(sync(d, u), SD_OK);
	d->ops->close(d);
}
END_TEST

/* Each stream waits for what the other records behind its own wait. */
START_TEST(a_circle_of_waits_is_named)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d), n = new_notify(d), m = new_notify(d), e = new_event(d);
	struct sd_diag diag = { 0 };
	enum sd_progress progress;
	char part[64];

	ck_assert_int_eq(d->ops->notify_wait(d, s, n, NULL), SD_OK);
	ck_assert_int_eq(d->ops->notify_record(d, s, m, NULL), SD_OK);
	ck_assert_int_eq(d->ops->notify_wait(d, t, m, NULL), SD_OK);
	ck_assert_int_eq(d->ops->notify_record(d, t, n, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_record(d, t, e, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_synchronize(d, e, SD_FOR_EVER, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_WAITS_FOR_EVER);
	snprintf(part, sizeof(part), "stream %llu waits for ever for notify %llu", (unsigned long long)t, (unsigned long long)m);
	says(&diag, part);
	ck_assert_int_eq(d->ops->event_query(d, e, &progress, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(d->ops->stream_destroy(d, s, false, NULL), SD_FAILED_PRECONDITION);
	/* A record that was dropped never comes. */
	ck_assert_int_eq(d->ops->stream_abort(d, t, NULL), SD_OK);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(d->ops->event_synchronize(d, e, SD_FOR_EVER, &diag), SD_FAILED_PRECONDITION);
	says(&diag, "dropped");
	d->ops->close(d);
}
END_TEST

START_TEST(limits_and_flags)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .events_max = 1, .notifies_max = 1 });
	struct sd_diag diag = { 0 };
	sd_handle h;

	new_event(d);
	new_notify(d);
	ck_assert_int_eq(d->ops->event_create(d, 0, &h, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "no events (vendor error 207007) left: 1 of 1");
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(d->ops->notify_create(d, 0, &h, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "no notifies (vendor error 207009) left: 1 of 1");
	ck_assert_int_eq(d->ops->event_create(d, 0x80, &h, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(d->ops->notify_create(d, 2, &h, NULL), SD_INVALID_ARGUMENT);
	d->ops->close(d);
}
END_TEST

RUN_TESTS("sim_events", a_wait_is_for_the_last_record_in_front_of_it, events_cost_what_the_model_says, query_synchronize_and_timeouts,
          time_between_events, waits_outlive_their_event, a_notify_has_one_waiter, a_circle_of_waits_is_named, limits_and_flags)
