/* heap_test - the smallest key comes out first, however the heap was filled. */
#include "run_tests.h"

#include "base/heap.h"

#define ITEMS 200u

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *key = ctx;

	return key[a] < key[b] ? -1 : key[a] > key[b];
}

START_TEST(items_come_out_by_key)
{
	uint32_t key[ITEMS], heap[ITEMS], count = 0;

	srand(7);
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t k = (uint32_t)rand() % (i + 1);

		key[i] = key[k];
		key[k] = i;
	}
	for (uint32_t i = 0; i < ITEMS; i++)
		sd_heap_push(heap, &count, i, compare, key);
	for (uint32_t i = 0; i < ITEMS; i++)
		ck_assert_uint_eq(key[sd_heap_pop(heap, &count, compare, key)], i);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(pushing_and_popping_may_alternate)
{
	static const uint32_t key[] = { 5, 3, 8, 1 };
	uint32_t heap[4], count = 0;

	sd_heap_push(heap, &count, 0, compare, key);
	sd_heap_push(heap, &count, 1, compare, key);
	ck_assert_uint_eq(sd_heap_pop(heap, &count, compare, key), 1);
	sd_heap_push(heap, &count, 2, compare, key);
	sd_heap_push(heap, &count, 3, compare, key);
	ck_assert_uint_eq(sd_heap_pop(heap, &count, compare, key), 3);
	ck_assert_uint_eq(sd_heap_pop(heap, &count, compare, key), 0);
	ck_assert_uint_eq(sd_heap_pop(heap, &count, compare, key), 2);
}
END_TEST

RUN_TESTS("heap", items_come_out_by_key, pushing_and_popping_may_alternate)
