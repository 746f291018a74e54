/* task_queue.h - launches in front of a device: asynchronous, in batches, bounded.
 *
 * A queue is itself a device, put in front of another one; whoever enqueues on it does not wait
 * while the device behind takes what it is given: a thread of the queue hands over. Numbers of
 * streams, events, notifies and memory are those of the device behind.
 *
 *   Batches     tasks of a stream that follow each other go over together: at 64 of them, at whatever
 *               else is enqueued on the stream (a record, a wait, ...), when somebody asks for the
 *               stream (synchronize, query, destroy), or at a tick. Never across streams, nor over an
 *               event, notify, hold or activation.
 *   Order       a stream's entries go over as they were enqueued, by whichever threads; so does what
 *               concerns one event, one notify, or the holds of one stream, over all streams. Beyond
 *               that the most urgent stream goes first, of equally urgent ones that with the lowest number.
 *   Bound       a stream holds `depth` entries. When they are used up, enqueueing waits for `full_wait_ms`
 *               (DEADLINE_EXCEEDED), or is refused at once (RESOURCE_EXHAUSTED).
 *   Retries     what the device refuses for want of room is given again, in smaller batches, until it
 *               takes it; if it refuses a stream that has nothing queued, that is a failure.
 *   Waits       a caller is told that it waits for ever (device_host.h) only when the device says so while
 *               nothing is yet to go over.
 *   Failures    what the device did not take is told by the stream's next synchronize, and `done` of
 *               those tasks is called with the status. Every failure that a thread is told is kept for
 *               it (last_error.h). */
#ifndef SD_TASK_QUEUE_H
#define SD_TASK_QUEUE_H

#include "streamd/device.h"
#include "streamd/last_error.h"

#define SD_TASK_QUEUE_BATCH 64u
#define SD_TASK_QUEUE_DEPTH 1024u
#define SD_TASK_QUEUE_DEPTH_MAX (1u << 20)
#define SD_TASK_QUEUE_REFUSES 0 /* as full_wait_ms */

struct sd_task_queue_options {
	bool launches_alone;  /* launch_aggregation=off: each task is a submission of its own */
	uint32_t depth;       /* entries of a stream; 0: SD_TASK_QUEUE_DEPTH */
	int64_t full_wait_ms; /* SD_TASK_QUEUE_REFUSES, above 0, or SD_FOR_EVER */
};

/* `behind` stays the caller's and is closed after the queue. Closing the queue drops what was not
 * handed over (`done` is called with ABORTED). `options` may be NULL:
 * defaults, and whoever finds the queue full waits. */
enum sd_status sd_task_queue_open(const struct sd_task_queue_options *options, struct sd_device *behind, struct sd_device **queue, struct sd_diag *diag);

/* Hands over all that is collected; returns at once. */
void sd_task_queue_tick(struct sd_device *queue);

struct sd_task_queue_stats {
	uint64_t enqueued;      /* entries of any kind */
	uint64_t batches, tasks, largest_batch; /* handed over */
	uint64_t retries;       /* of what the device refused for want of room */
	uint64_t refused, waits; /* for want of room in the queue: refused, waited for */
	uint64_t failed;        /* entries that the device did not take */
};
void sd_task_queue_stats(struct sd_device *queue, struct sd_task_queue_stats *stats);

#endif
