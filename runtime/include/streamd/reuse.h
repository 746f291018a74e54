/* reuse.h - real streams in the slots of a pool: what a loader of models gets its streams from.
 *
 * Of one device. Slots are granted by a pool in this process (pool.h), or by somebody else, such as
 * a daemon, who hands in grants as data. A stream is made when a slot without one is granted, and
 * destroyed when its slot is no more.
 *
 * Any thread may call. One mutex guards the books; the device is never called under it. A stream
 * that is being made has its slot, which counts for all limits, and is given to nobody before the
 * device answered with the stream and its number: others who were granted the same slot wait. An
 * acquire that fails leaves no lease and no stream behind; slots that it reused keep the task count
 * that it had asked for. */
#ifndef SD_REUSE_H
#define SD_REUSE_H

#include "streamd/device.h"
#include "streamd/pool.h"

struct sd_reuse;

/* What a stream is to its model. When a model is removed its streams go in this order. */
enum sd_reuse_role {
	SD_REUSE_FOLLOW,    /* of a collective */
	SD_REUSE_EXECUTION, /* runs the model; destroyed by force */
	SD_REUSE_HEAD,      /* starts the others, and nothing else */
	SD_REUSE_ENTRY,     /* of a model that is driven by queues */
	SD_REUSE_LOGICAL,   /* one of the plan's */
	SD_REUSE_ROLES,
};

struct sd_reuse_stream {
	sd_pool_id lease, slot;
	sd_handle stream;
	int32_t rt_id;
	uint32_t want;        /* which entry of the wants it answers */
	uint32_t shared_with; /* other models that hold it */
	bool is_reused;       /* this call did not make it; of several that share a new slot, whichever comes first does */
};

struct sd_reuse_stats {
	struct sd_pool_stats pool;    /* zeroes without a pool */
	uint32_t streams;             /* that are there */
	uint32_t streams_left;        /* of them, those whose slot is no more, but which the device could not destroy */
	uint64_t create_failures;     /* ever */
};

/* `limits` of the pool; NULL: slots come from outside, and only bind, unbind, trim and stats may be
 * called. The device must live as long. RESOURCE_EXHAUSTED: no memory. */
enum sd_status sd_reuse_create(struct sd_reuse **reuse, struct sd_device *device, const struct sd_pool_limits *limits, struct sd_diag *diag);
/* Destroys all streams by force. No call may be under way. NULL is fine. */
void sd_reuse_destroy(struct sd_reuse *reuse);

/* `domain`: models of different ones share no streams. */
enum sd_status sd_reuse_add_model(struct sd_reuse *reuse, struct sd_text domain, sd_pool_id *model, struct sd_diag *diag);

/* All or nothing: one stream for each slot of the wants, in their order; `role[i]` is of want `i`.
 * From here on the model counts as bound. Idle streams of other keys give way where there is no
 * room. Errors are those of sd_pool_acquire() and of the device. */
enum sd_status sd_reuse_acquire(struct sd_reuse *reuse, sd_pool_id model, const struct sd_pool_want *want, const enum sd_reuse_role *role,
                                uint32_t want_count, struct sd_reuse_stream *stream, struct sd_pool_shortfall *shortfall, struct sd_diag *diag);

/* Gives a lease back. `is_broken`: nobody is given the stream again. FAILED_PRECONDITION (SD5104):
 * it was given back already. A stream that the device cannot destroy is told of, and kept as left. */
enum sd_status sd_reuse_release(struct sd_reuse *reuse, sd_pool_id lease, bool is_broken, struct sd_diag *diag);

/* The model has unbound all its streams. */
enum sd_status sd_reuse_unbound(struct sd_reuse *reuse, sd_pool_id model, struct sd_diag *diag);

/* Destroys the stream of a slot, waiting for its tasks unless forced. Refused while a model that holds
 * it is bound (SD5069), forced or not; and, unless forced, while others than `model` hold it (SD5107).
 * Twice is fine. After a failure of the device the same call tries again. */
enum sd_status sd_reuse_destroy_stream(struct sd_reuse *reuse, sd_pool_id model, sd_pool_id slot, bool force, struct sd_diag *diag);

/* Gives back all leases in the order of their roles, and forgets the model. Refused while it is
 * bound (SD5069). A failure of the device does not stop it: the model is gone, the first one is told. */
enum sd_status sd_reuse_remove_model(struct sd_reuse *reuse, sd_pool_id model, struct sd_diag *diag);

/* Destroys idle streams until `keep` are left, and those that are left; answers how many are gone. */
uint32_t sd_reuse_trim(struct sd_reuse *reuse, uint32_t keep);

void sd_reuse_stats(struct sd_reuse *reuse, struct sd_reuse_stats *stats);

/* Streams for slots that somebody else granted: made where there is none yet, whatever is_new says.
 * All or nothing; `failed` is the grant whose stream could not be made: that lease is to be given
 * back as broken and the others as they are. */
enum sd_status sd_reuse_bind(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count,
                             struct sd_reuse_stream *stream, uint32_t *failed, struct sd_diag *diag);

/* The slot is no more: its stream goes. Fine if there is none. */
enum sd_status sd_reuse_unbind(struct sd_reuse *reuse, sd_pool_id slot, bool force, struct sd_diag *diag);

#endif
