/* sim_internal.h - what the files of the simulated device share. All of it is called with the device locked. */
#ifndef SD_SIM_INTERNAL_H
#define SD_SIM_INTERNAL_H

#include <pthread.h>

#include "base/arena.h"
#include "handles.h"
#include "device_limits.h"
#include "streamd/device_sim.h"

enum sim_kind { SIM_STREAM, SIM_EVENT, SIM_NOTIFY };

/* Every object that has a handle begins with this; all kinds share one table, so that a stream is not
 * taken for an event. */
struct sim_object {
	sd_handle handle;
	enum sim_kind kind;
};

/* What was enqueued; the tag of an item of the machine. */
struct sim_item {
	struct sd_task task;      /* of work */
	struct sim_stream *stream;
	uint64_t index;           /* of a task, on its stream */
	int64_t vendor_code;      /* with which it is to fail; 0: it does not */
	enum sim_kind waits_for;  /* of a wait, for errors and for the waiter of a notify */
	sd_handle object;
	struct sim_item *next;    /* of a batch that is being made */
};

struct sim_stream {
	struct sim_object object;
	uint32_t machine;         /* of the machine; nothing on one that stands for no stream */
	uint32_t flags, depth;    /* items that its queue takes; 0: any number */
	int32_t rt_id;
	bool takes_tasks;
	uint64_t tasks;           /* ever */
	int64_t vendor_code;      /* what its next synchronize is to say; 0: nothing */
	uint64_t failed_task;
	const char *ended;        /* "aborted", "stopped"; NULL: a task failed */
};

struct sim_event {
	struct sim_object object;
	uint32_t signal;          /* of its last record, if it has one */
	bool has_record;
	sd_handle recorder;       /* stream of the last record */
};

struct sim_notify {
	struct sim_object object;
	uint32_t signal;
	sd_handle waiter;         /* stream of the waits that are queued */
	uint32_t waits;
};

struct sim_block {
	uintptr_t at;
	uint64_t bytes;           /* asked for */
	uint64_t counted;         /* of the budget */
	void *base;
};

struct sim {
	struct sd_device device;
	pthread_mutex_t lock;     /* recursive: run and done may call the device */
	struct sd_arena mem;
	struct sd_machine *machine;
	struct sd_machine_model model;
	struct sd_handles handles;
	struct sd_device_facts facts;
	struct sd_device_fault fault;
	uint32_t huge_used;
	struct sd_sim_fault *faults;
	uint32_t fault_count, fault_permille;
	uint64_t seed, calls[SD_SIM_CALLS];
	struct sim_block *blocks; /* by address */
	uint32_t block_count, block_cap;
};

/* The vendor's number with which this call is to fail; 0: it is not. Counts the call. (sim_faults.c) */
int64_t sim_fault_of(struct sim *sim, enum sd_sim_call call);
/* The same as a status; OK: it is not to fail. */
enum sd_status sim_fault(struct sim *sim, enum sd_sim_call call, struct sd_diag *diag);

/* The object with this handle; NULL if there is none of that kind. (sim_objects.c) */
void *sim_object_find(const struct sim *sim, enum sim_kind kind, sd_handle handle);
/* Gives the object a handle; false: no memory. */
bool sim_object_add(struct sim *sim, enum sim_kind kind, struct sim_object *object);
/* From here on the handle finds nothing; and then the object goes. */
void sim_object_retire(struct sim *sim, const struct sim_object *object);
void sim_object_free(struct sim *sim, struct sim_object *object);
void sim_objects_finish(struct sim *sim);

/* NOT_FOUND if there is none. (sim_streams.c, sim_events.c) */
enum sd_status sim_find_stream(struct sim *sim, sd_handle handle, struct sim_stream **stream, struct sd_diag *diag);
/* The same for one that is to take `count` items of a kind named `what`. */
enum sd_status sim_find_taker(struct sim *sim, sd_handle handle, uint32_t count, const char *what, struct sim_stream **stream, struct sd_diag *diag);
enum sd_status sim_find_event(struct sim *sim, sd_handle handle, struct sim_event **event, struct sd_diag *diag);
enum sd_status sim_find_notify(struct sim *sim, sd_handle handle, struct sim_notify **notify, struct sd_diag *diag);
enum sd_status sim_no_memory(struct sd_diag *diag);
/* RESOURCE_EXHAUSTED unless one more fits; `what` names the resource and the vendor's number. */
enum sd_status sim_has_room(uint64_t used, uint64_t max, const char *what, struct sd_diag *diag);

/* An item that ended in its turn, or was dropped. (sim_tasks.c) */
void sim_item_ends(struct sim *sim, const struct sd_machine_end *end, bool is_dropped);
/* Lets one item end by `until_ns`; false: none does. */
bool sim_step(struct sim *sim, int64_t until_ns);
/* Until `is_done`; what DEADLINE_EXCEEDED means is for the caller to say. FAILED_PRECONDITION: `stream` waits for ever. */
enum sd_status sim_run_until(struct sim *sim, bool (*is_done)(const struct sim *sim, sd_handle of), sd_handle of, int64_t timeout_ms,
                             sd_handle stream, struct sd_diag *diag);
enum sd_status sim_check_timeout(int64_t timeout_ms, struct sd_diag *diag);
enum sd_status sim_waits_for_ever(struct sim *sim, sd_handle stream, struct sd_diag *diag);
/* A blank item of a stream; NULL: no memory. */
struct sim_item *sim_item_new(struct sim_stream *stream);
void sim_drop_all(struct sim *sim, struct sim_stream *stream);

enum sd_status sim_stream_create(struct sim *sim, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag);
enum sd_status sim_stream_destroy(struct sim *sim, sd_handle stream, bool force, struct sd_diag *diag);
enum sd_status sim_stream_synchronize(struct sim *sim, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status sim_stream_query(struct sim *sim, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status sim_stream_abort(struct sim *sim, sd_handle stream, struct sd_diag *diag);
enum sd_status sim_stream_stop(struct sim *sim, sd_handle stream, struct sd_diag *diag);
enum sd_status sim_stream_hold(struct sim *sim, sd_handle stream, struct sd_diag *diag);
enum sd_status sim_activate(struct sim *sim, sd_handle stream, sd_handle started, struct sd_diag *diag);
enum sd_status sim_submit(struct sim *sim, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag);
enum sd_status sim_event_create(struct sim *sim, uint32_t flags, sd_handle *event, struct sd_diag *diag);
enum sd_status sim_event_destroy(struct sim *sim, sd_handle event, struct sd_diag *diag);
enum sd_status sim_event_record(struct sim *sim, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sim_event_wait(struct sim *sim, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sim_event_reset(struct sim *sim, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sim_event_query(struct sim *sim, sd_handle event, enum sd_progress *progress, struct sd_diag *diag);
enum sd_status sim_event_synchronize(struct sim *sim, sd_handle event, int64_t timeout_ms, struct sd_diag *diag);
enum sd_status sim_event_elapsed(struct sim *sim, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag);
enum sd_status sim_notify_create(struct sim *sim, uint32_t flags, sd_handle *notify, struct sd_diag *diag);
enum sd_status sim_notify_destroy(struct sim *sim, sd_handle notify, struct sd_diag *diag);
enum sd_status sim_notify_record(struct sim *sim, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status sim_notify_wait(struct sim *sim, sd_handle stream, sd_handle notify, struct sd_diag *diag);
enum sd_status sim_memory_alloc(struct sim *sim, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag);
enum sd_status sim_memory_free(struct sim *sim, void *memory, struct sd_diag *diag);
/* True if all of the range is in memory of the device. */
bool sim_memory_has(const struct sim *sim, const void *at, uint64_t bytes);
void sim_memory_finish(struct sim *sim);

#endif
