/* device_vendor.h - what devices of all vendors have in common, and what one vendor adds.
 *
 * The functions of the device table are written once, over a port: calls of a vendor's library,
 * each of which answers the name of the vendor's function and its number. Here live handles,
 * records of events, holds, callbacks, faults, counts and the undoing of what failed halfway.
 *
 * One lock guards the tables; no vendor's function is called under it. Whoever uses an object holds
 * it (`users`) meanwhile; whoever destroys it first makes it unfindable and waits for the users.
 *
 *   device_vendor.c          begin, end, facts, faults, what all use
 *   device_vendor_stream.c   streams, holds
 *   device_vendor_submit.c   tasks and their callbacks
 *   device_vendor_event.c    events and notifies
 *   device_vendor_memory.c   memory */
#ifndef SD_DEVICE_VENDOR_H
#define SD_DEVICE_VENDOR_H

#include <pthread.h>

#include "handles.h"
#include "streamd/device.h"

/* Which function of the vendor was called last, and its number; 0: it went well. */
struct sd_answer {
	const char *call;
	int64_t code;
};
#define SD_ANSWER_ABSENT INT64_MIN /* code: the library has no such function */

struct sd_vendor;

/* Events, or notifies: what is made, recorded and waited for in one way. */
struct sd_vendor_sync_port {
	uint32_t flags;      /* that it can honour */
	struct sd_answer (*create)(struct sd_vendor *vendor, uint32_t flags, void **sync);
	struct sd_answer (*destroy)(struct sd_vendor *vendor, void *sync);
	struct sd_answer (*record)(struct sd_vendor *vendor, void *stream, void *sync);
	struct sd_answer (*wait)(struct sd_vendor *vendor, void *stream, void *sync);
};

/* Calls of one vendor. They may block: none is made under a lock but `order`. */
struct sd_vendor_port {
	const char *name;
	uint32_t stream_flags; /* that it can honour */
	bool runs_persistent; /* tasks of PERSISTENT streams run like others; else a synchronize says nothing of them */
	bool chooses_pages;   /* the vendor does; NORMAL_FIRST is no two tries */
	enum sd_status (*fail)(struct sd_vendor *vendor, struct sd_diag *diag, const char *call, int64_t code); /* the diagnostic of a number; `diag` may be NULL */
	struct sd_answer (*enter)(struct sd_vendor *vendor); /* sets the context of this thread */
	void (*shut)(struct sd_vendor *vendor);              /* nothing of the device is left; frees `vendor` */
	void (*facts)(struct sd_vendor *vendor, struct sd_device_facts *facts);
	void (*drain)(struct sd_vendor *vendor); /* waits for all that streams which are destroyed have left; NULL: they leave nothing */

	/* Nothing is made if it fails. */
	struct sd_answer (*stream_create)(struct sd_vendor *vendor, int32_t priority, uint32_t flags, void **stream, int32_t *rt_id);
	struct sd_answer (*stream_destroy)(struct sd_vendor *vendor, void *stream, bool force);
	struct sd_answer (*stream_synchronize)(struct sd_vendor *vendor, void *stream, int64_t timeout_ms);
	struct sd_answer (*stream_query)(struct sd_vendor *vendor, void *stream, bool *is_done);
	struct sd_answer (*stream_abort)(struct sd_vendor *vendor, void *stream); /* NULL: what is enqueued cannot be taken back; then there is notify_open */
	struct sd_answer (*stream_stop)(struct sd_vendor *vendor, void *stream);

	struct sd_vendor_sync_port event, notify;
	struct sd_answer (*event_query)(struct sd_vendor *vendor, void *event, bool *is_done);
	struct sd_answer (*event_synchronize)(struct sd_vendor *vendor, void *event, int64_t timeout_ms);
	struct sd_answer (*event_elapsed)(struct sd_vendor *vendor, void *start, void *end, float *ms);
	void (*notify_open)(struct sd_vendor *vendor, void *notify); /* all that waits for it goes on; calls nothing. NULL: see stream_abort */

	struct sd_answer (*call_host)(struct sd_vendor *vendor, void *stream, void (*function)(void *arg), void *arg);
	struct sd_answer (*copy)(struct sd_vendor *vendor, void *stream, const struct sd_task *task);
	struct sd_answer (*memory_alloc)(struct sd_vendor *vendor, uint64_t bytes, enum sd_page_policy policy, void **memory);
	struct sd_answer (*memory_free)(struct sd_vendor *vendor, void *memory);
};

/* What a handle stands for. */
struct sd_vendor_object {
	sd_handle handle;
	void *at;            /* the vendor's */
	uint32_t users;      /* calls that have it in hand */
	bool is_leaving;     /* is being destroyed: nobody finds it any more */
	bool is_recorded;    /* events: a record was enqueued since the last reset */
};

/* A host function on its way through a stream. */
struct sd_vendor_call {
	struct sd_vendor_call *previous, *next;
	struct sd_vendor *vendor;
	void (*run)(void *arg);
	void *arg;
	void (*done)(void *done_arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns);
	void *done_arg;
	struct sd_vendor_call *end; /* this one only takes the time at which `end` began */
	uint64_t began_ns;
	bool is_dropped;     /* told as dropped; kept until the device is closed, should the vendor call it yet */
};

/* A hold is a notify that the stream waits for, one for each time. */
struct sd_vendor_hold {
	struct sd_vendor_hold *next;
	void *notify;
};

struct sd_vendor_stream {
	struct sd_vendor_object object; /* first member */
	uint32_t flags;
	struct sd_vendor_call calls;    /* ring: those that did not run yet */
	struct sd_vendor_hold *closed, *closed_last; /* in the order in which they were enqueued */
	struct sd_vendor_hold *opened;  /* something that opens them was enqueued */
	bool is_aborted;                /* where the vendor has no abort: the next synchronize tells it, once */
	uint64_t tasks, tasks_done;     /* submitted; known to be done by the last synchronize */
	char task_name[128];            /* of task number `tasks_done`, the first that may have failed; "": not known */
};

struct sd_vendor {
	struct sd_device device;        /* first member */
	const struct sd_vendor_port *port;
	const char *library;            /* path, for messages */
	pthread_mutex_t lock;
	pthread_mutex_t order;          /* holds and what opens them are enqueued one at a time */
	pthread_cond_t idle;            /* an object that is leaving has no users any more */
	struct sd_handles streams, events, notifies;
	void *blocks;                   /* memory, by address */
	struct sd_vendor_hold *free_holds;   /* nothing that touches them is enqueued */
	struct sd_vendor_hold *doubtful;     /* may be touched yet: kept until the device is closed */
	struct sd_vendor_call dropped;       /* ring */
	uint32_t running;                    /* callbacks that run now */
	struct sd_device_facts now;          /* counts */
	struct sd_device_facts limit;        /* maxima that the vendor does not look after; 0: none */
	struct sd_device_fault fault;
};

static inline struct sd_vendor *sd_vendor_of(struct sd_device *device)
{
	return (struct sd_vendor *)device;
}

/* The functions of the table, for all vendors; `name` is the vendor's. */
#define SD_VENDOR_OPS(vendor_name)                                                                           \
	{                                                                                                    \
		.name = (vendor_name), .close = sd_vendor_close, .facts = sd_vendor_facts, .now_ns = sd_vendor_now_ns, \
		.take_fault = sd_vendor_take_fault, .stream_create = sd_vendor_stream_create,                \
		.stream_destroy = sd_vendor_stream_destroy, .stream_synchronize = sd_vendor_stream_synchronize, \
		.stream_query = sd_vendor_stream_query, .stream_abort = sd_vendor_stream_abort,              \
		.stream_stop = sd_vendor_stream_stop, .stream_hold = sd_vendor_stream_hold,                  \
		.activate = sd_vendor_activate, .submit = sd_vendor_submit, .event_create = sd_vendor_event_create, \
		.event_destroy = sd_vendor_event_destroy, .event_record = sd_vendor_event_record,            \
		.event_wait = sd_vendor_event_wait, .event_reset = sd_vendor_event_reset,                    \
		.event_query = sd_vendor_event_query, .event_synchronize = sd_vendor_event_synchronize,      \
		.event_elapsed = sd_vendor_event_elapsed, .notify_create = sd_vendor_notify_create,          \
		.notify_destroy = sd_vendor_notify_destroy, .notify_record = sd_vendor_notify_record,        \
		.notify_wait = sd_vendor_notify_wait, .memory_alloc = sd_vendor_memory_alloc,                \
		.memory_free = sd_vendor_memory_free,                                                        \
	}

/* Prepares what is common in a zeroed struct. */
void sd_vendor_begin(struct sd_vendor *vendor, const struct sd_device_ops *ops, const struct sd_vendor_port *port, const char *library);
void sd_vendor_end(struct sd_vendor *vendor);

/* OK, or the diagnostic of an answer. */
enum sd_status sd_vendor_check(struct sd_vendor *vendor, struct sd_answer answer, struct sd_diag *diag);

/* The context of this thread. */
enum sd_status sd_vendor_enter(struct sd_vendor *vendor, struct sd_diag *diag);

/* An object in hand until it is put down. NULL with NOT_FOUND if there is none; `kind`: "stream". */
void *sd_vendor_take(struct sd_vendor *vendor, struct sd_handles *handles, const char *kind, sd_handle handle, struct sd_diag *diag);
void sd_vendor_put(struct sd_vendor *vendor, void *object);

/* Takes an object that nobody will find any more, after its last user put it down; then it is
 * either gone for good, or comes back. `hasten`: called once if there are users, may be NULL. */
void *sd_vendor_take_last(struct sd_vendor *vendor, struct sd_handles *handles, const char *kind, sd_handle handle,
                          void (*hasten)(struct sd_vendor *vendor, void *object), struct sd_diag *diag);
void sd_vendor_gone(struct sd_vendor *vendor, struct sd_handles *handles, void *object); /* frees it */
void sd_vendor_back(struct sd_vendor *vendor, void *object);

/* A number for an object that the vendor made; SD_NO_HANDLE: no memory. */
sd_handle sd_vendor_file(struct sd_vendor *vendor, struct sd_handles *handles, struct sd_vendor_object *object);

/* Both handles at once; the first is a stream that takes work. */
enum sd_status sd_vendor_take_pair(struct sd_vendor *vendor, sd_handle stream, struct sd_handles *handles, const char *kind, sd_handle other,
                                   struct sd_vendor_stream **on, void *with, struct sd_diag *diag);

/* Counts one more of a resource, or refuses it (SD5010); one less. `ever` may be NULL. */
enum sd_status sd_vendor_count_up(struct sd_vendor *vendor, uint32_t *used, uint32_t most, const char *resource, struct sd_diag *diag);
void sd_vendor_count_down(struct sd_vendor *vendor, uint32_t *used, uint64_t *ever);
void sd_vendor_count_ever(struct sd_vendor *vendor, uint64_t *ever);

enum sd_status sd_vendor_check_timeout(int64_t timeout_ms, struct sd_diag *diag);
enum sd_status sd_vendor_no_memory(struct sd_diag *diag);
enum sd_status sd_vendor_no_stream(sd_handle stream, struct sd_diag *diag); /* it stands for none */

/* device_vendor_stream.c: at close; `is_clean`: nothing enqueued touches its holds any more. */
void sd_vendor_stream_let_go(struct sd_vendor *vendor, struct sd_vendor_stream *stream, bool is_clean);
bool sd_vendor_can_abort(const struct sd_vendor *vendor); /* the vendor drops what is enqueued */
void sd_vendor_free_holds(struct sd_vendor *vendor);

/* device_vendor_submit.c: what did not run is told as dropped. */
void sd_vendor_drop_calls(struct sd_vendor *vendor, struct sd_vendor_stream *stream);
void sd_vendor_free_dropped(struct sd_vendor *vendor); /* after those that run have ended */

/* device_vendor_memory.c: at close. */
void sd_vendor_free_blocks(struct sd_vendor *vendor);

void sd_vendor_close(struct sd_device *device);
void sd_vendor_facts(struct sd_device *device, struct sd_device_facts *facts);
uint64_t sd_vendor_now_ns(struct sd_device *device);
void sd_vendor_take_fault(struct sd_device *device, struct sd_device_fault *fault);
enum sd_status sd_vendor_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag);
enum sd_status sd_vendor_stream_destroy(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag);
enum sd_status sd_vendor_stream_synchronize(struct sd_device *device, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status sd_vendor_stream_query(struct sd_device *device, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status sd_vendor_stream_abort(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status sd_vendor_stream_stop(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status sd_vendor_stream_hold(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status sd_vendor_activate(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag);
enum sd_status sd_vendor_submit(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag);
enum sd_status sd_vendor_event_create(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag);
enum sd_status sd_vendor_event_destroy(struct sd_device *device, sd_handle event, struct sd_diag *diag);
enum sd_status sd_vendor_event_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sd_vendor_event_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sd_vendor_event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sd_vendor_event_query(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status sd_vendor_event_synchronize(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status sd_vendor_event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag);
enum sd_status sd_vendor_notify_create(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag);
enum sd_status sd_vendor_notify_destroy(struct sd_device *device, sd_handle notify, struct sd_diag *diag);
enum sd_status sd_vendor_notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status sd_vendor_notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status sd_vendor_memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag);
enum sd_status sd_vendor_memory_free(struct sd_device *device, void *memory, struct sd_diag *diag);

#endif
