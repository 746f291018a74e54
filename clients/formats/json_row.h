/* json_row.h - private: JSON objects into plain structs, by tables of their keys. */
#ifndef SD_JSON_ROW_H
#define SD_JSON_ROW_H

#include <jansson.h>

#include "json_path.h"

enum sd__row_kind {
	SD__ROW_UINT32,
	SD__ROW_INT32,
	SD__ROW_INT64,
	SD__ROW_BOOL,
	SD__ROW_WORD,   /* an enum by its words, NULL-terminated */
	SD__ROW_OTHER,  /* by `read` */
	SD__ROW_UNUSED, /* known, and not looked at */
};

typedef enum sd_status sd__row_read(void *reader, const struct sd_json_path *at, json_t *json, void *row);

struct sd__row_key {
	const char *name;
	enum sd__row_kind kind;
	size_t offset;
	const char *const *words;
	sd__row_read *read;
};

/* Reads the object over `row`; keys that are not in the table (which ends with a NULL name) are an
 * error, those that are not in the object leave the row as it is. `reader` begins with a struct
 * sd_json_reader and is handed to the keys' own functions. */
enum sd_status sd__row_read_object(void *reader, const struct sd_json_path *at, json_t *json, const struct sd__row_key *keys, void *row);

/* A list of objects, each over a row of `size` bytes that is all zero, in a new array: `rows` is where its address goes. */
enum sd_status sd__row_read_list(void *reader, const struct sd_json_path *at, json_t *json, const struct sd__row_key *keys, size_t size, void *rows,
                                 uint32_t *count);

/* An integer from 0 to UINT32_MAX, or of 32 bits with a sign. */
enum sd_status sd__row_read_uint32(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, uint32_t *value);
enum sd_status sd__row_read_int32(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json, int32_t *value);

/* Fails unless it is a list. */
enum sd_status sd__row_want_list(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json);

#endif
