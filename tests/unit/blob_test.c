/* blob_test - shared bytes: content, references, no memory. */
#include "blob.h"
#include "run_tests.h"

START_TEST(content_is_copied)
{
	char text[] = "plan";
	struct sd_blob *blob = sd_blob_copy(text, 4);

	text[0] = 'x';
	ck_assert_uint_eq(blob->len, 4);
	ck_assert_mem_eq(blob->data, "plan", 4);
	sd_blob_release(blob);
}
END_TEST

START_TEST(lives_until_the_last_reference)
{
	struct sd_blob *blob = sd_blob_copy("a", 1);

	ck_assert_ptr_eq(sd_blob_acquire(blob), blob);
	sd_blob_release(blob);
	ck_assert_int_eq(blob->data[0], 'a');
	sd_blob_release(blob);
	sd_blob_release(NULL);
}
END_TEST

START_TEST(empty_and_impossible_sizes)
{
	struct sd_blob *blob = sd_blob_copy(NULL, 0);

	ck_assert_uint_eq(blob->len, 0);
	sd_blob_release(blob);
	ck_assert_ptr_null(sd_blob_create(SIZE_MAX - 4));
}
END_TEST

RUN_TESTS("blob", content_is_copied, lives_until_the_last_reference, empty_and_impossible_sizes)
