#include "slab.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define CHUNK 256u /* items */
#define KIND_BITS 2u
#define INDEX_BITS 24u

void sd_slab_init(struct sd_slab *slab, size_t item_bytes, uint32_t kind)
{
	*slab = (struct sd_slab){ .item_bytes = item_bytes, .kind = kind };
}

void sd_slab_finish(struct sd_slab *slab)
{
	for (uint32_t i = 0; i < slab->chunk_count; i++)
		free(slab->chunk[i]);
	free(slab->chunk);
	*slab = (struct sd_slab){ 0 };
}

static bool add_chunk(struct sd_slab *slab)
{
	char *fresh;

	if (slab->chunk_count == slab->chunk_cap) {
		uint32_t cap = slab->chunk_cap ? slab->chunk_cap * 2 : 8;
		char **larger = realloc(slab->chunk, cap * sizeof(*larger));

		if (!larger)
			return false;
		slab->chunk = larger;
		slab->chunk_cap = cap;
	}
	fresh = calloc(CHUNK, slab->item_bytes);
	if (!fresh)
		return false;
	slab->chunk[slab->chunk_count++] = fresh;
	return true;
}

bool sd_slab_reserve(struct sd_slab *slab, uint64_t more)
{
	uint64_t fresh = more > slab->free ? more - slab->free : 0;

	if (slab->used + fresh > SD_SLAB_ITEMS_MAX)
		return false;
	while ((uint64_t)slab->chunk_count * CHUNK < slab->used + fresh) {
		if (!add_chunk(slab))
			return false;
	}
	return true;
}

struct sd_slab_item *sd_slab_at(const struct sd_slab *slab, uint32_t index)
{
	return (void *)(slab->chunk[index / CHUNK] + index % CHUNK * slab->item_bytes);
}

void *sd_slab_take(struct sd_slab *slab)
{
	uint32_t index = slab->free_plus1 ? slab->free_plus1 - 1 : slab->used, generation = 0;
	struct sd_slab_item *item;

	SD_REQUIRE(index < (uint64_t)slab->chunk_count * CHUNK);
	item = sd_slab_at(slab, index);
	if (slab->free_plus1) {
		slab->free_plus1 = item->next_free_plus1;
		slab->free--;
		generation = item->generation;
	} else {
		slab->used++;
	}
	memset(item, 0, slab->item_bytes);
	item->index = index;
	item->generation = generation + 1;
	item->is_live = true;
	slab->live++;
	return item;
}

void sd_slab_give(struct sd_slab *slab, void *what)
{
	struct sd_slab_item *item = what;

	item->is_live = false;
	slab->live--;
	/* A place that has used up its generations stays empty. */
	if (item->generation == UINT32_MAX)
		return;
	item->next_free_plus1 = slab->free_plus1;
	slab->free_plus1 = item->index + 1;
	slab->free++;
}

uint64_t sd_slab_id(const struct sd_slab *slab, const void *what)
{
	const struct sd_slab_item *item = what;

	return (uint64_t)item->generation << 32 | item->index << KIND_BITS | slab->kind;
}

void *sd_slab_find(const struct sd_slab *slab, uint64_t id, bool *was_live)
{
	uint32_t low = (uint32_t)id, generation = (uint32_t)(id >> 32), index = low >> KIND_BITS;
	struct sd_slab_item *item;

	*was_live = false;
	if ((low & ((1u << KIND_BITS) - 1)) != slab->kind || index >= slab->used || index >> INDEX_BITS || generation == 0)
		return NULL;
	item = sd_slab_at(slab, index);
	*was_live = generation <= item->generation;
	return item->is_live && generation == item->generation ? item : NULL;
}
