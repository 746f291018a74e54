/* log_test - lines are JSON whatever peers say; levels; how many one peer may cause. */
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "run_tests.h"

static const char *escaped(const char *at, size_t len, size_t cap)
{
	static char out[256];

	sd_log_escape(out, cap, at, len);
	return out;
}

START_TEST(text_is_escaped)
{
	ck_assert_str_eq(escaped("plain", 5, 256), "plain");
	ck_assert_str_eq(escaped("a\"b\\c", 5, 256), "a\\\"b\\\\c");
	ck_assert_str_eq(escaped("\n\t\x1b\x7f\0", 5, 256), "\\u000a\\u0009\\u001b\\u007f\\u0000");
	ck_assert_str_eq(escaped("\xe2\x82\xac", 3, 256), "\xe2\x82\xac");
	ck_assert_str_eq(escaped("\xe2\x82", 2, 256), "\\u00e2\\u0082");
	ck_assert_str_eq(escaped("\xff", 1, 256), "\\u00ff");
}
END_TEST

START_TEST(long_text_is_cut_between_characters)
{
	ck_assert_str_eq(escaped("\xe2\x82\xac\xe2\x82\xac", 6, 6), "\xe2\x82\xac");
	ck_assert_str_eq(escaped("ab\n", 3, 8), "ab");
	ck_assert_str_eq(escaped("abc", 3, 1), "");
}
END_TEST

START_TEST(lines_have_their_fields)
{
	struct sd_line line;

	sd_log_set_level(SD_LOG_DEBUG);
	ck_assert(sd_log_begin(&line, SD_LOG_WARN, "event"));
	sd_log_text(&line, "text", "x\"");
	sd_log_int(&line, "number", -5);
	line.text[line.len] = '\0';
	ck_assert_ptr_nonnull(strstr(line.text, "\"level\":\"warn\",\"event\":\"event\",\"text\":\"x\\\"\",\"number\":-5"));
}
END_TEST

START_TEST(full_line_stays_whole)
{
	struct sd_line line;
	char long_text[600];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	ck_assert(sd_log_begin(&line, SD_LOG_ERROR, "full"));
	for (int i = 0; i < 20; i++)
		sd_log_text(&line, "text", long_text);
	ck_assert_uint_le(line.len, SD_LOG_LINE_MAX - 2);
	ck_assert_int_eq(line.text[line.len - 1], '"');
}
END_TEST

START_TEST(levels_below_the_set_one_are_not_logged)
{
	struct sd_line line;

	sd_log_set_level(SD_LOG_WARN);
	ck_assert(!sd_log_begin(&line, SD_LOG_INFO, "x"));
	ck_assert(sd_log_begin(&line, SD_LOG_ERROR, "x"));
	sd_log_set_level(SD_LOG_OFF);
	ck_assert(!sd_log_begin(&line, SD_LOG_ERROR, "x"));
}
END_TEST

START_TEST(full_pipe_drops_lines_and_does_not_wait)
{
	int ends[2], saved = dup(STDERR_FILENO);
	uint64_t before = sd_log_dropped();
	struct sd_line line;

	ck_assert_int_eq(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	sd_log_set_level(SD_LOG_INFO);
	for (int i = 0; i < 5000; i++) {
		if (sd_log_begin(&line, SD_LOG_INFO, "flood"))
			sd_log_end(&line);
	}
	dup2(saved, STDERR_FILENO);
	ck_assert_uint_gt(sd_log_dropped(), before);
	ck_assert_uint_lt(sd_log_dropped(), before + 5000);
}
END_TEST

START_TEST(one_peer_causes_so_many_lines_a_second)
{
	struct sd_log_bucket bucket = { 0 };
	unsigned allowed = 0;

	for (uint64_t ms = 5000; ms < 8000; ms++)
		allowed += sd_log_allowed(&bucket, 7, ms);
	ck_assert_uint_eq(allowed, 3 * 7);
}
END_TEST

RUN_TESTS("log", text_is_escaped, long_text_is_cut_between_characters, lines_have_their_fields, full_line_stays_whole,
          levels_below_the_set_one_are_not_logged, full_pipe_drops_lines_and_does_not_wait, one_peer_causes_so_many_lines_a_second)
