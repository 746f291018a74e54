#include "heap.h"

#include "check.h"

void sd_heap_push(uint32_t *heap, uint32_t *count, uint32_t item, sd_compare compare, const void *ctx)
{
	uint32_t at = (*count)++;

	while (at > 0 && compare(ctx, heap[(at - 1) / 2], item) > 0) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = item;
}

uint32_t sd_heap_pop(uint32_t *heap, uint32_t *count, sd_compare compare, const void *ctx)
{
	uint32_t least, moving, at = 0;
	uint64_t child;

	SD_REQUIRE(*count > 0);
	least = heap[0];
	moving = heap[--*count];
	while ((child = 2 * (uint64_t)at + 1) < *count) {
		if (child + 1 < *count && compare(ctx, heap[child + 1], heap[child]) < 0)
			child++;
		if (compare(ctx, moving, heap[child]) <= 0)
			break;
		heap[at] = heap[child];
		at = (uint32_t)child;
	}
	heap[at] = moving;
	return least;
}
