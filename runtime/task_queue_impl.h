/* task_queue_impl.h - the parts of the task queue.
 *
 *   task_queue.c         open, close, tick, what goes straight through
 *   task_queue_ring.c    entries: enqueued in order, bounded; turns
 *   task_queue_submit.c  the thread that hands over
 *   task_queue_stream.c  streams: made, destroyed, asked
 *   task_queue_event.c   events and notifies
 *
 * A turn is the place of an entry in the order of one object (event, notify, holds of a stream):
 * the entry goes over when the turn before it is over. Turns and streams order entries only behind
 * earlier ones, so that they cannot wait in a circle. */
#ifndef SD_TASK_QUEUE_IMPL_H
#define SD_TASK_QUEUE_IMPL_H

#include <pthread.h>

#include "streamd/task_queue.h"
#include "tree.h"

enum queue_entry_kind { QUEUE_TASK, QUEUE_RECORD, QUEUE_WAIT, QUEUE_RESET, QUEUE_NOTIFY_RECORD, QUEUE_NOTIFY_WAIT, QUEUE_HOLD, QUEUE_ACTIVATE };
enum queue_object_kind { QUEUE_EVENT, QUEUE_NOTIFY, QUEUE_HOLDS };

struct queue_turn {
	uint32_t references;          /* of the entry, the object and the next turn's entry */
	bool is_over;
	struct queue_stream *blocked; /* whose head comes next */
};

/* Is there while a turn of it is not over. */
struct queue_object {
	struct sd_tree_node node;
	enum queue_object_kind kind;
	sd_handle handle;
	struct queue_turn *last;
};

struct queue_entry {
	enum queue_entry_kind kind;
	union {
		struct sd_task task;                       /* TASK */
		struct {
			enum queue_object_kind object;
			sd_handle handle;                  /* of event, notify or started stream */
			struct queue_turn *turn, *before;  /* before: NULL: there was none */
		};                                         /* the others */
	};
};

struct queue_stream {
	struct sd_tree_node by_handle, by_urgency; /* by_urgency: when is_ready */
	sd_handle handle;
	int32_t priority;
	struct queue_entry *ring;
	uint32_t ring_cap, head, count;
	uint64_t enqueued, passed, flushed;        /* entries ever; below `flushed` they are to go over */
	uint64_t drop_below;                       /* entries below are not handed over */
	uint32_t collected;                        /* tasks since what is flushed */
	bool is_gone;                              /* destroyed; goes when it is empty */
	bool is_ready;                             /* its head can go over */
	bool is_blocked;                           /* its head waits for its turn */
	bool is_refused;                           /* its head found no room on the device; tried again soon */
	bool is_at_work;                           /* the thread is handing over its head, without the lock */
	uint32_t tries, limit;                     /* of what was refused; limit: entries of the next try */
	struct queue_stream *next_refused;
	enum sd_status failed;                     /* the first failure not yet told */
	char message[SD_MESSAGE_MAX];
};

/* What goes over together. */
struct queue_batch {
	struct queue_entry first;                  /* tasks are in `task` */
	struct sd_task task[SD_TASK_QUEUE_BATCH];
	uint32_t count;
	bool is_dropped;
};

struct queue {
	struct sd_device device;                   /* first member */
	struct sd_device *behind;
	struct sd_task_queue_options options;
	uint32_t batch_max;
	pthread_mutex_t lock;
	pthread_cond_t work, moved;                /* for the thread; for callers that wait */
	pthread_t thread;
	struct queue_batch *batch;                 /* the thread's */
	bool is_closing;
	uint32_t callers;                          /* that wait */
	struct sd_tree streams, ready, objects;
	struct queue_stream *refused;              /* list */
	uint64_t retry_ns;                         /* when those are tried again */
	uint64_t moved_ns;                         /* when an entry was last passed, or the device was asked whether it goes on */
	uint64_t passed, rounds;                   /* entries ever; how often all that was refused came to be tried again */
	bool is_serving;                           /* the thread is handing over, without the lock */
	struct sd_task_queue_stats stats;
};

/* A diagnostic for the thread's last error where the caller wants none. */
#define QUEUE_DIAG(diag)                   \
	struct sd_diag own_diag_ = { 0 };  \
	if (!(diag))                       \
	(diag) = &own_diag_

static inline struct queue *queue_of(struct sd_device *device)
{
	return (struct queue *)device;
}

/* Times of CLOCK_MONOTONIC; UINT64_MAX: without end. */
uint64_t queue_now_ns(void);
uint64_t queue_deadline(int64_t timeout_ms);
/* Waits, with the lock, for the condition or that time. */
void queue_pause(struct queue *queue, pthread_cond_t *cond, uint64_t until_ns);

/* What follows is called under the lock, save where said.
 *
 * task_queue_ring.c. All entries or none; may give the lock away to wait for room. */
enum sd_status queue_put_tasks(struct queue *queue, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag);
enum sd_status queue_put_other(struct queue *queue, sd_handle stream, enum queue_entry_kind kind, enum queue_object_kind object, sd_handle handle,
                               struct sd_diag *diag);
struct queue_stream *queue_find(struct queue *queue, sd_handle stream, struct sd_diag *diag); /* NULL: NOT_FOUND */
struct queue_object *queue_find_object(struct queue *queue, enum queue_object_kind kind, sd_handle handle);
struct queue_entry *queue_entry_at(const struct queue_stream *stream, uint32_t behind_head);
void queue_pass(struct queue *queue, struct queue_stream *stream);   /* the head is done with */
void queue_flush(struct queue *queue, struct queue_stream *stream);
void queue_update(struct queue *queue, struct queue_stream *stream); /* is it ready? */
void queue_moved(struct queue *queue);                               /* tells callers that wait */
void queue_drop(struct queue *queue, struct queue_stream *stream);   /* the thread passes its entries, in their turns */
void queue_stream_free(struct queue *queue, struct queue_stream *stream); /* an empty one */
int queue_compare_handle(const struct sd_tree_node *a, const struct sd_tree_node *b);
int queue_compare_urgency(const struct sd_tree_node *a, const struct sd_tree_node *b);
int queue_compare_object(const struct sd_tree_node *a, const struct sd_tree_node *b);

/* task_queue_submit.c; without the lock. */
void *queue_thread(void *queue);

/* task_queue_stream.c. Whether those who wait for something had better stop: it is late, or the device never goes on. */
enum sd_status queue_wait_more(struct queue *queue, uint64_t deadline, int64_t timeout_ms, const char *what, struct sd_diag *diag);

/* Without the lock: the device's own wait, a stream's or an event's. What the device calls a wait for ever is one only if nothing is
 * yet to be handed over, by a thread that may be late. */
enum sd_status queue_wait_behind(struct queue *queue, enum sd_status (*wait)(struct sd_device *, sd_handle, int64_t, struct sd_diag *), sd_handle handle,
                                 uint64_t deadline, int64_t timeout_ms, const char *what, struct sd_diag *diag);

/* What is left of a timeout of which the first part is over. */
int64_t queue_rest_ms(uint64_t deadline);

/* The functions of the table. */
enum sd_status queue_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag);
enum sd_status queue_stream_destroy(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag);
enum sd_status queue_stream_synchronize(struct sd_device *device, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status queue_stream_query(struct sd_device *device, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status queue_stream_abort(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status queue_stream_stop(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status queue_stream_hold(struct sd_device *device, sd_handle stream, struct sd_diag *diag);
enum sd_status queue_activate(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag);
enum sd_status queue_submit(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag);
enum sd_status queue_event_create(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag);
enum sd_status queue_event_destroy(struct sd_device *device, sd_handle event, struct sd_diag *diag);
enum sd_status queue_event_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status queue_event_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status queue_event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status queue_event_query(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status queue_event_synchronize(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status queue_event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag);
enum sd_status queue_notify_create(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag);
enum sd_status queue_notify_destroy(struct sd_device *device, sd_handle notify, struct sd_diag *diag);
enum sd_status queue_notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status queue_notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag);

#endif
