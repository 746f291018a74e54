/* reuse_impl.h - the parts of the reusable allocator.
 *
 *   reuse_books.c    begin, end, models, trim, figures
 *   reuse_bind.c     streams in slots: made and destroyed, without the lock
 *   reuse_acquire.c  leases: taken as a whole, or not at all
 *   reuse_unload.c   leases given back, streams destroyed, models removed */
#ifndef SD_REUSE_IMPL_H
#define SD_REUSE_IMPL_H

#include <pthread.h>

#include "streamd/reuse.h"
#include "tree.h"

enum reuse_state {
	REUSE_CREATING, /* the device is asked; given to nobody */
	REUSE_LIVE,
	REUSE_FAILED,   /* was not made; goes when the last call has let it go */
	REUSE_GOING,    /* the device is asked to destroy it */
	REUSE_LEFT,     /* the device could not; tried again by trim */
};

struct reuse_lease;

/* What is in a slot. */
struct reuse_entry {
	struct sd_tree_node node; /* by slot. First member */
	sd_pool_id slot;
	enum reuse_state state;
	uint32_t users;           /* calls that look at it */
	sd_handle stream;
	int32_t rt_id;
	struct reuse_lease *leases;
};

struct reuse_model {
	struct sd_tree_node node; /* by id. First member */
	sd_pool_id id;
	bool is_bound;
	struct reuse_lease *leases;
};

/* Filed once its stream is there. */
struct reuse_lease {
	struct sd_tree_node node; /* by id. First member */
	sd_pool_id id;
	struct reuse_model *model;
	struct reuse_entry *entry;
	enum sd_reuse_role role;
	struct reuse_lease *next_of_model, *next_of_entry;
};

struct sd_reuse {
	struct sd_device *device;
	struct sd_pool *pool;     /* NULL: slots come from outside */
	pthread_mutex_t lock;
	pthread_cond_t changed;   /* an entry is no longer CREATING */
	struct sd_tree entries, models, leases;
	uint32_t entry_count, left_count;
	uint64_t create_failures;
};

static inline void reuse_lock(struct sd_reuse *reuse)
{
	pthread_mutex_lock(&reuse->lock);
}
static inline void reuse_unlock(struct sd_reuse *reuse)
{
	pthread_mutex_unlock(&reuse->lock);
}

enum sd_status reuse_no_memory(struct sd_diag *diag);

/* Under the lock; NULL if there is none. */
struct reuse_entry *reuse_find_entry(struct sd_reuse *reuse, sd_pool_id slot);
struct reuse_model *reuse_find_model(struct sd_reuse *reuse, sd_pool_id model);
struct reuse_lease *reuse_find_lease(struct sd_reuse *reuse, sd_pool_id lease);
void reuse_file_lease(struct sd_reuse *reuse, struct reuse_lease *lease);
void reuse_drop_lease(struct sd_reuse *reuse, struct reuse_lease *lease); /* frees it */

/* Without the lock: streams for grants, as sd_reuse_bind(). `is_other`: the one that failed was being made by another call. */
enum sd_status reuse_fill(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count, struct sd_reuse_stream *stream,
                          bool *is_mine, uint32_t *failed, bool *is_other, struct sd_diag *diag);

/* Without the lock: the stream of a slot that is no more. */
enum sd_status reuse_destroy_gone(struct sd_reuse *reuse, sd_pool_id slot, bool force, struct sd_diag *diag);

#endif
