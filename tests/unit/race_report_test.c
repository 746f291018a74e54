/* race_report_test - the sentences about what was found, and how many are kept. */
#include "run_tests.h"

#include "race_story.h"

START_TEST(sentences)
{
	static const struct {
		const char *story, *text;
	} rows[] = {
		{ "a:w1 b:r1", "RAW: a (stream 97, task 0) writes and b (stream 98, task 0) reads 0x40 + 64 bytes, and nothing orders them; "
		               "record an event after a on stream 97, wait for it before b on stream 98" },
		{ "a:w1 hr1", "READ_BEFORE_SYNC: a (stream 97, task 0) writes and the host reads 0x40 + 64 bytes, which has not waited for it; "
		              "let the host wait for stream 97 before" },
		{ "a:r1 hf1", "USE_AFTER_FREE_ASYNC: a (stream 97, task 0) uses and the host frees 0x40 + 64 bytes, which has not waited for it; "
		              "let the host wait for stream 97 before" },
		{ "hf1 a:r1", "USE_AFTER_FREE_ASYNC: the host freed and a (stream 97, task 0) uses 0x40 + 64 bytes; free it when that task is done" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512], cut[20];
		struct sd_race_check *check;

		ck_assert_int_eq(sd_race_check_create(&check), SD_OK);
		ck_assert_int_eq(race_story(check, rows[i].story), SD_OK);
		ck_assert_uint_eq(sd_race_text(sd_race_at(check, 0), text, sizeof(text)), strlen(rows[i].text));
		ck_assert_str_eq(text, rows[i].text);
		ck_assert_uint_eq(sd_race_text(sd_race_at(check, 0), cut, sizeof(cut)), (size_t)19);
		ck_assert_int_eq(strncmp(cut, text, sizeof(cut) - 1), 0);
		sd_race_check_destroy(check);
	}
}
END_TEST

START_TEST(more_than_are_kept)
{
	struct sd_race_check *check;

	ck_assert_int_eq(sd_race_check_create(&check), SD_OK);
	for (int i = 0; i < SD_RACES_MAX; i++)
		ck_assert_int_eq(race_story(check, "a:w1 b:w1"), SD_OK);
	ck_assert_uint_eq(sd_race_count(check), 2 * SD_RACES_MAX - 1);
	ck_assert_ptr_nonnull(sd_race_at(check, SD_RACES_MAX - 1));
	ck_assert_ptr_null(sd_race_at(check, SD_RACES_MAX));
	sd_race_check_destroy(check);
}
END_TEST

RUN_TESTS("race_report", sentences, more_than_are_kept)
