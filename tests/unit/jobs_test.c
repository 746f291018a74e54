/* jobs_test - the queue and the workers: order, bound, interest, stop; each job is done once. */
#include <stdatomic.h>
#include <string.h>

#include "jobs.h"
#include "rpc.h"
#include "run_tests.h"

#define CALLS 64

static uv_loop_t loop;
static struct sd_cache cache;
static struct sd_jobs jobs;
static struct sd_call call[CALLS];
static atomic_uint started, gate;
static unsigned ended;
static uint64_t ended_id[CALLS];

/* Runs until it is let through, or is asked to stop. */
static void run_gated(struct sd_job *job, struct sd_arena *arena)
{
	uint64_t place = atomic_fetch_add(&started, 1);

	sd_arena_alloc(arena, 1000);
	while (atomic_load(&gate) <= place && !atomic_load(&job->stop))
		uv_sleep(1);
	job->result.status = atomic_load(&job->stop) ? SD_CANCELLED : SD_OK;
}

static const struct sd_rpc gated = { .name = "Gated", .run = run_gated };

static void on_ended(void *arg, struct sd_job *job)
{
	ended_id[ended++] = job->id;
	sd_job_destroy(job);
}

static void setup(uint32_t workers)
{
	atomic_store(&started, 0);
	atomic_store(&gate, 0);
	ended = 0;
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	ck_assert(sd_cache_init(&cache, 1 << 20, 1));
	ck_assert(sd_jobs_start(&jobs, &loop, workers, &cache, on_ended, NULL));
}

static void teardown(void)
{
	sd_jobs_stop(&jobs);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	sd_cache_finish(&cache);
}

static enum sd_status submit(unsigned i, uint32_t queue_max)
{
	struct sd_admission bounds = { .job_bytes_max = 1 << 20 };

	call[i] = (struct sd_call){ .rpc = &gated };
	return sd_jobs_submit(&jobs, &call[i], false, &bounds, queue_max, NULL);
}

static void wait_started(unsigned count)
{
	while (atomic_load(&started) < count)
		uv_sleep(1);
}

static void wait_ended(unsigned count)
{
	while (ended < count)
		uv_run(&loop, UV_RUN_ONCE);
}

START_TEST(jobs_run_in_order_and_end_once)
{
	setup(1);
	for (unsigned i = 0; i < CALLS; i++)
		ck_assert_int_eq(submit(i, 0), SD_OK);
	atomic_store(&gate, CALLS);
	wait_ended(CALLS);
	for (unsigned i = 0; i < CALLS; i++)
		ck_assert_uint_eq(ended_id[i], i + 1);
	teardown();
	ck_assert_uint_eq(ended, CALLS);
}
END_TEST

START_TEST(queue_is_bounded_and_running_jobs_do_not_count)
{
	struct sd_jobs_counts counts;

	setup(2);
	submit(0, 3);
	submit(1, 3);
	wait_started(2);
	for (unsigned i = 2; i < 5; i++)
		ck_assert_int_eq(submit(i, 3), SD_OK);
	ck_assert_int_eq(submit(5, 3), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(submit(6, 0), SD_OK);
	sd_jobs_count(&jobs, &counts);
	ck_assert_uint_eq(counts.running, 2);
	ck_assert_uint_eq(counts.queued, 4);
	atomic_store(&gate, CALLS);
	wait_ended(6);
	teardown();
}
END_TEST

START_TEST(queued_job_that_nobody_wants_never_runs)
{
	struct sd_job *taken;

	setup(1);
	submit(0, 0);
	wait_started(1);
	submit(1, 0);
	ck_assert(sd_jobs_forsake(&jobs, &call[1], &taken));
	ck_assert_ptr_eq(taken->calls, &call[1]);
	sd_job_destroy(taken);
	atomic_store(&gate, CALLS);
	wait_ended(1);
	teardown();
	ck_assert_uint_eq(atomic_load(&started), 1);
}
END_TEST

START_TEST(running_job_that_nobody_wants_is_stopped)
{
	struct sd_job *taken;

	setup(1);
	submit(0, 0);
	wait_started(1);
	ck_assert(!sd_jobs_forsake(&jobs, &call[0], &taken));
	ck_assert_ptr_null(taken);
	wait_ended(1);
	teardown();
}
END_TEST

START_TEST(listing_tells_running_then_queued)
{
	struct sd_job_info info[CALLS];
	bool exists;

	setup(1);
	submit(0, 0);
	wait_started(1);
	submit(1, 0);
	ck_assert_uint_eq(sd_jobs_list(&jobs, info, CALLS), 2);
	ck_assert_int_eq(info[0].state, SD_JOB_RUNNING);
	ck_assert_int_eq(info[1].state, SD_JOB_QUEUED);
	ck_assert_uint_eq(info[1].requests, 1);
	ck_assert_uint_eq(sd_jobs_list(&jobs, info, 1), 1);
	ck_assert_ptr_eq(sd_jobs_find_call(&jobs, info[0].id, &exists), &call[0]);
	ck_assert_ptr_null(sd_jobs_find_call(&jobs, 77, &exists));
	ck_assert(!exists);
	atomic_store(&gate, CALLS);
	wait_ended(2);
	teardown();
}
END_TEST

START_TEST(stop_stops_what_runs_and_hands_out_the_rest)
{
	setup(2);
	for (unsigned i = 0; i < 10; i++)
		submit(i, 0);
	wait_started(2);
	teardown();
	ck_assert_uint_eq(ended, 10);
	ck_assert_uint_eq(atomic_load(&started), 2);
}
END_TEST

static bool is_any(const struct sd_job *job)
{
	return true;
}

static bool is_second(const struct sd_job *job)
{
	return job->calls == &call[2];
}

START_TEST(queued_jobs_can_be_taken_out)
{
	struct sd_job *job;

	setup(1);
	submit(0, 0);
	wait_started(1);
	submit(1, 0);
	submit(2, 0);
	job = sd_jobs_take_queued(&jobs, is_second);
	ck_assert_ptr_eq(job->calls, &call[2]);
	sd_job_destroy(job);
	ck_assert_ptr_null(sd_jobs_take_queued(&jobs, is_second));
	job = sd_jobs_take_queued(&jobs, is_any);
	ck_assert_ptr_eq(job->calls, &call[1]);
	sd_job_destroy(job);
	ck_assert_ptr_null(sd_jobs_take_queued(&jobs, is_any));
	atomic_store(&gate, CALLS);
	wait_ended(1);
	teardown();
}
END_TEST

RUN_TESTS("jobs", jobs_run_in_order_and_end_once, queue_is_bounded_and_running_jobs_do_not_count, queued_job_that_nobody_wants_never_runs,
          running_job_that_nobody_wants_is_stopped, listing_tells_running_then_queued, stop_stops_what_runs_and_hands_out_the_rest,
          queued_jobs_can_be_taken_out)
