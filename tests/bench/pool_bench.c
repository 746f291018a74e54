/* pool_bench - acquires and releases in a pool of many slots, for a counter of instructions to look at.
 *
 * usage: pool_bench SLOTS ROUNDS [exclusive]
 * Half of the slots are full, of the others each has another task count; the model asks for random
 * ones. Prints nanoseconds of one acquire and release, as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/counted.h"
#include "lib/random.h"
#include "streamd/pool.h"

#define TASKS 1000000

void bench_rounds(struct sd_pool *pool, sd_pool_id model, uint32_t rounds);

/* What is measured stands alone, so that it can be told from the filling. */
__attribute__((noinline)) void bench_rounds(struct sd_pool *pool, sd_pool_id model, uint32_t rounds)
{
	uint32_t state = 9;

	for (uint32_t i = 0; i < rounds; i++) {
		struct sd_pool_want want = { .task_count = random_below(&state, TASKS), .count = 1 };
		struct sd_pool_grant grant;
		struct sd_pool_parting parting;

		if (sd_pool_acquire(pool, model, &want, 1, 0, 0, &grant, NULL, NULL) != SD_OK ||
		    sd_pool_release(pool, grant.lease, false, &parting, NULL) != SD_OK)
			abort();
	}
}

static sd_pool_id add_model(struct sd_pool *pool)
{
	uint32_t domain;
	sd_pool_id model;

	if (sd_pool_domain(pool, SD_TEXT("d"), &domain) != SD_OK || sd_pool_add_model(pool, domain, NULL, &model) != SD_OK)
		abort();
	return model;
}

/* Models that hold every second slot whole, and every other one hardly or not at all. */
static void fill(struct sd_pool *pool, uint32_t slots, bool is_exclusive)
{
	sd_pool_id model = add_model(pool);
	struct sd_pool_want *want = calloc(slots, sizeof(*want));
	struct sd_pool_grant *grant = calloc(slots, sizeof(*grant));
	struct sd_pool_parting parting;
	uint32_t state = 3;

	if (!want || !grant)
		abort();
	for (uint32_t i = 0; i < slots; i++) {
		want[i] = (struct sd_pool_want){ .task_count = i % 2 ? TASKS : random_below(&state, TASKS / 2), .count = 1 };
		if (sd_pool_acquire(pool, model, &want[i], 1, 0, 0, &grant[i], NULL, NULL) != SD_OK)
			abort();
	}
	for (uint32_t i = 0; i < slots; i += 2) {
		if (is_exclusive && sd_pool_release(pool, grant[i].lease, false, &parting, NULL) != SD_OK)
			abort();
	}
	free(want);
	free(grant);
}

int main(int argc, char **argv)
{
	uint32_t slots = argc > 2 ? (uint32_t)atoi(argv[1]) : 0, rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
	bool is_exclusive = argc > 3 && strcmp(argv[3], "exclusive") == 0;
	struct sd_pool_limits limits = { .mode = is_exclusive ? SD_POOL_EXCLUSIVE : SD_POOL_SHARED, .keeps_idle = true, .tasks_max = TASKS };
	struct sd_pool *pool;
	struct timespec began, ended;

	if (rounds == 0 || sd_pool_create(&pool, &limits) != SD_OK) {
		fprintf(stderr, "usage: pool_bench SLOTS ROUNDS [exclusive]\n");
		return 2;
	}
	limits.mode = SD_POOL_EXCLUSIVE; /* filling does not search */
	sd_pool_set_limits(pool, &limits);
	fill(pool, slots, is_exclusive);
	limits.mode = is_exclusive ? SD_POOL_EXCLUSIVE : SD_POOL_SHARED;
	sd_pool_set_limits(pool, &limits);
	counted_from_here();
	clock_gettime(CLOCK_MONOTONIC, &began);
	bench_rounds(pool, add_model(pool), rounds);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("{\"slots\": %u, \"rounds\": %u, \"ns\": %.0f}\n", slots, rounds,
	       ((double)(ended.tv_sec - began.tv_sec) * 1e9 + (double)(ended.tv_nsec - began.tv_nsec)) / rounds);
	sd_pool_destroy(pool);
	return 0;
}
