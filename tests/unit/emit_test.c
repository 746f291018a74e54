/* emit_test - JSON text: commas, escapes, numbers. */
#include "formats_world.h"

#include <float.h>
#include <math.h>

#include "emit.h"

static struct sd_emitter out;
static struct written written;

static void start(void)
{
	sd_emit_start(&out, written_open(&written));
}

static const char *finish(void)
{
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

static const char *text_written(const char *text, uint32_t len)
{
	start();
	sd_emit_text(&out, (struct sd_text){ text, len });
	return finish();
}

static const char *real_written(double real)
{
	start();
	sd_emit_real(&out, real);
	return finish();
}

static const char *int_written(int64_t number)
{
	start();
	sd_emit_int(&out, number);
	return finish();
}

START_TEST(commas_stand_between_values)
{
	start();
	sd_emit_open(&out, '{');
	sd_emit_key(&out, "a");
	sd_emit_open(&out, '[');
	sd_emit_int(&out, 1);
	sd_emit_bool(&out, false);
	sd_emit_close(&out, ']');
	sd_emit_line(&out, 1);
	sd_emit_key(&out, "b");
	sd_emit_open(&out, '{');
	sd_emit_close(&out, '}');
	sd_emit_close(&out, '}');
	ck_assert_str_eq(finish(), "{\"a\": [1, false],\n  \"b\": {}}");
}
END_TEST

START_TEST(texts_are_escaped)
{
	ck_assert_str_eq(text_written("a\"b\\c\n\t\x01", 8), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
	ck_assert_str_eq(text_written("\0z", 2), "\"\\u0000z\"");
	ck_assert_str_eq(text_written("\x7f", 1), "\"\\u007f\"");
	ck_assert_str_eq(text_written("\xc3\xa9\xf0\x9f\x9a\x80", 6), "\"\xc3\xa9\xf0\x9f\x9a\x80\"");
}
END_TEST

START_TEST(what_is_no_utf8_is_replaced)
{
	ck_assert_str_eq(text_written("a\xff" "b", 3), "\"a\\ufffdb\"");
	ck_assert_str_eq(text_written("\xc3", 1), "\"\\ufffd\"");
	ck_assert_str_eq(text_written("\xed\xa0\x80", 3), "\"\\ufffd\\ufffd\\ufffd\"");
}
END_TEST

START_TEST(numbers_have_all_their_digits)
{
	ck_assert_str_eq(int_written(INT64_MIN), "-9223372036854775808");
	ck_assert_str_eq(int_written(INT64_MAX), "9223372036854775807");
	ck_assert_str_eq(int_written(0), "0");
	start();
	sd_emit_uint(&out, UINT64_MAX);
	ck_assert_str_eq(finish(), "18446744073709551615");
}
END_TEST

START_TEST(reals_read_back_as_reals)
{
	ck_assert_str_eq(real_written(1.0), "1.0");
	ck_assert_str_eq(real_written(0.1), "0.1");
	ck_assert_str_eq(real_written(-2.5e300), "-2.5e+300");
	ck_assert_double_eq(strtod(real_written(1.0 / 3), NULL), 1.0 / 3);
	ck_assert_double_eq(strtod(real_written(DBL_MIN / 8), NULL), DBL_MIN / 8);
	ck_assert_double_eq(strtod(real_written((double)INFINITY), NULL), DBL_MAX);
	ck_assert_str_eq(real_written((double)NAN), "0.0");
}
END_TEST

START_TEST(long_output_goes_through_the_block)
{
	char line[1000];
	const char *text;

	memset(line, 'x', sizeof(line));
	start();
	for (int i = 0; i < 500; i++)
		sd_emit_raw(&out, line, sizeof(line));
	text = finish();
	ck_assert_uint_eq(strlen(text), 500 * sizeof(line));
	ck_assert_uint_eq(strspn(text, "x"), 500 * sizeof(line));
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	FILE *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	sd_emit_start(&out, full);
	sd_emit_string(&out, "text");
	ck_assert(!sd_emit_finish(&out));
	fclose(full);
}
END_TEST

RUN_TESTS("emit", commas_stand_between_values, texts_are_escaped, what_is_no_utf8_is_replaced, numbers_have_all_their_digits,
          reals_read_back_as_reals, long_output_goes_through_the_block, a_full_disk_is_told)
