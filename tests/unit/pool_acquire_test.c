/* pool_acquire_test - all or nothing, and figures of what is short. */
#include "pool_world.h"

START_TEST(enough_at_equality_and_short_by_one)
{
	open_pool((struct sd_pool_limits){ .streams_max = 10, .streams_reserved = 2 });
	ck_assert_int_eq(try_acquire(a, tasks(0, 5)), SD_OK);
	ck_assert_int_eq(try_acquire(b, tasks(0, 4)), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_FEW_STREAMS);
	ck_assert_int_eq(shortfall.resource, SD_POOL_STREAMS);
	ck_assert_uint_eq(shortfall.needed, 4);
	ck_assert_uint_eq(shortfall.available, 3);
	ck_assert_uint_eq(shortfall.limit, 8);
	ck_assert_int_eq(try_acquire(b, tasks(0, 3)), SD_OK);
	ck_assert_uint_eq(stats_now().leases, 8);
	close_pool();
}
END_TEST

START_TEST(what_can_never_be_is_told)
{
	open_pool((struct sd_pool_limits){ .streams_max = 10, .mode = SD_POOL_SHARED, .events_max = 5 });
	ck_assert_int_eq(try_acquire(a, tasks(0, 11)), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_NO_STREAMS);
	ck_assert(!sd_code_retryable(diag.code));
	ck_assert_int_eq(try_acquire(a, tasks(0, 8)), SD_OK);
	ck_assert_int_eq(try_acquire(b, tasks(0, 11)), SD_RESOURCE_EXHAUSTED); /* eight are there: three new ones, and still eleven in all */
	ck_assert_int_eq(diag.code, SD_CODE_POOL_NO_STREAMS);
	ck_assert_uint_eq(shortfall.needed, 3);
	ck_assert_int_eq(sd_pool_acquire(pool, a, NULL, 0, 6, 0, NULL, NULL, NULL), SD_RESOURCE_EXHAUSTED);
	close_pool();
}
END_TEST

START_TEST(resources_run_out_one_by_one)
{
	open_pool((struct sd_pool_limits){ .streams_max = 10, .events_max = 5, .notifies_max = 5 });
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_pool_acquire(pool, a, NULL, 0, 6, 0, NULL, &shortfall, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_NO_EVENTS);
	ck_assert_int_eq(sd_pool_acquire(pool, a, NULL, 0, 0, 5, NULL, NULL, NULL), SD_OK);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_pool_acquire(pool, a, NULL, 0, 0, 1, NULL, &shortfall, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_FEW_NOTIFIES);
	ck_assert_int_eq(shortfall.resource, SD_POOL_NOTIFIES);
	ck_assert_int_eq(try_acquire(a, tasks(0, 10)), SD_OK);
	close_pool();
}
END_TEST

START_TEST(huge_streams_have_a_limit_of_their_own)
{
	struct sd_pool_want want[] = { { .count = 3 }, { .flags = SD_STREAM_HUGE, .count = 3, .task_count = 500 } };

	open_pool((struct sd_pool_limits){ .streams_max = 10, .has_huge = true, .huge_streams_max = 2, .tasks_max = 100, .huge_tasks_max = 500 });
	ck_assert_int_eq(sd_pool_acquire(pool, a, want, 2, 0, 0, grant, &shortfall, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(shortfall.resource, SD_POOL_HUGE_STREAMS);
	ck_assert_uint_eq(stats_now().slots, 0);
	want[1].count = 2;
	ck_assert_int_eq(sd_pool_acquire(pool, a, want, 2, 0, 0, grant, &shortfall, NULL), SD_OK);
	ck_assert_uint_eq(stats_now().slots_huge, 2);
	close_pool();
}
END_TEST

START_TEST(a_refusal_changes_nothing)
{
	const struct sd_pool_want want[] = { { .task_count = 50, .count = 2 }, { .priority = 1, .count = 9 } };
	struct sd_pool_stats before;
	sd_pool_id slot;

	open_pool((struct sd_pool_limits){ .streams_max = 8, .mode = SD_POOL_SHARED });
	slot = acquire_one(a, 10).slot;
	acquire_one(a, 10);
	before = stats_now();
	ck_assert_int_eq(sd_pool_acquire(pool, b, want, 2, 3, 3, grant, &shortfall, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(stats_now().created, before.created);
	ck_assert_uint_eq(stats_now().leases, before.leases);
	ck_assert_uint_eq(stats_now().events, before.events);
	ck_assert_uint_eq(stats_now().notifies, before.notifies);
	ck_assert_uint_eq(acquire_one(b, 10).slot, slot);
	ck_assert_int_eq(grant[0].task_count, 10);
	close_pool();
}
END_TEST

START_TEST(what_stands_for_no_stream_costs_none)
{
	const struct sd_pool_want none = { .flags = SD_STREAM_FORBIDDEN_DEFAULT, .count = 20 };

	open_pool((struct sd_pool_limits){ .streams_max = 2 });
	ck_assert_int_eq(try_acquire(a, none), SD_OK);
	ck_assert_uint_eq(stats_now().streams, 0);
	ck_assert_int_eq(try_acquire(a, tasks(0, 2)), SD_OK);
	ck_assert_uint_eq(stats_now().streams, 2);
	close_pool();
}
END_TEST

START_TEST(measuring_and_checking_change_nothing)
{
	const struct sd_pool_want want[] = { { .count = 3 }, { .priority = 1, .count = 2 } };
	uint32_t slots, new_slots;

	open_pool((struct sd_pool_limits){ .streams_max = 4, .mode = SD_POOL_SHARED });
	ck_assert_int_eq(try_acquire(a, tasks(0, 2)), SD_OK);
	ck_assert_int_eq(sd_pool_measure(pool, b, want, 2, &slots, &new_slots, NULL), SD_OK);
	ck_assert_uint_eq(slots, 5);
	ck_assert_uint_eq(new_slots, 3);
	ck_assert_int_eq(sd_pool_check(pool, b, want, 2, 0, 0, &shortfall, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(shortfall.available, 2);
	ck_assert_int_eq(sd_pool_check(pool, b, want, 1, 0, 0, NULL, NULL), SD_OK);
	ck_assert_uint_eq(stats_now().leases, 2);
	close_pool();
}
END_TEST

START_TEST(endless_counts_are_refused)
{
	open_pool((struct sd_pool_limits){ .streams_max = 100, .mode = SD_POOL_SHARED });
	ck_assert_int_eq(try_acquire(a, tasks(0, UINT32_MAX)), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(shortfall.needed, UINT32_MAX);
	close_pool();
	open_pool(SHARED); /* without a limit there still is an end */
	ck_assert_int_eq(try_acquire(a, tasks(0, UINT32_MAX)), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(sd_pool_acquire(pool, a, NULL, 0, UINT32_MAX, 0, NULL, NULL, NULL), SD_OK);
	ck_assert_int_eq(sd_pool_acquire(pool, b, NULL, 0, 1, 0, NULL, NULL, NULL), SD_RESOURCE_EXHAUSTED);
	close_pool();
}
END_TEST

START_TEST(only_models_acquire)
{
	struct sd_pool_want want = tasks(0, 1);
	sd_pool_id lease;

	open_pool(SHARED);
	lease = acquire_one(a, 0).lease;
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_pool_acquire(pool, lease, &want, 1, 0, 0, grant, NULL, &diag), SD_NOT_FOUND);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_NO_MODEL);
	ck_assert_int_eq(sd_pool_remove_model(pool, a, NULL, NULL), SD_OK);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_pool_acquire(pool, a, &want, 1, 0, 0, grant, NULL, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_MODEL_GONE);
	close_pool();
}
END_TEST

START_TEST(a_lowered_limit_takes_nothing_away)
{
	struct sd_pool_limits limits = { .streams_max = 10 };

	open_pool(limits);
	ck_assert_int_eq(try_acquire(a, tasks(0, 8)), SD_OK);
	limits.streams_max = 4;
	sd_pool_set_limits(pool, &limits);
	ck_assert_uint_eq(sd_pool_get_limits(pool)->streams_max, 4);
	ck_assert_uint_eq(stats_now().leases, 8);
	ck_assert_int_eq(try_acquire(b, tasks(0, 1)), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(shortfall.available, 0);
	close_pool();
}
END_TEST

RUN_TESTS("pool_acquire", enough_at_equality_and_short_by_one, what_can_never_be_is_told, resources_run_out_one_by_one,
          huge_streams_have_a_limit_of_their_own, a_refusal_changes_nothing, what_stands_for_no_stream_costs_none,
          measuring_and_checking_change_nothing, endless_counts_are_refused, only_models_acquire, a_lowered_limit_takes_nothing_away)
