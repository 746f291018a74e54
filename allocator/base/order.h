/* order.h - stable sorting of index lists, with an argument for the comparison.
 *
 * qsort() is neither stable nor told what the indices mean; results here must not
 * depend on the C library. */
#ifndef SD_ORDER_H
#define SD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether item a stands strictly before item b. */
typedef bool (*sd_before)(const void *arg, uint32_t a, uint32_t b);

/* Sorts `items` in O(n log n), equal items in their old order. `scratch` holds `count` items. */
void sd_order(uint32_t *items, uint32_t *scratch, uint32_t count, sd_before before, const void *arg);

#endif
