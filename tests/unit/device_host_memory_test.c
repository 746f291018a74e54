/* device_host_memory_test - memory of the host device: alignment, limits, what is refused. */
#include "run_tests.h"

#include "on_host.h"

static enum sd_status take(uint64_t bytes, enum sd_page_policy policy, void **memory)
{
	return device->ops->memory_alloc(device, bytes, policy, memory, NULL);
}

START_TEST(memory_is_counted_and_aligned)
{
	static const enum sd_page_policy policy[] = { SD_PAGES_HUGE_FIRST, SD_PAGES_HUGE_ONLY, SD_PAGES_NORMAL_ONLY, SD_PAGES_NORMAL_FIRST };
	struct sd_device_facts facts;
	void *memory[12];

	open_host((struct sd_host_options){ .cores = 1, .has = { .memory_bytes = 64 << 20 } });
	for (int i = 0; i < 12; i++) {
		uint64_t bytes = UINT64_C(1) << (2 * i);

		ck_assert_int_eq(take(bytes, policy[i % 4], &memory[i]), SD_OK);
		ck_assert_uint_eq((uintptr_t)memory[i] % 64, 0);
		memset(memory[i], i, bytes);
	}
	device->ops->facts(device, &facts);
	ck_assert_uint_lt(facts.memory_free_bytes, facts.memory_bytes - (5 << 20));
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(device->ops->memory_free(device, memory[(i * 5) % 12], NULL), SD_OK);
	ck_assert_int_eq(device->ops->memory_free(device, memory[0], NULL), SD_NOT_FOUND);
	ck_assert_int_eq(device->ops->memory_free(device, &facts, NULL), SD_NOT_FOUND);
	close_host();
}
END_TEST

START_TEST(refused)
{
	struct sd_diag diag = { 0 };
	void *memory, *other;

	open_host((struct sd_host_options){ .cores = 1, .has = { .memory_bytes = 1000 }, .fault = { .memory_alloc = 1 } });
	ck_assert_int_eq(take(10, SD_PAGES_HUGE_FIRST, &memory), SD_RESOURCE_EXHAUSTED);
	ck_assert_ptr_null(memory);
	ck_assert_int_eq(take(600, SD_PAGES_HUGE_FIRST, &memory), SD_OK);
	ck_assert_int_eq(device->ops->memory_alloc(device, 401, SD_PAGES_HUGE_FIRST, &other, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(diag.code, SD_CODE_DEVICE_MEMORY);
	ck_assert_int_eq(take(0, SD_PAGES_HUGE_FIRST, &other), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(take(UINT64_MAX, SD_PAGES_HUGE_FIRST, &other), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(take(1, (enum sd_page_policy)3, &other), SD_INVALID_ARGUMENT);
	device->ops->memory_free(device, memory, NULL);
	ck_assert_int_eq(take(1000, SD_PAGES_NORMAL_ONLY, &memory), SD_OK);
	close_host();
}
END_TEST

RUN_TESTS("device_host_memory", memory_is_counted_and_aligned, refused)
