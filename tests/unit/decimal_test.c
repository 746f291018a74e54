/* decimal_test - canonical numbers of 32 bits, and what is none. */
#include "run_tests.h"

#include "decimal.h"

static bool read(const char *text, bool sign, int32_t *value)
{
	return sd_decimal((struct sd_text){ text, (uint32_t)strlen(text) }, sign, value);
}

START_TEST(numbers)
{
	static const struct {
		const char *text;
		bool sign;
		int32_t value;
	} rows[] = {
		{ "0", false, 0 }, { "7", false, 7 }, { "10", true, 10 }, { "2147483647", false, INT32_MAX }, { "-1", true, -1 },
		{ "-2147483647", true, -INT32_MAX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int32_t value = 99;

		ck_assert_msg(read(rows[i].text, rows[i].sign, &value), "%s", rows[i].text);
		ck_assert_int_eq(value, rows[i].value);
	}
}
END_TEST

START_TEST(no_numbers)
{
	static const char *const rows[] = {
		"", "-", "01", "-01", "00", "+1", " 1", "1 ", "0x1", "1.0", "2147483648", "-2147483649", "99999999999999999999999999", "--1", "a",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int32_t value;

		ck_assert_msg(!read(rows[i], true, &value), "%s", rows[i]);
	}
	ck_assert(!read("-1", false, &(int32_t){ 0 }));
	/* The text ends where its length says. */
	ck_assert(!sd_decimal((struct sd_text){ "12x", 3 }, false, &(int32_t){ 0 }));
}
END_TEST

RUN_TESTS("decimal", numbers, no_numbers)
