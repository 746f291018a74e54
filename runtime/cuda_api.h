/* cuda_api.h - what is used of libcuda: types, numbers and functions of its public header (cuda.h of
 * CUDA 12), told again so that none of it is needed to build. Names with _v2 are those that the
 * library exports for the names of the header. */
#ifndef SD_CUDA_API_H
#define SD_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int sd_cuda_error;     /* CUresult; 0: success */
typedef uint64_t sd_cuda_address; /* CUdeviceptr */

enum {
	SD_CUDA_INVALID_VALUE = 1, SD_CUDA_OUT_OF_MEMORY = 2, SD_CUDA_NOT_READY = 600, SD_CUDA_NOT_SUPPORTED = 801, SD_CUDA_TIMEOUT = 909,
	SD_CUDA_STREAM_NON_BLOCKING = 1,  /* does not wait for the default stream, nor that one for it */
	SD_CUDA_EVENT_DISABLE_TIMING = 2, SD_CUDA_EVENT_INTERPROCESS = 4,
	SD_CUDA_HOST_PORTABLE = 1, SD_CUDA_HOST_DEVICEMAP = 2,
	SD_CUDA_WAIT_GEQ = 0,             /* until (int32_t)(word - value) >= 0 */
	SD_CUDA_ATTRIBUTE_MULTIPROCESSORS = 16, SD_CUDA_ATTRIBUTE_MEMORY_POOLS = 115,
};

/* name, answer, arguments, may be missing */
#define SD_CUDA_LIST(X)                                                                                         \
	X(cuInit, sd_cuda_error, (unsigned int flags), 0)                                                       \
	X(cuGetErrorName, sd_cuda_error, (sd_cuda_error code, const char **name), 0)                            \
	X(cuDeviceGet, sd_cuda_error, (int *device, int ordinal), 0)                                            \
	X(cuDeviceGetAttribute, sd_cuda_error, (int *value, int attribute, int device), 1)                      \
	X(cuDevicePrimaryCtxRetain, sd_cuda_error, (void **context, int device), 0)                             \
	X(cuDevicePrimaryCtxRelease_v2, sd_cuda_error, (int device), 0)                                         \
	X(cuCtxSetCurrent, sd_cuda_error, (void *context), 0)                                                   \
	X(cuCtxSynchronize, sd_cuda_error, (void), 0)                                                           \
	X(cuCtxGetStreamPriorityRange, sd_cuda_error, (int *least, int *greatest), 0)                           \
	X(cuStreamCreateWithPriority, sd_cuda_error, (void **stream, unsigned int flags, int priority), 0)      \
	X(cuStreamGetId, sd_cuda_error, (void *stream, unsigned long long *id), 1)                              \
	X(cuStreamDestroy_v2, sd_cuda_error, (void *stream), 0)                                                 \
	X(cuStreamSynchronize, sd_cuda_error, (void *stream), 0)                                                \
	X(cuStreamQuery, sd_cuda_error, (void *stream), 0)                                                      \
	X(cuStreamWaitEvent, sd_cuda_error, (void *stream, void *event, unsigned int flags), 0)                 \
	X(cuStreamWaitValue32_v2, sd_cuda_error, (void *stream, sd_cuda_address at, uint32_t value, unsigned int flags), 1)  \
	X(cuStreamWriteValue32_v2, sd_cuda_error, (void *stream, sd_cuda_address at, uint32_t value, unsigned int flags), 1) \
	X(cuEventCreate, sd_cuda_error, (void **event, unsigned int flags), 0)                                  \
	X(cuEventDestroy_v2, sd_cuda_error, (void *event), 0)                                                   \
	X(cuEventRecord, sd_cuda_error, (void *event, void *stream), 0)                                         \
	X(cuEventQuery, sd_cuda_error, (void *event), 0)                                                        \
	X(cuEventSynchronize, sd_cuda_error, (void *event), 0)                                                  \
	X(cuEventElapsedTime, sd_cuda_error, (float *ms, void *start, void *end), 0)                            \
	X(cuLaunchHostFunc, sd_cuda_error, (void *stream, void (*function)(void *arg), void *arg), 1)           \
	X(cuMemcpyAsync, sd_cuda_error, (sd_cuda_address to, sd_cuda_address from, size_t bytes, void *stream), 0)      \
	X(cuMemcpyHtoDAsync_v2, sd_cuda_error, (sd_cuda_address to, const void *from, size_t bytes, void *stream), 0)   \
	X(cuMemcpyDtoHAsync_v2, sd_cuda_error, (void *to, sd_cuda_address from, size_t bytes, void *stream), 0)         \
	X(cuMemcpyDtoDAsync_v2, sd_cuda_error, (sd_cuda_address to, sd_cuda_address from, size_t bytes, void *stream), 0) \
	X(cuMemAlloc_v2, sd_cuda_error, (sd_cuda_address *memory, size_t bytes), 0)                             \
	X(cuMemFree_v2, sd_cuda_error, (sd_cuda_address memory), 0)                                             \
	X(cuMemAllocAsync, sd_cuda_error, (sd_cuda_address *memory, size_t bytes, void *stream), 1)             \
	X(cuMemFreeAsync, sd_cuda_error, (sd_cuda_address memory, void *stream), 1)                             \
	X(cuMemHostAlloc, sd_cuda_error, (void **memory, size_t bytes, unsigned int flags), 1)                  \
	X(cuMemHostGetDevicePointer_v2, sd_cuda_error, (sd_cuda_address *device, void *memory, unsigned int flags), 1) \
	X(cuMemFreeHost, sd_cuda_error, (void *memory), 1)                                                      \
	X(cuMemGetInfo_v2, sd_cuda_error, (size_t *free, size_t *total), 1)

struct sd_cuda_api {
#define SD_X(name, answer, arguments, is_optional) answer (*name) arguments;
	SD_CUDA_LIST(SD_X)
#undef SD_X
};

#endif
