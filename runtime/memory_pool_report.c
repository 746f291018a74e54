#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_pool_impl.h"

#define TOLD 3 /* who holds most */

static int by_name(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	return strcmp(SD_TREE_OF(a, const struct mem_tag, node)->name, SD_TREE_OF(b, const struct mem_tag, node)->name);
}

void mem_init_tags(struct sd_memory_pool *pool)
{
	pool->tags.compare = by_name;
}

struct mem_tag *mem_tag(struct sd_memory_pool *pool, const char *name)
{
	struct mem_tag key = { .bytes = 0 }, *tag;
	struct sd_tree_node *found;

	snprintf(key.name, sizeof(key.name), "%s", name ? name : "");
	found = sd_tree_find(&pool->tags, &key.node);
	if (found)
		return SD_TREE_OF(found, struct mem_tag, node);
	tag = malloc(sizeof(*tag));
	if (!tag)
		return NULL;
	*tag = key;
	sd_tree_insert(&pool->tags, &tag->node);
	return tag;
}

void mem_count_tag(struct mem_tag *tag, uint64_t bytes, bool is_more)
{
	tag->bytes += is_more ? bytes : -bytes;
	tag->blocks += is_more ? 1 : -1u;
	if (tag->peak_bytes < tag->bytes)
		tag->peak_bytes = tag->bytes;
}

void mem_free_tags(struct sd_memory_pool *pool)
{
	struct sd_tree_node *first;

	while ((first = sd_tree_first(&pool->tags))) {
		sd_tree_remove(&pool->tags, first);
		free(SD_TREE_OF(first, struct mem_tag, node));
	}
}

/* The tags that hold most, the largest first, of equal ones in order of name; answers how many. */
static int largest_tags(const struct sd_memory_pool *pool, const struct mem_tag **top, int most)
{
	int count = 0;

	for (struct sd_tree_node *at = sd_tree_first(&pool->tags); at; at = sd_tree_above(&pool->tags, at)) {
		const struct mem_tag *tag = SD_TREE_OF(at, const struct mem_tag, node);
		int place = count;

		while (place > 0 && top[place - 1]->bytes < tag->bytes)
			place--;
		if (tag->bytes == 0 || place == most)
			continue;
		count += count < most;
		memmove(&top[place + 1], &top[place], (size_t)(count - 1 - place) * sizeof(*top));
		top[place] = tag;
	}
	return count;
}

static uint64_t largest_free(const struct sd_memory_pool *pool)
{
	uint64_t largest = 0;

	for (uint32_t sub = 0; sub < MEM_SUBS; sub++) {
		struct sd_tree_node *last = sd_tree_last(&pool->free[sub]);

		if (last && SD_TREE_OF(last, struct mem_block, node)->bytes > largest)
			largest = SD_TREE_OF(last, struct mem_block, node)->bytes;
	}
	return largest;
}

void mem_measure(struct sd_memory_pool *pool, struct sd_memory_pool_stats *stats)
{
	*stats = pool->stats;
	stats->largest_free_bytes = largest_free(pool);
	for (struct sd_tree_node *at = sd_tree_first(&pool->segments); at; at = sd_tree_above(&pool->segments, at)) {
		const struct mem_segment *segment = SD_TREE_OF(at, const struct mem_segment, node);

		stats->trimmable_bytes += mem_is_whole(segment) ? segment->bytes : 0;
	}
	if (stats->free_bytes)
		stats->fragmentation_permille = (uint32_t)((stats->free_bytes - stats->largest_free_bytes) * 1000 / stats->free_bytes);
}

/* The words lie where the diagnostic can point to until this thread fails again. */
enum sd_status mem_tell_exhausted(struct sd_memory_pool *pool, uint64_t bytes, struct sd_diag *diag)
{
	static _Thread_local char words[SD_MESSAGE_MAX];
	const struct mem_tag *top[TOLD + 1];
	int count = largest_tags(pool, top, TOLD);
	struct sd_memory_pool_stats now;
	size_t len;

	pool->stats.failures++;
	mem_measure(pool, &now);
	len = (size_t)snprintf(words, sizeof(words), "of %" PRIu64 " reserved (at most %" PRIu64 ") %" PRIu64 " are in use", now.reserved_bytes,
	                       pool->options.max_bytes, now.used_bytes);
	for (int i = 0; i < count && len < sizeof(words); i++)
		len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%" PRIu64 " by '%s'", i ? ", " : " (", top[i]->bytes, top[i]->name);
	if (len < sizeof(words))
		snprintf(words + len, sizeof(words) - len, "%s, %" PRIu64 " cached, the largest free block has %" PRIu64 ", a trim would give %" PRIu64, count ? ")" : "",
		         now.cached_bytes, now.largest_free_bytes, now.trimmable_bytes);
	return SD_FAIL2(diag, SD_CODE_MEMORY_EXHAUSTED, SD_NO_NODE, sd_arg_int((int64_t)bytes), sd_arg_words(words));
}

enum sd_status mem_tell_busy(struct sd_memory_pool *pool, struct sd_diag *diag)
{
	static _Thread_local char name[SD_MEMORY_TAG];
	const struct mem_tag *top[2];

	snprintf(name, sizeof(name), "%s", largest_tags(pool, top, 1) ? top[0]->name : "");
	return SD_FAIL2(diag, SD_CODE_MEMORY_BUSY, SD_NO_NODE, sd_arg_int(pool->stats.used_blocks), sd_arg_text((struct sd_text){ name, (uint32_t)strlen(name) }));
}

void sd_memory_pool_each_tag(struct sd_memory_pool *pool, void (*visit)(void *arg, const struct sd_memory_tag_facts *facts), void *arg)
{
	pthread_mutex_lock(&pool->lock);
	for (struct sd_tree_node *at = sd_tree_first(&pool->tags); at; at = sd_tree_above(&pool->tags, at)) {
		const struct mem_tag *tag = SD_TREE_OF(at, const struct mem_tag, node);

		visit(arg, &(struct sd_memory_tag_facts){ tag->name, tag->bytes, tag->peak_bytes, tag->blocks });
	}
	pthread_mutex_unlock(&pool->lock);
}
