/* vec.h - arrays that grow in an arena.
 *
 * The old copy is left behind when an array grows; it goes with the job. Use it only
 * where the final size cannot be counted beforehand. */
#ifndef SD_VEC_H
#define SD_VEC_H

#include <string.h>

#include "arena.h"

#define SD_VEC(type)            \
	struct {                \
		type *at;       \
		uint32_t count, cap; \
	}

/* The array, larger; the same array, and the same cap, over budget. */
static inline void *sd_vec_grown(struct sd_arena *mem, void *at, uint32_t count, uint32_t *cap, size_t size)
{
	uint32_t larger = *cap ? *cap * 2 : 64;
	void *copy = larger > *cap ? sd_arena_array(mem, larger, size) : NULL;

	if (!copy)
		return at;
	if (count)
		memcpy(copy, at, count * size);
	*cap = larger;
	return copy;
}

/* Room for one more item; false over budget, and the items stay. Then write vec.at[vec.count++]. */
#define sd_vec_room(mem, vec)                                                                             \
	((vec)->count < (vec)->cap ||                                                                     \
	 ((vec)->at = sd_vec_grown((mem), (vec)->at, (vec)->count, &(vec)->cap, sizeof(*(vec)->at)),      \
	  (vec)->count < (vec)->cap))

#endif
