/* intern_test - texts as numbers, in order of first appearance. */
#include "proto/intern.h"
#include "run_tests.h"

#define MANY 3000u

static struct sd_arena mem;

START_TEST(numbers_follow_first_appearance)
{
	struct sd__intern set;

	ck_assert(sd__intern_init(&set, &mem));
	ck_assert_uint_eq(sd__intern_add(&set, SD_TEXT("")), 0);
	ck_assert_uint_eq(sd__intern_add(&set, SD_TEXT("Relu")), 1);
	ck_assert_uint_eq(sd__intern_add(&set, SD_TEXT("Add")), 2);
	ck_assert_uint_eq(sd__intern_add(&set, SD_TEXT("Relu")), 1);
	ck_assert_uint_eq(sd__intern_add(&set, SD_TEXT("")), 0);
	ck_assert_uint_eq(set.count, 3);
	ck_assert(sd_text_is(set.text[2], "Add"));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(it_grows_and_keeps_its_numbers)
{
	static char storage[MANY][8];
	struct sd__intern set;

	ck_assert(sd__intern_init(&set, &mem));
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++) {
			uint32_t len = (uint32_t)snprintf(storage[i], sizeof(storage[i]), "t%u", i);

			ck_assert_uint_eq(sd__intern_add(&set, (struct sd_text){ storage[i], len }), i);
		}
	}
	ck_assert_uint_eq(set.count, MANY);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(over_budget_is_told)
{
	static char storage[MANY][8];
	struct sd_arena small;
	struct sd__intern set;
	uint32_t number = 0;

	sd_arena_init(&small, 8192);
	ck_assert(sd__intern_init(&set, &small));
	for (uint32_t i = 0; i < MANY && number != SD__NO_NAME; i++) {
		uint32_t len = (uint32_t)snprintf(storage[i], sizeof(storage[i]), "t%u", i);

		number = sd__intern_add(&set, (struct sd_text){ storage[i], len });
	}
	ck_assert_uint_eq(number, SD__NO_NAME);
	sd_arena_finish(&small);
}
END_TEST

RUN_TESTS("intern", numbers_follow_first_appearance, it_grows_and_keeps_its_numbers, over_budget_is_told)
