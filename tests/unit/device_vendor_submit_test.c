/* device_vendor_submit_test - tasks and their callbacks over a stand-in. */
#include "vendor_world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define BYTES 16

static char from[BYTES] = "what is copied", to[BYTES];
static atomic_int ran, told[SD_UNAVAILABLE + 1];
static int order[8];

static void run(void *arg)
{
	order[atomic_fetch_add(&ran, 1)] = *(int *)arg;
}

static void done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	ck_assert_uint_le(began_ns, ended_ns);
	ck_assert(status != SD_OK || began_ns > 0);
	atomic_fetch_add(&told[status], 1);
}

static struct sd_task copy(void)
{
	return (struct sd_task){ .name = "copy", .kind = SD_TASK_COPY, .source = from, .target = to, .bytes = BYTES, .way = SD_COPY_HOST_TO_DEVICE, .done = done };
}

START_TEST(in_order)
{
	static int number[3] = { 0, 1, 2 };
	struct sd_task batch[4];
	struct sd_device_facts facts;
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	for (int i = 0; i < 3; i++)
		batch[i] = (struct sd_task){ .name = "run", .kind = i % 2 ? SD_TASK_COLLECTIVE : SD_TASK_KERNEL, .run = run, .arg = &number[i], .done = done };
	batch[3] = copy();
	OK(device->ops->submit(device, stream, batch, 4, &diag));
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(order[i], i);
	ck_assert_str_eq(to, from);
	ck_assert_int_eq(told[SD_OK], 4);
	device->ops->facts(device, &facts);
	ck_assert_uint_eq(facts.tasks_submitted, 4);
	ck_assert_uint_eq(facts.submissions, 1);
	end_well();
}
END_TEST

/* A batch with one task that cannot run is refused as a whole. */
START_TEST(refused)
{
	struct sd_task batch[2] = { copy(), { .name = "kernel", .kind = SD_TASK_KERNEL, .duration_ns = 5 } };
	char text[SD_MESSAGE_MAX];
	sd_handle stream;

	begin_acl();
	stream = make_stream(0);
	ck_assert_int_eq(device->ops->submit(device, stream, batch, 2, &diag), SD_UNIMPLEMENTED);
	sd_diag_message(&diag, NULL, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "task 1"));
	forget_diag();
	batch[1] = (struct sd_task){ .name = "sleep", .kind = SD_TASK_SLEEP, .duration_ns = 5 };
	FAILS(device->ops->submit(device, stream, batch, 2, &diag), TASK_UNSUPPORTED);
	batch[1] = (struct sd_task){ .name = "copy", .kind = SD_TASK_COPY, .bytes = 4 };
	FAILS(device->ops->submit(device, stream, batch, 2, &diag), TASK_UNSUPPORTED);
	FAILS(device->ops->submit(device, 99, batch, 1, &diag), NO_SUCH_HANDLE);
	ck_assert_uint_eq(standin.standin_calls("aclrtMemcpyAsync"), 0);
	OK(device->ops->submit(device, stream, batch, 0, &diag));
	end_well();
}
END_TEST

/* Wherever a batch fails, what was taken is told of once, and nothing is lost. */
START_TEST(fails_anywhere)
{
	static int number = 7;

	for (uint64_t k = 1; k <= 5; k++) {
		struct sd_task batch[2] = { copy(), { .name = "run", .kind = SD_TASK_KERNEL, .run = run, .arg = &number, .done = done } };
		sd_handle stream;
		enum sd_status status;

		begin_acl();
		stream = make_stream(0);
		told[SD_OK] = ran = 0;
		standin.standin_fail(NULL, k + 1, 507002, NULL);
		status = device->ops->submit(device, stream, batch, 2, &diag);
		ck_assert_int_eq(status, k < 5 ? SD_RESOURCE_EXHAUSTED : SD_OK);
		forget_diag();
		standin.standin_fail(NULL, 0, 0, NULL);
		OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
		ck_assert_int_eq(told[SD_OK], k < 4 ? 0 : k == 4 ? 1 : 2);
		ck_assert_int_eq(ran, k == 5);
		end_well();
	}
}
END_TEST

/* What is dropped is told as such. */
START_TEST(dropped)
{
	static int number;
	struct sd_task batch[2] = { copy(), { .name = "run", .kind = SD_TASK_KERNEL, .run = run, .arg = &number, .done = done } };
	sd_handle stream;

	begin_acl();
	for (int way = 0; way < 3; way++) {
		stream = make_stream(0);
		OK(device->ops->stream_hold(device, stream, &diag));
		OK(device->ops->submit(device, stream, batch, 2, &diag));
		if (way == 0)
			OK(device->ops->stream_abort(device, stream, &diag));
		if (way == 1)
			OK(device->ops->stream_destroy(device, stream, true, &diag));
		if (way < 2)
			ck_assert_int_eq(told[SD_ABORTED], 2 * (way + 1));
	}
	end_well();
	ck_assert_int_eq(told[SD_ABORTED], 6);
	ck_assert_int_eq(told[SD_OK], 0);
	ck_assert_int_eq(ran, 0);
}
END_TEST

static atomic_uint_fast64_t calls_before;

/* Close waits for a function that runs: this one runs until close has called the library, and a while longer. */
static void run_slowly(void *arg)
{
	atomic_store(&ran, 1);
	while (atomic_load(&calls_before) == 0 || standin.standin_calls(NULL) == atomic_load(&calls_before))
		usleep(100);
	usleep(20000);
	atomic_store(&ran, 2);
}

START_TEST(close_waits_for_what_runs)
{
	struct sd_task slow = { .name = "slow", .kind = SD_TASK_KERNEL, .run = run_slowly, .done = done };

	begin_acl();
	OK(device->ops->submit(device, make_stream(0), &slow, 1, &diag));
	while (atomic_load(&ran) == 0)
		usleep(100);
	atomic_store(&calls_before, standin.standin_calls(NULL));
	end_well();
	ck_assert_int_eq(ran, 2);
	ck_assert_int_eq(told[SD_OK], 1);
}
END_TEST

RUN_TESTS("device_vendor_submit", in_order, refused, fails_anywhere, dropped, close_waits_for_what_runs)
