/* cache_test - right or absent: keys, digests of requests, budget, order of leaving. */
#include <string.h>

#include "cache.h"
#include "run_tests.h"

#define BUDGET (64u << 10)

static struct sd_cache cache;

static void setup(void)
{
	ck_assert(sd_cache_init(&cache, BUDGET, 0x9e3779b97f4a7c15u));
}

static void teardown(void)
{
	sd_cache_finish(&cache);
}

/* A digest for each number; those of one `kind` share their first eight bytes, so that they meet in one bucket. */
static const unsigned char *digest(unsigned char out[SD_CACHE_KEY_BYTES], unsigned char kind, unsigned number)
{
	memset(out, kind, SD_CACHE_KEY_BYTES);
	memcpy(out + 16, &number, sizeof(number));
	return out;
}

static void store(unsigned number, size_t len)
{
	unsigned char key[SD_CACHE_KEY_BYTES];
	struct sd_blob *plan = sd_blob_create(len);

	memset(plan->data, (int)number, len);
	sd_cache_store(&cache, digest(key, 'k', number), plan);
	sd_blob_release(plan);
}

static bool has(unsigned number, size_t len)
{
	unsigned char key[SD_CACHE_KEY_BYTES];
	struct sd_blob *plan = sd_cache_find(&cache, digest(key, 'k', number));
	bool right = plan && plan->len == len && plan->data[0] == (unsigned char)number && plan->data[len - 1] == (unsigned char)number;

	ck_assert(!plan || right);
	sd_blob_release(plan);
	return right;
}

static void link_raw(unsigned raw, unsigned key)
{
	unsigned char r[SD_CACHE_KEY_BYTES], k[SD_CACHE_KEY_BYTES];

	sd_cache_link(&cache, digest(r, 'r', raw), digest(k, 'k', key));
}

static int raw_finds(unsigned raw)
{
	unsigned char r[SD_CACHE_KEY_BYTES];
	struct sd_blob *plan = sd_cache_find_raw(&cache, digest(r, 'r', raw));
	int number = plan ? plan->data[0] : -1;

	sd_blob_release(plan);
	return number;
}

static struct sd_cache_stats stats(void)
{
	struct sd_cache_stats now;

	sd_cache_read_stats(&cache, &now);
	return now;
}

START_TEST(finds_what_was_stored_and_nothing_else)
{
	for (unsigned i = 0; i < 50; i++)
		store(i, 10 + i);
	for (unsigned i = 0; i < 50; i++)
		ck_assert(has(i, 10 + i));
	ck_assert(!has(50, 60));
	ck_assert_uint_eq(stats().entries, 50);
	ck_assert_uint_eq(stats().hits, 50);
	ck_assert_uint_eq(stats().misses, 1);
}
END_TEST

START_TEST(second_store_of_a_key_changes_nothing)
{
	struct sd_cache_stats before;

	store(1, 100);
	before = stats();
	store(1, 200);
	ck_assert(has(1, 100));
	ck_assert_uint_eq(stats().bytes, before.bytes);
}
END_TEST

START_TEST(budget_is_kept_and_the_unused_goes_first)
{
	for (unsigned i = 0; i < 200; i++) {
		store(i, 1000);
		ck_assert_uint_le(stats().bytes, BUDGET);
		ck_assert(has(0, 1000));
	}
	ck_assert(!has(1, 1000));
	ck_assert(has(199, 1000));
	ck_assert_uint_eq(stats().evictions, 200 - stats().entries);
}
END_TEST

START_TEST(entry_above_its_share_is_not_kept)
{
	store(1, BUDGET / SD_CACHE_ENTRY_SHARE);
	ck_assert(!has(1, BUDGET / SD_CACHE_ENTRY_SHARE));
	store(2, BUDGET / SD_CACHE_ENTRY_SHARE - 256);
	ck_assert(has(2, BUDGET / SD_CACHE_ENTRY_SHARE - 256));
}
END_TEST

START_TEST(request_digests_lead_to_their_plan)
{
	store(1, 10);
	store(2, 10);
	link_raw(11, 1);
	link_raw(12, 1);
	link_raw(21, 2);
	link_raw(99, 9); /* of a plan that is not kept */
	ck_assert_int_eq(raw_finds(11), 1);
	ck_assert_int_eq(raw_finds(12), 1);
	ck_assert_int_eq(raw_finds(21), 2);
	ck_assert_int_eq(raw_finds(99), -1);
	ck_assert_uint_eq(stats().raw_hits, 3);
	ck_assert_uint_eq(stats().misses, 0);
}
END_TEST

START_TEST(request_digests_leave_with_their_plan)
{
	for (unsigned i = 0; i < 300; i++) {
		store(i, 1000);
		link_raw(i, i);
	}
	ck_assert_int_eq(raw_finds(0), -1);
	ck_assert_int_eq(raw_finds(299), 299 & 0xff);
	ck_assert_uint_eq(cache.raw_count, stats().entries);
}
END_TEST

START_TEST(one_plan_keeps_few_request_digests)
{
	store(1, 10);
	for (unsigned i = 0; i < 1000; i++) {
		link_raw(i, 1);
		link_raw(i, 1);
	}
	ck_assert_uint_eq(cache.raw_count, SD_CACHE_RAWS_MAX);
	ck_assert_int_eq(raw_finds(999), 1);
	ck_assert_int_eq(raw_finds(0), -1);
}
END_TEST

START_TEST(tables_grow_and_lose_nothing)
{
	sd_cache_resize(&cache, 64u << 20);
	for (unsigned i = 0; i < 3000; i++) {
		store(i, 16);
		link_raw(i, i);
		link_raw(i + 100000, i);
	}
	ck_assert_uint_gt(cache.entry_bits, 10);
	ck_assert_uint_gt(cache.raw_bits, 11);
	for (unsigned i = 0; i < 3000; i++)
		ck_assert(has(i, 16) && raw_finds(i + 100000) == (int)(i & 0xff));
}
END_TEST

START_TEST(flush_and_resize_give_back)
{
	struct sd_cache_stats before;

	for (unsigned i = 0; i < 40; i++)
		store(i, 1000);
	sd_cache_resize(&cache, 8000);
	ck_assert_uint_le(stats().bytes, 8000);
	sd_cache_flush(&cache, &before);
	ck_assert_uint_gt(before.entries, 0);
	ck_assert_uint_eq(stats().entries, 0);
	ck_assert_uint_eq(stats().bytes, 0);
	sd_cache_resize(&cache, 0);
	store(1, 1);
	ck_assert(!has(1, 1));
}
END_TEST

START_TEST(what_was_handed_out_outlives_its_entry)
{
	unsigned char key[SD_CACHE_KEY_BYTES];
	struct sd_blob *plan;

	store(7, 100);
	plan = sd_cache_find(&cache, digest(key, 'k', 7));
	sd_cache_flush(&cache, NULL);
	ck_assert_int_eq(plan->data[99], 7);
	sd_blob_release(plan);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache");
	TCase *tests = tcase_create("cache");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, finds_what_was_stored_and_nothing_else);
	tcase_add_test(tests, second_store_of_a_key_changes_nothing);
	tcase_add_test(tests, budget_is_kept_and_the_unused_goes_first);
	tcase_add_test(tests, entry_above_its_share_is_not_kept);
	tcase_add_test(tests, request_digests_lead_to_their_plan);
	tcase_add_test(tests, request_digests_leave_with_their_plan);
	tcase_add_test(tests, one_plan_keeps_few_request_digests);
	tcase_add_test(tests, tables_grow_and_lose_nothing);
	tcase_add_test(tests, flush_and_resize_give_back);
	tcase_add_test(tests, what_was_handed_out_outlives_its_entry);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
