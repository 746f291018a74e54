/* reuse_acquire_test - streams that models share: how many are made, by many threads, and when calls of the device fail. */
#include "vendor_world.h"

#include <pthread.h>
#include <stdatomic.h>

#include "streamd/reuse.h"

#define MODELS 8
#define KINDS 3

static struct sd_reuse *reuse;
static const enum sd_reuse_role roles[KINDS] = { SD_REUSE_LOGICAL, SD_REUSE_EXECUTION, SD_REUSE_FOLLOW };

static void begin_reuse(enum sd_pool_mode mode)
{
	struct sd_pool_limits limits = { .streams_max = 1984, .tasks_max = 2013, .mode = mode, .keeps_idle = true };

	begin_acl();
	OK(sd_reuse_create(&reuse, device, &limits, &diag));
}

static void end_reuse(void)
{
	sd_reuse_destroy(reuse);
	end_well();
}

/* What model `m` wants: kinds differ in priority, flags, task count and number. */
static void wants_of(int m, struct sd_pool_want *want)
{
	static const uint32_t flags[] = { 0, SD_STREAM_FORCE_COPY, SD_STREAM_FAST_SYNC };

	for (int k = 0; k < KINDS; k++)
		want[k] = (struct sd_pool_want){ .priority = (m + k) % 2, .flags = flags[(m * 2 + k) % 3], .task_count = 10 + 37 * m + k, .count = (uint32_t)(1 + (m * 5 + k * 3) % 4) };
}

static uint32_t slots_of(const struct sd_pool_want *want)
{
	uint32_t count = 0;

	for (int k = 0; k < KINDS; k++)
		count += want[k].count;
	return count;
}

/* In turn nobody shares: of each key there must be as many as the most demanding model holds of it. */
static uint32_t fewest(void)
{
	struct sd_pool_want all[MODELS][KINDS];
	uint32_t sum = 0;

	for (int m = 0; m < MODELS; m++)
		wants_of(m, all[m]);
	for (int32_t priority = 0; priority <= 7; priority++)
		for (uint32_t flags = 0; flags < 0x1000; flags++) {
			uint32_t most = 0;

			for (int m = 0; m < MODELS; m++) {
				uint32_t held = 0;

				for (int k = 0; k < KINDS; k++)
					held += all[m][k].priority == priority && all[m][k].flags == flags ? all[m][k].count : 0;
				most = held > most ? held : most;
			}
			sum += most;
		}
	return sum;
}

START_TEST(models_in_turn)
{
	struct sd_reuse_stats stats;
	uint32_t sum = 0;

	begin_reuse(SD_POOL_EXCLUSIVE);
	for (int m = 0; m < MODELS; m++) {
		struct sd_reuse_stream stream[KINDS * 4];
		struct sd_pool_shortfall shortfall;
		struct sd_pool_want want[KINDS];
		sd_pool_id model;

		wants_of(m, want);
		sum += slots_of(want);
		OK(sd_reuse_add_model(reuse, SD_TEXT("all"), &model, &diag));
		OK(sd_reuse_acquire(reuse, model, want, roles, KINDS, stream, &shortfall, &diag));
		for (uint32_t i = 0; i < slots_of(want); i++)
			for (uint32_t j = 0; j < i; j++)
				ck_assert_uint_ne(stream[i].stream, stream[j].stream);
		FAILS(sd_reuse_remove_model(reuse, model, &diag), STILL_BOUND);
		OK(sd_reuse_unbound(reuse, model, &diag));
		OK(sd_reuse_remove_model(reuse, model, &diag));
	}
	printf("# %d models in turn: %llu streams made with the pool, %u without it, %u at least\n", MODELS,
	       (unsigned long long)standin.standin_created(STANDIN_STREAM), sum, fewest());
	ck_assert_uint_eq(standin.standin_created(STANDIN_STREAM), fewest());
	ck_assert_uint_lt(fewest(), sum);
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.streams, fewest());
	ck_assert_uint_eq(stats.pool.leases, 0);
	ck_assert_uint_eq(sd_reuse_trim(reuse, 2), fewest() - 2);
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 2);
	end_reuse();
}
END_TEST

#ifndef ROUNDS
#define ROUNDS 10000
#endif
static atomic_int failures;

static void *load_often(void *arg)
{
	const struct sd_pool_want want = { .priority = 0, .task_count = 3, .count = 2 };
	struct sd_diag own = { 0 };
	sd_pool_id model;

	if (sd_reuse_add_model(reuse, SD_TEXT("all"), &model, &own) != SD_OK)
		atomic_fetch_add(&failures, 1);
	for (int i = 0; i < ROUNDS; i++) {
		struct sd_reuse_stream stream[2];
		struct sd_pool_shortfall shortfall;

		if (sd_reuse_acquire(reuse, model, &want, roles, 1, stream, &shortfall, &own) != SD_OK || stream[0].stream == stream[1].stream ||
		    sd_reuse_release(reuse, stream[0].lease, i % 500 == 499, &own) != SD_OK || sd_reuse_release(reuse, stream[1].lease, false, &own) != SD_OK)
			atomic_fetch_add(&failures, 1);
		if (i % 1000 == 999)
			sd_reuse_trim(reuse, 1);
	}
	sd_reuse_unbound(reuse, model, &own);
	if (sd_reuse_remove_model(reuse, model, &own) != SD_OK)
		atomic_fetch_add(&failures, 1);
	return NULL;
}

static void by_many_threads(enum sd_pool_mode mode)
{
	pthread_t thread[8];
	struct sd_reuse_stats stats;

	begin_reuse(mode);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, load_often, NULL), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(failures, 0);
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.pool.leases, 0);
	ck_assert_uint_eq(stats.pool.slots, stats.streams);
	ck_assert_uint_eq(stats.streams, standin.standin_live(STANDIN_STREAM));
	ck_assert_uint_eq(stats.streams_left, 0);
	end_reuse();
}

START_TEST(many_threads_exclusive)
{
	by_many_threads(SD_POOL_EXCLUSIVE);
}
END_TEST

START_TEST(many_threads_shared)
{
	by_many_threads(SD_POOL_SHARED);
}
END_TEST

/* Loads, runs and unloads two models; what fails on the way is passed over. */
static void story(void)
{
	struct sd_reuse_stream stream[KINDS * 4];
	struct sd_pool_shortfall shortfall;
	struct sd_pool_want want[KINDS];

	for (int m = 0; m < 2; m++) {
		sd_pool_id model;

		wants_of(m, want);
		OK(sd_reuse_add_model(reuse, SD_TEXT("all"), &model, &diag));
		if (sd_reuse_acquire(reuse, model, want, roles, KINDS, stream, &shortfall, NULL) == SD_OK) {
			device->ops->stream_synchronize(device, stream[0].stream, SD_FOR_EVER, NULL);
			sd_reuse_release(reuse, stream[0].lease, m, NULL);
		}
		OK(sd_reuse_unbound(reuse, model, &diag));
		sd_reuse_remove_model(reuse, model, NULL);
	}
	sd_reuse_trim(reuse, 0);
}

/* Every call of the device fails once: no stream, lease or slot is lost. */
START_TEST(each_call_fails_once)
{
	uint64_t k = 0, calls = 1;

	while (++k <= calls) {
		struct sd_reuse_stats stats;
		uint64_t before;

		begin_reuse(SD_POOL_EXCLUSIVE);
		before = standin.standin_calls(NULL);
		standin.standin_fail(NULL, k, 207008, NULL);
		story();
		calls = standin.standin_calls(NULL) - before;
		standin.standin_fail(NULL, 0, 0, NULL);
		sd_reuse_trim(reuse, 0);
		sd_reuse_stats(reuse, &stats);
		ck_assert_msg(stats.streams == 0 && stats.pool.slots == 0 && stats.pool.leases == 0 && stats.pool.models == 0, "call %llu", (unsigned long long)k);
		ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 0);
		end_reuse();
	}
	ck_assert_uint_gt(k, 20);
	printf("# %llu calls of the device, each failed once\n", (unsigned long long)k - 1);
}
END_TEST

/* Idle streams of other keys give way where the device has no room. */
START_TEST(idle_streams_give_way)
{
	struct sd_pool_limits limits = { .streams_max = 2, .keeps_idle = true };
	struct sd_pool_want want = { .count = 2 };
	struct sd_reuse_stream stream[2];
	struct sd_pool_shortfall shortfall;
	sd_pool_id model;

	begin_acl();
	OK(sd_reuse_create(&reuse, device, &limits, &diag));
	for (int priority = 0; priority < 2; priority++) {
		want.priority = priority;
		OK(sd_reuse_add_model(reuse, SD_TEXT("all"), &model, &diag));
		OK(sd_reuse_acquire(reuse, model, &want, roles, 1, stream, &shortfall, &diag));
		OK(sd_reuse_unbound(reuse, model, &diag));
		if (priority == 0)
			OK(sd_reuse_remove_model(reuse, model, &diag));
	}
	ck_assert_uint_eq(standin.standin_created(STANDIN_STREAM), 4);
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 2);
	want.priority = 5;
	OK(sd_reuse_add_model(reuse, SD_TEXT("all"), &model, &diag));
	ck_assert_int_eq(sd_reuse_acquire(reuse, model, &want, roles, 1, stream, &shortfall, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_uint_eq(shortfall.needed, 2);
	end_reuse();
}
END_TEST

RUN_TESTS("reuse_acquire", models_in_turn, many_threads_exclusive, many_threads_shared, each_call_fails_once, idle_streams_give_way)
