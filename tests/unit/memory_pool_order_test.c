/* memory_pool_order_test - what is known of streams and events, and what is forgotten. */
#include "run_tests.h"

#include "model_device.h"

static void *freed(sd_handle stream)
{
	void *memory = take(MIB, stream);

	give(memory, stream);
	return memory;
}

START_TEST(mark_holds_for_what_was_freed_before_it)
{
	void *early, *late;
	uint64_t mark;

	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	early = take(100000, 1);
	take(100000, 1); /* so that they do not join */
	late = take(100000, 1);
	give(early, 1);
	mark = sd_memory_pool_mark(pool, 1);
	give(late, 1);
	sd_memory_pool_finished(pool, 1, mark);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 1);
	sd_memory_pool_finished(pool, 1, UINT64_MAX);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 0);
	ck_assert_uint_eq(sd_memory_pool_mark(pool, 9), 0);
	sd_memory_pool_finished(pool, 9, 5);
}
END_TEST

START_TEST(later_record_replaces_the_earlier_one)
{
	void *memory, *other;

	open_pool(64 * MIB, (struct sd_memory_pool_options){ .reuse = SD_REUSE_FOLLOW_EVENTS });
	memory = freed(1);
	record(1, 10);
	record(2, 10); /* says nothing of stream 1 */
	wait_on(3, 10);
	other = take(3 * MIB / 2, 3);
	ck_assert_ptr_ne(other, memory);
	record(1, 10);
	wait_on(3, 10);
	ck_assert_ptr_eq(take(MIB, 3), memory);
	wait_on(3, 77); /* never recorded */
	give(memory, 3);
	give(other, 3);
	close_pool();
}
END_TEST

START_TEST(forgotten_stream_is_finished)
{
	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	freed(1);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 1);
	sd_memory_pool_forget_stream(pool, 1);
	sd_memory_pool_forget_stream(pool, 1);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 0);
	close_pool();
}
END_TEST

/* Its place is taken by stream 3: what was seen of 1 says nothing of 3. */
START_TEST(place_of_a_forgotten_stream_is_used_again)
{
	void *memory, *other;

	open_pool(64 * MIB, (struct sd_memory_pool_options){ .reuse = SD_REUSE_FOLLOW_EVENTS });
	for (int i = 0; i < 5; i++)
		record(1, 10);
	wait_on(2, 10);
	sd_memory_pool_forget_stream(pool, 1);
	memory = freed(3);
	other = take(MIB, 2);
	ck_assert_ptr_ne(other, memory);
	wait_on(2, 10); /* nor does the event that 1 recorded */
	ck_assert_ptr_ne(take(MIB, 2), memory);
	sd_memory_pool_forget_event(pool, 10);
	sd_memory_pool_forget_event(pool, 10);
}
END_TEST

/* A user that is gone when the block is freed needs no fence. */
START_TEST(user_that_was_forgotten)
{
	void *memory;

	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	memory = take(MIB, 1);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, 2, NULL), SD_OK);
	sd_memory_pool_forget_stream(pool, 2);
	give(memory, 1);
	ck_assert_ptr_eq(take(MIB, 1), memory);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, 3, NULL), SD_OK);
	give(memory, SD_NO_HANDLE);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 1);
	synchronize(3);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 0);
	close_pool();
}
END_TEST

RUN_TESTS("memory_pool_order", mark_holds_for_what_was_freed_before_it, later_record_replaces_the_earlier_one, forgotten_stream_is_finished,
          place_of_a_forgotten_stream_is_used_again, user_that_was_forgotten)
