/* handles.h - numbers for objects; no number is given twice.
 *
 * A number is the index of a slot, from 1, with the slot's generation in its upper half: 1, 2, 3
 * as long as nothing was destroyed. Objects are the caller's. One thread at a time. */
#ifndef SD_HANDLES_H
#define SD_HANDLES_H

#include <stdint.h>

#include "streamd/device.h"

struct sd_handle_slot;

struct sd_handles {
	struct sd_handle_slot *slot;
	uint32_t count, cap, used; /* used: objects that can be found */
	uint32_t first_free;       /* index + 1; 0: none */
};

/* Frees the table, not the objects. */
void sd_handles_finish(struct sd_handles *handles);

/* 0: out of memory. */
sd_handle sd_handles_add(struct sd_handles *handles, void *object);

/* NULL for what is no number of an object, or no more. */
void *sd_handles_find(const struct sd_handles *handles, sd_handle handle);

/* From here on the number finds nothing, and its index is not given again before it was let go. */
void sd_handles_retire(struct sd_handles *handles, sd_handle handle);
void sd_handles_let_go(struct sd_handles *handles, uint32_t index);

static inline uint32_t sd_handle_index(sd_handle handle)
{
	return (uint32_t)handle - 1;
}

/* The object at an index, also when its number was retired; NULL where none is. For visits, below `count`. */
void *sd_handles_at(const struct sd_handles *handles, uint32_t index);

#endif
