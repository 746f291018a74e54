/* run_plans.c - really runs planned graphs, and looks whether they keep their edges.
 *
 * usage: run_plans [--runs N] [--seed S] [--device host|sim] [--cores N] [--queue N] [--spoil] [--may-race] FILE...
 * Each file is planned; each plan is run with every body of its choices in turn and loops of no, one and two
 * turns, N runs in all, on tasks of random lengths, checked for accesses that nothing orders. Every run must keep every
 * edge, and nothing may be found, neither so nor without a device, save where the plan warns of it. With --spoil each sync
 * is taken out of the plan, one after the other: check or judge must say so. --cores: those of the simulated device, of each
 * kind; --queue: how many tasks a stream of it holds; --may-race: what is found does not matter. Ends with "N passed, N failed". */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/request.h"
#include "lib/local.h"
#include "proto/graph_codec.h"
#include "run/accesses.h"
#include "run/runner.h"
#include "streamd/device_host.h"
#include "streamd/device_sim.h"
#include "streamd/flow_of.h"
#include "streamd/race_device.h"
#include "streamd/race_plan.h"
#include "streamd/verify.h"

struct settings {
	uint32_t runs;
	uint64_t seed;
	bool on_sim, spoils, may_race;
	uint32_t cores, queue; /* 0: the default */
};

struct subject {
	const char *file;
	struct sd_arena mem;
	struct sd_request *request;
	const struct sd_plan *plan;
	struct sd_flow flow;
	const char **name;
};

static unsigned passed, failed;

__attribute__((format(printf, 3, 4)))
static void tell(bool good, const char *file, const char *format, ...)
{
	va_list args;

	passed += good;
	failed += !good;
	printf("%s %u - %s: ", good ? "ok" : "not ok", passed + failed, file);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static void tell_diag(const struct subject *s, const char *what, const struct sd_diag *diag)
{
	struct sd_names names = sd_graph_names(&s->request->graph);
	char message[SD_MESSAGE_MAX];

	sd_diag_message(diag, &names, message, sizeof(message));
	tell(false, s->file, "%s: %s: %s", what, sd_code_text(diag->code), message);
}

/* ---- without a device ---- */

static enum sd_status accesses_of(void *arg, struct sd_arena *mem, const struct sd_visits *visits, const uint32_t **first,
                                  const struct sd_access **access, struct sd_diag *diag)
{
	struct subject *s = arg;
	struct sd_accesses accesses;

	SD_TRY(sd_accesses_of(mem, &s->request->graph, s->plan, &s->flow, visits, &accesses, diag));
	*first = accesses.first;
	*access = accesses.access;
	return SD_OK;
}

/* How many races the plan has by itself; UINT64_MAX: it cannot be issued at all. */
static uint64_t races_of(struct subject *s, const struct sd_plan *plan, char text[512], struct sd_diag *diag)
{
	struct sd_race_plan input = { plan, &s->flow, s->name, accesses_of, s };
	struct sd_race_check *check;
	uint64_t found = UINT64_MAX;
	uint32_t run;

	if (sd_race_check_create(&check) != SD_OK)
		abort();
	text[0] = '\0';
	if (sd_race_check_plan(&s->mem, &input, check, &run, diag) == SD_OK) {
		found = sd_race_count(check);
		if (found)
			sd_race_text(sd_race_at(check, 0), text, 512);
	}
	sd_race_check_destroy(check);
	return found;
}

/* A plan is made for a graph whose writes nothing orders, and warns of them. */
static bool may_race(const struct subject *s, const struct settings *set)
{
	const struct sd_plan *plan = s->plan;

	if (set->may_race)
		return true;
	for (uint32_t i = 0; i < plan->diagnostic_count; i++) {
		enum sd_code code = plan->diagnostic[i].code;

		if (code == SD_CODE_READ_OVERWRITTEN || code == SD_CODE_OVERWRITES_UNORDERED || code == SD_CODE_WRITES_UNORDERED)
			return true;
	}
	return false;
}

/* ---- spoilt plans ---- */

/* Whether another sync has the number, which then stays. */
static bool shares_number(const struct sd_plan *plan, uint32_t sync)
{
	for (uint32_t i = 0; i < plan->sync_count; i++) {
		if (i != sync && plan->sync[i].id == plan->sync[sync].id && plan->sync[i].kind == plan->sync[sync].kind)
			return true;
	}
	return false;
}

/* Numbers behind the one that went move up, those that nodes asked for too. */
static void close_gap(struct sd_arena *mem, const struct sd_sync *gone, struct sd_plan *left, struct sd_command *command, struct sd_sync *sync)
{
	bool event = gone->kind == SD_SYNC_EVENT;
	uint32_t count = event ? left->attached_event_count : left->attached_notify_count;
	uint32_t *asked = SD_NEW(mem, uint32_t, count + 1);

	for (uint32_t c = 0; c < left->command_count; c++) {
		bool is_of_kind = event ? command[c].kind == SD_RECORD || command[c].kind == SD_WAIT
		                        : command[c].kind == SD_NOTIFY_RECORD || command[c].kind == SD_NOTIFY_WAIT;

		command[c].arg -= is_of_kind && command[c].arg > gone->id;
	}
	for (uint32_t i = 0; i < left->sync_count; i++)
		sync[i].id -= sync[i].kind == gone->kind && sync[i].id > gone->id;
	for (uint32_t i = 0; i < count; i++) {
		asked[i] = (event ? left->attached_event : left->attached_notify)[i];
		asked[i] -= asked[i] > gone->id;
	}
	*(event ? &left->attached_event : &left->attached_notify) = asked;
	*(event ? &left->event_count : &left->notify_count) -= 1;
}

/* The plan without sync `gone`, all its counts and numbers true: `left` gets its tables. */
static void take_out(struct sd_arena *mem, const struct sd_plan *plan, uint32_t gone, struct sd_plan *left, struct sd_command *command,
                     struct sd_stream *stream, struct sd_sync *sync)
{
	const struct sd_sync *y = &plan->sync[gone];
	uint32_t count = 0, before_record = 0, before_wait = 0;

	*left = *plan;
	/* Of syncs that share a number the k-th record and the k-th wait of a stream are this one's. */
	for (uint32_t i = 0; i < gone; i++) {
		bool shares = plan->sync[i].id == y->id && plan->sync[i].kind == y->kind;

		before_record += shares && plan->sync[i].record_stream == y->record_stream;
		before_wait += shares && plan->sync[i].wait_stream == y->wait_stream;
	}
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		uint32_t first = count;

		for (uint32_t c = plan->stream[s].first_command; c < plan->stream[s].first_command + plan->stream[s].command_count; c++) {
			uint8_t record = y->kind == SD_SYNC_EVENT ? SD_RECORD : SD_NOTIFY_RECORD, wait = y->kind == SD_SYNC_EVENT ? SD_WAIT : SD_NOTIFY_WAIT;
			bool is_record = plan->command[c].kind == record && plan->command[c].arg == y->id && s == y->record_stream;
			bool is_wait = plan->command[c].kind == wait && plan->command[c].arg == y->id && s == y->wait_stream;

			if ((is_record && before_record-- == 0) || (is_wait && before_wait-- == 0))
				continue;
			command[count++] = plan->command[c];
		}
		stream[s] = plan->stream[s];
		stream[s].task_count -= (s == y->record_stream) + (s == y->wait_stream) * (y->kind == SD_SYNC_EVENT ? 2 : 1);
		stream[s].first_command = first;
		stream[s].command_count = count - first;
	}
	memcpy(sync, plan->sync, gone * sizeof(*sync));
	memcpy(sync + gone, plan->sync + gone + 1, (plan->sync_count - gone - 1) * sizeof(*sync));
	left->command = command;
	left->command_count = count;
	left->stream = stream;
	left->sync = sync;
	left->sync_count--;
	if (!shares_number(plan, gone))
		close_gap(mem, y, left, command, sync);
}

static bool judge_says(struct subject *s, const struct sd_plan *plan, enum sd_violation_kind kind)
{
	struct sd_verdict verdict = { 0 };

	if (sd_verify(&s->mem, s->request, plan, NULL, NULL, &verdict) != SD_OK)
		return false;
	for (uint32_t i = 0; i < verdict.count && i < SD_VIOLATIONS_MAX; i++) {
		if (verdict.violation[i].kind == kind)
			return true;
	}
	return false;
}

static void spoil(struct subject *s)
{
	const struct sd_plan *plan = s->plan;
	struct sd_command *command = SD_NEW(&s->mem, struct sd_command, plan->command_count + 1);
	struct sd_stream *stream = SD_NEW(&s->mem, struct sd_stream, plan->stream_count + 1);
	struct sd_sync *sync = SD_NEW(&s->mem, struct sd_sync, plan->sync_count + 1);
	uint32_t by_check = 0, by_judge = 0;

	for (uint32_t y = 0; y < plan->sync_count; y++) {
		struct sd_plan left;
		struct sd_diag diag = { 0 };
		char text[512];
		bool checked, judged;

		take_out(&s->mem, plan, y, &left, command, stream, sync);
		s->plan = &left;
		checked = races_of(s, &left, text, &diag) != 0;
		judged = judge_says(s, &left, SD_VIOLATION_UNORDERED) || judge_says(s, &left, SD_VIOLATION_LANE);
		s->plan = plan;
		by_check += checked;
		by_judge += judged;
		if (!checked && !judged)
			tell(false, s->file, "nobody notices that sync %u (cause %u) is gone", y, plan->sync[y].cause);
	}
	tell(true, s->file, "each of %u syncs taken out in turn: %u noticed by the check, %u by the judge", plan->sync_count, by_check, by_judge);
}

/* ---- on a device ---- */

static struct sd_device *open_device(const struct settings *set)
{
	struct sd_machine_model model;
	struct sd_device *device;
	struct sd_diag diag = { 0 };
	enum sd_status status;

	sd_machine_model_of(NULL, &model);
	model.cube_cores = set->cores ? set->cores : model.cube_cores;
	model.vector_cores = set->cores ? set->cores : model.vector_cores;
	status = set->on_sim ? sd_sim_open(&(struct sd_sim_options){ .model = &model, .tasks_per_stream_max = set->queue }, &device, &diag)
	                     : sd_host_open(&(struct sd_host_options){ .cores = 2, .has = { .has_huge = true } }, &device, &diag);
	if (status != SD_OK)
		abort();
	return device;
}

static bool run_once(struct subject *s, struct sd_runner *runner, uint64_t *edges)
{
	struct sd_edges_verdict verdict;
	struct sd_diag diag = { 0 };

	if (sd_runner_run(runner, &verdict, &diag) != SD_OK) {
		tell_diag(s, "run", &diag);
		return false;
	}
	*edges += verdict.edges;
	if (verdict.broken > 0)
		tell(false, s->file, "branch %u, turns %u, run %llu: %llu edges broken; first %s before %s", runner->options.branch, runner->options.turns,
		     (unsigned long long)runner->run, (unsigned long long)verdict.broken,
		     verdict.edge[0].before == SD_NO_NODE ? "(not seen)" : s->name[verdict.edge[0].before], s->name[verdict.edge[0].after]);
	return verdict.broken == 0;
}

static bool run_choice(struct subject *s, const struct settings *set, struct sd_run_options options, uint32_t runs, uint64_t *edges)
{
	struct sd_device *device = open_device(set), *checked;
	const struct sd_race_check *check;
	struct sd_arena mem;
	struct sd_runner runner;
	struct sd_diag diag = { 0 };
	char text[512];
	bool good, missed;

	sd_arena_init(&mem, 0);
	if (sd_race_device_open(device, &checked, &diag) != SD_OK)
		abort();
	good = sd_runner_open(&mem, s->request, s->plan, checked, &options, &runner, &diag) == SD_OK;
	if (!good)
		tell_diag(s, "load", &diag);
	for (uint32_t run = 0; good && run < runs; run++)
		good = run_once(s, &runner, edges);
	if (runner.model && sd_runner_close(&runner, &diag) != SD_OK)
		tell_diag(s, "unload", &diag);
	check = sd_race_device_check(checked, &missed);
	if (good && (missed || sd_race_count(check) > 0) && !may_race(s, set)) {
		sd_race_text(sd_race_at(check, 0), text, sizeof(text));
		tell(false, s->file, "branch %u, turns %u: %s", options.branch, options.turns, text);
		good = false;
	}
	checked->ops->close(checked);
	device->ops->close(device);
	sd_arena_finish(&mem);
	return good;
}

/* Bodies of the node that has most, and whether there are loops. */
static uint32_t most_bodies(const struct sd_flow *flow, bool *loops)
{
	uint32_t most = 1;

	*loops = false;
	for (uint32_t n = 0; n < flow->node_count; n++) {
		uint32_t bodies = flow->body_first[n + 1] - flow->body_first[n];

		*loops |= bodies > 0 && flow->kind[n] == SD_FLOW_LOOPS;
		if (bodies > most && flow->kind[n] == SD_FLOW_CHOOSES)
			most = bodies;
	}
	return most;
}

static void run_all(struct subject *s, const struct settings *set)
{
	bool loops, good = true;
	uint32_t bodies = most_bodies(&s->flow, &loops), ways = bodies * (loops ? 3 : 1), done = 0;
	uint64_t edges = 0;

	for (uint32_t w = 0; good && w < ways; w++) {
		uint32_t runs = set->runs / ways + (w < set->runs % ways);
		struct sd_run_options options = {
			.random = true, .seed = set->seed + w, .branch = w % bodies, .turns = loops ? w / bodies : 1, .checks_accesses = true, .timeout_ms = 60000,
		};

		good = run_choice(s, set, options, runs ? runs : 1, &edges);
		done += runs ? runs : 1;
	}
	if (good)
		tell(true, s->file, "%u runs of %u streams and %u syncs kept %llu edges", done, s->plan->stream_count, s->plan->sync_count,
		     (unsigned long long)edges);
}

static bool prepare(struct subject *s)
{
	struct sd_text bytes = local_read(&s->mem, s->file);
	struct sd_counts counts;
	struct sd_diag diag = { 0 };

	s->request = SD_NEW0(&s->mem, struct sd_request, 1);
	if (sd_request_count(bytes, &counts, &diag) != SD_OK || sd_request_decode(&s->mem, bytes, &counts, s->request, &diag) != SD_OK ||
	    sd_plan_make(&s->mem, s->request, NULL, &s->plan, &diag) != SD_OK) {
		tell(true, s->file, "refused with %s", sd_code_text(diag.code));
		return false;
	}
	if (sd_flow_of(&s->mem, &s->request->graph, s->plan, &s->flow, &diag) != SD_OK)
		abort();
	s->name = SD_NEW(&s->mem, const char *, s->plan->node_count + 1);
	for (uint32_t n = 0; n < s->plan->node_count; n++) {
		struct sd_text name = n < s->request->graph.node_count ? s->request->graph.name[n] : SD_TEXT("inserted");
		char *copy = sd_arena_alloc(&s->mem, name.len + 1);

		memcpy(copy, name.at, name.len);
		copy[name.len] = '\0';
		s->name[n] = copy;
	}
	return true;
}

static void try_file(const char *file, const struct settings *set)
{
	struct subject s = { .file = file };
	struct sd_diag diag = { 0 };
	char text[512];
	uint64_t found;

	sd_arena_init(&s.mem, 0);
	if (prepare(&s)) {
		found = races_of(&s, s.plan, text, &diag);
		if (found == UINT64_MAX)
			tell_diag(&s, "issue", &diag);
		else
			tell(found == 0 || may_race(&s, set), file, "without a device: %s", found ? text : "nothing is found");
		if (set->spoils)
			spoil(&s);
		if (set->runs > 0)
			run_all(&s, set);
	}
	sd_arena_finish(&s.mem);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "runs", required_argument, NULL, 'r' }, { "seed", required_argument, NULL, 's' }, { "device", required_argument, NULL, 'd' },
		{ "cores", required_argument, NULL, 'c' }, { "queue", required_argument, NULL, 'q' }, { "spoil", no_argument, NULL, 'x' },
		{ "may-race", no_argument, NULL, 'l' }, { 0 },
	};
	struct settings set = { .runs = 50, .seed = 1 };
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'r': set.runs = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 's': set.seed = strtoull(optarg, NULL, 10); break;
		case 'd': set.on_sim = strcmp(optarg, "sim") == 0; break;
		case 'c': set.cores = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'q': set.queue = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'l': set.may_race = true; break;
		case 'x': set.spoils = true; break;
		default: return 2;
		}
	}
	for (int i = optind; i < argc; i++)
		try_file(argv[i], &set);
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
