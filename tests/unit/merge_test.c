/* merge_test - sorting is right and stable at every length; ranks compare like texts. */
#include "run_tests.h"

#include "base/merge.h"

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
	const int *key = ctx;

	return (key[a] > key[b]) - (key[a] < key[b]);
}

START_TEST(items_are_sorted_and_equal_ones_keep_their_order)
{
	int key[300];
	uint32_t item[300], spare[300];

	srand(3);
	for (uint32_t count = 0; count <= 300; count++) {
		for (uint32_t i = 0; i < count; i++) {
			key[i] = rand() % (count < 20 ? 4 : 50);
			item[i] = i;
		}
		sd_merge_sort(item, spare, count, compare, key);
		for (uint32_t i = 1; i < count; i++) {
			ck_assert_int_le(key[item[i - 1]], key[item[i]]);
			if (key[item[i - 1]] == key[item[i]])
				ck_assert_uint_lt(item[i - 1], item[i]);
		}
	}
}
END_TEST

static uint64_t compared;

static int counted(const void *ctx, uint32_t a, uint32_t b)
{
	compared++;
	return compare(ctx, a, b);
}

START_TEST(sorted_items_are_looked_at_once)
{
	int key[1000];
	uint32_t item[1000], spare[1000];

	for (uint32_t i = 0; i < 1000; i++) {
		key[i] = (int)i;
		item[i] = i;
	}
	sd_merge_sort(item, spare, 1000, counted, key);
	ck_assert_uint_eq(compared, 999);
	for (uint32_t i = 0; i < 1000; i++)
		key[i] = -(int)i;
	compared = 0;
	sd_merge_sort(item, spare, 1000, counted, key);
	ck_assert_uint_lt(compared, 12000);
}
END_TEST

START_TEST(ranks_compare_like_bytes)
{
	const struct sd_text text[] = {
		SD_TEXT("b"), SD_TEXT(""), SD_TEXT("abcdefgh"), SD_TEXT("abcdefghi"), SD_TEXT("b"), SD_TEXT("\xff"),
		SD_TEXT("B"), SD_TEXT("abcdefgha"), SD_TEXT("a"), SD_TEXT("\0"),
	};
	const uint32_t count = sizeof(text) / sizeof(text[0]);
	const struct sd_text shared[] = {
		SD_TEXT("model/layer12/b"), SD_TEXT("model/layer12/a"), SD_TEXT("model/layer2/a"), SD_TEXT("model/layer"),
	};
	struct sd_arena mem;
	uint32_t *rank;

	sd_arena_init(&mem, 0);
	rank = sd_text_ranks(&mem, text, count);
	ck_assert_ptr_nonnull(rank);
	for (uint32_t a = 0; a < count; a++) {
		for (uint32_t b = 0; b < count; b++) {
			int order = sd_text_compare(text[a], text[b]);

			ck_assert_int_eq((rank[a] > rank[b]) - (rank[a] < rank[b]), (order > 0) - (order < 0));
		}
		ck_assert_uint_lt(rank[a], count - 1); /* dense: one text stands twice */
	}
	rank = sd_text_ranks(&mem, shared, 4);
	ck_assert_ptr_nonnull(rank);
	ck_assert(rank[3] == 0 && rank[1] == 1 && rank[0] == 2 && rank[2] == 3);
	ck_assert_ptr_nonnull(sd_text_ranks(&mem, text, 0));
	mem.fail_at = mem.calls + 2;
	ck_assert_ptr_null(sd_text_ranks(&mem, text, count));
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("merge", items_are_sorted_and_equal_ones_keep_their_order, sorted_items_are_looked_at_once,
          ranks_compare_like_bytes)
