/* pool_release_test - giving back, giving up, and numbers that are dead. */
#include "pool_world.h"

START_TEST(a_lease_is_given_back_once)
{
	struct sd_pool_grant first, second;
	struct sd_pool_parting parting;

	open_pool(EXCLUSIVE);
	first = acquire_one(a, 0);
	ck_assert_uint_eq(release_one(first.lease, false).slot, first.slot);
	second = acquire_one(b, 0);
	ck_assert_uint_eq(second.slot, first.slot);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_pool_release(pool, first.lease, false, &parting, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_RELEASED);
	ck_assert_uint_eq(stats_now().leases, 1);
	close_pool();
}
END_TEST

START_TEST(what_never_was_a_lease_is_not_found)
{
	static const sd_pool_id never[] = { 0, 999999, UINT64_MAX };
	struct sd_pool_parting parting;

	open_pool(SHARED);
	acquire_one(a, 0);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		ck_assert_int_eq(sd_pool_release(pool, never[i], false, &parting, NULL), SD_NOT_FOUND);
	ck_assert_int_eq(sd_pool_release(pool, grant[0].slot, false, &parting, NULL), SD_NOT_FOUND);
	ck_assert_int_eq(sd_pool_release(pool, a, false, &parting, NULL), SD_NOT_FOUND);
	close_pool();
}
END_TEST

START_TEST(idle_slots_stay_only_where_they_are_kept)
{
	sd_pool_id lease;

	open_pool((struct sd_pool_limits){ .mode = SD_POOL_SHARED });
	lease = acquire_one(a, 0).lease;
	acquire_one(b, 0);
	ck_assert(!release_one(lease, false).is_gone);
	ck_assert(release_one(grant[0].lease, false).is_gone);
	ck_assert_uint_eq(stats_now().slots, 0);
	ck_assert_uint_eq(stats_now().destroyed, 1);
	close_pool();
}
END_TEST

START_TEST(broken_slots_go_with_their_last_tenant)
{
	struct sd_pool_grant first, second;

	open_pool(SHARED);
	first = acquire_one(a, 0);
	second = acquire_one(b, 0);
	ck_assert(!release_one(second.lease, true).is_gone);
	ck_assert_uint_ne(acquire_one(b, 0).slot, first.slot);
	ck_assert(release_one(first.lease, false).is_gone);
	ck_assert_uint_eq(stats_now().slots, 1);
	ck_assert_uint_eq(stats_now().created, 2);
	close_pool();
}
END_TEST

START_TEST(a_stream_that_could_not_be_made_was_never_created)
{
	open_pool(SHARED);
	acquire_one(a, 0);
	acquire_one(a, 0);
	ck_assert(release_one(grant[0].lease, true).is_gone);
	ck_assert_int_eq(try_acquire(b, tasks(0, 2)), SD_OK);
	ck_assert(!grant[0].is_new);
	ck_assert(grant[1].is_new);
	ck_assert_uint_eq(stats_now().created, 2);
	ck_assert_uint_eq(stats_now().destroyed, 0);
	close_pool();
}
END_TEST

static void count(void *arg, sd_pool_id lease, const struct sd_pool_parting *parting)
{
	uint32_t *counts = arg;

	counts[0]++;
	counts[1] += parting->is_gone;
}

START_TEST(a_model_leaves_nothing)
{
	const struct sd_pool_want want = tasks(0, 3);
	uint32_t counts[2] = { 0, 0 };
	sd_pool_id lease;
	struct sd_pool_slot_facts facts;

	open_pool((struct sd_pool_limits){ .mode = SD_POOL_SHARED });
	ck_assert_int_eq(sd_pool_acquire(pool, a, &want, 1, 4, 5, grant, NULL, NULL), SD_OK);
	lease = grant[0].lease;
	acquire_one(b, 0);
	ck_assert_int_eq(sd_pool_remove_model(pool, a, count, counts), SD_OK);
	ck_assert_uint_eq(counts[0], 3);
	ck_assert_uint_eq(counts[1], 2);
	ck_assert_uint_eq(stats_now().events, 0);
	ck_assert_uint_eq(stats_now().notifies, 0);
	ck_assert_uint_eq(stats_now().models, 2);
	ck_assert_int_eq(sd_pool_describe(pool, lease, &facts, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_remove_model(pool, a, NULL, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_remove_model(pool, 12345, NULL, NULL), SD_NOT_FOUND);
	close_pool();
}
END_TEST

START_TEST(a_slot_is_destroyed_once_and_not_under_others)
{
	struct sd_pool_grant first, second;
	struct sd_pool_parting parting;

	open_pool(SHARED);
	first = acquire_one(a, 0);
	second = acquire_one(b, 0);
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_pool_destroy_slot(pool, a, first.slot, false, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_BUSY);
	release_one(second.lease, false);
	ck_assert_int_eq(sd_pool_destroy_slot(pool, a, first.slot, false, NULL), SD_OK);
	ck_assert_int_eq(sd_pool_destroy_slot(pool, a, first.slot, false, NULL), SD_OK);
	ck_assert_uint_eq(stats_now().destroyed, 1);
	ck_assert_int_eq(sd_pool_release(pool, first.lease, false, &parting, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_destroy_slot(pool, a, 0, false, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(sd_pool_destroy_slot(pool, a, 999999, false, NULL), SD_NOT_FOUND);
	acquire_one(a, 0);
	acquire_one(b, 0);
	ck_assert_int_eq(sd_pool_destroy_slot(pool, 0, grant[0].slot, true, NULL), SD_OK);
	ck_assert_uint_eq(stats_now().leases, 0);
	close_pool();
}
END_TEST

START_TEST(the_longest_idle_are_trimmed_first)
{
	sd_pool_id lease[4], slot[4], gone[4];

	open_pool(SHARED);
	ck_assert_int_eq(try_acquire(a, tasks(0, 4)), SD_OK);
	for (int i = 0; i < 4; i++) {
		lease[i] = grant[i].lease;
		slot[i] = grant[i].slot;
	}
	for (int i = 3; i >= 0; i--)
		release_one(lease[i], false);
	ck_assert_uint_eq(sd_pool_trim(pool, 1, gone, 2), 2);
	ck_assert_uint_eq(gone[0], slot[3]);
	ck_assert_uint_eq(gone[1], slot[2]);
	ck_assert_uint_eq(sd_pool_trim(pool, 1, gone, 4), 1);
	ck_assert_uint_eq(sd_pool_trim(pool, 1, gone, 4), 0);
	ck_assert_uint_eq(stats_now().slots_idle, 1);
	close_pool();
}
END_TEST

START_TEST(a_domain_is_trimmed_alone)
{
	sd_pool_id gone[8];
	uint32_t number;

	open_pool(SHARED);
	release_one(acquire_one(a, 0).lease, false);
	ck_assert_int_eq(try_acquire(other, tasks(0, 2)), SD_OK);
	release_one(grant[0].lease, false);
	ck_assert(sd_pool_find_domain(pool, SD_TEXT("two"), &number));
	ck_assert_uint_eq(sd_pool_trim_domain(pool, number, gone, 8), 1);
	ck_assert_uint_eq(stats_now().slots, 2);
	ck_assert_uint_eq(sd_pool_trim_domain(pool, 77, gone, 8), 0);
	close_pool();
}
END_TEST

START_TEST(room_is_made_of_idle_slots)
{
	const struct sd_pool_want want = { .priority = 2, .count = 3 }, much = { .priority = 2, .count = 4 };
	sd_pool_id gone[8], third = 0;
	uint32_t own;

	open_pool((struct sd_pool_limits){ .streams_max = 4, .keeps_idle = true });
	third = add_model("three");
	release_one(acquire_one(third, 0).lease, false);
	sd_pool_remove_model(pool, third, NULL, NULL);           /* one that nobody can use any more */
	release_one(acquire_one(a, 0).lease, false);              /* one of its own domain */
	release_one(acquire_one(other, 0).lease, false);          /* one that another domain may want back */
	ck_assert_int_eq(try_acquire(b, want), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(sd_pool_make_room(pool, b, &much, 1, gone, 8, &own), 0);
	ck_assert_uint_eq(stats_now().slots, 3);
	ck_assert_uint_eq(sd_pool_make_room(pool, b, &want, 1, gone, 1, &own), 0);
	ck_assert_uint_eq(sd_pool_make_room(pool, b, &want, 1, gone, 8, &own), 2);
	ck_assert_uint_eq(own, 1);
	ck_assert_int_eq(try_acquire(b, want), SD_OK);
	ck_assert_uint_eq(sd_pool_make_room(pool, 1, &want, 1, gone, 8, &own), 0);
	close_pool();
}
END_TEST

/* The last slot that the model would be given is the only idle one of its key. */
START_TEST(room_is_not_made_of_what_the_model_would_be_given)
{
	const struct sd_pool_want want[] = { { .priority = 2, .count = 1 }, { .priority = 0, .count = 1 } };
	sd_pool_id gone[8], kept, given_up;
	uint32_t own;

	open_pool((struct sd_pool_limits){ .streams_max = 2, .keeps_idle = true });
	kept = acquire_one(a, 0).slot;
	ck_assert_int_eq(try_acquire(b, (struct sd_pool_want){ .priority = 1, .count = 1 }), SD_OK);
	given_up = grant[0].slot;
	sd_pool_remove_model(pool, a, NULL, NULL);
	sd_pool_remove_model(pool, b, NULL, NULL);
	a = add_model("one");
	ck_assert_uint_eq(sd_pool_make_room(pool, a, want, 2, gone, 8, &own), 1);
	ck_assert_uint_eq(gone[0], given_up);
	ck_assert_int_eq(sd_pool_acquire(pool, a, want, 2, 0, 0, grant, &shortfall, &diag), SD_OK);
	ck_assert_uint_eq(grant[1].slot, kept);
	close_pool();
}
END_TEST

START_TEST(room_for_huge_streams_is_made_of_huge_ones)
{
	const struct sd_pool_want huge = { .flags = SD_STREAM_HUGE, .priority = 1, .count = 1 };
	sd_pool_id gone[8], slot;
	uint32_t own;

	open_pool((struct sd_pool_limits){ .streams_max = 9, .huge_streams_max = 1, .has_huge = true, .keeps_idle = true });
	release_one(acquire_one(a, 0).lease, false);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .flags = SD_STREAM_HUGE, .count = 1 }), SD_OK);
	slot = grant[0].slot;
	ck_assert_uint_eq(sd_pool_make_room(pool, b, &huge, 1, gone, 8, &own), 0);
	release_one(grant[0].lease, false);
	ck_assert_uint_eq(sd_pool_make_room(pool, b, &huge, 1, gone, 8, &own), 1);
	ck_assert_uint_eq(gone[0], slot);
	ck_assert_int_eq(try_acquire(b, huge), SD_OK);
	close_pool();
}
END_TEST

RUN_TESTS("pool_release", a_lease_is_given_back_once, what_never_was_a_lease_is_not_found, idle_slots_stay_only_where_they_are_kept,
          broken_slots_go_with_their_last_tenant, a_stream_that_could_not_be_made_was_never_created, a_model_leaves_nothing,
          a_slot_is_destroyed_once_and_not_under_others, the_longest_idle_are_trimmed_first, a_domain_is_trimmed_alone,
          room_is_made_of_idle_slots, room_is_not_made_of_what_the_model_would_be_given,
          room_for_huge_streams_is_made_of_huge_ones)
