/* device_limits_test - device profiles and what a request changes of them. */
#include "run_tests.h"

#include "device_limits.h"

static struct sd_limit_set resolved(const char *profile)
{
	struct sd_plan_device device = { .profile = { profile, (uint32_t)strlen(profile) } };
	struct sd_limit_set limits;

	ck_assert_int_eq(sd_limits_resolve(&device, &limits, NULL), SD_OK);
	return limits;
}

START_TEST(without_profile_the_default_holds)
{
	struct sd_limit_set limits = resolved("");

	ck_assert_int_eq(limits.max_streams, 1024);
	ck_assert_int_eq(limits.max_tasks_per_stream, 1024);
	ck_assert_int_eq(limits.max_huge_streams, 8192);
	ck_assert_int_eq(limits.max_tasks_per_huge_stream, 8192);
	ck_assert_int_eq(limits.max_events, 65536);
	ck_assert_int_eq(limits.max_notifies, 1024);
	ck_assert(limits.has_huge);
	ck_assert(!limits.unlimited_depth);
	ck_assert_str_eq(sd_profile_name(limits.profile), "default");
}
END_TEST

START_TEST(devices_have_their_own_figures)
{
	struct sd_limit_set limits = resolved("ascend310p");

	ck_assert_int_eq(limits.max_streams, 992);
	ck_assert_int_eq(limits.max_tasks_per_stream, 2042);
	ck_assert_int_eq(limits.max_events, 1024);
	ck_assert(!limits.has_huge);
	ck_assert(resolved("610lite").has_huge);
	ck_assert_int_eq(resolved("610lite").max_huge_streams, 16);
	ck_assert(resolved("ascend950").unlimited_depth);
	ck_assert(!resolved("ascend910b").unlimited_depth);
	ck_assert_int_eq(resolved("nano").max_tasks_per_stream, 1018);
}
END_TEST

START_TEST(devices_of_one_family_share_a_row)
{
	ck_assert_uint_eq(resolved("ascend910_93").profile, resolved("ascend910b").profile);
	ck_assert_uint_eq(resolved("ascend350").profile, resolved("ascend950").profile);
	ck_assert_uint_eq(resolved("tiny").profile, resolved("ascend310b").profile);
	ck_assert_uint_eq(resolved("mc62").profile, resolved("mc32").profile);
	ck_assert_uint_eq(resolved("kirin").profile, resolved("nano").profile);
}
END_TEST

START_TEST(stated_limits_replace_those_of_the_profile)
{
	struct sd_plan_device device = { .profile = SD_TEXT("ascend910b") };
	struct sd_limit_set limits;

	device.limits.has_max_streams = true;
	device.limits.max_streams = 0;
	device.limits.has_max_events = true;
	device.limits.max_events = 7;
	device.limits.max_notifies = 9; /* not stated: without effect */
	ck_assert_int_eq(sd_limits_resolve(&device, &limits, NULL), SD_OK);
	ck_assert_int_eq(limits.max_streams, 0);
	ck_assert_int_eq(limits.max_events, 7);
	ck_assert_int_eq(limits.max_notifies, 1024);
	ck_assert_int_eq(limits.max_tasks_per_stream, 2013);
	ck_assert(!limits.has_huge);
}
END_TEST

START_TEST(stating_huge_tasks_gives_huge_streams)
{
	struct sd_plan_device device = { .profile = SD_TEXT("ascend910b") };
	struct sd_limit_set limits;

	device.limits.has_max_tasks_per_huge_stream = true;
	device.limits.max_tasks_per_huge_stream = 4096;
	device.limits.has_unlimited_depth = device.limits.unlimited_depth = true;
	ck_assert_int_eq(sd_limits_resolve(&device, &limits, NULL), SD_OK);
	ck_assert(limits.has_huge);
	ck_assert_int_eq(limits.max_tasks_per_huge_stream, 4096);
	ck_assert(limits.unlimited_depth);
}
END_TEST

START_TEST(unknown_profile_is_named_with_those_that_exist)
{
	struct sd_plan_device device = { .profile = SD_TEXT("ascend999") };
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	struct sd_limit_set limits;
	char message[SD_MESSAGE_MAX];

	ck_assert_int_eq(sd_limits_resolve(&device, &limits, &diag), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_UNKNOWN_PROFILE);
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_ptr_nonnull(strstr(message, "'ascend999'"));
	/* every row is reachable by a name that the message gives */
	for (uint32_t row = 0; row == 0 || strcmp(sd_profile_name(row), "default") != 0; row++)
		ck_assert_ptr_nonnull(strstr(message, sd_profile_name(row)));
}
END_TEST

START_TEST(profile_names_are_safe_for_any_number)
{
	ck_assert_str_eq(sd_profile_name(-1), "default");
	ck_assert_str_eq(sd_profile_name(INT64_MAX), "default");
}
END_TEST

RUN_TESTS("device_limits", without_profile_the_default_holds, devices_have_their_own_figures,
          devices_of_one_family_share_a_row, stated_limits_replace_those_of_the_profile,
          stating_huge_tasks_gives_huge_streams, unknown_profile_is_named_with_those_that_exist,
          profile_names_are_safe_for_any_number)
