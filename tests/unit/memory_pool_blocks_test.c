/* memory_pool_blocks_test - segments and blocks: sizes, best fit, cutting and joining, the two sub-pools. */
#include "run_tests.h"

#include "model_device.h"

START_TEST(sizes_and_alignment)
{
	static const uint64_t rows[][2] = { { 1, 64 }, { 32, 64 }, { 33, 128 }, { 96, 128 }, { 97, 192 }, { 1000, 1088 } };

	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before = stats_of_pool().used_bytes;
		void *memory = take(rows[i][0], 1);

		ck_assert_uint_eq((uintptr_t)memory % 64, 0);
		ck_assert_uint_eq(stats_of_pool().used_bytes - before, rows[i][1]);
	}
	ck_assert_uint_eq(stats_of_pool().asked_bytes, 1 + 32 + 33 + 96 + 97 + 1000);
}
END_TEST

START_TEST(segments_grow_by_rule)
{
	static const uint64_t rows[][2] = { { 100, 2 }, { MIB, 2 }, { MIB + 1, 20 }, { 10 * MIB, 20 }, { 10 * MIB + 1, 12 }, { 33 * MIB, 34 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_pool(512 * MIB, (struct sd_memory_pool_options){ 0 });
		give(take(rows[i][0], 1), 1);
		ck_assert_uint_eq(stats_of_pool().reserved_bytes, rows[i][1] * MIB);
		close_pool();
	}
	open_pool(512 * MIB, (struct sd_memory_pool_options){ .expand_bytes = 64 * MIB });
	give(take(100, 1), 1);
	give(take(65 * MIB, 1), 1);
	ck_assert_uint_eq(stats_of_pool().reserved_bytes, 130 * MIB);
	close_pool();
}
END_TEST

START_TEST(best_fit_cut_and_joined)
{
	void *block[8];

	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	for (int i = 0; i < 8; i++)
		block[i] = take((uint64_t)(i + 1) * 10000, 1);
	for (int i = 1; i < 8; i++)
		ck_assert_msg(block[i] > block[i - 1], "cut from the left");
	give(block[1], SD_NO_HANDLE);
	give(block[3], SD_NO_HANDLE);
	give(block[5], SD_NO_HANDLE);
	ck_assert_uint_eq(stats_of_pool().free_blocks, 4);
	ck_assert_uint_gt(stats_of_pool().fragmentation_permille, 0);
	ck_assert_ptr_eq(take(39000, 1), block[3]); /* the smallest that fits, and its rest stays */
	ck_assert_uint_eq(stats_of_pool().free_blocks, 4);
	give(block[3], SD_NO_HANDLE);
	ck_assert_uint_eq(stats_of_pool().free_blocks, 4);
	for (int i = 0; i < 8; i += 2)
		give(block[i], SD_NO_HANDLE);
	give(block[7], SD_NO_HANDLE);
	ck_assert_uint_eq(stats_of_pool().free_blocks, 1);
	ck_assert_uint_eq(stats_of_pool().largest_free_bytes, 2 * MIB);
	ck_assert_uint_eq(stats_of_pool().fragmentation_permille, 0);
	ck_assert_uint_eq(model.allocations, 1);
	close_pool();
}
END_TEST

START_TEST(cached_neighbours_of_one_stream_join)
{
	void *block[4];

	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	for (int i = 0; i < 4; i++)
		block[i] = take(100000, 1);
	give(block[0], 1);
	give(block[2], 2);
	give(block[1], 1);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 2);
	ck_assert_ptr_eq(take(200000, 1), block[0]);
	give(block[0], 1);
	give(block[3], 2);
	synchronize(1);
	ck_assert_uint_eq(stats_of_pool().cached_blocks, 1);
	ck_assert_uint_eq(stats_of_pool().free_blocks, 2);
	synchronize(2);
	ck_assert_uint_eq(stats_of_pool().free_blocks, 1);
	close_pool();
}
END_TEST

START_TEST(sub_pools_are_apart)
{
	void *huge, *normal;

	open_pool(64 * MIB, (struct sd_memory_pool_options){ 0 });
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 1000, 1, SD_PAGES_HUGE_FIRST, "h", &huge, NULL), SD_OK);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 1000, 1, SD_PAGES_NORMAL_FIRST, "n", &normal, NULL), SD_OK);
	ck_assert_uint_eq(stats_of_pool().segments, 2);
	give(huge, 1);
	give(normal, 1);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 1000, 1, SD_PAGES_NORMAL_FIRST, "n", &huge, NULL), SD_OK);
	ck_assert_ptr_eq(huge, normal);
	give(huge, 1);
	close_pool();
}
END_TEST

/* Where neither the device nor the bound has more, pages of the other kind do. */
START_TEST(other_pages_when_there_are_none)
{
	void *huge, *normal[2], *other, *none;
	struct sd_diag diag = { 0 };

	open_pool(64 * MIB, (struct sd_memory_pool_options){ .max_bytes = 4 * MIB });
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 1000, 1, SD_PAGES_HUGE_FIRST, "h", &huge, NULL), SD_OK);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(sd_memory_pool_alloc(pool, MIB - 64, 1, SD_PAGES_NORMAL_FIRST, "n", &normal[i], NULL), SD_OK);
	ck_assert_uint_eq(stats_of_pool().segments, 2);
	ck_assert_uint_eq(stats_of_pool().by_other_pages, 0);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 5000, 1, SD_PAGES_NORMAL_FIRST, "n", &other, NULL), SD_OK);
	ck_assert_uint_eq(stats_of_pool().segments, 2);
	ck_assert_uint_eq(stats_of_pool().by_other_pages, 1);
	ck_assert(sd_memory_pool_is_sound(pool));
	ck_assert_int_eq(sd_memory_pool_alloc(pool, 2 * MIB, 1, SD_PAGES_NORMAL_FIRST, "n", &none, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_MEMORY_EXHAUSTED);
	give(other, 1);
	give(normal[0], 1);
	ck_assert_int_eq(sd_memory_pool_alloc(pool, MIB / 2, 2, SD_PAGES_HUGE_FIRST, "h", &other, NULL), SD_OK); /* of its own pages first */
	ck_assert_uint_eq(stats_of_pool().by_other_pages, 1);
	give(other, 2);
	give(normal[1], 1);
	give(huge, 1);
	ck_assert(sd_memory_pool_is_sound(pool));
	close_pool();
}
END_TEST

RUN_TESTS("memory_pool_blocks", sizes_and_alignment, segments_grow_by_rule, best_fit_cut_and_joined, cached_neighbours_of_one_stream_join,
          sub_pools_are_apart, other_pages_when_there_are_none)
