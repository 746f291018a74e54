/* job_test - numbers for texts, and warnings. */
#include "run_tests.h"

#include <stdio.h>

#include "job.h"
#include "random.h"

static struct sd_arena mem;

static struct sd_job *new_job(void)
{
	struct sd_job *job = SD_NEW0(&mem, struct sd_job, 1);

	ck_assert_ptr_nonnull(job);
	job->mem = &mem;
	return job;
}

START_TEST(equal_texts_have_equal_numbers)
{
	static const struct sd_text text[] = {
		{ "b", 1 }, { "a", 1 }, { "b", 1 }, { "", 0 }, { "ab", 2 }, { "a", 1 }, { "a\0", 2 }, { "", 0 },
	};
	static const uint32_t expected[] = { 1, 2, 1, 3, 4, 2, 5, 3 };
	uint32_t number[8], distinct;

	ck_assert_int_eq(sd_job_intern(new_job(), text, 8, 1, number, &distinct), SD_OK);
	ck_assert_uint_eq(distinct, 5);
	for (int i = 0; i < 8; i++)
		ck_assert_uint_eq(number[i], expected[i]);
	ck_assert_int_eq(sd_job_intern(new_job(), text, 0, 1, number, &distinct), SD_OK);
	ck_assert_uint_eq(distinct, 0);
	sd_arena_finish(&mem);
}
END_TEST

/* The number of a text is that of its first appearance, counted by looking at all before it. */
START_TEST(numbers_as_by_search)
{
	static char word[300][8];
	struct sd_text text[300];
	uint32_t number[300], distinct;

	for (uint32_t seed = 0; seed < 60; seed++) {
		uint32_t state = seed + 1, count = random_below(&state, 300), next = seed % 3, kinds = 1 + seed * 5;

		for (uint32_t i = 0; i < count; i++) {
			snprintf(word[i], sizeof(word[i]), "%u", random_below(&state, kinds));
			text[i] = (struct sd_text){ word[i], (uint32_t)strlen(word[i]) };
		}
		ck_assert_int_eq(sd_job_intern(new_job(), text, count, seed % 3, number, &distinct), SD_OK);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t k = 0;

			while (strcmp(word[k], word[i]) != 0)
				k++;
			ck_assert_uint_eq(number[i], k < i ? number[k] : next++);
		}
		ck_assert_uint_eq(distinct, next - seed % 3);
		sd_arena_finish(&mem);
	}
}
END_TEST

START_TEST(scratch_is_given_back)
{
	static const struct sd_text text[] = { { "x", 1 }, { "y", 1 } };
	struct sd_job *job = new_job();
	size_t used = mem.used_bytes;
	uint32_t number[2], distinct;

	ck_assert_int_eq(sd_job_intern(job, text, 2, 0, number, &distinct), SD_OK);
	ck_assert_uint_eq(mem.used_bytes, used);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(warnings_are_kept_in_order)
{
	struct sd_job *job = new_job();

	for (uint32_t i = 0; i < 200; i++)
		ck_assert_int_eq(sd_job_warn(job, SD_CODE_NODE_OVER_LIMIT, i, sd_arg_int(i), sd_arg_int(2)), SD_OK);
	ck_assert_uint_eq(job->warnings.count, 200);
	for (uint32_t i = 0; i < 200; i++) {
		ck_assert_uint_eq(job->warnings.at[i].node, i);
		ck_assert_int_eq(job->warnings.at[i].severity, SD_WARNING);
		ck_assert_int_eq(job->warnings.at[i].arg[0].number, i);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(no_memory_is_told)
{
	static const struct sd_text text[] = { { "x", 1 } };
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_job *job = new_job();
	uint32_t number, distinct;

	job->diag = &diag;
	mem.fail_at = 1;
	ck_assert_int_eq(sd_job_intern(job, text, 1, 0, &number, &distinct), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	diag.code = SD_CODE_NONE;
	ck_assert_int_eq(sd_job_warn(job, SD_CODE_NODE_OVER_LIMIT, 0, sd_arg_int(1), sd_arg_int(2)), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("job", equal_texts_have_equal_numbers, numbers_as_by_search, scratch_is_given_back, warnings_are_kept_in_order, no_memory_is_told)
