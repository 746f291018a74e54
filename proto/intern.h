/* intern.h - few distinct texts that come again and again, as numbers. Private to proto.
 *
 * A small cache in front of a growing table: a text that was seen lately costs one comparison.
 * Numbers are given in order of first appearance. */
#ifndef SD_INTERN_H
#define SD_INTERN_H

#include "names.h"

#define SD__INTERN_CACHE 64u /* a graph has some dozens of op types and attribute names */

struct sd__intern {
	struct sd_arena *mem;
	struct sd__names names;
	struct sd_text *text; /* by number */
	uint32_t count, cap;
	uint32_t cache[SD__INTERN_CACHE]; /* number + 1 of a text that was seen lately; 0 = none */
};

/* An empty set; false over budget. */
bool sd__intern_init(struct sd__intern *set, struct sd_arena *mem);

/* Number of the text, which is entered if it is new (then the number is the former count);
 * SD__NO_NAME over budget. The set keeps the slice. */
uint32_t sd__intern_add(struct sd__intern *set, struct sd_text text);

#endif
