/* emit.h - a writer of JSON text that keeps nothing but one block in memory.
 *
 * Calls must nest; commas are put by the writer. The same calls give the same bytes.
 * Text that is no UTF-8 is written with U+FFFD in place of each bad byte. */
#ifndef SD_EMIT_H
#define SD_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct sd_emitter {
	FILE *file;
	bool comma;      /* a comma is due before the next value */
	bool failed;     /* the file refused; what is written since is lost */
	bool on_one_line; /* a plan, too: no line is started */
	bool in_html;    /* the JSON stands in a page: '<', which might end it there, is written as an escape */
	size_t len;
	char block[1u << 16];
};

void sd_emit_start(struct sd_emitter *out, FILE *file);

/* Writes out the rest; false when any write failed. Does not close the file. */
bool sd_emit_finish(struct sd_emitter *out);

void sd_emit_open(struct sd_emitter *out, char bracket);  /* '{' or '[' */
void sd_emit_close(struct sd_emitter *out, char bracket); /* '}' or ']' */
void sd_emit_key(struct sd_emitter *out, const char *key);
void sd_emit_key_text(struct sd_emitter *out, struct sd_text key);
void sd_emit_text(struct sd_emitter *out, struct sd_text text);
void sd_emit_string(struct sd_emitter *out, const char *text);
void sd_emit_pair(struct sd_emitter *out, const char *key, const char *text); /* a key and its string */
void sd_emit_pair_uint(struct sd_emitter *out, const char *key, uint64_t number);
void sd_emit_int(struct sd_emitter *out, int64_t number);
void sd_emit_uint(struct sd_emitter *out, uint64_t number);
void sd_emit_bool(struct sd_emitter *out, bool value);
/* A number that reads back as the same double, and as a real. Infinite and undefined ones,
 * which JSON cannot say, are written as the largest double and as 0.0. */
void sd_emit_real(struct sd_emitter *out, double number);

/* Starts a new line, `depth` steps in, before the next key or item. */
void sd_emit_line(struct sd_emitter *out, unsigned depth);

/* Bytes as they are, outside of the JSON rules (newlines, other formats). */
void sd_emit_raw(struct sd_emitter *out, const char *at, size_t len);
void sd_emit_words(struct sd_emitter *out, const char *words);

#endif
