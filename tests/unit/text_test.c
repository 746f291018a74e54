/* text_test - texts compare as bytes. */
#include "run_tests.h"

#include "base/text.h"

static struct sd_text text_of(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

START_TEST(equal_and_in_order)
{
	static const char *const ascending[] = { "", "A", "a", "a\x01", "aa", "ab", "b", "\xff" };
	size_t count = sizeof(ascending) / sizeof(ascending[0]);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < count; k++) {
			int order = sd_text_compare(text_of(ascending[i]), text_of(ascending[k]));

			ck_assert_int_eq((order > 0) - (order < 0), (i > k) - (i < k));
			ck_assert_int_eq(sd_text_equal(text_of(ascending[i]), text_of(ascending[k])), i == k);
			ck_assert_int_eq(sd_text_is(text_of(ascending[i]), ascending[k]), i == k);
		}
	}
}
END_TEST

START_TEST(length_counts_not_what_stands_behind)
{
	ck_assert(sd_text_equal((struct sd_text){ NULL, 0 }, SD_TEXT("")));
	ck_assert(sd_text_equal((struct sd_text){ "abc", 2 }, (struct sd_text){ "abd", 2 }));
	ck_assert(!sd_text_equal((struct sd_text){ "a\0b", 3 }, (struct sd_text){ "a\0c", 3 }));
	ck_assert_int_lt(sd_text_compare((struct sd_text){ "a\0b", 3 }, (struct sd_text){ "a\0c", 3 }), 0);
}
END_TEST

RUN_TESTS("text", equal_and_in_order, length_counts_not_what_stands_behind)
