/* json_shapes.h - private: the shapes in which JSON differs from the schema. */
#ifndef SD_JSON_SHAPES_H
#define SD_JSON_SHAPES_H

#include "json_message.h"
#include "message_json.h"
#include "schema.h"

enum sd_status sd__json_attrs_read(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, void *member, size_t *count);
void sd__json_attrs_write(struct sd_emitter *out, const void *member, size_t count);

/* Room for the items of a list or map; NULL over budget. */
void *sd__json_list(struct sd_json_reader *r, json_t *json, size_t size);
void *sd__json_messages(struct sd_json_reader *r, json_t *json); /* room for pointers to messages */

/* A list of which all items are strings. */
enum sd_status sd__json_strings_read(struct sd_json_reader *r, json_t *json, char ***items, size_t *count);

#endif
