/* names.h - from a name to its index. Private to proto.
 *
 * A table over an array of names that somebody else keeps; it finds names by a keyed hash
 * and gives out indices only, so that nothing depends on the order of its places. */
#ifndef SD_NAMES_H
#define SD_NAMES_H

#include "base/arena.h"
#include "base/text.h"

#define SD__NO_NAME UINT32_MAX

struct sd__name_slot {
	uint32_t tag;        /* part of the hash: most other names are told apart without a look at them */
	uint32_t index_next; /* index + 1; 0 = free */
};

struct sd__names {
	struct sd__name_slot *slot;
	uint32_t mask; /* number of slots - 1 */
	const struct sd_text *text; /* by index */
};

/* An empty table for up to `count` names that will lie in `text`; false over budget. */
bool sd__names_init(struct sd__names *names, struct sd_arena *mem, const struct sd_text *text, uint32_t count);

/* Enters text[index]. Answers the index of an equal name that is there already, and then
 * enters nothing; else SD__NO_NAME. At most `count` names may be entered. */
uint32_t sd__names_add(struct sd__names *names, uint32_t index);

/* Index of the name; SD__NO_NAME if it is not there. */
uint32_t sd__names_find(const struct sd__names *names, struct sd_text name);

#endif
