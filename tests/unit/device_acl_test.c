/* device_acl_test - how libascendcl is opened, closed, and called. */
#include "vendor_world.h"

#include "streamd/stream_flags.h"

START_TEST(opened_and_closed)
{
	struct sd_device_facts facts;

	begin_acl();
	device->ops->facts(device, &facts);
	ck_assert_str_eq(facts.name, "acl");
	ck_assert_uint_eq(facts.streams_max, 1984);
	ck_assert_uint_eq(facts.events_max, 65536);
	ck_assert_uint_eq(facts.cube_cores, 24);
	ck_assert_uint_eq(facts.vector_cores, 48);
	ck_assert_uint_eq(facts.memory_bytes, UINT64_C(64) << 30);
	ck_assert_uint_eq(facts.tasks_per_stream_max, 2013);
	end_well();
	ck_assert_uint_eq(standin.standin_calls("aclInit"), 1);
	ck_assert_uint_eq(standin.standin_calls("aclFinalize"), 1);
}
END_TEST

START_TEST(two_devices_initialise_once)
{
	struct sd_acl_options options = { .library = ACL_STANDIN, .device_id = 1 };
	struct sd_device *other;

	begin_acl();
	OK(sd_acl_open(&options, &other, &diag));
	other->ops->close(other);
	ck_assert_uint_eq(standin.standin_calls("aclFinalize"), 0);
	end_well();
	ck_assert_uint_eq(standin.standin_calls("aclInit"), 1);
}
END_TEST

START_TEST(somebody_else_initialised)
{
	struct sd_acl_options options = { .library = ACL_STANDIN };

	standin = standin_open(ACL_STANDIN);
	standin.standin_fail("aclInit", 1, 100002, NULL);
	{ /* as the application would have done */
		int (*init)(const char *config);
		void *found = dlsym(dlopen(ACL_STANDIN, RTLD_NOW), "aclInit");

		memcpy(&init, &found, sizeof(init));
		standin.standin_fail(NULL, 0, 0, NULL);
		ck_assert_int_eq(init(NULL), 0);
	}
	OK(sd_acl_open(&options, &device, &diag));
	device->ops->close(device);
	ck_assert_uint_eq(standin.standin_calls("aclFinalize"), 0);
}
END_TEST

START_TEST(busy)
{
	struct sd_acl_options options = { .library = ACL_STANDIN, .busy_wait_ms = 1 };

	standin = standin_open(ACL_STANDIN);
	standin.standin_fail("aclrtSetDevice", 1 | STANDIN_AND_ALL_BEHIND, 507000, "EL0005: the resources are busy");
	FAILS(sd_acl_open(&options, &device, &diag), DEVICE_BUSY);
	ck_assert_ptr_null(device);
	ck_assert_uint_eq(standin.standin_calls("aclrtSetDevice"), 4);
	standin.standin_reset();
	standin.standin_fail("aclrtSetDevice", 1, 507000, "EL0005: the resources are busy");
	OK(sd_acl_open(&options, &device, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtSetDevice"), 2);
	end_well();
	standin.standin_reset();
	standin.standin_fail("aclrtSetDevice", 1 | STANDIN_AND_ALL_BEHIND, 507000, "EE9999: something else");
	FAILS(sd_acl_open(&options, &device, &diag), VENDOR_FAILED);
	ck_assert_uint_eq(standin.standin_calls("aclrtSetDevice"), 1);
	ck_assert_uint_eq(standin.standin_complaints(), 0);
}
END_TEST

START_TEST(no_such_device)
{
	struct sd_acl_options options = { .library = ACL_STANDIN, .device_id = 7 };

	standin = standin_open(ACL_STANDIN);
	FAILS(sd_acl_open(&options, &device, &diag), VENDOR_ARGUMENT);
	ck_assert_uint_eq(standin.standin_calls("aclFinalize"), 1);
}
END_TEST

/* The same flag has another number there. */
START_TEST(flags_cross_the_border)
{
	sd_handle event;

	begin_acl();
	make_stream(SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY);
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_STREAM), 0x4);
	make_stream(SD_STREAM_FAST_LAUNCH | SD_STREAM_FAST_SYNC);
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_STREAM), 0x3);
	make_stream(SD_STREAM_CP_PROCESS_USE);
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_STREAM), 0x20);
	make_event();
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_EVENT), 0xb);
	OK(device->ops->event_create(device, 0x20, &event, &diag));
	ck_assert_uint_eq(standin.standin_last_flags(STANDIN_EVENT), 0x20);
	FAILS(device->ops->event_create(device, 0x1, &event, &diag), FLAGS_UNSUPPORTED);
	end_well();
}
END_TEST

START_TEST(flags_that_are_refused)
{
	static const uint32_t foreign[] = { SD_STREAM_AICPU, SD_STREAM_OVERFLOW, SD_STREAM_VECTOR_CORE_USE, SD_STREAM_ACSQ_LOCK, SD_STREAM_DQS_CTRL, SD_STREAM_DQS_INTER_CHIP };
	sd_handle stream;
	int32_t rt_id;

	begin_acl();
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		FAILS(device->ops->stream_create(device, 0, foreign[i], &stream, &rt_id, &diag), FLAGS_UNSUPPORTED);
	FAILS(device->ops->stream_create(device, 0, SD_STREAM_HUGE, &stream, &rt_id, &diag), BAD_STREAM_FLAGS);
	FAILS(device->ops->stream_create(device, 0, 0x40, &stream, &rt_id, &diag), BAD_STREAM_FLAGS);
	ck_assert_uint_eq(stream, SD_NO_HANDLE);
	ck_assert_uint_eq(standin.standin_created(STANDIN_STREAM), 0);
	end_well();
}
END_TEST

START_TEST(priorities_are_clamped)
{
	static const int32_t rows[][2] = { { 0, 0 }, { 5, 5 }, { 7, 7 }, { 9, 7 }, { -3, 0 } };
	sd_handle stream;
	int32_t rt_id;

	begin_acl();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OK(device->ops->stream_create(device, rows[i][0], 0, &stream, &rt_id, &diag));
		ck_assert_int_eq(standin.standin_last_priority(), rows[i][1]);
		ck_assert_int_eq(rt_id, (int32_t)i + 1);
	}
	end_well();
}
END_TEST

/* A stream whose number cannot be read is not left behind. */
START_TEST(id_fails)
{
	sd_handle stream;
	int32_t rt_id;

	begin_acl();
	standin.standin_fail("aclrtStreamGetId", 1, 507000, NULL);
	FAILS(device->ops->stream_create(device, 0, 0, &stream, &rt_id, &diag), VENDOR_FAILED);
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 0);
	end_well();
}
END_TEST

START_TEST(codes_become_statuses)
{
	static const struct {
		int64_t code;
		enum sd_status status;
	} rows[] = {
		{ 107000, SD_INVALID_ARGUMENT },  { 107002, SD_FAILED_PRECONDITION }, { 107003, SD_FAILED_PRECONDITION }, { 107005, SD_FAILED_PRECONDITION },
		{ 107019, SD_DEADLINE_EXCEEDED }, { 107023, SD_FAILED_PRECONDITION },             { 107030, SD_FAILED_PRECONDITION }, { 207000, SD_UNIMPLEMENTED },
		{ 207001, SD_RESOURCE_EXHAUSTED }, { 207005, SD_RESOURCE_EXHAUSTED }, { 207008, SD_RESOURCE_EXHAUSTED }, { 507002, SD_RESOURCE_EXHAUSTED },
		{ 507015, SD_INTERNAL },          { 507046, SD_DEADLINE_EXCEEDED },   { 1, SD_INTERNAL },
	};
	sd_handle event;

	begin_acl();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		standin.standin_fail("aclrtCreateEventExWithFlag", 1, rows[i].code, NULL);
		ck_assert_int_eq(device->ops->event_create(device, 0, &event, &diag), rows[i].status);
		ck_assert_int_eq(diag.arg[1].number, rows[i].code);
		forget_diag();
	}
	end_well();
}
END_TEST

RUN_TESTS("device_acl", opened_and_closed, two_devices_initialise_once, somebody_else_initialised, busy, no_such_device, flags_cross_the_border,
          flags_that_are_refused, priorities_are_clamped, id_fails, codes_become_statuses)
