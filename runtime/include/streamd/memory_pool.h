/* memory_pool.h - device memory in advance: cut, given back and given again without asking the device.
 *
 * Segments come from the device and go back to it; blocks are cut from segments. There are two
 * sub-pools, by page policy: HUGE_FIRST for large tensors, NORMAL_FIRST for small and temporary ones.
 * The pool is book-keeping only: it touches no memory, and of the streams it knows what it is told.
 *
 * Who frees says on which stream: the block may be used until the stream gets there. Streams that used
 * it besides, without making that stream wait for them, are told with sd_memory_pool_use(). A freed
 * block is CACHED with a fence for each of these streams, numbers in which frees and records of a
 * stream are counted; it is given to a stream that is behind all fences, and is FREE when all are known
 * to be finished. An allocation for stream d takes, in this order, the smallest that fits of
 *   1. blocks that were freed on d and used by nobody else;
 *   2. (FOLLOW_EVENTS) blocks behind whose fences d is by records and waits, also by those of third streams;
 *   3. (OPPORTUNISTIC) blocks whose streams, when asked now, have nothing left to do;
 *   4. free blocks; of equally large ones the lowest;
 *   5. (INTERNAL_WAITS) any cached block, once d was made to wait for it: costs an event for a moment;
 *   6. a new segment;
 *   7. by 1 to 4, blocks of the other sub-pool.
 * Of 2 at most SD_MEMORY_POOL_LOOKS blocks of a stream are looked at.
 *
 * Costs: O(log n) in blocks, for each stream that has cached blocks; when a stream is finished, for each
 * block that this frees, and for each block with several fences. Any thread may call. */
#ifndef SD_MEMORY_POOL_H
#define SD_MEMORY_POOL_H

#include "streamd/device.h"

#define SD_MEMORY_POOL_ALIGNMENT 64u
#define SD_MEMORY_POOL_PAGE (UINT64_C(2) << 20) /* segments are multiples of it */
#define SD_MEMORY_POOL_LOOKS 64u
#define SD_MEMORY_TAG 32u                       /* bytes of a tag with its NUL; longer ones are cut */

enum sd_memory_reuse { SD_REUSE_FOLLOW_EVENTS = 1, SD_REUSE_OPPORTUNISTIC = 2, SD_REUSE_INTERNAL_WAITS = 4 };
#define SD_REUSE_DEFAULT (SD_REUSE_FOLLOW_EVENTS | SD_REUSE_OPPORTUNISTIC)

struct sd_memory_pool;

struct sd_memory_pool_options {
	uint32_t reuse;          /* enum sd_memory_reuse; 0: blocks are reused on their own stream, or when finished */
	uint64_t expand_bytes;   /* least size of a segment; 0: 2 MiB for requests up to 1 MiB, 20 MiB up to 10 MiB, no least above */
	uint64_t max_bytes;      /* of all segments, rounded up to 2 MiB; 0: what the device has, rounded down */
	uint64_t keep_bytes;     /* when a stream is known to be finished, free segments above are given back; 0: all stay */
};

/* `device` outlives the pool. `options` may be NULL: SD_REUSE_DEFAULT and no bound. INVALID_ARGUMENT: max_bytes above what the device has. */
enum sd_status sd_memory_pool_open(const struct sd_memory_pool_options *options, struct sd_device *device, struct sd_memory_pool **pool, struct sd_diag *diag);

/* FAILED_PRECONDITION while a block is in use: then the pool stays. */
enum sd_status sd_memory_pool_close(struct sd_memory_pool *pool, struct sd_diag *diag);

/* `bytes` are rounded up to 32, 32 more are added as the vendor's runtime does, and then to the
 * alignment. `policy`: HUGE_FIRST or NORMAL_FIRST. `tag` says whose it is ("weights"); NULL: "". RESOURCE_EXHAUSTED says who
 * holds most, what is cached, the largest free block, and what a trim would give. */
enum sd_status sd_memory_pool_alloc(struct sd_memory_pool *pool, uint64_t bytes, sd_handle stream, enum sd_page_policy policy, const char *tag,
                                    void **memory, struct sd_diag *diag);

/* SD_NO_HANDLE as stream: the host is the last to have used it. NOT_FOUND: no block in use begins there. */
enum sd_status sd_memory_pool_free(struct sd_memory_pool *pool, void *memory, sd_handle stream, struct sd_diag *diag);

/* `stream` uses the block too: when it is freed, that stream has a fence of its own. */
enum sd_status sd_memory_pool_use(struct sd_memory_pool *pool, void *memory, sd_handle stream, struct sd_diag *diag);

/* What streams do. RECORDED is told before the device is given the record, WAITED behind the wait.
 * RESOURCE_EXHAUSTED: no memory of this machine; nothing is known of the record then. */
enum sd_status sd_memory_pool_recorded(struct sd_memory_pool *pool, sd_handle stream, sd_handle event, struct sd_diag *diag);
enum sd_status sd_memory_pool_waited(struct sd_memory_pool *pool, sd_handle stream, sd_handle event, struct sd_diag *diag);

/* A mark is taken, then the device synchronizes the stream, then the stream is finished up to the mark. */
uint64_t sd_memory_pool_mark(struct sd_memory_pool *pool, sd_handle stream);
void sd_memory_pool_finished(struct sd_memory_pool *pool, sd_handle stream, uint64_t mark);

/* They were destroyed; of a stream that means that all its work is done. */
void sd_memory_pool_forget_stream(struct sd_memory_pool *pool, sd_handle stream);
void sd_memory_pool_forget_event(struct sd_memory_pool *pool, sd_handle event);

/* Gives back whole free segments, the smallest first, until at most `keep_bytes` are left; answers how many bytes went. */
uint64_t sd_memory_pool_trim(struct sd_memory_pool *pool, uint64_t keep_bytes);

struct sd_memory_pool_stats {
	uint64_t reserved_bytes, reserved_peak_bytes; /* segments */
	uint64_t used_bytes, used_peak_bytes;         /* blocks in use */
	uint64_t asked_bytes;                         /* what their users asked for */
	uint64_t cached_bytes, free_bytes, largest_free_bytes;
	uint64_t trimmable_bytes;                     /* free segments */
	uint32_t segments, used_blocks, cached_blocks, free_blocks;
	uint32_t fragmentation_permille;              /* of the free bytes, those outside the largest block */
	/* Ever: allocations by step 1 to 6, those that failed; segments given back; of the allocations by 1 to 4, those of step 7. */
	uint64_t by_stream, by_event, by_query, by_fit, by_wait, by_growth, failures, segments_returned, by_other_pages;
};
void sd_memory_pool_stats(struct sd_memory_pool *pool, struct sd_memory_pool_stats *stats);
void sd_memory_pool_reset_peaks(struct sd_memory_pool *pool); /* to what is held now */

/* Who holds what, in order of tag. A visitor calls nothing of the pool. */
struct sd_memory_tag_facts {
	const char *tag;
	uint64_t bytes, peak_bytes;
	uint32_t blocks;
};
void sd_memory_pool_each_tag(struct sd_memory_pool *pool, void (*visit)(void *arg, const struct sd_memory_tag_facts *facts), void *arg);

/* True if lists, trees and counts agree; for tests. */
bool sd_memory_pool_is_sound(struct sd_memory_pool *pool);

#endif
