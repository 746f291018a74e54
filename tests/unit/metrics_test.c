/* metrics_test - the page: shape, constant series, sums, largest size. */
#include <string.h>

#include "metrics.h"
#include "rpc.h"
#include "run_tests.h"

static char page[SD_METRICS_TEXT_MAX];

static size_t lines_with(const char *text, const char *begin)
{
	size_t count = 0;

	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		count += strncmp(at, begin, strlen(begin)) == 0;
	return count;
}

START_TEST(series_are_constant)
{
	struct sd_metrics metrics = { 0 };
	uint64_t gauge[SD_GAUGES] = { 0 };
	size_t before;

	sd_metrics_write(&metrics, gauge, page, sizeof(page));
	before = lines_with(page, "streamd_");
	for (uint32_t m = 0; m <= sd_rpc_count(); m++)
		sd_metrics_request(&metrics, m, m % 2 ? SD_OK : SD_UNAVAILABLE, m * 1000000);
	sd_metrics_write(&metrics, gauge, page, sizeof(page));
	ck_assert_uint_eq(lines_with(page, "streamd_"), before);
}
END_TEST

START_TEST(longest_numbers_fit_the_page)
{
	struct sd_metrics metrics;
	uint64_t gauge[SD_GAUGES];
	size_t len;

	memset(&metrics, 0xff, sizeof(metrics));
	memset(gauge, 0xff, sizeof(gauge));
	len = sd_metrics_write(&metrics, gauge, page, sizeof(page));
	ck_assert_uint_lt(len, sizeof(page) - 1);
	ck_assert_int_eq(page[len - 1], '\n');
}
END_TEST

START_TEST(small_room_is_not_overrun)
{
	struct sd_metrics metrics = { 0 };
	uint64_t gauge[SD_GAUGES] = { 0 };
	char small[100];

	ck_assert_uint_eq(sd_metrics_write(&metrics, gauge, small, sizeof(small)), sizeof(small) - 1);
}
END_TEST

START_TEST(buckets_add_up)
{
	struct sd_metrics metrics = { 0 };
	uint64_t gauge[SD_GAUGES] = { 0 };
	static const uint64_t ns[] = { 1, 100000, 100001, 999999999, 1000000000, 29999999999, 90000000000 };

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		sd_metrics_request(&metrics, 0, SD_OK, ns[i]);
	sd_metrics_write(&metrics, gauge, page, sizeof(page));
	ck_assert_ptr_nonnull(strstr(page, "streamd_request_seconds_bucket{method=\"Plan\",le=\"0.0001\"} 2\n"));
	ck_assert_ptr_nonnull(strstr(page, "streamd_request_seconds_bucket{method=\"Plan\",le=\"0.00025\"} 3\n"));
	ck_assert_ptr_nonnull(strstr(page, "streamd_request_seconds_bucket{method=\"Plan\",le=\"1\"} 5\n"));
	ck_assert_ptr_nonnull(strstr(page, "streamd_request_seconds_bucket{method=\"Plan\",le=\"30\"} 6\n"));
	ck_assert_ptr_nonnull(strstr(page, "streamd_request_seconds_bucket{method=\"Plan\",le=\"+Inf\"} 7\n"));
	ck_assert_ptr_nonnull(strstr(page, "streamd_request_seconds_sum{method=\"Plan\"} 122.000200000\n"));
	ck_assert_ptr_nonnull(strstr(page, "streamd_requests_total{method=\"Plan\",status=\"OK\"} 7\n"));
}
END_TEST

START_TEST(totals_count_what_is_not_ok)
{
	struct sd_metrics metrics = { 0 };
	uint64_t requests, errors;

	sd_metrics_request(&metrics, 0, SD_OK, 1);
	sd_metrics_request(&metrics, 1, SD_INVALID_ARGUMENT, 1);
	sd_metrics_request(&metrics, sd_rpc_count(), SD_UNIMPLEMENTED, 1);
	sd_metrics_totals(&metrics, &requests, &errors);
	ck_assert_uint_eq(requests, 3);
	ck_assert_uint_eq(errors, 2);
}
END_TEST

START_TEST(jobs_report_their_stages)
{
	struct sd_metrics metrics = { 0 };
	struct sd_result result = { .source = SD_SOURCE_PLANNED, .stage_ns = { [SD_STAGE_PLAN] = 5, [SD_STAGE_VERIFY] = 7 } };

	sd_metrics_job(&metrics, &result);
	ck_assert_uint_eq(metrics.counter[SD_COUNTER_plans], 1);
	ck_assert_uint_eq(metrics.stage_time[SD_STAGE_PLAN].sum_ns, 5);
	ck_assert_uint_eq(metrics.stage_time[SD_STAGE_VERIFY].count, 1);
	ck_assert_uint_eq(metrics.stage_time[SD_STAGE_QUEUE].count, 0);
}
END_TEST

RUN_TESTS("metrics", series_are_constant, longest_numbers_fit_the_page, small_room_is_not_overrun, buckets_add_up,
          totals_count_what_is_not_ok, jobs_report_their_stages)
