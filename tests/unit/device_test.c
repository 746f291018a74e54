/* device_test - what every device does with the table, whoever fills it: the same calls, the same answers. */
#include "device_world.h"

START_TEST(streams)
{
	EACH_KIND {
		sd_handle stream[MOST], other;
		enum sd_progress progress;
		int32_t rt_id = 0;

		open_kind(of);
		for (int i = 0; i < MOST; i++)
			stream[i] = new_stream(3 * i - 4, i % 2 ? SD_STREAM_FORCE_COPY : 0); /* clamped, not refused */
		is_short_of(device->ops->stream_create(device, 0, 0, &other, &rt_id, &diag), "streams");
		ck_assert_uint_eq(facts_now().streams_used, MOST);
		IS(device->ops->stream_create(device, 0, 0x40, &other, &rt_id, &diag), SD_INVALID_ARGUMENT);
		IS(device->ops->stream_create(device, 0, SD_STREAM_CP_PROCESS_USE | SD_STREAM_HEAD, &other, &rt_id, &diag), SD_INVALID_ARGUMENT);
		OK(device->ops->stream_create(device, 0, SD_STREAM_FORBIDDEN_DEFAULT, &other, &rt_id, &diag)); /* costs none */
		ck_assert_int_eq(rt_id, INT32_MAX);
		if (kind != QUEUE) /* which tells it later */
			ck_assert_int_ne(device->ops->submit(device, other, &count, 1, NULL), SD_OK);
		OK(device->ops->stream_destroy(device, other, false, &diag));
		OK(device->ops->stream_query(device, stream[0], &progress, &diag));
		ck_assert_int_eq(progress, SD_DONE);
		OK(device->ops->stream_destroy(device, stream[1], false, &diag));
		OK(device->ops->stream_destroy(device, stream[2], true, &diag));
		IS(device->ops->stream_destroy(device, stream[1], false, &diag), SD_NOT_FOUND);
		IS(device->ops->stream_synchronize(device, stream[2], 1, &diag), SD_NOT_FOUND);
		other = new_stream(0, 0);
		for (int i = 0; i < MOST; i++)
			ck_assert_uint_ne(other, stream[i]);
		ck_assert_uint_eq(facts_now().streams_used, MOST - 1);
		ck_assert_uint_eq(facts_now().streams_created - facts_now().streams_destroyed, MOST - 1);
		close_kind();
	}
}
END_TEST

/* In order on one stream, behind the other one by an event. */
START_TEST(order)
{
	EACH_KIND {
		struct sd_task batch[3] = { count, count, count };
		sd_handle first, second, event;

		open_kind(of);
		first = new_stream(0, 0);
		second = new_stream(7, 0);
		event = new_event();
		OK(device->ops->stream_hold(device, first, &diag));
		OK(device->ops->submit(device, first, batch, 3, &diag));
		OK(device->ops->event_record(device, first, event, &diag));
		OK(device->ops->event_wait(device, second, event, &diag));
		OK(device->ops->submit(device, second, batch, 1, &diag));
		ck_assert_int_eq(atomic_load(&ran), 0);
		OK(device->ops->activate(device, new_stream(0, 0), first, &diag));
		finish(second);
		ck_assert_int_eq(atomic_load(&ran), 4);
		finish(first);
		ck_assert_int_eq(atomic_load(&told[SD_OK]), 4);
		ck_assert_uint_eq(facts_now().tasks_submitted, 4);
		ck_assert_uint_eq(facts_now().submissions, 2);
		close_kind();
	}
}
END_TEST

START_TEST(events)
{
	EACH_KIND {
		sd_handle stream, event[MOST], other;

		open_kind(of);
		stream = new_stream(0, 0);
		for (int i = 0; i < MOST; i++)
			event[i] = new_event();
		is_short_of(device->ops->event_create(device, 0, &other, &diag), "events");
		OK(device->ops->event_destroy(device, event[5], &diag));
		IS(device->ops->event_destroy(device, event[5], &diag), SD_NOT_FOUND);
		ck_assert_uint_eq(facts_now().events_used, MOST - 1);
		ck_assert_int_eq(progress_of(event[0]), SD_DONE); /* no record: nothing to wait for */
		OK(device->ops->event_synchronize(device, event[0], 1000, &diag));
		for (int i = 0; i < 2; i++) { /* again and again */
			OK(device->ops->event_record(device, stream, event[0], &diag));
			OK(device->ops->event_wait(device, stream, event[0], &diag));
			OK(device->ops->event_synchronize(device, event[0], SD_FOR_EVER, &diag));
			ck_assert_int_eq(progress_of(event[0]), SD_DONE);
		}
		finish(stream);
		OK(device->ops->event_reset(device, stream, event[0], &diag)); /* as if it had never been recorded */
		finish(stream);
		ck_assert_int_eq(progress_of(event[0]), SD_DONE);
		OK(device->ops->event_synchronize(device, event[0], 1000, &diag));
		OK(device->ops->event_record(device, stream, event[0], &diag));
		OK(device->ops->event_wait(device, stream, event[0], &diag));
		finish(stream);
		close_kind();
	}
}
END_TEST

/* A wait without a record is refused; a queue in front tells it at the next synchronize. */
START_TEST(waits_without_a_record)
{
	EACH_KIND {
		sd_handle stream, event;
		enum sd_status status;

		open_kind(of);
		stream = new_stream(0, 0);
		event = new_event();
		for (int i = 0; i < 2; i++) {
			status = device->ops->event_wait(device, stream, event, &diag);
			if (kind == QUEUE && status == SD_OK)
				status = device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag);
			ck_assert_msg(status != SD_OK, "%s", kind_name[kind]);
			diag = (struct sd_diag){ 0 };
			OK(device->ops->event_record(device, stream, event, &diag));
			OK(device->ops->event_reset(device, stream, event, &diag));
		}
		finish(stream);
		close_kind();
	}
}
END_TEST

START_TEST(elapsed)
{
	EACH_KIND {
		sd_handle stream, start, end;
		int64_t ns = -1;

		open_kind(of);
		stream = new_stream(0, 0);
		start = new_event();
		end = new_event();
		IS(device->ops->event_elapsed(device, start, end, &ns, &diag), SD_FAILED_PRECONDITION);
		OK(device->ops->event_record(device, stream, start, &diag));
		for (int i = 0; i < 20; i++)
			OK(device->ops->submit(device, stream, &count, 1, &diag));
		OK(device->ops->event_record(device, stream, end, &diag));
		finish(stream);
		OK(device->ops->event_elapsed(device, start, end, &ns, &diag));
		ck_assert_msg(ns > 0, "%s: %lld ns", kind_name[kind], (long long)ns);
		IS(device->ops->event_elapsed(device, end, start, &ns, &diag), SD_INVALID_ARGUMENT);
		OK(device->ops->event_elapsed(device, end, end, &ns, &diag));
		ck_assert_int_eq(ns, 0);
		close_kind();
	}
}
END_TEST

START_TEST(times_to_wait)
{
	EACH_KIND {
		enum sd_status status = of == SIM ? SD_FAILED_PRECONDITION : SD_DEADLINE_EXCEEDED; /* sim knows that it is for ever */
		sd_handle stream, event;
		enum sd_progress progress = SD_DONE;

		open_kind(of);
		stream = new_stream(0, 0);
		event = new_event();
		IS(device->ops->stream_synchronize(device, stream, 0, &diag), SD_INVALID_ARGUMENT);
		IS(device->ops->stream_synchronize(device, stream, -2, &diag), SD_INVALID_ARGUMENT);
		OK(device->ops->event_record(device, stream, event, &diag));
		IS(device->ops->event_synchronize(device, event, 0, &diag), SD_INVALID_ARGUMENT);
		IS(device->ops->event_synchronize(device, event, -2, &diag), SD_INVALID_ARGUMENT);
		finish(stream);
		OK(device->ops->stream_hold(device, stream, &diag));
		OK(device->ops->event_record(device, stream, event, &diag));
		IS(device->ops->stream_synchronize(device, stream, 20, &diag), status);
		IS(device->ops->event_synchronize(device, event, 20, &diag), status);
		if (of != SIM) {
			OK(device->ops->stream_query(device, stream, &progress, &diag));
			ck_assert_int_eq(progress, SD_NOT_DONE);
			ck_assert_int_eq(progress_of(event), SD_NOT_DONE);
		}
		OK(device->ops->activate(device, new_stream(0, 0), stream, &diag));
		OK(device->ops->event_synchronize(device, event, 20000, &diag));
		OK(device->ops->stream_synchronize(device, stream, 20000, &diag));
		close_kind();
	}
}
END_TEST

/* What did not run is told as dropped; the next synchronize tells it too, once. */
START_TEST(aborted)
{
	EACH_KIND {
		struct sd_task batch[3] = { count, count, count };
		sd_handle stream;

		open_kind(of);
		stream = new_stream(0, 0);
		OK(device->ops->stream_hold(device, stream, &diag));
		OK(device->ops->submit(device, stream, batch, 3, &diag));
		OK(device->ops->stream_abort(device, stream, &diag));
		ck_assert_msg(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, NULL) != SD_OK, "%s", kind_name[kind]);
		ck_assert_msg(atomic_load(&told[SD_ABORTED]) == 3, "%s: %d", kind_name[kind], atomic_load(&told[SD_ABORTED]));
		ck_assert_int_eq(atomic_load(&ran), 0);
		finish(stream);
		OK(device->ops->submit(device, stream, batch, 1, &diag)); /* it takes tasks again */
		finish(stream);
		ck_assert_int_eq(atomic_load(&ran), 1);
		close_kind();
	}
}
END_TEST

START_TEST(holds)
{
	EACH_KIND {
		sd_handle stream, held;

		open_kind(of);
		stream = new_stream(0, 0);
		held = new_stream(0, 0);
		OK(device->ops->activate(device, stream, held, &diag)); /* nothing to open: nothing happens */
		finish(stream);
		for (int i = 0; i < 2; i++) {
			OK(device->ops->stream_hold(device, held, &diag));
			OK(device->ops->submit(device, held, &count, 1, &diag));
		}
		ck_assert_int_ne(device->ops->stream_synchronize(device, held, 20, NULL), SD_OK);
		ck_assert_int_eq(atomic_load(&ran), 0);
		OK(device->ops->activate(device, stream, held, &diag));
		finish(stream);
		for (int tries = 0; tries < 2000 && atomic_load(&ran) == 0; tries++)
			device->ops->stream_synchronize(device, held, 10, NULL);
		ck_assert_int_ne(device->ops->stream_synchronize(device, held, 20, NULL), SD_OK);
		ck_assert_int_eq(atomic_load(&ran), 1);
		OK(device->ops->activate(device, stream, held, &diag));
		finish(held);
		ck_assert_int_eq(atomic_load(&ran), 2);
		close_kind();
	}
}
END_TEST

START_TEST(notifies)
{
	EACH_KIND {
		sd_handle waiter, recorder, notify[MOST], other;

		open_kind(of);
		waiter = new_stream(0, 0);
		recorder = new_stream(0, 0);
		for (int i = 0; i < MOST; i++)
			OK(device->ops->notify_create(device, 0, &notify[i], &diag));
		is_short_of(device->ops->notify_create(device, 0, &other, &diag), "notifies");
		for (int i = 0; i < 3; i++) { /* the waiter takes the record away */
			OK(device->ops->notify_wait(device, waiter, notify[0], &diag));
			OK(device->ops->submit(device, waiter, &count, 1, &diag));
			ck_assert_int_ne(device->ops->stream_synchronize(device, waiter, 20, NULL), SD_OK);
			ck_assert_int_eq(atomic_load(&ran), i);
			OK(device->ops->notify_record(device, recorder, notify[0], &diag));
			finish(waiter);
			ck_assert_int_eq(atomic_load(&ran), i + 1);
		}
		OK(device->ops->notify_destroy(device, notify[0], &diag));
		IS(device->ops->notify_destroy(device, notify[0], &diag), SD_NOT_FOUND);
		ck_assert_uint_eq(facts_now().notifies_used, MOST - 1);
		ck_assert_uint_eq(facts_now().notifies_created - facts_now().notifies_destroyed, MOST - 1);
		close_kind();
	}
}
END_TEST

RUN_TESTS("device", streams, order, events, waits_without_a_record, elapsed, times_to_wait, aborted, holds, notifies)
