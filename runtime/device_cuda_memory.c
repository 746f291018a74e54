/* Memory. cuMemFree waits for all that the device does; so memory is given and taken back in the order
 * of a stream of its own where the driver can, which waits for nobody else. */
#include "device_cuda_impl.h"

struct sd_answer cuda_memory_start(struct cuda *cuda)
{
	int has_pools = 0;

	if (!cuda->api.cuMemAllocAsync || !cuda->api.cuMemFreeAsync || !cuda->api.cuDeviceGetAttribute)
		return (struct sd_answer){ 0 };
	if (cuda->api.cuDeviceGetAttribute(&has_pools, SD_CUDA_ATTRIBUTE_MEMORY_POOLS, cuda->device) != 0 || !has_pools)
		return (struct sd_answer){ 0 };
	return CUDA_CALL(cuda, cuStreamCreateWithPriority, &cuda->memory_stream, SD_CUDA_STREAM_NON_BLOCKING, cuda->least);
}

void cuda_memory_end(struct cuda *cuda)
{
	if (cuda->memory_stream && cuda->api.cuStreamDestroy_v2(cuda->memory_stream) != 0)
		cuda->api.cuStreamDestroy_v2(cuda->memory_stream);
	cuda->memory_stream = NULL;
}

struct sd_answer cuda_memory_alloc(struct sd_vendor *vendor, uint64_t bytes, enum sd_page_policy policy, void **memory)
{
	struct cuda *cuda = cuda_of(vendor);
	sd_cuda_address at = 0;
	struct sd_answer answer;

	if (policy != SD_PAGES_HUGE_FIRST && policy != SD_PAGES_NORMAL_FIRST)
		return (struct sd_answer){ "memory of one kind of pages", SD_CUDA_NOT_SUPPORTED };
	if (!cuda->memory_stream) {
		answer = CUDA_CALL(cuda, cuMemAlloc_v2, &at, bytes);
	} else {
		answer = CUDA_CALL(cuda, cuMemAllocAsync, &at, bytes, cuda->memory_stream);
		if (answer.code == 0) {
			answer = CUDA_CALL(cuda, cuStreamSynchronize, cuda->memory_stream);
			if (answer.code != 0)
				cuda->api.cuMemFreeAsync(at, cuda->memory_stream);
		}
	}
	*memory = (void *)(uintptr_t)at;
	return answer;
}

struct sd_answer cuda_memory_free(struct sd_vendor *vendor, void *memory)
{
	struct cuda *cuda = cuda_of(vendor);
	sd_cuda_address at = (uintptr_t)memory;

	return cuda->memory_stream ? CUDA_CALL(cuda, cuMemFreeAsync, at, cuda->memory_stream) : CUDA_CALL(cuda, cuMemFree_v2, at);
}
