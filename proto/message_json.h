/* message_json.h - protobuf messages as JSON, by their own descriptors.
 *
 * A JSON key is the field's name, in the order of the schema; an enum is its value's lower-case
 * name, an integer a JSON integer. The same message gives the same bytes. */
#ifndef SD_MESSAGE_JSON_H
#define SD_MESSAGE_JSON_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "emit.h"

struct sd_message_style {
	bool all; /* fields that are not set are written too */
	/* Writes a field of that type in a shape of its own, `count` items of it where it is repeated; false:
	 * it has none, and is written as the schema has it. NULL: no type has one. */
	bool (*special)(struct sd_emitter *out, const ProtobufCMessageDescriptor *type, const void *member, size_t count);
};

/* The message as an object; its fields alone, inside an object that the caller opened. */
void sd_message_write(struct sd_emitter *out, const ProtobufCMessage *message, const struct sd_message_style *style);
void sd_message_write_fields(struct sd_emitter *out, const ProtobufCMessage *message, const struct sd_message_style *style);

#endif
