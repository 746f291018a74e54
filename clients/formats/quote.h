/* quote.h - words for messages that hold a name of somebody else's. */
#ifndef SD_QUOTE_H
#define SD_QUOTE_H

#include "base/arena.h"
#include "base/text.h"

#define SD_QUOTE_MAX 264 /* bytes of a quoted name with its NUL: 64 shown, each escaped at most */

/* Writes 'name' with control bytes as \xNN, cut after 64 bytes before a whole character;
 * NUL-terminated. Answers `out`, so that it may stand in an argument list. */
const char *sd_quote(char out[SD_QUOTE_MAX], struct sd_text name);

/* A sentence in the arena; a static one that says so when there is no memory. */
__attribute__((format(printf, 2, 3)))
const char *sd_words(struct sd_arena *mem, const char *format, ...);

#endif
