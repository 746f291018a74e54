/* pool_facts_test - what the pool tells: figures, and everything in a fixed order. */
#include "pool_world.h"

START_TEST(a_slot_is_described_by_lease_and_by_number)
{
	struct sd_pool_slot_facts facts;
	struct sd_pool_grant first;

	open_pool(SHARED);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .priority = 3, .flags = 1, .task_count = 7, .count = 1 }), SD_OK);
	first = grant[0];
	ck_assert_int_eq(sd_pool_describe(pool, first.lease, &facts, NULL), SD_OK);
	ck_assert_uint_eq(facts.slot, first.slot);
	ck_assert_int_eq(sd_pool_describe(pool, first.slot, &facts, NULL), SD_OK);
	ck_assert_int_eq(facts.key.priority, 3);
	ck_assert_uint_eq(facts.key.flags, 1);
	ck_assert_int_eq(facts.task_count, 7);
	ck_assert_uint_eq(facts.tenants, 1);
	release_one(first.lease, false);
	ck_assert_int_eq(sd_pool_describe(pool, first.lease, &facts, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_describe(pool, first.slot, &facts, NULL), SD_OK);
	ck_assert_uint_eq(facts.tenants, 0);
	ck_assert_int_eq(sd_pool_describe(pool, 4711, &facts, NULL), SD_NOT_FOUND);
	ck_assert_int_eq(sd_pool_describe(pool, a, &facts, NULL), SD_NOT_FOUND);
	close_pool();
}
END_TEST

START_TEST(a_lease_knows_its_model)
{
	struct sd_pool_model_facts facts;
	sd_pool_id lease;

	open_pool(SHARED);
	lease = acquire_one(b, 0).lease;
	ck_assert_int_eq(sd_pool_lease_model(pool, lease, &facts, NULL), SD_OK);
	ck_assert_uint_eq(facts.model, b);
	release_one(lease, false);
	ck_assert_int_eq(sd_pool_lease_model(pool, lease, &facts, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_lease_model(pool, 1, &facts, NULL), SD_NOT_FOUND);
	close_pool();
}
END_TEST

struct seen {
	sd_pool_id id[16];
	uint32_t count;
};

static void see_model(void *arg, const struct sd_pool_model_facts *facts)
{
	struct seen *seen = arg;

	seen->id[seen->count++] = facts->model;
}

static void see_slot(void *arg, const struct sd_pool_slot_facts *facts)
{
	struct seen *seen = arg;

	seen->id[seen->count++] = facts->slot;
}

static void see_lease(void *arg, sd_pool_id lease, const struct sd_pool_slot_facts *facts)
{
	struct seen *seen = arg;

	seen->id[seen->count++] = lease;
}

START_TEST(all_are_told_in_order)
{
	struct seen models = { .count = 0 }, slots = { .count = 0 }, leases = { .count = 0 };
	sd_pool_id last, kept[3];

	open_pool(SHARED);
	sd_pool_remove_model(pool, a, NULL, NULL);
	last = add_model("one"); /* has the place that a had, and is the youngest */
	sd_pool_each_model(pool, see_model, &models);
	ck_assert_uint_eq(models.count, 3);
	ck_assert_uint_eq(models.id[0], b);
	ck_assert_uint_eq(models.id[2], last);
	ck_assert_int_eq(try_acquire(b, tasks(0, 3)), SD_OK);
	for (int i = 0; i < 3; i++)
		kept[i] = grant[i].lease;
	release_one(kept[1], false);
	acquire_one(b, 0);
	sd_pool_each_slot(pool, see_slot, &slots);
	ck_assert_uint_eq(slots.count, 3);
	ck_assert_uint_lt((uint32_t)slots.id[0], (uint32_t)slots.id[1]);
	sd_pool_each_lease(pool, b, see_lease, &leases);
	ck_assert_uint_eq(leases.count, 3);
	ck_assert_uint_eq(leases.id[0], kept[0]);
	ck_assert_uint_eq(leases.id[1], kept[2]);
	ck_assert_uint_eq(leases.id[2], grant[0].lease);
	sd_pool_each_lease(pool, a, see_lease, &leases);
	ck_assert_uint_eq(leases.count, 3);
	close_pool();
}
END_TEST

START_TEST(figures)
{
	struct sd_pool_stats stats;

	open_pool((struct sd_pool_limits){ .mode = SD_POOL_SHARED, .keeps_idle = true, .has_huge = true });
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .flags = SD_STREAM_HUGE, .count = 2 }), SD_OK);
	acquire_one(a, 0);
	acquire_one(b, 0);
	acquire_one(b, 0);
	release_one(grant[0].lease, false);
	stats = stats_now();
	ck_assert_uint_eq(stats.created, 4);
	ck_assert_uint_eq(stats.reused, 1);
	ck_assert_uint_eq(stats.slots, 4);
	ck_assert_uint_eq(stats.slots_idle, 1);
	ck_assert_uint_eq(stats.slots_huge, 2);
	ck_assert_uint_eq(stats.leases, 4);
	ck_assert_uint_eq(stats.models, 3);
	ck_assert_uint_eq(stats.domains, 2);
	close_pool();
}
END_TEST

struct seen_keys {
	struct sd_pool_key_facts key[16];
	uint32_t count;
};

static void see_key(void *arg, const struct sd_pool_key_facts *facts)
{
	struct seen_keys *seen = arg;

	seen->key[seen->count++] = *facts;
}

START_TEST(keys_are_told_with_what_is_held_and_idle_of_each)
{
	struct seen_keys seen = { .count = 0 };
	sd_pool_id broken;

	open_pool((struct sd_pool_limits){ .mode = SD_POOL_SHARED, .keeps_idle = true });
	ck_assert_int_eq(try_acquire(other, (struct sd_pool_want){ .priority = 1, .count = 2 }), SD_OK);
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .priority = 5, .flags = SD_STREAM_AICPU, .count = 3 }), SD_OK);
	release_one(grant[0].lease, false);
	broken = grant[1].lease;
	ck_assert_int_eq(try_acquire(a, (struct sd_pool_want){ .priority = 5, .count = 1 }), SD_OK);
	sd_pool_each_key(pool, see_key, &seen);
	ck_assert_uint_eq(seen.count, 3);
	ck_assert_uint_eq(seen.key[0].key.domain, seen.key[1].key.domain);
	ck_assert_int_eq(seen.key[0].key.priority, 5);
	ck_assert_uint_eq(seen.key[0].key.flags, 0);
	ck_assert_uint_eq(seen.key[0].slots, 1);
	ck_assert_uint_eq(seen.key[0].idle, 0);
	ck_assert_uint_eq(seen.key[1].key.flags, SD_STREAM_AICPU);
	ck_assert_uint_eq(seen.key[1].slots, 3);
	ck_assert_uint_eq(seen.key[1].idle, 1);
	ck_assert_int_eq(seen.key[2].key.priority, 1);
	ck_assert_uint_eq(seen.key[2].slots, 2);
	release_one(broken, true);
	seen.count = 0;
	sd_pool_each_key(pool, see_key, &seen);
	ck_assert_uint_eq(seen.key[1].slots, 2);
	ck_assert_uint_eq(seen.key[1].idle, 1);
	close_pool();
}
END_TEST

RUN_TESTS("pool_facts", a_slot_is_described_by_lease_and_by_number, a_lease_knows_its_model, all_are_told_in_order, figures,
          keys_are_told_with_what_is_held_and_idle_of_each)
