#include "streamd/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamd/device.h"

#define LINE_MAX 160

static const struct sd_setting_row table[SD_SETTINGS] = {
	[SD_SET_LAUNCH_AGGREGATION] = { "launch_aggregation", "STREAMD_LAUNCH_AGGREGATION", "ASCEND_LAUNCH_TASK_OPTIMIZE",
	                                "launches go through a queue, in batches (1) or one by one (0); not set: straight to the device", 1, 0, 1 },
	[SD_SET_STREAM_PRIORITY] = { "stream_priority", "STREAMD_STREAM_PRIORITY", "ASCEND_STREAM_PRIORITY",
	                             "of streams to which a plan gives none: 0 most urgent .. 7", SD_PRIORITY_MOST_URGENT, SD_PRIORITY_MOST_URGENT, SD_PRIORITY_LEAST_URGENT },
	[SD_SET_EVENT_LOG] = { "event_log", "STREAMD_EVENT_LOG", "ASCEND_LOG_EVENT_ENABLE",
	                       "1: every record, wait, hold and synchronize is told, and at the end what streams and events were at", 0, 0, 1 },
	[SD_SET_MEM_CHECK] = { "mem_check", "STREAMD_MEM_CHECK", "ASCEND_MEM_CHECK", "1: accesses to memory that nothing orders are found", 0, 0, 1 },
};

const struct sd_setting_row *sd_setting_row(uint32_t setting)
{
	return setting < SD_SETTINGS ? &table[setting] : NULL;
}

static const char *from_environment(void *arg, const char *variable)
{
	return getenv(variable);
}

static bool is_switch(const struct sd_setting_row *row)
{
	return row->least == 0 && row->most == 1;
}

static bool read_value(const struct sd_setting_row *row, const char *text, int32_t *value)
{
	char *end;
	long number;

	if (is_switch(row) && (strcmp(text, "on") == 0 || strcmp(text, "off") == 0)) {
		*value = text[1] == 'n';
		return true;
	}
	errno = 0;
	number = strtol(text, &end, 10);
	if (end == text || *end || errno || number < row->least || number > row->most)
		return false;
	*value = (int32_t)number;
	return true;
}

static enum sd_status refuse(const struct sd_setting_row *row, const char *variable, struct sd_diag *diag)
{
	return SD_FAIL2(diag, SD_CODE_BAD_VARIABLE, SD_NO_NODE, sd_arg_words(variable), sd_arg_words(is_switch(row) ? "0, 1, off or on" : "a number from 0 to 7"));
}

enum sd_status sd_settings_read(struct sd_settings *settings, const char *(*look_up)(void *arg, const char *variable), void *arg, struct sd_diag *diag)
{
	if (!look_up)
		look_up = from_environment;
	for (uint32_t i = 0; i < SD_SETTINGS; i++) {
		const struct sd_setting_row *row = &table[i];
		const char *variable = row->variable, *text = look_up(arg, variable);

		if (!text) {
			variable = row->alias;
			text = look_up(arg, variable);
		}
		settings->of[i].value = row->usual;
		settings->of[i].origin = text ? variable : NULL;
		if (text && !read_value(row, text, &settings->of[i].value))
			return refuse(row, variable, diag);
	}
	return SD_OK;
}

void sd_settings_tell(const struct sd_settings *settings, void (*line)(void *arg, const char *text), void *arg)
{
	for (uint32_t i = 0; i < SD_SETTINGS; i++) {
		char text[LINE_MAX];

		if (settings->of[i].origin)
			snprintf(text, sizeof(text), "%s %d, by %s", table[i].name, (int)settings->of[i].value, settings->of[i].origin);
		else if (i == SD_SET_LAUNCH_AGGREGATION)
			snprintf(text, sizeof(text), "%s not set", table[i].name);
		else
			snprintf(text, sizeof(text), "%s %d", table[i].name, (int)settings->of[i].value);
		line(arg, text);
	}
}
