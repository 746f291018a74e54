/* cuda_standin - libcuda.so in this process, for tests of the device `cuda`. */
#include "cuda_api.h"

#include "standin.h"

#define DEVICES 2
#define NOT_INITIALIZED 3
#define INVALID_DEVICE 101
#define INVALID_HANDLE 400

const struct standin_codes standin_codes = {
	.bad_argument = SD_CUDA_INVALID_VALUE, .no_context = 201, .bad_handle = INVALID_HANDLE,
	.exhausted = { [STANDIN_CONTEXT] = SD_CUDA_OUT_OF_MEMORY, [STANDIN_STREAM] = SD_CUDA_OUT_OF_MEMORY, [STANDIN_EVENT] = SD_CUDA_OUT_OF_MEMORY,
	               [STANDIN_NOTIFY] = SD_CUDA_OUT_OF_MEMORY, [STANDIN_MEMORY] = SD_CUDA_OUT_OF_MEMORY, [STANDIN_HOST] = SD_CUDA_OUT_OF_MEMORY },
	.timeout = SD_CUDA_NOT_READY, .not_ready = SD_CUDA_NOT_READY, .unrecorded = INVALID_HANDLE,
};

static int initialised;
static void *primary[DEVICES];
static int retained[DEVICES];

#define X(name, answer, arguments, is_optional) STANDIN_EXPORT answer name arguments;
SD_CUDA_LIST(X)
#undef X

/* Begins a call that needs the library, and a context or not. */
#define BEGIN(needs_context)                                                       \
	do {                                                                       \
		int64_t code_ = standin_begin(__func__, needs_context);            \
		if (code_ == 0 && !initialised) {                                  \
			standin_complain(__func__, "cuInit was not called");       \
			code_ = NOT_INITIALIZED;                                   \
		}                                                                  \
		if (code_)                                                         \
			return (int)code_;                                         \
	} while (0)
#define TRY(call)                                                                  \
	do {                                                                       \
		int64_t code_ = (call);                                            \
		if (code_)                                                         \
			return (int)code_;                                         \
	} while (0)
#define CHECK(object, kind) TRY(standin_check(__func__, object, kind))
#define REQUIRE(condition, what)                                                   \
	do {                                                                       \
		if (!(condition)) {                                                \
			standin_complain(__func__, what);                          \
			return (int)standin_codes.bad_argument;                    \
		}                                                                  \
	} while (0)

static void *pointer(sd_cuda_address at)
{
	return (void *)(uintptr_t)at;
}

int cuInit(unsigned int flags)
{
	int64_t code = standin_begin(__func__, false);

	if (code)
		return (int)code;
	REQUIRE(flags == 0, "the flags are 0");
	initialised = 1;
	return 0;
}

int cuGetErrorName(int code, const char **name)
{
	BEGIN(false);
	*name = code == 226 ? "CUDA_ERROR_CONTAINED" : NULL;
	return *name ? 0 : SD_CUDA_INVALID_VALUE;
}

int cuDeviceGet(int *device, int ordinal)
{
	BEGIN(false);
	*device = ordinal;
	return ordinal >= 0 && ordinal < DEVICES ? 0 : INVALID_DEVICE;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	BEGIN(false);
	REQUIRE(device >= 0 && device < DEVICES, "there is no such device");
	REQUIRE(attribute == SD_CUDA_ATTRIBUTE_MULTIPROCESSORS || attribute == SD_CUDA_ATTRIBUTE_MEMORY_POOLS, "there is no such attribute");
	*value = attribute == SD_CUDA_ATTRIBUTE_MULTIPROCESSORS ? 132 : 1;
	return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	BEGIN(false);
	REQUIRE(device >= 0 && device < DEVICES, "there is no such device");
	if (retained[device] == 0)
		TRY(standin_make(STANDIN_CONTEXT, 0, 0, &primary[device]));
	retained[device]++;
	*context = primary[device];
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	BEGIN(false);
	REQUIRE(device >= 0 && device < DEVICES && retained[device] > 0, "its context is not retained");
	if (--retained[device] > 0)
		return 0;
	TRY(standin_destroy(__func__, primary[device], STANDIN_CONTEXT));
	if (standin_live(STANDIN_CONTEXT) == 0)
		standin_end(__func__);
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	BEGIN(false);
	CHECK(context, STANDIN_CONTEXT);
	standin_set_context(context);
	return 0;
}

int cuCtxSynchronize(void)
{
	BEGIN(true);
	standin_synchronize_all();
	return 0;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	BEGIN(true);
	*least = standin_least;
	*greatest = standin_greatest;
	return 0;
}

int cuStreamCreateWithPriority(void **stream, unsigned int flags, int priority)
{
	BEGIN(true);
	REQUIRE(priority >= standin_greatest && priority <= standin_least, "there is no such priority");
	REQUIRE(!(flags & ~(unsigned int)SD_CUDA_STREAM_NON_BLOCKING), "there is no such flag");
	return (int)standin_make(STANDIN_STREAM, flags, priority, stream);
}

int cuStreamGetId(void *stream, unsigned long long *id)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	*id = (unsigned long long)standin_id(stream);
	return 0;
}

int cuStreamDestroy_v2(void *stream)
{
	BEGIN(true);
	return (int)standin_orphan(__func__, stream);
}

int cuStreamSynchronize(void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	return (int)standin_synchronize_stream(stream, -1);
}

int cuStreamQuery(void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	return standin_stream_is_done(stream) ? 0 : SD_CUDA_NOT_READY;
}

int cuStreamWaitEvent(void *stream, void *event, unsigned int flags)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	CHECK(event, STANDIN_EVENT);
	REQUIRE(flags == 0, "the flags are 0");
	return (int)standin_wait_event(__func__, stream, event);
}

int cuStreamWaitValue32_v2(void *stream, sd_cuda_address at, uint32_t value, unsigned int flags)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(flags == SD_CUDA_WAIT_GEQ && at % sizeof(value) == 0, "it is no wait for a word that is large enough");
	TRY(standin_check_range(__func__, STANDIN_HOST, pointer(at), sizeof(value)));
	standin_wait_value(stream, pointer(at), value);
	return 0;
}

int cuStreamWriteValue32_v2(void *stream, sd_cuda_address at, uint32_t value, unsigned int flags)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(flags == 0 && at % sizeof(value) == 0, "it is no write of a word");
	TRY(standin_check_range(__func__, STANDIN_HOST, pointer(at), sizeof(value)));
	standin_write_value(stream, pointer(at), value);
	return 0;
}

int cuEventCreate(void **event, unsigned int flags)
{
	BEGIN(true);
	REQUIRE(!(flags & ~7u), "there is no such flag");
	REQUIRE(!(flags & SD_CUDA_EVENT_INTERPROCESS) || (flags & SD_CUDA_EVENT_DISABLE_TIMING), "an event of several processes takes no time");
	return (int)standin_make(STANDIN_EVENT, flags, 0, event);
}

int cuEventDestroy_v2(void *event)
{
	BEGIN(true);
	return (int)standin_destroy(__func__, event, STANDIN_EVENT);
}

int cuEventRecord(void *event, void *stream)
{
	BEGIN(true);
	CHECK(event, STANDIN_EVENT);
	CHECK(stream, STANDIN_STREAM);
	standin_record(stream, event);
	return 0;
}

int cuEventQuery(void *event)
{
	BEGIN(true);
	CHECK(event, STANDIN_EVENT);
	return standin_event_is_done(event) ? 0 : SD_CUDA_NOT_READY;
}

int cuEventSynchronize(void *event)
{
	BEGIN(true);
	CHECK(event, STANDIN_EVENT);
	return (int)standin_synchronize_event(event, -1);
}

int cuEventElapsedTime(float *ms, void *start, void *end)
{
	uint64_t from = 0, to = 0;

	BEGIN(true);
	CHECK(start, STANDIN_EVENT);
	CHECK(end, STANDIN_EVENT);
	if ((standin_flags(start) | standin_flags(end)) & SD_CUDA_EVENT_DISABLE_TIMING)
		return INVALID_HANDLE;
	if (!standin_event_time(start, &from) || !standin_event_time(end, &to))
		return SD_CUDA_NOT_READY;
	*ms = (float)((double)((int64_t)(to - from)) / 1e6);
	return 0;
}

int cuLaunchHostFunc(void *stream, void (*function)(void *arg), void *arg)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(function, "there is no function");
	standin_host(stream, function, arg);
	return 0;
}

/* The addresses of device and host are told apart: a block of the device is one that was given. */
int cuMemcpyAsync(sd_cuda_address to, sd_cuda_address from, size_t bytes, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(to && from && bytes, "it is no copy");
	standin_copy(stream, pointer(to), pointer(from), bytes);
	return 0;
}

int cuMemcpyHtoDAsync_v2(sd_cuda_address to, const void *from, size_t bytes, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(from && bytes, "it is no copy");
	TRY(standin_check_range(__func__, STANDIN_MEMORY, pointer(to), bytes));
	standin_copy(stream, pointer(to), from, bytes);
	return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, sd_cuda_address from, size_t bytes, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(to && bytes, "it is no copy");
	TRY(standin_check_range(__func__, STANDIN_MEMORY, pointer(from), bytes));
	standin_copy(stream, to, pointer(from), bytes);
	return 0;
}

int cuMemcpyDtoDAsync_v2(sd_cuda_address to, sd_cuda_address from, size_t bytes, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(bytes, "it is no copy");
	TRY(standin_check_range(__func__, STANDIN_MEMORY, pointer(to), bytes));
	TRY(standin_check_range(__func__, STANDIN_MEMORY, pointer(from), bytes));
	standin_copy(stream, pointer(to), pointer(from), bytes);
	return 0;
}

static int give(const char *call, enum standin_kind kind, size_t bytes, sd_cuda_address *memory)
{
	void *made = NULL;
	int code;

	if (!bytes) {
		standin_complain(call, "0 bytes are asked for");
		return SD_CUDA_INVALID_VALUE;
	}
	code = (int)standin_malloc(kind, bytes, &made);
	*memory = (uintptr_t)made;
	return code;
}

int cuMemAlloc_v2(sd_cuda_address *memory, size_t bytes)
{
	BEGIN(true);
	return give(__func__, STANDIN_MEMORY, bytes, memory);
}

int cuMemFree_v2(sd_cuda_address memory)
{
	BEGIN(true);
	return (int)standin_free(__func__, STANDIN_MEMORY, pointer(memory));
}

int cuMemAllocAsync(sd_cuda_address *memory, size_t bytes, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	return give(__func__, STANDIN_MEMORY, bytes, memory);
}

int cuMemFreeAsync(sd_cuda_address memory, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	return (int)standin_free(__func__, STANDIN_MEMORY, pointer(memory));
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
	BEGIN(true);
	REQUIRE(flags & SD_CUDA_HOST_DEVICEMAP, "the device would not see it");
	return (int)standin_malloc(STANDIN_HOST, bytes, memory);
}

int cuMemHostGetDevicePointer_v2(sd_cuda_address *device, void *memory, unsigned int flags)
{
	BEGIN(true);
	REQUIRE(flags == 0, "the flags are 0");
	TRY(standin_check_range(__func__, STANDIN_HOST, memory, 1));
	*device = (uintptr_t)memory;
	return 0;
}

int cuMemFreeHost(void *memory)
{
	BEGIN(true);
	return (int)standin_free(__func__, STANDIN_HOST, memory);
}

int cuMemGetInfo_v2(size_t *bytes_free, size_t *total)
{
	BEGIN(true);
	*bytes_free = (size_t)70 << 30;
	*total = (size_t)80 << 30;
	return 0;
}
