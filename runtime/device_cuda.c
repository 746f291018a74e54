#include "streamd/device_cuda.h"

#include <stdlib.h>
#include <time.h>

#include "device_cuda_impl.h"
#include "streamd/vendor_errors.h"
#include "vendor_library.h"

#define USUAL_NAME "libcuda.so.1"
#define FORCE_WAIT_MS 30000
#define LAZIEST_NS 1000000u /* between two questions */

static enum sd_status fail(struct sd_vendor *vendor, struct sd_diag *diag, const char *call, int64_t code)
{
	struct cuda *cuda = cuda_of(vendor);
	const char *name = NULL;

	if (!sd_vendor_error_find(code) && cuda->api.cuGetErrorName((sd_cuda_error)code, &name) == 0 && name)
		return SD_FAIL3(diag, SD_CODE_VENDOR_FAILED, SD_NO_NODE, sd_arg_words(call), sd_arg_int(code), sd_arg_words(name));
	return sd_cuda_fail(diag, call, code);
}

static struct sd_answer enter(struct sd_vendor *vendor)
{
	return CUDA_CALL(cuda_of(vendor), cuCtxSetCurrent, cuda_of(vendor)->context);
}

/* Both ends of our range are those of the device; what lies between is spread evenly. */
static int priority_of(const struct cuda *cuda, int32_t priority)
{
	int levels = SD_PRIORITY_LEAST_URGENT - SD_PRIORITY_MOST_URGENT;

	return cuda->greatest + ((cuda->least - cuda->greatest) * (priority - SD_PRIORITY_MOST_URGENT) + levels / 2) / levels;
}

static struct sd_answer tell_id(struct cuda *cuda, void *stream, int32_t *rt_id)
{
	unsigned long long id = 0;
	struct sd_answer answer = { "cuStreamGetId", 0 };

	if (cuda->api.cuStreamGetId) {
		answer = CUDA_CALL(cuda, cuStreamGetId, stream, &id);
	} else {
		pthread_mutex_lock(&cuda->vendor.lock);
		id = ++cuda->next_id;
		pthread_mutex_unlock(&cuda->vendor.lock);
	}
	*rt_id = (int32_t)(id & INT32_MAX);
	return answer;
}

static struct sd_answer stream_create(struct sd_vendor *vendor, int32_t priority, uint32_t flags, void **stream, int32_t *rt_id)
{
	struct cuda *cuda = cuda_of(vendor);
	struct sd_answer answer = CUDA_CALL(cuda, cuStreamCreateWithPriority, stream, SD_CUDA_STREAM_NON_BLOCKING, priority_of(cuda, priority));

	if (answer.code != 0)
		return answer;
	answer = tell_id(cuda, *stream, rt_id);
	if (answer.code != 0)
		cuda->api.cuStreamDestroy_v2(*stream);
	return answer;
}

/* ---- waiting with a time ---- */

static uint64_t deadline_of(int64_t ms)
{
	return sd_vendor_now_ns(NULL) + (uint64_t)ms * 1000000u;
}

/* False: the time is over. Sleeps a little longer each time. */
static bool sleep_before(uint64_t deadline, uint32_t *ns)
{
	struct timespec left = { 0, *ns };

	if (sd_vendor_now_ns(NULL) >= deadline)
		return false;
	if (*ns)
		nanosleep(&left, NULL);
	*ns = *ns ? *ns * 2 : 1000;
	if (*ns > LAZIEST_NS)
		*ns = LAZIEST_NS;
	return true;
}

static struct sd_answer ask_until(sd_cuda_error (*query)(void *object), const char *name, void *object, int64_t timeout_ms)
{
	uint64_t deadline = deadline_of(timeout_ms);
	struct sd_answer answer;
	uint32_t ns = 0;

	do {
		answer = (struct sd_answer){ name, query(object) };
		if (answer.code != SD_CUDA_NOT_READY)
			return answer;
	} while (sleep_before(deadline, &ns));
	answer.code = SD_CUDA_TIMEOUT;
	return answer;
}

static struct sd_answer stream_synchronize(struct sd_vendor *vendor, void *stream, int64_t timeout_ms)
{
	struct cuda *cuda = cuda_of(vendor);

	return timeout_ms == SD_FOR_EVER ? CUDA_CALL(cuda, cuStreamSynchronize, stream)
	                                 : ask_until(cuda->api.cuStreamQuery, "cuStreamQuery", stream, timeout_ms);
}

static struct sd_answer event_synchronize(struct sd_vendor *vendor, void *event, int64_t timeout_ms)
{
	struct cuda *cuda = cuda_of(vendor);

	return timeout_ms == SD_FOR_EVER ? CUDA_CALL(cuda, cuEventSynchronize, event)
	                                 : ask_until(cuda->api.cuEventQuery, "cuEventQuery", event, timeout_ms);
}

/* The driver's destroy lets the work of the stream go on: what is left of it is waited for here, as
 * long as its memory is the caller's. */
static struct sd_answer stream_destroy(struct sd_vendor *vendor, void *stream, bool force)
{
	struct cuda *cuda = cuda_of(vendor);
	uint64_t deadline = deadline_of(FORCE_WAIT_MS);
	uint32_t ns = 0;

	while (force && cuda->api.cuStreamQuery(stream) == SD_CUDA_NOT_READY && sleep_before(deadline, &ns))
		cuda_notifies_open_again(cuda);
	return CUDA_CALL(cuda, cuStreamDestroy_v2, stream);
}

static struct sd_answer as_query(struct sd_answer answer, bool *is_done)
{
	*is_done = answer.code == 0;
	if (answer.code == SD_CUDA_NOT_READY)
		answer.code = 0;
	return answer;
}

static struct sd_answer stream_query(struct sd_vendor *vendor, void *stream, bool *is_done)
{
	return as_query(CUDA_CALL(cuda_of(vendor), cuStreamQuery, stream), is_done);
}

static struct sd_answer stream_stop(struct sd_vendor *vendor, void *stream)
{
	return (struct sd_answer){ "stopping a stream", SD_CUDA_NOT_SUPPORTED };
}

/* ---- events ---- */

#define EVENT_FLAGS (SD_EVENT_STREAM_MARK | SD_EVENT_SYNC | SD_EVENT_TIME_LINE | SD_EVENT_IPC)

static struct sd_answer event_create(struct sd_vendor *vendor, uint32_t flags, void **event)
{
	unsigned int cuda = flags == 0 || flags & SD_EVENT_TIME_LINE ? 0 : SD_CUDA_EVENT_DISABLE_TIMING;

	if (flags & SD_EVENT_IPC)
		cuda = SD_CUDA_EVENT_DISABLE_TIMING | SD_CUDA_EVENT_INTERPROCESS;
	return CUDA_CALL(cuda_of(vendor), cuEventCreate, event, cuda);
}

static struct sd_answer event_destroy(struct sd_vendor *vendor, void *event)
{
	return CUDA_CALL(cuda_of(vendor), cuEventDestroy_v2, event);
}

static struct sd_answer event_record(struct sd_vendor *vendor, void *stream, void *event)
{
	return CUDA_CALL(cuda_of(vendor), cuEventRecord, event, stream);
}

static struct sd_answer event_wait(struct sd_vendor *vendor, void *stream, void *event)
{
	return CUDA_CALL(cuda_of(vendor), cuStreamWaitEvent, stream, event, 0);
}

static struct sd_answer event_query(struct sd_vendor *vendor, void *event, bool *is_done)
{
	return as_query(CUDA_CALL(cuda_of(vendor), cuEventQuery, event), is_done);
}

static struct sd_answer event_elapsed(struct sd_vendor *vendor, void *start, void *end, float *ms)
{
	return CUDA_CALL(cuda_of(vendor), cuEventElapsedTime, ms, start, end);
}

/* ---- tasks ---- */

static struct sd_answer call_host(struct sd_vendor *vendor, void *stream, void (*function)(void *arg), void *arg)
{
	return CUDA_CALL_IF_THERE(cuda_of(vendor), cuLaunchHostFunc, stream, function, arg);
}

static struct sd_answer copy(struct sd_vendor *vendor, void *stream, const struct sd_task *task)
{
	struct cuda *cuda = cuda_of(vendor);
	sd_cuda_address to = (uintptr_t)task->target, from = (uintptr_t)task->source;

	switch (task->way) {
	case SD_COPY_HOST_TO_DEVICE: return CUDA_CALL(cuda, cuMemcpyHtoDAsync_v2, to, task->source, task->bytes, stream);
	case SD_COPY_DEVICE_TO_HOST: return CUDA_CALL(cuda, cuMemcpyDtoHAsync_v2, task->target, from, task->bytes, stream);
	case SD_COPY_DEVICE_TO_DEVICE: return CUDA_CALL(cuda, cuMemcpyDtoDAsync_v2, to, from, task->bytes, stream);
	case SD_COPY_HOST_TO_HOST: break;
	}
	return CUDA_CALL(cuda, cuMemcpyAsync, to, from, task->bytes, stream);
}

/* ---- the device ---- */

static void facts(struct sd_vendor *vendor, struct sd_device_facts *facts)
{
	struct cuda *cuda = cuda_of(vendor);
	const struct sd_device_facts *has = &cuda->options.has;
	size_t bytes_free = 0, bytes = 0;
	int cores = 0;

	facts->profile = has->profile;
	facts->tasks_per_stream_max = has->tasks_per_stream_max;
	facts->unlimited_depth = has->unlimited_depth;
	facts->streams_max = has->streams_max;
	facts->events_max = has->events_max;
	facts->notifies_max = has->notifies_max;
	if (cuda->api.cuMemGetInfo_v2 && cuda->api.cuMemGetInfo_v2(&bytes_free, &bytes) == 0) {
		facts->memory_bytes = bytes;
		facts->memory_free_bytes = bytes_free;
	}
	facts->cube_cores = has->cube_cores;
	facts->vector_cores = has->vector_cores;
	if (cuda->api.cuDeviceGetAttribute && cuda->api.cuDeviceGetAttribute(&cores, SD_CUDA_ATTRIBUTE_MULTIPROCESSORS, cuda->device) == 0)
		facts->cube_cores = facts->vector_cores = (uint32_t)cores;
}

static void drain(struct sd_vendor *vendor)
{
	cuda_of(vendor)->api.cuCtxSynchronize();
}

static void leave(struct cuda *cuda)
{
	cuda_memory_end(cuda);
	cuda_notifies_free(cuda);
	/* What fails once is tried again; there is nobody to keep it for. */
	if (cuda->context && cuda->api.cuDevicePrimaryCtxRelease_v2(cuda->device) != 0)
		cuda->api.cuDevicePrimaryCtxRelease_v2(cuda->device);
	pthread_mutex_destroy(&cuda->numbers);
	pthread_mutex_destroy(&cuda->words);
	free(cuda);
}

static void shut(struct sd_vendor *vendor)
{
	leave(cuda_of(vendor));
}

static const struct sd_vendor_port port = {
	.name = "cuda",
	.stream_flags = SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY | SD_STREAM_HEAD | SD_STREAM_FAST_LAUNCH | SD_STREAM_FAST_SYNC,
	.runs_persistent = true, .chooses_pages = true,
	.fail = fail, .enter = enter, .shut = shut, .facts = facts, .drain = drain,
	.stream_create = stream_create, .stream_destroy = stream_destroy, .stream_synchronize = stream_synchronize,
	.stream_query = stream_query, .stream_stop = stream_stop,
	.event = { EVENT_FLAGS, event_create, event_destroy, event_record, event_wait },
	.event_query = event_query, .event_synchronize = event_synchronize, .event_elapsed = event_elapsed,
	.notify = { 0, cuda_notify_create, cuda_notify_destroy, cuda_notify_record, cuda_notify_wait }, .notify_open = cuda_notify_open,
	.call_host = call_host, .copy = copy, .memory_alloc = cuda_memory_alloc, .memory_free = cuda_memory_free,
};

static const struct sd_device_ops ops = SD_VENDOR_OPS("cuda");

static const struct sd_symbol symbols[] = {
#define SD_X(name, answer, arguments, is_optional) { #name, offsetof(struct sd_cuda_api, name), is_optional },
	SD_CUDA_LIST(SD_X)
#undef SD_X
};

static struct sd_answer start(struct cuda *cuda)
{
	struct sd_answer answer = CUDA_CALL(cuda, cuInit, 0);

	if (answer.code == 0)
		answer = CUDA_CALL(cuda, cuDeviceGet, &cuda->device, cuda->options.device_id);
	if (answer.code == 0)
		answer = CUDA_CALL(cuda, cuDevicePrimaryCtxRetain, &cuda->context, cuda->device);
	if (answer.code != 0) {
		cuda->context = NULL;
		return answer;
	}
	answer = enter(&cuda->vendor);
	if (answer.code == 0)
		answer = CUDA_CALL(cuda, cuCtxGetStreamPriorityRange, &cuda->least, &cuda->greatest);
	if (answer.code == 0)
		answer = cuda_memory_start(cuda);
	return answer;
}

enum sd_status sd_cuda_open(const struct sd_cuda_options *options, struct sd_device **device, struct sd_diag *diag)
{
	static const struct sd_cuda_options none;
	struct cuda *cuda = calloc(1, sizeof(*cuda));
	const char *path;
	enum sd_status status;

	*device = NULL;
	if (!cuda)
		return sd_vendor_no_memory(diag);
	cuda->options = options ? *options : none;
	path = cuda->options.library ? cuda->options.library : USUAL_NAME;
	pthread_mutex_init(&cuda->words, NULL);
	pthread_mutex_init(&cuda->numbers, NULL);
	sd_vendor_begin(&cuda->vendor, &ops, &port, path);
	cuda->vendor.limit = cuda->options.has;
	status = sd_library_open(path, symbols, sizeof(symbols) / sizeof(symbols[0]), &cuda->api, diag);
	if (status == SD_OK)
		status = sd_vendor_check(&cuda->vendor, start(cuda), diag);
	if (status != SD_OK) {
		sd_vendor_end(&cuda->vendor);
		leave(cuda);
		return status;
	}
	*device = &cuda->vendor.device;
	return SD_OK;
}
