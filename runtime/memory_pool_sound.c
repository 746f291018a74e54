#include "memory_pool_impl.h"

/* What the walk over all blocks counted. */
struct sums {
	uint64_t reserved, used, asked, cached, free;
	uint32_t segments, used_blocks, cached_blocks, free_blocks;
};

static bool is_in_tree(const struct sd_tree *tree, const struct mem_block *block)
{
	return sd_tree_find(tree, &block->node) == &block->node;
}

static bool is_in_list(const struct mem_stream *stream, const struct mem_block *block)
{
	for (const struct mem_block *at = stream->oldest; at; at = at->later) {
		if (at->later && (at->later->earlier != at || at->later->fence.number < at->fence.number))
			return false;
		if (at == block)
			return true;
	}
	return false;
}

static bool is_in_place(const struct sd_memory_pool *pool, const struct mem_block *block)
{
	const uint32_t sub = block->segment->sub;
	const struct mem_stream *stream;

	switch (block->state) {
	case MEM_FREE:
		return is_in_tree(&pool->free[sub], block) && !block->has_fence;
	case MEM_GUARDED:
		return is_in_tree(&pool->guarded[sub], block) && block->has_fence && block->more_count > 0;
	case MEM_CACHED:
		stream = pool->stream[block->fence.stream];
		return is_in_tree(&stream->cached[sub], block) && is_in_list(stream, block) && block->more_count == 0;
	case MEM_BUSY:
		break;
	}
	return is_in_tree(&pool->busy, block) && block->tag;
}

static bool is_joined(const struct mem_block *block)
{
	const struct mem_block *next = block->next;

	if (!next || next->state != block->state || (block->state != MEM_FREE && block->state != MEM_CACHED))
		return true;
	return block->state == MEM_CACHED && block->fence.stream != next->fence.stream;
}

static void count(struct sums *sums, const struct mem_block *block)
{
	if (block->state == MEM_FREE) {
		sums->free += block->bytes;
		sums->free_blocks++;
	} else if (block->state == MEM_BUSY) {
		sums->used += block->bytes;
		sums->asked += block->asked;
		sums->used_blocks++;
	} else {
		sums->cached += block->bytes;
		sums->cached_blocks++;
	}
}

static bool is_segment_sound(const struct sd_memory_pool *pool, const struct mem_segment *segment, struct sums *sums)
{
	const unsigned char *at = segment->at;

	for (const struct mem_block *block = segment->first, *previous = NULL; block; previous = block, block = block->next) {
		if (block->at != at || block->segment != segment || block->previous != previous || block->bytes == 0)
			return false;
		if ((uintptr_t)at % SD_MEMORY_POOL_ALIGNMENT != 0 || !is_in_place(pool, block) || !is_joined(block))
			return false;
		count(sums, block);
		at += block->bytes;
	}
	sums->reserved += segment->bytes;
	sums->segments++;
	return at == segment->at + segment->bytes;
}

static bool do_agree(const struct sums *sums, const struct sd_memory_pool_stats *stats)
{
	return sums->reserved == stats->reserved_bytes && sums->used == stats->used_bytes && sums->asked == stats->asked_bytes &&
	       sums->cached == stats->cached_bytes && sums->free == stats->free_bytes && sums->segments == stats->segments &&
	       sums->used_blocks == stats->used_blocks && sums->cached_blocks == stats->cached_blocks && sums->free_blocks == stats->free_blocks;
}

bool sd_memory_pool_is_sound(struct sd_memory_pool *pool)
{
	struct sums sums = { 0 };
	uint64_t tagged = 0;
	bool is_sound = true;

	pthread_mutex_lock(&pool->lock);
	for (struct sd_tree_node *at = sd_tree_first(&pool->segments); at && is_sound; at = sd_tree_above(&pool->segments, at))
		is_sound = is_segment_sound(pool, SD_TREE_OF(at, struct mem_segment, node), &sums);
	for (struct sd_tree_node *at = sd_tree_first(&pool->tags); at; at = sd_tree_above(&pool->tags, at))
		tagged += SD_TREE_OF(at, struct mem_tag, node)->bytes;
	is_sound = is_sound && do_agree(&sums, &pool->stats) && tagged == sums.used;
	pthread_mutex_unlock(&pool->lock);
	return is_sound;
}
