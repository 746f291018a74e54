/* settings_test - variables of ours, and the names under which others know them. */
#include "run_tests.h"

#include "streamd/settings.h"

struct pair {
	const char *variable, *value;
};

static struct sd_settings settings;
static struct sd_diag diag;

static const char *look_up(void *arg, const char *variable)
{
	for (const struct pair *pair = arg; pair->variable; pair++)
		if (strcmp(pair->variable, variable) == 0)
			return pair->value;
	return NULL;
}

static enum sd_status read_pairs(struct pair *pair)
{
	diag = (struct sd_diag){ 0 };
	return sd_settings_read(&settings, look_up, pair, &diag);
}

START_TEST(nothing_is_set)
{
	ck_assert_int_eq(read_pairs((struct pair[]){ { 0 } }), SD_OK);
	for (uint32_t i = 0; i < SD_SETTINGS; i++) {
		ck_assert_int_eq(settings.of[i].value, sd_setting_row(i)->usual);
		ck_assert_ptr_null(settings.of[i].origin);
	}
	ck_assert_ptr_null(sd_setting_row(SD_SETTINGS));
}
END_TEST

/* Each setting by its own name and by its alias. */
START_TEST(own_names_and_aliases)
{
	static const struct {
		enum sd_setting setting;
		const char *variable, *value;
		int32_t expected;
	} rows[] = {
		{ SD_SET_LAUNCH_AGGREGATION, "ASCEND_LAUNCH_TASK_OPTIMIZE", "1", 1 }, { SD_SET_LAUNCH_AGGREGATION, "ASCEND_LAUNCH_TASK_OPTIMIZE", "0", 0 },
		{ SD_SET_LAUNCH_AGGREGATION, "STREAMD_LAUNCH_AGGREGATION", "off", 0 }, { SD_SET_LAUNCH_AGGREGATION, "STREAMD_LAUNCH_AGGREGATION", "on", 1 },
		{ SD_SET_STREAM_PRIORITY, "ASCEND_STREAM_PRIORITY", "0", 0 },          { SD_SET_STREAM_PRIORITY, "ASCEND_STREAM_PRIORITY", "7", 7 },
		{ SD_SET_STREAM_PRIORITY, "STREAMD_STREAM_PRIORITY", "3", 3 },         { SD_SET_EVENT_LOG, "ASCEND_LOG_EVENT_ENABLE", "1", 1 },
		{ SD_SET_EVENT_LOG, "STREAMD_EVENT_LOG", "1", 1 },                     { SD_SET_MEM_CHECK, "ASCEND_MEM_CHECK", "1", 1 },
		{ SD_SET_MEM_CHECK, "STREAMD_MEM_CHECK", "on", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(read_pairs((struct pair[]){ { rows[i].variable, rows[i].value }, { 0 } }), SD_OK);
		ck_assert_msg(settings.of[rows[i].setting].value == rows[i].expected, "%s", rows[i].variable);
		ck_assert_str_eq(settings.of[rows[i].setting].origin, rows[i].variable);
		for (uint32_t other = 0; other < SD_SETTINGS; other++)
			ck_assert((enum sd_setting)other == rows[i].setting || !settings.of[other].origin);
	}
}
END_TEST

START_TEST(our_name_wins)
{
	ck_assert_int_eq(read_pairs((struct pair[]){ { "ASCEND_STREAM_PRIORITY", "7" }, { "STREAMD_STREAM_PRIORITY", "2" }, { 0 } }), SD_OK);
	ck_assert_int_eq(settings.of[SD_SET_STREAM_PRIORITY].value, 2);
	ck_assert_str_eq(settings.of[SD_SET_STREAM_PRIORITY].origin, "STREAMD_STREAM_PRIORITY");
}
END_TEST

START_TEST(values_that_cannot_be)
{
	static const struct pair wrong[] = {
		{ "STREAMD_STREAM_PRIORITY", "8" }, { "STREAMD_STREAM_PRIORITY", "-1" }, { "STREAMD_STREAM_PRIORITY", "" }, { "STREAMD_STREAM_PRIORITY", "on" },
		{ "ASCEND_STREAM_PRIORITY", "3x" }, { "ASCEND_MEM_CHECK", "2" },         { "STREAMD_EVENT_LOG", "yes" },    { "STREAMD_EVENT_LOG", "99999999999999999999" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[SD_MESSAGE_MAX];

		ck_assert_int_eq(read_pairs((struct pair[]){ wrong[i], { 0 } }), SD_INVALID_ARGUMENT);
		ck_assert_int_eq(diag.code, SD_CODE_BAD_VARIABLE);
		sd_diag_message(&diag, NULL, text, sizeof(text));
		ck_assert_msg(strstr(text, wrong[i].variable) != NULL, "%s", text);
	}
}
END_TEST

START_TEST(the_environment_is_looked_at)
{
	setenv("ASCEND_MEM_CHECK", "1", 1);
	ck_assert_int_eq(sd_settings_read(&settings, NULL, NULL, &diag), SD_OK);
	ck_assert_int_eq(settings.of[SD_SET_MEM_CHECK].value, 1);
	unsetenv("ASCEND_MEM_CHECK");
	ck_assert_int_eq(sd_settings_read(&settings, NULL, NULL, &diag), SD_OK);
	ck_assert_int_eq(settings.of[SD_SET_MEM_CHECK].value, 0);
}
END_TEST

static void append(void *arg, const char *line)
{
	strcat(arg, line);
	strcat(arg, "\n");
}

START_TEST(told)
{
	char text[512] = "";

	ck_assert_int_eq(read_pairs((struct pair[]){ { "ASCEND_STREAM_PRIORITY", "5" }, { 0 } }), SD_OK);
	sd_settings_tell(&settings, append, text);
	ck_assert_str_eq(text, "launch_aggregation not set\nstream_priority 5, by ASCEND_STREAM_PRIORITY\nevent_log 0\nmem_check 0\n");
}
END_TEST

RUN_TESTS("settings", nothing_is_set, own_names_and_aliases, our_name_wins, values_that_cannot_be, the_environment_is_looked_at, told)
