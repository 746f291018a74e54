#include "text_message.h"

#include <stdlib.h>

#include "json_message.h"
#include "quote.h"
#include "text_token.h"

#define NUMBER_MAX 64u /* bytes of a number */

static enum sd_status no_memory(struct text_reader *r)
{
	return sd_memory_fail(r->mem, r->diag);
}

static enum sd_status fail_value(struct text_reader *r, const ProtobufCFieldDescriptor *field, const char *want)
{
	return sd__text_fail(r, sd_words(r->mem, "%s must be %s", field->name, want));
}

static enum sd_status read_fields(struct text_reader *r, ProtobufCMessage *message, char closing, uint32_t depth);

/* ---- single values ---- */

static enum sd_status read_number(struct text_reader *r, const ProtobufCFieldDescriptor *field, void *member)
{
	char word[NUMBER_MAX], *end;

	if (r->next.kind != TOKEN_WORD || r->next.text.len >= sizeof(word))
		return fail_value(r, field, "a number");
	memcpy(word, r->next.text.at, r->next.text.len);
	word[r->next.text.len] = '\0';
	if (field->type == PROTOBUF_C_TYPE_INT64) {
		long long value = strtoll(word, &end, 0);

		*(int64_t *)member = value;
	} else {
		*(double *)member = strtod(word, &end);
		end += *end == 'f' && end > word; /* 1.5f */
	}
	return *end ? fail_value(r, field, "a number") : sd__text_take(r);
}

static enum sd_status read_bool(struct text_reader *r, const ProtobufCFieldDescriptor *field, protobuf_c_boolean *member)
{
	if (r->next.kind != TOKEN_WORD)
		return fail_value(r, field, "true or false");
	*member = sd_text_is(r->next.text, "true") || sd_text_is(r->next.text, "t") || sd_text_is(r->next.text, "1");
	if (!*member && !sd_text_is(r->next.text, "false") && !sd_text_is(r->next.text, "f") && !sd_text_is(r->next.text, "0"))
		return fail_value(r, field, "true or false");
	return sd__text_take(r);
}

static enum sd_status read_string(struct text_reader *r, const ProtobufCFieldDescriptor *field, char **member)
{
	struct sd_text text = r->next.text;

	if (r->next.kind != TOKEN_STRING && r->next.kind != TOKEN_WORD)
		return fail_value(r, field, "a string");
	if (memchr(text.at, '\0', text.len))
		return fail_value(r, field, "a string without NUL");
	*member = sd_arena_alloc(r->mem, (size_t)text.len + 1);
	if (!*member)
		return no_memory(r);
	memcpy(*member, text.at, text.len);
	(*member)[text.len] = '\0';
	return sd__text_take(r);
}

static enum sd_status read_bytes(struct text_reader *r, const ProtobufCFieldDescriptor *field, ProtobufCBinaryData *member)
{
	if (r->next.kind != TOKEN_STRING)
		return fail_value(r, field, "a string");
	*member = (ProtobufCBinaryData){ r->next.text.len, (uint8_t *)(uintptr_t)r->next.text.at };
	return sd__text_take(r);
}

/* Where a message or list opens: the mark that closes it, 0 if none opens here. */
static char closing_of(const struct text_reader *r)
{
	if (sd__text_at_mark(r, '{'))
		return '}';
	return sd__text_at_mark(r, '<') ? '>' : '\0';
}

static enum sd_status read_message(struct text_reader *r, const ProtobufCFieldDescriptor *field, ProtobufCMessage **member, uint32_t depth)
{
	char closing = closing_of(r);

	if (!closing)
		return fail_value(r, field, "a message in braces");
	/* A single field that stands twice is read over the first. */
	if (!*member)
		*member = sd_message_new(r->mem, field->descriptor);
	if (!*member)
		return no_memory(r);
	SD_TRY(sd__text_take(r));
	return read_fields(r, *member, closing, depth + 1);
}

static enum sd_status read_one(struct text_reader *r, const ProtobufCFieldDescriptor *field, void *member, uint32_t depth)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_MESSAGE: return read_message(r, field, member, depth);
	case PROTOBUF_C_TYPE_STRING: return read_string(r, field, member);
	case PROTOBUF_C_TYPE_BYTES: return read_bytes(r, field, member);
	case PROTOBUF_C_TYPE_BOOL: return read_bool(r, field, member);
	default: return read_number(r, field, member);
	}
}

/* ---- fields ---- */

static size_t size_of(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
	default: return sizeof(void *);
	}
}

/* Room for one more item of a repeated field, zeroed; its array has room for the next power of two. */
static void *add_item(struct text_reader *r, const ProtobufCFieldDescriptor *field, char *base)
{
	size_t *count = (size_t *)(void *)(base + field->quantifier_offset), size = size_of(field->type);
	char **array = (char **)(void *)(base + field->offset), *grown;

	if ((*count & (*count - 1)) == 0) {
		grown = sd_arena_array(r->mem, *count ? *count * 2 : 1, size);
		if (!grown)
			return NULL;
		if (*count)
			memcpy(grown, *array, *count * size);
		*array = grown;
	}
	return memset(*array + (*count)++ * size, 0, size);
}

static enum sd_status read_item(struct text_reader *r, const ProtobufCFieldDescriptor *field, char *base, uint32_t depth)
{
	void *item = add_item(r, field, base);

	return item ? read_one(r, field, item, depth) : no_memory(r);
}

static enum sd_status read_list(struct text_reader *r, const ProtobufCFieldDescriptor *field, char *base, uint32_t depth)
{
	SD_TRY(sd__text_take(r));
	while (!sd__text_at_mark(r, ']')) {
		SD_TRY(read_item(r, field, base, depth));
		if (sd__text_at_mark(r, ','))
			SD_TRY(sd__text_take(r));
		else if (!sd__text_at_mark(r, ']'))
			return sd__text_fail(r, "a list goes on with a comma or ends with a bracket");
	}
	return sd__text_take(r);
}

static enum sd_status read_field(struct text_reader *r, const ProtobufCFieldDescriptor *field, char *base, uint32_t depth)
{
	if (field->label == PROTOBUF_C_LABEL_REPEATED)
		return sd__text_at_mark(r, '[') ? read_list(r, field, base, depth) : read_item(r, field, base, depth);
	if (field->quantifier_offset)
		*(protobuf_c_boolean *)(base + field->quantifier_offset) = 1;
	return read_one(r, field, base + field->offset, depth);
}

/* ---- what nobody asked for ---- */

/* The name of an extension or of an Any's type: [a.b/c.d], of which no field knows. */
static enum sd_status skip_bracketed(struct text_reader *r)
{
	while (!sd__text_at_mark(r, ']')) {
		if (r->next.kind == TOKEN_END)
			return sd__text_fail(r, "a name in brackets is not closed");
		SD_TRY(sd__text_take(r));
	}
	return SD_OK;
}

static enum sd_status read_named(struct text_reader *r, ProtobufCMessage *message, uint32_t depth)
{
	const ProtobufCFieldDescriptor *field = NULL;
	char name[NUMBER_MAX];

	if (sd__text_at_mark(r, '[')) {
		SD_TRY(skip_bracketed(r));
	} else if (r->next.kind != TOKEN_WORD) {
		return sd__text_fail(r, "a field's name is expected");
	} else if (r->next.text.len < sizeof(name)) {
		memcpy(name, r->next.text.at, r->next.text.len);
		name[r->next.text.len] = '\0';
		field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);
	}
	SD_TRY(sd__text_take(r));
	if (sd__text_at_mark(r, ':'))
		SD_TRY(sd__text_take(r));
	else if (!closing_of(r))
		return sd__text_fail(r, "a colon or an opening brace is expected behind a field's name");
	return field ? read_field(r, field, (char *)message, depth) : sd__text_skip(r);
}

static enum sd_status read_fields(struct text_reader *r, ProtobufCMessage *message, char closing, uint32_t depth)
{
	if (depth > SD_TEXT_DEPTH)
		return sd__text_fail(r, "messages nest deeper than 64");
	while (closing ? !sd__text_at_mark(r, closing) : r->next.kind != TOKEN_END) {
		SD_TRY(read_named(r, message, depth));
		if (sd__text_at_mark(r, ',') || sd__text_at_mark(r, ';'))
			SD_TRY(sd__text_take(r));
	}
	return closing ? sd__text_take(r) : SD_OK;
}

enum sd_status sd_text_message_read(struct sd_arena *mem, struct sd_text text, ProtobufCMessage *message, struct sd_diag *diag)
{
	struct text_reader r;

	SD_TRY(sd__text_open(&r, mem, text, diag));
	return read_fields(&r, message, '\0', 0);
}
