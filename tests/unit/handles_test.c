/* handles_test - numbers of objects: found, never twice, indices used again. */
#include "run_tests.h"

#include "handles.h"

START_TEST(numbers)
{
	struct sd_handles handles = { 0 };
	sd_handle number[100], again;
	int object[100];

	for (int i = 0; i < 100; i++) {
		number[i] = sd_handles_add(&handles, &object[i]);
		ck_assert_uint_eq(number[i], (uint64_t)i + 1);
	}
	ck_assert_ptr_eq(sd_handles_find(&handles, number[42]), &object[42]);
	ck_assert_ptr_null(sd_handles_find(&handles, SD_NO_HANDLE));
	ck_assert_ptr_null(sd_handles_find(&handles, 101));
	ck_assert_ptr_null(sd_handles_find(&handles, number[42] | (UINT64_C(1) << 32)));
	sd_handles_retire(&handles, number[42]);
	ck_assert_ptr_null(sd_handles_find(&handles, number[42]));
	ck_assert_ptr_eq(sd_handles_at(&handles, 42), &object[42]);
	again = sd_handles_add(&handles, &object[0]);
	ck_assert_uint_eq(again, 101);
	sd_handles_let_go(&handles, 42);
	ck_assert_ptr_null(sd_handles_at(&handles, 42));
	again = sd_handles_add(&handles, &object[1]);
	ck_assert_uint_eq(again, (UINT64_C(1) << 32) + 43);
	ck_assert_ptr_eq(sd_handles_find(&handles, again), &object[1]);
	ck_assert_ptr_null(sd_handles_find(&handles, number[42]));
	ck_assert_uint_eq(handles.used, 101);
	sd_handles_finish(&handles);
}
END_TEST

RUN_TESTS("handles", numbers)
