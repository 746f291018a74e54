/* tls_test - lists of names, and settings that do not fit together. */
#include <string.h>

#include "run_tests.h"
#include "tls.h"

START_TEST(names_in_lists)
{
	static const struct {
		const char *list, *name;
		bool is_in;
	} row[] = {
		{ "", "", false },           { "", "a", false },              { "a", "a", true },               { "a", "A", false },
		{ "a,b", "b", true },        { "a, b", "b", true },           { " a ,, b ", "b", true },        { "ab", "a", false },
		{ "a", "ab", false },        { "*.x.y", "a.x.y", true },      { "*.x.y", "a.b.x.y", false },    { "*.x.y", "x.y", false },
		{ "*.x.y", ".x.y", false },  { "*", "a", false },             { "*.", "a.", true },             { "a.*", "a.b", false },
		{ "*.x.y", "*.x.y", true },  { "b,*.x,c", "a.x", true },      { "spiffe://a/b", "spiffe://a/b", true },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_msg(sd_tls_listed(row[i].list, row[i].name) == row[i].is_in, "'%s' '%s'", row[i].list, row[i].name);
}
END_TEST

START_TEST(settings_that_go_together)
{
	static const struct {
		const char *key, *value;
		const char *wrong; /* what the message speaks of after this one; NULL: all is well */
	} step[] = {
		{ "tls.certificate", "c", "tls.key" },    { "tls.key", "k", NULL },          { "tls.names", "n", "tls.client_ca" }, { "tls.client_ca", "a", NULL },
		{ "tls.certificate", "", "tls.key" },     { "tls.key", "", "tls.client_ca" },
	};
	struct sd_config config;
	char error[SD_CONFIG_ERROR_MAX];

	sd_config_defaults(&config);
	ck_assert(sd_tls_check(&config, error));
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		ck_assert(sd_config_set(&config, step[i].key, step[i].value, error));
		ck_assert_msg(sd_tls_check(&config, error) == !step[i].wrong, "step %zu", i);
		if (step[i].wrong)
			ck_assert_ptr_nonnull(strstr(error, step[i].wrong));
	}
}
END_TEST

START_TEST(files_that_are_none)
{
	struct sd_config config;
	char error[SD_CONFIG_ERROR_MAX];

	sd_config_defaults(&config);
	ck_assert(sd_config_set(&config, "tls.certificate", "/no/such/file", error));
	ck_assert(sd_config_set(&config, "tls.key", "/no/such/file", error));
	ck_assert_ptr_null(sd_tls_load(&config, error));
	ck_assert_ptr_nonnull(strstr(error, "tls.certificate /no/such/file"));
}
END_TEST

RUN_TESTS("tls", names_in_lists, settings_that_go_together, files_that_are_none)
