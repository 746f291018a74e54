/* json_message.h - JSON to protobuf messages and back, by the messages' own descriptors.
 *
 * A JSON key is the field's name, an enum its value's lower-case name, an integer a JSON
 * integer. An unknown key, null, or a value of another type is an error with its path.
 * Three shapes differ from the schema and are translated: attributes are a map of plain
 * values, max_parallel_num is a map, explicit_streams is a list of lists. */
#ifndef SD_JSON_MESSAGE_H
#define SD_JSON_MESSAGE_H

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>

#include "emit.h"
#include "json_path.h"

/* Parses text, which stands at `at` (NULL: it is the whole document); the caller gives the document back with json_decref(). A key that stands twice in one
 * object is an error, with its line and column, like any other fault of the syntax. */
enum sd_status sd_json_load(struct sd_json_reader *r, const struct sd_json_path *at, struct sd_text text, json_t **json);

/* Reads `json`, which must be an object, over `message`: what is named is replaced, messages in
 * it are read over too. Strings of the message point into `json`, the rest lives in the
 * reader's arena. */
enum sd_status sd_json_message_read(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                    ProtobufCMessage *message);

/* A new message of that type in the arena, of the type's own struct; NULL over budget. */
void *sd_message_new(struct sd_arena *mem, const ProtobufCMessageDescriptor *type);

/* protobuf-c's allocator over an arena: freeing does nothing. */
ProtobufCAllocator sd_message_allocator(struct sd_arena *mem);

/* Writes the message as a JSON object (message_json.h), with those shapes; fields that are not set are left out unless `all`. */
void sd_json_message_write(struct sd_emitter *out, const ProtobufCMessage *message, bool all);

/* Fails: "PATH: must be WANT, not an integer". */
enum sd_status sd_json_fail_type(struct sd_json_reader *r, const struct sd_json_path *at, const json_t *json, const char *want);

/* ---- the shapes that differ (json_shapes.c) ---- */

struct sd_json_shape {
	const ProtobufCMessageDescriptor *type; /* fields of this type have the shape */
	enum sd_status (*read)(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, void *member, size_t *count);
	void (*write)(struct sd_emitter *out, const void *member, size_t count);
};

/* Whether a field takes 0 and 1, also as strings, beside true and false: Graph Engine's option says them so. And how it is
 * read: anything else is E10006. */
bool sd_json_is_switch(const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field);
enum sd_status sd_json_switch_read(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, protobuf_c_boolean *on);

/* The shape of fields of `type`, NULL where the schema's own holds. */
const struct sd_json_shape *sd_json_shape_find(const ProtobufCMessageDescriptor *type);

#endif
