/* unique.h - private: names for nodes, of which no two are equal in a whole request. */
#ifndef SD_UNIQUE_H
#define SD_UNIQUE_H

#include "base/arena.h"
#include "proto/names.h"

#define SD_NAME_KEPT 480u /* bytes; a number that makes it unique still fits 512 */

struct sd_unique {
	struct sd_arena *mem;
	struct sd_text *taken;
	struct sd__names names;
	uint32_t count;
};

/* Room for `most` names; false over budget. */
bool sd_unique_init(struct sd_unique *unique, struct sd_arena *mem, uint32_t most);

/* The wish itself if nobody has it, else "<wish>_<number>" with the first free number from `number`; an
 * empty wish is never free. NUL-terminated, in the arena; false over budget. */
bool sd_unique_name(struct sd_unique *unique, struct sd_text wish, uint32_t number, struct sd_text *name);

/* "<stem>_<number>", with the first free number. */
bool sd_unique_numbered(struct sd_unique *unique, struct sd_text stem, uint32_t number, struct sd_text *name);

/* A NUL-terminated copy; NULL over budget. */
char *sd_text_copy(struct sd_arena *mem, struct sd_text text);

#endif
