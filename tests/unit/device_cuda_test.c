/* device_cuda_test - how libcuda is opened, closed, and called. */
#include "vendor_count.h"

#include "cuda_api.h"
#include "library_without.h"

START_TEST(opened_and_closed)
{
	struct sd_device_facts facts;

	begin_cuda();
	device->ops->facts(device, &facts);
	ck_assert_str_eq(facts.name, "cuda");
	ck_assert_uint_eq(facts.streams_max, 40);
	ck_assert_uint_eq(facts.cube_cores, 132);
	ck_assert_uint_eq(facts.vector_cores, 132);
	ck_assert_uint_eq(facts.memory_bytes, UINT64_C(80) << 30);
	ck_assert_uint_eq(facts.memory_free_bytes, UINT64_C(70) << 30);
	ck_assert_uint_eq(facts.tasks_per_stream_max, 2013);
	ck_assert_uint_eq(facts.streams_used, 0);
	end_well();
	ck_assert_uint_eq(standin.standin_calls("cuDevicePrimaryCtxRetain"), 1);
	ck_assert_uint_eq(standin.standin_calls("cuDevicePrimaryCtxRelease_v2"), 1);
}
END_TEST

/* Whatever fails on the way, nothing is left. */
START_TEST(opening_fails_anywhere)
{
	struct sd_cuda_options options = { .library = CUDA_STANDIN };
	uint64_t k = 0;
	enum sd_status status;

	standin = standin_open(CUDA_STANDIN);
	do {
		standin.standin_reset();
		standin.standin_fail(NULL, ++k, 999, NULL);
		status = sd_cuda_open(&options, &device, &diag);
		standin.standin_fail(NULL, 0, 0, NULL);
		if (status != SD_OK)
			ck_assert_ptr_null(device);
		else
			device->ops->close(device);
		forget_diag();
		ck_assert_msg(standin.standin_complaints() == 0, "%s", standin.standin_complaint());
		for (int kind = 0; kind < STANDIN_KINDS; kind++)
			ck_assert_uint_eq(standin.standin_live(kind), 0);
	} while (k < 12);
	ck_assert_int_eq(status, SD_OK); /* so that all calls of opening were among them */
}
END_TEST

START_TEST(no_such_device)
{
	struct sd_cuda_options options = { .library = CUDA_STANDIN, .device_id = 7 };

	standin = standin_open(CUDA_STANDIN);
	ck_assert_int_eq(sd_cuda_open(&options, &device, &diag), SD_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(message(), "cuDeviceGet was refused with vendor error 101: CUDA_ERROR_INVALID_DEVICE"));
	options.library = "libcuda-not-there.so";
	forget_diag();
	FAILS(sd_cuda_open(&options, &device, &diag), NO_LIBRARY);
}
END_TEST

/* A library without one of the functions: opening names it, unless it may be missing. */
START_TEST(each_symbol_is_checked)
{
	static const struct {
		const char *name;
		bool is_optional;
	} symbol[] = {
#define X(name, answer, arguments, is_optional) { #name, is_optional },
		SD_CUDA_LIST(X)
#undef X
	};
	size_t refused = 0;

	for (size_t i = 0; i < sizeof(symbol) / sizeof(symbol[0]); i++) {
		char path[64];
		struct sd_cuda_options options = { .library = library_without(CUDA_STANDIN, symbol[i].name, path, sizeof(path)) };
		enum sd_status status = sd_cuda_open(&options, &device, &diag);

		unlink(path);
		ck_assert_msg(status == (symbol[i].is_optional ? SD_OK : SD_UNIMPLEMENTED), "%s", symbol[i].name);
		if (status == SD_OK)
			device->ops->close(device);
		else
			ck_assert_msg(strstr(message(), symbol[i].name) != NULL, "%s", message());
		refused += status != SD_OK;
		forget_diag();
	}
	ck_assert_uint_gt(refused, 20);
}
END_TEST

/* What may be missing is told by the call that needs it. */
START_TEST(optional_symbols)
{
	char path[64];
	struct sd_cuda_options options = { .library = library_without(CUDA_STANDIN, "cuStreamWaitValue32_v2", path, sizeof(path)) };

	OK(sd_cuda_open(&options, &device, &diag));
	unlink(path);
	FAILS(device->ops->stream_hold(device, make_stream(0), &diag), NO_SYMBOL);
	device->ops->close(device);
	options.library = library_without(CUDA_STANDIN, "cuLaunchHostFunc", path, sizeof(path));
	OK(sd_cuda_open(&options, &device, &diag));
	unlink(path);
	FAILS(device->ops->submit(device, make_stream(0), &count, 1, &diag), NO_SYMBOL);
	device->ops->close(device);
	options.library = library_without(CUDA_STANDIN, "cuStreamGetId", path, sizeof(path));
	OK(sd_cuda_open(&options, &device, &diag));
	unlink(path);
	for (int32_t i = 1; i < 4; i++) {
		sd_handle stream;
		int32_t rt_id;

		OK(device->ops->stream_create(device, 0, 0, &stream, &rt_id, &diag));
		ck_assert_int_eq(rt_id, i);
	}
	device->ops->close(device);
}
END_TEST

/* 0 is the greatest priority of the device and 7 the least, whatever numbers it has; more urgent is never less so. */
START_TEST(priorities)
{
	static const int32_t range[][2] = { { 0, -5 }, { 0, -1 }, { 0, 0 }, { 0, -7 }, { 10, -10 } };
	static const int32_t expected[][8] = { { -5, -4, -4, -3, -2, -1, -1, 0 }, { -1, -1, -1, -1, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0 }, { -7, -6, -5, -4, -3, -2, -1, 0 } };

	for (size_t i = 0; i < sizeof(range) / sizeof(range[0]); i++) {
		struct sd_cuda_options options = { .library = CUDA_STANDIN };
		int32_t before = INT32_MIN;

		standin = standin_open(CUDA_STANDIN);
		standin.standin_reset();
		standin.standin_priorities(range[i][0], range[i][1]);
		OK(sd_cuda_open(&options, &device, &diag));
		for (int32_t priority = -3; priority < 11; priority++) {
			int32_t rt_id, got, clamped = priority < 0 ? 0 : priority > 7 ? 7 : priority;
			sd_handle stream;

			OK(device->ops->stream_create(device, priority, 0, &stream, &rt_id, &diag));
			got = standin.standin_last_priority();
			ck_assert_int_ge(got, before);
			before = got;
			if (i < 4)
				ck_assert_int_eq(got, expected[i][clamped]);
			if (clamped == 0)
				ck_assert_int_eq(got, range[i][1]);
			if (clamped == 7)
				ck_assert_int_eq(got, range[i][0]);
		}
		end_well();
	}
}
END_TEST

START_TEST(flags)
{
	static const uint32_t foreign[] = { SD_STREAM_AICPU, SD_STREAM_OVERFLOW, SD_STREAM_VECTOR_CORE_USE, SD_STREAM_CP_PROCESS_USE, SD_STREAM_ACSQ_LOCK, SD_STREAM_DQS_CTRL };
	sd_handle object;
	int32_t rt_id;

	begin_cuda();
	make_stream(SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY | SD_STREAM_HEAD | SD_STREAM_FAST_LAUNCH | SD_STREAM_FAST_SYNC);
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_STREAM), SD_CUDA_STREAM_NON_BLOCKING);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		FAILS(device->ops->stream_create(device, 0, foreign[i], &object, &rt_id, &diag), FLAGS_UNSUPPORTED);
	FAILS(device->ops->stream_create(device, 0, SD_STREAM_HUGE, &object, &rt_id, &diag), BAD_STREAM_FLAGS);
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 2); /* with the one for memory */
	make_event();
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_EVENT), 0);
	OK(device->ops->event_create(device, 0x4, &object, &diag));
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_EVENT), SD_CUDA_EVENT_DISABLE_TIMING);
	OK(device->ops->event_create(device, 0x8, &object, &diag));
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_EVENT), 0);
	OK(device->ops->event_create(device, 0x48, &object, &diag));
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_EVENT), SD_CUDA_EVENT_DISABLE_TIMING | SD_CUDA_EVENT_INTERPROCESS);
	FAILS(device->ops->event_create(device, 0x20, &object, &diag), FLAGS_UNSUPPORTED);
	end_well();
}
END_TEST

/* The driver tells no maxima: those of the caller hold, and the error names what there is none of. */
START_TEST(limits)
{
	sd_handle object, notify[40];
	int32_t rt_id;

	begin_cuda();
	for (int i = 0; i < 40; i++) {
		object = make_stream(0);
		make_event();
		OK(device->ops->notify_create(device, 0, &notify[i], &diag));
	}
	ck_assert_int_eq(device->ops->stream_create(device, 0, 0, &object, &rt_id, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_ptr_nonnull(strstr(message(), "no streams left: 40 of 40"));
	forget_diag();
	ck_assert_int_eq(device->ops->event_create(device, 0, &object, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_ptr_nonnull(strstr(message(), "no events left: 40 of 40"));
	forget_diag();
	ck_assert_int_eq(device->ops->notify_create(device, 0, &object, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_ptr_nonnull(strstr(message(), "no notifies left: 40 of 40"));
	forget_diag();
	OK(device->ops->notify_destroy(device, notify[3], &diag));
	OK(device->ops->notify_create(device, 0, &object, &diag));
	end_well();
}
END_TEST

START_TEST(copies_and_functions)
{
	char from[8] = "abcdefg", to[8] = "", hosts[8] = "";
	void *block[2];
	sd_handle stream;

	begin_cuda();
	stream = make_stream(0);
	for (int i = 0; i < 2; i++)
		OK(device->ops->memory_alloc(device, 8, SD_PAGES_HUGE_FIRST, &block[i], &diag));
	{
		const struct sd_task batch[] = {
			{ .name = "in", .kind = SD_TASK_COPY, .source = from, .target = block[0], .bytes = 8, .way = SD_COPY_HOST_TO_DEVICE },
			{ .name = "over", .kind = SD_TASK_COPY, .source = block[0], .target = block[1], .bytes = 8, .way = SD_COPY_DEVICE_TO_DEVICE },
			{ .name = "out", .kind = SD_TASK_COPY, .source = block[1], .target = to, .bytes = 8, .way = SD_COPY_DEVICE_TO_HOST, .done = done },
			count,
			{ .name = "home", .kind = SD_TASK_COPY, .source = to, .target = hosts, .bytes = 8, .way = SD_COPY_HOST_TO_HOST },
		};

		OK(device->ops->submit(device, stream, batch, 5, &diag));
	}
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
	ck_assert_str_eq(hosts, from);
	ck_assert_int_eq(ran, 1);
	ck_assert_int_eq(told[SD_OK], 2);
	ck_assert_uint_eq(standin.standin_calls("cuMemcpyHtoDAsync_v2"), 1);
	ck_assert_uint_eq(standin.standin_calls("cuMemcpyDtoDAsync_v2"), 1);
	ck_assert_uint_eq(standin.standin_calls("cuMemcpyDtoHAsync_v2"), 1);
	ck_assert_uint_eq(standin.standin_calls("cuMemcpyAsync"), 1);
	end_well();
}
END_TEST

START_TEST(events)
{
	sd_handle stream, other, start, end, untimed;
	enum sd_progress progress;
	int64_t ns = -1;

	begin_cuda();
	stream = make_stream(0);
	other = make_stream(0);
	start = make_event();
	end = make_event();
	OK(device->ops->event_create(device, 0x4, &untimed, &diag));
	FAILS(device->ops->event_wait(device, stream, start, &diag), NOT_RECORDED);
	OK(device->ops->event_record(device, stream, start, &diag));
	OK(device->ops->stream_hold(device, stream, &diag));
	OK(device->ops->event_record(device, stream, end, &diag));
	OK(device->ops->event_wait(device, other, end, &diag));
	OK(device->ops->event_synchronize(device, start, SD_FOR_EVER, &diag));
	OK(device->ops->event_query(device, end, &progress, &diag));
	ck_assert_int_eq(progress, SD_NOT_DONE);
	ck_assert_int_eq(device->ops->event_synchronize(device, end, 10, &diag), SD_DEADLINE_EXCEEDED);
	ck_assert_ptr_nonnull(strstr(message(), "cuEventQuery ended with vendor error 909: CUDA_ERROR_TIMEOUT"));
	forget_diag();
	FAILS(device->ops->event_elapsed(device, start, end, &ns, &diag), VENDOR_STATE);
	FAILS(device->ops->stream_synchronize(device, other, 10, &diag), VENDOR_TIMEOUT);
	OK(device->ops->activate(device, make_stream(0), stream, &diag));
	OK(device->ops->event_synchronize(device, end, 5000, &diag));
	OK(device->ops->stream_synchronize(device, other, 5000, &diag));
	OK(device->ops->event_elapsed(device, start, end, &ns, &diag));
	ck_assert_int_gt(ns, 5000000);
	FAILS(device->ops->event_elapsed(device, end, start, &ns, &diag), BAD_DEVICE_VALUE);
	OK(device->ops->event_record(device, stream, untimed, &diag));
	FAILS(device->ops->event_elapsed(device, start, untimed, &ns, &diag), VENDOR_STATE);
	FAILS(device->ops->event_synchronize(device, end, 0, &diag), BAD_DEVICE_VALUE);
	end_well();
}
END_TEST

START_TEST(codes_become_statuses)
{
	static const struct {
		int64_t code;
		enum sd_status status;
		const char *name;
	} rows[] = {
		{ 1, SD_INVALID_ARGUMENT, "CUDA_ERROR_INVALID_VALUE" },     { 2, SD_RESOURCE_EXHAUSTED, "CUDA_ERROR_OUT_OF_MEMORY" },
		{ 46, SD_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE" },    { 201, SD_FAILED_PRECONDITION, "CUDA_ERROR_INVALID_CONTEXT" },
		{ 400, SD_FAILED_PRECONDITION, "CUDA_ERROR_INVALID_HANDLE" }, { 700, SD_INTERNAL, "CUDA_ERROR_ILLEGAL_ADDRESS" },
		{ 719, SD_INTERNAL, "CUDA_ERROR_LAUNCH_FAILED" },           { 801, SD_UNIMPLEMENTED, "CUDA_ERROR_NOT_SUPPORTED" },
		{ 909, SD_DEADLINE_EXCEEDED, "CUDA_ERROR_TIMEOUT" },        { 226, SD_INTERNAL, "CUDA_ERROR_CONTAINED" /* only the driver knows it */ },
		{ 12345, SD_INTERNAL, "the number is not known" },
	};
	sd_handle event;

	begin_cuda();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		standin.standin_fail("cuEventCreate", 1, rows[i].code, NULL);
		ck_assert_int_eq(device->ops->event_create(device, 0, &event, &diag), rows[i].status);
		ck_assert_int_eq(diag.arg[1].number, rows[i].code);
		ck_assert_msg(strstr(message(), rows[i].name) != NULL, "%s", message());
		forget_diag();
	}
	end_well();
}
END_TEST

RUN_TESTS("device_cuda", opened_and_closed, opening_fails_anywhere, no_such_device, each_symbol_is_checked, optional_symbols, priorities, flags, limits,
          copies_and_functions, events, codes_become_statuses)
