/* packed_test - gzip in, bytes out, within a bound. */
#include <string.h>
#include <zlib.h>

#include "jobs.h"
#include "packed.h"
#include "run_tests.h"

static unsigned char packed[4096];

/* Packs text; answers the length. `window` 31 is gzip, 15 zlib. */
static uint32_t pack(const void *at, size_t len, int window)
{
	z_stream z = { .next_in = (z_const Bytef *)(uintptr_t)at, .avail_in = (uInt)len, .next_out = packed, .avail_out = sizeof(packed) };

	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (uint32_t)z.total_out;
}

static struct sd_text text(uint32_t len)
{
	return (struct sd_text){ (const char *)packed, len };
}

static bool is_refused(struct sd_text message, size_t max)
{
	unsigned char *out = sd_unpack(&message, max);
	bool refused = !out;

	free(out);
	return refused;
}

START_TEST(what_was_packed_comes_back)
{
	char bytes[2000];

	for (size_t len = 0; len < sizeof(bytes); len += len < 20 ? 1 : 333) {
		struct sd_text message;
		unsigned char *out;

		memset(bytes, (int)('a' + len % 26), len);
		message = text(pack(bytes, len, 31));
		out = sd_unpack(&message, sizeof(bytes));
		ck_assert_ptr_nonnull(out);
		ck_assert_uint_eq(message.len, len);
		ck_assert_mem_eq(message.at, bytes, len);
		free(out);
	}
}
END_TEST

START_TEST(bound_is_kept_to_the_byte)
{
	char bytes[1000] = { 0 };
	uint32_t len = pack(bytes, sizeof(bytes), 31);

	ck_assert(!is_refused(text(len), 1000));
	ck_assert(is_refused(text(len), 999));
}
END_TEST

START_TEST(every_cut_and_every_changed_length_is_refused)
{
	uint32_t len = pack("some text of no use at all", 26, 31);

	for (uint32_t cut = 0; cut < len; cut++)
		ck_assert(is_refused(text(cut), 1000));
	for (int length = 0; length < 300; length++) {
		packed[len - 4] = (unsigned char)length;
		packed[len - 3] = (unsigned char)(length >> 8);
		ck_assert(is_refused(text(len), 1000) == (length != 26));
	}
}
END_TEST

START_TEST(other_forms_are_refused)
{
	ck_assert(is_refused(text(pack("abcdefghijklmnop", 16, 15)), 1000));
	memset(packed, 0, 64);
	ck_assert(is_refused(text(64), 1000));
	/* A length that the form cannot reach is not believed, whatever the bound. */
	pack("x", 1, 31);
	memset(packed + 17, 0x7f, 4);
	ck_assert(is_refused(text(21), SIZE_MAX));
}
END_TEST

START_TEST(job_works_on_what_its_call_packed)
{
	uint32_t len = pack("a request", 9, 31);
	struct sd_call call = { .body = packed, .body_bytes = len, .unpacked_max = 9 };
	struct sd_job job = { .origin = &call };
	struct sd_arena arena;

	sd_arena_init(&arena, 1 << 16);
	ck_assert(sd_job_open(&job, &arena));
	ck_assert_uint_eq(job.bytes.len, 9);
	ck_assert_mem_eq(job.bytes.at, "a request", 9);
	call.unpacked_max = 8;
	ck_assert(!sd_job_open(&job, &arena));
	ck_assert_int_eq(job.result.status, SD_INVALID_ARGUMENT);
	sd_blob_release(job.result.body);
	call.unpacked_max = 0;
	ck_assert(sd_job_open(&job, &arena));
	ck_assert_uint_eq(job.bytes.len, len);
	sd_arena_finish(&arena);
}
END_TEST

RUN_TESTS("packed", what_was_packed_comes_back, bound_is_kept_to_the_byte, every_cut_and_every_changed_length_is_refused,
          other_forms_are_refused, job_works_on_what_its_call_packed)
