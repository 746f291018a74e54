/* config_test - settings: the table, units, bounds, files with line numbers, what wins, reload. */
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "log.h"
#include "run_tests.h"

static char error[SD_CONFIG_ERROR_MAX];

static void write_file(char path[32], const char *content)
{
	int fd;

	strcpy(path, "/tmp/config_test.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, content, strlen(content)), (ssize_t)strlen(content));
	close(fd);
}

static bool load(struct sd_config *config, const char *content)
{
	struct sd_config_source source = { 0 };
	char path[32];
	bool fine;

	unsetenv("STREAMD_SOCKET");
	write_file(path, content);
	source.file = path;
	fine = sd_config_load(config, &source, error);
	unlink(path);
	return fine;
}

START_TEST(defaults_are_those_of_the_table)
{
	struct sd_config config;

	sd_config_defaults(&config);
	ck_assert_uint_eq(config.frame_bytes_max, 64u << 20);
	ck_assert_uint_eq(config.drain_ms, 25000);
	ck_assert_uint_eq(config.deadline_ms_max, 600000);
	ck_assert_uint_eq(config.http_port, 9190);
	ck_assert_uint_eq(config.log_level, SD_LOG_INFO);
	ck_assert_str_eq(config.socket_path, "");
}
END_TEST

START_TEST(units)
{
	static const struct {
		const char *key, *value;
		bool fine;
	} row[] = {
		{ "cache.bytes_max", "17", true },      { "cache.bytes_max", "17KiB", true },  { "cache.bytes_max", "17  GiB", true },
		{ "cache.bytes_max", "17 kb", false },  { "cache.bytes_max", "-1", false },    { "cache.bytes_max", "", false },
		{ "cache.bytes_max", "0x10", false },   { "cache.bytes_max", "1.5 MiB", false }, { "cache.bytes_max", "99999999999 GiB", false },
		{ "cache.bytes_max", "99999999999999999999", false },
		{ "socket.idle_timeout", "1500", true }, { "socket.idle_timeout", "10 min", true }, { "socket.idle_timeout", "10 h", false },
		{ "jobs.workers", "3", true },          { "jobs.workers", "3 s", false },      { "jobs.workers", "257", false },
		{ "log.level", "warn", true },          { "log.level", "loud", false },        { "log.level", "", false },
	};
	struct sd_config config;

	sd_config_defaults(&config);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_msg(sd_config_set(&config, row[i].key, row[i].value, error) == row[i].fine, "%s = %s", row[i].key, row[i].value);
	ck_assert_uint_eq(config.cache_bytes_max, UINT64_C(17) << 30);
	ck_assert_uint_eq(config.idle_ms, 600000);
	ck_assert_uint_eq(config.log_level, SD_LOG_WARN);
}
END_TEST

START_TEST(messages_name_the_key_and_what_is_right)
{
	struct sd_config config;

	sd_config_defaults(&config);
	ck_assert(!sd_config_set(&config, "http.port", "x", error));
	ck_assert_str_eq(error, "http.port = x: must be a whole number");
	ck_assert(!sd_config_set(&config, "job.workers", "1", error));
	ck_assert_ptr_nonnull(strstr(error, "did you mean 'jobs.workers'"));
	ck_assert(!sd_config_set(&config, "zzz", "1", error));
	ck_assert_ptr_null(strstr(error, "did you mean"));
}
END_TEST

START_TEST(files_have_comments_and_line_numbers)
{
	struct sd_config config;

	ck_assert(load(&config, "# all\n\n  jobs.workers=2 # two\nlog.level = error"));
	ck_assert_uint_eq(config.workers, 2);
	ck_assert_uint_eq(config.log_level, SD_LOG_ERROR);
	ck_assert(!load(&config, "jobs.workers = 2\nlog.level\n"));
	ck_assert_ptr_nonnull(strstr(error, ":2: 'log.level' is no setting"));
	ck_assert(!load(&config, "#\n#\nnothing = 1\n"));
	ck_assert_ptr_nonnull(strstr(error, ":3: unknown key 'nothing'"));
}
END_TEST

START_TEST(long_lines_and_long_paths_are_refused)
{
	struct sd_config config;
	char line[2048];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	ck_assert(!load(&config, line));
	ck_assert_ptr_nonnull(strstr(error, ":1: the line is longer"));
	line[200] = '\0';
	ck_assert(!sd_config_set(&config, "socket.path", line, error));
	ck_assert_ptr_nonnull(strstr(error, "socket.path: 200 bytes are too long"));
}
END_TEST

START_TEST(set_beats_environment_beats_file)
{
	static const char *const sets[] = { "socket.path=/set/1", "socket.path = /set/2" };
	struct sd_config_source source = { 0 };
	struct sd_config config;
	char path[32];

	write_file(path, "socket.path = /file\n");
	source.file = path;
	setenv("STREAMD_SOCKET", "/environment", 1);
	ck_assert(sd_config_load(&config, &source, error));
	ck_assert_str_eq(config.socket_path, "/environment");
	source.sets = sets;
	source.set_count = 2;
	ck_assert(sd_config_load(&config, &source, error));
	ck_assert_str_eq(config.socket_path, "/set/2");
	source.set_count = 0;
	setenv("STREAMD_SOCKET", "", 1);
	ck_assert(sd_config_load(&config, &source, error));
	ck_assert_str_eq(config.socket_path, "/file");
	unlink(path);
	ck_assert(!sd_config_load(&config, &source, error));
}
END_TEST

START_TEST(settings_must_fit_together)
{
	struct sd_config config;

	ck_assert(!load(&config, "jobs.deadline_max = 1 s\n"));
	ck_assert_ptr_nonnull(strstr(error, "jobs.deadline_default"));
	ck_assert(!load(&config, "socket.frame_bytes_max = 1 GiB\n"));
	ck_assert_ptr_nonnull(strstr(error, "jobs.queue_bytes_max"));
}
END_TEST

START_TEST(reload_takes_what_may_change)
{
	struct sd_config config, fresh;

	sd_config_defaults(&config);
	sd_config_defaults(&fresh);
	fresh.nodes_max = 7;
	fresh.workers = 9;
	strcpy(fresh.socket_path, "/elsewhere");
	ck_assert_uint_eq(sd_config_reload(&config, &fresh), 2);
	ck_assert_uint_eq(config.nodes_max, 7);
	ck_assert_uint_eq(config.workers, 0);
	ck_assert_str_eq(config.socket_path, "");
}
END_TEST

START_TEST(printed_file_names_every_key_once)
{
	char text[16384];
	FILE *out = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(out);
	sd_config_print_file(out);
	fclose(out);
#define SD_X(name, key, type, def, min, max, reload, meaning)                                   \
	ck_assert_msg(strstr(text, "\n#" key " ="), "%s is not there", key);                    \
	ck_assert_ptr_null(strstr(strstr(text, "\n#" key " =") + 1, "\n#" key " ="));
	SD_CONFIG_LIST(SD_X)
#undef SD_X
}
END_TEST

RUN_TESTS("config", defaults_are_those_of_the_table, units, messages_name_the_key_and_what_is_right, files_have_comments_and_line_numbers,
          long_lines_and_long_paths_are_refused, set_beats_environment_beats_file, settings_must_fit_together,
          reload_takes_what_may_change, printed_file_names_every_key_once)
