/* failing_device.h - a device that hands everything on to another one, but for one call, which fails before it does anything.
 *
 * Calls are counted in the order in which they are made, all kinds alike; what tells facts and times cannot fail. */
#ifndef SD_FAILING_DEVICE_H
#define SD_FAILING_DEVICE_H

#include "streamd/device.h"

static struct failing {
	struct sd_device device;
	struct sd_device *inner;
	unsigned calls, fail_at; /* 0: none */
	enum sd_status with;
	const char *failed;      /* what did */
} failing;

static inline bool fails_now(const char *call, struct sd_diag *diag)
{
	if (++failing.calls != failing.fail_at)
		return false;
	failing.failed = call;
	if (failing.with == SD_RESOURCE_EXHAUSTED)
		SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("of what the test takes away"));
	else
		SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("the test lets this call fail"));
	return true;
}

/* A call that may fail: NAME, its parameters behind the device, and the same as arguments. */
#define FAILING_CALL(name, parameters, arguments)                                                         \
	static inline enum sd_status failing_##name parameters                                            \
	{                                                                                                 \
		return fails_now(#name, diag) ? failing.with : failing.inner->ops->name arguments;        \
	}
#define D struct sd_device *d
#define IN failing.inner
FAILING_CALL(stream_create, (D, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag),
             (IN, priority, flags, stream, rt_id, diag))
FAILING_CALL(stream_destroy, (D, sd_handle stream, bool force, struct sd_diag *diag), (IN, stream, force, diag))
FAILING_CALL(stream_synchronize, (D, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag), (IN, stream, timeout_ms, diag))
FAILING_CALL(stream_query, (D, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag), (IN, stream, progress, diag))
FAILING_CALL(stream_abort, (D, sd_handle stream, struct sd_diag *diag), (IN, stream, diag))
FAILING_CALL(stream_hold, (D, sd_handle stream, struct sd_diag *diag), (IN, stream, diag))
FAILING_CALL(activate, (D, sd_handle stream, sd_handle started, struct sd_diag *diag), (IN, stream, started, diag))
FAILING_CALL(submit, (D, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag), (IN, stream, task, count, diag))
FAILING_CALL(event_create, (D, uint32_t flags, sd_handle *event, struct sd_diag *diag), (IN, flags, event, diag))
FAILING_CALL(event_destroy, (D, sd_handle event, struct sd_diag *diag), (IN, event, diag))
FAILING_CALL(event_record, (D, sd_handle stream, sd_handle event, struct sd_diag *diag), (IN, stream, event, diag))
FAILING_CALL(event_wait, (D, sd_handle stream, sd_handle event, struct sd_diag *diag), (IN, stream, event, diag))
FAILING_CALL(notify_create, (D, uint32_t flags, sd_handle *notify, struct sd_diag *diag), (IN, flags, notify, diag))
FAILING_CALL(notify_destroy, (D, sd_handle notify, struct sd_diag *diag), (IN, notify, diag))
FAILING_CALL(notify_record, (D, sd_handle stream, sd_handle notify, struct sd_diag *diag), (IN, stream, notify, diag))
FAILING_CALL(notify_wait, (D, sd_handle stream, sd_handle notify, struct sd_diag *diag), (IN, stream, notify, diag))

static inline void failing_facts(D, struct sd_device_facts *facts)
{
	IN->ops->facts(IN, facts);
}

static inline uint64_t failing_now_ns(D)
{
	return IN->ops->now_ns(IN);
}

static inline void failing_take_fault(D, struct sd_device_fault *fault)
{
	IN->ops->take_fault(IN, fault);
}

/* In front of a device that stays the caller's. From here on calls are counted anew. */
static inline struct sd_device *failing_device(struct sd_device *inner, unsigned fail_at, enum sd_status with)
{
	static const struct sd_device_ops ops = {
		.name = "failing", .facts = failing_facts, .now_ns = failing_now_ns, .take_fault = failing_take_fault,
		.stream_create = failing_stream_create, .stream_destroy = failing_stream_destroy, .stream_synchronize = failing_stream_synchronize,
		.stream_query = failing_stream_query, .stream_abort = failing_stream_abort, .stream_hold = failing_stream_hold,
		.activate = failing_activate, .submit = failing_submit, .event_create = failing_event_create, .event_destroy = failing_event_destroy,
		.event_record = failing_event_record, .event_wait = failing_event_wait, .notify_create = failing_notify_create,
		.notify_destroy = failing_notify_destroy, .notify_record = failing_notify_record, .notify_wait = failing_notify_wait,
	};

	failing = (struct failing){ { &ops }, inner, 0, fail_at, with, "" };
	return &failing.device;
}
#undef D
#undef IN
#undef FAILING_CALL

#endif
