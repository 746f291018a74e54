/* memory_pool_alloc_test - the steps by which a block is found, and how it is given back. */
#include "run_tests.h"

#include "model_device.h"

/* A block of 1 MiB, freed on stream 1 behind some work. */
static void *freed_on_1(uint32_t reuse)
{
	void *memory;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ .reuse = reuse });
	memory = take(MIB, 1);
	work(1);
	give(memory, 1);
	return memory;
}

START_TEST(own_stream_first)
{
	void *memory = freed_on_1(0), *again = take(MIB, 1);

	ck_assert_ptr_eq(again, memory);
	ck_assert_uint_eq(stats_of_pool().by_stream, 1);
	ck_assert_uint_eq(stats_of_pool().by_growth, 1);
	give(again, 1);
	close_pool();
}
END_TEST

START_TEST(other_streams_do_not_get_it)
{
	void *memory = freed_on_1(0), *other = take(3 * MIB / 2, 2);

	ck_assert_ptr_ne(other, memory);
	finish_stream(1);
	give(other, 2);
	other = take(MIB, 3);
	ck_assert_ptr_ne(other, memory);
	ck_assert_uint_eq(model.queries, 0);
	give(other, 3);
	close_pool();
}
END_TEST

START_TEST(events_are_followed_over_third_streams)
{
	void *memory = freed_on_1(SD_REUSE_FOLLOW_EVENTS), *early;

	record(1, 10);
	wait_on(2, 10);
	record(2, 11);
	early = take(MIB, 3);
	ck_assert_ptr_ne(early, memory);
	wait_on(3, 11);
	ck_assert_ptr_eq(take(MIB, 3), memory);
	ck_assert_uint_eq(stats_of_pool().by_event, 1);
	give(early, 3);
	give(memory, 3);
	close_pool();
}
END_TEST

START_TEST(record_before_the_free_is_no_help)
{
	void *memory, *other;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ .reuse = SD_REUSE_FOLLOW_EVENTS });
	memory = take(MIB, 1);
	record(1, 10);
	work(1);
	give(memory, 1);
	wait_on(2, 10);
	other = take(MIB, 2);
	ck_assert_ptr_ne(other, memory);
	give(other, 2);
	close_pool();
}
END_TEST

START_TEST(finished_streams_are_found_by_asking)
{
	void *memory = freed_on_1(SD_REUSE_OPPORTUNISTIC), *other = take(3 * MIB / 2, 2);

	ck_assert_ptr_ne(other, memory);
	ck_assert_uint_eq(model.queries, 1);
	finish_stream(1);
	ck_assert_ptr_eq(take(MIB, 2), memory);
	ck_assert_uint_eq(stats_of_pool().by_query, 1);
	give(other, 2);
	give(memory, 2);
	close_pool();
}
END_TEST

START_TEST(waits_are_put_in)
{
	void *memory, *other;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ .reuse = SD_REUSE_INTERNAL_WAITS, .max_bytes = 4 * MIB });
	memory = take(MIB, 1);
	work(1);
	give(memory, 1);
	model.refuses_events = true;
	other = take(2 * MIB - 64, 2);
	ck_assert_ptr_ne(other, memory);
	ck_assert(sd_memory_pool_is_sound(pool));
	model.refuses_events = false;
	ck_assert_ptr_eq(take(MIB, 2), memory);
	ck_assert_uint_eq(stats_of_pool().by_wait, 1);
	ck_assert_uint_eq(model.waits, 1);
	ck_assert_uint_eq(model.clock[2][1], 2);
	give(other, 2);
	give(memory, 2);
	close_pool();
}
END_TEST

START_TEST(users_that_were_told_have_fences_of_their_own)
{
	void *memory, *other;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ .reuse = SD_REUSE_DEFAULT });
	memory = take(2 * MIB - 64, 1);
	work(1);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, 2, NULL), SD_OK);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, 2, NULL), SD_OK);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, 1, NULL), SD_OK);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, SD_NO_HANDLE, NULL), SD_OK);
	work(2);
	give(memory, 1);
	other = take(2 * MIB - 64, 1); /* stream 2 may still read it */
	ck_assert_ptr_ne(other, memory);
	finish_stream(2);
	ck_assert_ptr_eq(take(2 * MIB - 64, 1), memory);
	give(memory, 1);
	give(other, 1);
	ck_assert_int_eq(sd_memory_pool_use(pool, memory, 2, NULL), SD_NOT_FOUND);
	close_pool();
}
END_TEST

START_TEST(refused)
{
	struct sd_diag diag = { 0 };
	void *memory;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ 0 });
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 0, 1, SD_PAGES_HUGE_FIRST, "x", &memory, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, UINT64_MAX, 1, SD_PAGES_HUGE_FIRST, "x", &memory, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 1, 1, SD_PAGES_HUGE_ONLY, "x", &memory, NULL), SD_INVALID_ARGUMENT);
	memory = take(1, 1);
	ck_assert_int_eq(sd_memory_pool_free(pool, (char *)memory + 64, 1, &diag), SD_NOT_FOUND);
	ck_assert_int_eq(diag.code, SD_CODE_NO_SUCH_BLOCK);
	give(memory, 1);
	ck_assert_int_eq(sd_memory_pool_free(pool, memory, 1, NULL), SD_NOT_FOUND);
	close_pool();
}
END_TEST

/* What the host freed is nobody's; what the host wants waits for nobody either. */
START_TEST(host)
{
	void *memory = freed_on_1(SD_REUSE_FOLLOW_EVENTS | SD_REUSE_INTERNAL_WAITS), *other = take(2 * MIB - 64, SD_NO_HANDLE);

	ck_assert_ptr_ne(other, memory);
	give(other, SD_NO_HANDLE);
	ck_assert_ptr_eq(take(2 * MIB - 64, 3), other);
	give(other, 3);
	close_pool();
}
END_TEST

RUN_TESTS("memory_pool_alloc", own_stream_first, other_streams_do_not_get_it, events_are_followed_over_third_streams, record_before_the_free_is_no_help,
          finished_streams_are_found_by_asking, waits_are_put_in, users_that_were_told_have_fences_of_their_own, refused, host)
