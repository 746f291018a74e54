/* error_test - a diagnostic as an Error message: fields, retry hint, hostile text. */
#include <string.h>

#include "error.h"
#include "run_tests.h"
#include "streamd.pb-c.h"
#include "utf8.h"

static struct sd_text name_of(const void *of, uint32_t node)
{
	const char *name = of;

	return (struct sd_text){ name, (uint32_t)strlen(name) };
}

static Streamd__V1__Error *decoded(const struct sd_diag *diag, const char *name)
{
	struct sd_names names = { .of = name, .node = name_of };
	struct sd_blob *blob = sd_error_blob(diag, name ? &names : NULL);
	Streamd__V1__Error *error = streamd__v1__error__unpack(NULL, blob->len, blob->data);

	sd_blob_release(blob);
	ck_assert_ptr_nonnull(error);
	return error;
}

static void check_utf8(const char *text)
{
	for (size_t i = 0, len = strlen(text), n; i < len; i += n) {
		n = sd_utf8_length((const unsigned char *)text + i, len - i);
		ck_assert_uint_gt(n, 0);
	}
}

START_TEST(tells_code_status_node_and_pass)
{
	struct sd_diag diag = { .pass = "sort" };
	Streamd__V1__Error *error;

	SD_FAIL0(&diag, SD_CODE_CYCLE, 3);
	error = decoded(&diag, "conv");
	ck_assert_str_eq(error->code, "E18888");
	ck_assert_str_eq(error->status, "INVALID_ARGUMENT");
	ck_assert_str_eq(error->node, "conv");
	ck_assert_str_eq(error->pass, "sort");
	ck_assert_ptr_nonnull(strstr(error->message, "'conv'"));
	ck_assert(!error->retryable && error->retry_after_ms == 0);
	streamd__v1__error__free_unpacked(error, NULL);
}
END_TEST

START_TEST(what_may_be_retried_says_when)
{
	struct sd_diag diag = { 0 };
	Streamd__V1__Error *error;

	SD_FAIL1(&diag, SD_CODE_LIMIT_QUEUE, SD_NO_NODE, sd_arg_int(256));
	error = decoded(&diag, NULL);
	ck_assert(error->retryable);
	ck_assert_uint_eq(error->retry_after_ms, SD_RETRY_AFTER_MS);
	ck_assert_str_eq(error->node, "");
	streamd__v1__error__free_unpacked(error, NULL);
}
END_TEST

START_TEST(hostile_names_become_text)
{
	static const char *const name[] = { "\xff\xfe\xc0\x80", "\xed\xa0\x80", "ab\xe2\x82", "\xf4\x90\x80\x80", "ok \xe2\x82\xac" };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct sd_diag diag = { 0 };
		Streamd__V1__Error *error;

		SD_FAIL0(&diag, SD_CODE_CYCLE, 0);
		error = decoded(&diag, name[i]);
		check_utf8(error->message);
		check_utf8(error->node);
		ck_assert(i < 4 || strcmp(error->node, name[i]) == 0);
		streamd__v1__error__free_unpacked(error, NULL);
	}
}
END_TEST

START_TEST(long_names_are_cut)
{
	char name[2000];
	struct sd_diag diag = { 0 };
	Streamd__V1__Error *error;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	SD_FAIL0(&diag, SD_CODE_CYCLE, 0);
	error = decoded(&diag, name);
	ck_assert_uint_eq(strlen(error->node), 512);
	ck_assert_uint_lt(strlen(error->message), SD_MESSAGE_MAX);
	streamd__v1__error__free_unpacked(error, NULL);
}
END_TEST

RUN_TESTS("error", tells_code_status_node_and_pass, what_may_be_retried_says_when, hostile_names_become_text, long_names_are_cut)
