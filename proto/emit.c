#include "emit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void sd_emit_start(struct sd_emitter *out, FILE *file)
{
	out->file = file;
	out->comma = out->failed = out->on_one_line = out->in_html = false;
	out->len = 0;
}

static void flush(struct sd_emitter *out)
{
	if (out->len && fwrite(out->block, 1, out->len, out->file) != out->len)
		out->failed = true;
	out->len = 0;
}

bool sd_emit_finish(struct sd_emitter *out)
{
	flush(out);
	if (fflush(out->file) != 0)
		out->failed = true;
	return !out->failed;
}

void sd_emit_raw(struct sd_emitter *out, const char *at, size_t len)
{
	while (len > 0) {
		size_t part = sizeof(out->block) - out->len;

		if (part > len)
			part = len;
		memcpy(out->block + out->len, at, part);
		out->len += part;
		at += part;
		len -= part;
		if (out->len == sizeof(out->block))
			flush(out);
	}
}

void sd_emit_words(struct sd_emitter *out, const char *words)
{
	sd_emit_raw(out, words, strlen(words));
}

static void separate(struct sd_emitter *out)
{
	if (out->comma)
		sd_emit_raw(out, ", ", 2);
	out->comma = true;
}

void sd_emit_line(struct sd_emitter *out, unsigned depth)
{
	if (out->on_one_line)
		return;
	if (out->comma)
		sd_emit_raw(out, ",", 1);
	out->comma = false;
	sd_emit_raw(out, "\n", 1);
	while (depth-- > 0)
		sd_emit_raw(out, "  ", 2);
}

void sd_emit_open(struct sd_emitter *out, char bracket)
{
	separate(out);
	sd_emit_raw(out, &bracket, 1);
	out->comma = false;
}

void sd_emit_close(struct sd_emitter *out, char bracket)
{
	sd_emit_raw(out, &bracket, 1);
	out->comma = true;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<';
}

/* The character at `at` when it cannot be copied as it is; answers the bytes it took. */
static size_t put_escaped(struct sd_emitter *out, const unsigned char *at, size_t left)
{
	static const char from[] = "\"\\\n\t\r\b\f", to[] = "\"\\ntrbf";
	const char *known = *at ? strchr(from, *at) : NULL;
	size_t len = sd_utf8_step(at, (uint32_t)left);
	char text[8] = { '\\' };

	if (known) {
		text[1] = to[known - from];
		sd_emit_raw(out, text, 2);
	} else if (len == 0) {
		sd_emit_raw(out, "\\ufffd", 6);
	} else if (*at < 0x20 || *at == 0x7f || (*at == '<' && out->in_html)) {
		snprintf(text, sizeof(text), "\\u%04x", *at);
		sd_emit_raw(out, text, 6);
	} else {
		sd_emit_raw(out, (const char *)at, len);
	}
	return len ? len : 1;
}

static void put_quoted(struct sd_emitter *out, struct sd_text text)
{
	const unsigned char *at = (const unsigned char *)text.at;
	size_t i = 0;

	sd_emit_raw(out, "\"", 1);
	while (i < text.len) {
		size_t first = i;

		while (i < text.len && is_plain(at[i]))
			i++;
		sd_emit_raw(out, text.at + first, i - first);
		if (i < text.len)
			i += put_escaped(out, at + i, text.len - i);
	}
	sd_emit_raw(out, "\"", 1);
}

void sd_emit_text(struct sd_emitter *out, struct sd_text text)
{
	separate(out);
	put_quoted(out, text);
}

void sd_emit_string(struct sd_emitter *out, const char *text)
{
	sd_emit_text(out, (struct sd_text){ text, (uint32_t)strlen(text) });
}

void sd_emit_pair(struct sd_emitter *out, const char *key, const char *text)
{
	sd_emit_key(out, key);
	sd_emit_string(out, text);
}

void sd_emit_pair_uint(struct sd_emitter *out, const char *key, uint64_t number)
{
	sd_emit_key(out, key);
	sd_emit_uint(out, number);
}

void sd_emit_key_text(struct sd_emitter *out, struct sd_text key)
{
	sd_emit_text(out, key);
	sd_emit_raw(out, ": ", 2);
	out->comma = false;
}

void sd_emit_key(struct sd_emitter *out, const char *key)
{
	sd_emit_key_text(out, (struct sd_text){ key, (uint32_t)strlen(key) });
}

void sd_emit_uint(struct sd_emitter *out, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	separate(out);
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	sd_emit_raw(out, digits + at, sizeof(digits) - at);
}

void sd_emit_int(struct sd_emitter *out, int64_t number)
{
	if (number >= 0) {
		sd_emit_uint(out, (uint64_t)number);
		return;
	}
	separate(out);
	sd_emit_raw(out, "-", 1);
	out->comma = false;
	sd_emit_uint(out, -(uint64_t)number);
}

void sd_emit_bool(struct sd_emitter *out, bool value)
{
	separate(out);
	sd_emit_raw(out, value ? "true" : "false", value ? 4 : 5);
}

void sd_emit_real(struct sd_emitter *out, double number)
{
	char digits[40];
	int len = 0;

	if (isnan(number))
		number = 0;
	else if (isinf(number))
		number = number > 0 ? DBL_MAX : -DBL_MAX;
	for (int precision = 15; precision <= 17; precision++) {
		len = snprintf(digits, sizeof(digits), "%.*g", precision, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	separate(out);
	sd_emit_raw(out, digits, (size_t)len);
	if (!strpbrk(digits, ".e"))
		sd_emit_raw(out, ".0", 2);
}
