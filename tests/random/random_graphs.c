/* random_graphs - plans generated graphs of all features mixed, and holds every answer against the judge.
 *
 * usage: random_graphs [--seed S] [--kind KIND] [--first K] [--count N] [--least L] [--samples FILE --every E]
 *        random_graphs [--seed S] [--kind KIND] --print K
 *        random_graphs --try FILE [--samples FILE]
 *
 * The first form plans graphs K .. K + N - 1 of the seed in processes of their own, so that a crash or a
 * hang (20 s of processor time) costs one graph and is told like any other failure: a line "fail K CLASS".
 * Of plans, one in E is written to FILE, a line of JSON each, for checkers outside. Then the tables; a row
 * below L is a failure. --print writes graph K as request JSON; --try tells of every request in a
 * file, or of standard input while they come: "fail CLASS", or "ok" with the code of its refusal. Status 1
 * where anything failed. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "formats/plan_json.h"
#include "gen.h"
#include "tally.h"

#define GRAPH_SECONDS 20

struct run {
	uint32_t seed, first, count, every;
	enum random_kind kind;
	uint64_t least;
	const char *samples;
	uint32_t failures;
};

/* What a child leaves behind. */
struct shared {
	uint32_t at; /* the graph that it is at */
	uint32_t failures;
	struct tally tally;
};

static void write_plan(struct sd_arena *mem, const struct attempt *a, FILE *file)
{
	struct sd_emitter *out = SD_NEW(mem, struct sd_emitter, 1);
	struct sd_diag diag = { .code = SD_CODE_NONE };

	SD_REQUIRE(out);
	sd_emit_start(out, file);
	SD_REQUIRE(sd_plan_write_json(mem, out, a->plan, &a->identity, &a->request.graph, &diag) == SD_OK && sd_emit_finish(out));
}

/* A line {"number": K, "request": ..., "plan": ...}; line ends inside are blanks of JSON. */
static void write_sample(struct sd_arena *mem, const struct attempt *a, const json_t *request, uint32_t number, FILE *file)
{
	char *text = json_dumps(request, JSON_COMPACT), *plan = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&plan, &bytes);

	SD_REQUIRE(text && memory);
	write_plan(mem, a, memory);
	SD_REQUIRE(fclose(memory) == 0);
	for (size_t i = 0; i < bytes; i++)
		plan[i] = plan[i] == '\n' ? ' ' : plan[i];
	fprintf(file, "{\"number\": %u, \"request\": %s, \"plan\": %s}\n", number, text, plan);
	free(text);
	free(plan);
}

static void limit_time(void)
{
	const struct itimerval limit = { .it_value.tv_sec = GRAPH_SECONDS };

	setitimer(ITIMER_PROF, &limit, NULL);
}

/* Which plans are written does not depend on how many are asked for in one run. */
static bool is_sample(const struct run *run, uint32_t number)
{
	return run->every && (number * 2654435761u >> 8) % run->every == 0;
}

static void plan_one(const struct run *run, struct sd_arena *mem, struct shared *shared, FILE *samples)
{
	json_t *request = random_request(run->seed, shared->at, run->kind);
	struct attempt a;

	limit_time();
	attempt(mem, request, &a);
	tally_add(&shared->tally, request, &a);
	if (a.failure) {
		printf("fail %u %s\n", shared->at, a.failure);
		shared->failures++;
	} else if (a.plan && samples && is_sample(run, shared->at)) {
		write_sample(mem, &a, request, shared->at, samples);
	}
	json_decref(request);
}

static void plan_all(const struct run *run, struct shared *shared)
{
	struct sd_arena mem;
	FILE *samples = run->samples ? fopen(run->samples, "a") : NULL;

	SD_REQUIRE(samples || !run->samples);
	sd_arena_init(&mem, 0);
	for (; shared->at < run->first + run->count; shared->at++) {
		plan_one(run, &mem, shared, samples);
		sd_arena_reset(&mem, 1u << 20);
	}
	sd_arena_finish(&mem);
	SD_REQUIRE((!samples || fclose(samples) == 0) && fflush(stdout) == 0);
}

static const char *how_it_ended(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGPROF ? "hang: no answer in 20 s" : strsignal(WTERMSIG(status));
	return "the process ended";
}

/* Goes on behind a graph that ended the process. */
static int run_graphs(struct run *run)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t below;

	SD_REQUIRE(shared != MAP_FAILED);
	shared->at = run->first;
	printf("seed %u, graphs %u to %u\n", run->seed, run->first, run->first + run->count - 1);
	while (shared->at < run->first + run->count) {
		int status;
		pid_t child;

		fflush(stdout);
		child = fork();
		SD_REQUIRE(child >= 0);
		if (child == 0) {
			plan_all(run, shared);
			_exit(0);
		}
		SD_REQUIRE(waitpid(child, &status, 0) == child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			continue;
		printf("fail %u crash: %s\n", shared->at, how_it_ended(status));
		shared->failures++;
		shared->at++;
	}
	below = tally_print(&shared->tally, run->least, stdout);
	printf("%u failures, %u rows below %llu\n", shared->failures, below, (unsigned long long)run->least);
	return shared->failures || below;
}

static int print_request(const struct run *run, uint32_t number)
{
	json_t *request = random_request(run->seed, number, run->kind);

	SD_REQUIRE(json_dumpf(request, stdout, JSON_INDENT(1)) == 0 && putchar('\n') == '\n');
	json_decref(request);
	return 0;
}

/* Tells of one request, in a process of its own. */
static void try_request(const json_t *request, const char *samples)
{
	struct attempt a;
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	limit_time();
	attempt(&mem, request, &a);
	printf("%s%s\n", a.failure ? "fail " : "ok ", a.failure ? a.failure : a.plan ? "" : sd_code_text(a.diag.code));
	if (samples && a.plan) {
		FILE *file = fopen(samples, "w");

		SD_REQUIRE(file);
		write_sample(&mem, &a, request, 0, file);
		SD_REQUIRE(fclose(file) == 0);
	}
	SD_REQUIRE(fflush(stdout) == 0);
	_exit(0);
}

/* Tells of every request of the file, a line each. */
static int try_requests(const char *path, const char *samples)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	json_error_t error;
	json_t *request;
	int status, failed = 0;

	SD_REQUIRE(file);
	while ((request = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error))) {
		pid_t child = fork();

		SD_REQUIRE(child >= 0);
		if (child == 0)
			try_request(request, samples);
		SD_REQUIRE(waitpid(child, &status, 0) == child);
		failed += status != 0;
		if (status != 0)
			printf("fail crash: %s\n", how_it_ended(status));
		SD_REQUIRE(fflush(stdout) == 0);
		json_decref(request);
	}
	return failed > 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: random_graphs [--seed S] [--kind KIND] [--first K] [--count N] [--least L] [--samples FILE --every E]\n"
	                "       random_graphs [--seed S] [--kind KIND] --print K\n"
	                "       random_graphs --try FILE [--samples FILE]\n");
	return 2;
}

static bool find_kind(const char *name, enum random_kind *kind)
{
	static const char *const names[] = RANDOM_KINDS;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			*kind = (enum random_kind)i;
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	struct run run = { .seed = 1, .count = 1500 };
	const char *number = NULL, *path = NULL, *kind = "all";

	for (int i = 1; i < argc; i += 2) {
		const struct {
			const char *key;
			uint32_t *number;
			const char **text;
		} keys[] = {
			{ "--seed", &run.seed, NULL }, { "--first", &run.first, NULL }, { "--count", &run.count, NULL }, { "--every", &run.every, NULL },
			{ "--least", NULL, NULL }, { "--samples", NULL, &run.samples }, { "--print", NULL, &number }, { "--try", NULL, &path },
			{ "--kind", NULL, &kind },
		};
		size_t k = 0, count = sizeof(keys) / sizeof(keys[0]);

		while (k < count && strcmp(argv[i], keys[k].key) != 0)
			k++;
		if (k == count || i + 1 == argc)
			return usage();
		if (keys[k].text)
			*keys[k].text = argv[i + 1];
		else if (keys[k].number)
			*keys[k].number = (uint32_t)strtoul(argv[i + 1], NULL, 10);
		else
			run.least = strtoull(argv[i + 1], NULL, 10);
	}
	if (!find_kind(kind, &run.kind))
		return usage();
	if (path)
		return try_requests(path, run.samples);
	if (number)
		return print_request(&run, (uint32_t)strtoul(number, NULL, 10));
	return run_graphs(&run);
}
