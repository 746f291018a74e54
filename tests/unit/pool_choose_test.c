/* pool_choose_test - which slot a model is given. */
#include "pool_world.h"

START_TEST(another_model_is_given_the_slot_again)
{
	sd_pool_id slot;

	open_pool(SHARED);
	slot = acquire_one(a, 0).slot;
	ck_assert_uint_eq(acquire_one(b, 0).slot, slot);
	ck_assert(!grant[0].is_new);
	ck_assert_uint_eq(grant[0].shared_with, 1);
	ck_assert_uint_eq(stats_now().slots, 1);
	close_pool();
}
END_TEST

START_TEST(a_model_never_is_given_what_it_holds)
{
	open_pool(SHARED);
	ck_assert_uint_ne(acquire_one(a, 0).slot, acquire_one(a, 0).slot);
	ck_assert_int_eq(try_acquire(a, tasks(0, 3)), SD_OK);
	ck_assert_uint_eq(stats_now().slots, 5);
	ck_assert_int_eq(try_acquire(b, tasks(0, 7)), SD_OK); /* five of those and two new ones */
	for (int i = 0; i < 7; i++) {
		ck_assert_int_eq(grant[i].is_new, i >= 5);
		for (int j = 0; j < i; j++)
			ck_assert_uint_ne(grant[i].slot, grant[j].slot);
	}
	close_pool();
}
END_TEST

START_TEST(another_key_is_another_slot)
{
	static const struct sd_pool_want rows[] = {
		{ .priority = 1, .count = 1 }, { .flags = SD_STREAM_PERSISTENT, .count = 1 }, { .flags = SD_STREAM_AICPU, .count = 1 },
		{ .flags = SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY, .count = 1 }, { .priority = 1, .flags = SD_STREAM_PERSISTENT, .count = 1 },
	};

	open_pool(SHARED);
	acquire_one(a, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(try_acquire(b, rows[i]), SD_OK);
		ck_assert(grant[0].is_new);
	}
	acquire_one(other, 0);
	ck_assert(grant[0].is_new);
	close_pool();
}
END_TEST

START_TEST(priorities_are_clamped)
{
	open_pool(SHARED);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .priority = -3, .count = 1 }), SD_OK);
	ck_assert_int_eq(grant[0].key.priority, 0);
	ck_assert_int_eq(try_acquire(b, (struct sd_pool_want){ .priority = 0, .count = 1 }), SD_OK);
	ck_assert(!grant[0].is_new);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .priority = 99, .count = 1 }), SD_OK);
	ck_assert_int_eq(grant[0].key.priority, 7);
	close_pool();
}
END_TEST

START_TEST(the_nearest_task_count_wins)
{
	static const int64_t rows[][2] = { { 90, 100 }, { 600, 1000 }, { 55, 100 }, { 54, 10 }, { 0, 10 }, { 5000, 1000 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sd_pool_id slot[3];
		int64_t counts[3] = { 10, 100, 1000 }, got = 0;

		open_pool(SHARED);
		for (int s = 0; s < 3; s++)
			slot[s] = acquire_one(a, counts[s]).slot;
		acquire_one(b, rows[i][0]);
		for (int s = 0; s < 3; s++)
			got = grant[0].slot == slot[s] ? counts[s] : got;
		ck_assert_msg(got == rows[i][1], "%d tasks got the slot of %d", (int)rows[i][0], (int)got);
		close_pool();
	}
}
END_TEST

START_TEST(of_equal_ones_the_lower_number)
{
	sd_pool_id slot[3];

	open_pool(SHARED);
	for (int i = 0; i < 3; i++)
		slot[i] = acquire_one(a, 10).slot;
	for (int i = 0; i < 3; i++) /* from below: 20 is asked for */
		ck_assert_uint_eq(acquire_one(b, 20).slot, slot[i]);
	close_pool();
}
END_TEST

START_TEST(a_slot_is_found_by_its_new_task_count)
{
	sd_pool_id small;
	struct sd_pool_slot_facts facts;

	open_pool(SHARED);
	small = acquire_one(a, 10).slot;
	acquire_one(a, 500);
	ck_assert_uint_eq(acquire_one(b, 200).slot, small);
	ck_assert_int_eq(grant[0].task_count, 200);
	ck_assert_int_eq(sd_pool_describe(pool, small, &facts, NULL), SD_OK);
	ck_assert_int_eq(facts.task_count, 200);
	ck_assert_uint_eq(acquire_one(add_model("one"), 210).slot, small);
	close_pool();
}
END_TEST

START_TEST(exclusive_slots_are_given_again_after_release)
{
	struct sd_pool_grant first;

	open_pool(EXCLUSIVE);
	first = acquire_one(a, 0);
	ck_assert_uint_ne(acquire_one(b, 0).slot, first.slot);
	ck_assert(!release_one(first.lease, false).is_gone);
	ck_assert_uint_eq(acquire_one(b, 0).slot, first.slot);
	ck_assert(!grant[0].is_new);
	close_pool();
}
END_TEST

START_TEST(at_most_256_models_share)
{
	sd_pool_id slot;

	open_pool(SHARED);
	slot = acquire_one(a, 0).slot;
	for (int i = 1; i < 256; i++)
		ck_assert_uint_eq(acquire_one(add_model("one"), 0).slot, slot);
	ck_assert_uint_eq(grant[0].shared_with, 255);
	ck_assert_uint_ne(acquire_one(b, 0).slot, slot);
	ck_assert(grant[0].is_new);
	close_pool();
}
END_TEST

START_TEST(a_slot_without_room_is_passed_over)
{
	sd_pool_id slot;

	open_pool((struct sd_pool_limits){ .mode = SD_POOL_SHARED, .keeps_idle = true, .tasks_max = 100 });
	slot = acquire_one(a, 60).slot;
	ck_assert_uint_eq(acquire_one(b, 40).slot, slot);
	ck_assert_uint_ne(acquire_one(add_model("one"), 1).slot, slot);
	ck_assert_int_eq(try_acquire(a, tasks(101, 1)), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_POOL_TASKS);
	ck_assert_int_eq(try_acquire(a, tasks(-1, 1)), SD_INVALID_ARGUMENT);
	close_pool();
}
END_TEST

START_TEST(streams_of_any_depth_have_room)
{
	const struct sd_pool_limits limits = { .mode = SD_POOL_SHARED, .tasks_max = 100, .unlimited_depth = true };
	struct sd_pool_want deep = { .flags = SD_STREAM_PERSISTENT, .task_count = 1000000, .count = 1 };
	sd_pool_id slot;

	open_pool(limits);
	ck_assert_int_eq(try_acquire(a, deep), SD_OK);
	slot = grant[0].slot;
	ck_assert_int_eq(try_acquire(b, deep), SD_OK);
	ck_assert_uint_eq(grant[0].slot, slot);
	deep.flags |= SD_STREAM_AICPU;
	ck_assert_int_eq(try_acquire(a, deep), SD_INVALID_ARGUMENT);
	deep.flags = SD_STREAM_PERSISTENT;
	deep.task_count = INT64_MAX;
	ck_assert_int_eq(try_acquire(a, deep), SD_INVALID_ARGUMENT);
	close_pool();
}
END_TEST

START_TEST(wants_of_one_acquire_do_not_meet)
{
	const struct sd_pool_want want[] = { { .task_count = 10, .count = 2 }, { .task_count = 12, .count = 2 }, { .task_count = 10, .count = 1 } };

	open_pool(SHARED);
	ck_assert_int_eq(try_acquire(a, tasks(11, 4)), SD_OK);
	ck_assert_int_eq(sd_pool_acquire(pool, b, want, 3, 0, 0, grant, NULL, NULL), SD_OK);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(grant[i].want, i / 2);
		ck_assert_int_eq(grant[i].is_new, i == 4);
		for (uint32_t j = 0; j < i; j++)
			ck_assert_uint_ne(grant[i].slot, grant[j].slot);
	}
	close_pool();
}
END_TEST

START_TEST(flags_are_checked)
{
	open_pool(SHARED);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .flags = 0x40, .count = 1 }), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_BAD_STREAM_FLAGS);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .flags = SD_STREAM_HUGE, .count = 1 }), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .flags = SD_STREAM_CP_PROCESS_USE | SD_STREAM_PERSISTENT, .count = 1 }), SD_INVALID_ARGUMENT);
	ck_assert_uint_eq(stats_now().slots, 0);
	close_pool();
}
END_TEST

RUN_TESTS("pool_choose", another_model_is_given_the_slot_again, a_model_never_is_given_what_it_holds, another_key_is_another_slot,
          priorities_are_clamped, the_nearest_task_count_wins, of_equal_ones_the_lower_number, a_slot_is_found_by_its_new_task_count,
          exclusive_slots_are_given_again_after_release, at_most_256_models_share, a_slot_without_room_is_passed_over,
          streams_of_any_depth_have_room, wants_of_one_acquire_do_not_meet, flags_are_checked)
