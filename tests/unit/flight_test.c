/* flight_test - who joins whom: running jobs alone, not those that stop, not those that run by themselves. */
#include <string.h>

#include "flight.h"
#include "run_tests.h"

static struct sd_cache cache;
static struct sd_jobs jobs;
static struct sd_job job[4];
static struct sd_call call[8];

static const unsigned char some_digest[SD_CACHE_KEY_BYTES] = "some", other_digest[SD_CACHE_KEY_BYTES] = "other";

/* Jobs 0 and 1 run, with one call each; nobody works on them. */
static void setup(void)
{
	memset(job, 0, sizeof(job));
	memset(call, 0, sizeof(call));
	ck_assert(sd_cache_init(&cache, 1 << 20, 1));
	jobs = (struct sd_jobs){ .cache = &cache };
	ck_assert_int_eq(uv_mutex_init(&jobs.lock), 0);
	for (int i = 0; i < 2; i++) {
		job[i] = (struct sd_job){ .jobs = &jobs, .state = SD_JOB_RUNNING, .origin = &call[i], .calls = &call[i],
		                          .call_count = 1, .wanted = 1 };
		call[i].job = &job[i];
	}
	jobs.running = (struct sd_job_list){ &job[0], &job[1], 2 };
	job[0].next = &job[1];
	job[1].prev = &job[0];
}

static void teardown(void)
{
	uv_mutex_destroy(&jobs.lock);
	sd_cache_finish(&cache);
}

static enum sd_flight enter(int i, enum sd_flight_by by, const unsigned char *digest)
{
	struct sd_blob *plan = NULL;
	enum sd_flight flight = sd_flight_enter(&job[i], by, digest, &plan);

	ck_assert((flight == SD_FLIGHT_HIT) == (plan != NULL));
	sd_blob_release(plan);
	return flight;
}

START_TEST(second_joins_the_first)
{
	ck_assert_int_eq(enter(0, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_LEAD);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_JOINED);
	ck_assert_uint_eq(job[0].call_count, 2);
	ck_assert_uint_eq(job[0].wanted, 2);
	ck_assert_ptr_eq(job[0].origin, &call[0]);
	ck_assert_ptr_eq(call[1].job, &job[0]);
	ck_assert_ptr_eq(call[0].job_next, &call[1]);
	ck_assert_ptr_null(job[1].calls);
	ck_assert_uint_eq(jobs.joins, 1);
}
END_TEST

START_TEST(other_digests_and_other_kinds_do_not_meet)
{
	ck_assert_int_eq(enter(0, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_LEAD);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_KEY, other_digest), SD_FLIGHT_LEAD);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_RAW, some_digest), SD_FLIGHT_LEAD);
}
END_TEST

START_TEST(job_that_joined_is_not_joined_any_more)
{
	struct sd_job *third = &job[2];

	*third = (struct sd_job){ .jobs = &jobs, .state = SD_JOB_RUNNING, .origin = &call[2], .calls = &call[2], .call_count = 1, .wanted = 1 };
	third->prev = &job[1];
	job[1].next = jobs.running.last = third;
	ck_assert_int_eq(enter(0, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_LEAD);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_RAW, other_digest), SD_FLIGHT_LEAD);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_JOINED);
	ck_assert_int_eq(enter(2, SD_FLIGHT_BY_RAW, other_digest), SD_FLIGHT_LEAD);
}
END_TEST

START_TEST(stopping_job_is_not_joined)
{
	enter(0, SD_FLIGHT_BY_KEY, some_digest);
	atomic_store(&job[0].stop, true);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_LEAD);
	ck_assert_uint_eq(job[0].call_count, 1);
}
END_TEST

START_TEST(job_that_runs_by_itself_joins_none_and_is_joined_by_none)
{
	job[1].is_alone = true;
	enter(0, SD_FLIGHT_BY_KEY, some_digest);
	ck_assert_int_eq(enter(1, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_LEAD);
	enter(1, SD_FLIGHT_BY_KEY, other_digest);
	ck_assert_int_eq(enter(0, SD_FLIGHT_BY_KEY, other_digest), SD_FLIGHT_LEAD);
}
END_TEST

START_TEST(what_is_kept_is_found_before_a_flight_begins)
{
	struct sd_blob *plan = sd_blob_copy("plan", 4);

	sd_cache_store(&cache, some_digest, plan);
	sd_cache_link(&cache, other_digest, some_digest);
	sd_blob_release(plan);
	ck_assert_int_eq(enter(0, SD_FLIGHT_BY_RAW, other_digest), SD_FLIGHT_HIT);
	ck_assert_int_eq(enter(0, SD_FLIGHT_BY_KEY, some_digest), SD_FLIGHT_HIT);
	ck_assert(!job[0].has_key && !job[0].has_raw);
}
END_TEST

int main(void)
{
	const TTest *const test[] = { second_joins_the_first, other_digests_and_other_kinds_do_not_meet, job_that_joined_is_not_joined_any_more,
	                                     stopping_job_is_not_joined, job_that_runs_by_itself_joins_none_and_is_joined_by_none,
	                                     what_is_kept_is_found_before_a_flight_begins };
	Suite *suite = suite_create("flight");
	TCase *tests = tcase_create("flight");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	for (size_t i = 0; i < sizeof(test) / sizeof(test[0]); i++)
		tcase_add_test(tests, test[i]);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
