/* acl_standin - libascendcl.so in this process, for tests of the device `acl`. */
#include "acl_api.h"

#include "standin.h"

#define DEVICES 2
#define ABSENT_FLAGS (~0x3fu)
#define STREAM_KEPT 0x04u      /* PERSISTENT */
#define STREAM_OF_DEVICE 0x20u /* DEVICE_USE_ONLY */

const struct standin_codes standin_codes = {
	.bad_argument = 107000, .no_context = 107002, .bad_handle = 107003,
	.exhausted = { [STANDIN_CONTEXT] = 207005, [STANDIN_STREAM] = 207008, [STANDIN_EVENT] = 207007, [STANDIN_NOTIFY] = 207009, [STANDIN_MEMORY] = 207001 },
	.timeout = 507046, .not_ready = 0, .unrecorded = 107000,
};

static int initialised;

#define X(name, answer, arguments, is_optional) STANDIN_EXPORT answer name arguments;
SD_ACL_LIST(X)
#undef X

/* Begins a call that needs the library, and a context or not. */
#define BEGIN(needs_context)                                                       \
	do {                                                                       \
		int64_t code_ = standin_begin(__func__, needs_context);            \
		if (code_ == 0 && !initialised) {                                  \
			standin_complain(__func__, "aclInit was not called");      \
			code_ = 100001;                                            \
		}                                                                  \
		if (code_)                                                         \
			return (int)code_;                                         \
	} while (0)
#define CHECK(object, kind)                                                        \
	do {                                                                       \
		int64_t code_ = standin_check(__func__, object, kind);             \
		if (code_)                                                         \
			return (int)code_;                                         \
	} while (0)
#define REQUIRE(condition, what)                                                   \
	do {                                                                       \
		if (!(condition)) {                                                \
			standin_complain(__func__, what);                          \
			return (int)standin_codes.bad_argument;                    \
		}                                                                  \
	} while (0)

int aclInit(const char *config)
{
	int64_t code = standin_begin(__func__, false);

	if (code)
		return (int)code;
	if (initialised)
		return SD_ACL_REPEAT_INITIALIZE;
	initialised = 1;
	return 0;
}

int aclFinalize(void)
{
	BEGIN(false);
	initialised = 0;
	standin_end(__func__);
	return 0;
}

const char *aclGetRecentErrMsg(void)
{
	return standin_message();
}

int aclrtSetDevice(int32_t device)
{
	BEGIN(false);
	return device >= 0 && device < DEVICES ? 0 : 107001;
}

int aclrtResetDevice(int32_t device)
{
	BEGIN(false);
	return 0;
}

int aclrtCreateContext(void **context, int32_t device)
{
	BEGIN(false);
	return (int)standin_make(STANDIN_CONTEXT, 0, 0, context);
}

int aclrtDestroyContext(void *context)
{
	BEGIN(false);
	return (int)standin_destroy(__func__, context, STANDIN_CONTEXT);
}

int aclrtSetCurrentContext(void *context)
{
	BEGIN(false);
	CHECK(context, STANDIN_CONTEXT);
	standin_set_context(context);
	return 0;
}

int aclrtCreateStreamWithConfig(void **stream, uint32_t priority, uint32_t flags)
{
	int64_t code;

	BEGIN(true);
	REQUIRE(priority <= 7, "the priority is not 0..7");
	REQUIRE(!(flags & ABSENT_FLAGS), "there is no such flag");
	code = standin_make(STANDIN_STREAM, flags, (int32_t)priority, stream);
	if (code == 0 && (flags & STREAM_KEPT))
		standin_keep_only(*stream);
	return (int)code;
}

int aclrtStreamGetId(void *stream, int32_t *id)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	*id = standin_id(stream);
	return 0;
}

int aclrtDestroyStream(void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	if (!standin_stream_is_done(stream))
		standin_complain(__func__, "the stream has work yet");
	return (int)standin_destroy(__func__, stream, STANDIN_STREAM);
}

int aclrtDestroyStreamForce(void *stream)
{
	BEGIN(true);
	return (int)standin_destroy(__func__, stream, STANDIN_STREAM);
}

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t ms)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(ms == -1 || ms > 0, "the time to wait is neither -1 nor above 0");
	return (int)standin_synchronize_stream(stream, ms);
}

int aclrtStreamQuery(void *stream, int *status)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	*status = standin_stream_is_done(stream) ? 0 : 1;
	return 0;
}

int aclrtStreamAbort(void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	if (standin_drop(stream))
		standin_tell(stream, 107023);
	return 0;
}

int aclrtStreamStop(void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	return standin_flags(stream) & STREAM_OF_DEVICE ? 0 : 207000;
}

int aclrtCreateEventExWithFlag(void **event, uint32_t flags)
{
	BEGIN(true);
	REQUIRE(flags && !(flags & ~0x7bu), "there is no such flag");
	REQUIRE(!(flags & 0x70u) || !(flags & (flags - 1)), "DEVICE_USE_ONLY, EXTERNAL and IPC go alone");
	return (int)standin_make(STANDIN_EVENT, flags, 0, event);
}

int aclrtDestroyEvent(void *event)
{
	BEGIN(true);
	return (int)standin_destroy(__func__, event, STANDIN_EVENT);
}

int aclrtRecordEvent(void *event, void *stream)
{
	BEGIN(true);
	CHECK(event, STANDIN_EVENT);
	CHECK(stream, STANDIN_STREAM);
	standin_record(stream, event);
	return 0;
}

int aclrtStreamWaitEvent(void *stream, void *event)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	CHECK(event, STANDIN_EVENT);
	REQUIRE(standin_flags(event) & SD_ACL_EVENT_SYNC, "the event is not one to wait for (SYNC)");
	return (int)standin_wait_event(__func__, stream, event);
}

int aclrtQueryEventStatus(void *event, int *status)
{
	BEGIN(true);
	CHECK(event, STANDIN_EVENT);
	*status = standin_event_is_done(event) ? 1 : 0;
	return 0;
}

int aclrtSynchronizeEventWithTimeout(void *event, int32_t ms)
{
	BEGIN(true);
	CHECK(event, STANDIN_EVENT);
	REQUIRE(ms == -1 || ms > 0, "the time to wait is neither -1 nor above 0");
	return standin_synchronize_event(event, ms) ? 507047 : 0;
}

int aclrtEventElapsedTime(float *ms, void *start, void *end)
{
	uint64_t from = 0, to = 0;

	BEGIN(true);
	CHECK(start, STANDIN_EVENT);
	CHECK(end, STANDIN_EVENT);
	REQUIRE(standin_flags(start) & standin_flags(end) & SD_ACL_EVENT_TIME_LINE, "the event takes no time (TIME_LINE)");
	if (!standin_event_time(start, &from) || !standin_event_time(end, &to))
		return 107006;
	*ms = (float)((double)((int64_t)(to - from)) / 1e6);
	return to < from ? 107007 : 0;
}

int aclrtCreateNotify(void **notify, uint64_t flags)
{
	BEGIN(true);
	REQUIRE(flags == SD_ACL_NOTIFY_DEFAULT, "the flags of a notify are 0");
	return (int)standin_make(STANDIN_NOTIFY, 0, 0, notify);
}

int aclrtDestroyNotify(void *notify)
{
	BEGIN(true);
	return (int)standin_destroy(__func__, notify, STANDIN_NOTIFY);
}

int aclrtRecordNotify(void *notify, void *stream)
{
	BEGIN(true);
	CHECK(notify, STANDIN_NOTIFY);
	CHECK(stream, STANDIN_STREAM);
	standin_write(stream, notify);
	return 0;
}

int aclrtWaitAndResetNotify(void *notify, void *stream, uint32_t seconds)
{
	BEGIN(true);
	CHECK(notify, STANDIN_NOTIFY);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(seconds == 0, "the device waits for ever");
	standin_wait_write(stream, notify);
	return 0;
}

int aclrtLaunchHostFunc(void *stream, void (*function)(void *arg), void *arg)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	standin_host(stream, function, arg);
	return 0;
}

int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, int kind, void *stream)
{
	BEGIN(true);
	CHECK(stream, STANDIN_STREAM);
	REQUIRE(to && from && bytes && bytes <= room && kind >= 0 && kind <= 3, "it is no copy");
	standin_copy(stream, to, from, bytes);
	return 0;
}

int aclrtMalloc(void **memory, size_t bytes, int policy)
{
	BEGIN(true);
	REQUIRE(bytes, "0 bytes are asked for");
	REQUIRE(policy >= 0 && policy <= 2, "there is no such policy");
	return (int)standin_malloc(STANDIN_MEMORY, bytes, memory);
}

int aclrtFree(void *memory)
{
	BEGIN(true);
	return (int)standin_free(__func__, STANDIN_MEMORY, memory);
}

int aclrtGetStreamAvailableNum(uint32_t *count)
{
	BEGIN(true);
	*count = 1984 - standin_live(STANDIN_STREAM);
	return 0;
}

int aclrtGetEventAvailNum(uint32_t *count)
{
	BEGIN(true);
	*count = 65536 - standin_live(STANDIN_EVENT);
	return 0;
}

int aclrtGetMemInfo(int kind, size_t *bytes_free, size_t *total)
{
	BEGIN(true);
	REQUIRE(kind == SD_ACL_HBM_MEM, "there is no such memory");
	*bytes_free = (size_t)60 << 30;
	*total = (size_t)64 << 30;
	return 0;
}

int aclrtGetDeviceInfo(uint32_t device, int attribute, int64_t *value)
{
	BEGIN(false);
	*value = attribute == SD_ACL_DEV_ATTR_CUBE_CORES ? 24 : 48;
	return 0;
}
