/* diag_test - diagnostics: the first failure wins, messages are safe to print. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

static const char *node_name;

static struct sd_text name_of(const void *of, uint32_t node)
{
	(void)of;
	(void)node;
	return (struct sd_text){ node_name, (uint32_t)strlen(node_name) };
}

static const struct sd_names names = { .node = name_of, .label = name_of };

/* A code whose message has an argument at `place`, of any kind. */
static enum sd_code code_with(const char *place)
{
	char message[SD_MESSAGE_MAX], marked[SD_MESSAGE_MAX];

	for (int code = 1; code < SD_CODE_COUNT; code++) {
		struct sd_diag none = { .code = (enum sd_code)code, .node = 7 };
		struct sd_diag some = none;

		some.arg[0] = some.arg[1] = some.arg[2] = sd_arg_words("<mark>");
		sd_diag_message(&none, NULL, message, sizeof(message));
		sd_diag_message(&some, NULL, marked, sizeof(marked));
		if (strstr(marked, place) && strcmp(message, marked) != 0)
			return (enum sd_code)code;
	}
	ck_abort_msg("no code's message has an argument");
}

START_TEST(first_failure_is_kept)
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	enum sd_status second;

	sd_fail(&diag, (enum sd_code)1, 4, sd_arg_int(1), sd_arg_int(2), sd_arg_int(3));
	second = SD_FAIL0(&diag, (enum sd_code)2, 5);
	ck_assert_int_eq(diag.code, 1);
	ck_assert_uint_eq(diag.node, 4);
	ck_assert_int_eq(diag.arg[2].number, 3);
	ck_assert_int_eq(second, sd_code_status((enum sd_code)2));
}
END_TEST

START_TEST(failure_without_diagnostic_answers_the_status)
{
	for (int code = 1; code < SD_CODE_COUNT; code++)
		ck_assert_int_eq(SD_FAIL0(NULL, (enum sd_code)code, SD_NO_NODE), sd_code_status((enum sd_code)code));
}
END_TEST

START_TEST(every_code_is_found_by_its_text)
{
	for (int code = 1; code < SD_CODE_COUNT; code++) {
		const char *text = sd_code_text((enum sd_code)code);
		enum sd_code found = sd_code_find((struct sd_text){ text, (uint32_t)strlen(text) });

		ck_assert_str_eq(sd_code_text(found), text);
		ck_assert_int_le(found, code);
		/* Graph Engine gives one code to several meanings; we do not. */
		if (text[0] == 'S')
			ck_assert_int_eq(found, code);
	}
	ck_assert_int_eq(sd_code_find((struct sd_text){ "SD9998", 6 }), SD_CODE_NONE);
}
END_TEST

START_TEST(every_message_is_filled_and_ends)
{
	for (int code = 1; code < SD_CODE_COUNT; code++) {
		struct sd_diag diag = { .code = (enum sd_code)code, .node = 3 };
		char message[SD_MESSAGE_MAX];

		for (int k = 0; k < SD_DIAG_ARGS; k++)
			diag.arg[k] = sd_arg_int(17);
		ck_assert_uint_eq(sd_diag_message(&diag, NULL, message, sizeof(message)), strlen(message));
		ck_assert_ptr_null(strchr(message, '{'));
		ck_assert_uint_gt(strlen(message), 2);
	}
}
END_TEST

START_TEST(message_is_cut_at_every_length)
{
	struct sd_diag diag = { .code = code_with("<mark>"), .node = 2, .arg = { sd_arg_node(1), sd_arg_node(1), sd_arg_node(1) } };
	char whole[SD_MESSAGE_MAX], cut[SD_MESSAGE_MAX + 1];

	node_name = "conv";
	sd_diag_message(&diag, &names, whole, sizeof(whole));
	for (size_t cap = 1; cap < sizeof(whole); cap++) {
		memset(cut, '#', sizeof(cut));
		ck_assert_uint_lt(sd_diag_message(&diag, &names, cut, cap), cap);
		ck_assert_int_eq(strncmp(cut, whole, strlen(cut)), 0);
		ck_assert_int_eq(cut[cap], '#');
	}
	ck_assert_uint_eq(sd_diag_message(&diag, &names, NULL, 0), 0);
}
END_TEST

START_TEST(control_characters_are_escaped)
{
	struct sd_diag diag = { .code = code_with("<mark>"), .node = SD_NO_NODE };
	char message[SD_MESSAGE_MAX];

	diag.arg[0] = diag.arg[1] = diag.arg[2] = sd_arg_text((struct sd_text){ "a\n\x1b[31m\x7f", 8 });
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_ptr_nonnull(strstr(message, "'a\\x0a\\x1b[31m\\x7f'"));
}
END_TEST

START_TEST(long_names_are_cut_before_a_half_character)
{
	struct sd_diag diag = { .code = code_with("<mark>"), .node = SD_NO_NODE };
	char message[SD_MESSAGE_MAX], name[401] = "";

	for (int i = 0; i < 200; i++)
		strcat(name, i ? "\xc3\xa4" : "x");
	diag.arg[0] = diag.arg[1] = diag.arg[2] = sd_arg_text((struct sd_text){ name, (uint32_t)strlen(name) });
	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_ptr_nonnull(strstr(message, "\xc3\xa4...'"));
	ck_assert_ptr_null(strstr(message, "\xc3...'"));
	ck_assert_uint_lt(strlen(message), SD_MESSAGE_MAX - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diag");
	TCase *tests = tcase_create("diag");
	SRunner *runner;
	int failed;

	tcase_add_test(tests, first_failure_is_kept);
	tcase_add_test(tests, failure_without_diagnostic_answers_the_status);
	tcase_add_test(tests, every_code_is_found_by_its_text);
	tcase_add_test(tests, every_message_is_filled_and_ends);
	tcase_add_test(tests, message_is_cut_at_every_length);
	tcase_add_test(tests, control_characters_are_escaped);
	tcase_add_test(tests, long_names_are_cut_before_a_half_character);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
