/* reader_test - frames out of any pieces; bodies are asked for first; skipped ones cost nothing. */
#include <string.h>

#include "reader.h"
#include "run_tests.h"

static struct sd_reader reader;

static size_t put_frame(unsigned char *out, uint16_t method, uint64_t id, const char *body)
{
	struct sd_frame frame = { .body_bytes = (uint32_t)strlen(body), .method = method, .kind = SD_FRAME_REQUEST, .request_id = id };

	sd_frame_write(out, &frame);
	memcpy(out + SD_FRAME_HEADER, body, strlen(body));
	return SD_FRAME_HEADER + strlen(body);
}

/* Feeds everything; takes odd methods and skips even ones; writes what was read as text. */
static void feed(const unsigned char *at, size_t len, char *seen)
{
	for (;;) {
		enum sd_read_event event = sd_reader_feed(&reader, &at, &len);
		uint32_t bytes = reader.frame.body_bytes;
		unsigned char *body;

		if (event == SD_READ_MORE)
			return;
		ck_assert_int_ne(event, SD_READ_BAD);
		if (event == SD_READ_HEAD && reader.frame.method % 2 == 0) {
			sd_reader_skip(&reader);
			strcat(seen, "-");
		} else if (event == SD_READ_HEAD) {
			ck_assert(sd_reader_take(&reader));
		} else {
			body = sd_reader_body(&reader);
			strcat(seen, "<");
			strncat(seen, body ? (char *)body : "", bytes);
			strcat(seen, ">");
			free(body);
		}
	}
}

static size_t three_frames(unsigned char *out)
{
	size_t len = put_frame(out, 1, 7, "hello");

	len += put_frame(out + len, 2, 8, "not this");
	len += put_frame(out + len, 2, 8, "");
	len += put_frame(out + len, 3, 9, "");
	return len + put_frame(out + len, 5, 10, "world");
}

START_TEST(cut_anywhere_it_is_the_same)
{
	unsigned char data[256];
	size_t len = three_frames(data);

	for (size_t first = 0; first <= len; first++) {
		for (size_t second = first; second <= len; second += 7) {
			char seen[64] = "";

			feed(data, first, seen);
			feed(data + first, second - first, seen);
			feed(data + second, len - second, seen);
			ck_assert_str_eq(seen, "<hello>--<><world>");
			ck_assert(!sd_reader_is_inside(&reader));
		}
	}
}
END_TEST

START_TEST(a_frame_that_began_is_known)
{
	unsigned char data[256];
	char seen[64] = "";

	three_frames(data);
	ck_assert(!sd_reader_is_inside(&reader));
	feed(data, 1, seen);
	ck_assert(sd_reader_is_inside(&reader));
	feed(data + 1, 22, seen);
	ck_assert(sd_reader_is_inside(&reader));
	sd_reader_finish(&reader);
	ck_assert(!sd_reader_is_inside(&reader));
}
END_TEST

START_TEST(head_is_asked_again_until_it_is_decided)
{
	unsigned char data[64];
	const unsigned char *at = data;
	size_t len = put_frame(data, 1, 7, "xy");

	ck_assert_int_eq(sd_reader_feed(&reader, &at, &len), SD_READ_HEAD);
	ck_assert_uint_eq(len, 2);
	ck_assert_int_eq(sd_reader_feed(&reader, &at, &len), SD_READ_HEAD);
	ck_assert_uint_eq(len, 2);
	ck_assert_uint_eq(reader.frame.request_id, 7);
	sd_reader_finish(&reader);
}
END_TEST

START_TEST(body_can_be_written_in_place)
{
	unsigned char data[64];
	const unsigned char *at = data;
	size_t len = put_frame(data, 1, 7, "in place") - 6, room = 0;
	unsigned char *body;

	ck_assert_ptr_null(sd_reader_room(&reader, &room));
	ck_assert_int_eq(sd_reader_feed(&reader, &at, &len), SD_READ_HEAD);
	ck_assert(sd_reader_take(&reader));
	ck_assert_int_eq(sd_reader_feed(&reader, &at, &len), SD_READ_MORE);
	memcpy(sd_reader_room(&reader, &room), " place", 6);
	ck_assert_uint_eq(room, 6);
	sd_reader_wrote(&reader, 6);
	ck_assert_ptr_null(sd_reader_room(&reader, &room));
	ck_assert_int_eq(sd_reader_feed(&reader, &at, &len), SD_READ_FRAME);
	body = sd_reader_body(&reader);
	ck_assert_mem_eq(body, "in place", 8);
	free(body);
}
END_TEST

START_TEST(length_below_the_header_is_bad)
{
	unsigned char data[SD_FRAME_HEADER] = { 15 };
	const unsigned char *at = data;
	size_t len = sizeof(data);

	ck_assert_int_eq(sd_reader_feed(&reader, &at, &len), SD_READ_BAD);
	sd_reader_finish(&reader);
}
END_TEST

RUN_TESTS("reader", cut_anywhere_it_is_the_same, a_frame_that_began_is_known, head_is_asked_again_until_it_is_decided,
          body_can_be_written_in_place, length_below_the_header_is_bad)
