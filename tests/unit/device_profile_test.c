/* device_profile_test - what profiles say of a device, and a host device that has it. */
#include "run_tests.h"

#include "on_host.h"
#include "streamd/device_profile.h"

START_TEST(figures)
{
	struct sd_device_facts facts;
	struct sd_diag diag = { 0 };

	ck_assert_int_eq(sd_device_profile_facts(SD_TEXT(""), &facts, NULL), SD_OK);
	ck_assert_uint_eq(facts.streams_max, 1024);
	ck_assert(facts.has_huge);
	ck_assert_int_eq(sd_device_profile_facts(SD_TEXT("ascend910b"), &facts, NULL), SD_OK);
	ck_assert_uint_eq(facts.streams_max, 2038);
	ck_assert_uint_eq(facts.tasks_per_stream_max, 2013);
	ck_assert_uint_eq(facts.events_max, 65536);
	ck_assert_uint_eq(facts.notifies_max, 1024);
	ck_assert(!facts.has_huge);
	ck_assert_str_eq(sd_profile_name(facts.profile), "ascend910b");
	ck_assert_int_eq(sd_device_profile_facts(SD_TEXT("ascend1"), &facts, &diag), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_UNKNOWN_PROFILE);
}
END_TEST

START_TEST(host_has_them)
{
	struct sd_host_options options = { .cores = 1 };
	struct sd_device_facts facts;
	sd_handle stream;
	int32_t rt_id;

	ck_assert_int_eq(sd_device_profile_facts(SD_TEXT("nano"), &options.has, NULL), SD_OK);
	open_host(options);
	for (int i = 0; i < 56; i++)
		new_stream(0);
	ck_assert_int_eq(device->ops->stream_create(device, 0, 0, &stream, &rt_id, NULL), SD_RESOURCE_EXHAUSTED);
	device->ops->facts(device, &facts);
	ck_assert_str_eq(sd_profile_name(facts.profile), "nano");
	close_host();
}
END_TEST

RUN_TESTS("device_profile", figures, host_has_them)
