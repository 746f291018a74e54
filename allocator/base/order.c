#include "order.h"

#include <string.h>

#define SHORT_RUN 8u /* runs of this length are sorted by insertion, which is faster there */

static void sort_run(uint32_t *items, uint32_t count, sd_before before, const void *arg)
{
	for (uint32_t i = 1; i < count; i++) {
		uint32_t item = items[i], at = i;

		for (; at > 0 && before(arg, item, items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void merge(uint32_t *to, const uint32_t *from, uint32_t mid, uint32_t count, sd_before before, const void *arg)
{
	uint32_t left = 0, right = mid;

	for (uint32_t i = 0; i < count; i++) {
		bool take_right = left == mid || (right < count && before(arg, from[right], from[left]));

		to[i] = take_right ? from[right++] : from[left++];
	}
}

void sd_order(uint32_t *items, uint32_t *scratch, uint32_t count, sd_before before, const void *arg)
{
	uint32_t *from = items, *to = scratch;

	for (uint32_t at = 0; at < count; at += SHORT_RUN)
		sort_run(items + at, count - at < SHORT_RUN ? count - at : SHORT_RUN, before, arg);
	for (uint64_t width = SHORT_RUN; width < count; width *= 2) {
		uint32_t *swap = from;

		for (uint64_t at = 0; at < count; at += 2 * width) {
			uint64_t rest = count - at, both = rest < 2 * width ? rest : 2 * width;

			merge(to + at, from + at, (uint32_t)(both < width ? both : width), (uint32_t)both, before, arg);
		}
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, (size_t)count * sizeof(*items));
}
