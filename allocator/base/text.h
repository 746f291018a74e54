/* text.h - a piece of text that somebody else owns.
 *
 * Names and labels are slices of the request's bytes: not terminated, valid as
 * long as the arena or frame that holds them. */
#ifndef SD_TEXT_H
#define SD_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct sd_text {
	const char *at;
	uint32_t len;
};

#define SD_TEXT(literal) ((struct sd_text){ (literal), sizeof(literal) - 1 })

static inline bool sd_text_equal(struct sd_text a, struct sd_text b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool sd_text_is(struct sd_text a, const char *literal)
{
	return sd_text_equal(a, (struct sd_text){ literal, (uint32_t)strlen(literal) });
}

/* Byte order, shorter first among equals; <0, 0, >0. */
static inline int sd_text_compare(struct sd_text a, struct sd_text b)
{
	uint32_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.at, b.at, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

#endif
