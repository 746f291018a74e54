#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNED 64u
#define HUGE_PAGE (UINT64_C(2) << 20)
#define NORMAL_BEFORE (UINT64_C(1) << 20) /* HUGE_FIRST: up to here normal pages */

static uint64_t rounded(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

/* What a request takes of the budget; normal pages: rounded up to 32, and 32 more. */
static uint64_t counted_as(uint64_t bytes, bool huge)
{
	return huge ? rounded(bytes, HUGE_PAGE) : rounded(bytes, 32) + 32;
}

/* Huge pages where the policy wants them and they fit; false: neither kind does. */
static bool fit(const struct sim *sim, uint64_t bytes, enum sd_page_policy policy, uint64_t *counted)
{
	bool huge = policy == SD_PAGES_HUGE_ONLY || (policy == SD_PAGES_HUGE_FIRST && bytes > NORMAL_BEFORE);

	if (bytes > sim->facts.memory_free_bytes)
		return false;
	*counted = counted_as(bytes, huge);
	if (policy == SD_PAGES_HUGE_FIRST && *counted > sim->facts.memory_free_bytes)
		*counted = counted_as(bytes, false);
	return *counted <= sim->facts.memory_free_bytes;
}

/* Place of the first block that begins behind `at`. */
static uint32_t place_of(const struct sim *sim, uintptr_t at)
{
	uint32_t low = 0, high = sim->block_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sim->blocks[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool sim_memory_has(const struct sim *sim, const void *at, uint64_t bytes)
{
	uint32_t place = place_of(sim, (uintptr_t)at);
	const struct sim_block *block = place ? &sim->blocks[place - 1] : NULL;

	return block && bytes <= block->bytes && (uintptr_t)at - block->at <= block->bytes - bytes;
}

/* Room for one more block, and its memory; false: the host has none. */
static bool back(struct sim *sim, struct sim_block *block)
{
	if (sim->block_count == sim->block_cap) {
		uint32_t cap = sim->block_cap ? sim->block_cap * 2 : 16;
		struct sim_block *blocks = realloc(sim->blocks, cap * sizeof(*blocks));

		if (!blocks)
			return false;
		sim->blocks = blocks;
		sim->block_cap = cap;
	}
	block->base = block->bytes < SIZE_MAX - ALIGNED ? calloc(1, block->bytes + ALIGNED) : NULL;
	block->at = (uintptr_t)rounded((uintptr_t)block->base, ALIGNED);
	return block->base;
}

enum sd_status sim_memory_alloc(struct sim *sim, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct sim_block block = { .bytes = bytes };
	uint32_t place;

	SD_TRY(sim_fault(sim, SD_SIM_MEMORY_ALLOC, diag));
	if (bytes == 0)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the size of device memory"), sd_arg_int(0), sd_arg_words("above 0"));
	if ((uint32_t)policy > SD_PAGES_NORMAL_ONLY && policy != SD_PAGES_NORMAL_FIRST)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the page policy"), sd_arg_int(policy), sd_arg_words("0, 1, 2 or 64"));
	if (!fit(sim, bytes, policy, &block.counted)) {
		return SD_FAIL3(diag, SD_CODE_DEVICE_MEMORY, SD_NO_NODE, sd_arg_int(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes), sd_arg_int((int64_t)sim->facts.memory_free_bytes),
		                sd_arg_int((int64_t)sim->facts.memory_bytes));
	}
	if (!back(sim, &block))
		return sim_no_memory(diag);
	place = place_of(sim, block.at);
	memmove(sim->blocks + place + 1, sim->blocks + place, (sim->block_count++ - place) * sizeof(block));
	sim->blocks[place] = block;
	sim->facts.memory_free_bytes -= block.counted;
	*memory = (char *)block.base + (block.at - (uintptr_t)block.base);
	return SD_OK;
}

enum sd_status sim_memory_free(struct sim *sim, void *memory, struct sd_diag *diag)
{
	uint32_t place = place_of(sim, (uintptr_t)memory);

	if (place == 0 || sim->blocks[place - 1].at != (uintptr_t)memory)
		return SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("memory"), sd_arg_int((int64_t)(uintptr_t)memory));
	SD_TRY(sim_fault(sim, SD_SIM_MEMORY_FREE, diag));
	place--;
	free(sim->blocks[place].base);
	sim->facts.memory_free_bytes += sim->blocks[place].counted;
	memmove(sim->blocks + place, sim->blocks + place + 1, (--sim->block_count - place) * sizeof(*sim->blocks));
	return SD_OK;
}

void sim_memory_finish(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->block_count; i++)
		free(sim->blocks[i].base);
	free(sim->blocks);
}
