/* text_token.h - private: the words of protobuf's text format. */
#ifndef SD_TEXT_TOKEN_H
#define SD_TEXT_TOKEN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

enum text_token_kind {
	TOKEN_END,
	TOKEN_WORD,   /* name, enum value, number: letters, digits, _ . + - */
	TOKEN_STRING, /* its bytes, without quotes and escapes; neighbours are one */
	TOKEN_MARK,   /* one of : { } < > [ ] , ; / */
};

struct text_token {
	enum text_token_kind kind;
	struct sd_text text;
	char mark;
	uint32_t at; /* where it begins in the text */
};

/* One token ahead of what was taken. */
struct text_reader {
	struct sd_arena *mem;   /* of strings with escapes; others lie in the text */
	struct sd_diag *diag;
	struct sd_text text;
	uint32_t at, line;
	uint32_t ended;         /* the end of the token that was taken last; of a string with the blanks behind it */
	struct text_token next;
};

/* Stands before the first token. */
enum sd_status sd__text_open(struct text_reader *r, struct sd_arena *mem, struct sd_text text, struct sd_diag *diag);

/* To the next token. INVALID_ARGUMENT (SD0116) with the line. */
enum sd_status sd__text_take(struct text_reader *r);

/* Steps over one value: a word, a string, or whatever a mark opens. */
enum sd_status sd__text_skip(struct text_reader *r);

/* Fails: "line 17: WHY". */
enum sd_status sd__text_fail(struct text_reader *r, const char *why);

static inline bool sd__text_at_mark(const struct text_reader *r, char mark)
{
	return r->next.kind == TOKEN_MARK && r->next.mark == mark;
}

#endif
