/* pool_sound_test - the recount sees each count that is wrong. */
#include "pool_world.h"

#include "pool_impl.h"

static void fill(void)
{
	open_pool(SHARED);
	ck_assert_int_eq(try_acquire(a, tasks(5, 5)), SD_OK);
	ck_assert_int_eq(try_acquire(b, tasks(6, 2)), SD_OK);
	release_one(grant[0].lease, false);
	ck_assert(sd_pool_is_sound(pool));
}

/* Each is wrong by one in a pool of its own. */
#define WRONG(figure)                          \
	do {                                   \
		fill();                        \
		(figure)++;                    \
		ck_assert(!sd_pool_is_sound(pool)); \
		(figure)--;                    \
		close_pool();                  \
	} while (0)

START_TEST(sees_wrong_counts)
{
	struct sd__slot *slot;

	WRONG(pool->idle_count);
	WRONG(pool->streams);
	WRONG(pool->huge_streams);
	WRONG(pool->events);
	WRONG(pool->notifies);
	WRONG(pool->created);
	WRONG(pool->destroyed);
	WRONG(pool->leases.live);
	WRONG(pool->models.live);
	WRONG(pool->domains.live);
	WRONG(pool->slots.live);
	WRONG(pool->first_model->lease_count);
	WRONG(pool->first_model->domain->models);
	WRONG(pool->first_model->domain->slots);
	for (int figure = 0; figure < 4; figure++) {
		fill();
		slot = pool->first_model->first->slot;
		slot->tenant_count += figure == 0;
		slot->tasks_held += figure == 1;
		slot->is_chosen = figure == 2;
		slot->least_load += figure == 3;
		ck_assert(!sd_pool_is_sound(pool));
		slot->tenant_count -= figure == 0;
		slot->tasks_held -= figure == 1;
		slot->is_chosen = false;
		slot->least_load -= figure == 3;
		close_pool();
	}
}
END_TEST

START_TEST(sees_a_lease_that_cannot_be_found)
{
	struct sd__lease **hash;

	fill();
	hash = pool->hash;
	pool->hash = calloc(pool->hash_size, sizeof(*hash));
	ck_assert_ptr_nonnull(pool->hash);
	ck_assert(!sd_pool_is_sound(pool));
	free(pool->hash);
	pool->hash = hash;
	close_pool();
}
END_TEST

RUN_TESTS("pool_sound", sees_wrong_counts, sees_a_lease_that_cannot_be_found)
