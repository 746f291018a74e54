/* device_host.h - this machine as a device: its threads really run the tasks.
 *
 * A bounded number of threads are its cores. A task that computes (KERNEL, COPY of bytes, a
 * COLLECTIVE with `run`) holds one of them until it is done, whatever cores of a chip it states;
 * what only takes time (SLEEP, a COLLECTIVE without `run`, a COPY of no bytes) holds none,
 * and neither does a stream that waits. A free core takes, of the tasks at the heads of streams,
 * the one of the most urgent stream, of equally urgent ones that with the lowest number; nothing is
 * pre-empted. Collectives of one communicator run one after the other.
 *
 * Where a chip and this machine differ: PERSISTENT streams run at once, since no model is bound
 * here; `run` cannot be ended from outside, so that an aborted stream first ends it; a failed task
 * lets its stream go on (failure mode CONTINUE). `done` is called from a thread of the device,
 * before anybody is told that the stream is done; it may enqueue, and must not wait.
 *
 * Waits that can never end are told: when nothing runs and nothing could, for `stuck_after_ms` in
 * which nobody enqueues anything, synchronize answers FAILED_PRECONDITION and names the wait. */
#ifndef SD_DEVICE_HOST_H
#define SD_DEVICE_HOST_H

#include "streamd/device.h"

#define SD_HOST_CORES_MAX 1024u

/* The k-th such call fails, from 1; 0: none does. For tests of those who use a device. */
struct sd_host_faults {
	uint64_t stream_create, event_create, notify_create, memory_alloc; /* RESOURCE_EXHAUSTED */
	uint64_t submit;                                                   /* RESOURCE_EXHAUSTED, nothing was taken */
	uint64_t task;                                                     /* the k-th task that is begun fails: INTERNAL */
};

struct sd_host_options {
	struct sd_device_facts has; /* its profile and maxima hold; the rest is not looked at */
	uint32_t cores;             /* threads that run tasks, at most SD_HOST_CORES_MAX; 0: one for each core of this machine */
	uint32_t stuck_after_ms;    /* 0: 250 */
	struct sd_host_faults fault;
};

/* `options` may be NULL: no limits. Give it back with device->ops->close(), which drops what is
 * queued, waits for what runs, and frees streams, events and memory that were left. */
enum sd_status sd_host_open(const struct sd_host_options *options, struct sd_device **device, struct sd_diag *diag);

#endif
