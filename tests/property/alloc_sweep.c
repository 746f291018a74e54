/* alloc_sweep - every allocation of the local pipeline may fail.
 *
 * usage: alloc_sweep REQUEST...
 * Plans each request once, then again with the arena failing at its first call, its
 * second, and so on to its last (at most POINTS places, evenly drawn), and with budgets
 * from nothing to the high water. Each run must end with RESOURCE_EXHAUSTED or with the
 * very same plan. Prints one TAP line a request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/local.h"

#define POINTS 1500u
#define BUDGETS 40u

struct outcome {
	enum sd_status status;
	struct sd_text bytes; /* in the run's arena */
};

static struct outcome run(struct sd_arena *mem, struct sd_text request, uint64_t fail_at, size_t budget)
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct local_answer answer = { 0 };
	struct outcome outcome;

	sd_arena_init(mem, budget);
	mem->fail_at = fail_at;
	outcome.status = local_plan(mem, request, &answer, &diag, NULL);
	outcome.bytes = answer.bytes;
	return outcome;
}

/* Whether this run ended as it must; says how it did not. */
static bool ends_well(struct sd_text request, struct sd_text whole, uint64_t fail_at, size_t budget)
{
	struct sd_arena mem;
	struct outcome outcome = run(&mem, request, fail_at, budget);
	bool well = outcome.status == SD_RESOURCE_EXHAUSTED || (outcome.status == SD_OK && sd_text_equal(outcome.bytes, whole));

	if (!well)
		printf("#   fail_at %llu, budget %zu: %s%s\n", (unsigned long long)fail_at, budget,
		       sd_status_name(outcome.status), outcome.status == SD_OK ? " with another plan" : "");
	sd_arena_finish(&mem);
	return well;
}

static bool sweep(struct sd_text request)
{
	struct sd_arena first;
	struct outcome whole = run(&first, request, 0, 0);
	uint64_t step = first.calls / POINTS + 1;
	unsigned bad = 0;

	if (whole.status != SD_OK)
		printf("#   is refused: %s\n", sd_status_name(whole.status));
	bad += whole.status != SD_OK;
	for (uint64_t k = 1; k <= first.calls && bad < 5; k += step)
		bad += !ends_well(request, whole.bytes, k, 0);
	for (size_t k = 1; k <= BUDGETS && bad < 5; k++)
		bad += !ends_well(request, whole.bytes, 0, first.peak_bytes * k / BUDGETS + 1);
	if (bad == 0 && !ends_well(request, whole.bytes, first.calls + 1, 0))
		bad++;
	printf("#   %llu allocations, %zu bytes\n", (unsigned long long)first.calls, first.peak_bytes);
	sd_arena_finish(&first);
	return bad == 0;
}

int main(int argc, char **argv)
{
	struct sd_arena file;
	int failed = 0;

	sd_arena_init(&file, 0);
	for (int i = 1; i < argc; i++) {
		bool well = sweep(local_read(&file, argv[i]));

		printf("%s %d - %s\n", well ? "ok" : "not ok", i, argv[i]);
		failed += !well;
		sd_arena_reset(&file, 1u << 20);
	}
	printf("1..%d\n", argc - 1);
	sd_arena_finish(&file);
	return failed || argc < 2 ? 1 : 0;
}
