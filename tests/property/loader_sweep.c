/* loader_sweep - whatever fails while a plan is loaded, run and unloaded: nothing is lost, and loading again works.
 *
 * usage: loader_sweep [--quick] FILE...
 * The plan of each request lives a short life on a device: loaded, run twice, unloaded. The same life is played again and
 * again, with its first allocation failing, its second, and so on; then with each call of the device failing; then each
 * task. After that nothing is left on the device or in the books of the pool, and the plan is loaded again, runs, and keeps
 * every edge. On the simulated device and on threads, with streams of the device itself and of a pool; on
 * stand-ins of Ascend's library and of CUDA's driver each of their functions fails. --quick plays every fifth life. One TAP line for each sweep. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/failing_device.h"
#include "lib/failing_memory.h"
#include "lib/local.h"
#include "proto/graph_codec.h"
#include "run/runner.h"
#include "standin_control.h"
#include "streamd/device_acl.h"
#include "streamd/device_cuda.h"
#include "streamd/device_host.h"
#include "streamd/device_sim.h"
#include "streamd/pool_source.h"

enum backend { ON_SIM, ON_HOST, ON_ACL, ON_CUDA };
enum sweep { ALLOCATIONS, CALLS, CALLS_SHORT, TASKS, LIBRARY, SWEEPS };

struct subject {
	const char *file;
	struct sd_arena mem;
	struct sd_request request;
	const struct sd_plan *plan;
};

/* A way to live: where, with whose streams, and what fails. */
struct way {
	const struct subject *subject;
	enum backend backend;
	bool pooled;
	enum sweep sweep;
	unsigned k; /* which one fails, from 1; 0: none does */
};

static struct standin_control standins[2], standin; /* of Ascend, of CUDA; the one that is lived on */
static unsigned tests, bad, step = 1;

/* What went wrong in this life. */
static char trouble[SD_MESSAGE_MAX + 128];

__attribute__((format(printf, 1, 2)))
static bool wrong(const char *format, ...)
{
	va_list args;

	if (trouble[0] == '\0') {
		va_start(args, format);
		vsnprintf(trouble, sizeof(trouble), format, args);
		va_end(args);
	}
	return false;
}

static bool wrong_diag(const char *what, const struct sd_diag *diag)
{
	char message[SD_MESSAGE_MAX];

	sd_diag_message(diag, NULL, message, sizeof(message));
	return wrong("%s: %s", what, message);
}

/* ---- the device ---- */

static bool is_library(const struct way *way)
{
	return way->backend >= ON_ACL;
}

/* Streams that run at once what they are given: on Ascend those of a model wait for it. */
static enum sd_status acquire_plain(void *arg, const struct sd_stream_want *want, uint32_t count, sd_handle *stream, struct sd_diag *diag)
{
	struct sd_device *device = arg;
	int32_t rt_id;

	for (uint32_t i = 0; i < count; i++) {
		enum sd_status status = device->ops->stream_create(device, want[i].priority, 0, &stream[i], &rt_id, diag);

		if (status == SD_OK)
			continue;
		while (i-- > 0) {
			if (device->ops->stream_destroy(device, stream[i], true, NULL) != SD_OK)
				device->ops->stream_destroy(device, stream[i], true, NULL);
		}
		return status;
	}
	return SD_OK;
}

static enum sd_status release_plain(void *arg, sd_handle stream, bool is_broken, struct sd_diag *diag)
{
	struct sd_device *device = arg;

	return device->ops->stream_destroy(device, stream, is_broken, diag);
}

static void work(void *arg)
{
}

static enum sd_status open_backend(const struct way *way, struct sd_device **device)
{
	const struct sd_sim_fault fault = { .call = SD_SIM_TASK, .first = way->k };
	const struct sd_sim_options sim = { .faults = &fault, .fault_count = way->sweep == TASKS && way->k };
	const struct sd_host_options host = { .cores = 1, .fault = { .task = way->sweep == TASKS ? way->k : 0 } };
	const struct sd_acl_options acl = { .library = ACL_STANDIN, .busy_wait_ms = 1, .has = { .tasks_per_stream_max = 2013 } };
	const struct sd_cuda_options cuda = { .library = CUDA_STANDIN, .has = { .tasks_per_stream_max = 2013 } };

	switch (way->backend) {
	case ON_SIM: return sd_sim_open(&sim, device, NULL);
	case ON_HOST: return sd_host_open(&host, device, NULL);
	case ON_ACL:
	case ON_CUDA: break;
	}
	standin = standins[way->backend == ON_CUDA];
	standin.standin_reset();
	return way->backend == ON_ACL ? sd_acl_open(&acl, device, NULL) : sd_cuda_open(&cuda, device, NULL);
}

/* ---- a life ---- */

struct life {
	const struct way *way;
	struct sd_device *inner, *device;
	struct sd_reuse *reuse;
	struct sd_stream_source plain;
	unsigned failures;  /* of loads, runs and unloads */
	uint32_t own_streams; /* that the device has for itself */
};

static void what_is_used(struct life *life, struct sd_device_facts *facts)
{
	life->inner->ops->facts(life->inner, facts);
	if (is_library(life->way)) { /* not what it says of itself */
		facts->streams_used = standin.standin_live(STANDIN_STREAM) - life->own_streams;
		facts->events_used = standin.standin_live(STANDIN_EVENT);
		facts->notifies_used = standin.standin_live(STANDIN_NOTIFY);
	}
}

/* Between two models: whatever is there is idle and in the books. */
static bool nothing_is_lost(struct life *life)
{
	struct sd_device_facts facts;
	struct sd_reuse_stats stats;

	what_is_used(life, &facts);
	if (facts.events_used || (facts.notifies_used && !is_library(life->way)))
		return wrong("%u events and %u notifies are left on the device", facts.events_used, facts.notifies_used);
	if (!life->reuse)
		return facts.streams_used == 0 || wrong("%u streams are left on the device", facts.streams_used);
	sd_reuse_stats(life->reuse, &stats);
	if (stats.pool.leases || stats.pool.models || stats.pool.slots != stats.pool.slots_idle)
		return wrong("%u leases, %u models, %u slots of which %u are idle are left in the pool", stats.pool.leases, stats.pool.models, stats.pool.slots,
		             stats.pool.slots_idle);
	if (stats.streams != stats.pool.slots + stats.streams_left || stats.streams != facts.streams_used)
		return wrong("%u slots, %u streams and %u left in the books, %u on the device", stats.pool.slots, stats.streams, stats.streams_left, facts.streams_used);
	return true;
}

static bool run_well(struct life *life, struct sd_runner *runner, struct sd_diag *diag)
{
	for (int run = 0; run < 2; run++) {
		struct sd_edges_verdict verdict;

		if (sd_runner_run(runner, &verdict, diag) != SD_OK)
			return false;
		if (verdict.broken > 0) {
			SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("an edge is broken"));
			return false;
		}
	}
	return true;
}

/* Load, run, unload; false: something failed, and all that was taken is given back. */
static bool live_model(struct life *life, const struct sd_stream_source *source, struct sd_diag *diag)
{
	struct sd_run_options options = { .branch = 1, .turns = 2, .timeout_ms = 20000, .source = source };
	struct sd_runner runner = { .model = NULL };
	struct sd_arena mem;
	bool well;

	options.work = is_library(life->way) ? work : NULL;
	sd_arena_init(&mem, 0);
	well = sd_runner_open(&mem, &life->way->subject->request, life->way->subject->plan, life->device, &options, &runner, diag) == SD_OK &&
	       run_well(life, &runner, diag);
	if (runner.model && sd_model_unload(&runner.model, well ? diag : NULL) != SD_OK) {
		well = false;
		if (sd_model_unload(&runner.model, diag) != SD_OK)
			wrong_diag("unloading fails twice", diag);
	}
	sd_arena_finish(&mem);
	return well;
}

static bool live_once(struct life *life, struct sd_diag *diag)
{
	struct sd_pool_source *source = NULL;
	bool well;

	if (!life->reuse)
		return live_model(life, is_library(life->way) ? &life->plain : NULL, diag);
	if (sd_pool_source_open(life->reuse, SD_TEXT("test"), &source, diag) != SD_OK)
		return false;
	well = live_model(life, sd_pool_source_streams(source), diag);
	return sd_pool_source_close(source, well ? diag : NULL) == SD_OK && well;
}

/* A failure that is not made good by a second call is told. A pool destroys its streams later, when nobody asks any more. */
static bool is_noticed(const struct life *life)
{
	const struct way *way = life->way;

	if (way->k == 0 || (way->sweep != TASKS && way->sweep != CALLS))
		return life->failures <= 1;
	return life->failures == 1 || (way->sweep == CALLS && way->pooled && failing.calls < way->k);
}

static bool live_on(struct life *life)
{
	for (int attempt = 0; attempt < 3; attempt++) {
		struct sd_diag diag = { 0 };
		bool well = live_once(life, &diag);

		if (!nothing_is_lost(life))
			return false;
		life->failures += !well;
		if (!well && life->failures > 1)
			return wrong_diag("it fails a second time", &diag);
	}
	return is_noticed(life) || wrong("nobody was told of it");
}

static bool open_pool(struct life *life)
{
	struct sd_pool_limits limits = { .has_huge = true, .keeps_idle = true };

	return sd_reuse_create(&life->reuse, life->device, &limits, NULL) == SD_OK || sd_reuse_create(&life->reuse, life->device, &limits, NULL) == SD_OK;
}

/* With the last stream gone the device is as new. */
static bool end_pool(struct life *life)
{
	struct sd_device_facts facts;

	sd_reuse_trim(life->reuse, 0);
	sd_reuse_trim(life->reuse, 0);
	sd_reuse_destroy(life->reuse);
	what_is_used(life, &facts);
	return facts.streams_used == 0 || wrong("%u streams are left behind the pool", facts.streams_used);
}

static bool counts_agree(struct life *life)
{
	struct sd_device_facts f;

	life->inner->ops->facts(life->inner, &f);
	return (f.streams_created == f.streams_destroyed && f.events_created == f.events_destroyed && f.notifies_created == f.notifies_destroyed) ||
	       wrong("%llu of %llu streams, %llu of %llu events, %llu of %llu notifies were destroyed", (unsigned long long)f.streams_destroyed,
	             (unsigned long long)f.streams_created, (unsigned long long)f.events_destroyed, (unsigned long long)f.events_created,
	             (unsigned long long)f.notifies_destroyed, (unsigned long long)f.notifies_created);
}

static bool library_is_content(void)
{
	for (int kind = 0; kind < STANDIN_KINDS; kind++) {
		if (standin.standin_live(kind))
			return wrong("%u objects of kind %d are left in the library", standin.standin_live(kind), kind);
	}
	return standin.standin_complaints() == 0 || wrong("the library complains: %s", standin.standin_complaint());
}

static bool live(const struct way *way)
{
	struct life life = { .way = way };
	bool well;

	trouble[0] = '\0';
	if (open_backend(way, &life.inner) != SD_OK && open_backend(way, &life.inner) != SD_OK)
		return wrong("no device");
	life.own_streams = is_library(way) ? standin.standin_live(STANDIN_STREAM) : 0;
	if (way->sweep == LIBRARY)
		standin.standin_fail(way->k ? NULL : "none", way->k, way->backend == ON_ACL ? 507000 : 999, "the test lets this call fail");
	life.device = failing_device(life.inner, way->sweep == CALLS || way->sweep == CALLS_SHORT ? way->k : 0,
	                             way->sweep == CALLS_SHORT ? SD_RESOURCE_EXHAUSTED : SD_INTERNAL);
	life.plain = (struct sd_stream_source){ acquire_plain, release_plain, life.device };
	well = (!way->pooled || open_pool(&life) || wrong("no pool")) && live_on(&life);
	if (life.reuse)
		well = end_pool(&life) && well;
	well = counts_agree(&life) && well;
	life.inner->ops->close(life.inner);
	return (!is_library(way) || library_is_content()) && well;
}

/* ---- sweeps ---- */

static const char *const sweep_name[SWEEPS] = { "allocations", "calls of the device", "calls of the device, as if short of something", "tasks", "calls of the library" };

/* How many things of its kind a life has in which none fails. */
static unsigned count_of(struct way *way)
{
	unsigned tasks = 0;

	way->k = 0;
	atomic_store(&fail_at, 0);
	atomic_store(&calls, 0);
	if (!live(way)) {
		printf("#   %s: nothing fails, and %s\n", way->subject->file, trouble);
		return 0;
	}
	for (uint32_t c = 0; c < way->subject->plan->command_count; c++)
		tasks += way->subject->plan->command[c].kind == SD_LAUNCH;
	switch (way->sweep) {
	case ALLOCATIONS: return atomic_load(&calls);
	case CALLS:
	case CALLS_SHORT: return failing.calls;
	case TASKS: return tasks;
	case LIBRARY:
	case SWEEPS: break;
	}
	return (unsigned)standin.standin_calls(NULL);
}

static void sweep(struct way way)
{
	static const char *const backend[] = { "the simulated device", "threads", "Ascend's library", "CUDA's driver" };
	unsigned total = count_of(&way), troubles = 0, lives = 0;

	for (unsigned k = 1; k <= total; k += step) {
		way.k = k;
		atomic_store(&calls, 0);
		atomic_store(&fail_at, way.sweep == ALLOCATIONS ? k : 0);
		lives++;
		if (!live(&way)) {
			atomic_store(&fail_at, 0);
			if (troubles++ < 5)
				printf("#   %u of %s fails%s%s: %s\n", k, sweep_name[way.sweep], failing.failed && *failing.failed ? ", " : "", failing.failed, trouble);
		}
	}
	atomic_store(&fail_at, 0);
	bad += total == 0 || troubles > 0;
	printf("%s %u - %s: %u %s on %s, streams of %s: %u lives\n", total && !troubles ? "ok" : "not ok", ++tests, way.subject->file, total, sweep_name[way.sweep],
	       backend[way.backend], way.pooled ? "a pool" : "its own", lives);
}

static bool prepare(struct subject *s)
{
	struct sd_text bytes = local_read(&s->mem, s->file);
	struct sd_counts counts;
	struct sd_diag diag = { 0 };

	return sd_request_count(bytes, &counts, &diag) == SD_OK && sd_request_decode(&s->mem, bytes, &counts, &s->request, &diag) == SD_OK &&
	       sd_plan_make(&s->mem, &s->request, NULL, &s->plan, &diag) == SD_OK;
}

static void sweep_file(const char *file)
{
	struct subject s = { .file = file };

	sd_arena_init(&s.mem, 0);
	if (!prepare(&s)) {
		printf("not ok %u - %s: no plan\n", ++tests, file);
		bad++;
	}
	for (enum backend backend = ON_SIM; s.plan && backend <= ON_CUDA; backend++) {
		for (int pooled = 0; pooled < (backend == ON_ACL ? 1 : 2); pooled++) {
			for (enum sweep what = ALLOCATIONS; what < SWEEPS; what++) {
				if ((what == LIBRARY) == (backend >= ON_ACL))
					sweep((struct way){ &s, backend, pooled, what, 0 });
			}
		}
	}
	sd_arena_finish(&s.mem);
}

int main(int argc, char **argv)
{
	standins[0] = standin_open(ACL_STANDIN);
	standins[1] = standin_open(CUDA_STANDIN);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--quick") == 0)
			step = 5;
		else
			sweep_file(argv[i]);
	}
	printf("1..%u\n", tests);
	return bad ? 1 : 0;
}
