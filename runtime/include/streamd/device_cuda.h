/* device_cuda.h - CUDA: the device table over the driver's library (libcuda.so.1), opened at run time.
 *
 * What the driver's interface has and what this does with it:
 *   - priorities: both number spaces call the smaller number the more urgent one. 0 is the greatest
 *     priority of the device (such as -5), 7 its least one (0), the rest evenly between them.
 *   - all streams are made NON_BLOCKING. PERSISTENT, FORCE_COPY, HEAD, FAST_LAUNCH and FAST_SYNC
 *     change nothing: tasks of a PERSISTENT stream run like others, and synchronize means what it says.
 *     FORBIDDEN_DEFAULT makes nothing. Streams with other flags are refused (SD5001, SD5063).
 *   - events take their time unless they are made with flags that leave TIME_LINE (0x8) out; IPC (0x40)
 *     takes none. A reset takes effect for later calls, without the library.
 *   - notifies, of which holds are made, are words of memory that streams write and wait for. A record is
 *     a wait's own: the k-th record ends the k-th wait.
 *   - nothing that was enqueued can be taken back. An abort drops the functions that did not begin,
 *     opens the holds of the stream and returns; copies are still made, so synchronize before their
 *     memory is given away. A destroy by force does the same, and waits (30 s at most). Stop is
 *     UNIMPLEMENTED.
 *   - a wait with a time asks again and again; one for ever sleeps in the driver.
 *   - a task with `run` is launched as a host function; other tasks than these and copies are
 *     UNIMPLEMENTED. `run` and `done` may not call the device.
 *   - memory comes from the device's pool of memory where it has one, in the order of a stream of this
 *     device, which is waited for; a block is given back when nothing uses it any more. Pages are the driver's
 *     choice: HUGE_FIRST and NORMAL_FIRST are the same, HUGE_ONLY and NORMAL_ONLY UNIMPLEMENTED.
 *   - the context is the device's primary one, shared with whoever else in the process uses the
 *     device, and set in every thread that calls, at each call. Close waits until all its work is done.
 *   - cube_cores and vector_cores are both the device's multiprocessors.
 * Symbols that may be missing: cuLaunchHostFunc, cuStreamWaitValue32_v2, cuStreamWriteValue32_v2 and memory of the
 * host for the words (notifies), cuMemAllocAsync (then cuMemAlloc), and all that only tells facts; whoever
 * needs one that is missing gets SD5051. */
#ifndef SD_DEVICE_CUDA_H
#define SD_DEVICE_CUDA_H

#include "streamd/device.h"

struct sd_cuda_options {
	const char *library;     /* path; NULL: "libcuda.so.1". Lives as long as the device */
	int32_t device_id;
	/* Its profile and maxima hold, since the driver tells none: what would be one more is refused (SD5010). The rest is not looked at. */
	struct sd_device_facts has;
};

/* `options` may be NULL. Give it back with device->ops->close(), which destroys what is left.
 * UNAVAILABLE: no library (SD5050). UNIMPLEMENTED: the library lacks a symbol (SD5051). */
enum sd_status sd_cuda_open(const struct sd_cuda_options *options, struct sd_device **device, struct sd_diag *diag);

#endif
