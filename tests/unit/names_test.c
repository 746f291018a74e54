/* names_test - from a name to its index, whatever the key of the hash. */
#include "proto/hash.h"
#include "proto/names.h"
#include "run_tests.h"

#define MANY 5000u

static struct sd_arena mem;
static struct sd_text text[MANY + 1];
static char storage[MANY][8];

static void make_texts(void)
{
	for (uint32_t i = 0; i < MANY; i++)
		text[i] = (struct sd_text){ storage[i], (uint32_t)snprintf(storage[i], sizeof(storage[i]), "n%u", i) };
}

START_TEST(every_name_is_found_under_any_key)
{
	make_texts();
	for (uint64_t key = 0; key < 3; key++) {
		struct sd__names names;

		sd_hash_seed(key, key * 77);
		ck_assert(sd__names_init(&names, &mem, text, MANY));
		for (uint32_t i = 0; i < MANY; i++)
			ck_assert_uint_eq(sd__names_add(&names, i), SD__NO_NAME);
		for (uint32_t i = 0; i < MANY; i++)
			ck_assert_uint_eq(sd__names_find(&names, text[i]), i);
		ck_assert_uint_eq(sd__names_find(&names, SD_TEXT("m1")), SD__NO_NAME);
		ck_assert_uint_eq(sd__names_find(&names, SD_TEXT("")), SD__NO_NAME);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_name_that_is_there_is_told)
{
	struct sd__names names;

	make_texts();
	text[MANY] = SD_TEXT("n42");
	ck_assert(sd__names_init(&names, &mem, text, MANY + 1));
	for (uint32_t i = 0; i < MANY; i++)
		sd__names_add(&names, i);
	ck_assert_uint_eq(sd__names_add(&names, MANY), 42);
	ck_assert_uint_eq(sd__names_find(&names, text[MANY]), 42);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(an_empty_table_finds_nothing)
{
	struct sd__names names;

	ck_assert(sd__names_init(&names, &mem, NULL, 0));
	ck_assert_uint_eq(sd__names_find(&names, SD_TEXT("a")), SD__NO_NAME);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(over_budget_is_told)
{
	struct sd_arena small;
	struct sd__names names;

	sd_arena_init(&small, 1000);
	ck_assert(!sd__names_init(&names, &small, text, MANY));
	sd_arena_finish(&small);
}
END_TEST

RUN_TESTS("names", every_name_is_found_under_any_key, a_name_that_is_there_is_told, an_empty_table_finds_nothing,
          over_budget_is_told)
