/* sim_tasks_test - tasks of the simulated device: taken, done, failed. */
#include "sim_world.h"

struct told {
	enum sd_status status;
	uint64_t began, ended;
	int calls;
};

static void note(void *arg, enum sd_status status, uint64_t began, uint64_t ended)
{
	struct told *told = arg;

	*told = (struct told){ status, began, ended, told->calls + 1 };
}

static char order[16];
static void a(void *arg) { strcat(order, "a"); }
static void b(void *arg) { strcat(order, "b"); }
static void c(void *arg) { strcat(order, "c"); }

START_TEST(kernels_run_in_the_order_of_the_clock)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d), t = new_stream(d);
	struct told told = { .calls = 0 };

	order[0] = '\0';
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .name = "c", .run = c, .duration_ns = 30, .done = note, .done_arg = &told }), SD_OK);
	ck_assert_int_eq(submit(d, t, (struct sd_task){ .name = "a", .run = a, .duration_ns = 10 }), SD_OK);
	ck_assert_int_eq(submit(d, t, (struct sd_task){ .name = "b", .run = b, .duration_ns = 10 }), SD_OK);
	ck_assert_str_eq(order, "");
	ck_assert_int_eq(sync(d, t), SD_OK);
	ck_assert_str_eq(order, "ab");
	ck_assert_int_eq(told.calls, 0);
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_str_eq(order, "abc");
	ck_assert_int_eq(told.calls, 1);
	ck_assert_int_eq(told.status, SD_OK);
	ck_assert_uint_eq(told.began * 100 + told.ended, 30);
	d->ops->close(d);
}
END_TEST

START_TEST(copies_copy)
{
	struct sd_device *d = sim();
	sd_handle s = new_stream(d);
	char in[32] = "from the host to the device", out[32] = "";
	struct sd_device_fault fault;
	void *memory, *other;

	ck_assert_int_eq(d->ops->memory_alloc(d, 32, SD_PAGES_NORMAL_ONLY, &memory, NULL), SD_OK);
	ck_assert_int_eq(d->ops->memory_alloc(d, 32, SD_PAGES_NORMAL_ONLY, &other, NULL), SD_OK);
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .kind = SD_TASK_COPY, .target = memory, .source = in, .bytes = 32, .way = SD_COPY_HOST_TO_DEVICE }), SD_OK);
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .kind = SD_TASK_COPY, .target = other, .source = memory, .bytes = 32, .way = SD_COPY_DEVICE_TO_DEVICE }), SD_OK);
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .kind = SD_TASK_COPY, .target = out, .source = other, .bytes = 32, .way = SD_COPY_DEVICE_TO_HOST }), SD_OK);
	ck_assert_str_eq(out, "");
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_str_eq(out, in);
	/* Beyond its block, and in memory that was freed, a copy fails as a bad address. */
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .name = "far", .kind = SD_TASK_COPY, .target = memory, .source = in, .bytes = 33, .way = SD_COPY_HOST_TO_DEVICE }), SD_OK);
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .name = "gone", .kind = SD_TASK_COPY, .target = other, .source = in, .bytes = 32, .way = SD_COPY_HOST_TO_DEVICE }), SD_OK);
	ck_assert_int_eq(d->ops->memory_free(d, other, NULL), SD_OK);
	ck_assert_int_eq(sync(d, s), SD_INTERNAL);
	d->ops->take_fault(d, &fault);
	ck_assert_int_eq(fault.vendor_code, 507015);
	ck_assert_str_eq(fault.task_name, "gone");
	ck_assert_int_eq(submit(d, s, (struct sd_task){ .kind = SD_TASK_COPY, .bytes = 1 }), SD_INVALID_ARGUMENT);
	d->ops->close(d);
}
END_TEST

START_TEST(copies_take_their_time)
{
	static const struct sd_machine_model model = { .cube_cores = 1, .vector_cores = 1, .link_alpha_ns = 12, .link_bytes_per_s = 1000000000, .hbm_bytes_per_s = 2000000000 };
	static const struct {
		enum sd_copy_way way;
		uint64_t duration, ns;
	} rows[] = { { SD_COPY_HOST_TO_DEVICE, 0, 112 }, { SD_COPY_DEVICE_TO_DEVICE, 0, 50 }, { SD_COPY_HOST_TO_DEVICE, 7, 7 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_device *d = sim_with((struct sd_sim_options){ .model = &model });
		sd_handle s = new_stream(d);
		char host[100] = { 0 };
		void *memory;

		ck_assert_int_eq(d->ops->memory_alloc(d, 100, SD_PAGES_NORMAL_ONLY, &memory, NULL), SD_OK);
		ck_assert_int_eq(submit(d, s, (struct sd_task){ .kind = SD_TASK_COPY, .target = memory, .source = rows[i].way == SD_COPY_HOST_TO_DEVICE ? host : memory,
		                                                .bytes = 100, .way = rows[i].way, .duration_ns = rows[i].duration }), SD_OK);
		ck_assert_int_eq(sync(d, s), SD_OK);
		ck_assert_uint_eq(d->ops->now_ns(d), rows[i].ns);
		d->ops->close(d);
	}
}
END_TEST

/* Two tasks of each kind, on two streams: beside each other, or one behind the other. */
START_TEST(engines_are_shared_or_not)
{
	static const struct {
		struct sd_task first, second;
		uint64_t ns;
	} rows[] = {
		{ { .engine = SD_ENGINE_CUBE }, { .engine = SD_ENGINE_CUBE }, 20 },
		{ { .engine = SD_ENGINE_CUBE, .cube_cores = 2 }, { .engine = SD_ENGINE_CUBE, .cube_cores = 2 }, 10 },
		{ { .engine = SD_ENGINE_CUBE }, { .engine = SD_ENGINE_VECTOR }, 10 },
		{ { .engine = SD_ENGINE_MIX }, { .engine = SD_ENGINE_VECTOR, .vector_cores = 1 }, 20 },
		{ { .engine = SD_ENGINE_AICPU }, { .engine = SD_ENGINE_AICPU }, 10 },
		{ { .engine = SD_ENGINE_OTHER }, { .engine = SD_ENGINE_OTHER }, 20 },
		{ { .kind = SD_TASK_COLLECTIVE, .communicator = 3 }, { .kind = SD_TASK_COLLECTIVE, .communicator = 3 }, 20 },
		{ { .kind = SD_TASK_COLLECTIVE, .communicator = 0 }, { .kind = SD_TASK_COLLECTIVE, .communicator = UINT32_MAX }, 10 },
		{ { .kind = SD_TASK_COLLECTIVE, .vector_cores = 8 }, { .engine = SD_ENGINE_VECTOR }, 20 },
		{ { .kind = SD_TASK_SLEEP, .engine = SD_ENGINE_CUBE }, { .kind = SD_TASK_SLEEP, .engine = SD_ENGINE_CUBE }, 10 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_device *d = sim();
		sd_handle s = new_stream(d), t = new_stream(d);
		struct sd_task first = rows[i].first, second = rows[i].second;

		first.duration_ns = second.duration_ns = 10;
		ck_assert_int_eq(submit(d, s, first), SD_OK);
		ck_assert_int_eq(submit(d, t, second), SD_OK);
		ck_assert_int_eq(sync(d, s) | sync(d, t), SD_OK);
		ck_assert_msg(d->ops->now_ns(d) == rows[i].ns, "row %zu took %llu", i, (unsigned long long)d->ops->now_ns(d));
		d->ops->close(d);
	}
}
END_TEST

START_TEST(what_cannot_be_is_refused_whole)
{
	static const struct sd_task bad[] = {
		{ .kind = (enum sd_task_kind)4 }, { .engine = (enum sd_engine_class)7 }, { .kind = SD_TASK_COPY, .way = (enum sd_copy_way)4 },
		{ .engine = SD_ENGINE_CUBE, .cube_cores = 5, .gang = true },
	};
	struct sd_device *d = sim();
	sd_handle s = new_stream(d);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sd_task batch[2] = { { .duration_ns = 1 }, bad[i] };
		struct sd_diag diag = { 0 };

		ck_assert_int_eq(d->ops->submit(d, s, batch, 2, &diag), SD_INVALID_ARGUMENT);
		ck_assert_int_eq(diag.code, SD_CODE_BAD_DEVICE_VALUE);
	}
	ck_assert_uint_eq(facts_of(d).tasks_submitted, 0);
	ck_assert_int_eq(submit(d, 77, bad[0]), SD_NOT_FOUND);
	d->ops->close(d);
}
END_TEST

START_TEST(a_full_queue_takes_nothing)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .tasks_per_stream_max = 3 });
	sd_handle s = new_stream(d), e = new_event(d);
	struct sd_task batch[4] = { { .duration_ns = 1 }, { .duration_ns = 1 }, { .duration_ns = 1 }, { .duration_ns = 1 } };
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(d->ops->submit(d, s, batch, 4, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "cannot take 4 more tasks, its queue takes 3 (vendor error 507002)");
	ck_assert_int_eq(d->ops->submit(d, s, batch, 2, NULL), SD_OK);
	ck_assert_int_eq(d->ops->event_record(d, s, e, NULL), SD_OK); /* takes a place too */
	ck_assert_int_eq(d->ops->submit(d, s, batch, 1, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(d->ops->stream_hold(d, s, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(sync(d, s), SD_OK);
	ck_assert_int_eq(d->ops->submit(d, s, batch, 3, NULL), SD_OK);
	ck_assert_uint_eq(facts_of(d).tasks_submitted, 5);
	d->ops->close(d);
}
END_TEST

/* `run` and `done` may call the device, also wait for it. */
static struct sd_device *nested;
static sd_handle nested_stream;
static void goes_on(void *arg)
{
	if (*(int *)arg > 0) {
		--*(int *)arg;
		ck_assert_int_eq(submit(nested, nested_stream, (struct sd_task){ .run = goes_on, .arg = arg, .duration_ns = 10 }), SD_OK);
		ck_assert_int_eq(sync(nested, nested_stream), SD_OK);
	}
}

START_TEST(tasks_may_call_the_device)
{
	int left = 3;

	nested = sim();
	nested_stream = new_stream(nested);
	ck_assert_int_eq(submit(nested, nested_stream, (struct sd_task){ .run = goes_on, .arg = &left, .duration_ns = 10 }), SD_OK);
	ck_assert_int_eq(sync(nested, nested_stream), SD_OK);
	ck_assert_int_eq(left, 0);
	ck_assert_uint_eq(nested->ops->now_ns(nested), 40);
	nested->ops->close(nested);
}
END_TEST

RUN_TESTS("sim_tasks", kernels_run_in_the_order_of_the_clock, copies_copy, copies_take_their_time, engines_are_shared_or_not,
          what_cannot_be_is_refused_whole, a_full_queue_takes_nothing, tasks_may_call_the_device)
