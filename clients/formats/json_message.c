#include "json_message.h"

#include <ctype.h>

#include "base/check.h"
#include "suggest.h"

static const char *type_name(const json_t *json)
{
	switch (json_typeof(json)) {
	case JSON_OBJECT: return "an object";
	case JSON_ARRAY: return "a list";
	case JSON_STRING: return "a string";
	case JSON_INTEGER: return "an integer";
	case JSON_REAL: return "a number with a fraction";
	case JSON_TRUE:
	case JSON_FALSE: return "a bool";
	case JSON_NULL: return "null";
	}
	return "nothing";
}

static void *arena_alloc(void *arena, size_t bytes)
{
	return sd_arena_alloc(arena, bytes);
}

static void arena_free(void *arena, void *at)
{
}

ProtobufCAllocator sd_message_allocator(struct sd_arena *mem)
{
	return (ProtobufCAllocator){ .alloc = arena_alloc, .free = arena_free, .allocator_data = mem };
}

void *sd_message_new(struct sd_arena *mem, const ProtobufCMessageDescriptor *type)
{
	ProtobufCMessage *message = sd_arena_alloc(mem, type->sizeof_message);

	if (message)
		protobuf_c_message_init(type, message);
	return message;
}

enum sd_status sd_json_fail_type(struct sd_json_reader *r, const struct sd_json_path *at, const json_t *json, const char *want)
{
	if (json_is_null(json))
		return sd_json_fail(r, at, "null is not allowed; leave the key out");
	return sd_json_fail(r, at, "must be %s, not %s", want, type_name(json));
}

enum sd_status sd_json_load(struct sd_json_reader *r, const struct sd_json_path *at, struct sd_text text, json_t **json)
{
	json_error_t error;

	*json = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES, &error);
	if (*json)
		return SD_OK;
	if (json_error_code(&error) == json_error_out_of_memory)
		return sd_memory_fail(r->mem, r->diag);
	if (json_error_code(&error) == json_error_null_character)
		return sd_json_fail(r, at, "line %d, column %d: a string must not hold \\u0000", error.line, error.column);
	/* The parser shows what it stumbled over as it is. */
	for (char *c = error.text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = '?';
	}
	return sd_json_fail(r, at, "line %d, column %d: %s", error.line, error.column, error.text);
}

static bool is_lower_case_of(const char *word, const char *name)
{
	for (; *word && *name; word++, name++) {
		if (*word != tolower((unsigned char)*name))
			return false;
	}
	return !*word && !*name;
}

static enum sd_status fail_enum(struct sd_json_reader *r, const struct sd_json_path *at, const ProtobufCEnumDescriptor *type)
{
	char known[120] = "";
	size_t len = 0;

	for (unsigned i = 0; i < type->n_values; i++) {
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "", type->values[i].name);
		if (len >= sizeof(known))
			break;
	}
	for (char *c = known; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return sd_json_fail(r, at, "must be one of %s", known);
}

static enum sd_status read_enum(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                const ProtobufCEnumDescriptor *type, int *value)
{
	if (!json_is_string(json))
		return sd_json_fail_type(r, at, json, "a string");
	for (unsigned i = 0; i < type->n_values; i++) {
		if (is_lower_case_of(json_string_value(json), type->values[i].name)) {
			*value = type->values[i].value;
			return SD_OK;
		}
	}
	return fail_enum(r, at, type);
}

static enum sd_status read_message(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                   const ProtobufCMessageDescriptor *type, ProtobufCMessage **message)
{
	if (!*message)
		*message = sd_message_new(r->mem, type);
	if (!*message)
		return sd_memory_fail(r->mem, r->diag);
	return sd_json_message_read(r, at, json, *message);
}

/* One value of a field, a list's items included. */
static enum sd_status read_value(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                 const ProtobufCFieldDescriptor *field, void *member)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT64:
		if (!json_is_integer(json))
			return sd_json_fail_type(r, at, json, "an integer");
		*(int64_t *)member = json_integer_value(json);
		return SD_OK;
	case PROTOBUF_C_TYPE_BOOL:
		if (!json_is_boolean(json))
			return sd_json_fail_type(r, at, json, "true or false");
		*(protobuf_c_boolean *)member = json_is_true(json);
		return SD_OK;
	case PROTOBUF_C_TYPE_STRING:
		if (!json_is_string(json))
			return sd_json_fail_type(r, at, json, "a string");
		*(const char **)member = json_string_value(json);
		return SD_OK;
	case PROTOBUF_C_TYPE_ENUM:
		return read_enum(r, at, json, field->descriptor, member);
	default:
		SD_REQUIRE(field->type == PROTOBUF_C_TYPE_MESSAGE);
		return read_message(r, at, json, field->descriptor, member);
	}
}

static size_t item_bytes(const ProtobufCFieldDescriptor *field)
{
	return field->type == PROTOBUF_C_TYPE_INT64 ? sizeof(int64_t) : sizeof(void *);
}

static enum sd_status read_list(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                const ProtobufCFieldDescriptor *field, void **member, size_t *count)
{
	char *items;

	if (!json_is_array(json))
		return sd_json_fail_type(r, at, json, "a list");
	items = sd_arena_zero(r->mem, json_array_size(json), item_bytes(field));
	if (!items)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		SD_TRY(read_value(r, &here, json_array_get(json, i), field, items + i * item_bytes(field)));
	}
	*member = items;
	*count = json_array_size(json);
	return SD_OK;
}

static enum sd_status read_field(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                 const ProtobufCFieldDescriptor *field, ProtobufCMessage *message)
{
	char *base = (char *)message;
	void *member = base + field->offset, *quantifier = base + field->quantifier_offset;
	const struct sd_json_shape *shape = NULL;
	size_t one;

	if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		shape = sd_json_shape_find(field->descriptor);
	if (shape)
		return shape->read(r, at, json, member, field->label == PROTOBUF_C_LABEL_REPEATED ? quantifier : &one);
	if (field->label == PROTOBUF_C_LABEL_REPEATED)
		return read_list(r, at, json, field, member, quantifier);
	if (sd_json_is_switch(message->descriptor, field))
		return sd_json_switch_read(r, at, json, member);
	SD_TRY(read_value(r, at, json, field, member));
	if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
		*(uint32_t *)quantifier = field->id;
	return SD_OK;
}

static const char *field_name(const void *type, unsigned index)
{
	const ProtobufCMessageDescriptor *of = type;

	return index < of->n_fields ? of->fields[index].name : NULL;
}

static enum sd_status fail_unknown(struct sd_json_reader *r, const struct sd_json_path *at, const char *key,
                                   const ProtobufCMessageDescriptor *type)
{
	const char *near = sd_suggest(key, field_name, type);

	if (near)
		return sd_json_fail(r, at, "unknown key; did you mean %s?", near);
	return sd_json_fail(r, at, "unknown key");
}

enum sd_status sd_json_message_read(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                    ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return sd_json_fail_type(r, at, json, "an object");
	json_object_foreach(json, key, value) {
		const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(type, key);
		struct sd_json_path here = sd_json_key(at, key);

		if (!field)
			return fail_unknown(r, &here, key, type);
		SD_TRY(read_field(r, &here, value, field, message));
	}
	return SD_OK;
}
