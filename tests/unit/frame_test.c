/* frame_test - the header of a frame, byte by byte. */
#include "proto/frame.h"
#include "run_tests.h"

START_TEST(fields_stand_where_they_belong)
{
	const struct sd_frame frame = {
		.body_bytes = 0x01020304, .method = 0x0506, .kind = 0x07, .flags = 0x08,
		.request_id = 0x1112131415161718u, .deadline_ms_left = 0x21222324,
	};
	const unsigned char want[SD_FRAME_HEADER] = {
		0x14, 0x03, 0x02, 0x01, 0x06, 0x05, 0x07, 0x08,
		0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21,
	};
	unsigned char header[SD_FRAME_HEADER];

	sd_frame_write(header, &frame);
	ck_assert_mem_eq(header, want, sizeof(want));
}
END_TEST

START_TEST(what_is_written_is_read_again)
{
	const struct sd_frame rows[] = {
		{ 0 },
		{ .body_bytes = SD_FRAME_BODY_MAX, .method = UINT16_MAX, .kind = UINT8_MAX, .flags = UINT8_MAX,
		  .request_id = UINT64_MAX, .deadline_ms_left = UINT32_MAX },
		{ .body_bytes = 77, .method = SD_METHOD_PLAN, .kind = SD_FRAME_REQUEST, .request_id = 1, .deadline_ms_left = 5000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned char header[SD_FRAME_HEADER];
		struct sd_frame read;

		sd_frame_write(header, &rows[i]);
		ck_assert_int_eq(sd_frame_read(header, &read), SD_OK);
		ck_assert_uint_eq(read.body_bytes, rows[i].body_bytes);
		ck_assert_uint_eq(read.method, rows[i].method);
		ck_assert_uint_eq(read.kind, rows[i].kind);
		ck_assert_uint_eq(read.flags, rows[i].flags);
		ck_assert_uint_eq(read.request_id, rows[i].request_id);
		ck_assert_uint_eq(read.deadline_ms_left, rows[i].deadline_ms_left);
	}
}
END_TEST

START_TEST(a_length_below_the_header_is_refused)
{
	for (uint32_t length = 0; length <= SD_FRAME_REST; length++) {
		unsigned char header[SD_FRAME_HEADER] = { (unsigned char)length };
		struct sd_frame read;

		ck_assert_int_eq(sd_frame_read(header, &read), length < SD_FRAME_REST ? SD_INVALID_ARGUMENT : SD_OK);
	}
}
END_TEST

RUN_TESTS("frame", fields_stand_where_they_belong, what_is_written_is_read_again, a_length_below_the_header_is_refused)
