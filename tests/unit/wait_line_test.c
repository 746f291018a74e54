/* wait_line_test - who is served next. */
#include "run_tests.h"

#include "wait_line.h"

START_TEST(priority_then_arrival)
{
	struct sd_wait_line line = { .count = 0 };
	struct sd_line_place place[6];
	static const uint32_t priority[] = { 5, 2, 5, 0, 99, 2 };
	static const int order[] = { 3, 1, 5, 0, 2, 4 };
	const struct sd_line_place *at;

	ck_assert_ptr_null(sd_wait_line_head(&line));
	for (int i = 0; i < 6; i++)
		sd_wait_line_join(&line, &place[i], priority[i]);
	ck_assert_uint_eq(line.count, 6);
	at = sd_wait_line_head(&line);
	for (int i = 0; i < 6; i++) {
		ck_assert_ptr_eq(at, &place[order[i]]);
		at = sd_wait_line_behind(&line, at);
	}
	ck_assert_ptr_null(at);
}
END_TEST

START_TEST(who_leaves_leaves_no_gap)
{
	struct sd_wait_line line = { .count = 0 };
	struct sd_line_place place[4];

	for (int i = 0; i < 4; i++)
		sd_wait_line_join(&line, &place[i], 1);
	sd_wait_line_leave(&line, &place[1]);
	ck_assert_ptr_eq(sd_wait_line_behind(&line, &place[0]), &place[2]);
	sd_wait_line_leave(&line, &place[0]);
	ck_assert_ptr_eq(sd_wait_line_head(&line), &place[2]);
	sd_wait_line_leave(&line, &place[3]);
	sd_wait_line_join(&line, &place[0], 1);
	ck_assert_ptr_eq(sd_wait_line_behind(&line, &place[2]), &place[0]);
	sd_wait_line_leave(&line, &place[2]);
	sd_wait_line_leave(&line, &place[0]);
	ck_assert_ptr_null(sd_wait_line_head(&line));
	ck_assert_uint_eq(line.count, 0);
}
END_TEST

START_TEST(only_the_more_urgent_come_before_the_first)
{
	struct sd_wait_line line = { .count = 0 };
	struct sd_line_place place;

	ck_assert(!sd_wait_line_is_ahead_of(&line, 7));
	sd_wait_line_join(&line, &place, 3);
	ck_assert(!sd_wait_line_is_ahead_of(&line, 2));
	ck_assert(sd_wait_line_is_ahead_of(&line, 3));
	ck_assert(sd_wait_line_is_ahead_of(&line, 4));
	ck_assert(sd_wait_line_is_ahead_of(&line, UINT32_MAX));
}
END_TEST

RUN_TESTS("wait_line", priority_then_arrival, who_leaves_leaves_no_gap, only_the_more_urgent_come_before_the_first)
