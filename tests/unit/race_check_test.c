/* race_check_test - what is found in stories that can be told by hand. */
#include "run_tests.h"

#include "race_story.h"

START_TEST(stories)
{
	static const struct {
		const char *story, *found;
	} rows[] = {
		{ "a:w1 a:r1", "" },
		{ "a:w1 b:r1", "RAW a0>b0" },
		{ "a:r1 b:w1", "WAR a0>b0" },
		{ "a:w1 b:w1", "WAW a0>b0" },
		{ "a:r1 b:r1", "" },
		{ "a:w1 b:r2", "" },
		{ "a:w1 a!1 b?1 b:r1", "" },
		{ "a!1 a:w1 b?1 b:r1", "RAW a0>b0" },
		{ "a:w1 a!1 a:w1 b?1 b:r1", "RAW a1>b0" },
		{ "a:w1 a!1 b?1 b!2 c?2 c:r1", "" },
		{ "a:w1 a+1 b-1 b:r1", "" },
		{ "b-1 b:r1 a:w1 a+1", "" },
		{ "a:w1 a+1 a:w2 a+1 b-1 b:r1 b:r2", "RAW a1>b1" },
		{ "b# b:r1 a:w1 a>b", "" },
		{ "b# b:r1 a>b a:w1", "WAR b0>a0" },
		{ "a:w1 a>b b:r1", "RAW a0>b0" },
		{ "b# b:r1 b# b:r2 a:w1 a>b a:w2 a>b", "" },
		{ "b# b:r1 b# b:r2 a:w1 a>b a>b a:w2", "WAR b1>a1" },
		{ "a:w1 a. b:r1", "" },
		{ "a:w1 a!1 a:w2 1. b:r1 b:r2", "RAW a1>b1" },
		{ "a:w1 a!1 b?1 b:r2 b. c:w1", "" },
		{ "a:r1 b:r1 c:w1", "WAR a0>c0 WAR b0>c0" },
		{ "a:r1 a!1 b?1 b:r1 c:w1", "WAR b0>c0" },
		{ "a:w1w2w3 b:r1r2r3", "RAW a0>b0" },
		{ "a:w1 b:r1w1", "RAW a0>b0 WAW a0>b0" },
		{ "a:w1 hr1", "READ_BEFORE_SYNC a0>host" },
		{ "a:w1 a. hr1", "" },
		{ "a:r1 hr1", "" },
		{ "a:r1 hw1", "WAR a0>host" },
		{ "a:w1 hw1", "WAW a0>host" },
		{ "a:r1 hf1", "USE_AFTER_FREE_ASYNC a0>host" },
		{ "a:r1 a. hf1", "" },
		{ "a:r1 a. hf1 b:r1", "USE_AFTER_FREE_ASYNC host>b0" },
		{ "a:r1 a. hf1 hg1 b:w1", "" },
		{ "a:w1 hf1 hg1 b:w1", "USE_AFTER_FREE_ASYNC a0>host WAW a0>b0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char found[256];

		race_found(rows[i].story, found, sizeof(found));
		ck_assert_msg(strcmp(found, rows[i].found) == 0, "%s: found %s, not %s", rows[i].story, found, rows[i].found);
	}
}
END_TEST

START_TEST(range_grows)
{
	struct sd_access whole = { 100, 300, true }, part[] = { { 350, 100, false }, { 50, 20, false }, { 120, 8, false } };
	struct sd_race_check *check;

	ck_assert_int_eq(sd_race_check_create(&check), SD_OK);
	ck_assert_int_eq(sd_race_task(check, 1, "writer", 7, &whole, 1), SD_OK);
	ck_assert_int_eq(sd_race_task(check, 2, "other", 8, &whole, 1), SD_OK);
	ck_assert_int_eq(sd_race_task(check, 3, "reader", 9, part, 3), SD_OK);
	ck_assert_uint_eq(sd_race_count(check), 2);
	ck_assert_uint_eq(sd_race_at(check, 0)->address, 100);
	ck_assert_uint_eq(sd_race_at(check, 0)->bytes, 300);
	ck_assert_uint_eq(sd_race_at(check, 1)->address, 350);
	ck_assert_uint_eq(sd_race_at(check, 1)->bytes, 50);
	ck_assert_uint_eq(sd_race_at(check, 1)->second.tag, 9);
	ck_assert_ptr_null(sd_race_at(check, 2));
	sd_race_check_destroy(check);
}
END_TEST

START_TEST(wait_without_record)
{
	struct sd_race_check *check;

	ck_assert_int_eq(sd_race_check_create(&check), SD_OK);
	ck_assert_int_eq(sd_race_wait(check, 1, 1), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_race_event_done(check, 1), SD_FAILED_PRECONDITION);
	sd_race_check_destroy(check);
}
END_TEST

/* Numbers come again for other streams: what the old one did is done. */
START_TEST(streams_are_forgotten)
{
	struct sd_race_check *check;

	ck_assert_int_eq(sd_race_check_create(&check), SD_OK);
	ck_assert_int_eq(race_story(check, "a:w1 b:w2 b!1 a."), SD_OK);
	sd_race_forget_stream(check, 'a');
	ck_assert_int_eq(race_story(check, "c:w1 c?1 c:r2"), SD_OK);
	ck_assert_uint_eq(sd_race_count(check), 0);
	ck_assert_int_eq(race_story(check, "d:r1"), SD_OK);
	ck_assert_uint_eq(sd_race_count(check), 1);
	sd_race_forget_event(check, 1);
	ck_assert_int_eq(race_story(check, "e# e:r3 f-2"), SD_OK);
	sd_race_forget_stream(check, 'f');
	sd_race_forget_stream(check, 'e');
	sd_race_forget_notify(check, 2);
	sd_race_check_destroy(check);
}
END_TEST

RUN_TESTS("race_check", stories, range_grows, wait_without_record, streams_are_forgotten)
