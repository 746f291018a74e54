/* memory_bench - allocations and frees in a memory pool of many blocks, for a counter of instructions to look at.
 *
 * usage: memory_bench BLOCKS ROUNDS
 * Of the blocks every second one is in use; the others are cached on two streams, free, or behind a
 * third stream that also used them. Each round takes a block of a random size for one stream and frees
 * it on the other. Prints nanoseconds of one allocation and free, as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/counted.h"
#include "lib/random.h"
#include "streamd/device_host.h"
#include "streamd/memory_pool.h"

static struct sd_device *device;
static struct sd_memory_pool *pool;

static void must(enum sd_status status)
{
	if (status != SD_OK)
		abort();
}

void bench_rounds(const sd_handle *stream, uint32_t rounds);

/* What is measured stands alone, so that it can be told from the filling. */
__attribute__((noinline)) void bench_rounds(const sd_handle *stream, uint32_t rounds)
{
	uint32_t state = 9;

	for (uint32_t i = 0; i < rounds; i++) {
		void *memory;

		must(sd_memory_pool_alloc(pool, 1 + random_below(&state, 8000), stream[i % 2], SD_PAGES_HUGE_FIRST, "round", &memory, NULL));
		must(sd_memory_pool_free(pool, memory, stream[(i + 1) % 2], NULL));
	}
}

static void fill(const sd_handle *stream, uint32_t blocks)
{
	void **memory = calloc(blocks, sizeof(*memory));
	uint32_t state = 3;

	if (!memory)
		abort();
	for (uint32_t i = 0; i < blocks; i++)
		must(sd_memory_pool_alloc(pool, 1 + random_below(&state, 8000), stream[0], SD_PAGES_HUGE_FIRST, "filling", &memory[i], NULL));
	for (uint32_t i = 0; i < blocks; i += 2) {
		uint32_t kind = random_below(&state, 4);

		if (kind == 3)
			must(sd_memory_pool_use(pool, memory[i], stream[2], NULL));
		must(sd_memory_pool_free(pool, memory[i], kind == 2 ? SD_NO_HANDLE : stream[kind % 2], NULL));
	}
	free(memory);
}

int main(int argc, char **argv)
{
	uint32_t blocks = argc == 3 ? (uint32_t)atoi(argv[1]) : 0, rounds = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	const struct sd_memory_pool_options options = { .reuse = SD_REUSE_FOLLOW_EVENTS };
	struct timespec began, ended;
	sd_handle stream[3];

	if (blocks == 0 || rounds == 0) {
		fprintf(stderr, "usage: memory_bench BLOCKS ROUNDS\n");
		return 2;
	}
	must(sd_host_open(NULL, &device, NULL));
	must(sd_memory_pool_open(&options, device, &pool, NULL));
	for (int i = 0; i < 3; i++)
		must(device->ops->stream_create(device, 0, 0, &stream[i], &(int32_t){ 0 }, NULL));
	fill(stream, blocks);
	counted_from_here();
	clock_gettime(CLOCK_MONOTONIC, &began);
	bench_rounds(stream, rounds);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("{\"blocks\": %u, \"rounds\": %u, \"ns\": %.0f}\n", blocks, rounds,
	       ((double)(ended.tv_sec - began.tv_sec) * 1e9 + (double)(ended.tv_nsec - began.tv_nsec)) / rounds);
	return 0;
}
