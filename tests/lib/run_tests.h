/* run_tests.h - the main program of a unit suite: RUN_TESTS("name", test_a, test_b, ...). */
#ifndef SD_RUN_TESTS_H
#define SD_RUN_TESTS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define TEST_SECONDS 100 /* of one test; under a sanitizer on a busy machine */

static inline int run_tests(const char *name, const TTest *const *test, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tests = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, TEST_SECONDS);
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tests, test[i]);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define RUN_TESTS(name, ...)                                                               \
	int main(void)                                                                     \
	{                                                                                  \
		const TTest *const tests[] = { __VA_ARGS__ };                              \
                                                                                           \
		return run_tests((name), tests, sizeof(tests) / sizeof(tests[0]));         \
	}

#endif
