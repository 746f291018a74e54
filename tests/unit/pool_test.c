/* pool_test - domains and models. */
#include "pool_world.h"

START_TEST(domains_are_known_by_name)
{
	uint32_t one, again, two;

	open_pool(SHARED);
	ck_assert_int_eq(sd_pool_domain(pool, SD_TEXT("one"), &one), SD_OK);
	ck_assert_int_eq(sd_pool_domain(pool, SD_TEXT("one"), &again), SD_OK);
	ck_assert_uint_eq(one, again);
	ck_assert(sd_pool_find_domain(pool, SD_TEXT("two"), &two));
	ck_assert_uint_ne(one, two);
	ck_assert(sd_text_is(sd_pool_domain_name(pool, two), "two"));
	ck_assert_uint_eq(sd_pool_domain_models(pool, one), 2);
	ck_assert(!sd_pool_find_domain(pool, SD_TEXT("three"), &two));
	ck_assert_uint_eq(sd_pool_domain_name(pool, 99).len, 0);
	ck_assert_uint_eq(sd_pool_domain_models(pool, 99), 0);
	close_pool();
}
END_TEST

START_TEST(a_domain_goes_with_its_last_model_and_slot)
{
	uint32_t number;
	sd_pool_id gone[1];

	open_pool(SHARED);
	release_one(acquire_one(other, 0).lease, false);
	sd_pool_remove_model(pool, other, NULL, NULL);
	ck_assert(sd_pool_find_domain(pool, SD_TEXT("two"), &number));
	ck_assert_uint_eq(sd_pool_domain_models(pool, number), 0);
	ck_assert_uint_eq(stats_now().domains, 2);
	ck_assert_uint_eq(sd_pool_trim(pool, 0, gone, 1), 1);
	ck_assert(!sd_pool_find_domain(pool, SD_TEXT("two"), &number));
	ck_assert_uint_eq(stats_now().domains, 1);
	close_pool();
}
END_TEST

START_TEST(a_kept_slot_is_there_for_the_next_model_of_its_domain)
{
	sd_pool_id slot;

	open_pool(SHARED);
	slot = acquire_one(other, 0).slot;
	sd_pool_remove_model(pool, other, NULL, NULL);
	ck_assert_uint_eq(acquire_one(add_model("two"), 0).slot, slot);
	close_pool();
}
END_TEST

START_TEST(a_model_needs_a_domain)
{
	sd_pool_id model;

	open_pool(SHARED);
	ck_assert_int_eq(sd_pool_add_model(pool, 0, NULL, &model), SD_NOT_FOUND);
	ck_assert_int_eq(sd_pool_add_model(pool, 99, NULL, &model), SD_NOT_FOUND);
	close_pool();
}
END_TEST

START_TEST(events_are_given_back_in_parts)
{
	struct sd_pool_model_facts facts;

	open_pool((struct sd_pool_limits){ .events_max = 10, .notifies_max = 10 });
	ck_assert_int_eq(sd_pool_acquire(pool, a, NULL, 0, 6, 4, NULL, NULL, NULL), SD_OK);
	ck_assert_int_eq(sd_pool_release_events(pool, a, 2, 1, NULL), SD_OK);
	ck_assert_int_eq(sd_pool_model_facts(pool, a, &facts, NULL), SD_OK);
	ck_assert_uint_eq(facts.events, 4);
	ck_assert_uint_eq(facts.notifies, 3);
	ck_assert_int_eq(sd_pool_release_events(pool, a, 5, 0, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_release_events(pool, a, 0, UINT64_MAX, NULL), SD_FAILED_PRECONDITION);
	ck_assert_int_eq(sd_pool_release_events(pool, 5, 0, 0, NULL), SD_NOT_FOUND);
	ck_assert_uint_eq(stats_now().events, 4);
	close_pool();
}
END_TEST

START_TEST(loading_and_unloading_comes_back_to_nothing)
{
	open_pool(SHARED);
	for (int round = 0; round < 50; round++) {
		sd_pool_id model[3];

		for (int i = 0; i < 3; i++) {
			model[i] = add_model("executor");
			ck_assert_int_eq(try_acquire(model[i], tasks(i * 10, 4)), SD_OK);
		}
		for (int i = 0; i < 3; i++)
			ck_assert_int_eq(sd_pool_remove_model(pool, model[i], NULL, NULL), SD_OK);
	}
	ck_assert_uint_eq(stats_now().leases, 0);
	ck_assert_uint_eq(stats_now().created, 4);
	close_pool();
}
END_TEST

START_TEST(no_pool_is_destroyed_in_peace)
{
	sd_pool_destroy(NULL);
}
END_TEST

RUN_TESTS("pool", domains_are_known_by_name, a_domain_goes_with_its_last_model_and_slot, a_kept_slot_is_there_for_the_next_model_of_its_domain,
          a_model_needs_a_domain, events_are_given_back_in_parts, loading_and_unloading_comes_back_to_nothing, no_pool_is_destroyed_in_peace)
