/* How long a request takes to count and decode, beside protobuf-c's own unpack of the same bytes.
 *
 * usage: decode_bench REQUEST [ROUNDS]   REQUEST is a PlanRequest as protobuf bytes.
 * Prints one JSON line; the figures are medians of rounds that alternate in one run: ours in an
 * arena that is kept from round to round, as a worker of the daemon and as the heap under
 * protobuf-c keep theirs, and ours in an arena whose pages are new. Exit status 1 when the
 * request is refused. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "proto/graph_codec.h"
#include "streamd.pb-c.h"

#define ROUNDS_MAX 1000

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t *value, size_t count)
{
	qsort(value, count, sizeof(*value), by_value);
	return value[count / 2];
}

static struct sd_text read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;
	size_t len = 0, cap = 0;

	while (file && !ferror(file) && !feof(file)) {
		if (len == cap)
			data = realloc(data, cap = cap ? cap * 2 : 1 << 20);
		if (!data)
			abort();
		len += fread(data + len, 1, cap - len, file);
	}
	if (!file || ferror(file)) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return (struct sd_text){ data, (uint32_t)len };
}

static uint64_t time_decode(struct sd_text bytes, struct sd_arena *mem, struct sd_request *request)
{
	struct sd_counts counts;
	struct sd_diag diag = { 0 };
	uint64_t start = now_ns();
	enum sd_status status = sd_request_count(bytes, &counts, &diag);

	if (status == SD_OK)
		status = sd_request_decode(mem, bytes, &counts, request, &diag);
	if (status != SD_OK) {
		char message[SD_MESSAGE_MAX];

		sd_diag_message(&diag, NULL, message, sizeof(message));
		fprintf(stderr, "%s: %s\n", sd_code_text(diag.code), message);
		exit(1);
	}
	return now_ns() - start;
}

static uint64_t time_fresh(struct sd_text bytes)
{
	struct sd_arena mem;
	struct sd_request request;
	uint64_t ns;

	sd_arena_init(&mem, 0);
	ns = time_decode(bytes, &mem, &request);
	sd_arena_finish(&mem);
	return ns;
}

static uint64_t time_unpack(struct sd_text bytes)
{
	uint64_t start = now_ns(), end;
	Streamd__V1__PlanRequest *request =
		streamd__v1__plan_request__unpack(NULL, bytes.len, (const unsigned char *)bytes.at);

	end = now_ns();
	if (!request) {
		fprintf(stderr, "protobuf-c refuses the request\n");
		exit(1);
	}
	streamd__v1__plan_request__free_unpacked(request, NULL);
	return end - start;
}

int main(int argc, char **argv)
{
	static uint64_t decode[ROUNDS_MAX], fresh[ROUNDS_MAX], unpack[ROUNDS_MAX];
	size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 21;
	struct sd_text bytes;
	struct sd_arena mem;
	struct sd_request request;
	uint64_t ours, theirs;

	if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: decode_bench REQUEST [ROUNDS up to %d]\n", ROUNDS_MAX);
		return 2;
	}
	bytes = read_file(argv[1]);
	sd_arena_init(&mem, 0);
	for (size_t i = 0; i < rounds; i++) {
		sd_arena_reset(&mem, SIZE_MAX);
		decode[i] = time_decode(bytes, &mem, &request);
		fresh[i] = time_fresh(bytes);
		unpack[i] = time_unpack(bytes);
	}
	ours = median(decode, rounds);
	theirs = median(unpack, rounds);
	printf("{\"nodes\": %u, \"bytes\": %u, \"arena_bytes\": %zu, \"decode_ns\": %llu, \"decode_fresh_ns\": %llu, "
	       "\"protobuf_c_ns\": %llu, \"share\": %.3f}\n",
	       request.graph.node_count, bytes.len, mem.used_bytes, (unsigned long long)ours,
	       (unsigned long long)median(fresh, rounds), (unsigned long long)theirs, (double)ours / (double)theirs);
	sd_arena_finish(&mem);
	free((void *)(uintptr_t)bytes.at);
	return 0;
}
