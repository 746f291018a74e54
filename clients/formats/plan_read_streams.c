/* Streams and their commands from JSON. */
#include "plan_read.h"

#include "json_message.h"
#include "plan_names.h"

static const char *const command_keys[] = SD_COMMAND_NAMES;

static enum sd_status read_argument(struct sd__plan_reader *r, const struct sd_json_path *at, json_t *json, struct sd_command *command)
{
	if (command->kind == SD_LAUNCH)
		return sd__plan_read_node(r, at, json, &command->arg);
	if (command->kind != SD_ACTIVATE)
		return sd__row_read_uint32(&r->json, at, json, &command->arg);
	/* Which activation it is can be told when all are read. */
	command->arg = (uint32_t)json_array_size(r->activate_lists);
	SD_TRY(sd__row_want_list(&r->json, at, json));
	return json_array_append(r->activate_lists, json) ? NO_MEMORY(r) : SD_OK;
}

static enum sd_status read_what(struct sd__plan_reader *r, const struct sd_json_path *at, json_t *json, struct sd_command *command)
{
	bool found = false;

	for (unsigned kind = SD_LAUNCH; kind <= SD_ACTIVATE; kind++) {
		json_t *value = json_object_get(json, command_keys[kind]);
		struct sd_json_path here = sd_json_key(at, command_keys[kind]);

		if (!value)
			continue;
		if (found)
			return sd_json_fail(&r->json, &here, "a command is one thing only");
		found = true;
		command->kind = (uint8_t)kind;
		SD_TRY(read_argument(r, &here, value, command));
	}
	return found ? SD_OK : sd_json_fail(&r->json, at, "is no command");
}

static enum sd_status read_in(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd__plan_reader *r = reader;

	return sd__plan_find(r, at, json, &r->graphs, "subgraph", member);
}

static enum sd_status read_attached(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	if (!json_is_boolean(json))
		return sd_json_fail_type(reader, at, json, "true or false");
	*(uint8_t *)member = json_is_true(json);
	return SD_OK;
}

static enum sd_status read_command(struct sd__plan_reader *r, const struct sd_json_path *at, json_t *json)
{
	static const struct sd__row_key keys[] = {
		{ .name = "launch", .kind = SD__ROW_UNUSED }, { .name = "record", .kind = SD__ROW_UNUSED },
		{ .name = "wait", .kind = SD__ROW_UNUSED }, { .name = "notify_record", .kind = SD__ROW_UNUSED },
		{ .name = "notify_wait", .kind = SD__ROW_UNUSED }, { .name = "activate", .kind = SD__ROW_UNUSED },
		{ .name = "attached", .kind = SD__ROW_OTHER, .offset = offsetof(struct sd_command, attached), .read = read_attached },
		{ .name = "in", .kind = SD__ROW_OTHER, .offset = offsetof(struct sd_command, in), .read = read_in },
		{ 0 },
	};
	struct sd_command command = { .in = SD_ROOT };

	SD_TRY(sd__row_read_object(r, at, json, keys, &command));
	SD_TRY(read_what(r, at, json, &command));
	if (!sd_vec_room(r->json.mem, &r->command))
		return NO_MEMORY(r);
	r->command.at[r->command.count++] = command;
	return SD_OK;
}

static enum sd_status read_commands(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd__plan_reader *r = reader;
	struct sd_stream *stream = member;

	SD_TRY(sd__row_want_list(&r->json, at, json));
	stream->first_command = r->command.count;
	stream->command_count = (uint32_t)json_array_size(json);
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		SD_TRY(read_command(r, &here, json_array_get(json, i)));
	}
	return SD_OK;
}

/* The id is the place in the list. */
static enum sd_status read_stream_id(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	uint32_t id;

	SD_TRY(sd__row_read_uint32(reader, at, json, &id));
	return id == at->up->index ? SD_OK : sd_json_fail(reader, at, "must be the stream's place in the list, %zu", at->up->index);
}

#define STREAM(member) offsetof(struct sd_stream, member)
static const struct sd__row_key stream_keys[] = {
	{ .name = "id", .kind = SD__ROW_OTHER, .read = read_stream_id },
	{ .name = "logical_id", .kind = SD__ROW_UINT32, .offset = STREAM(logical_id) },
	{ .name = "label", .kind = SD__ROW_UNUSED },
	{ .name = "priority", .kind = SD__ROW_INT32, .offset = STREAM(priority) },
	{ .name = "flags", .kind = SD__ROW_UINT32, .offset = STREAM(flags) },
	{ .name = "attached", .kind = SD__ROW_BOOL, .offset = STREAM(attached) },
	{ .name = "huge", .kind = SD__ROW_BOOL, .offset = STREAM(huge) },
	{ .name = "initially_active", .kind = SD__ROW_BOOL, .offset = STREAM(initially_active) },
	{ .name = "task_count", .kind = SD__ROW_INT64, .offset = STREAM(task_count) },
	{ .name = "commands", .kind = SD__ROW_OTHER, .read = read_commands },
	{ 0 },
};

enum sd_status sd__plan_read_streams(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd__plan_reader *r = reader;
	struct sd_stream *stream;

	SD_TRY(sd__row_want_list(&r->json, at, json));
	stream = SD_NEW0(r->json.mem, struct sd_stream, json_array_size(json));
	if (!stream)
		return NO_MEMORY(r);
	r->plan->stream = stream;
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		stream[i].label_node = SD_NO_NODE;
		SD_TRY(sd__row_read_object(r, &here, json_array_get(json, i), stream_keys, &stream[i]));
	}
	return SD_OK;
}
