/* device_test - what every device does with the table, whoever fills it: the same calls, the same answers. */
#include "run_tests.h"

#include <stdatomic.h>

#include "standin_control.h"
#include "streamd/device_acl.h"
#include "streamd/device_cuda.h"
#include "streamd/device_host.h"
#include "streamd/device_sim.h"
#include "streamd/growing.h"
#include "streamd/task_queue.h"

enum kind { SIM, HOST, ACL, CUDA, QUEUE, KINDS }; /* QUEUE: launches in front of host */

#define MOST 6 /* streams, events and notifies at one time */

static enum kind kind;
static const char *const kind_name[KINDS] = { "sim", "host", "acl", "cuda", "queue" };
static struct sd_device *device, *behind;
static struct standin_control standin;
static struct sd_diag diag;
static atomic_int ran, told[SD_UNAVAILABLE + 1];

static void run(void *arg)
{
	atomic_fetch_add(&ran, 1);
}

static void done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	atomic_fetch_add(&told[status], 1);
}

static const struct sd_task count = { .name = "count", .kind = SD_TASK_KERNEL, .duration_ns = 1000, .run = run, .done = done };

static void open_acl(void)
{
	static const struct sd_acl_options acl = { .library = ACL_STANDIN };

	standin = standin_open(ACL_STANDIN);
	standin.standin_reset();
	standin.standin_limit(STANDIN_STREAM, MOST);
	standin.standin_limit(STANDIN_EVENT, MOST);
	standin.standin_limit(STANDIN_NOTIFY, MOST);
	ck_assert_int_eq(sd_acl_open(&acl, &device, &diag), SD_OK);
}

static void open_kind(enum kind of)
{
	static const struct sd_device_facts few = { .streams_max = MOST, .events_max = MOST, .notifies_max = MOST, .memory_bytes = 1 << 20 };
	static const struct sd_sim_options sim = { .streams_max = MOST, .events_max = MOST, .notifies_max = MOST, .memory_bytes = 1 << 20 };
	static const struct sd_host_options host = { .has = few, .cores = 2, .stuck_after_ms = 5000 };
	static const struct sd_cuda_options cuda = { .library = CUDA_STANDIN, .has = few };

	kind = of;
	diag = (struct sd_diag){ 0 };
	atomic_store(&ran, 0);
	for (int i = 0; i <= SD_UNAVAILABLE; i++)
		atomic_store(&told[i], 0);
	if (kind == SIM)
		ck_assert_int_eq(sd_sim_open(&sim, &device, &diag), SD_OK);
	if (kind == HOST || kind == QUEUE)
		ck_assert_int_eq(sd_host_open(&host, &device, &diag), SD_OK);
	if (kind == ACL)
		open_acl();
	if (kind == CUDA) {
		standin = standin_open(CUDA_STANDIN);
		standin.standin_reset();
		ck_assert_int_eq(sd_cuda_open(&cuda, &device, &diag), SD_OK);
	}
	behind = NULL;
	if (kind == QUEUE) {
		behind = device;
		ck_assert_int_eq(sd_task_queue_open(NULL, behind, &device, &diag), SD_OK);
	}
}

static void close_kind(void)
{
	device->ops->close(device);
	if (behind)
		behind->ops->close(behind);
	if (kind == ACL || kind == CUDA)
		ck_assert_msg(standin.standin_complaints() == 0, "%s", standin.standin_complaint());
}

#define EACH_KIND for (enum kind of = SIM; of < KINDS; of++)

#define IS(call, status)                                                                                                           \
	do {                                                                                                                       \
		enum sd_status got_ = (call);                                                                                      \
		char words_[SD_MESSAGE_MAX] = "";                                                                                  \
		if (diag.code != SD_CODE_NONE)                                                                                     \
			sd_diag_message(&diag, NULL, words_, sizeof(words_));                                                      \
		ck_assert_msg(got_ == (status), "%s: %s is %d, not %d: %s", kind_name[kind], #call, (int)got_, (int)(status), words_); \
		diag = (struct sd_diag){ 0 };                                                                                      \
	} while (0)
#define OK(call) IS(call, SD_OK)

/* The call is refused for want of something, and its sentence says of what. */
static void is_short_of(enum sd_status status, const char *what)
{
	char words[SD_MESSAGE_MAX];

	ck_assert_msg(status == SD_RESOURCE_EXHAUSTED, "%s: %s: %d", kind_name[kind], what, (int)status);
	sd_diag_message(&diag, NULL, words, sizeof(words));
	ck_assert_msg(strstr(words, what) != NULL, "%s: '%s' is not in: %s", kind_name[kind], what, words);
	diag = (struct sd_diag){ 0 };
}

static sd_handle new_stream(int32_t priority, uint32_t flags)
{
	sd_handle stream;
	int32_t rt_id;

	OK(device->ops->stream_create(device, priority, flags, &stream, &rt_id, &diag));
	return stream;
}

static sd_handle new_event(void)
{
	sd_handle event;

	OK(device->ops->event_create(device, 0, &event, &diag));
	return event;
}

static void finish(sd_handle stream)
{
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
}

static enum sd_progress progress_of(sd_handle event)
{
	enum sd_progress progress;

	OK(device->ops->event_query(device, event, &progress, &diag));
	return progress;
}

static struct sd_device_facts facts_now(void)
{
	struct sd_device_facts facts;

	device->ops->facts(device, &facts);
	return facts;
}

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

START_TEST(memory)
{
	EACH_KIND {
		char from[8] = "abcdefg", to[8] = "";
		struct sd_task out = { .name = "out", .kind = SD_TASK_COPY, .target = to, .bytes = 8, .way = SD_COPY_DEVICE_TO_HOST };
		struct sd_task in = { .name = "in", .kind = SD_TASK_COPY, .source = from, .bytes = 8, .way = SD_COPY_HOST_TO_DEVICE };
		sd_handle stream;
		void *block, *none;

		open_kind(of);
		stream = new_stream(0, 0);
		IS(device->ops->memory_alloc(device, 0, SD_PAGES_HUGE_FIRST, &none, &diag), SD_INVALID_ARGUMENT);
		OK(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_FIRST, &block, &diag));
		in.target = block;
		out.source = block;
		OK(device->ops->submit(device, stream, &in, 1, &diag));
		OK(device->ops->submit(device, stream, &out, 1, &diag));
		finish(stream);
		ck_assert_str_eq(to, from);
		if (of == ACL)
			standin.standin_fail("aclrtMalloc", 1, 207001, NULL);
		if (of == CUDA)
			standin.standin_fail("cuMemAllocAsync", 1, 2, NULL);
		is_short_of(device->ops->memory_alloc(device, 2 << 20, SD_PAGES_HUGE_FIRST, &none, &diag), "memory");
		OK(device->ops->memory_free(device, block, &diag));
		IS(device->ops->memory_free(device, block, &diag), SD_NOT_FOUND);
		close_kind();
	}
}
END_TEST

/* What an executor keeps from run to run works on every device. */
START_TEST(growing)
{
	EACH_KIND {
		struct sd_growing_set set;
		sd_handle main_stream, *stream, *event, *notify;

		open_kind(of);
		main_stream = new_stream(0, 0);
		OK(sd_growing_set_open(&set, NULL, device, &diag));
		sd_growing_set_main(set.streams, main_stream);
		for (uint32_t round = 0; round < 2; round++) { /* the second needs less, and nothing shrinks */
			OK(sd_growing_acquire(set.streams, 4 - round, &stream, &diag));
			OK(sd_growing_acquire(set.events, 3 - round, &event, &diag));
			OK(sd_growing_acquire(set.notifies, 2 - round, &notify, &diag));
			ck_assert_uint_eq(facts_now().streams_used, 4);
			ck_assert_uint_eq(facts_now().events_used, 3);
			ck_assert_uint_eq(facts_now().notifies_used, 2);
			OK(device->ops->submit(device, stream[0], &count, 1, &diag));
			OK(device->ops->event_record(device, stream[0], event[0], &diag));
			OK(device->ops->event_wait(device, stream[1], event[0], &diag));
			OK(device->ops->notify_record(device, stream[1], notify[0], &diag));
			OK(device->ops->notify_wait(device, stream[2], notify[0], &diag));
			finish(stream[2]);
			ck_assert_int_eq(atomic_load(&ran), (int)round + 1);
			finish(main_stream);
		}
		is_short_of(sd_growing_acquire(set.streams, MOST + 1, &stream, &diag), "streams");
		is_short_of(sd_growing_acquire(set.streams, SD_GROWING_STREAMS_END, &stream, &diag), "2024 streams are asked for");
		is_short_of(sd_growing_acquire(set.events, SD_GROWING_EVENTS_END, &event, &diag), "4097 events are asked for");
		is_short_of(sd_growing_acquire(set.notifies, SD_GROWING_NOTIFIES_END, &notify, &diag), "1024 notifies are asked for");
		sd_growing_set_close(&set);
		ck_assert_uint_eq(facts_now().streams_used, 1);
		ck_assert_uint_eq(facts_now().events_used + facts_now().notifies_used, 0);
		close_kind();
	}
}
END_TEST

RUN_TESTS("device", streams, order, events, waits_without_a_record, elapsed, times_to_wait, aborted, holds, notifies, memory, growing)
