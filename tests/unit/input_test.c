/* input_test - files: reading them, telling their kind. */
#include "formats_world.h"

#include <unistd.h>

static struct sd_text literal(const char *at, size_t len)
{
	return (struct sd_text){ at, (uint32_t)len };
}

START_TEST(endings_tell_the_kind)
{
	ck_assert_int_eq(sd_input_kind("a.json", SD_TEXT("")), SD_INPUT_JSON);
	ck_assert_int_eq(sd_input_kind("a.JSON", SD_TEXT("\x0a\x00")), SD_INPUT_JSON);
	ck_assert_int_eq(sd_input_kind("a.pb", SD_TEXT("{}")), SD_INPUT_PROTOBUF);
	ck_assert_int_eq(sd_input_kind("a.onnx", SD_TEXT("{}")), SD_INPUT_ONNX);
	ck_assert_int_eq(sd_input_kind("ge_proto_1_Build.txt", SD_TEXT("")), SD_INPUT_DUMP);
	ck_assert_int_eq(sd_input_kind("ge_onnx_1_Build.pbtxt", SD_TEXT("")), SD_INPUT_DUMP);
	ck_assert_int_eq(sd_input_kind(".json", SD_TEXT("\x08\x01")), SD_INPUT_ONNX);
}
END_TEST

START_TEST(content_tells_the_kind)
{
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT("{}")), SD_INPUT_JSON);
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT(" \r\n\t{}")), SD_INPUT_JSON);
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT("[]")), SD_INPUT_JSON);
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT("")), SD_INPUT_JSON);
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT("\x08\x07\x12\x01x")), SD_INPUT_ONNX);
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT("\x0a\x03\x0a\x01g")), SD_INPUT_PROTOBUF);
	ck_assert_int_eq(sd_input_kind("-", SD_TEXT("\xff\xff")), SD_INPUT_PROTOBUF);
}
END_TEST

START_TEST(a_graph_of_123_bytes_is_no_json)
{
	char bytes[125] = "\x0a{\x0ay";

	memset(bytes + 4, 'n', 121);
	ck_assert_int_eq(sd_input_kind("-", literal(bytes, 125)), SD_INPUT_PROTOBUF);
	ck_assert_int_eq(sd_input_kind("-", literal(bytes, 124)), SD_INPUT_JSON);
}
END_TEST

START_TEST(a_file_is_read_whole)
{
	char path[] = "/tmp/input_test_XXXXXX";
	struct sd_diag diag = { 0 };
	struct sd_text content;
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, "a\0b", 3), 3);
	close(file);
	ck_assert_int_eq(sd_input_read(&mem, path, &content, &diag), SD_OK);
	unlink(path);
	ck_assert_uint_eq(content.len, 3);
	ck_assert_int_eq(memcmp(content.at, "a\0b", 3), 0);
}
END_TEST

START_TEST(a_stream_of_unknown_length_is_read_whole)
{
	struct sd_diag diag = { 0 };
	struct sd_text content;
	int ends[2];
	FILE *feed;

	ck_assert_int_eq(pipe(ends), 0);
	if (fork() == 0) {
		feed = fdopen(ends[1], "w");
		for (int i = 0; i < 3000000; i++)
			putc('x', feed);
		fclose(feed);
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], 0), 0);
	ck_assert_int_eq(sd_input_read(&mem, "-", &content, &diag), SD_OK);
	ck_assert_uint_eq(content.len, 3000000);
	ck_assert_int_eq(content.at[2999999], 'x');
}
END_TEST

START_TEST(what_cannot_be_read_is_told)
{
	struct sd_diag diag = { 0 };
	struct sd_text content;

	ck_assert_int_eq(sd_input_read(&mem, "/nowhere/a.json", &content, &diag), SD_NOT_FOUND);
	ck_assert_str_eq(say(&diag), "SD0119: the file '/nowhere/a.json' cannot be read: No such file or directory; name one that can");
	memset(&diag, 0, sizeof(diag));
	ck_assert_int_eq(sd_input_read(&mem, "/tmp", &content, &diag), SD_NOT_FOUND);
}
END_TEST

RUN_TESTS("input", endings_tell_the_kind, content_tells_the_kind, a_graph_of_123_bytes_is_no_json, a_file_is_read_whole,
          a_stream_of_unknown_length_is_read_whole, what_cannot_be_read_is_told)
