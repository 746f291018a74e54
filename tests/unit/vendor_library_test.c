/* vendor_library_test - a library is opened with all its functions, or it is said what is missing. */
#include "run_tests.h"

#include "vendor_library.h"

struct functions {
	int (*init)(const char *config);
	void (*second)(void);
};

static struct functions functions;
static struct sd_diag diag;

static enum sd_status open_with(const char *path, const char *second, bool is_optional)
{
	const struct sd_symbol symbols[] = {
		{ "aclInit", offsetof(struct functions, init), false },
		{ second, offsetof(struct functions, second), is_optional },
	};

	diag = (struct sd_diag){ 0 };
	return sd_library_open(path, symbols, 2, &functions, &diag);
}

START_TEST(found)
{
	ck_assert_int_eq(open_with(ACL_STANDIN, "aclFinalize", false), SD_OK);
	ck_assert(functions.init && functions.second);
	ck_assert_int_eq(functions.init(NULL), 0);
}
END_TEST

START_TEST(missing_function)
{
	char text[SD_MESSAGE_MAX];

	ck_assert_int_eq(open_with(ACL_STANDIN, "aclNowhere", false), SD_UNIMPLEMENTED);
	sd_diag_message(&diag, NULL, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "aclNowhere"));
	ck_assert_ptr_nonnull(strstr(text, ACL_STANDIN));
	ck_assert_int_eq(open_with(ACL_STANDIN, "aclNowhere", true), SD_OK);
	ck_assert(!functions.second);
}
END_TEST

START_TEST(missing_library)
{
	char text[SD_MESSAGE_MAX];

	ck_assert_int_eq(open_with("libnot_there.so", "aclFinalize", false), SD_UNAVAILABLE);
	ck_assert_int_eq(diag.code, SD_CODE_NO_LIBRARY);
	sd_diag_message(&diag, NULL, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "libnot_there.so"));
}
END_TEST

RUN_TESTS("vendor_library", found, missing_function, missing_library)
