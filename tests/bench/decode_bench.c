/* decode_bench - our decoder beside protobuf-c on the same bytes.
 *
 * usage: decode_bench REQUEST [RUNS]
 * Ours counts, then decodes and checks into the arrays that the planner reads; theirs
 * unpacks into a tree of messages with malloc, unchecked, and frees it. Prints one JSON
 * line with medians and the ratio. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/local.h"
#include "proto/graph_codec.h"
#include "streamd.pb-c.h"

#define RUNS_MAX 200

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t *value, int runs)
{
	qsort(value, (size_t)runs, sizeof(value[0]), by_value);
	return value[runs / 2];
}

static uint64_t ours(struct sd_arena *job, struct sd_text bytes, uint64_t *nodes)
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_request request = { 0 };
	struct sd_counts counts;
	uint64_t began = local_now();

	sd_arena_reset(job, SIZE_MAX);
	if (sd_request_count(bytes, &counts, &diag) != SD_OK || sd_request_decode(job, bytes, &counts, &request, &diag) != SD_OK)
		exit(1);
	*nodes = counts.nodes;
	return local_now() - began;
}

static uint64_t theirs(struct sd_text bytes)
{
	uint64_t began = local_now();
	Streamd__V1__PlanRequest *message = streamd__v1__plan_request__unpack(NULL, bytes.len, (const uint8_t *)bytes.at);

	if (!message)
		exit(1);
	streamd__v1__plan_request__free_unpacked(message, NULL);
	return local_now() - began;
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[2]) : 9;
	uint64_t mine[RUNS_MAX], other[RUNS_MAX], nodes = 0;
	struct sd_arena file, job;
	struct sd_text bytes;

	if (argc < 2 || runs < 1 || runs > RUNS_MAX) {
		fprintf(stderr, "usage: decode_bench REQUEST [RUNS], RUNS from 1 to %d\n", RUNS_MAX);
		return 2;
	}
	sd_arena_init(&file, 0);
	sd_arena_init(&job, 0);
	bytes = local_read(&file, argv[1]);
	for (int i = 0; i < runs; i++) {
		mine[i] = ours(&job, bytes, &nodes);
		other[i] = theirs(bytes);
	}
	printf("{\"nodes\": %llu, \"bytes\": %u, \"runs\": %d, \"decode_ns\": %llu, \"protobuf_c_ns\": %llu, \"ratio\": %.2f}\n",
	       (unsigned long long)nodes, bytes.len, runs, (unsigned long long)median(mine, runs),
	       (unsigned long long)median(other, runs), (double)other[runs / 2] / (double)mine[runs / 2]);
	sd_arena_finish(&job);
	sd_arena_finish(&file);
	return 0;
}
