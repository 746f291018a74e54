/* stream_flags_test - which flags a stream can have, and the same flags in the other number space. */
#include "run_tests.h"

#include "streamd/device.h"
#include "streamd/stream_flags.h"

START_TEST(flags)
{
	static const struct {
		uint32_t flags;
		bool has_huge, fits;
	} rows[] = {
		{ 0, false, true }, { 0x1, false, true }, { 0xff3f & ~0x804u, false, true }, { 0x40, true, false }, { 0x80, true, false },
		{ 0x10000, true, false }, { 0x4, false, false }, { 0x4, true, true }, { 0x800, false, true }, { 0x2800, false, true },
		{ 0x801, false, false }, { 0x2801, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_diag diag = { 0 };
		enum sd_status status = sd_stream_flags_check(rows[i].flags, rows[i].has_huge, &diag);

		ck_assert_msg((status == SD_OK) == rows[i].fits, "flags %#x", rows[i].flags);
		ck_assert_int_eq(diag.code, rows[i].fits ? SD_CODE_NONE : SD_CODE_BAD_STREAM_FLAGS);
	}
}
END_TEST

START_TEST(number_spaces)
{
	ck_assert_uint_eq(sd_stream_flags_from_acl(0x4), SD_STREAM_PERSISTENT);
	ck_assert_uint_eq(sd_stream_flags_from_acl(0x1 | 0x2), SD_STREAM_FAST_LAUNCH | SD_STREAM_FAST_SYNC);
	ck_assert_uint_eq(sd_stream_flags_from_acl(0x20), SD_STREAM_CP_PROCESS_USE);
	ck_assert_uint_eq(sd_stream_flags_from_acl(0x8 | 0x10), 0);
	ck_assert_uint_eq(sd_stream_flags_from_acl(0x40 | 0x1), 0);
	ck_assert_uint_eq(sd_stream_flags_to_acl(SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY | SD_STREAM_FAST_LAUNCH), 0x4 | 0x1);
	for (uint32_t acl = 0; acl < 0x40; acl++)
		ck_assert_uint_eq(sd_stream_flags_to_acl(sd_stream_flags_from_acl(acl)), acl & ~0x18u);
}
END_TEST

START_TEST(names)
{
	uint32_t all = 0, flag;

	for (uint32_t i = 0; sd_stream_flag_name(i, &flag); i++) {
		ck_assert_uint_eq(all & flag, 0);
		ck_assert_uint_gt(flag, all);
		all |= flag;
	}
	ck_assert_uint_eq(all, SD_STREAM_FLAGS);
}
END_TEST

START_TEST(priorities)
{
	static const int64_t rows[][2] = { { 0, 0 }, { 7, 7 }, { 3, 3 }, { -1, 0 }, { 8, 7 }, { INT64_MAX, 7 }, { INT64_MIN, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_int_eq(sd_stream_priority_clamp(rows[i][0]), rows[i][1]);
}
END_TEST

RUN_TESTS("stream_flags", flags, number_spaces, names, priorities)
