/* plan_bench - what planning one request costs.
 *
 * usage: plan_bench REQUEST [RUNS]
 * REQUEST is request JSON, a PlanRequest or an ONNX model. Prints one JSON line: medians
 * of RUNS runs (default 5) and the high water of the job's arena. Under callgrind with
 * --toggle-collect=sd_plan_make it counts the planner alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/local.h"

#define RUNS_MAX 1000

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_median(const char *name, const struct local_times *times, int runs, size_t member)
{
	uint64_t value[RUNS_MAX];

	for (int i = 0; i < runs; i++)
		memcpy(&value[i], (const char *)&times[i] + member, sizeof(value[i]));
	qsort(value, (size_t)runs, sizeof(value[0]), by_value);
	printf(", \"%s\": %llu", name, (unsigned long long)value[runs / 2]);
}

static void print_failure(const char *path, const struct sd_diag *diag)
{
	char message[SD_MESSAGE_MAX];

	sd_diag_message(diag, NULL, message, sizeof(message));
	fprintf(stderr, "%s: %s: %s\n", path, sd_code_text(diag->code), message);
}

static void print_result(const struct local_answer *answer, size_t peak, const struct local_times *times, int runs)
{
	const struct sd_plan *plan = answer->plan;

	printf("{\"nodes\": %llu, \"edges\": %llu, \"streams\": %u, \"syncs\": %u, \"runs\": %d",
	       (unsigned long long)answer->counts.nodes, (unsigned long long)answer->counts.edges,
	       plan->stream_count, plan->sync_count, runs);
	print_median("count_ns", times, runs, offsetof(struct local_times, count_ns));
	print_median("decode_ns", times, runs, offsetof(struct local_times, decode_ns));
	print_median("plan_ns", times, runs, offsetof(struct local_times, plan_ns));
	print_median("verify_ns", times, runs, offsetof(struct local_times, verify_ns));
	print_median("identify_ns", times, runs, offsetof(struct local_times, identify_ns));
	print_median("encode_ns", times, runs, offsetof(struct local_times, encode_ns));
	printf(", \"peak_bytes\": %zu, \"plan_bytes\": %u}\n", peak, answer->bytes.len);
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[2]) : 5;
	struct local_times times[RUNS_MAX] = { { 0 } };
	struct local_answer answer = { 0 };
	struct sd_arena file, job;
	struct sd_text request;
	enum sd_status status = SD_OK;

	if (argc < 2 || runs < 1 || runs > RUNS_MAX) {
		fprintf(stderr, "usage: plan_bench REQUEST [RUNS], RUNS from 1 to %d\n", RUNS_MAX);
		return 2;
	}
	sd_arena_init(&file, 0);
	sd_arena_init(&job, 0);
	request = local_read(&file, argv[1]);
	for (int i = 0; i < runs && status == SD_OK; i++) {
		struct sd_diag diag = { .code = SD_CODE_NONE };

		sd_arena_reset(&job, SIZE_MAX);
		status = local_plan(&job, request, &answer, &diag, &times[i]);
		if (status != SD_OK)
			print_failure(argv[1], &diag);
	}
	if (status == SD_OK)
		print_result(&answer, job.peak_bytes, times, runs);
	sd_arena_finish(&job);
	sd_arena_finish(&file);
	return status == SD_OK ? 0 : 1;
}
