/* models_in_turn - models whose streams differ in priority, flags and task counts get as few streams as can be.
 *
 * usage: models_in_turn [ROUNDS]
 * Streams are counted by the stand-in libraries, which make them. A stream serves one kind (priority and
 * flags) only, and a model none of its streams twice: so there must be, of each kind, as many as the model
 * that wants most of it. That is what is made when models run one after the other, and when they share; without the pool, and
 * when all are there at once and none shares, it is the sum. First the same eight models each time, then ROUNDS
 * sets of models at random. Prints a TAP line for each way. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/random.h"
#include "standin_control.h"
#include "streamd/device_acl.h"
#include "streamd/device_cuda.h"
#include "streamd/reuse.h"

#define MODELS 8
#define KINDS 3
#define COUNT_MAX 5

enum way { IN_TURN, SHARED_AT_ONCE, EXCLUSIVE_AT_ONCE, WITHOUT_POOL, WAYS };
static const char *const way_name[WAYS] = { "one after the other", "at once, shared", "at once, each its own", "one after the other, without the pool" };

struct set {
	uint32_t models;
	struct sd_pool_want want[MODELS][KINDS];
};

static struct sd_device *device;
static struct standin_control standin;
static uint32_t own; /* streams of the device itself */

static void fail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static void open_device(bool is_cuda)
{
	static const struct sd_acl_options acl = { .library = ACL_STANDIN };
	static const struct sd_cuda_options cuda = { .library = CUDA_STANDIN };

	standin = standin_open(is_cuda ? CUDA_STANDIN : ACL_STANDIN);
	standin.standin_reset();
	if ((is_cuda ? sd_cuda_open(&cuda, &device, NULL) : sd_acl_open(&acl, &device, NULL)) != SD_OK)
		fail("no device");
	own = (uint32_t)standin.standin_created(STANDIN_STREAM);
}

static void close_device(void)
{
	device->ops->close(device);
	if (standin.standin_complaints())
		fail(standin.standin_complaint());
}

/* ---- what is to be ---- */

static uint32_t wanted_by(const struct sd_pool_want *want, int32_t priority, uint32_t flags)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < KINDS; k++)
		count += want[k].priority == priority && want[k].flags == flags ? want[k].count : 0;
	return count;
}

static uint32_t sum_of(const struct set *set)
{
	uint32_t sum = 0;

	for (uint32_t m = 0; m < set->models; m++)
		for (uint32_t k = 0; k < KINDS; k++)
			sum += set->want[m][k].count;
	return sum;
}

static uint32_t fewest(const struct set *set)
{
	uint32_t sum = 0;

	for (int32_t priority = SD_PRIORITY_MOST_URGENT; priority <= SD_PRIORITY_LEAST_URGENT; priority++)
		for (uint32_t flags = 0; flags <= SD_STREAM_FLAGS; flags++) {
			uint32_t most = 0;

			for (uint32_t m = 0; m < set->models; m++) {
				uint32_t count = wanted_by(set->want[m], priority, flags);

				most = count > most ? count : most;
			}
			sum += most;
		}
	return sum;
}

/* ---- what is ---- */

static sd_pool_id load(struct sd_reuse *reuse, const struct sd_pool_want *want)
{
	static const enum sd_reuse_role role[KINDS] = { SD_REUSE_LOGICAL, SD_REUSE_EXECUTION, SD_REUSE_FOLLOW };
	struct sd_reuse_stream stream[KINDS * COUNT_MAX];
	struct sd_pool_shortfall shortfall;
	sd_pool_id model;

	if (sd_reuse_add_model(reuse, SD_TEXT("all"), &model, NULL) != SD_OK ||
	    sd_reuse_acquire(reuse, model, want, role, KINDS, stream, &shortfall, NULL) != SD_OK)
		fail("a model cannot be loaded");
	return model;
}

static void unload(struct sd_reuse *reuse, sd_pool_id model)
{
	if (sd_reuse_unbound(reuse, model, NULL) != SD_OK || sd_reuse_remove_model(reuse, model, NULL) != SD_OK)
		fail("a model cannot be unloaded");
}

static void run_without_pool(const struct sd_pool_want *want)
{
	sd_handle stream[KINDS * COUNT_MAX];
	uint32_t count = 0;

	for (uint32_t k = 0; k < KINDS; k++)
		for (uint32_t i = 0; i < want[k].count; i++) {
			int32_t rt_id;

			if (device->ops->stream_create(device, want[k].priority, want[k].flags, &stream[count++], &rt_id, NULL) != SD_OK)
				fail("a stream cannot be made");
		}
	for (uint32_t i = 0; i < count; i++)
		if (device->ops->stream_destroy(device, stream[i], false, NULL) != SD_OK)
			fail("a stream cannot be destroyed");
}

static uint32_t made(const struct set *set, enum way way, bool is_cuda)
{
	struct sd_pool_limits limits = { .mode = way == SHARED_AT_ONCE ? SD_POOL_SHARED : SD_POOL_EXCLUSIVE, .keeps_idle = true };
	struct sd_reuse *reuse;
	sd_pool_id model[MODELS];
	uint32_t count;

	open_device(is_cuda);
	if (sd_reuse_create(&reuse, device, &limits, NULL) != SD_OK)
		fail("no books");
	for (uint32_t m = 0; m < set->models; m++) {
		if (way == WITHOUT_POOL)
			run_without_pool(set->want[m]);
		else
			model[m] = load(reuse, set->want[m]);
		if (way == IN_TURN)
			unload(reuse, model[m]);
	}
	count = (uint32_t)standin.standin_created(STANDIN_STREAM) - own;
	for (uint32_t m = 0; m < set->models && (way == SHARED_AT_ONCE || way == EXCLUSIVE_AT_ONCE); m++)
		unload(reuse, model[m]);
	sd_reuse_destroy(reuse);
	close_device();
	return count;
}

static uint32_t expected(const struct set *set, enum way way)
{
	return way == IN_TURN || way == SHARED_AT_ONCE ? fewest(set) : sum_of(set);
}

/* ---- sets ---- */

static void eight_models(struct set *set)
{
	static const uint32_t flags[] = { 0, SD_STREAM_FORCE_COPY, SD_STREAM_FAST_SYNC };

	set->models = MODELS;
	for (uint32_t m = 0; m < MODELS; m++)
		for (uint32_t k = 0; k < KINDS; k++)
			set->want[m][k] = (struct sd_pool_want){ .priority = (int32_t)((m + k) % 2), .flags = flags[(m * 2 + k) % 3], .task_count = 10 + 37 * m + k,
				                                 .count = 1 + (m * 5 + k * 3) % 4 };
}

static void random_models(struct set *set, uint32_t *state)
{
	static const uint32_t flags[] = { 0, SD_STREAM_PERSISTENT, SD_STREAM_FORCE_COPY, SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY, SD_STREAM_FAST_SYNC };

	set->models = 1 + random_below(state, MODELS);
	for (uint32_t m = 0; m < set->models; m++)
		for (uint32_t k = 0; k < KINDS; k++)
			set->want[m][k] = (struct sd_pool_want){ .priority = (int32_t)random_below(state, 8), .flags = flags[random_below(state, 5)],
				                                 .task_count = random_below(state, 2000), .count = random_below(state, COUNT_MAX + 1) };
}

static bool is_right(const struct set *set, enum way way, bool is_cuda)
{
	uint32_t count = made(set, way, is_cuda);

	if (count == expected(set, way))
		return true;
	printf("# %u streams made, %u expected\n", count, expected(set, way));
	return false;
}

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 40, number = 0, failed = 0, state = 2027;
	struct set set;

	eight_models(&set);
	for (uint32_t is_cuda = 0; is_cuda < 2; is_cuda++) {
		printf("# %s: %u models one after the other: %u streams made with the pool, %u without it; %u at least\n", is_cuda ? "cuda" : "acl", set.models,
		       made(&set, IN_TURN, is_cuda), made(&set, WITHOUT_POOL, is_cuda), fewest(&set));
		for (enum way way = 0; way < WAYS; way++) {
			bool well = is_right(&set, way, is_cuda);

			failed += !well;
			printf("%s %u - %s: eight models %s\n", well ? "ok" : "not ok", ++number, is_cuda ? "cuda" : "acl", way_name[way]);
		}
	}
	for (enum way way = 0; way < WAYS; way++) {
		bool well = true;

		for (uint32_t i = 0; i < rounds && well; i++) {
			random_models(&set, &state);
			well = is_right(&set, way, i % 2);
		}
		failed += !well;
		printf("%s %u - %u sets of models at random %s\n", well ? "ok" : "not ok", ++number, rounds, way_name[way]);
	}
	printf("1..%u\n", number);
	return failed ? 1 : 0;
}
