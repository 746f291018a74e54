#include "wire_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/wire.h"

static _Noreturn void mistake(const char *at)
{
	fprintf(stderr, "wire_text: cannot read \"%.40s\"\n", at);
	abort();
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static unsigned read_hex(const char *at)
{
	char pair[3] = { at[0], at[0] ? at[1] : '\0', '\0' }, *end;
	unsigned value = (unsigned)strtoul(pair, &end, 16);

	if (end != pair + 2)
		mistake(at);
	return value;
}

static void put_double(struct sd_buffer *b, const char **at)
{
	char *end;
	double value = strtod(*at, &end);

	if (end == *at)
		mistake(*at);
	*at = end;
	sd_buffer_append(b, &value, sizeof(value));
}

static const char *put_string(struct sd_buffer *b, const char *at)
{
	for (; *at != '"'; at++) {
		char c = *at;

		if (c == '\0')
			mistake(at);
		if (c == '\\' && at[1] == 'x') {
			c = (char)read_hex(at + 2);
			at += 3;
		} else if (c == '\\') {
			c = *++at;
		}
		sd_buffer_append(b, &c, 1);
	}
	return at + 1;
}

static const char *put_packed(struct sd_buffer *b, const char *at)
{
	bool real = *at == '~';
	char *end;

	for (at = skip_blanks(at + real); *at != ']'; at = skip_blanks(at)) {
		if (real) {
			put_double(b, &at);
			continue;
		}
		sd_put_varint(b, (uint64_t)strtoll(at, &end, 10));
		if (end == at)
			mistake(at);
		at = end;
	}
	return at + 1;
}

static const char *put_fields(struct sd_buffer *b, const char *at, char closing);

static void put_tag(struct sd_buffer *b, uint32_t number, unsigned type)
{
	sd_put_varint(b, (uint64_t)number << 3 | type);
}

static const char *put_field(struct sd_buffer *b, uint32_t number, const char *at)
{
	char *end;
	size_t begun;
	uint32_t fixed;

	switch (*at++) {
	case '=':
		put_tag(b, number, SD_WIRE_VARINT);
		sd_put_varint(b, (uint64_t)strtoll(at, &end, 10));
		return end;
	case '~':
		put_tag(b, number, SD_WIRE_FIXED64);
		put_double(b, &at);
		return at;
	case '%':
		put_tag(b, number, SD_WIRE_FIXED32);
		fixed = (uint32_t)strtoul(at, &end, 10);
		sd_buffer_append(b, &fixed, sizeof(fixed));
		return end;
	}
	begun = sd_put_begin(b, number);
	switch (at[-1]) {
	case '"': at = put_string(b, at); break;
	case '{': at = put_fields(b, at, '}'); break;
	case '[': at = put_packed(b, at); break;
	default: mistake(at - 1);
	}
	sd_put_end(b, begun);
	return at;
}

static const char *put_repeated(struct sd_buffer *b, const char *at)
{
	char *end;
	unsigned long times = strtoul(at, &end, 10);
	const char *after = end;

	for (unsigned long i = 0; i < times; i++)
		after = put_fields(b, end, ')');
	return after;
}

static const char *put_fields(struct sd_buffer *b, const char *at, char closing)
{
	for (at = skip_blanks(at); *at != closing; at = skip_blanks(at)) {
		char *end;
		unsigned long number;

		if (*at == '(') {
			at = put_repeated(b, at + 1);
			continue;
		}
		if (*at == '#') {
			for (at++; isxdigit((unsigned char)*at); at += 2) {
				char byte = (char)read_hex(at);

				sd_buffer_append(b, &byte, 1);
			}
			continue;
		}
		number = strtoul(at, &end, 10);
		if (end == at)
			mistake(at);
		at = put_field(b, (uint32_t)number, end);
	}
	return at + (closing != '\0');
}

struct sd_text wire_text(struct sd_arena *mem, const char *text)
{
	struct sd_buffer b;

	sd_buffer_init(&b, mem, 256);
	put_fields(&b, text, '\0');
	if (b.failed)
		abort();
	return (struct sd_text){ (const char *)b.data, (uint32_t)b.len };
}
