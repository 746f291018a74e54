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

enum mem_block_state { MEM_FREE, MEM_CACHED, MEM_GUARDED, MEM_BUSY };
enum { MEM_HUGE, MEM_NORMAL, MEM_SUBS };

struct mem_fence {
	uint32_t stream; /* index */
	uint64_t number; /* of the stream, up to which the block may be used */
};

struct mem_tag {
	struct sd_tree_node node;
	char name[SD_MEMORY_TAG];
	uint64_t bytes, peak_bytes;
	uint32_t blocks;
};

struct mem_segment {
	struct sd_tree_node node; /* by size and address */
	unsigned char *at;
	uint64_t bytes;
	uint32_t sub;
	struct mem_block *first;
};

struct mem_block {
	struct sd_tree_node node;             /* of the one tree that it is in */
	struct mem_block *previous, *next;   /* in its segment, by address */
	struct mem_block *earlier, *later;   /* in its stream's list, by fence */
	struct mem_segment *segment;
	unsigned char *at;
	uint64_t bytes, asked;
	enum mem_block_state state;
	bool has_fence;                       /* `fence` is set */
	struct mem_fence fence, *more;       /* more: of streams that used it besides; of BUSY ones the streams alone */
	uint32_t more_count, more_cap;
	struct mem_tag *tag;
};

struct mem_stream {
	struct sd_tree_node node;    /* by handle */
	sd_handle handle;            /* SD_NO_HANDLE: forgotten; the place is free */
	uint32_t index;
	uint64_t number;             /* of its last free or record */
	uint64_t finished;           /* up to which the device has done it */
	uint64_t *seen;              /* by index: up to which this one is behind that one */
	uint32_t seen_count;
	struct sd_tree cached[MEM_SUBS];
	struct mem_block *oldest, *newest;
};

struct mem_event {
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
	struct sd_tree free[MEM_SUBS], guarded[MEM_SUBS];
	struct mem_stream **stream; /* by index */
	uint32_t stream_count, stream_cap;
	struct sd_memory_pool_stats stats;
};

/* All under the lock, save where said.
 *
 * memory_pool_blocks.c. */
void mem_init_trees(struct sd_memory_pool *pool);
void mem_init_cached(struct mem_stream *stream);
/* Room for `bytes`, of which `asked` were asked for. The block is FREE and in no place. False: the device or the bound has none. */
bool mem_grow(struct sd_memory_pool *pool, uint64_t bytes, uint64_t asked, uint32_t sub, struct mem_block **block);
uint64_t mem_trim(struct sd_memory_pool *pool, uint64_t keep_bytes);
bool mem_is_whole(const struct mem_segment *segment);     /* free as a whole */
void mem_take_out(struct sd_memory_pool *pool, struct mem_block *block); /* of its place */
void mem_put_in(struct sd_memory_pool *pool, struct mem_block *block);   /* in the place of its state */
void mem_cut(struct sd_memory_pool *pool, struct mem_block *block, uint64_t bytes); /* the rest keeps the state; `block` is in no place */
void mem_settle(struct sd_memory_pool *pool, struct mem_block *block);   /* joins it with its neighbours and puts it in its place */
struct mem_block *mem_find_busy(struct sd_memory_pool *pool, const void *memory);
struct mem_block *mem_best(const struct sd_tree *tree, uint64_t bytes);  /* smallest of at least that size */
struct mem_block *mem_next(const struct sd_tree *tree, const struct mem_block *block);
void mem_release_segment(struct sd_memory_pool *pool, struct mem_segment *segment);

/* memory_pool_order.c. */
void mem_init_order(struct sd_memory_pool *pool);
struct mem_stream *mem_find_stream(struct sd_memory_pool *pool, sd_handle handle); /* NULL: not known */
struct mem_stream *mem_stream(struct sd_memory_pool *pool, sd_handle handle);      /* made if it is not known; NULL: out of memory */
/* Is the stream behind a fence, or behind all of a block? */
bool mem_is_passed(const struct sd_memory_pool *pool, const struct mem_stream *stream, const struct mem_fence *fence);
bool mem_is_behind(const struct sd_memory_pool *pool, const struct mem_stream *stream, const struct mem_block *block);
void mem_drop_fences(struct sd_memory_pool *pool, struct mem_block *block);        /* finished ones; sets its state */
void mem_finish(struct sd_memory_pool *pool, struct mem_stream *stream, uint64_t number);
bool mem_see(struct mem_stream *stream, uint32_t index, uint64_t number);          /* false: out of memory */
void mem_free_order(struct sd_memory_pool *pool);

/* memory_pool_report.c. */
void mem_init_tags(struct sd_memory_pool *pool);
struct mem_tag *mem_tag(struct sd_memory_pool *pool, const char *name); /* NULL: out of memory */
void mem_count_tag(struct mem_tag *tag, uint64_t bytes, bool is_more); /* a block of so many bytes */
void mem_free_tags(struct sd_memory_pool *pool);
enum sd_status mem_tell_exhausted(struct sd_memory_pool *pool, uint64_t bytes, struct sd_diag *diag);
enum sd_status mem_tell_busy(struct sd_memory_pool *pool, struct sd_diag *diag);
void mem_measure(struct sd_memory_pool *pool, struct sd_memory_pool_stats *stats);

static inline enum sd_status mem_short_of_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

#endif
