/* device_acl.h - Ascend: the device table over libascendcl.so, opened at run time.
 *
 * What the public interface (acl_rt.h of CANN) has and what this does with it:
 *   - flags of streams and events are translated; a stream cannot be HUGE, AICPU, OVERFLOW,
 *     VECTOR_CORE_USE, ACSQ_LOCK or DQS, for which the interface has no number (SD5001, SD5063).
 *     FORCE_COPY and HEAD change nothing there and are let through; FORBIDDEN_DEFAULT makes nothing.
 *   - tasks of a PERSISTENT stream wait until a model that the caller built and bound runs, and
 *     neither synchronize nor query says anything about them.
 *   - events are made by aclrtCreateEventExWithFlag: recorded again and again; an unrecorded wait
 *     is refused, and a reset takes effect for later calls, without the library.
 *   - holds are notifies: the k-th activation of a stream, in the order of the calls, opens its
 *     k-th hold; one for which no hold is enqueued yet does nothing.
 *   - a task with `run` is launched as a host function (aclrtLaunchHostFunc), since kernels are
 *     launched from binaries only; aclrtLaunchCallback with its threads of reports is not used. Other
 *     tasks than these and copies are UNIMPLEMENTED. `run` and `done` may not call the device.
 *   - a failure shows at the next synchronize; the fault names the first task of the stream that
 *     was not known to be done: it or a later one failed.
 *   - the device's clock is the host's; an event_elapsed is the device's own measure.
 *   - the context is set in every thread that calls, at each call.
 *   - if a batch fails in its middle, the tasks before it stay enqueued.
 * Symbols that may be missing: aclrtLaunchHostFunc, aclrtStreamStop, aclrtStreamAbort,
 * aclrtDestroyStreamForce (then destroyed without force), notifies, and all that only tells facts;
 * whoever needs one that is missing gets SD5051. */
#ifndef SD_DEVICE_ACL_H
#define SD_DEVICE_ACL_H

#include "streamd/device.h"

struct sd_acl_options {
	const char *library;     /* path; NULL: "libascendcl.so". Lives as long as the device */
	int32_t device_id;
	uint32_t busy_wait_ms;   /* before the second try of an open that finds the device busy; then 3 and 10 times as long. 0: 100 */
	struct sd_device_facts has; /* its profile and maxima hold where the library does not tell them; the rest is not looked at */
};

/* `options` may be NULL. Give it back with device->ops->close(), which destroys what is left.
 * UNAVAILABLE: no library (SD5050), or the device is busy (EL0005) at four tries (SD5052).
 * UNIMPLEMENTED: the library lacks a symbol (SD5051). */
enum sd_status sd_acl_open(const struct sd_acl_options *options, struct sd_device **device, struct sd_diag *diag);

#endif
