#include <stdlib.h>

#include "memory_pool_impl.h"

#define CUT_LEAST 512u /* a smaller rest stays with the block: too small to be of use to anybody */
#define MIB (UINT64_C(1) << 20)

static int compare_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_size(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct mem_block *x = SD_TREE_OF(a, const struct mem_block, node), *y = SD_TREE_OF(b, const struct mem_block, node);
	int order = compare_number(x->bytes, y->bytes);

	return order ? order : compare_number((uintptr_t)x->at, (uintptr_t)y->at);
}

static int by_address(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	return compare_number((uintptr_t)SD_TREE_OF(a, const struct mem_block, node)->at, (uintptr_t)SD_TREE_OF(b, const struct mem_block, node)->at);
}

static int segments_by_size(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct mem_segment *x = SD_TREE_OF(a, const struct mem_segment, node), *y = SD_TREE_OF(b, const struct mem_segment, node);
	int order = compare_number(x->bytes, y->bytes);

	return order ? order : compare_number((uintptr_t)x->at, (uintptr_t)y->at);
}

void mem_init_trees(struct sd_memory_pool *pool)
{
	pool->segments.compare = segments_by_size;
	pool->busy.compare = by_address;
	for (uint32_t sub = 0; sub < MEM_SUBS; sub++)
		pool->free[sub].compare = pool->guarded[sub].compare = by_size;
}

void mem_init_cached(struct mem_stream *stream)
{
	for (uint32_t sub = 0; sub < MEM_SUBS; sub++)
		stream->cached[sub].compare = by_size;
}

struct mem_block *mem_find_busy(struct sd_memory_pool *pool, const void *memory)
{
	const struct mem_block key = { .at = (unsigned char *)(uintptr_t)memory };
	struct sd_tree_node *found = sd_tree_find(&pool->busy, &key.node);

	return found ? SD_TREE_OF(found, struct mem_block, node) : NULL;
}

struct mem_block *mem_best(const struct sd_tree *tree, uint64_t bytes)
{
	const struct mem_block key = { .bytes = bytes };
	struct sd_tree_node *found = sd_tree_at_least(tree, &key.node);

	return found ? SD_TREE_OF(found, struct mem_block, node) : NULL;
}

struct mem_block *mem_next(const struct sd_tree *tree, const struct mem_block *block)
{
	struct sd_tree_node *found = sd_tree_above(tree, &block->node);

	return found ? SD_TREE_OF(found, struct mem_block, node) : NULL;
}

static struct sd_tree *place_of(struct sd_memory_pool *pool, const struct mem_block *block)
{
	switch (block->state) {
	case MEM_FREE:
		return &pool->free[block->segment->sub];
	case MEM_CACHED:
		return &pool->stream[block->fence.stream]->cached[block->segment->sub];
	case MEM_GUARDED:
		return &pool->guarded[block->segment->sub];
	case MEM_BUSY:
		break;
	}
	return &pool->busy;
}

/* Mostly at the end: numbers grow. */
static void put_in_list(struct mem_stream *stream, struct mem_block *block)
{
	struct mem_block *at = stream->newest;

	while (at && at->fence.number > block->fence.number)
		at = at->earlier;
	block->earlier = at;
	block->later = at ? at->later : stream->oldest;
	*(at ? &at->later : &stream->oldest) = block;
	*(block->later ? &block->later->earlier : &stream->newest) = block;
}

static void take_out_of_list(struct mem_stream *stream, struct mem_block *block)
{
	*(block->earlier ? &block->earlier->later : &stream->oldest) = block->later;
	*(block->later ? &block->later->earlier : &stream->newest) = block->earlier;
	block->earlier = block->later = NULL;
}

static void count(struct sd_memory_pool *pool, const struct mem_block *block, bool is_in)
{
	struct sd_memory_pool_stats *stats = &pool->stats;
	uint64_t bytes = is_in ? block->bytes : -block->bytes;
	uint32_t one = is_in ? 1 : -1u;

	if (block->state == MEM_FREE) {
		stats->free_bytes += bytes;
		stats->free_blocks += one;
	} else if (block->state == MEM_BUSY) {
		stats->used_bytes += bytes;
		stats->used_blocks += one;
		stats->asked_bytes += is_in ? block->asked : -block->asked;
	} else {
		stats->cached_bytes += bytes;
		stats->cached_blocks += one;
	}
	if (stats->used_peak_bytes < stats->used_bytes)
		stats->used_peak_bytes = stats->used_bytes;
}

void mem_put_in(struct sd_memory_pool *pool, struct mem_block *block)
{
	sd_tree_insert(place_of(pool, block), &block->node);
	if (block->state == MEM_CACHED)
		put_in_list(pool->stream[block->fence.stream], block);
	count(pool, block, true);
}

void mem_take_out(struct sd_memory_pool *pool, struct mem_block *block)
{
	sd_tree_remove(place_of(pool, block), &block->node);
	if (block->state == MEM_CACHED)
		take_out_of_list(pool->stream[block->fence.stream], block);
	count(pool, block, false);
}

static bool can_join(const struct mem_block *a, const struct mem_block *b)
{
	if (!a || !b || a->state != b->state)
		return false;
	return a->state == MEM_FREE || (a->state == MEM_CACHED && a->fence.stream == b->fence.stream);
}

/* `right` goes into `left`; neither is in a place. */
static void join(struct mem_block *left, struct mem_block *right)
{
	if (left->state == MEM_CACHED && left->fence.number < right->fence.number)
		left->fence = right->fence;
	left->bytes += right->bytes;
	left->next = right->next;
	if (left->next)
		left->next->previous = left;
	free(right->more);
	free(right);
}

void mem_settle(struct sd_memory_pool *pool, struct mem_block *block)
{
	if (can_join(block, block->next)) {
		mem_take_out(pool, block->next);
		join(block, block->next);
	}
	if (can_join(block->previous, block)) {
		block = block->previous;
		mem_take_out(pool, block);
		join(block, block->next);
	}
	mem_put_in(pool, block);
}

static bool copy_fences(struct mem_block *to, const struct mem_block *from)
{
	to->has_fence = from->has_fence;
	to->fence = from->fence;
	if (from->more_count == 0)
		return true;
	to->more = malloc(from->more_count * sizeof(*to->more));
	if (!to->more)
		return false;
	to->more_count = to->more_cap = from->more_count;
	for (uint32_t i = 0; i < from->more_count; i++)
		to->more[i] = from->more[i];
	return true;
}

/* Without memory for the rest, the block stays whole. */
void mem_cut(struct sd_memory_pool *pool, struct mem_block *block, uint64_t bytes)
{
	struct mem_block *rest;

	if (block->bytes - bytes < CUT_LEAST)
		return;
	rest = calloc(1, sizeof(*rest));
	if (!rest || !copy_fences(rest, block)) {
		free(rest);
		return;
	}
	rest->segment = block->segment;
	rest->state = block->state;
	rest->at = block->at + bytes;
	rest->bytes = block->bytes - bytes;
	rest->previous = block;
	rest->next = block->next;
	if (rest->next)
		rest->next->previous = rest;
	block->next = rest;
	block->bytes = bytes;
	mem_put_in(pool, rest);
}

bool mem_is_whole(const struct mem_segment *segment)
{
	return segment->first->state == MEM_FREE && !segment->first->next;
}

/* Its one block is free. */
void mem_release_segment(struct sd_memory_pool *pool, struct mem_segment *segment)
{
	mem_take_out(pool, segment->first);
	sd_tree_remove(&pool->segments, &segment->node);
	pool->stats.reserved_bytes -= segment->bytes;
	pool->stats.segments--;
	pool->stats.segments_returned++;
	pool->device->ops->memory_free(pool->device, segment->at, NULL);
	free(segment->first->more);
	free(segment->first);
	free(segment);
}

uint64_t mem_trim(struct sd_memory_pool *pool, uint64_t keep_bytes)
{
	uint64_t before = pool->stats.reserved_bytes;
	struct sd_tree_node *at = sd_tree_first(&pool->segments);

	while (at && pool->stats.reserved_bytes > keep_bytes) {
		struct mem_segment *segment = SD_TREE_OF(at, struct mem_segment, node);

		at = sd_tree_above(&pool->segments, at);
		if (mem_is_whole(segment))
			mem_release_segment(pool, segment);
	}
	return before - pool->stats.reserved_bytes;
}

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

static uint64_t segment_bytes(const struct sd_memory_pool *pool, uint64_t bytes, uint64_t asked)
{
	uint64_t least = pool->options.expand_bytes;

	if (least == 0)
		least = asked <= MIB ? SD_MEMORY_POOL_PAGE : asked <= 10 * MIB ? 20 * MIB : 0;
	return round_up(bytes > least ? bytes : least, SD_MEMORY_POOL_PAGE);
}

static enum sd_status add_segment(struct sd_memory_pool *pool, uint64_t bytes, uint32_t sub, struct mem_block **block)
{
	struct mem_segment *segment = calloc(1, sizeof(*segment));
	enum sd_status status = SD_RESOURCE_EXHAUSTED;
	void *memory = NULL;

	*block = calloc(1, sizeof(**block));
	if (segment && *block)
		status = pool->device->ops->memory_alloc(pool->device, bytes, sub == MEM_HUGE ? SD_PAGES_HUGE_FIRST : SD_PAGES_NORMAL_FIRST, &memory, NULL);
	if (status != SD_OK) {
		free(segment);
		free(*block);
		return status;
	}
	segment->at = (*block)->at = memory;
	segment->bytes = (*block)->bytes = bytes;
	segment->sub = sub;
	segment->first = *block;
	(*block)->segment = segment;
	sd_tree_insert(&pool->segments, &segment->node);
	pool->stats.segments++;
	pool->stats.reserved_bytes += bytes;
	if (pool->stats.reserved_peak_bytes < pool->stats.reserved_bytes)
		pool->stats.reserved_peak_bytes = pool->stats.reserved_bytes;
	return SD_OK;
}

/* A segment as large as the rule wants, else one of just the size, else the same when free segments
 * are given back. */
bool mem_grow(struct sd_memory_pool *pool, uint64_t bytes, uint64_t asked, uint32_t sub, struct mem_block **block)
{
	const uint64_t size[] = { segment_bytes(pool, bytes, asked), round_up(bytes, SD_MEMORY_POOL_PAGE) };

	for (int is_trimmed = 0; is_trimmed < 2; is_trimmed++) {
		for (int i = 0; i < 2; i++) {
			bool fits = size[i] <= pool->options.max_bytes && pool->stats.reserved_bytes <= pool->options.max_bytes - size[i];

			if (fits && add_segment(pool, size[i], sub, block) == SD_OK)
				return true;
		}
		if (mem_trim(pool, 0) == 0)
			break;
	}
	return false;
}
