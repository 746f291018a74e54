/* answers - plans many requests with one mutant switched on, and says of each how it was answered.
 *
 * usage: answers MUTANT FILE     MUTANT: a name of list.h, "-" for none; FILE: requests as JSON, one behind the other
 *        answers --list          names and passes of the mutants
 *
 * A line "NUMBER HASH CODE" a request: HASH is that of the encoded plan or of the refusal, CODE "plan", the code of the
 * refusal, or "crash" (a hang of 10 s of processor time is one too). Requests are planned in a process of their own, as far
 * as none of them ends it. The example passes of tests/site run with all of them. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/check.h"
#include "formats/request.h"
#include "mutants/switches.h"
#include "proto/canon.h"
#include "proto/graph_codec.h"
#include "proto/plan_codec.h"
#include "streamd/planner.h"

#define REQUEST_SECONDS 10

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}

static enum sd_status read_request(struct sd_arena *mem, struct sd_text text, struct sd_request *request, struct sd_diag *diag)
{
	struct sd_counts counts;
	struct sd_text bytes;

	SD_TRY(sd_input_bytes(mem, SD_INPUT_JSON, text, NULL, NULL, &bytes, diag));
	SD_TRY(sd_request_count(bytes, &counts, diag));
	SD_TRY(sd_request_decode(mem, bytes, &counts, request, diag));
	request->passes = sd_site_passes;
	return SD_OK;
}

static enum sd_status answer(struct sd_arena *mem, struct sd_text text, struct sd_text *bytes, struct sd_diag *diag)
{
	struct sd_request *request = SD_NEW0(mem, struct sd_request, 1);
	const struct sd_plan *plan;
	struct sd_identity identity;

	SD_REQUIRE(request);
	SD_TRY(read_request(mem, text, request, diag));
	SD_TRY(sd_plan_make(mem, request, NULL, &plan, diag));
	SD_REQUIRE(sd_identify(mem, request, &identity) == SD_OK && sd_plan_encode(mem, plan, &identity, bytes) == SD_OK);
	return SD_OK;
}

static void tell(struct sd_arena *mem, const json_t *json, uint32_t number)
{
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	struct sd_text text, bytes;
	uint64_t hash = 0xcbf29ce484222325ull;
	char *copy = json_dumps(json, JSON_COMPACT);

	SD_REQUIRE(copy);
	text = (struct sd_text){ copy, (uint32_t)strlen(copy) };
	if (answer(mem, text, &bytes, &diag) == SD_OK) {
		printf("%u %016llx plan\n", number, (unsigned long long)mix(hash, bytes.at, bytes.len));
	} else {
		hash = mix(hash, &diag.node, sizeof(diag.node));
		printf("%u %016llx %s\n", number, (unsigned long long)hash, sd_code_text(diag.code));
	}
	free(copy);
}

/* Tells of requests from *at on, until one of them ends the process. */
static void tell_all(const json_t *requests, volatile uint32_t *at)
{
	const struct itimerval limit = { .it_value.tv_sec = REQUEST_SECONDS };
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	for (; *at < json_array_size(requests); ++*at) {
		setitimer(ITIMER_PROF, &limit, NULL);
		tell(&mem, json_array_get(requests, *at), *at);
		fflush(stdout);
		sd_arena_reset(&mem, 1u << 20);
	}
	sd_arena_finish(&mem);
}

static void run(const json_t *requests)
{
	volatile uint32_t *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	SD_REQUIRE(at != MAP_FAILED);
	while (*at < json_array_size(requests)) {
		int status;
		pid_t child = fork();

		SD_REQUIRE(child >= 0);
		if (child == 0) {
			tell_all(requests, at);
			_exit(0);
		}
		SD_REQUIRE(waitpid(child, &status, 0) == child);
		if (*at == json_array_size(requests))
			break;
		printf("%u 0000000000000000 crash\n", (*at)++);
		fflush(stdout);
	}
}

static json_t *load(const char *path)
{
	FILE *file = fopen(path, "r");
	json_t *requests = json_array(), *request;
	json_error_t error;

	SD_REQUIRE(file && requests);
	while ((request = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error)))
		SD_REQUIRE(json_array_append_new(requests, request) == 0);
	SD_REQUIRE(fclose(file) == 0);
	return requests;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (unsigned i = 0; i < mutant_count; i++)
			printf("%s %s\n", mutants[i].name, mutants[i].where);
		return 0;
	}
	if (argc != 3 || !mutant_choose(strcmp(argv[1], "-") == 0 ? NULL : argv[1])) {
		fprintf(stderr, "usage: answers MUTANT FILE\n       answers --list\n");
		return 2;
	}
	run(load(argv[2]));
	return 0;
}
