/* reports_test - figures of runs by plan and device, worked out by hand; what makes room for what. */
#include <string.h>

#include "reports.h"
#include "run_tests.h"

static struct sd_reports reports;

static struct sd_report make_report(char key, const char *device, const uint64_t *run_ns, uint32_t count)
{
	struct sd_report report = { .run_ns = run_ns, .run_count = count };

	report.key[31] = (unsigned char)key;
	strcpy(report.device, device);
	return report;
}

static struct sd_report_row *add(char key, const char *device, const uint64_t *run_ns, uint32_t count)
{
	struct sd_report report = make_report(key, device, run_ns, count);

	return sd_reports_add(&reports, &report, 7);
}

#define ADD(key, device, ...) add(key, device, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void begin(uint32_t max)
{
	sd_reports_resize(&reports, max);
}

static void finish(void)
{
	sd_reports_finish(&reports);
}

START_TEST(figures_are_those_of_the_runs)
{
	const struct sd_report_row *row;

	begin(4);
	ADD('a', "host", 50);
	row = ADD('a', "host", 10, 40, 20);
	ck_assert_uint_eq(row->reports, 2);
	ck_assert_uint_eq(row->runs, 4);
	ck_assert(row->last_ns == 20 && row->min_ns == 10 && row->max_ns == 50 && row->at_ms == 7);
	ck_assert_uint_eq(sd_report_mean(row), 30);
	ck_assert_uint_eq(row->median_ns, 20); /* of 10 20 40 50 */
	ck_assert_uint_eq(ADD('a', "host", 41)->median_ns, 40);
	finish();
}
END_TEST

START_TEST(plans_and_devices_are_told_apart)
{
	begin(4);
	ADD('a', "host", 1);
	ADD('a', "sim", 2);
	ADD('b', "host", 3);
	ck_assert_uint_eq(ADD('a', "host", 4)->runs, 2);
	ck_assert_uint_eq(reports.count, 3);
	finish();
}
END_TEST

START_TEST(the_median_is_of_the_last_runs)
{
	const struct sd_report_row *row = NULL;

	begin(1);
	for (uint64_t i = 0; i < 3 * SD_REPORT_RECENT; i++)
		row = ADD('a', "host", i < 2 * SD_REPORT_RECENT ? 1000000 : 5);
	ck_assert_uint_eq(row->median_ns, 5);
	ck_assert_uint_eq(row->max_ns, 1000000);
	finish();
}
END_TEST

START_TEST(what_was_not_reported_for_longest_makes_room)
{
	begin(3);
	for (int i = 0; i < 100; i++) {
		ADD(1, "host", 1);
		ADD((char)(2 + i), "host", 1);
	}
	ck_assert_uint_eq(reports.count, 3);
	ck_assert_uint_eq(reports.evicted, 98);
	ck_assert_uint_eq(ADD(1, "host", 1)->runs, 101);
	ck_assert_uint_eq(ADD(101, "host", 1)->runs, 2);
	ck_assert_uint_eq(ADD(2, "host", 1)->runs, 1);
	sd_reports_resize(&reports, 1);
	ck_assert_uint_eq(reports.count, 1);
	ck_assert_uint_eq(ADD(2, "host", 1)->runs, 2);
	sd_reports_resize(&reports, 0);
	ck_assert_ptr_null(ADD(2, "host", 1));
	finish();
}
END_TEST

START_TEST(streams_and_expectation_are_those_that_were_told_last)
{
	const struct sd_report_stream two[] = { { 10, 5 }, { 20, 5 } }, one[] = { { 7, 0 } };
	uint64_t run = 1;
	struct sd_report report = make_report('a', "host", &run, 1);
	const struct sd_report_row *row;

	begin(2);
	report.stream = two;
	report.stream_count = 2;
	report.expected_ns = 30;
	sd_reports_add(&reports, &report, 1);
	report.stream_count = 0;
	report.expected_ns = 0;
	row = sd_reports_add(&reports, &report, 2);
	ck_assert(row->stream_count == 2 && row->stream[1].busy_ns == 20 && row->expected_ns == 30);
	report.stream = one;
	report.stream_count = 1;
	row = sd_reports_add(&reports, &report, 3);
	ck_assert(row->stream_count == 1 && row->stream[0].busy_ns == 7);
	finish();
}
END_TEST

START_TEST(bounds_of_what_is_as_expected)
{
	ck_assert_str_eq(sd_against_text(sd_report_against(5, 0)), "unknown");
	ck_assert_str_eq(sd_against_text(sd_report_against(89, 100)), "faster");
	ck_assert_str_eq(sd_against_text(sd_report_against(90, 100)), "as_expected");
	ck_assert_str_eq(sd_against_text(sd_report_against(110, 100)), "as_expected");
	ck_assert_str_eq(sd_against_text(sd_report_against(111, 100)), "slower");
	ck_assert_str_eq(sd_against_text(sd_report_against(200, 100)), "slower");
	ck_assert_str_eq(sd_against_text(sd_report_against(201, 100)), "much_slower");
	ck_assert_str_eq(sd_against_text(sd_report_against(SD_REPORT_NS_MAX, SD_REPORT_NS_MAX)), "as_expected");
}
END_TEST

START_TEST(bounds_of_overlap)
{
	ck_assert_str_eq(sd_overlap_text(sd_report_overlap(0, 0)), "unknown");
	ck_assert_str_eq(sd_overlap_text(sd_report_overlap(1000, 500)), "real");
	ck_assert_str_eq(sd_overlap_text(sd_report_overlap(1000, 499)), "partial");
	ck_assert_str_eq(sd_overlap_text(sd_report_overlap(1000, 51)), "partial");
	ck_assert_str_eq(sd_overlap_text(sd_report_overlap(1000, 50)), "fake");
	ck_assert_uint_eq(sd_overlap_permille(1000, 499), 499);
	ck_assert_uint_eq(sd_overlap_permille(0, 0), 0);
}
END_TEST

RUN_TESTS("reports", figures_are_those_of_the_runs, plans_and_devices_are_told_apart, the_median_is_of_the_last_runs,
          what_was_not_reported_for_longest_makes_room, streams_and_expectation_are_those_that_were_told_last, bounds_of_what_is_as_expected,
          bounds_of_overlap)
