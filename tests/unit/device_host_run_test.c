/* device_host_run_test - who gets a core, what takes none, and how tasks end. */
#include "run_tests.h"

#include "on_host.h"

START_TEST(urgent_streams_come_first_then_lower_numbers)
{
	atomic_bool gate = false;
	sd_handle busy, stream[4];
	static const char *const name[] = { "late", "middle", "middle2", "first" };
	static const int32_t priority[] = { 7, 3, 3, 0 };

	open_host((struct sd_host_options){ .cores = 1 });
	busy = new_stream(0);
	for (int i = 0; i < 4; i++)
		stream[i] = new_stream(priority[i]);
	give_gate(busy, "gate", &gate);
	for (int i = 3; i >= 0; i--) {
		give_kernel(stream[(i + 1) % 4], name[(i + 1) % 4]);
	}
	atomic_store(&gate, true);
	for (int i = 0; i < 4; i++)
		finish_stream(stream[i]);
	ck_assert_str_eq(order(), "gate first middle middle2 late");
	close_host();
}
END_TEST

START_TEST(stream_keeps_its_order)
{
	static char name[500][12];
	sd_handle stream[3];

	open_host((struct sd_host_options){ .cores = 4 });
	for (int i = 0; i < 3; i++)
		stream[i] = new_stream(i);
	for (int i = 0; i < 500; i++) {
		snprintf(name[i], sizeof(name[i]), "%d", i);
		if (i % 7 == 0)
			give_sleep(stream[i % 3], name[i], 1000);
		else
			give_kernel(stream[i % 3], name[i]);
	}
	for (int i = 0; i < 3; i++)
		finish_stream(stream[i]);
	ck_assert_uint_eq(done_count, 500);
	for (int s = 0; s < 3; s++) {
		int last = -1;

		for (unsigned i = 0; i < done_count; i++) {
			int number = atoi(done[i].name);

			if (number % 3 != s)
				continue;
			ck_assert_int_gt(number, last);
			last = number;
		}
	}
	close_host();
}
END_TEST

START_TEST(sleep_needs_no_core)
{
	atomic_bool gate = false;
	sd_handle busy, resting;

	open_host((struct sd_host_options){ .cores = 1 });
	busy = new_stream(0);
	resting = new_stream(0);
	give_gate(busy, "gate", &gate);
	give_sleep(resting, "sleep", 2 * MS);
	give_sleep(resting, "again", 2 * MS);
	finish_stream(resting);
	ck_assert_str_eq(order(), "sleep again");
	ck_assert_uint_ge(done[0].ended_ns - done[0].began_ns, 2 * MS);
	ck_assert_uint_ge(done[1].began_ns, done[0].ended_ns);
	atomic_store(&gate, true);
	finish_stream(busy);
	close_host();
}
END_TEST

/* The same number: one after the other; another number: beside it. The first one has its communicator until all are given. */
START_TEST(collectives_of_one_communicator_exclude_each_other)
{
	atomic_bool gate = false;
	sd_handle stream[4];

	open_host((struct sd_host_options){ .cores = 1 });
	for (int i = 0; i < 4; i++) {
		struct sd_task task = named("0\0" "1\0" "2\0" "3" + 2 * i);

		stream[i] = new_stream(i == 3 ? 0 : 5);
		task.kind = SD_TASK_COLLECTIVE;
		task.communicator = i == 2 ? 77 : 5;
		task.duration_ns = 5 * MS;
		task.run = i == 0 ? stay : NULL;
		task.arg = &gate;
		ck_assert_int_eq(give(stream[i], task), SD_OK);
	}
	finish_stream(stream[2]);
	ck_assert_str_eq(order(), "2");
	atomic_store(&gate, true);
	for (int i = 0; i < 4; i++)
		finish_stream(stream[i]);
	ck_assert_str_eq(order(), "2 0 3 1"); /* 3 is the urgent one */
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < i; k++) {
			bool apart = done[i].began_ns >= done[k].ended_ns || done[k].began_ns >= done[i].ended_ns;
			bool is_other = strcmp(done[i].name, "2") == 0 || strcmp(done[k].name, "2") == 0;

			ck_assert_msg(apart || is_other, "%s beside %s", done[i].name, done[k].name);
		}
	}
	close_host();
}
END_TEST

START_TEST(copies_copy_and_kernels_run)
{
	char from[] = "0123456789abcdef", to[32] = "";
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 2 });
	stream = new_stream(0);
	give(stream, (struct sd_task){ .kind = SD_TASK_COPY, .source = from, .target = to, .bytes = sizeof(from), .way = SD_COPY_HOST_TO_HOST });
	give(stream, (struct sd_task){ .kind = SD_TASK_COPY, .source = from + 10, .target = to, .bytes = 6, .way = SD_COPY_DEVICE_TO_HOST });
	finish_stream(stream);
	ck_assert_str_eq(to, "abcdef6789abcdef");
	close_host();
}
END_TEST

static uint64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

START_TEST(kernel_without_work_keeps_a_core_busy)
{
	struct sd_task task = named("kernel");
	uint64_t before;
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1 });
	stream = new_stream(0);
	task.duration_ns = 50 * MS;
	before = cpu_ms();
	give(stream, task);
	finish_stream(stream);
	ck_assert_uint_ge(cpu_ms() - before, 48);
	ck_assert_uint_ge(done[0].ended_ns - done[0].began_ns, 50 * MS);
	close_host();
}
END_TEST

START_TEST(failed_task_is_told_once_and_kept_as_the_last_fault)
{
	struct sd_device_fault fault;
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	sd_handle stream;

	open_host((struct sd_host_options){ .cores = 1, .fault = { .task = 2 } });
	stream = new_stream(0);
	give_kernel(stream, "a");
	give_kernel(stream, "b");
	give_kernel(stream, "c");
	ck_assert_int_eq(device->ops->stream_synchronize(device, stream, LONG_MS, &diag), SD_INTERNAL);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_str_eq(message, "task 1 of stream 1 failed with vendor error 507015; what ran behind it may be wrong");
	finish_stream(stream);
	ck_assert_str_eq(order(), "a b c");
	ck_assert_int_eq(done[0].status, SD_OK);
	ck_assert_int_eq(done[1].status, SD_INTERNAL);
	ck_assert_int_eq(done[2].status, SD_OK);
	device->ops->take_fault(device, &fault);
	ck_assert_int_eq(fault.vendor_code, 507015);
	ck_assert_uint_eq(fault.stream, stream);
	ck_assert_uint_eq(fault.task_index, 1);
	ck_assert_str_eq(fault.task_name, "b");
	device->ops->take_fault(device, &fault);
	ck_assert_int_eq(fault.vendor_code, 0);
	close_host();
}
END_TEST

static sd_handle chained_stream;

static void enqueue_more(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	on_done(arg, status, began_ns, ended_ns);
	give_kernel(chained_stream, "second");
}

START_TEST(end_of_a_task_may_enqueue)
{
	struct sd_task task = named("first");

	open_host((struct sd_host_options){ .cores = 1 });
	chained_stream = new_stream(0);
	task.done = enqueue_more;
	give(chained_stream, task);
	finish_stream(chained_stream);
	finish_stream(chained_stream);
	ck_assert_str_eq(order(), "first second");
	close_host();
}
END_TEST

RUN_TESTS("device_host_run", urgent_streams_come_first_then_lower_numbers, stream_keeps_its_order, sleep_needs_no_core,
          collectives_of_one_communicator_exclude_each_other, copies_copy_and_kernels_run, kernel_without_work_keeps_a_core_busy,
          failed_task_is_told_once_and_kept_as_the_last_fault, end_of_a_task_may_enqueue)
