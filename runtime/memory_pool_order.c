#include <stdlib.h>
#include <string.h>

#include "memory_pool_impl.h"

static int streams_by_handle(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle x = SD_TREE_OF(const struct pool_stream, node, a)->handle, y = SD_TREE_OF(const struct pool_stream, node, b)->handle;

	return (x > y) - (x < y);
}

static int events_by_handle(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle x = SD_TREE_OF(const struct pool_event, node, a)->handle, y = SD_TREE_OF(const struct pool_event, node, b)->handle;

	return (x > y) - (x < y);
}

void pool_init_order(struct sd_memory_pool *pool)
{
	pool->streams.compare = streams_by_handle;
	pool->events.compare = events_by_handle;
}

struct pool_stream *pool_find_stream(struct sd_memory_pool *pool, sd_handle handle)
{
	const struct pool_stream key = { .handle = handle };
	struct sd_tree_node *found = sd_tree_at_least(&pool->streams, &key.node);
	struct pool_stream *stream = found ? SD_TREE_OF(struct pool_stream, node, found) : NULL;
	return stream && stream->handle == handle ? stream : NULL;
}

/* A place of a forgotten stream, or a new one. */
static struct pool_stream *free_place(struct sd_memory_pool *pool)
{
	struct pool_stream *stream;

	for (uint32_t i = 0; i < pool->stream_count; i++) {
		if (pool->stream[i]->handle == SD_NO_HANDLE)
			return pool->stream[i];
	}
	if (pool->stream_count == pool->stream_cap) {
		uint32_t cap = pool->stream_cap ? pool->stream_cap * 2 : 16;
		struct pool_stream **larger = realloc(pool->stream, cap * sizeof(*larger));

		if (!larger)
			return NULL;
		pool->stream = larger;
		pool->stream_cap = cap;
	}
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->index = pool->stream_count;
	pool_init_cached(stream);
	pool->stream[pool->stream_count++] = stream;
	return stream;
}

/* Its numbers go on from those of whoever had the place, so that what others saw of that one says nothing of this one. */
struct pool_stream *pool_stream(struct sd_memory_pool *pool, sd_handle handle)
{
	struct pool_stream *stream = pool_find_stream(pool, handle);

	if (stream)
		return stream;
	stream = free_place(pool);
	if (!stream)
		return NULL;
	stream->handle = handle;
	stream->finished = stream->number;
	if (stream->seen_count)
		memset(stream->seen, 0, stream->seen_count * sizeof(*stream->seen));
	sd_tree_insert(&pool->streams, &stream->node);
	return stream;
}

bool pool_is_passed(const struct sd_memory_pool *pool, const struct pool_stream *stream, const struct pool_fence *fence)
{
	if (fence->stream == stream->index || pool->stream[fence->stream]->finished >= fence->number)
		return true;
	return fence->stream < stream->seen_count && stream->seen[fence->stream] >= fence->number;
}

bool pool_is_behind(const struct sd_memory_pool *pool, const struct pool_stream *stream, const struct pool_block *block)
{
	if (block->has_fence && !pool_is_passed(pool, stream, &block->fence))
		return false;
	for (uint32_t i = 0; i < block->more_count; i++) {
		if (!pool_is_passed(pool, stream, &block->more[i]))
			return false;
	}
	return true;
}

static bool is_finished(const struct sd_memory_pool *pool, const struct pool_fence *fence)
{
	return pool->stream[fence->stream]->finished >= fence->number;
}

void pool_drop_fences(struct sd_memory_pool *pool, struct pool_block *block)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < block->more_count; i++) {
		if (!is_finished(pool, &block->more[i]))
			block->more[kept++] = block->more[i];
	}
	block->more_count = kept;
	if (block->has_fence && is_finished(pool, &block->fence))
		block->has_fence = false;
	if (!block->has_fence && kept > 0) {
		block->has_fence = true;
		block->fence = block->more[--block->more_count];
	}
	block->state = !block->has_fence ? POOL_FREE : block->more_count ? POOL_GUARDED : POOL_CACHED;
}

static void settle_anew(struct sd_memory_pool *pool, struct pool_block *block)
{
	pool_take_out(pool, block);
	pool_drop_fences(pool, block);
	pool_settle(pool, block);
}

/* Those with several fences: all are looked at, since any of the fences may be this stream's. */
static void finish_guarded(struct sd_memory_pool *pool, uint32_t sub)
{
	struct sd_tree_node *at = sd_tree_first(&pool->guarded[sub]);

	while (at) {
		struct pool_block *block = SD_TREE_OF(struct pool_block, node, at);
		const struct pool_block key = { .bytes = block->bytes, .at = block->at };

		settle_anew(pool, block);
		at = sd_tree_above(&pool->guarded[sub], &key.node);
	}
}

void pool_finish(struct sd_memory_pool *pool, struct pool_stream *stream, uint64_t number)
{
	if (number <= stream->finished)
		return;
	stream->finished = number;
	while (stream->oldest && stream->oldest->fence.number <= number)
		settle_anew(pool, stream->oldest);
	for (uint32_t sub = 0; sub < POOL_SUBS; sub++)
		finish_guarded(pool, sub);
}

static bool grow_seen(uint64_t **seen, uint32_t *count, uint32_t needed)
{
	uint64_t *larger;

	if (needed <= *count)
		return true;
	larger = realloc(*seen, needed * sizeof(*larger));
	if (!larger)
		return false;
	memset(larger + *count, 0, (needed - *count) * sizeof(*larger));
	*seen = larger;
	*count = needed;
	return true;
}

bool pool_see(struct pool_stream *stream, uint32_t index, uint64_t number)
{
	if (!grow_seen(&stream->seen, &stream->seen_count, index + 1))
		return false;
	if (stream->seen[index] < number)
		stream->seen[index] = number;
	return true;
}

static struct pool_event *find_event(struct sd_memory_pool *pool, sd_handle handle)
{
	const struct pool_event key = { .handle = handle };
	struct sd_tree_node *found = sd_tree_at_least(&pool->events, &key.node);
	struct pool_event *event = found ? SD_TREE_OF(struct pool_event, node, found) : NULL;
	return event && event->handle == handle ? event : NULL;
}

static void free_event(struct sd_memory_pool *pool, struct pool_event *event)
{
	sd_tree_remove(&pool->events, &event->node);
	free(event->seen);
	free(event);
}

/* What the event stands for from now on: all that the stream is behind, and the stream itself. */
static bool record(struct sd_memory_pool *pool, struct pool_stream *stream, sd_handle handle)
{
	struct pool_event *event = find_event(pool, handle);
	uint32_t needed = stream->seen_count > stream->index + 1 ? stream->seen_count : stream->index + 1;

	if (!event) {
		event = calloc(1, sizeof(*event));
		if (!event)
			return false;
		event->handle = handle;
		sd_tree_insert(&pool->events, &event->node);
	}
	if (!grow_seen(&event->seen, &event->seen_count, needed)) {
		free_event(pool, event);
		return false;
	}
	memset(event->seen, 0, event->seen_count * sizeof(*event->seen));
	if (stream->seen_count)
		memcpy(event->seen, stream->seen, stream->seen_count * sizeof(*event->seen));
	event->seen[stream->index] = ++stream->number;
	return true;
}

enum sd_status sd_memory_pool_recorded(struct sd_memory_pool *pool, sd_handle handle, sd_handle event, struct sd_diag *diag)
{
	struct pool_stream *stream;
	bool is_known = false;

	pthread_mutex_lock(&pool->lock);
	stream = pool_stream(pool, handle);
	if (stream)
		is_known = record(pool, stream, event);
	pthread_mutex_unlock(&pool->lock);
	return is_known ? SD_OK : pool_short_of_memory(diag);
}

/* An event that nothing is known of was recorded before the pool was told of anything: it stands for nothing here. */
enum sd_status sd_memory_pool_waited(struct sd_memory_pool *pool, sd_handle handle, sd_handle event_handle, struct sd_diag *diag)
{
	struct pool_stream *stream;
	struct pool_event *event;
	bool is_known = true;

	pthread_mutex_lock(&pool->lock);
	stream = pool_stream(pool, handle);
	event = find_event(pool, event_handle);
	if (stream && event) {
		for (uint32_t i = 0; i < event->seen_count && is_known; i++)
			is_known = event->seen[i] == 0 || pool_see(stream, i, event->seen[i]);
	}
	pthread_mutex_unlock(&pool->lock);
	return stream && is_known ? SD_OK : pool_short_of_memory(diag);
}

uint64_t sd_memory_pool_mark(struct sd_memory_pool *pool, sd_handle handle)
{
	struct pool_stream *stream;
	uint64_t mark;

	pthread_mutex_lock(&pool->lock);
	stream = pool_find_stream(pool, handle);
	mark = stream ? stream->number : 0;
	pthread_mutex_unlock(&pool->lock);
	return mark;
}

void sd_memory_pool_finished(struct sd_memory_pool *pool, sd_handle handle, uint64_t mark)
{
	struct pool_stream *stream;

	pthread_mutex_lock(&pool->lock);
	stream = pool_find_stream(pool, handle);
	if (stream)
		pool_finish(pool, stream, mark < stream->number ? mark : stream->number);
	if (pool->options.keep_bytes)
		pool_trim(pool, pool->options.keep_bytes);
	pthread_mutex_unlock(&pool->lock);
}

void sd_memory_pool_forget_stream(struct sd_memory_pool *pool, sd_handle handle)
{
	struct pool_stream *stream;

	pthread_mutex_lock(&pool->lock);
	stream = pool_find_stream(pool, handle);
	if (stream) {
		pool_finish(pool, stream, stream->number);
		sd_tree_remove(&pool->streams, &stream->node);
		stream->handle = SD_NO_HANDLE;
	}
	pthread_mutex_unlock(&pool->lock);
}

void sd_memory_pool_forget_event(struct sd_memory_pool *pool, sd_handle handle)
{
	struct pool_event *event;

	pthread_mutex_lock(&pool->lock);
	event = find_event(pool, handle);
	if (event)
		free_event(pool, event);
	pthread_mutex_unlock(&pool->lock);
}

void pool_free_order(struct sd_memory_pool *pool)
{
	struct sd_tree_node *first;

	while ((first = sd_tree_first(&pool->events)))
		free_event(pool, SD_TREE_OF(struct pool_event, node, first));
	for (uint32_t i = 0; i < pool->stream_count; i++) {
		free(pool->stream[i]->seen);
		free(pool->stream[i]);
	}
	free(pool->stream);
}
