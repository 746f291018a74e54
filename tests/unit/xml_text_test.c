/* xml_text_test - texts of others in XML, and the room that they take. */
#include "formats_world.h"

#include "formats/xml_text.h"

static struct sd_emitter out;
static struct written written;

static const char *put(const char *text, uint32_t len)
{
	sd_emit_start(&out, written_open(&written));
	sd_put_xml(&out, (struct sd_text){ text, len });
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

START_TEST(markup_is_escaped)
{
	ck_assert_str_eq(put("<a href=\"x\">&</a>", 17), "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
	ck_assert_str_eq(put("", 0), "");
}
END_TEST

START_TEST(what_xml_cannot_hold_is_replaced)
{
	ck_assert_str_eq(put("a\nb\x7f", 4), "a\xef\xbf\xbd" "b\xef\xbf\xbd");
	ck_assert_str_eq(put("\xef\xbf\xbe\xef\xbf\xbd", 6), "\xef\xbf\xbd\xef\xbf\xbd"); /* U+FFFE, and U+FFFD itself */
	ck_assert_str_eq(put("\xe4\xb8", 2), "\xef\xbf\xbd\xef\xbf\xbd");                 /* half a character */
	ck_assert_str_eq(put("\xe7\xae\x97", 3), "\xe7\xae\x97");
}
END_TEST

START_TEST(wide_characters_take_two_columns)
{
	ck_assert_uint_eq(sd_text_columns(SD_TEXT("abc")), 3);
	ck_assert_uint_eq(sd_text_columns(SD_TEXT("\xc3\xa9")), 1);
	ck_assert_uint_eq(sd_text_columns(SD_TEXT("\xe7\xae\x97" "b")), 3);
}
END_TEST

START_TEST(cuts_fall_between_characters)
{
	const struct sd_text text = SD_TEXT("a\xe7\xae\x97" "b");

	ck_assert_uint_eq(sd_text_cut(text, 0).len, 0);
	ck_assert_uint_eq(sd_text_cut(text, 1).len, 1);
	ck_assert_uint_eq(sd_text_cut(text, 2).len, 1);
	ck_assert_uint_eq(sd_text_cut(text, 3).len, 4);
	ck_assert_uint_eq(sd_text_cut(text, 9).len, 5);
}
END_TEST

RUN_TESTS("xml_text", markup_is_escaped, what_xml_cannot_hold_is_replaced, wide_characters_take_two_columns, cuts_fall_between_characters)
