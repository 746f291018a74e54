/* heap.h - a binary heap that gives out the smallest item.
 *
 * The caller owns the array of items and keeps the count; no two items may compare as
 * equal, so that the order does not depend on how the heap was filled. */
#ifndef SD_HEAP_H
#define SD_HEAP_H

#include <stdint.h>

#include "merge.h"

/* Adds an item; `heap` has room for it. */
void sd_heap_push(uint32_t *heap, uint32_t *count, uint32_t item, sd_compare compare, const void *ctx);

/* Takes the item that compares as the smallest out of a heap that is not empty. */
uint32_t sd_heap_pop(uint32_t *heap, uint32_t *count, sd_compare compare, const void *ctx);

#endif
