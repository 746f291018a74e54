/* device_sim.h - the simulated device: the machine model (machine.h) behind the device table.
 *
 * Its clock stands still while work is queued and moves only in stream_synchronize, event_synchronize,
 * stream_destroy (not forced), and in stream_query and event_query: a query that finds the work not
 * done lets time go on to the next end of an item. So the same calls give the same times, and a
 * program that polls gets on. Timeouts are of this clock. Where nothing can get on any more,
 * these calls say which wait it is that lasts for ever, and do not hang.
 *
 * Tasks are really done: KERNEL tasks with `run` call it, copies copy, in the order in which
 * they end. `run` and `done` are called within the call that moved the clock, and may themselves call
 * the device; they must not wait for another thread that does. A copy whose device side is not in
 * memory of the device fails as one that used an address that it may not use. A KERNEL that fails is not run.
 *
 * Streams that are PERSISTENT, AICPU or CP_PROCESS_USE run like others, and synchronize means
 * what it says for them too. AICPU streams have no queue of a bounded depth and count against no limit. */
#ifndef SD_DEVICE_SIM_H
#define SD_DEVICE_SIM_H

#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "streamd/device.h"
#include "streamd/machine.h"

/* What can be made to fail. TASK: a task that was taken fails when it ends. */
enum sd_sim_call {
	SD_SIM_STREAM_CREATE, SD_SIM_STREAM_DESTROY, SD_SIM_EVENT_CREATE, SD_SIM_EVENT_DESTROY, SD_SIM_NOTIFY_CREATE, SD_SIM_NOTIFY_DESTROY,
	SD_SIM_SUBMIT, SD_SIM_TASK, SD_SIM_RECORD, SD_SIM_WAIT, SD_SIM_SYNCHRONIZE, SD_SIM_MEMORY_ALLOC, SD_SIM_MEMORY_FREE, SD_SIM_CALLS,
};

/* The calls `first` .. `first + count - 1` of their kind (tasks in the order in which they are submitted). */
struct sd_sim_fault {
	enum sd_sim_call call;
	uint64_t first;        /* from 1 */
	uint64_t count;        /* 0: one; UINT64_MAX: all from there on */
	int64_t vendor_code;   /* 0: the usual one of the call */
};

struct sd_sim_options {
	struct sd_text profile;                /* row of the device profiles; empty: "default" */
	/* Each of these replaces the profile's figure; 0: the profile's. */
	uint32_t streams_max, events_max, notifies_max, tasks_per_stream_max, huge_streams_max;
	uint32_t tasks_per_huge_stream_max;    /* likewise; then the device has huge streams */
	uint64_t memory_bytes;                 /* 0: 1 GiB */
	const struct sd_machine_model *model;  /* NULL: the defaults. Its link and memory rates tell
	                                        * how long copies take that state no duration */
	const struct sd_sim_fault *faults;     /* copied */
	uint32_t fault_count;
	uint64_t seed;                         /* of faults that are drawn: */
	uint32_t fault_permille;               /* of each kind of call but SYNCHRONIZE */
};

/* NULL options: the default profile, no faults. INVALID_ARGUMENT (SD0113): no such profile. Close it
 * by its table; what is queued then is dropped. */
enum sd_status sd_sim_open(const struct sd_sim_options *options, struct sd_device **device, struct sd_diag *diag);

/* "stream_create": how a call is named; NULL past the last. */
const char *sd_sim_call_name(uint32_t call);

#endif
