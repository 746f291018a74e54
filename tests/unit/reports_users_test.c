/* reports_users_test - who makes room for whom in the figures of runs. */
#include <string.h>

#include "reports.h"
#include "run_tests.h"

static struct sd_reports reports;

static void add(uint32_t uid, unsigned char plan)
{
	const uint64_t run_ns = 1;
	struct sd_report report = { .uid = uid, .run_ns = &run_ns, .run_count = 1 };

	report.key[0] = plan;
	strcpy(report.device, "sim");
	ck_assert_ptr_nonnull(sd_reports_add(&reports, &report, 7));
}

static uint32_t rows_of(uint32_t uid)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < reports.count; i++)
		count += reports.row[i].uid == uid;
	return count;
}

static bool has(unsigned char plan)
{
	for (uint32_t i = 0; i < reports.count; i++) {
		if (reports.row[i].key[0] == plan)
			return true;
	}
	return false;
}

START_TEST(a_flood_takes_no_row_of_another)
{
	sd_reports_resize(&reports, 8);
	add(1, 1);
	add(2, 2);
	for (unsigned char plan = 10; plan < 100; plan++)
		add(3, plan);
	ck_assert(has(1) && has(2));
	ck_assert_uint_eq(rows_of(3), 6);
	ck_assert(has(99) && has(94) && !has(93)); /* its own oldest went */
	sd_reports_finish(&reports);
}
END_TEST

START_TEST(who_has_most_makes_room_until_all_have_as_many)
{
	sd_reports_resize(&reports, 8);
	for (unsigned char plan = 0; plan < 8; plan++)
		add(1, plan);
	for (unsigned char plan = 10; plan < 20; plan++) {
		add(2, plan);
		ck_assert_uint_eq(reports.count, 8);
	}
	ck_assert(rows_of(1) == 4 && rows_of(2) == 4);
	ck_assert(has(7) && has(4) && !has(3));
	ck_assert(has(19) && has(16) && !has(15));
	ck_assert_uint_eq(reports.evicted, 10);
	sd_reports_finish(&reports);
}
END_TEST

START_TEST(a_row_counts_for_who_reported_it_first)
{
	sd_reports_resize(&reports, 4);
	add(1, 1);
	add(1, 2);
	for (int i = 0; i < 3; i++) {
		add(2, 1); /* whoever adds to another's row does not make it its own to drop */
		add(2, 2);
	}
	for (unsigned char plan = 10; plan < 20; plan++)
		add(2, plan);
	ck_assert(has(1) && has(2));
	ck_assert(rows_of(1) == 2 && rows_of(2) == 2);
	sd_reports_finish(&reports);
}
END_TEST

START_TEST(of_more_users_than_rows_the_oldest_goes)
{
	sd_reports_resize(&reports, 3);
	for (unsigned char user = 1; user <= 5; user++)
		add(user, user);
	ck_assert(has(3) && has(4) && has(5));
	ck_assert_uint_eq(reports.user_count, 3);
	sd_reports_finish(&reports);
}
END_TEST

START_TEST(fewer_rows_are_taken_from_who_has_most)
{
	sd_reports_resize(&reports, 8);
	add(1, 1);
	for (unsigned char plan = 10; plan < 17; plan++)
		add(2, plan);
	sd_reports_resize(&reports, 3);
	ck_assert(has(1) && has(16) && has(15));
	sd_reports_resize(&reports, 0);
	ck_assert(reports.count == 0 && reports.user_count == 0);
	sd_reports_finish(&reports);
}
END_TEST

RUN_TESTS("reports_users", a_flood_takes_no_row_of_another, who_has_most_makes_room_until_all_have_as_many, a_row_counts_for_who_reported_it_first,
          of_more_users_than_rows_the_oldest_goes, fewer_rows_are_taken_from_who_has_most)
