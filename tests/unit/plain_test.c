/* plain_test - which texts are UTF-8 without NUL. */
#include "proto/plain.h"
#include "run_tests.h"

#define ROW(text, plain) { { text, sizeof(text) - 1 }, plain }

START_TEST(rows)
{
	static const struct {
		struct sd_text text;
		bool plain;
	} row[] = {
		ROW("", true), ROW("a", true), ROW("12345678", true), ROW("123456789abcdef0x", true),
		ROW("\x01\x7f", true), ROW("\0", false), ROW("1234567\0", false), ROW("12345678\0", false), ROW("123\0004567", false),
		ROW("\xc3\xa9", true), ROW("1234567\xc3\xa9", true), ROW("12345678\xe2\x82\xac", true), ROW("\xf0\x9f\x98\x80", true),
		ROW("\xc2\x80", true), ROW("\xdf\xbf", true), ROW("\xe0\xa0\x80", true), ROW("\xed\x9f\xbf", true),
		ROW("\xee\x80\x80", true), ROW("\xef\xbf\xbf", true), ROW("\xf0\x90\x80\x80", true), ROW("\xf4\x8f\xbf\xbf", true),
		ROW("\x80", false), ROW("\xbf", false), ROW("\xc0\x80", false), ROW("\xc1\xbf", false), ROW("\xe0\x9f\xbf", false),
		ROW("\xed\xa0\x80", false), ROW("\xf0\x8f\xbf\xbf", false), ROW("\xf4\x90\x80\x80", false), ROW("\xf5\x80\x80\x80", false),
		ROW("\xff", false), ROW("\xc3", false), ROW("\xe2\x82", false), ROW("\xf0\x9f\x98", false), ROW("\xc3(", false),
		ROW("\xe2\x28\xa1", false), ROW("\xe2\x82\x28", false), ROW("\xf0\x9f\x28\x80", false), ROW("1234567\xff", false),
		ROW("12345678\xc3", false),
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_msg(sd__text_is_plain(row[i].text) == row[i].plain, "row %zu", i);
}
END_TEST

/* Each place of a long text is looked at, whatever step leads there. */
START_TEST(no_place_is_skipped)
{
	char text[40];

	for (uint32_t len = 1; len <= sizeof(text); len++) {
		for (uint32_t i = 0; i < len; i++) {
			memset(text, 'x', sizeof(text));
			text[i] = '\0';
			ck_assert(!sd__text_is_plain((struct sd_text){ text, len }));
			text[i] = (char)0x80;
			ck_assert(!sd__text_is_plain((struct sd_text){ text, len }));
			text[i] = 'y';
			ck_assert(sd__text_is_plain((struct sd_text){ text, len }));
		}
	}
}
END_TEST

RUN_TESTS("plain", rows, no_place_is_skipped)
