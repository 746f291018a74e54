/* slab_test - ids that are never given twice, and room that is made beforehand. */
#include "run_tests.h"

#include "slab.h"

struct thing {
	struct sd_slab_item item;
	int value;
};

START_TEST(ids_are_never_given_twice)
{
	struct sd_slab slab;
	struct thing *thing;
	uint64_t first, second;
	bool was_live;

	sd_slab_init(&slab, sizeof(struct thing), 2);
	ck_assert(sd_slab_reserve(&slab, 1));
	thing = sd_slab_take(&slab);
	thing->value = 7;
	first = sd_slab_id(&slab, thing);
	ck_assert_uint_eq(first, UINT64_C(1) << 32 | 2);
	ck_assert_ptr_eq(sd_slab_find(&slab, first, &was_live), thing);
	sd_slab_give(&slab, thing);
	ck_assert_ptr_null(sd_slab_find(&slab, first, &was_live));
	ck_assert(was_live);
	thing = sd_slab_take(&slab);
	second = sd_slab_id(&slab, thing);
	ck_assert_int_eq(thing->value, 0);
	ck_assert_uint_ne(first, second);
	ck_assert_uint_eq((uint32_t)first, (uint32_t)second);
	ck_assert_ptr_null(sd_slab_find(&slab, first, &was_live));
	ck_assert(was_live);
	sd_slab_finish(&slab);
}
END_TEST

START_TEST(what_never_was_is_told_from_what_is_gone)
{
	static const uint64_t never[] = { 0, 2, 999999, UINT64_MAX, UINT64_C(2) << 32 | 2, UINT64_C(1) << 32 | 6, UINT64_C(1) << 32 | 1,
	                                  UINT64_C(1) << 32 | 1u << 26 | 2 };
	struct sd_slab slab;
	bool was_live;

	sd_slab_init(&slab, sizeof(struct thing), 2);
	ck_assert(sd_slab_reserve(&slab, 1));
	sd_slab_take(&slab);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		ck_assert_ptr_null(sd_slab_find(&slab, never[i], &was_live));
		ck_assert_msg(!was_live, "id %llx", (unsigned long long)never[i]);
	}
	sd_slab_finish(&slab);
}
END_TEST

START_TEST(a_used_up_place_stays_empty)
{
	struct sd_slab slab;
	struct thing *thing;

	sd_slab_init(&slab, sizeof(struct thing), 0);
	ck_assert(sd_slab_reserve(&slab, 2));
	thing = sd_slab_take(&slab);
	thing->item.generation = UINT32_MAX;
	sd_slab_give(&slab, thing);
	ck_assert_uint_eq(((struct thing *)sd_slab_take(&slab))->item.index, 1);
	ck_assert_uint_eq(slab.live, 1);
	ck_assert_uint_eq(slab.free, 0);
	sd_slab_finish(&slab);
}
END_TEST

START_TEST(items_never_move)
{
	struct sd_slab slab;
	struct thing *thing[2000];

	sd_slab_init(&slab, sizeof(struct thing), 1);
	for (int i = 0; i < 2000; i++) {
		ck_assert(sd_slab_reserve(&slab, 1));
		thing[i] = sd_slab_take(&slab);
		thing[i]->value = i;
	}
	for (uint32_t i = 0; i < 2000; i++) {
		ck_assert_ptr_eq(sd_slab_at(&slab, i), &thing[i]->item);
		ck_assert_int_eq(thing[i]->value, (int)i);
	}
	ck_assert(!sd_slab_reserve(&slab, SD_SLAB_ITEMS_MAX));
	ck_assert(!sd_slab_reserve(&slab, UINT64_C(1) << 40));
	sd_slab_finish(&slab);
}
END_TEST

RUN_TESTS("slab", ids_are_never_given_twice, what_never_was_is_told_from_what_is_gone, a_used_up_place_stays_empty, items_never_move)
