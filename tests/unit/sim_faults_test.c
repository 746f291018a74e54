/* sim_faults_test - calls and tasks of the simulated device that fail on demand. */
#include "sim_world.h"

static enum sd_status call(struct sd_device *d, enum sd_sim_call which, sd_handle stream, sd_handle event, sd_handle notify, void *memory)
{
	sd_handle h;
	int32_t id;
	void *more;

	switch (which) {
	case SD_SIM_STREAM_CREATE: return d->ops->stream_create(d, 0, 0, &h, &id, NULL);
	case SD_SIM_STREAM_DESTROY: return d->ops->stream_destroy(d, stream, false, NULL);
	case SD_SIM_EVENT_CREATE: return d->ops->event_create(d, 0, &h, NULL);
	case SD_SIM_EVENT_DESTROY: return d->ops->event_destroy(d, event, NULL);
	case SD_SIM_NOTIFY_CREATE: return d->ops->notify_create(d, 0, &h, NULL);
	case SD_SIM_NOTIFY_DESTROY: return d->ops->notify_destroy(d, notify, NULL);
	case SD_SIM_SUBMIT: case SD_SIM_TASK: return submit(d, stream, (struct sd_task){ .name = "op", .duration_ns = 1 });
	case SD_SIM_RECORD: return d->ops->event_record(d, stream, event, NULL);
	case SD_SIM_WAIT: return d->ops->event_wait(d, stream, event, NULL);
	case SD_SIM_SYNCHRONIZE: return sync(d, stream);
	case SD_SIM_MEMORY_ALLOC: return d->ops->memory_alloc(d, 1, SD_PAGES_NORMAL_ONLY, &more, NULL);
	case SD_SIM_MEMORY_FREE: return d->ops->memory_free(d, memory, NULL);
	case SD_SIM_CALLS: break;
	}
	return SD_UNIMPLEMENTED;
}

/* Each call fails when it is told to and changes nothing by that: the same call passes the next time. */
START_TEST(each_call_fails_on_demand)
{
	for (enum sd_sim_call which = 0; which < SD_SIM_CALLS; which++) {
		const struct sd_sim_fault fault = { .call = which, .first = 2 };
		struct sd_device *d;
		sd_handle stream, event, notify;
		struct sd_device_facts before, after;
		void *memory[2];

		if (which == SD_SIM_TASK)
			continue;
		d = sim_with((struct sd_sim_options){ .faults = &fault, .fault_count = 1 });
		stream = new_stream(d);
		event = new_event(d);
		notify = new_notify(d);
		ck_assert_int_eq(d->ops->memory_alloc(d, 64, SD_PAGES_NORMAL_ONLY, &memory[0], NULL), SD_OK);
		ck_assert_int_eq(d->ops->event_record(d, stream, event, NULL), SD_OK);
		switch (which) { /* the first of each kind that was not made above */
		case SD_SIM_STREAM_DESTROY: d->ops->stream_destroy(d, new_stream(d), false, NULL); break;
		case SD_SIM_EVENT_DESTROY: d->ops->event_destroy(d, new_event(d), NULL); break;
		case SD_SIM_NOTIFY_DESTROY: d->ops->notify_destroy(d, new_notify(d), NULL); break;
		case SD_SIM_MEMORY_FREE:
			ck_assert_int_eq(d->ops->memory_alloc(d, 64, SD_PAGES_NORMAL_ONLY, &memory[1], NULL), SD_OK);
			ck_assert_int_eq(d->ops->memory_free(d, memory[1], NULL), SD_OK);
			break;
		case SD_SIM_SUBMIT: case SD_SIM_WAIT: case SD_SIM_SYNCHRONIZE:
			ck_assert_int_eq(call(d, which, stream, event, notify, memory[0]), SD_OK);
			break;
		default: break;
		}
		before = facts_of(d);
		ck_assert_msg(call(d, which, stream, event, notify, memory[0]) != SD_OK, "%s", sd_sim_call_name(which));
		after = facts_of(d);
		ck_assert_msg(memcmp(&before, &after, sizeof(before)) == 0, "%s", sd_sim_call_name(which));
		ck_assert_msg(call(d, which, stream, event, notify, memory[0]) == SD_OK, "%s", sd_sim_call_name(which));
		d->ops->close(d);
	}
}
END_TEST

static void count_status(void *arg, enum sd_status status, uint64_t began, uint64_t ended)
{
	((int *)arg)[status == SD_OK]++;
}

START_TEST(a_task_fails_when_it_ends)
{
	const struct sd_sim_fault faults[] = { { .call = SD_SIM_TASK, .first = 3 }, { .call = SD_SIM_TASK, .first = 5, .vendor_code = 507035 } };
	struct sd_device *d = sim_with((struct sd_sim_options){ .faults = faults, .fault_count = 2 });
	sd_handle s = new_stream(d), t = new_stream(d);
	struct sd_device_fault fault;
	struct sd_diag diag = { 0 };
	int told[2] = { 0, 0 };

	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(submit(d, i == 4 ? t : s, (struct sd_task){ .name = i == 2 ? "third" : "op", .duration_ns = 10, .done = count_status, .done_arg = told }), SD_OK);
	d->ops->take_fault(d, &fault);
	ck_assert_int_eq(fault.vendor_code, 0);
	ck_assert_int_eq(d->ops->stream_synchronize(d, s, SD_FOR_EVER, &diag), SD_INTERNAL);
	ck_assert_int_eq(diag.code, SD_CODE_TASK_FAILED);
	says(&diag, "task 2 of stream");
	says(&diag, "507015");
	ck_assert_int_eq(sync(d, s), SD_OK); /* told once */
	d->ops->take_fault(d, &fault);
	ck_assert_int_eq(fault.vendor_code, 507015);
	ck_assert_uint_eq(fault.stream, s);
	ck_assert_uint_eq(fault.task_index, 2);
	ck_assert_str_eq(fault.task_name, "third");
	ck_assert_int_eq(told[1], 3);
	ck_assert_int_eq(told[0], 2);
	ck_assert_int_eq(sync(d, t), SD_INTERNAL); /* each stream tells of its own */
	d->ops->take_fault(d, &fault);
	ck_assert_int_eq(fault.vendor_code, 0); /* the last was taken: the other stream's came before it */
	d->ops->close(d);
}
END_TEST

START_TEST(ranges_and_numbers_of_faults)
{
	const struct sd_sim_fault faults[] = { { .call = SD_SIM_EVENT_CREATE, .first = 2, .count = 2 }, { .call = SD_SIM_STREAM_CREATE, .first = 1, .count = UINT64_MAX, .vendor_code = 207005 } };
	struct sd_device *d = sim_with((struct sd_sim_options){ .faults = faults, .fault_count = 2 });
	struct sd_diag diag = { 0 };
	sd_handle h;
	int32_t id;

	for (int i = 1; i <= 4; i++)
		ck_assert_int_eq(d->ops->event_create(d, 0, &h, NULL) == SD_OK, i == 1 || i == 4);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(d->ops->stream_create(d, 0, 0, &h, &id, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "stream_create was refused with vendor error 207005: the device is out of streams and their queues (not of memory)");
	d->ops->close(d);
}
END_TEST

static uint64_t drawn(uint64_t seed)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .seed = seed, .fault_permille = 300 });
	uint64_t failed = 0;
	sd_handle h;

	for (int i = 0; i < 64; i++)
		failed |= (uint64_t)(d->ops->event_create(d, 0, &h, NULL) != SD_OK) << i;
	d->ops->close(d);
	return failed;
}

START_TEST(drawn_faults_are_the_same_for_the_same_seed)
{
	int count = __builtin_popcountll(drawn(1));

	ck_assert_uint_eq(drawn(1), drawn(1));
	ck_assert_uint_ne(drawn(1), drawn(2));
	ck_assert_int_ge(count, 8);
	ck_assert_int_le(count, 32);
	ck_assert_ptr_null(sd_sim_call_name(SD_SIM_CALLS));
	ck_assert_str_eq(sd_sim_call_name(SD_SIM_TASK), "task");
}
END_TEST

RUN_TESTS("sim_faults", each_call_fails_on_demand, a_task_fails_when_it_ends, ranges_and_numbers_of_faults, drawn_faults_are_the_same_for_the_same_seed)
