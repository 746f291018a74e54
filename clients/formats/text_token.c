#include "text_token.h"

#include "json_path.h"
#include "quote.h"

enum sd_status sd__text_fail(struct text_reader *r, const char *why)
{
	return SD_FAIL1(r->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words(sd_words(r->mem, "line %u: %s", r->line, why)));
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '+' || c == '-';
}

static void skip_blank(struct text_reader *r)
{
	while (r->at < r->text.len) {
		char c = r->text.at[r->at];

		if (c == '#') {
			while (r->at < r->text.len && r->text.at[r->at] != '\n')
				r->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
			r->line += c == '\n';
			r->at++;
		} else {
			return;
		}
	}
}

/* ---- strings ---- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Up to `most` digits of `base` at `from`; answers how many there are. */
static uint32_t digits_at(struct sd_text raw, uint32_t from, int base, uint32_t most, uint32_t *value)
{
	uint32_t count = 0;

	for (*value = 0; count < most && from + count < raw.len && digit_of(raw.at[from + count]) < base; count++)
		*value = *value * (uint32_t)base + (uint32_t)digit_of(raw.at[from + count]);
	return count;
}

static uint32_t put_utf8(char *out, uint32_t point)
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		out[0] = (char)(0xc0 | point >> 6);
		out[1] = (char)(0x80 | (point & 0x3f));
		return 2;
	}
	if (point < 0x10000) {
		out[0] = (char)(0xe0 | point >> 12);
		out[1] = (char)(0x80 | (point >> 6 & 0x3f));
		out[2] = (char)(0x80 | (point & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (point >> 18 & 0x7));
	out[1] = (char)(0x80 | (point >> 12 & 0x3f));
	out[2] = (char)(0x80 | (point >> 6 & 0x3f));
	out[3] = (char)(0x80 | (point & 0x3f));
	return 4;
}

/* The escape behind a backslash at `raw.at[from]`: writes its bytes (never more than it is long), answers its length; 0 if it is none. */
static uint32_t unescape(struct sd_text raw, uint32_t from, char *out, uint32_t *out_len)
{
	static const char letters[] = "abfnrtv\\'\"?", bytes[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *letter = raw.at[from] ? strchr(letters, raw.at[from]) : NULL;
	uint32_t value, count;

	*out_len = 1;
	if (letter) {
		*out = bytes[letter - letters];
		return 1;
	}
	if (raw.at[from] == 'u' || raw.at[from] == 'U') {
		uint32_t want = raw.at[from] == 'u' ? 4 : 8;

		count = digits_at(raw, from + 1, 16, want, &value);
		*out_len = put_utf8(out, value);
		return count == want && value <= 0x10ffff ? count + 1 : 0;
	}
	if (raw.at[from] == 'x' || raw.at[from] == 'X') {
		count = digits_at(raw, from + 1, 16, 2, &value);
		*out = (char)value;
		return count ? count + 1 : 0;
	}
	count = digits_at(raw, from, 8, 3, &value);
	*out = (char)value;
	return count;
}

/* Length of the string's raw text behind its quote; the text's end if it is not closed. */
static uint32_t raw_length(const struct text_reader *r, char quote, bool *escapes)
{
	uint32_t at = r->at;

	*escapes = false;
	while (at < r->text.len && r->text.at[at] != quote && r->text.at[at] != '\n') {
		bool escape = r->text.at[at] == '\\';

		*escapes |= escape;
		at += escape && at + 1 < r->text.len ? 2 : 1;
	}
	return at - r->at;
}

static enum sd_status take_string(struct text_reader *r, struct sd_text *out)
{
	char quote = r->text.at[r->at++], *copy;
	bool escapes;
	struct sd_text raw = { r->text.at + r->at, raw_length(r, quote, &escapes) };
	uint32_t len = 0;

	if (r->at + raw.len >= r->text.len || raw.at[raw.len] != quote)
		return sd__text_fail(r, "a string is not closed on its line");
	r->at += raw.len + 1;
	*out = raw;
	if (!escapes)
		return SD_OK;
	copy = sd_arena_alloc(r->mem, raw.len);
	if (!copy)
		return sd_memory_fail(r->mem, r->diag);
	for (uint32_t i = 0; i < raw.len;) {
		uint32_t wrote = 1, read = 1;

		if (raw.at[i] == '\\') {
			read = unescape(raw, i + 1, copy + len, &wrote);
			if (read++ == 0)
				return sd__text_fail(r, "a string has an escape that there is not");
		} else {
			copy[len] = raw.at[i];
		}
		i += read;
		len += wrote;
	}
	*out = (struct sd_text){ copy, len };
	return SD_OK;
}

static bool at_quote(const struct text_reader *r)
{
	return r->at < r->text.len && (r->text.at[r->at] == '"' || r->text.at[r->at] == '\'');
}

static enum sd_status join(struct text_reader *r, struct sd_text *left, struct sd_text right)
{
	char *both = sd_arena_alloc(r->mem, (size_t)left->len + right.len + 1);

	if (!both)
		return sd_memory_fail(r->mem, r->diag);
	memcpy(both, left->at, left->len);
	memcpy(both + left->len, right.at, right.len);
	*left = (struct sd_text){ both, left->len + right.len };
	return SD_OK;
}

static enum sd_status take_strings(struct text_reader *r)
{
	struct sd_text more;

	r->next.kind = TOKEN_STRING;
	SD_TRY(take_string(r, &r->next.text));
	for (skip_blank(r); at_quote(r); skip_blank(r)) {
		SD_TRY(take_string(r, &more));
		SD_TRY(join(r, &r->next.text, more));
	}
	return SD_OK;
}

/* ---- tokens ---- */

enum sd_status sd__text_take(struct text_reader *r)
{
	uint32_t first;

	r->ended = r->at;
	skip_blank(r);
	first = r->at;
	r->next = (struct text_token){ .kind = TOKEN_END, .at = first };
	if (first == r->text.len)
		return SD_OK;
	if (at_quote(r))
		return take_strings(r);
	while (r->at < r->text.len && is_word_byte(r->text.at[r->at]))
		r->at++;
	r->next = (struct text_token){ .kind = TOKEN_WORD, .text = { r->text.at + first, r->at - first }, .at = first };
	if (r->at > first)
		return SD_OK;
	r->next = (struct text_token){ .kind = TOKEN_MARK, .mark = r->text.at[r->at++], .at = first };
	if (!r->next.mark || !strchr(":{}<>[],;/", r->next.mark))
		return sd__text_fail(r, "a byte is no part of protobuf text");
	return SD_OK;
}

enum sd_status sd__text_skip(struct text_reader *r)
{
	uint32_t open = 0;

	do {
		if (r->next.kind == TOKEN_END)
			return sd__text_fail(r, "the text ends within a value");
		if (r->next.kind == TOKEN_MARK && strchr("{<[", r->next.mark))
			open++;
		else if (r->next.kind == TOKEN_MARK && strchr("}>]", r->next.mark) && open-- == 0)
			return sd__text_fail(r, "a value is missing");
		SD_TRY(sd__text_take(r));
	} while (open > 0);
	return SD_OK;
}

enum sd_status sd__text_open(struct text_reader *r, struct sd_arena *mem, struct sd_text text, struct sd_diag *diag)
{
	*r = (struct text_reader){ .mem = mem, .diag = diag, .text = text, .line = 1 };
	return sd__text_take(r);
}
