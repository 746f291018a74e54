#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "grpc.h"
#include "log.h"

struct row {
	const char *key, *standard, *meaning;
	uint64_t min, max;
	size_t offset;
	enum sd_config_type type;
	bool reloadable;
};

static const struct row rows[] = {
#define SD_X(name, key, type, def, min, max, reload, meaning) \
	{ key, def, meaning, min, max, offsetof(struct sd_config, name), SD_CONFIG_##type, reload },
	SD_CONFIG_LIST(SD_X)
#undef SD_X
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct unit {
	const char *name;
	uint64_t factor;
};
static const struct unit bytes_units[] = { { "", 1 }, { "KiB", 1u << 10 }, { "MiB", 1u << 20 }, { "GiB", 1u << 30 }, { NULL, 0 } };
static const struct unit ms_units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "min", 60000 }, { NULL, 0 } };
static const struct unit count_units[] = { { "", 1 }, { NULL, 0 } };
static const char *const levels[] = { "debug", "info", "warn", "error", "off", NULL };
static const char *const modes[] = { "exclusive", "shared", NULL };

static bool wrong(char error[SD_CONFIG_ERROR_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(char error[SD_CONFIG_ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, SD_CONFIG_ERROR_MAX, format, args);
	va_end(args);
	/* What stood in a file is told to a terminal: it is not to be steered by it. */
	for (char *at = error; *at; at++)
		*at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
	return false;
}

static const struct row *find_row(const char *key)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].key, key) == 0)
			return &rows[i];
	}
	return NULL;
}

static bool same_key_part(const char *a, const char *b)
{
	const char *dot_a = strrchr(a, '.'), *dot_b = strrchr(b, '.');

	return strcmp(dot_a ? dot_a + 1 : a, dot_b ? dot_b + 1 : b) == 0;
}

/* A hint for the usual slips: the right key under the wrong section, a key cut short. */
static const char *near_key(const char *key)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (same_key_part(rows[i].key, key) || (strlen(key) > 2 && strstr(rows[i].key, key)))
			return rows[i].key;
	}
	return NULL;
}

static const struct unit *units_of(enum sd_config_type type)
{
	return type == SD_CONFIG_BYTES ? bytes_units : type == SD_CONFIG_MS ? ms_units : count_units;
}

static const char *type_name(enum sd_config_type type)
{
	switch (type) {
	case SD_CONFIG_BYTES: return "a size such as 4096, 64 KiB, 64 MiB or 1 GiB";
	case SD_CONFIG_MS: return "a time such as 250 ms, 30 s or 10 min";
	case SD_CONFIG_COUNT: return "a whole number";
	case SD_CONFIG_TEXT: return "text";
	case SD_CONFIG_LEVEL: return "debug, info, warn, error or off";
	case SD_CONFIG_MODE: return "exclusive or shared";
	}
	return "";
}

static bool read_number(const char *text, const struct unit *units, uint64_t *number)
{
	char *end;
	uint64_t n;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return false;
	while (*end == ' ')
		end++;
	for (; units->name; units++) {
		if (strcmp(end, units->name) == 0)
			return !__builtin_mul_overflow(n, units->factor, number);
	}
	return false;
}

/* What a number without a unit is counted in. */
static const char *counted_in(enum sd_config_type type)
{
	return type == SD_CONFIG_BYTES ? " bytes" : type == SD_CONFIG_MS ? " ms" : "";
}

static bool set_number(struct sd_config *config, const struct row *row, const char *value, char *error)
{
	uint64_t number;

	if (!read_number(value, units_of(row->type), &number))
		return wrong(error, "%s = %.64s: must be %s", row->key, value, type_name(row->type));
	if (number < row->min || number > row->max)
		return wrong(error, "%s = %.64s: must be between %llu and %llu%s", row->key, value,
		             (unsigned long long)row->min, (unsigned long long)row->max, counted_in(row->type));
	memcpy((char *)config + row->offset, &number, sizeof(number));
	return true;
}

static bool set_text(struct sd_config *config, const struct row *row, const char *value, char *error)
{
	size_t len = strlen(value);

	if (len >= SD_CONFIG_TEXT_MAX)
		return wrong(error, "%s: %zu bytes are too long, at most %d are possible", row->key, len, SD_CONFIG_TEXT_MAX - 1);
	memset((char *)config + row->offset, 0, SD_CONFIG_TEXT_MAX);
	memcpy((char *)config + row->offset, value, len);
	return true;
}

/* The place of `value` among the words. */
static bool set_word(struct sd_config *config, const struct row *row, const char *const *word, const char *value, char *error)
{
	for (uint64_t place = 0; word[place]; place++) {
		if (strcmp(word[place], value) == 0) {
			memcpy((char *)config + row->offset, &place, sizeof(place));
			return true;
		}
	}
	return wrong(error, "%s = %.64s: must be %s", row->key, value, type_name(row->type));
}

bool sd_config_set(struct sd_config *config, const char *key, const char *value, char error[SD_CONFIG_ERROR_MAX])
{
	const struct row *row = find_row(key);
	const char *hint;

	if (!row) {
		hint = near_key(key);
		return wrong(error, "unknown key '%.64s'%s%s%s; streamd --print-config lists all keys", key,
		             hint ? ", did you mean '" : "", hint ? hint : "", hint ? "'" : "");
	}
	switch (row->type) {
	case SD_CONFIG_TEXT: return set_text(config, row, value, error);
	case SD_CONFIG_LEVEL: return set_word(config, row, levels, value, error);
	case SD_CONFIG_MODE: return set_word(config, row, modes, value, error);
	default: return set_number(config, row, value, error);
	}
}

void sd_config_defaults(struct sd_config *config)
{
	char error[SD_CONFIG_ERROR_MAX];

	memset(config, 0, sizeof(*config));
	for (size_t i = 0; i < ROWS; i++)
		sd_config_set(config, rows[i].key, rows[i].standard, error);
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* "key = value" in place; false without an equals sign. */
static bool set_pair(struct sd_config *config, char *pair, char *error)
{
	char *equals = strchr(pair, '=');

	if (!equals)
		return wrong(error, "'%.64s' is no setting; write section.key = value", pair);
	*equals = '\0';
	return sd_config_set(config, trim(pair), trim(equals + 1), error);
}

static bool set_line(struct sd_config *config, char *line, char *error)
{
	char *hash = strchr(line, '#');

	if (hash)
		*hash = '\0';
	line = trim(line);
	return *line == '\0' || set_pair(config, line, error);
}

static bool load_file(struct sd_config *config, const char *path, FILE *file, char *error)
{
	char line[1024], what[SD_CONFIG_ERROR_MAX];
	unsigned number = 0;

	while (fgets(line, sizeof(line), file)) {
		number++;
		if (strlen(line) == sizeof(line) - 1 && line[sizeof(line) - 2] != '\n')
			return wrong(error, "%.200s:%u: the line is longer than %zu bytes", path, number, sizeof(line) - 2);
		if (!set_line(config, line, what))
			return wrong(error, "%.200s:%u: %.256s", path, number, what);
	}
	if (ferror(file))
		return wrong(error, "%.200s: cannot be read: %s", path, strerror(errno));
	return true;
}

static bool load_source_file(struct sd_config *config, const char *path, char *error)
{
	FILE *file = fopen(path ? path : SD_CONFIG_FILE, "re");
	bool fine;

	if (!file) {
		if (!path && errno == ENOENT)
			return true;
		return wrong(error, "%.200s: cannot be opened: %s", path ? path : SD_CONFIG_FILE, strerror(errno));
	}
	fine = load_file(config, path ? path : SD_CONFIG_FILE, file, error);
	fclose(file);
	return fine;
}

static bool load_set(struct sd_config *config, const char *set, char *error)
{
	char pair[1024], what[SD_CONFIG_ERROR_MAX];

	if ((size_t)snprintf(pair, sizeof(pair), "%s", set) >= sizeof(pair))
		return wrong(error, "--set: the setting is longer than %zu bytes", sizeof(pair) - 1);
	return set_pair(config, pair, what) || wrong(error, "--set: %.400s", what);
}

/* What a row alone cannot tell. */
static bool fits_together(const struct sd_config *config, char *error)
{
	if (config->deadline_ms_default > config->deadline_ms_max)
		return wrong(error, "jobs.deadline_default is longer than jobs.deadline_max; lower it or raise the other");
	if (config->frame_bytes_max > config->queue_bytes_max)
		return wrong(error, "jobs.queue_bytes_max is smaller than socket.frame_bytes_max, so that the largest frame "
		                    "would never be taken; raise it or lower the other");
	return sd_grpc_check(config, error) && sd_devices_check(config, error);
}

bool sd_config_load(struct sd_config *config, const struct sd_config_source *source, char error[SD_CONFIG_ERROR_MAX])
{
	const char *socket = getenv("STREAMD_SOCKET");
	char what[SD_CONFIG_ERROR_MAX];

	sd_config_defaults(config);
	if (!load_source_file(config, source->file, error))
		return false;
	if (socket && *socket && !sd_config_set(config, "socket.path", socket, what))
		return wrong(error, "STREAMD_SOCKET: %.400s", what);
	for (size_t i = 0; i < source->set_count; i++) {
		if (!load_set(config, source->sets[i], error))
			return false;
	}
	return fits_together(config, error);
}

static size_t row_bytes(const struct row *row)
{
	return row->type == SD_CONFIG_TEXT ? SD_CONFIG_TEXT_MAX : sizeof(uint64_t);
}

unsigned sd_config_reload(struct sd_config *config, const struct sd_config *fresh)
{
	unsigned kept = 0;

	for (size_t i = 0; i < ROWS; i++) {
		char *now = (char *)config + rows[i].offset;
		const char *then = (const char *)fresh + rows[i].offset;

		if (rows[i].reloadable)
			memcpy(now, then, row_bytes(&rows[i]));
		else
			kept += memcmp(now, then, row_bytes(&rows[i])) != 0;
	}
	return kept;
}

void sd_config_print_file(FILE *out)
{
	fputs("# Settings of streamd, each with its default. A setting that is left out keeps its default.\n"
	      "# Order of what wins: this file, the environment (STREAMD_SOCKET), --set section.key=value.\n"
	      "# Those marked * are read again on SIGHUP.\n", out);
	for (size_t i = 0; i < ROWS; i++)
		fprintf(out, "\n# %s%s\n#%s =%s%s\n", rows[i].meaning, rows[i].reloadable ? " *" : "", rows[i].key,
		        *rows[i].standard ? " " : "", rows[i].standard);
}

void sd_config_print_help(FILE *out)
{
	for (size_t i = 0; i < ROWS; i++)
		fprintf(out, "  %-26s %-9s %s\n", rows[i].key, *rows[i].standard ? rows[i].standard : "-", rows[i].meaning);
}
