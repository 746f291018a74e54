/* device_cuda_memory_test - blocks of the device's pool, and without one. */
#include "vendor_count.h"

/* In the order of a stream where the device has a pool of memory, else as ever. */
START_TEST(memory)
{
	struct sd_cuda_options options = { .library = CUDA_STANDIN };
	void *block;

	begin_cuda();
	OK(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_FIRST, &block, &diag));
	ck_assert_uint_eq(standin.standin_calls("cuMemAllocAsync"), 1);
	ck_assert_uint_eq(standin.standin_calls("cuStreamSynchronize"), 1);
	OK(device->ops->memory_free(device, block, &diag));
	ck_assert_uint_eq(standin.standin_calls("cuMemFreeAsync"), 1);
	FAILS(device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_ONLY, &block, &diag), VENDOR_UNSUPPORTED);
	FAILS(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_ONLY, &block, &diag), VENDOR_UNSUPPORTED);
	standin.standin_fail("cuMemAllocAsync", 1, 2, NULL);
	ck_assert_int_eq(device->ops->memory_alloc(device, 100, SD_PAGES_NORMAL_FIRST, &block, &diag), SD_RESOURCE_EXHAUSTED);
	ck_assert_ptr_nonnull(strstr(message(), "CUDA_ERROR_OUT_OF_MEMORY"));
	forget_diag();
	standin.standin_fail("cuStreamSynchronize", 1, 719, NULL);
	FAILS(device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_FIRST, &block, &diag), VENDOR_FAILED);
	ck_assert_uint_eq(standin.standin_live(STANDIN_MEMORY), 0);
	end_well();
	standin.standin_reset();
	standin.standin_fail("cuDeviceGetAttribute", 1, 801, NULL);
	OK(sd_cuda_open(&options, &device, &diag));
	OK(device->ops->memory_alloc(device, 100, SD_PAGES_HUGE_FIRST, &block, &diag));
	ck_assert_uint_eq(standin.standin_calls("cuMemAlloc_v2"), 1);
	OK(device->ops->memory_free(device, block, &diag));
	ck_assert_uint_eq(standin.standin_calls("cuMemFree_v2"), 1);
	end_well();
}
END_TEST

RUN_TESTS("device_cuda_memory", memory)
