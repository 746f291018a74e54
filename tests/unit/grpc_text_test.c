/* grpc_text_test - the small encodings of gRPC. */
#include <string.h>

#include "grpc_text.h"
#include "run_tests.h"

START_TEST(messages_are_escaped_and_cut_between_escapes)
{
	static const struct {
		const char *text, *escaped;
		size_t cap;
	} row[] = {
		{ "plain text", "plain text", 100 }, { "50%", "50%25", 100 },    { "\xc3\xa4", "%C3%A4", 100 }, { "a\nb\x7f", "a%0Ab%7F", 100 },
		{ "~ ", "~ ", 100 },                 { "abc", "ab", 2 },         { "a%b", "a", 3 },             { "a%b", "a%25", 4 },
		{ "", "", 100 },                     { "\x1f\x80", "%1F%80", 6 },
	};
	char out[100];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		size_t n = sd_grpc_escape(out, row[i].cap, row[i].text, strlen(row[i].text));

		ck_assert_msg(n == strlen(row[i].escaped) && memcmp(out, row[i].escaped, n) == 0, "%s: %.*s", row[i].text, (int)n, out);
	}
}
END_TEST

START_TEST(base64_of_every_length)
{
	static const char *const row[][2] = {
		{ "", "" }, { "f", "Zg" }, { "fo", "Zm8" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg" }, { "fooba", "Zm9vYmE" }, { "foobar", "Zm9vYmFy" },
		{ "\xff\xfe\xfd", "//79" }, { "\xfb", "+w" },
	};
	char out[16];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		size_t len = strlen(row[i][0]), n = sd_grpc_base64(out, (const unsigned char *)row[i][0], len);

		ck_assert_uint_eq(n, sd_grpc_base64_length(len));
		ck_assert_msg(n == strlen(row[i][1]) && memcmp(out, row[i][1], n) == 0, "%s: %.*s", row[i][0], (int)n, out);
	}
}
END_TEST

START_TEST(timeouts)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} right[] = {
		{ "1H", 3600000 }, { "2M", 120000 }, { "3S", 3000 }, { "4m", 4 },          { "5u", 1 },
		{ "6n", 1 },       { "1001u", 2 },   { "0S", 0 },    { "1000000n", 1 },    { "1000001n", 2 },
		{ "99999999H", UINT64_C(359999996400000) },
	};
	static const char *const wrong[] = { "", "S", "1", "1s", "1h", "-1S", "+1S", " 1S", "1 S", "1.0S", "123456789S", "0x1S", "1SS" };
	uint64_t ms;

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		ck_assert_msg(sd_grpc_timeout(right[i].text, strlen(right[i].text), &ms), "%s", right[i].text);
		ck_assert_uint_eq(ms, right[i].ms);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!sd_grpc_timeout(wrong[i], strlen(wrong[i]), &ms), "%s", wrong[i]);
}
END_TEST

START_TEST(content_types)
{
	static const char *const right[] = { "application/grpc", "application/grpc+proto", "application/grpc;a=b", "application/grpc+proto; q" };
	static const char *const wrong[] = { "", "application/grp", "application/grpcx", "application/grpc-web", "application/grpc+json", "text/plain" };

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		ck_assert_msg(sd_grpc_content_type(right[i], strlen(right[i])), "%s", right[i]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!sd_grpc_content_type(wrong[i], strlen(wrong[i])), "%s", wrong[i]);
}
END_TEST

START_TEST(prefixes_go_back_and_forth)
{
	static const uint32_t length[] = { 0, 1, 255, 256, 65536, 0x01020304, UINT32_MAX };
	unsigned char prefix[SD_GRPC_PREFIX];

	for (size_t i = 0; i < sizeof(length) / sizeof(length[0]); i++) {
		sd_grpc_put_prefix(prefix, false, length[i]);
		ck_assert_uint_eq(prefix[0], 0);
		ck_assert_uint_eq(sd_grpc_prefix_length(prefix), length[i]);
	}
	sd_grpc_put_prefix(prefix, true, 7);
	ck_assert_uint_eq(prefix[0], 1);
	sd_grpc_put_prefix(prefix, false, 0x01020304);
	ck_assert_mem_eq(prefix, "\0\1\2\3\4", SD_GRPC_PREFIX);
}
END_TEST

START_TEST(who_takes_gzip_says_so)
{
	static const struct {
		const char *text;
		bool takes;
	} row[] = {
		{ "gzip", true }, { "identity, deflate, gzip", true }, { "identity,gzip,deflate", true }, { "gzip ,x", true }, { "\tgzip\t", true },
		{ "", false }, { "identity", false }, { "gzipped", false }, { "x-gzip", false }, { "gzi", false }, { "g zip", false }, { ",,,", false }, { "GZIP", false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_msg(sd_grpc_takes_gzip(row[i].text, strlen(row[i].text)) == row[i].takes, "%s", row[i].text);
}
END_TEST

RUN_TESTS("grpc_text", who_takes_gzip_says_so, messages_are_escaped_and_cut_between_escapes, base64_of_every_length, timeouts, content_types, prefixes_go_back_and_forth)
