/* slab.h - things that are known by number, and numbers that are never given twice.
 *
 * Items lie in chunks and never move. An item's id has its generation in the upper half, so that
 * the id of one that is gone is told from that of the one that has its place now. Ids of several
 * slabs are told apart by their kind. Bits 26 to 31 of an id are 0: they are left to the owner of
 * several pools, to write down which one it was. */
#ifndef SD_SLAB_H
#define SD_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SD_SLAB_ITEMS_MAX (UINT32_C(1) << 24)

/* Every item begins with this. */
struct sd_slab_item {
	uint32_t index, generation; /* from 0; from 1 */
	uint32_t next_free_plus1;
	bool is_live;
};

struct sd_slab {
	char **chunk;
	size_t item_bytes;
	uint32_t chunk_count, chunk_cap;
	uint32_t kind;       /* 0 .. 3: the lowest bits of its ids */
	uint32_t used;       /* items that were ever taken */
	uint32_t live, free; /* of them; those that are neither have used up their generations */
	uint32_t free_plus1; /* the one that was given back last */
};

void sd_slab_init(struct sd_slab *slab, size_t item_bytes, uint32_t kind);
void sd_slab_finish(struct sd_slab *slab);

/* Makes room, so that `more` items can be taken. False: no memory, or too many; nothing is changed. */
bool sd_slab_reserve(struct sd_slab *slab, uint64_t more);

/* A cleared item, for which there is room. */
void *sd_slab_take(struct sd_slab *slab);
void sd_slab_give(struct sd_slab *slab, void *item);

/* Item by index below `used`, live or not. */
struct sd_slab_item *sd_slab_at(const struct sd_slab *slab, uint32_t index);

uint64_t sd_slab_id(const struct sd_slab *slab, const void *item);

/* The live item with this id, else NULL; `was_live` tells whether there was one. */
void *sd_slab_find(const struct sd_slab *slab, uint64_t id, bool *was_live);

#endif
