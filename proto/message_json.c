#include "message_json.h"

#include "base/check.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void write_enum(struct sd_emitter *out, const ProtobufCEnumDescriptor *type, int value)
{
	const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(type, value);
	char word[64];
	size_t len = 0;

	/* A value of a newer schema has no name here. */
	if (!known) {
		sd_emit_int(out, value);
		return;
	}
	for (; known->name[len] && len < sizeof(word) - 1; len++)
		word[len] = lower(known->name[len]);
	word[len] = '\0';
	sd_emit_string(out, word);
}

static void write_value(struct sd_emitter *out, const ProtobufCFieldDescriptor *field, const void *member, const struct sd_message_style *style)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT64:
		sd_emit_int(out, *(const int64_t *)member);
		break;
	case PROTOBUF_C_TYPE_INT32:
		sd_emit_int(out, *(const int32_t *)member);
		break;
	case PROTOBUF_C_TYPE_UINT64:
		sd_emit_uint(out, *(const uint64_t *)member);
		break;
	case PROTOBUF_C_TYPE_UINT32:
		sd_emit_uint(out, *(const uint32_t *)member);
		break;
	case PROTOBUF_C_TYPE_BOOL:
		sd_emit_bool(out, *(const protobuf_c_boolean *)member);
		break;
	case PROTOBUF_C_TYPE_STRING:
		sd_emit_string(out, *(const char *const *)member);
		break;
	case PROTOBUF_C_TYPE_ENUM:
		write_enum(out, field->descriptor, *(const int *)member);
		break;
	default:
		SD_REQUIRE(field->type == PROTOBUF_C_TYPE_MESSAGE);
		sd_message_write(out, *(const ProtobufCMessage *const *)member, style);
	}
}

static size_t value_bytes(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM: return sizeof(uint32_t);
	default: return sizeof(uint64_t);
	}
}

static bool is_default(const ProtobufCFieldDescriptor *field, const void *member)
{
	if (field->type == PROTOBUF_C_TYPE_STRING)
		return !*(const char *const *)member || !**(const char *const *)member;
	if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		return !*(void *const *)member;
	for (size_t i = 0; i < value_bytes(field); i++) {
		if (((const char *)member)[i])
			return false;
	}
	return true;
}

static bool is_set(const ProtobufCFieldDescriptor *field, const void *member, const void *quantifier)
{
	if (field->label == PROTOBUF_C_LABEL_REPEATED)
		return *(const size_t *)quantifier > 0;
	if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
		return *(const uint32_t *)quantifier == field->id;
	return !is_default(field, member);
}

/* A message that is not there, or a member of a oneof, has no value to show. */
static bool has_value(const ProtobufCFieldDescriptor *field, const void *member)
{
	return !(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
	       (field->type != PROTOBUF_C_TYPE_MESSAGE || field->label == PROTOBUF_C_LABEL_REPEATED || *(void *const *)member);
}

/* Whether items of the type are large: those that hold messages themselves. */
static bool is_large(const ProtobufCFieldDescriptor *item)
{
	const ProtobufCMessageDescriptor *type = item->descriptor;

	if (item->type != PROTOBUF_C_TYPE_MESSAGE)
		return false;
	for (unsigned i = 0; i < type->n_fields; i++) {
		if (type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
			return true;
	}
	return false;
}

/* Large items have a line each: nodes are what a reader looks through. */
static void write_list(struct sd_emitter *out, const ProtobufCFieldDescriptor *field, const char *items, size_t count,
                       const struct sd_message_style *style)
{
	bool large = is_large(field);

	sd_emit_open(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (large)
			sd_emit_line(out, 0);
		write_value(out, field, items + i * value_bytes(field), style);
	}
	sd_emit_close(out, ']');
}

static bool write_special(struct sd_emitter *out, const ProtobufCFieldDescriptor *field, const void *member, size_t count,
                          const struct sd_message_style *style)
{
	return field->type == PROTOBUF_C_TYPE_MESSAGE && style->special && style->special(out, field->descriptor, member, count);
}

static void write_field(struct sd_emitter *out, const ProtobufCFieldDescriptor *field, const void *member, const void *quantifier,
                        const struct sd_message_style *style)
{
	bool is_list = field->label == PROTOBUF_C_LABEL_REPEATED;
	size_t count = is_list ? *(const size_t *)quantifier : 1;

	sd_emit_key(out, field->name);
	if (write_special(out, field, member, count, style))
		return;
	if (is_list)
		write_list(out, field, *(const char *const *)member, count, style);
	else
		write_value(out, field, member, style);
}

void sd_message_write_fields(struct sd_emitter *out, const ProtobufCMessage *message, const struct sd_message_style *style)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	const char *base = (const char *)message;

	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		const void *member = base + field->offset, *quantifier = base + field->quantifier_offset;

		if ((style->all && has_value(field, member)) || is_set(field, member, quantifier))
			write_field(out, field, member, quantifier, style);
	}
}

void sd_message_write(struct sd_emitter *out, const ProtobufCMessage *message, const struct sd_message_style *style)
{
	sd_emit_open(out, '{');
	sd_message_write_fields(out, message, style);
	sd_emit_close(out, '}');
}
