/* last_error_test - what last failed on a thread: kept, looked at, taken. */
#include "run_tests.h"

#include <pthread.h>

#include "streamd/last_error.h"

static void *look_elsewhere(void *arg)
{
	sd_last_error_peek(arg);
	return NULL;
}

START_TEST(peek_leaves_and_get_takes)
{
	struct sd_last_error error, other = { .status = SD_INTERNAL };
	struct sd_diag diag = { 0 };
	pthread_t thread;

	sd_last_error_peek(&error);
	ck_assert_int_eq(error.status, SD_OK);
	sd_fail(&diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("threads"), (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
	ck_assert_int_eq(sd_last_error_keep(SD_RESOURCE_EXHAUSTED, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(sd_last_error_keep(SD_OK, NULL), SD_OK);
	for (int i = 0; i < 2; i++) {
		sd_last_error_peek(&error);
		ck_assert_int_eq(error.status, SD_RESOURCE_EXHAUSTED);
		ck_assert_int_eq(error.code, SD_CODE_HOST_SHORT);
		ck_assert_str_eq(error.message, "this machine has no more threads; end other programs, or use less at once");
	}
	ck_assert_int_eq(pthread_create(&thread, NULL, look_elsewhere, &other), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(other.status, SD_OK);
	sd_last_error_get(&error);
	ck_assert_int_eq(error.status, SD_RESOURCE_EXHAUSTED);
	sd_last_error_get(&error);
	ck_assert_int_eq(error.status, SD_OK);
	sd_last_error_keep(SD_NOT_FOUND, NULL);
	sd_last_error_get(&error);
	ck_assert_str_eq(error.message, "NOT_FOUND");
}
END_TEST

RUN_TESTS("last_error", peek_leaves_and_get_takes)
