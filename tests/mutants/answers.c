/* answers - plans many requests with one mutant switched on, and says of each how it was answered.
 *
 * usage: answers MUTANT FILE FIRST COUNT CODE   MUTANT: a name of list.h, "-" for none; FILE: requests as JSON, one a line, behind an S those
 *                                              that the example passes of tests/site run with; COUNT of them from FIRST on; CODE: no further
 *                                              behind a refusal with this code
 *
 * A line "NUMBER HASH CODE" a request: HASH is that of the encoded plan or of the refusal, CODE "plan", the code of the
 * refusal, or "crash" (a hang of 10 s of processor time is one too). Requests are planned in a process of their own, as far
 * as none of them ends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "formats/request.h"
#include "mutants/switches.h"
#include "proto/canon.h"
#include "proto/graph_codec.h"
#include "proto/plan_codec.h"
#include "streamd/planner.h"

#define REQUEST_SECONDS 10

struct requests {
	uint32_t first, count; /* asked about: up to count */
	struct sd_text *at;
	const char *enough; /* code of a refusal behind which nothing more is asked */
};

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
	return SD_OK;
}

static enum sd_status answer(struct sd_arena *mem, struct sd_text text, struct sd_text *bytes, struct sd_diag *diag)
{
	struct sd_request *request = SD_NEW0(mem, struct sd_request, 1);
	const struct sd_plan *plan;
	struct sd_identity identity;
	bool site = text.len && text.at[0] == 'S';

	SD_REQUIRE(request);
	SD_TRY(read_request(mem, (struct sd_text){ text.at + site, text.len - site }, request, diag));
	request->passes = site ? sd_site_passes : NULL;
	SD_TRY(sd_plan_make(mem, request, NULL, &plan, diag));
	SD_REQUIRE(sd_identify(mem, request, &identity) == SD_OK && sd_plan_encode(mem, plan, &identity, bytes) == SD_OK);
	return SD_OK;
}

/* Answers the code. */
static const char *tell(struct sd_arena *mem, struct sd_text text, uint32_t number)
{
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	struct sd_text bytes;
	uint64_t hash = 0xcbf29ce484222325ull;

	const char *code = "plan";

	if (answer(mem, text, &bytes, &diag) == SD_OK) {
		hash = mix(hash, bytes.at, bytes.len);
	} else {
		hash = mix(hash, &diag.node, sizeof(diag.node));
		code = sd_code_text(diag.code);
	}
	printf("%u %016llx %s\n", number, (unsigned long long)hash, code);
	fflush(stdout);
	return code;
}

/* Tells of requests from *at on, until one of them ends the process. */
static void tell_all(const struct requests *r, volatile uint32_t *at)
{
	const struct itimerval limit = { .it_value.tv_sec = REQUEST_SECONDS };
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	for (; *at < r->count; ++*at) {
		setitimer(ITIMER_PROF, &limit, NULL);
		if (strcmp(tell(&mem, r->at[*at], *at), r->enough) == 0)
			*at = r->count - 1;
		sd_arena_reset(&mem, 1u << 20);
	}
	sd_arena_finish(&mem);
}

static void run(const struct requests *r)
{
	volatile uint32_t *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	SD_REQUIRE(at != MAP_FAILED);
	*at = r->first;
	while (*at < r->count) {
		int status;
		pid_t child = fork();

		SD_REQUIRE(child >= 0);
		if (child == 0) {
			tell_all(r, at);
			_exit(0);
		}
		SD_REQUIRE(waitpid(child, &status, 0) == child);
		if (*at == r->count)
			break;
		printf("%u 0000000000000000 crash\n", (*at)++);
		fflush(stdout);
	}
}

/* The lines of a file up to line `end`. */
static void read_lines(struct requests *r, const char *path, uint32_t end)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	SD_REQUIRE(file);
	while (r->count < end && (len = getline(&line, &room, file)) > 0) {
		r->at = realloc(r->at, (r->count + 1) * sizeof(*r->at));
		SD_REQUIRE(r->at);
		r->at[r->count++] = (struct sd_text){ line, (uint32_t)len };
		line = NULL; /* it is kept */
		room = 0;
	}
	SD_REQUIRE(fclose(file) == 0);
}

int main(int argc, char **argv)
{
	struct requests requests = { 0 };

	if (argc != 6 || !mutant_choose(strcmp(argv[1], "-") == 0 ? NULL : argv[1])) {
		fprintf(stderr, "usage: answers MUTANT FILE FIRST COUNT CODE\n");
		return 2;
	}
	requests.first = (uint32_t)strtoul(argv[3], NULL, 10);
	requests.enough = argv[5];
	read_lines(&requests, argv[2], requests.first + (uint32_t)strtoul(argv[4], NULL, 10));
	run(&requests);
	return 0;
}
