/* memory_pool_impl.h - the parts of the memory pool.
 *
 *   memory_pool.c         open, close, trim, figures
 *   memory_pool_alloc.c   the steps by which a block is found; free
 *   memory_pool_blocks.c  segments and blocks: where they are kept, cut, joined
 *   memory_pool_order.c   what is known of streams and events; fences
 *   memory_pool_report.c  tags; who holds the memory when there is none
 *   memory_pool_sound.c   whether all that agrees, for tests
 *
 * Each block is in one place by its state: BUSY in `busy` by address; FREE in its sub-pool's tree by
 * size; CACHED with one fence in its stream's tree by size and list by fence; CACHED with several in the
 * sub-pool's tree `guarded`. Neighbours that are both FREE, or both CACHED with one fence of the same
 * stream, are joined; the later fence holds for both. */
#ifndef SD_MEMORY_POOL_IMPL_H
#define SD_MEMORY_POOL_IMPL_H

#include <pthread.h>

#include "streamd/memory_pool.h"
#include "tree.h"

enum pool_block_state { POOL_FREE, POOL_CACHED, POOL_GUARDED, POOL_BUSY };
enum { POOL_HUGE, POOL_NORMAL, POOL_SUBS };

struct pool_fence {
	uint32_t stream; /* index */
	uint64_t number; /* of the stream, up to which the block may be used */
};

struct pool_tag {
	struct sd_tree_node node;
	char name[SD_MEMORY_TAG];
	uint64_t bytes, peak_bytes;
	uint32_t blocks;
};

struct pool_segment {
	struct sd_tree_node node; /* by size and address */
	unsigned char *at;
	uint64_t bytes;
	uint32_t sub;
	struct pool_block *first;
};

struct pool_block {
	struct sd_tree_node node;             /* of the one tree that it is in */
	struct pool_block *previous, *next;   /* in its segment, by address */
	struct pool_block *earlier, *later;   /* in its stream's list, by fence */
	struct pool_segment *segment;
	unsigned char *at;
	uint64_t bytes, asked;
	enum pool_block_state state;
	bool has_fence;                       /* `fence` is set */
	struct pool_fence fence, *more;       /* more: of streams that used it besides; of BUSY ones the streams alone */
	uint32_t more_count, more_cap;
	struct pool_tag *tag;
};

struct pool_stream {
	struct sd_tree_node node;    /* by handle */
	sd_handle handle;            /* SD_NO_HANDLE: forgotten; the place is free */
	uint32_t index;
	uint64_t number;             /* of its last free or record */
	uint64_t finished;           /* up to which the device has done it */
	uint64_t *seen;              /* by index: up to which this one is behind that one */
	uint32_t seen_count;
	struct sd_tree cached[POOL_SUBS];
	struct pool_block *oldest, *newest;
};

struct pool_event {
	struct sd_tree_node node;    /* by handle */
	sd_handle handle;
	uint64_t *seen;              /* what its stream was behind at the record; itself included */
	uint32_t seen_count;
};

struct sd_memory_pool {
	pthread_mutex_t lock;
	struct sd_device *device;
	struct sd_memory_pool_options options;
	struct sd_tree segments, busy, tags, streams, events;
	struct sd_tree free[POOL_SUBS], guarded[POOL_SUBS];
	struct pool_stream **stream; /* by index */
	uint32_t stream_count, stream_cap;
	struct sd_memory_pool_stats stats;
};

/* All under the lock, save where said.
 *
 * memory_pool_blocks.c. */
void pool_init_trees(struct sd_memory_pool *pool);
void pool_init_cached(struct pool_stream *stream);
/* Room for `bytes`, of which `asked` were asked for. The block is FREE and in no place. */
enum sd_status pool_grow(struct sd_memory_pool *pool, uint64_t bytes, uint64_t asked, uint32_t sub, struct pool_block **block, struct sd_diag *diag);
uint64_t pool_trim(struct sd_memory_pool *pool, uint64_t keep_bytes);
bool pool_is_whole(const struct pool_segment *segment);     /* free as a whole */
void pool_take_out(struct sd_memory_pool *pool, struct pool_block *block); /* of its place */
void pool_put_in(struct sd_memory_pool *pool, struct pool_block *block);   /* in the place of its state */
void pool_cut(struct sd_memory_pool *pool, struct pool_block *block, uint64_t bytes); /* the rest keeps the state; `block` is in no place */
void pool_settle(struct sd_memory_pool *pool, struct pool_block *block);   /* joins it with its neighbours and puts it in its place */
struct pool_block *pool_find_busy(struct sd_memory_pool *pool, const void *memory);
struct pool_block *pool_best(const struct sd_tree *tree, uint64_t bytes);  /* smallest of at least that size */
struct pool_block *pool_next(const struct sd_tree *tree, const struct pool_block *block);
void pool_release_segment(struct sd_memory_pool *pool, struct pool_segment *segment);

/* memory_pool_order.c. */
void pool_init_order(struct sd_memory_pool *pool);
struct pool_stream *pool_find_stream(struct sd_memory_pool *pool, sd_handle handle); /* NULL: not known */
struct pool_stream *pool_stream(struct sd_memory_pool *pool, sd_handle handle);      /* made if it is not known; NULL: out of memory */
/* Is the stream behind a fence, or behind all of a block? */
bool pool_is_passed(const struct sd_memory_pool *pool, const struct pool_stream *stream, const struct pool_fence *fence);
bool pool_is_behind(const struct sd_memory_pool *pool, const struct pool_stream *stream, const struct pool_block *block);
void pool_drop_fences(struct sd_memory_pool *pool, struct pool_block *block);        /* finished ones; sets its state */
void pool_finish(struct sd_memory_pool *pool, struct pool_stream *stream, uint64_t number);
bool pool_see(struct pool_stream *stream, uint32_t index, uint64_t number);          /* false: out of memory */
void pool_free_order(struct sd_memory_pool *pool);

/* memory_pool_report.c. */
void pool_init_tags(struct sd_memory_pool *pool);
struct pool_tag *pool_tag(struct sd_memory_pool *pool, const char *name); /* NULL: out of memory */
void pool_count_tag(struct pool_tag *tag, uint64_t bytes, bool is_more); /* a block of so many bytes */
void pool_free_tags(struct sd_memory_pool *pool);
enum sd_status pool_tell_exhausted(struct sd_memory_pool *pool, uint64_t bytes, struct sd_diag *diag);
enum sd_status pool_tell_busy(struct sd_memory_pool *pool, struct sd_diag *diag);
void pool_measure(struct sd_memory_pool *pool, struct sd_memory_pool_stats *stats);

static inline enum sd_status pool_short_of_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

#endif
