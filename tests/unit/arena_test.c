/* arena_test - memory of one job: alignment, budget, marks, failure on demand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static struct sd_arena arena;

static void setup(void)
{
	sd_arena_init(&arena, 0);
}

static void teardown(void)
{
	sd_arena_finish(&arena);
}

START_TEST(pieces_are_aligned_and_apart)
{
	unsigned char *last = NULL;

	for (size_t bytes = 0; bytes < 300; bytes++) {
		unsigned char *at = sd_arena_alloc(&arena, bytes);

		ck_assert_ptr_nonnull(at);
		ck_assert_ptr_ne(at, last);
		ck_assert_uint_eq((uintptr_t)at % 16, 0);
		memset(at, (int)bytes, bytes);
		last = at;
	}
	ck_assert_uint_eq(arena.calls, 300);
}
END_TEST

START_TEST(neighbours_keep_their_content)
{
	unsigned char *piece[200];
	int changed = 0;

	for (int i = 0; i < 200; i++) {
		piece[i] = sd_arena_alloc(&arena, (size_t)i * 37);
		ck_assert_ptr_nonnull(piece[i]);
		memset(piece[i], i, (size_t)i * 37);
	}
	for (int i = 0; i < 200; i++) {
		for (int k = 0; k < i * 37; k++)
			changed += piece[i][k] != i;
	}
	ck_assert_int_eq(changed, 0);
}
END_TEST

START_TEST(zero_clears_reused_memory)
{
	struct sd_arena_mark mark = sd_arena_mark(&arena);
	static const unsigned char zero[4096];
	unsigned char *at = sd_arena_alloc(&arena, sizeof(zero));

	memset(at, 0xee, sizeof(zero));
	sd_arena_rewind(&arena, mark);
	at = sd_arena_zero(&arena, 64, 64);
	ck_assert_mem_eq(at, zero, sizeof(zero));
}
END_TEST

START_TEST(array_of_overflowing_size_is_refused)
{
	ck_assert_ptr_null(sd_arena_array(&arena, SIZE_MAX / 2, 3));
	ck_assert_ptr_null(sd_arena_zero(&arena, SIZE_MAX, SIZE_MAX));
	ck_assert_ptr_null(sd_arena_alloc(&arena, SIZE_MAX));
	ck_assert_uint_eq(arena.calls, 3);
	ck_assert_ptr_nonnull(SD_NEW(&arena, uint64_t, 8));
}
END_TEST

START_TEST(budget_bounds_what_is_given_out)
{
	size_t given = 0;

	arena.budget_bytes = 1u << 20;
	while (sd_arena_alloc(&arena, 1000))
		given += 1000;
	ck_assert_uint_le(given, 1u << 20);
	ck_assert_uint_ge(given, (1u << 20) * 9 / 10);
	ck_assert_uint_le(arena.used_bytes, arena.budget_bytes);
}
END_TEST

START_TEST(rewind_gives_the_budget_back)
{
	struct sd_arena_mark mark;
	size_t used;

	arena.budget_bytes = 300u << 10;
	ck_assert_ptr_nonnull(sd_arena_alloc(&arena, 1000));
	mark = sd_arena_mark(&arena);
	used = arena.used_bytes;
	for (int round = 0; round < 50; round++) {
		ck_assert_ptr_nonnull(sd_arena_alloc(&arena, 200u << 10));
		sd_arena_rewind(&arena, mark);
		ck_assert_uint_eq(arena.used_bytes, used);
	}
	ck_assert_uint_gt(arena.peak_bytes, used);
}
END_TEST

START_TEST(reset_keeps_one_chunk_at_most)
{
	for (int i = 0; i < 100; i++)
		ck_assert_ptr_nonnull(sd_arena_alloc(&arena, 100000));
	sd_arena_reset(&arena, 1u << 20);
	ck_assert_uint_le(arena.held_bytes, 1u << 20);
	ck_assert_uint_eq(arena.used_bytes, 0);
	ck_assert_uint_eq(arena.peak_bytes, 0);
	sd_arena_reset(&arena, 0);
	ck_assert_uint_eq(arena.held_bytes, 0);
	ck_assert_ptr_nonnull(sd_arena_alloc(&arena, 10));
}
END_TEST

START_TEST(every_call_can_be_made_to_fail)
{
	for (uint64_t fail = 1; fail < 20; fail++) {
		sd_arena_finish(&arena);
		arena.fail_at = fail;
		for (uint64_t call = 1; call < 30; call++)
			ck_assert_int_eq(sd_arena_alloc(&arena, 16) != NULL, call < fail);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *tests = tcase_create("arena");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, pieces_are_aligned_and_apart);
	tcase_add_test(tests, neighbours_keep_their_content);
	tcase_add_test(tests, zero_clears_reused_memory);
	tcase_add_test(tests, array_of_overflowing_size_is_refused);
	tcase_add_test(tests, budget_bounds_what_is_given_out);
	tcase_add_test(tests, rewind_gives_the_budget_back);
	tcase_add_test(tests, reset_keeps_one_chunk_at_most);
	tcase_add_test(tests, every_call_can_be_made_to_fail);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
