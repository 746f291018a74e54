#include "log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "utf8.h"

static enum sd_log_level lowest = SD_LOG_INFO;
static uint64_t dropped;

static const char *const level_name[] = { "debug", "info", "warn", "error", "off" };

void sd_log_set_level(enum sd_log_level level)
{
	lowest = level;
}

uint64_t sd_log_dropped(void)
{
	return dropped;
}

static size_t escape_one(char out[8], const unsigned char *at, size_t len, size_t *taken)
{
	size_t valid = sd_utf8_length(at, len);

	*taken = valid ? valid : 1;
	if (*at == '"' || *at == '\\') {
		out[0] = '\\';
		out[1] = (char)*at;
		return 2;
	}
	if (valid == 0 || *at < 0x20 || *at == 0x7f)
		return (size_t)snprintf(out, 8, "\\u%04x", *at);
	memcpy(out, at, valid);
	return valid;
}

size_t sd_log_escape(char *out, size_t cap, const char *at, size_t len)
{
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		char one[8];
		size_t taken, n = escape_one(one, (const unsigned char *)at + i, len - i, &taken);

		if (used + n + 1 > cap)
			break;
		memcpy(out + used, one, n);
		used += n;
		i += taken;
	}
	if (cap)
		out[used] = '\0';
	return used;
}

/* Room for the end of the line is always kept. */
static void append(struct sd_line *line, const char *at, size_t len)
{
	if (len < SD_LOG_LINE_MAX - 8 - line->len) {
		memcpy(line->text + line->len, at, len);
		line->len += len;
	}
}

bool sd_log_begin(struct sd_line *line, enum sd_log_level level, const char *event)
{
	struct timespec now;
	struct tm utc;
	char head[128];
	int len;

	if (level < lowest)
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	len = snprintf(head, sizeof(head), "{\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\",\"level\":\"%s\",\"event\":\"%s\"",
	               utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
	               (int)(now.tv_nsec / 1000000), level_name[level], event);
	line->len = 0;
	append(line, head, (size_t)len);
	return true;
}

void sd_log_bytes(struct sd_line *line, const char *key, const char *at, size_t len)
{
	char pair[SD_LOG_TEXT_MAX + 64];
	size_t used = (size_t)snprintf(pair, 56, ",\"%s\":\"", key);

	used += sd_log_escape(pair + used, SD_LOG_TEXT_MAX, at, len);
	pair[used++] = '"';
	append(line, pair, used);
}

void sd_log_text(struct sd_line *line, const char *key, const char *text)
{
	sd_log_bytes(line, key, text, strlen(text));
}

void sd_log_int(struct sd_line *line, const char *key, int64_t value)
{
	char pair[96];

	append(line, pair, (size_t)snprintf(pair, sizeof(pair), ",\"%.48s\":%lld", key, (long long)value));
}

void sd_log_end(struct sd_line *line)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
	ssize_t wrote;

	line->text[line->len++] = '}';
	line->text[line->len++] = '\n';
	/* A pipe that polls writable takes a whole line, so that the write does not wait. */
	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT)) {
		dropped++;
		return;
	}
	do
		wrote = write(STDERR_FILENO, line->text, line->len);
	while (wrote < 0 && errno == EINTR);
	dropped += wrote != (ssize_t)line->len;
}

bool sd_log_allowed(struct sd_log_bucket *bucket, uint32_t per_second, uint64_t now_ms)
{
	if (now_ms - bucket->filled_ms >= 1000) {
		bucket->filled_ms = now_ms;
		bucket->used = 0;
	}
	return bucket->used++ < per_second;
}
