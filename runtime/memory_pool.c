#include <stdlib.h>

#include "memory_pool_impl.h"

static enum sd_status bound(struct sd_memory_pool *pool, struct sd_diag *diag)
{
	struct sd_memory_pool_options *options = &pool->options;
	struct sd_device_facts facts;
	uint64_t has;

	pool->device->ops->facts(pool->device, &facts);
	has = facts.memory_bytes ? facts.memory_bytes / SD_MEMORY_POOL_PAGE * SD_MEMORY_POOL_PAGE : UINT64_MAX / SD_MEMORY_POOL_PAGE * SD_MEMORY_POOL_PAGE;
	if (options->max_bytes > has)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("max_bytes of the memory pool"), sd_arg_int((int64_t)options->max_bytes),
		                sd_arg_words("at most what the device has, in whole 2 MiB"));
	if (options->max_bytes == 0)
		options->max_bytes = has;
	else
		options->max_bytes = (options->max_bytes + SD_MEMORY_POOL_PAGE - 1) / SD_MEMORY_POOL_PAGE * SD_MEMORY_POOL_PAGE;
	if (options->expand_bytes > options->max_bytes)
		options->expand_bytes = options->max_bytes;
	return SD_OK;
}

enum sd_status sd_memory_pool_open(const struct sd_memory_pool_options *options, struct sd_device *device, struct sd_memory_pool **pool, struct sd_diag *diag)
{
	static const struct sd_memory_pool_options defaults = { .reuse = SD_REUSE_DEFAULT };
	struct sd_memory_pool *made = calloc(1, sizeof(*made));
	enum sd_status status;

	*pool = NULL;
	if (!made)
		return mem_short_of_memory(diag);
	made->device = device;
	made->options = options ? *options : defaults;
	status = bound(made, diag);
	if (status != SD_OK) {
		free(made);
		return status;
	}
	mem_init_trees(made);
	mem_init_order(made);
	mem_init_tags(made);
	pthread_mutex_init(&made->lock, NULL);
	*pool = made;
	return SD_OK;
}

/* Fences mean nothing any more: whoever closes the pool has no more use for the memory. */
static void finish_all(struct sd_memory_pool *pool)
{
	for (uint32_t i = 0; i < pool->stream_count; i++)
		mem_finish(pool, pool->stream[i], pool->stream[i]->number);
}

enum sd_status sd_memory_pool_close(struct sd_memory_pool *pool, struct sd_diag *diag)
{
	enum sd_status status = SD_OK;

	pthread_mutex_lock(&pool->lock);
	if (pool->stats.used_blocks > 0)
		status = mem_tell_busy(pool, diag);
	pthread_mutex_unlock(&pool->lock);
	if (status != SD_OK)
		return status;
	finish_all(pool);
	mem_trim(pool, 0);
	mem_free_order(pool);
	mem_free_tags(pool);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	return SD_OK;
}

uint64_t sd_memory_pool_trim(struct sd_memory_pool *pool, uint64_t keep_bytes)
{
	uint64_t bytes;

	pthread_mutex_lock(&pool->lock);
	bytes = mem_trim(pool, keep_bytes);
	pthread_mutex_unlock(&pool->lock);
	return bytes;
}

void sd_memory_pool_stats(struct sd_memory_pool *pool, struct sd_memory_pool_stats *stats)
{
	pthread_mutex_lock(&pool->lock);
	mem_measure(pool, stats);
	pthread_mutex_unlock(&pool->lock);
}

void sd_memory_pool_reset_peaks(struct sd_memory_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stats.reserved_peak_bytes = pool->stats.reserved_bytes;
	pool->stats.used_peak_bytes = pool->stats.used_bytes;
	for (struct sd_tree_node *at = sd_tree_first(&pool->tags); at; at = sd_tree_above(&pool->tags, at)) {
		struct mem_tag *tag = SD_TREE_OF(at, struct mem_tag, node);

		tag->peak_bytes = tag->bytes;
	}
	pthread_mutex_unlock(&pool->lock);
}
