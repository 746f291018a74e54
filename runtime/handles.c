#include "handles.h"

#include <stdlib.h>

struct sd_handle_slot {
	void *object;        /* NULL: free */
	uint32_t generation; /* of the number that finds it */
	uint32_t next_free;  /* index + 1 */
};

void sd_handles_finish(struct sd_handles *handles)
{
	free(handles->slot);
	*handles = (struct sd_handles){ 0 };
}

static bool make_room(struct sd_handles *handles)
{
	uint32_t cap = handles->cap ? handles->cap * 2 : 32;
	struct sd_handle_slot *slot;

	if (handles->count < handles->cap)
		return true;
	slot = cap > handles->cap ? realloc(handles->slot, cap * sizeof(*slot)) : NULL;
	if (!slot)
		return false;
	handles->slot = slot;
	handles->cap = cap;
	return true;
}

sd_handle sd_handles_add(struct sd_handles *handles, void *object)
{
	uint32_t index = handles->first_free - 1;

	if (handles->first_free) {
		handles->first_free = handles->slot[index].next_free;
	} else {
		if (!make_room(handles))
			return SD_NO_HANDLE;
		index = handles->count++;
		handles->slot[index].generation = 0;
	}
	handles->slot[index].object = object;
	handles->used++;
	return ((uint64_t)handles->slot[index].generation << 32) | (index + 1);
}

void *sd_handles_find(const struct sd_handles *handles, sd_handle handle)
{
	uint32_t index = sd_handle_index(handle);

	return index < handles->count && handles->slot[index].generation == handle >> 32 ? handles->slot[index].object : NULL;
}

void sd_handles_retire(struct sd_handles *handles, sd_handle handle)
{
	handles->slot[sd_handle_index(handle)].generation++;
	handles->used--;
}

void sd_handles_let_go(struct sd_handles *handles, uint32_t index)
{
	struct sd_handle_slot *slot = &handles->slot[index];

	slot->object = NULL;
	if (slot->generation == 0) /* all its numbers were given */
		return;
	slot->next_free = handles->first_free;
	handles->first_free = index + 1;
}

void *sd_handles_at(const struct sd_handles *handles, uint32_t index)
{
	return handles->slot[index].object;
}
