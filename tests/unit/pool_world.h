/* pool_world.h - a pool with models a and b of one domain and one of another, for its tests. */
#ifndef SD_POOL_WORLD_H
#define SD_POOL_WORLD_H

#include "run_tests.h"

#include "streamd/device.h"
#include "streamd/pool.h"

#define GRANTS 600

static struct sd_pool *pool;
static sd_pool_id a, b, other; /* other: of another domain */
static struct sd_pool_grant grant[GRANTS];
static struct sd_pool_shortfall shortfall;
static struct sd_diag diag;

static inline sd_pool_id add_model(const char *domain)
{
	sd_pool_id model;
	uint32_t number;

	ck_assert_int_eq(sd_pool_domain(pool, (struct sd_text){ domain, (uint32_t)strlen(domain) }, &number), SD_OK);
	ck_assert_int_eq(sd_pool_add_model(pool, number, NULL, &model), SD_OK);
	return model;
}

static inline void open_pool(struct sd_pool_limits limits)
{
	ck_assert_int_eq(sd_pool_create(&pool, &limits), SD_OK);
	a = add_model("one");
	b = add_model("one");
	other = add_model("two");
}

static inline void close_pool(void)
{
	ck_assert(sd_pool_is_sound(pool));
	sd_pool_destroy(pool);
}

static inline enum sd_status try_acquire(sd_pool_id model, struct sd_pool_want want)
{
	diag = (struct sd_diag){ 0 };
	return sd_pool_acquire(pool, model, &want, 1, 0, 0, grant, &shortfall, &diag);
}

static inline struct sd_pool_want tasks(int64_t task_count, uint32_t count)
{
	return (struct sd_pool_want){ .task_count = task_count, .count = count };
}

/* One slot of so many tasks. */
static inline struct sd_pool_grant acquire_one(sd_pool_id model, int64_t task_count)
{
	ck_assert_int_eq(try_acquire(model, tasks(task_count, 1)), SD_OK);
	return grant[0];
}

static inline struct sd_pool_parting release_one(sd_pool_id lease, bool is_broken)
{
	struct sd_pool_parting parting;

	ck_assert_int_eq(sd_pool_release(pool, lease, is_broken, &parting, NULL), SD_OK);
	return parting;
}

static inline struct sd_pool_stats stats_now(void)
{
	struct sd_pool_stats stats;

	sd_pool_stats(pool, &stats);
	return stats;
}

#define SHARED ((struct sd_pool_limits){ .mode = SD_POOL_SHARED, .keeps_idle = true })
#define EXCLUSIVE ((struct sd_pool_limits){ .mode = SD_POOL_EXCLUSIVE, .keeps_idle = true })

#endif
