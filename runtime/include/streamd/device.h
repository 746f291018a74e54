/* device.h - what a device does, as one table of functions.
 *
 * The runtime knows devices through this table alone. It has four fillings: `sim` (a clock of its
 * own, the same run every time), `host` (threads of this machine really run the tasks), `acl`
 * (Ascend, libascendcl opened at run time) and `cuda` (libcuda opened at run time).
 *
 * Streams run what they are given in order; different streams run beside each other unless events
 * or notifies order them. All that enqueues (launch, record, wait, activate) answers at once and
 * says only whether it was taken; how the work ended is told by synchronize and last_error.
 *
 * Handles are numbers: 0 is none, and a handle is never given twice, so that one that was
 * destroyed cannot be taken for another (the fillings keep the vendor's pointers to themselves).
 *
 * Every function may be called from any thread. Times are nanoseconds unless a name says _ms;
 * timeout_ms is above 0, or SD_FOR_EVER. Errors are statuses with a diagnostic, the vendor's own
 * number among its arguments. */
#ifndef SD_DEVICE_H
#define SD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "streamd/machine.h"

struct sd_device;

typedef uint64_t sd_handle;
#define SD_NO_HANDLE UINT64_C(0)
#define SD_FOR_EVER (-1)

/* Flags of a stream as the runtime numbers them; those of the public ACL interface differ and are
 * translated at the border (stream_flags.h). */
enum sd_stream_flag {
	SD_STREAM_PERSISTENT = 0x0001,        /* tasks are kept until a bound model runs */
	SD_STREAM_FORCE_COPY = 0x0002,        /* arguments are copied, not pointed to; for collectives */
	SD_STREAM_HUGE = 0x0004,              /* deeper queue, where the chip has such */
	SD_STREAM_AICPU = 0x0008,             /* of the AI CPU's scheduler, without a queue in hardware */
	SD_STREAM_FORBIDDEN_DEFAULT = 0x0010, /* stands for no stream: costs nothing, takes no task */
	SD_STREAM_HEAD = 0x0020,
	SD_STREAM_OVERFLOW = 0x0100,
	SD_STREAM_FAST_LAUNCH = 0x0200,
	SD_STREAM_FAST_SYNC = 0x0400,
	SD_STREAM_CP_PROCESS_USE = 0x0800,    /* used from the device alone; goes with ACSQ_LOCK only */
	SD_STREAM_VECTOR_CORE_USE = 0x1000,
	SD_STREAM_ACSQ_LOCK = 0x2000,
	SD_STREAM_DQS_CTRL = 0x4000,
	SD_STREAM_DQS_INTER_CHIP = 0x8000,
};
#define SD_STREAM_FLAGS 0xff3fu      /* all that a caller may set */
#define SD_PRIORITY_MOST_URGENT 0    /* the smaller number goes first; others are clamped */
#define SD_PRIORITY_LEAST_URGENT 7

/* Flags of an event, as the runtime numbers them; 0 is STREAM_MARK, SYNC and TIME_LINE. What a device cannot
 * do it refuses (SD5063). */
enum sd_event_flag {
	SD_EVENT_STREAM_MARK = 0x02, /* tells how far a stream is */
	SD_EVENT_SYNC = 0x04,        /* streams may wait for it */
	SD_EVENT_TIME_LINE = 0x08,   /* takes its time */
	SD_EVENT_DEVICE_USE = 0x10,  /* used from the device alone; goes alone, like the next two */
	SD_EVENT_EXTERNAL = 0x20,
	SD_EVENT_IPC = 0x40,         /* of several processes */
};

enum sd_task_kind {
	SD_TASK_KERNEL,     /* `run` on the device, or `duration_ns` of its engine */
	SD_TASK_COLLECTIVE, /* the same, on the link of its communicator */
	SD_TASK_COPY,       /* `bytes` from `source` to `target` */
	SD_TASK_SLEEP,      /* `duration_ns` in which no engine works, as a transfer elsewhere takes */
};

enum sd_copy_way { SD_COPY_HOST_TO_DEVICE, SD_COPY_DEVICE_TO_HOST, SD_COPY_DEVICE_TO_DEVICE, SD_COPY_HOST_TO_HOST };

/* A range of memory that a task reads or writes, for check mode. */
struct sd_access {
	uint64_t address, bytes;
	bool is_write;
};

struct sd_task {
	const char *name;         /* of the operator, for errors and traces; lives until the task is done */
	enum sd_task_kind kind;
	enum sd_engine_class engine;
	uint32_t cube_cores, vector_cores; /* that it fills; 0: all of its engine */
	uint32_t communicator;    /* tasks with the same number exclude each other on COMM */
	bool gang;                /* needs all its cores at the same moment */
	uint64_t duration_ns;     /* at these cores */
	void (*run)(void *arg);   /* KERNEL on `host`: what is done; NULL: keeps a core busy for duration_ns */
	void *arg;
	void *target;             /* COPY */
	const void *source;
	uint64_t bytes;
	enum sd_copy_way way;
	const struct sd_access *access; /* lives until the task is done */
	uint32_t access_count;
	/* Called once when the task is done or was dropped (ABORTED), from a thread of the device. NULL: nobody asks. */
	void (*done)(void *done_arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns);
	void *done_arg;
};

enum sd_progress { SD_DONE, SD_NOT_DONE };

enum sd_page_policy { /* values of the runtime; NORMAL_FIRST is ours */
	SD_PAGES_HUGE_FIRST = 0, SD_PAGES_HUGE_ONLY = 1, SD_PAGES_NORMAL_ONLY = 2, SD_PAGES_NORMAL_FIRST = 0x40,
};

/* What a device has, and how much of it is left. 0 = unlimited where a maximum is meant. */
struct sd_device_facts {
	const char *name;         /* of the filling: "sim" */
	uint32_t profile;         /* sd_profile_name() */
	uint32_t streams_max, streams_used, events_max, events_used, notifies_max, notifies_used;
	uint32_t tasks_per_stream_max, huge_streams_max, tasks_per_huge_stream_max;
	bool has_huge, unlimited_depth;
	uint64_t memory_bytes, memory_free_bytes;
	uint32_t cube_cores, vector_cores;
	/* Ever: what the statistics of the pool are held against. */
	uint64_t streams_created, streams_destroyed, events_created, events_destroyed, notifies_created, notifies_destroyed;
	uint64_t tasks_submitted, submissions; /* a batch is one submission */
};

/* What last failed on a device; kept until it is taken. */
struct sd_device_fault {
	enum sd_status status;
	int64_t vendor_code;      /* 507015 and the like; 0: nothing happened */
	sd_handle stream;
	uint64_t task_index;      /* of the stream, from 0 */
	char task_name[128];      /* cut */
};

struct sd_device_ops {
	const char *name;
	void (*close)(struct sd_device *device);
	void (*facts)(struct sd_device *device, struct sd_device_facts *facts);
	uint64_t (*now_ns)(struct sd_device *device); /* of the device's clock */
	void (*take_fault)(struct sd_device *device, struct sd_device_fault *fault);

	/* `rt_id` is the number by which the vendor's tools know the stream. */
	enum sd_status (*stream_create)(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag);
	/* Waits for what is queued (30 s at most), unless forced. */
	enum sd_status (*stream_destroy)(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag);
	enum sd_status (*stream_synchronize)(struct sd_device *device, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag);
	enum sd_status (*stream_query)(struct sd_device *device, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag);
	/* Drops what is queued / keeps it; both end the running task. */
	enum sd_status (*stream_abort)(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
	enum sd_status (*stream_stop)(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
	/* From here on the stream waits to be activated before it runs what is enqueued behind this. */
	enum sd_status (*stream_hold)(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
	/* When `stream` gets here, `started` goes on behind its oldest hold that is still closed; if it has
	 * none, nothing happens. */
	enum sd_status (*activate)(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag);

	/* Tasks of one stream, in order, as one submission. RESOURCE_EXHAUSTED: its queue is full, none was taken. */
	enum sd_status (*submit)(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag);

	/* An event may be recorded again and again. A wait holds for the record that was enqueued last
	 * before it; one that no record was enqueued for is FAILED_PRECONDITION. To the host an event
	 * without a record is done. A reset makes it one, when it is called. */
	enum sd_status (*event_create)(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag);
	enum sd_status (*event_destroy)(struct sd_device *device, sd_handle event, struct sd_diag *diag);
	enum sd_status (*event_record)(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
	enum sd_status (*event_wait)(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
	enum sd_status (*event_reset)(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
	enum sd_status (*event_query)(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag);
	enum sd_status (*event_synchronize)(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag);
	enum sd_status (*event_elapsed)(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag);

	/* A notify has one waiter, which takes the record away. */
	enum sd_status (*notify_create)(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag);
	enum sd_status (*notify_destroy)(struct sd_device *device, sd_handle notify, struct sd_diag *diag);
	enum sd_status (*notify_record)(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);
	enum sd_status (*notify_wait)(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);

	enum sd_status (*memory_alloc)(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag);
	enum sd_status (*memory_free)(struct sd_device *device, void *memory, struct sd_diag *diag);
};

/* Every device begins with its table. */
struct sd_device {
	const struct sd_device_ops *ops;
};

#endif
