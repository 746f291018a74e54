#include "json_shapes.h"

#include "quote.h"

void *sd__json_list(struct sd_json_reader *r, json_t *json, size_t size)
{
	return sd_arena_zero(r->mem, json_is_object(json) ? json_object_size(json) : json_array_size(json), size);
}

void *sd__json_messages(struct sd_json_reader *r, json_t *json)
{
	return sd__json_list(r, json, sizeof(ProtobufCMessage *));
}

bool sd_json_is_switch(const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field)
{
	return type == &streamd__v1__options__descriptor && strcmp(field->name, "hcom_parallel") == 0;
}

enum sd_status sd_json_switch_read(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, protobuf_c_boolean *on)
{
	const char *text = json_string_value(json);
	char *shown;

	if (json_is_null(json))
		return sd_json_fail_type(r, at, json, "0 or 1");
	if (json_is_boolean(json) || (json_is_integer(json) && (json_integer_value(json) | 1) == 1) || (text && (strcmp(text, "0") == 0 || strcmp(text, "1") == 0))) {
		*on = json_is_true(json) || json_integer_value(json) == 1 || (text && *text == '1');
		return SD_OK;
	}
	shown = text ? (char *)(uintptr_t)text : json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
	if (!shown)
		return sd_memory_fail(r->mem, r->diag);
	text = sd_words(r->mem, "%.80s", shown);
	if (!json_is_string(json))
		free(shown);
	return SD_FAIL2(r->diag, SD_CODE_BAD_SWITCH_VALUE, SD_NO_NODE, sd_arg_words("hcom_parallel (ge.hcomParallel)"),
	                sd_arg_text((struct sd_text){ text, (uint32_t)strlen(text) }));
}

static enum sd_status read_engine_streams(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, void *member, size_t *count)
{
	Streamd__V1__EngineStreams **rows;
	const char *key;
	json_t *value;
	size_t n = 0;

	if (!json_is_object(json))
		return sd_json_fail_type(r, at, json, "a map of engine names to stream counts");
	rows = sd__json_messages(r, json);
	if (!rows)
		return sd_memory_fail(r->mem, r->diag);
	json_object_foreach(json, key, value) {
		struct sd_json_path here = sd_json_key(at, key);

		if (!json_is_integer(value))
			return sd_json_fail_type(r, &here, value, "an integer");
		rows[n] = sd_message_new(r->mem, &streamd__v1__engine_streams__descriptor);
		if (!rows[n])
			return sd_memory_fail(r->mem, r->diag);
		rows[n]->engine = sd_message_string(key);
		rows[n++]->streams = json_integer_value(value);
	}
	*(Streamd__V1__EngineStreams ***)member = rows;
	*count = n;
	return SD_OK;
}

static enum sd_status read_names(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, Streamd__V1__NameList **out)
{
	Streamd__V1__NameList *names = sd_message_new(r->mem, &streamd__v1__name_list__descriptor);

	if (!json_is_array(json))
		return sd_json_fail_type(r, at, json, "a list of node names");
	if (!names)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		if (!json_is_string(json_array_get(json, i)))
			return sd_json_fail_type(r, &here, json_array_get(json, i), "a node name");
	}
	*out = names;
	return sd__json_strings_read(r, json, &names->names, &names->n_names);
}

static enum sd_status read_partition(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, void *member, size_t *count)
{
	Streamd__V1__Partition *partition = sd_message_new(r->mem, &streamd__v1__partition__descriptor);

	if (!json_is_array(json))
		return sd_json_fail_type(r, at, json, "a list of lists of node names");
	if (!partition || !(partition->streams = sd__json_messages(r, json)))
		return sd_memory_fail(r->mem, r->diag);
	for (; partition->n_streams < json_array_size(json); partition->n_streams++) {
		struct sd_json_path here = sd_json_item(at, partition->n_streams);

		SD_TRY(read_names(r, &here, json_array_get(json, partition->n_streams), &partition->streams[partition->n_streams]));
	}
	*(Streamd__V1__Partition **)member = partition;
	return SD_OK;
}

static void write_engine_streams(struct sd_emitter *out, const void *member, size_t count)
{
	Streamd__V1__EngineStreams *const *rows = *(Streamd__V1__EngineStreams *const *const *)member;

	sd_emit_open(out, '{');
	for (size_t i = 0; i < count; i++) {
		sd_emit_key(out, rows[i]->engine);
		sd_emit_int(out, rows[i]->streams);
	}
	sd_emit_close(out, '}');
}

static void write_partition(struct sd_emitter *out, const void *member, size_t count)
{
	const Streamd__V1__Partition *partition = *(Streamd__V1__Partition *const *)member;

	sd_emit_open(out, '[');
	for (size_t i = 0; i < partition->n_streams; i++) {
		sd_emit_open(out, '[');
		for (size_t k = 0; k < partition->streams[i]->n_names; k++)
			sd_emit_string(out, partition->streams[i]->names[k]);
		sd_emit_close(out, ']');
	}
	sd_emit_close(out, ']');
}

static const struct sd_json_shape shapes[] = {
	{ &streamd__v1__attr__descriptor, sd__json_attrs_read, sd__json_attrs_write },
	{ &streamd__v1__engine_streams__descriptor, read_engine_streams, write_engine_streams },
	{ &streamd__v1__partition__descriptor, read_partition, write_partition },
};

const struct sd_json_shape *sd_json_shape_find(const ProtobufCMessageDescriptor *type)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (shapes[i].type == type)
			return &shapes[i];
	}
	return NULL;
}

static bool write_special(struct sd_emitter *out, const ProtobufCMessageDescriptor *type, const void *member, size_t count)
{
	const struct sd_json_shape *shape = sd_json_shape_find(type);

	if (shape)
		shape->write(out, member, count);
	return shape != NULL;
}

void sd_json_message_write(struct sd_emitter *out, const ProtobufCMessage *message, bool all)
{
	sd_message_write(out, message, &(struct sd_message_style){ .all = all, .special = write_special });
}
