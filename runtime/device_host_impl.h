/* device_host_impl.h - the parts of the host device.
 *
 * One lock guards everything. A stream is a ring of entries and a state; whatever may let a stream
 * go on puts it on the list `pending`, and host_settle() moves those streams ahead, under the lock,
 * over all entries that take no time, until each is empty, blocked, or stands before a task.
 *
 *   device_host.c         open, close, facts
 *   device_host_stream.c  streams: made, destroyed, asked, ended
 *   device_host_queue.c   entries: enqueued, passed, dropped
 *   device_host_run.c     the threads: cores, and the clock for what only takes time
 *   device_host_event.c   events and notifies
 *   device_host_wait.c    callers that wait, and waits that never end
 *   device_host_memory.c  memory */
#ifndef SD_DEVICE_HOST_IMPL_H
#define SD_DEVICE_HOST_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "handles.h"
#include "streamd/device_host.h"
#include "tree.h"

#define VENDOR_ABORTED 107023 /* what a chip answers for a stream that was aborted */

enum host_entry_kind { HOST_TASK, HOST_RECORD, HOST_WAIT, HOST_NOTIFY_RECORD, HOST_NOTIFY_WAIT, HOST_HOLD, HOST_ACTIVATE };

struct host_entry {
	enum host_entry_kind kind;
	union {
		struct sd_task task;
		struct host_record *record; /* RECORD, WAIT */
		struct host_notify *notify;
		uint64_t hold;      /* HOLD: its number on the stream, from 1 */
		sd_handle started;  /* ACTIVATE */
	};
};

/* A place in a ring of streams; alone it points to itself. */
struct host_link {
	struct host_link *previous, *next;
};

enum host_state {
	HOST_IDLE,     /* nothing to do, or on the list `pending` */
	HOST_BLOCKED,  /* at an entry that waits; on the list of what it waits for */
	HOST_READY,    /* before a task, among those that want a core */
	HOST_RUNNING,  /* on a core */
	HOST_SLEEPING, /* in a task that only takes time */
};

struct host_stream {
	struct host_link link; /* of `pending`, or of what it waits for. First member */
	sd_handle handle;
	uint32_t index;        /* its number for the vendor's tools; no two streams have the same */
	uint32_t flags, depth; /* depth: entries that it takes; 0: any number */
	int32_t priority;
	enum host_state state;
	bool is_gone;          /* destroyed; goes when it is empty */

	struct host_entry *ring;
	uint32_t ring_cap, head, count;
	uint64_t enqueued, passed;    /* entries, ever */
	uint64_t drop_below;          /* entries with lower numbers are dropped */
	uint64_t tasks_passed;
	uint64_t awaited;             /* how many entries are passed when a caller is to be told; UINT64_MAX: none */
	uint64_t holds, opened;       /* holds enqueued, and those that are open */
	uint64_t began_ns, due_ns;    /* of the task that takes time; due: SLEEPING */
	struct host_communicator *communicator; /* that the running collective holds */
	atomic_bool is_cut;           /* the running task is to end */
	struct sd_device_fault fault; /* the first one that no synchronize told yet */
};

/* One record of an event: what a wait holds for, whatever is recorded later. */
struct host_record {
	uint32_t references;          /* its event's, entries', and callers' that wait for it */
	bool is_done, is_dropped;
	uint64_t time_ns;             /* when it was done */
	sd_handle event, recorder;    /* for messages; recorder: the stream */
	struct host_link waiting;     /* streams */
};

struct host_event {
	sd_handle handle;
	struct host_record *last;     /* that was enqueued; NULL: none since it was made or reset */
};

struct host_notify {
	sd_handle handle;
	uint32_t references;
	bool is_set;
	uint32_t waits, records;      /* that are enqueued; waits: by `waiter` alone */
	sd_handle waiter, recorder;   /* recorder: stream of the last record */
	struct host_link waiting;
};

struct host_communicator {
	uint32_t number;
	bool is_busy;
	struct host_link waiting;
	struct host_communicator *next;
};

struct host {
	struct sd_device device;      /* first member */
	struct sd_host_options options;
	pthread_mutex_t lock;
	pthread_cond_t work, clock, progress; /* for cores; for the clock; for callers that wait */
	pthread_t *thread;            /* the clock's, then the cores' */
	uint32_t thread_count;
	bool is_closing;

	struct sd_handles streams, events, notifies;
	struct host_link pending;
	uint32_t *ready, ready_count, *sleeping, sleeping_count, heap_cap; /* heaps of indices of streams */
	uint32_t running;
	uint32_t callers, callers_of_records; /* that wait for progress; of these, for a record */
	uint64_t changed_ns;          /* when something was last enqueued or done */
	struct host_communicator *communicators;

	struct sd_device_facts facts;
	uint32_t streams_huge;
	struct sd_host_faults calls;  /* counted for faults */
	struct sd_device_fault fault;
	struct sd_tree blocks;
};

static inline struct host *host_of(struct sd_device *device)
{
	return (struct host *)device;
}

static inline void host_lock(struct host *host)
{
	pthread_mutex_lock(&host->lock);
}
static inline void host_unlock(struct host *host)
{
	pthread_mutex_unlock(&host->lock);
}

/* Lists. */
static inline void host_list_init(struct host_link *list)
{
	list->previous = list->next = list;
}
static inline void host_unlink(struct host_link *link)
{
	link->previous->next = link->next;
	link->next->previous = link->previous;
	host_list_init(link);
}
static inline void host_append(struct host_link *list, struct host_link *link)
{
	link->previous = list->previous;
	link->next = list;
	list->previous->next = link;
	list->previous = link;
}

/* Counts a call; true if it is the one that is to fail. */
static inline bool host_is_fault(uint64_t *calls, uint64_t k)
{
	return ++*calls == k;
}

uint64_t host_now_ns(void);

/* This machine, not the device, has too little of something. */
enum sd_status host_short_of(const char *what, struct sd_diag *diag);
enum sd_status host_bad_argument(const char *what, int64_t value, const char *must, struct sd_diag *diag);

/* What follows is called under the lock, save where said.
 *
 * device_host_stream.c and _event.c: NULL and NOT_FOUND if there is no such object. */
struct host_stream *host_find_stream(struct host *host, sd_handle stream, struct sd_diag *diag);
struct host_event *host_find_event(struct host *host, sd_handle event, struct sd_diag *diag);
void host_record_release(struct host_record *record); /* NULL is fine */
void host_notify_release(struct host_notify *notify);
void host_stream_free(struct host *host, struct host_stream *stream);

/* device_host_queue.c. RESOURCE_EXHAUSTED: `count` more entries do not fit. */
enum sd_status host_make_room(struct host *host, struct host_stream *stream, uint32_t count, struct sd_diag *diag);
void host_enqueue(struct host *host, struct host_stream *stream, const struct host_entry *entry);
struct host_entry *host_head(const struct host_stream *stream);
bool host_is_dropped(const struct host_stream *stream); /* the entry at the head */
void host_pass(struct host *host, struct host_stream *stream);
void host_drop_queued(struct host *host, struct host_stream *stream);
void host_cut(struct host *host, struct host_stream *stream); /* ends the running task */
void host_wake(struct host *host, struct host_stream *stream);
void host_wake_all(struct host *host, struct host_link *waiting);
void host_settle(struct host *host);
struct host_communicator *host_communicator(struct host *host, uint32_t number); /* NULL: out of memory */

/* device_host_run.c. */
bool host_task_takes_core(const struct sd_task *task);
void host_make_ready(struct host *host, struct host_stream *stream);
void host_sleep(struct host *host, struct host_stream *stream, uint64_t due_ns);
void host_hasten(struct host *host, struct host_stream *stream); /* ends its sleep now */
void *host_core_thread(void *host);  /* without the lock */
void *host_clock_thread(void *host); /* likewise */
bool host_is_idle(const struct host *host);

/* device_host_wait.c. Waits until `target` entries of the stream are passed, or the record is done;
 * gives the lock away meanwhile, so that the stream may be gone afterwards. */
enum sd_status host_wait_stream(struct host *host, sd_handle stream, uint64_t target, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status host_check_timeout(int64_t timeout_ms, struct sd_diag *diag);
enum sd_status host_wait_record(struct host *host, struct host_record *record, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status host_tell_fault(struct host_stream *stream, struct sd_diag *diag);

/* The functions of the table; they take the lock themselves. */
enum sd_status host_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag);
enum sd_status host_stream_destroy(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag);
enum sd_status host_stream_synchronize(struct sd_device *device, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status host_stream_query(struct sd_device *device, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status host_stream_abort(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status host_stream_stop(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status host_stream_hold(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status host_activate(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag);
enum sd_status host_submit(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag);
enum sd_status host_event_create(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag);
enum sd_status host_event_destroy(struct sd_device *device, sd_handle event, struct sd_diag *diag);
enum sd_status host_event_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status host_event_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status host_event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status host_event_query(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status host_event_synchronize(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status host_event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag);
enum sd_status host_notify_create(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag);
enum sd_status host_notify_destroy(struct sd_device *device, sd_handle notify, struct sd_diag *diag);
enum sd_status host_notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status host_notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status host_memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag);
enum sd_status host_memory_free(struct sd_device *device, void *memory, struct sd_diag *diag);
void host_memory_init(struct host *host);
void host_memory_finish(struct host *host); /* frees what is left */

#endif
