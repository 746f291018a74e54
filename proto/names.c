#include "names.h"

#include "base/check.h"
#include "hash.h"

#define NAMES_MAX (1u << 30) /* so that the slots can be numbered in 32 bits */

bool sd__names_init(struct sd__names *names, struct sd_arena *mem, const struct sd_text *text, uint32_t count)
{
	uint32_t slots = 8;

	SD_REQUIRE(count <= NAMES_MAX);
	/* At least every third slot stays free, so that a search ends soon. */
	while (slots < count + count / 2)
		slots *= 2;
	*names = (struct sd__names){ SD_NEW0(mem, struct sd__name_slot, slots), slots - 1, text };
	return names->slot != NULL;
}

/* The slot that holds the name, or the free one where it belongs. */
static struct sd__name_slot *seek(const struct sd__names *names, struct sd_text name, uint32_t *tag)
{
	uint64_t hash = sd__hash(name);
	uint32_t at = (uint32_t)hash & names->mask;

	*tag = (uint32_t)(hash >> 32);
	for (;; at = (at + 1) & names->mask) {
		struct sd__name_slot *slot = &names->slot[at];

		if (slot->index_next == 0)
			return slot;
		if (slot->tag == *tag && sd_text_equal(names->text[slot->index_next - 1], name))
			return slot;
	}
}

uint32_t sd__names_add(struct sd__names *names, uint32_t index)
{
	uint32_t tag;
	struct sd__name_slot *slot = seek(names, names->text[index], &tag);

	if (slot->index_next)
		return slot->index_next - 1;
	*slot = (struct sd__name_slot){ tag, index + 1 };
	return SD__NO_NAME;
}

uint32_t sd__names_find(const struct sd__names *names, struct sd_text name)
{
	uint32_t tag;

	return seek(names, name, &tag)->index_next - 1;
}
