#include "streamd/device_acl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl_api.h"
#include "device_vendor.h"
#include "streamd/stream_flags.h"
#include "streamd/vendor_errors.h"
#include "vendor_library.h"

#define USUAL_NAME "libascendcl.so"
#define BUSY_TRIES 4

struct acl {
	struct sd_vendor vendor; /* first member */
	struct sd_acl_api api;
	struct sd_acl_options options;
	void *context;
	bool is_set; /* the device */
};

static struct acl *acl_of(struct sd_vendor *vendor)
{
	return (struct acl *)vendor;
}

/* The library is initialised once a process, by the first device, and finalised by the last, unless
 * somebody else in the process had done it before. */
static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t process_devices;
static bool process_is_ours;

static struct sd_answer absent(const char *call)
{
	return (struct sd_answer){ call, SD_ANSWER_ABSENT };
}

#define CALL(acl, name, ...) ((struct sd_answer){ #name, (acl)->api.name(__VA_ARGS__) })
#define CALL_IF_THERE(acl, name, ...) ((acl)->api.name ? CALL(acl, name, __VA_ARGS__) : absent(#name))

static struct sd_answer enter(struct sd_vendor *vendor)
{
	return CALL(acl_of(vendor), aclrtSetCurrentContext, acl_of(vendor)->context);
}

static struct sd_answer stream_create(struct sd_vendor *vendor, int32_t priority, uint32_t flags, void **stream, int32_t *rt_id)
{
	struct acl *acl = acl_of(vendor);
	struct sd_answer answer = CALL(acl, aclrtCreateStreamWithConfig, stream, (uint32_t)priority, sd_stream_flags_to_acl(flags));

	if (answer.code != 0)
		return answer;
	answer = CALL(acl, aclrtStreamGetId, *stream, rt_id);
	if (answer.code != 0)
		acl->api.aclrtDestroyStream(*stream);
	return answer;
}

static struct sd_answer stream_destroy(struct sd_vendor *vendor, void *stream, bool force)
{
	struct acl *acl = acl_of(vendor);

	return force && acl->api.aclrtDestroyStreamForce ? CALL(acl, aclrtDestroyStreamForce, stream) : CALL(acl, aclrtDestroyStream, stream);
}

static int32_t to_ms(int64_t timeout_ms)
{
	return timeout_ms > INT32_MAX ? INT32_MAX : (int32_t)timeout_ms;
}

static struct sd_answer stream_synchronize(struct sd_vendor *vendor, void *stream, int64_t timeout_ms)
{
	return CALL(acl_of(vendor), aclrtSynchronizeStreamWithTimeout, stream, to_ms(timeout_ms));
}

static struct sd_answer stream_query(struct sd_vendor *vendor, void *stream, bool *is_done)
{
	int status = SD_ACL_STATUS_COMPLETE;
	struct sd_answer answer = CALL(acl_of(vendor), aclrtStreamQuery, stream, &status);

	*is_done = status == SD_ACL_STATUS_COMPLETE;
	return answer;
}

static struct sd_answer stream_abort(struct sd_vendor *vendor, void *stream)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtStreamAbort, stream);
}

static struct sd_answer stream_stop(struct sd_vendor *vendor, void *stream)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtStreamStop, stream);
}

/* The runtime's number of a flag of events, and the interface's. */
static const struct {
	uint32_t runtime, acl;
} event_flag[] = {
	{ SD_EVENT_STREAM_MARK, SD_ACL_EVENT_CAPTURE_STREAM_PROGRESS }, { SD_EVENT_SYNC, SD_ACL_EVENT_SYNC },
	{ SD_EVENT_TIME_LINE, SD_ACL_EVENT_TIME_LINE },                 { SD_EVENT_DEVICE_USE, SD_ACL_EVENT_DEVICE_USE_ONLY },
	{ SD_EVENT_EXTERNAL, SD_ACL_EVENT_EXTERNAL },                   { SD_EVENT_IPC, SD_ACL_EVENT_IPC },
};
#define EVENT_DEFAULT (SD_EVENT_STREAM_MARK | SD_EVENT_SYNC | SD_EVENT_TIME_LINE)
#define EVENT_FLAGS (EVENT_DEFAULT | SD_EVENT_DEVICE_USE | SD_EVENT_EXTERNAL | SD_EVENT_IPC)

static struct sd_answer event_create(struct sd_vendor *vendor, uint32_t flags, void **event)
{
	uint32_t acl = 0;

	flags = flags ? flags : EVENT_DEFAULT;
	for (size_t i = 0; i < sizeof(event_flag) / sizeof(event_flag[0]); i++)
		acl |= flags & event_flag[i].runtime ? event_flag[i].acl : 0;
	return CALL(acl_of(vendor), aclrtCreateEventExWithFlag, event, acl);
}

static struct sd_answer event_destroy(struct sd_vendor *vendor, void *event)
{
	return CALL(acl_of(vendor), aclrtDestroyEvent, event);
}

static struct sd_answer event_record(struct sd_vendor *vendor, void *stream, void *event)
{
	return CALL(acl_of(vendor), aclrtRecordEvent, event, stream);
}

static struct sd_answer event_wait(struct sd_vendor *vendor, void *stream, void *event)
{
	return CALL(acl_of(vendor), aclrtStreamWaitEvent, stream, event);
}

static struct sd_answer event_query(struct sd_vendor *vendor, void *event, bool *is_done)
{
	int status = SD_ACL_EVENT_RECORDED_COMPLETE;
	struct sd_answer answer = CALL(acl_of(vendor), aclrtQueryEventStatus, event, &status);

	*is_done = status == SD_ACL_EVENT_RECORDED_COMPLETE;
	return answer;
}

static struct sd_answer event_synchronize(struct sd_vendor *vendor, void *event, int64_t timeout_ms)
{
	return CALL(acl_of(vendor), aclrtSynchronizeEventWithTimeout, event, to_ms(timeout_ms));
}

static struct sd_answer event_elapsed(struct sd_vendor *vendor, void *start, void *end, float *ms)
{
	return CALL(acl_of(vendor), aclrtEventElapsedTime, ms, start, end);
}

static struct sd_answer notify_create(struct sd_vendor *vendor, uint32_t flags, void **notify)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtCreateNotify, notify, SD_ACL_NOTIFY_DEFAULT);
}

static struct sd_answer notify_destroy(struct sd_vendor *vendor, void *notify)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtDestroyNotify, notify);
}

static struct sd_answer notify_record(struct sd_vendor *vendor, void *stream, void *notify)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtRecordNotify, notify, stream);
}

static struct sd_answer notify_wait(struct sd_vendor *vendor, void *stream, void *notify)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtWaitAndResetNotify, notify, stream, 0 /* for ever */);
}

static struct sd_answer call_host(struct sd_vendor *vendor, void *stream, void (*function)(void *arg), void *arg)
{
	return CALL_IF_THERE(acl_of(vendor), aclrtLaunchHostFunc, stream, function, arg);
}

static struct sd_answer copy(struct sd_vendor *vendor, void *stream, const struct sd_task *task)
{
	static const enum sd_acl_copy way[] = {
		[SD_COPY_HOST_TO_DEVICE] = SD_ACL_HOST_TO_DEVICE, [SD_COPY_DEVICE_TO_HOST] = SD_ACL_DEVICE_TO_HOST,
		[SD_COPY_DEVICE_TO_DEVICE] = SD_ACL_DEVICE_TO_DEVICE, [SD_COPY_HOST_TO_HOST] = SD_ACL_HOST_TO_HOST,
	};

	return CALL(acl_of(vendor), aclrtMemcpyAsync, task->target, task->bytes, task->source, task->bytes, (int)way[task->way], stream);
}

static struct sd_answer memory_alloc(struct sd_vendor *vendor, uint64_t bytes, enum sd_page_policy policy, void **memory)
{
	return CALL(acl_of(vendor), aclrtMalloc, memory, bytes, (int)policy); /* the first three have the same numbers there */
}

static struct sd_answer memory_free(struct sd_vendor *vendor, void *memory)
{
	return CALL(acl_of(vendor), aclrtFree, memory);
}

static enum sd_status fail(struct sd_vendor *vendor, struct sd_diag *diag, const char *call, int64_t code)
{
	return sd_vendor_fail(diag, call, code);
}

static uint32_t cores(struct acl *acl, int attribute, uint32_t stated)
{
	int64_t value = 0;

	if (acl->api.aclrtGetDeviceInfo && acl->api.aclrtGetDeviceInfo((uint32_t)acl->options.device_id, attribute, &value) == 0 && value > 0)
		return (uint32_t)value;
	return stated;
}

static void facts(struct sd_vendor *vendor, struct sd_device_facts *facts)
{
	struct acl *acl = acl_of(vendor);
	const struct sd_device_facts *has = &acl->options.has;
	size_t bytes_free = 0, bytes = 0;
	uint32_t left = 0;

	facts->profile = has->profile;
	facts->tasks_per_stream_max = has->tasks_per_stream_max;
	facts->unlimited_depth = has->unlimited_depth;
	facts->notifies_max = has->notifies_max;
	facts->streams_max = has->streams_max;
	if (acl->api.aclrtGetStreamAvailableNum && acl->api.aclrtGetStreamAvailableNum(&left) == 0)
		facts->streams_max = facts->streams_used + left;
	facts->events_max = has->events_max;
	if (acl->api.aclrtGetEventAvailNum && acl->api.aclrtGetEventAvailNum(&left) == 0)
		facts->events_max = facts->events_used + left;
	if (acl->api.aclrtGetMemInfo && acl->api.aclrtGetMemInfo(SD_ACL_HBM_MEM, &bytes_free, &bytes) == 0) {
		facts->memory_bytes = bytes;
		facts->memory_free_bytes = bytes_free;
	}
	facts->cube_cores = cores(acl, SD_ACL_DEV_ATTR_CUBE_CORES, has->cube_cores);
	facts->vector_cores = cores(acl, SD_ACL_DEV_ATTR_VECTOR_CORES, has->vector_cores);
}

/* Undoes as much as was done. */
static void leave(struct acl *acl)
{
	if (acl->context && acl->api.aclrtDestroyContext(acl->context) != 0)
		acl->api.aclrtDestroyContext(acl->context);
	if (acl->is_set)
		acl->api.aclrtResetDevice(acl->options.device_id);
	pthread_mutex_lock(&process_lock);
	if (--process_devices == 0 && process_is_ours) {
		acl->api.aclFinalize();
		process_is_ours = false;
	}
	pthread_mutex_unlock(&process_lock);
}

static void shut(struct sd_vendor *vendor)
{
	leave(acl_of(vendor));
	free(vendor);
}

static const struct sd_vendor_port port = {
	.name = "acl",
	.stream_flags = SD_STREAM_PERSISTENT | SD_STREAM_FORCE_COPY | SD_STREAM_HEAD | SD_STREAM_FAST_LAUNCH | SD_STREAM_FAST_SYNC | SD_STREAM_CP_PROCESS_USE,
	.fail = fail, .enter = enter, .shut = shut, .facts = facts,
	.stream_create = stream_create, .stream_destroy = stream_destroy, .stream_synchronize = stream_synchronize,
	.stream_query = stream_query, .stream_abort = stream_abort, .stream_stop = stream_stop,
	.event = { EVENT_FLAGS, event_create, event_destroy, event_record, event_wait },
	.event_query = event_query, .event_synchronize = event_synchronize, .event_elapsed = event_elapsed,
	.notify = { 0, notify_create, notify_destroy, notify_record, notify_wait },
	.call_host = call_host, .copy = copy, .memory_alloc = memory_alloc, .memory_free = memory_free,
};

static const struct sd_device_ops ops = SD_VENDOR_OPS("acl");

static const struct sd_symbol symbols[] = {
#define SD_X(name, answer, arguments, is_optional) { #name, offsetof(struct sd_acl_api, name), is_optional },
	SD_ACL_LIST(SD_X)
#undef SD_X
};

/* Initialises the library unless this process did. */
static struct sd_answer initialise(struct acl *acl)
{
	struct sd_answer answer = { "aclInit", 0 };

	pthread_mutex_lock(&process_lock);
	if (process_devices == 0) {
		answer = CALL(acl, aclInit, NULL);
		process_is_ours = answer.code == 0;
	}
	if (answer.code == SD_ACL_REPEAT_INITIALIZE)
		answer.code = 0;
	process_devices += answer.code == 0;
	pthread_mutex_unlock(&process_lock);
	return answer;
}

/* One try; nothing is left of it if it fails. */
static struct sd_answer start(struct acl *acl)
{
	struct sd_answer answer = initialise(acl);

	if (answer.code != 0)
		return answer;
	answer = CALL(acl, aclrtSetDevice, acl->options.device_id);
	acl->is_set = answer.code == 0;
	if (answer.code == 0)
		answer = CALL(acl, aclrtCreateContext, &acl->context, acl->options.device_id);
	if (answer.code != 0) {
		acl->context = NULL;
		leave(acl);
	}
	return answer;
}

static bool is_busy(struct acl *acl)
{
	const char *message = acl->api.aclGetRecentErrMsg();

	return message && strstr(message, "EL0005");
}

static void sleep_ms(uint32_t ms)
{
	struct timespec left = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&left, &left) != 0)
		;
}

/* A device that another process just left, or that is being reset, is worth waiting for. */
static enum sd_status start_patiently(struct acl *acl, struct sd_diag *diag)
{
	static const uint32_t factor[BUSY_TRIES - 1] = { 1, 3, 10 };
	uint32_t wait_ms = acl->options.busy_wait_ms ? acl->options.busy_wait_ms : 100;
	struct sd_answer answer;

	for (uint32_t i = 0; i < BUSY_TRIES; i++) {
		answer = start(acl);
		if (answer.code == 0 || !is_busy(acl))
			return sd_vendor_check(&acl->vendor, answer, diag);
		if (i < BUSY_TRIES - 1)
			sleep_ms(wait_ms * factor[i]);
	}
	return SD_FAIL3(diag, SD_CODE_DEVICE_BUSY, SD_NO_NODE, sd_arg_int(acl->options.device_id), sd_arg_words(answer.call), sd_arg_int(answer.code));
}

enum sd_status sd_acl_open(const struct sd_acl_options *options, struct sd_device **device, struct sd_diag *diag)
{
	static const struct sd_acl_options none;
	struct acl *acl = calloc(1, sizeof(*acl));
	const char *path;
	enum sd_status status;

	*device = NULL;
	if (!acl)
		return sd_vendor_no_memory(diag);
	acl->options = options ? *options : none;
	path = acl->options.library ? acl->options.library : USUAL_NAME;
	sd_vendor_begin(&acl->vendor, &ops, &port, path);
	status = sd_library_open(path, symbols, sizeof(symbols) / sizeof(symbols[0]), &acl->api, diag);
	if (status == SD_OK)
		status = start_patiently(acl, diag);
	if (status != SD_OK) {
		sd_vendor_end(&acl->vendor);
		free(acl);
		return status;
	}
	*device = &acl->vendor.device;
	return SD_OK;
}
