#include "heap.h"

#include "check.h"

void sd_heap_push(uint32_t *heap, uint32_t *count, uint32_t item, const uint32_t *key)
{
	uint32_t at = (*count)++;

	while (at > 0 && key[heap[(at - 1) / 2]] > key[item]) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = item;
}

uint32_t sd_heap_pop(uint32_t *heap, uint32_t *count, const uint32_t *key)
{
	uint32_t least, moving, at = 0;
	uint64_t child;

	SD_REQUIRE(*count > 0);
	least = heap[0];
	moving = heap[--*count];
	while ((child = 2 * (uint64_t)at + 1) < *count) {
		if (child + 1 < *count && key[heap[child + 1]] < key[heap[child]])
			child++;
		if (key[moving] <= key[heap[child]])
			break;
		heap[at] = heap[child];
		at = (uint32_t)child;
	}
	heap[at] = moving;
	return least;
}
