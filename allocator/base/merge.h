/* merge.h - stable sorting of index lists, and ranks of texts.
 *
 * The order depends on nothing but the items and the comparison; no memory is
 * taken from the system, no recursion. O(n log n) comparisons, O(n) when the
 * list is sorted already. */
#ifndef SD_MERGE_H
#define SD_MERGE_H

#include "arena.h"
#include "text.h"

typedef int (*sd_compare)(const void *ctx, uint32_t a, uint32_t b);

/* Sorts `item`; equal items keep their order. `spare` has room for `count` items. */
void sd_merge_sort(uint32_t *item, uint32_t *spare, size_t count, sd_compare compare, const void *ctx);

/* Ranks of `count` texts in byte order, dense from 0; equal texts have equal ranks.
 * NULL over budget. */
uint32_t *sd_text_ranks(struct sd_arena *mem, const struct sd_text *text, uint32_t count);

#endif
