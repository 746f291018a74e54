/* memory_pool_test - the pool as a whole: bounds, trim, what is kept, closing. */
#include "run_tests.h"

#include "model_device.h"

START_TEST(bounds)
{
	struct sd_memory_pool_options options = { .max_bytes = 9 * MIB };
	struct sd_diag diag = { 0 };
	void *memory, *small, *large;

	open_pool(64 * MIB, (struct sd_memory_pool_options){ .max_bytes = 3 * MIB }); /* 4 of them */
	small = take(MIB / 2, 1);
	large = take(2 * MIB - 64, 1);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 2 * MIB, 1, SD_PAGES_HUGE_FIRST, "x", &memory, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_ptr_null(memory);
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, 4 * MIB);
	ck_assert_uint_eq(stats_of_pool().failures, 1);
	ck_assert_int_eq(sd_memory_pool_close(pool, &diag), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(diag.code, SD_CODE_MEMORY_BUSY);
	ck_assert_uint_eq(stats_of_pool().used_blocks, 2);
	give(small, 1);
	give(large, 1);
	close_pool();

	model.memory_bytes = 9 * MIB; /* 8 in whole pages */
	ck_assert_int_eq(sd_memory_pool_open(&options, &model.device, &pool, NULL), SD_INVALID_ARGUMENT);
	ck_assert_ptr_null(pool);
	open_pool(9 * MIB, (struct sd_memory_pool_options){ 0 });
	take(7 * MIB, 1); /* 20 MiB would be the rule */
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, 8 * MIB);
}
END_TEST

START_TEST(trim_gives_back_whole_segments_the_smallest_first)
{
	void *small, *middle, *large;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ 0 });
	small = take(MIB, 1);
	middle = take(5 * MIB, 1);
	large = take(30 * MIB, 1);
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, (2 + 20 + 32) * MIB);
	ck_assert_uint_eq(sd_memory_pool_trim(pool, 0), 0);
	give(small, 1);
	give(middle, 1);
	give(large, 1);
	ck_assert_uint_eq(sd_memory_pool_trim(pool, 0), 0); /* cached */
	synchronize(1);
	ck_assert_uint_eq(stats_of_pool().trimmable_bytes, 54 * MIB);
	ck_assert_uint_eq(sd_memory_pool_trim(pool, 40 * MIB), 22 * MIB);
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, 32 * MIB);
	ck_assert_uint_eq(stats_of_pool().reserved_peak_bytes, 54 * MIB);
	sd_memory_pool_reset_peaks(pool);
	ck_assert_uint_eq(stats_of_pool().reserved_peak_bytes, 32 * MIB);
	ck_assert_uint_eq(stats_of_pool().segments_returned, 2);
	close_pool();
}
END_TEST

START_TEST(more_than_is_kept_goes_back_after_a_synchronize)
{
	void *a, *b;

	open_pool(256 * MIB, (struct sd_memory_pool_options){ .keep_bytes = 32 * MIB });
	a = take(15 * MIB, 1);
	b = take(30 * MIB, 1);
	give(a, 1);
	give(b, 1);
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, 48 * MIB);
	synchronize(1);
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, 32 * MIB);
	close_pool();
}
END_TEST

START_TEST(growth_gives_back_what_is_free_first)
{
	void *a, *memory;

	open_pool(32 * MIB, (struct sd_memory_pool_options){ 0 });
	a = take(15 * MIB, 1);
	give(a, 1);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 20 * MIB, 2, SD_PAGES_HUGE_FIRST, "x", &memory, NULL), SD_RESOURCE_EXHAUSTED);
	synchronize(1);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 20 * MIB, 2, SD_PAGES_HUGE_FIRST, "x", &memory, NULL), SD_OK);
	ck_assert_uint_eq(stats_of_pool().segments_returned, 1);
	give(memory, SD_NO_HANDLE);
	close_pool();
}
END_TEST

RUN_TESTS("memory_pool", bounds, trim_gives_back_whole_segments_the_smallest_first, more_than_is_kept_goes_back_after_a_synchronize,
          growth_gives_back_what_is_free_first)
