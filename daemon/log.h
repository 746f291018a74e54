/* log.h - one JSON object a line on standard error.
 *
 *   if (sd_log_begin(&line, SD_LOG_INFO, "listening")) {
 *           sd_log_text(&line, "path", path);
 *           sd_log_end(&line);
 *   }
 *
 * For the loop thread alone. A line never blocks: when standard error takes no more it
 * is dropped and counted. Text is escaped and cut, whoever it comes from. */
#ifndef SD_LOG_H
#define SD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sd_log_level { SD_LOG_DEBUG, SD_LOG_INFO, SD_LOG_WARN, SD_LOG_ERROR, SD_LOG_OFF };

/* Within what a pipe takes at once (4,096 bytes), so that a line is never torn. */
#define SD_LOG_LINE_MAX 2048
#define SD_LOG_TEXT_MAX 512 /* bytes of one text before it is cut */

struct sd_line {
	size_t len;
	char text[SD_LOG_LINE_MAX];
};

/* How many lines a second one peer may cause, and all of them together: who connects
 * again and again is a new peer each time. */
#define SD_LOG_PER_PEER 10u
#define SD_LOG_ALL_PEERS 100u
struct sd_log_bucket {
	uint64_t filled_ms;
	uint32_t used;
};

void sd_log_set_level(enum sd_log_level level);

/* Starts a line with time, level and event; false when the level is not logged. */
bool sd_log_begin(struct sd_line *line, enum sd_log_level level, const char *event);
void sd_log_text(struct sd_line *line, const char *key, const char *text);
void sd_log_bytes(struct sd_line *line, const char *key, const char *at, size_t len);
void sd_log_int(struct sd_line *line, const char *key, int64_t value);
void sd_log_end(struct sd_line *line);

/* Whether there may be one more line now, of so many a second. */
bool sd_log_allowed(struct sd_log_bucket *bucket, uint32_t per_second, uint64_t now_ms);

/* Lines that standard error did not take since the start. */
uint64_t sd_log_dropped(void);

/* Writes text as the inside of a JSON string: quotes, control bytes and what is no UTF-8
 * are escaped, a long text is cut between characters. At most `cap` bytes with the NUL;
 * answers the length. */
size_t sd_log_escape(char *out, size_t cap, const char *at, size_t len);

#endif
