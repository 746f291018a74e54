/* sim_memory_test - memory of the simulated device: its budget, its pages, and what is in it. */
#include "sim_world.h"

#define MIB (UINT64_C(1) << 20)

static uint64_t taken(struct sd_device *d)
{
	return facts_of(d).memory_bytes - facts_of(d).memory_free_bytes;
}

START_TEST(policies_decide_what_is_counted)
{
	static const struct {
		enum sd_page_policy policy;
		uint64_t bytes, counted;
	} rows[] = {
		{ SD_PAGES_HUGE_FIRST, 1, 64 }, { SD_PAGES_HUGE_FIRST, MIB, MIB + 32 }, { SD_PAGES_HUGE_FIRST, MIB + 1, 2 * MIB },
		{ SD_PAGES_HUGE_ONLY, 1, 2 * MIB }, { SD_PAGES_NORMAL_ONLY, 3 * MIB, 3 * MIB + 32 }, { SD_PAGES_NORMAL_FIRST, 3 * MIB, 3 * MIB + 32 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_device *d = sim();
		void *memory = NULL;

		ck_assert_int_eq(d->ops->memory_alloc(d, rows[i].bytes, rows[i].policy, &memory, NULL), SD_OK);
		ck_assert_uint_eq((uintptr_t)memory % 64, 0);
		memset(memory, 1, rows[i].bytes);
		ck_assert_uint_eq(taken(d), rows[i].counted);
		ck_assert_int_eq(d->ops->memory_free(d, memory, NULL), SD_OK);
		ck_assert_uint_eq(taken(d), 0);
		d->ops->close(d);
	}
}
END_TEST

START_TEST(the_budget_holds)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .memory_bytes = 3 * MIB });
	struct sd_diag diag = { 0 };
	void *a, *b = NULL;

	ck_assert_int_eq(d->ops->memory_alloc(d, MIB + 1, SD_PAGES_HUGE_FIRST, &a, NULL), SD_OK);
	ck_assert_int_eq(d->ops->memory_alloc(d, MIB / 2, SD_PAGES_HUGE_ONLY, &b, &diag), SD_RESOURCE_EXHAUSTED);
	says(&diag, "524288 bytes were asked for and the device has 1048576 of its 3145728 bytes left (vendor error 207018)");
	ck_assert_int_eq(d->ops->memory_alloc(d, MIB / 2, SD_PAGES_HUGE_FIRST, &b, NULL), SD_OK);
	ck_assert_int_eq(d->ops->memory_alloc(d, UINT64_MAX, SD_PAGES_NORMAL_ONLY, &b, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(d->ops->memory_alloc(d, 0, SD_PAGES_NORMAL_ONLY, &b, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(d->ops->memory_alloc(d, 1, (enum sd_page_policy)3, &b, NULL), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(d->ops->memory_free(d, (char *)a + 64, NULL), SD_NOT_FOUND);
	ck_assert_int_eq(d->ops->memory_free(d, a, NULL), SD_OK);
	ck_assert_int_eq(d->ops->memory_free(d, a, NULL), SD_NOT_FOUND);
	d->ops->close(d); /* and what was not freed goes with it */
}
END_TEST

/* Where no huge pages are left, HUGE_FIRST takes normal ones. */
START_TEST(huge_first_falls_back)
{
	struct sd_device *d = sim_with((struct sd_sim_options){ .memory_bytes = 3 * MIB });
	void *memory;

	ck_assert_int_eq(d->ops->memory_alloc(d, 2 * MIB + 1, SD_PAGES_HUGE_ONLY, &memory, NULL), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(d->ops->memory_alloc(d, 2 * MIB + 1, SD_PAGES_HUGE_FIRST, &memory, NULL), SD_OK);
	ck_assert_uint_eq(taken(d), 2 * MIB + 64);
	d->ops->close(d);
}
END_TEST

START_TEST(many_blocks_in_any_order)
{
	enum { BLOCKS = 100 };
	struct sd_device *d = sim();
	void *at[BLOCKS];

	for (uint32_t i = 0; i < BLOCKS; i++) {
		ck_assert_int_eq(d->ops->memory_alloc(d, 1 + i * 13, SD_PAGES_NORMAL_ONLY, &at[i], NULL), SD_OK);
		memset(at[i], (int)i, 1 + i * 13);
	}
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t pick = i * 37 % BLOCKS;

		ck_assert_uint_eq(((unsigned char *)at[pick])[pick * 13], pick);
		ck_assert_int_eq(d->ops->memory_free(d, at[pick], NULL), SD_OK);
	}
	ck_assert_uint_eq(taken(d), 0);
	d->ops->close(d);
}
END_TEST

RUN_TESTS("sim_memory", policies_decide_what_is_counted, the_budget_holds, huge_first_falls_back, many_blocks_in_any_order)
