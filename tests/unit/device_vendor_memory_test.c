/* device_vendor_memory_test - blocks over a stand-in. */
#include "vendor_world.h"

START_TEST(given_and_taken_back)
{
	void *block[64];

	begin_acl();
	for (int i = 0; i < 64; i++)
		OK(device->ops->memory_alloc(device, 100 + (uint64_t)i, (enum sd_page_policy)(i % 3), &block[i], &diag));
	for (int i = 0; i < 64; i += 2)
		OK(device->ops->memory_free(device, block[i], &diag));
	FAILS(device->ops->memory_free(device, block[0], &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->memory_free(device, NULL, &diag), NO_SUCH_HANDLE);
	FAILS(device->ops->memory_alloc(device, 0, SD_PAGES_HUGE_FIRST, &block[0], &diag), BAD_DEVICE_VALUE);
	ck_assert_ptr_null(block[0]);
	ck_assert_uint_eq(standin.standin_live(STANDIN_MEMORY), 32);
	end_well();
}
END_TEST

/* Normal pages first, and huge ones if there are none. */
START_TEST(normal_first)
{
	void *block;

	begin_acl();
	standin.standin_fail("aclrtMalloc", 1, 207001, NULL);
	OK(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_FIRST, &block, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtMalloc"), 2);
	standin.standin_fail("aclrtMalloc", 1, 107000, NULL);
	FAILS(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_FIRST, &block, &diag), VENDOR_ARGUMENT);
	ck_assert_uint_eq(standin.standin_calls("aclrtMalloc"), 3);
	standin.standin_fail("aclrtMalloc", 1, 207001, NULL);
	FAILS(device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_FIRST, &block, &diag), VENDOR_EXHAUSTED);
	ck_assert_uint_eq(standin.standin_calls("aclrtMalloc"), 4);
	end_well();
}
END_TEST

START_TEST(free_fails)
{
	void *block;

	begin_acl();
	OK(device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_FIRST, &block, &diag));
	standin.standin_fail("aclrtFree", 1, 507000, NULL);
	FAILS(device->ops->memory_free(device, block, &diag), VENDOR_FAILED);
	OK(device->ops->memory_free(device, block, &diag));
	end_well();
}
END_TEST

RUN_TESTS("device_vendor_memory", given_and_taken_back, normal_first, free_fails)
