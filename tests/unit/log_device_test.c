/* log_device_test - what is told of calls that order work, and of what all are at. */
#include "run_tests.h"

#include "streamd/device_sim.h"
#include "streamd/log_device.h"

static struct sd_device *sim, *d;
static char text[1 << 14];

static void append(void *arg, const char *line)
{
	strcat(arg, line);
	strcat(arg, "\n");
}

static void begin(void)
{
	struct sd_sim_options options = { .events_max = 2 };

	text[0] = '\0';
	ck_assert_int_eq(sd_sim_open(&options, &sim, NULL), SD_OK);
	ck_assert_int_eq(sd_log_device_open(sim, append, text, &d, NULL), SD_OK);
}

static void end(void)
{
	d->ops->close(d);
	sim->ops->close(sim);
}

#define OK(call) ck_assert_int_eq((call), SD_OK)

static const struct sd_task task = { .name = "t", .kind = SD_TASK_KERNEL, .duration_ns = 500 };

START_TEST(everything_that_orders_work)
{
	sd_handle a, b, event, notify, none;
	int32_t rt_id;
	enum sd_progress progress = SD_NOT_DONE;

	begin();
	OK(d->ops->stream_create(d, 3, SD_STREAM_PERSISTENT, &a, &rt_id, NULL));
	OK(d->ops->stream_create(d, 0, 0, &b, &rt_id, NULL));
	OK(d->ops->event_create(d, 0, &event, NULL));
	OK(d->ops->notify_create(d, 0, &notify, NULL));
	OK(d->ops->stream_hold(d, b, NULL));
	OK(d->ops->submit(d, a, &task, 1, NULL));
	OK(d->ops->event_record(d, a, event, NULL));
	OK(d->ops->activate(d, a, b, NULL));
	OK(d->ops->event_wait(d, b, event, NULL));
	OK(d->ops->notify_record(d, a, notify, NULL));
	OK(d->ops->notify_wait(d, b, notify, NULL));
	OK(d->ops->stream_synchronize(d, b, SD_FOR_EVER, NULL));
	OK(d->ops->event_synchronize(d, event, SD_FOR_EVER, NULL));
	for (int i = 0; i < 9 && progress != SD_DONE; i++)
		OK(d->ops->stream_query(d, a, &progress, NULL));
	OK(d->ops->stream_query(d, a, &progress, NULL)); /* told once */
	OK(d->ops->event_reset(d, a, event, NULL));
	ck_assert_int_ne(d->ops->event_wait(d, b, event, NULL), SD_OK);
	OK(d->ops->event_create(d, 0, &none, NULL));
	ck_assert_int_ne(d->ops->event_create(d, 0, &none, NULL), SD_OK);
	OK(d->ops->stream_abort(d, a, NULL));
	OK(d->ops->stream_stop(d, a, NULL));
	OK(d->ops->event_destroy(d, event, NULL));
	OK(d->ops->stream_destroy(d, b, false, NULL));
	{
		static const char *const lines[] = {
			"0 ns: a stream of priority 3 and flags 0x1 is asked for\n0 ns: stream 1 is made\n", "a stream of priority 0 and flags 0x0 is asked for\n", "stream 2 is made\n", "event 3 is made\n", "notify 4 is made\n", "stream 2 holds\n", "stream 1 takes 1 tasks\n",
			"stream 1 records event 3\n", "stream 1 activates stream 2\n", "stream 2 waits for event 3\n", "stream 1 records notify 4\n",
			"stream 2 waits for notify 4\n", "the host waited for stream 2\n", "the host waited for event 3\n", "the host sees that stream 1 is done\n",
			"stream 1 resets event 3\n", "stream 2 waits for event 3: FAILED_PRECONDITION\n", "event 5 is made\n", "one more event is asked for: RESOURCE_EXHAUSTED\n",
			"stream 1 is aborted\n", "stream 1 is stopped\n", "event 3 is destroyed\n", "stream 2 is destroyed\n",
		};
		const char *at = text;

		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
			at = strstr(at, lines[i]);
			ck_assert_msg(at != NULL, "'%s' is not told in its place:\n%s", lines[i], text);
			at += strlen(lines[i]);
		}
		ck_assert_str_eq(at, "");
	}
	end();
}
END_TEST

START_TEST(state)
{
	sd_handle a, b, event, notify;
	char told[2048] = "";
	int32_t rt_id;

	begin();
	OK(d->ops->stream_create(d, 0, 0, &a, &rt_id, NULL));
	OK(d->ops->stream_create(d, 0, 0, &b, &rt_id, NULL));
	OK(d->ops->event_create(d, 0, &event, NULL));
	OK(d->ops->notify_create(d, 0, &notify, NULL));
	OK(d->ops->submit(d, a, (struct sd_task[]){ task, task }, 2, NULL));
	OK(d->ops->event_record(d, a, event, NULL));
	OK(d->ops->event_wait(d, b, event, NULL));
	OK(d->ops->stream_synchronize(d, a, SD_FOR_EVER, NULL));
	sd_log_device_state(d, append, told);
	ck_assert_ptr_nonnull(strstr(told, "device sim: 2 of "));
	ck_assert_ptr_nonnull(strstr(told, "1 of 2 events, 1 of "));
	ck_assert_ptr_nonnull(strstr(told, "; 2 tasks in 1 submissions\n"
	                                   "stream 1: 2 tasks, 1 records, 0 waits, 0 holds, 0 activations; last record of event 3; done\n"
	                                   "stream 2: 0 tasks, 0 records, 1 waits, 0 holds, 0 activations; last wait for event 3; not known to be done\n"
	                                   "event 3: 1 records, 1 waits; last recorded on stream 1; not known to be done\n"
	                                   "notify 4: 0 records, 0 waits\n"));
	end();
}
END_TEST

START_TEST(nobody_listens)
{
	sd_handle a;
	int32_t rt_id;

	OK(sd_sim_open(NULL, &sim, NULL));
	OK(sd_log_device_open(sim, NULL, NULL, &d, NULL));
	OK(d->ops->stream_create(d, 0, 0, &a, &rt_id, NULL));
	text[0] = '\0';
	sd_log_device_state(d, append, text);
	ck_assert_ptr_nonnull(strstr(text, "stream 1: 0 tasks"));
	end();
}
END_TEST

RUN_TESTS("log_device", everything_that_orders_work, state, nobody_listens)
