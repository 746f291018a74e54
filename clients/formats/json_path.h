/* json_path.h - where in a JSON document the reader stands, and how it says so.
 *
 * Each level of reading keeps one struct on its stack that points to the level above;
 * text is made of it only when something is wrong: "graph.nodes[3].inptus". */
#ifndef SD_JSON_PATH_H
#define SD_JSON_PATH_H

#include "base/arena.h"
#include "base/diag.h"

struct sd_json_path {
	const struct sd_json_path *up; /* NULL: the document itself */
	const char *key;               /* NULL: a list item */
	size_t index;
};

static inline struct sd_json_path sd_json_key(const struct sd_json_path *up, const char *key)
{
	return (struct sd_json_path){ .up = up, .key = key };
}

static inline struct sd_json_path sd_json_item(const struct sd_json_path *up, size_t index)
{
	return (struct sd_json_path){ .up = up, .index = index };
}

/* What a reader needs beside the document. */
struct sd_json_reader {
	struct sd_arena *mem;  /* what is read lives here */
	struct sd_diag *diag;
	enum sd_code code;     /* of a malformed document: BAD_JSON or BAD_PLAN */
};

/* Writes the path, cut at `cap`, NUL-terminated; keys that are no plain words are quoted,
 * escaped and cut. Answers the length written. */
size_t sd_json_path_text(const struct sd_json_path *at, char *out, size_t cap);

/* Fails with the reader's code: "PATH: WHAT". The format is as for printf; its text is ours. */
__attribute__((format(printf, 3, 4)))
enum sd_status sd_json_fail(struct sd_json_reader *r, const struct sd_json_path *at, const char *format, ...);

/* SD2011: the arena's budget, or the machine's memory, does not suffice. */
enum sd_status sd_memory_fail(const struct sd_arena *mem, struct sd_diag *diag);

#endif
