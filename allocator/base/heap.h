/* heap.h - a binary heap that gives out the item with the smallest key.
 *
 * The caller owns the array of items and keeps the count; keys are looked up by item
 * and must differ, so that the order does not depend on how the heap was filled. */
#ifndef SD_HEAP_H
#define SD_HEAP_H

#include <stdint.h>

/* Adds an item; `heap` has room for it. */
void sd_heap_push(uint32_t *heap, uint32_t *count, uint32_t item, const uint32_t *key);

/* Takes the item with the smallest key out of a heap that is not empty. */
uint32_t sd_heap_pop(uint32_t *heap, uint32_t *count, const uint32_t *key);

#endif
