/* deflated_test - a gzip of three pieces: any reader of gzip gets what was put in, and what is not worth it is left alone. */
#include <string.h>
#include <zlib.h>

#include "conn.h"
#include "deflated.h"
#include "packed.h"
#include "run_tests.h"

#define MOST 300000u

static struct sd_arena arena;
static unsigned char body[MOST], whole[MOST + 200];
static int stop_after; /* looks */

static bool stop(void *arg)
{
	return stop_after-- == 0;
}

static struct sd_deflated pack(size_t len)
{
	stop_after = -1;
	return sd_deflate(&arena, body, len, stop, NULL);
}

static void reset(size_t budget)
{
	sd_arena_finish(&arena);
	sd_arena_init(&arena, budget);
	for (size_t i = 0; i < MOST; i++)
		body[i] = (unsigned char)(i / 7 % 50);
}

/* The gzip around the packed middle. */
static size_t put_together(struct sd_answer *answer, unsigned char *out)
{
	size_t n = sd_gzip_front(out, answer);

	memcpy(out + n, answer->deflated.blob->data, answer->deflated.blob->len);
	n += answer->deflated.blob->len;
	return n + sd_gzip_back(out + n, answer);
}

static void check(size_t len, uint8_t head_len, uint8_t tail_len)
{
	struct sd_answer answer = { .head_len = head_len, .tail_len = tail_len, .deflated = pack(len) };
	struct sd_text message;
	unsigned char *back;

	ck_assert_ptr_nonnull(answer.deflated.blob);
	memset(answer.head, 'h', sizeof(answer.head));
	memset(answer.tail, 't', sizeof(answer.tail));
	message = (struct sd_text){ (const char *)whole, (uint32_t)put_together(&answer, whole) };
	ck_assert_uint_le(message.len, answer.deflated.blob->len + SD_GZIP_FRONT + head_len + SD_GZIP_BACK + tail_len);
	back = sd_unpack(&message, MOST + 100);
	ck_assert_ptr_nonnull(back);
	ck_assert_uint_eq(message.len, head_len + len + tail_len);
	for (uint8_t i = 0; i < head_len; i++)
		ck_assert_uint_eq(back[i], 'h');
	ck_assert_mem_eq(back + head_len, body, len);
	for (uint8_t i = 0; i < tail_len; i++)
		ck_assert_uint_eq(back[head_len + len + i], 't');
	free(back);
	sd_blob_release(answer.deflated.blob);
}

START_TEST(what_was_put_in_comes_back)
{
	reset(0);
	for (uint8_t head = 0; head <= SD_ANSWER_HEAD; head += 8) {
		for (uint8_t tail = 0; tail <= SD_ANSWER_TAIL; tail += 16) {
			check(1000, head, tail);
			check(65537, head, tail);
			check(MOST, head, tail);
		}
	}
	sd_arena_finish(&arena);
}
END_TEST

START_TEST(what_cannot_be_packed_is_left_alone)
{
	uint32_t state = 1;

	reset(0);
	for (size_t i = 0; i < MOST; i++)
		body[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
	ck_assert_ptr_null(pack(MOST).blob);
	ck_assert_ptr_null(pack(1).blob);
	ck_assert_ptr_null(pack(0).blob);
	sd_arena_finish(&arena);
}
END_TEST

START_TEST(without_memory_it_is_left_alone)
{
	for (size_t budget = 1000; budget < 700000; budget += 50000) {
		struct sd_deflated got;

		reset(budget);
		got = pack(MOST);
		sd_blob_release(got.blob);
		ck_assert(budget > 300000 || !got.blob);
	}
	sd_arena_finish(&arena);
}
END_TEST

START_TEST(who_is_wanted_no_more_stops)
{
	reset(0);
	stop_after = 0;
	ck_assert_ptr_null(sd_deflate(&arena, body, MOST, stop, NULL).blob);
	sd_arena_finish(&arena);
}
END_TEST

RUN_TESTS("deflated", what_was_put_in_comes_back, what_cannot_be_packed_is_left_alone, without_memory_it_is_left_alone, who_is_wanted_no_more_stops)
