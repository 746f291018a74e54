/* vendor_errors_test - what the vendor's errors are about, and how they become ours. */
#include "run_tests.h"

#include "streamd/vendor_errors.h"

START_TEST(every_row_is_whole_and_once)
{
	const struct sd_vendor_error *row;
	uint32_t rows = 0;

	for (; (row = sd_vendor_error_row(rows)) != NULL; rows++) {
		ck_assert(row->number || row->text);
		ck_assert_uint_gt(strlen(row->sentence), 10);
		ck_assert_msg(strstr(row->sentence, "; ") != NULL, "%s says not what makes it right", row->sentence);
		ck_assert_msg(sd_code_retryable(row->code) == row->retryable, "number %lld", (long long)row->number);
		ck_assert_msg((row->code == SD_CODE_VENDOR_EXHAUSTED) == (row->resource != SD_VENDOR_NO_RESOURCE), "number %lld", (long long)row->number);
		if (row->number)
			ck_assert_ptr_eq(sd_vendor_error_find(row->number), row);
		if (row->text)
			ck_assert_ptr_eq(sd_vendor_error_find_text((struct sd_text){ row->text, (uint32_t)strlen(row->text) }), row);
	}
	ck_assert_uint_ge(rows, 60);
	ck_assert_ptr_null(sd_vendor_error_find(0));
	ck_assert_ptr_null(sd_vendor_error_find(-1));
	ck_assert_ptr_null(sd_vendor_error_find_text(SD_TEXT("EL000")));
}
END_TEST

START_TEST(resources_are_called_by_their_names)
{
	static const struct {
		int64_t number;
		const char *resource;
	} rows[] = {
		{ 207005, "streams" }, { 207008, "streams" }, { 207007, "events" }, { 207009, "notifies" }, { 207001, "memory" }, { 207018, "memory" },
		{ 507002, "queue entries" }, { 207010, "models" }, { 107000, "nothing" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(sd_vendor_resource_name(sd_vendor_error_find(rows[i].number)->resource), rows[i].resource);
	/* The one whose own words speak of memory. */
	ck_assert_ptr_nonnull(strstr(sd_vendor_error_find(207005)->sentence, "streams and their queues (not of memory)"));
	ck_assert_str_eq(sd_vendor_layer_name(sd_vendor_error_find(507015)->layer), "operator");
	ck_assert_str_eq(sd_vendor_layer_name(sd_vendor_error_find(207008)->layer), "runtime");
	ck_assert_str_eq(sd_vendor_layer_name(sd_vendor_error_find_text(SD_TEXT("EE1017"))->layer), "compile");
}
END_TEST

START_TEST(numbers_become_statuses)
{
	static const struct {
		int64_t number;
		enum sd_status status;
		const char *part;
	} rows[] = {
		{ 207005, SD_RESOURCE_EXHAUSTED, "the call was refused with vendor error 207005: the device is out of streams" },
		{ 107000, SD_INVALID_ARGUMENT, "107000" }, { 507015, SD_INTERNAL, "507015" }, { 507046, SD_DEADLINE_EXCEEDED, "507046" },
		{ 107003, SD_FAILED_PRECONDITION, "another context" }, { 207000, SD_UNIMPLEMENTED, "207000" }, { 107037, SD_UNAVAILABLE, "running" },
		{ 999999, SD_INTERNAL, "999999: the number is not known" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_diag diag = { 0 };
		char text[SD_MESSAGE_MAX];

		ck_assert_int_eq(sd_vendor_fail(&diag, "the call", rows[i].number), rows[i].status);
		sd_diag_message(&diag, NULL, text, sizeof(text));
		ck_assert_msg(strstr(text, rows[i].part) != NULL, "'%s' is not in: %s", rows[i].part, text);
	}
}
END_TEST

/* The two vendors' numbers are not taken for each other's. */
START_TEST(numbers_of_cuda)
{
	struct sd_diag diag = { 0 };
	char text[SD_MESSAGE_MAX];

	ck_assert_int_eq(sd_cuda_fail(&diag, "cuMemAlloc_v2", 2), SD_RESOURCE_EXHAUSTED);
	sd_diag_message(&diag, NULL, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "cuMemAlloc_v2 was refused with vendor error 2: CUDA_ERROR_OUT_OF_MEMORY: "));
	ck_assert_int_eq(sd_vendor_fail(NULL, "the call", 2), SD_INTERNAL);
	ck_assert_int_eq(sd_cuda_fail(NULL, "the call", 207008), SD_INTERNAL);
	ck_assert_int_eq(sd_vendor_error_find_text(SD_TEXT("CUDA_ERROR_TIMEOUT"))->number, 909);
}
END_TEST

RUN_TESTS("vendor_errors", numbers_of_cuda, every_row_is_whole_and_once, resources_are_called_by_their_names, numbers_become_statuses)
