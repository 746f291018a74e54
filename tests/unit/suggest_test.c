/* suggest_test - the nearest known word, and quoted names. */
#include "formats_world.h"

#include "formats/quote.h"
#include "formats/suggest.h"

static const char *word_at(const void *of, unsigned index)
{
	static const char *const words[] = { "inputs", "outputs", "name", "engine", NULL };

	return words[index];
}

START_TEST(slips_find_their_word)
{
	ck_assert_str_eq(sd_suggest("inptus", word_at, NULL), "inputs");
	ck_assert_str_eq(sd_suggest("output", word_at, NULL), "outputs");
	ck_assert_str_eq(sd_suggest("Name", word_at, NULL), "name");
}
END_TEST

START_TEST(what_is_far_from_all_finds_none)
{
	static const char longest[] = "inputsinputsinputsinputsinputsinputsinputsinputs";

	ck_assert_ptr_null(sd_suggest("zzzzzz", word_at, NULL));
	ck_assert_ptr_null(sd_suggest("", word_at, NULL));
	ck_assert_ptr_null(sd_suggest(longest, word_at, NULL));
}
END_TEST

START_TEST(names_are_quoted_escaped_and_cut)
{
	char quoted[SD_QUOTE_MAX], control[200];

	ck_assert_str_eq(sd_quote(quoted, SD_TEXT("a b")), "'a b'");
	ck_assert_str_eq(sd_quote(quoted, SD_TEXT("a\n\0\x7f")), "'a\\x0a\\x00\\x7f'");
	memset(control, 1, sizeof(control));
	ck_assert_uint_eq(strlen(sd_quote(quoted, (struct sd_text){ control, 200 })), 64 * 4 + 5);
	memset(control, 'x', sizeof(control));
	memcpy(control + 63, "\xc3\xa9", 2);
	sd_quote(quoted, (struct sd_text){ control, 200 });
	ck_assert_uint_eq(strlen(quoted), 1 + 63 + 4);
}
END_TEST

RUN_TESTS("suggest", slips_find_their_word, what_is_far_from_all_finds_none, names_are_quoted_escaped_and_cut)
