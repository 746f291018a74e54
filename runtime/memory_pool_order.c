#include <stdlib.h>
#include <string.h>

#include "memory_pool_impl.h"

static int streams_by_handle(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle x = SD_TREE_OF(a, const struct mem_stream, node)->handle, y = SD_TREE_OF(b, const struct mem_stream, node)->handle;

	return (x > y) - (x < y);
}

static int events_by_handle(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle x = SD_TREE_OF(a, const struct mem_event, node)->handle, y = SD_TREE_OF(b, const struct mem_event, node)->handle;

	return (x > y) - (x < y);
}

void mem_init_order(struct sd_memory_pool *pool)
{
	pool->streams.compare = streams_by_handle;
	pool->events.compare = events_by_handle;
}

struct mem_stream *mem_find_stream(struct sd_memory_pool *pool, sd_handle handle)
{
	const struct mem_stream key = { .handle = handle };
	struct sd_tree_node *found = sd_tree_find(&pool->streams, &key.node);

	return found ? SD_TREE_OF(found, struct mem_stream, node) : NULL;
}

/* A place of a forgotten stream, or a new one. */
static struct mem_stream *free_place(struct sd_memory_pool *pool)
{
	struct mem_stream *stream;

	for (uint32_t i = 0; i < pool->stream_count; i++) {
		if (pool->stream[i]->handle == SD_NO_HANDLE)
			return pool->stream[i];
	}
	if (pool->stream_count == pool->stream_cap) {
		uint32_t cap = pool->stream_cap ? pool->stream_cap * 2 : 16;
		struct mem_stream **larger = realloc(pool->stream, cap * sizeof(*larger));

		if (!larger)
			return NULL;
		pool->stream = larger;
		pool->stream_cap = cap;
	}
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->index = pool->stream_count;
	mem_init_cached(stream);
	pool->stream[pool->stream_count++] = stream;
	return stream;
}

/* Its numbers go on from those of whoever had the place, so that what others saw of that one says nothing of this one. */
struct mem_stream *mem_stream(struct sd_memory_pool *pool, sd_handle handle)
{
	struct mem_stream *stream = mem_find_stream(pool, handle);

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

bool mem_is_passed(const struct sd_memory_pool *pool, const struct mem_stream *stream, const struct mem_fence *fence)
{
	if (fence->stream == stream->index || pool->stream[fence->stream]->finished >= fence->number)
		return true;
	return fence->stream < stream->seen_count && stream->seen[fence->stream] >= fence->number;
}

bool mem_is_behind(const struct sd_memory_pool *pool, const struct mem_stream *stream, const struct mem_block *block)
{
	if (block->has_fence && !mem_is_passed(pool, stream, &block->fence))
		return false;
	for (uint32_t i = 0; i < block->more_count; i++) {
		if (!mem_is_passed(pool, stream, &block->more[i]))
			return false;
	}
	return true;
}

static bool is_finished(const struct sd_memory_pool *pool, const struct mem_fence *fence)
{
	return pool->stream[fence->stream]->finished >= fence->number;
}

void mem_drop_fences(struct sd_memory_pool *pool, struct mem_block *block)
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
	block->state = !block->has_fence ? MEM_FREE : block->more_count ? MEM_GUARDED : MEM_CACHED;
}

static void settle_anew(struct sd_memory_pool *pool, struct mem_block *block)
{
	mem_take_out(pool, block);
	mem_drop_fences(pool, block);
	mem_settle(pool, block);
}

/* Those with several fences: all are looked at, since any of the fences may be this stream's. */
static void finish_guarded(struct sd_memory_pool *pool, uint32_t sub)
{
	struct sd_tree_node *at = sd_tree_first(&pool->guarded[sub]);

	while (at) {
		struct mem_block *block = SD_TREE_OF(at, struct mem_block, node);
		const struct mem_block key = { .bytes = block->bytes, .at = block->at };

		settle_anew(pool, block);
		at = sd_tree_above(&pool->guarded[sub], &key.node);
	}
}

void mem_finish(struct sd_memory_pool *pool, struct mem_stream *stream, uint64_t number)
{
	if (number <= stream->finished)
		return;
	stream->finished = number;
	while (stream->oldest && stream->oldest->fence.number <= number)
		settle_anew(pool, stream->oldest);
	for (uint32_t sub = 0; sub < MEM_SUBS; sub++)
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

bool mem_see(struct mem_stream *stream, uint32_t index, uint64_t number)
{
	if (!grow_seen(&stream->seen, &stream->seen_count, index + 1))
		return false;
	if (stream->seen[index] < number)
		stream->seen[index] = number;
	return true;
}

static struct mem_event *find_event(struct sd_memory_pool *pool, sd_handle handle)
{
	const struct mem_event key = { .handle = handle };
	struct sd_tree_node *found = sd_tree_find(&pool->events, &key.node);

	return found ? SD_TREE_OF(found, struct mem_event, node) : NULL;
}

static void free_event(struct sd_memory_pool *pool, struct mem_event *event)
{
	sd_tree_remove(&pool->events, &event->node);
	free(event->seen);
	free(event);
}

/* What the event stands for from now on: all that the stream is behind, and the stream itself. */
static bool record(struct sd_memory_pool *pool, struct mem_stream *stream, sd_handle handle)
{
	struct mem_event *event = find_event(pool, handle);
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
	struct mem_stream *stream;
	bool is_known = false;

	pthread_mutex_lock(&pool->lock);
	stream = mem_stream(pool, handle);
	if (stream)
		is_known = record(pool, stream, event);
	pthread_mutex_unlock(&pool->lock);
	return is_known ? SD_OK : mem_short_of_memory(diag);
}

/* An event that nothing is known of was recorded before the pool was told of anything: it stands for nothing here. */
enum sd_status sd_memory_pool_waited(struct sd_memory_pool *pool, sd_handle handle, sd_handle event_handle, struct sd_diag *diag)
{
	struct mem_stream *stream;
	struct mem_event *event;
	bool is_known = true;

	pthread_mutex_lock(&pool->lock);
	stream = mem_stream(pool, handle);
	event = find_event(pool, event_handle);
	if (stream && event) {
		for (uint32_t i = 0; i < event->seen_count && is_known; i++)
			is_known = event->seen[i] == 0 || mem_see(stream, i, event->seen[i]);
	}
	pthread_mutex_unlock(&pool->lock);
	return stream && is_known ? SD_OK : mem_short_of_memory(diag);
}

uint64_t sd_memory_pool_mark(struct sd_memory_pool *pool, sd_handle handle)
{
	struct mem_stream *stream;
	uint64_t mark;

	pthread_mutex_lock(&pool->lock);
	stream = mem_find_stream(pool, handle);
	mark = stream ? stream->number : 0;
	pthread_mutex_unlock(&pool->lock);
	return mark;
}

void sd_memory_pool_finished(struct sd_memory_pool *pool, sd_handle handle, uint64_t mark)
{
	struct mem_stream *stream;

	pthread_mutex_lock(&pool->lock);
	stream = mem_find_stream(pool, handle);
	if (stream)
		mem_finish(pool, stream, mark < stream->number ? mark : stream->number);
	if (pool->options.keep_bytes)
		mem_trim(pool, pool->options.keep_bytes);
	pthread_mutex_unlock(&pool->lock);
}

void sd_memory_pool_forget_stream(struct sd_memory_pool *pool, sd_handle handle)
{
	struct mem_stream *stream;

	pthread_mutex_lock(&pool->lock);
	stream = mem_find_stream(pool, handle);
	if (stream) {
		mem_finish(pool, stream, stream->number);
		sd_tree_remove(&pool->streams, &stream->node);
		stream->handle = SD_NO_HANDLE;
	}
	pthread_mutex_unlock(&pool->lock);
}

void sd_memory_pool_forget_event(struct sd_memory_pool *pool, sd_handle handle)
{
	struct mem_event *event;

	pthread_mutex_lock(&pool->lock);
	event = find_event(pool, handle);
	if (event)
		free_event(pool, event);
	pthread_mutex_unlock(&pool->lock);
}

void mem_free_order(struct sd_memory_pool *pool)
{
	struct sd_tree_node *first;

	while ((first = sd_tree_first(&pool->events)))
		free_event(pool, SD_TREE_OF(first, struct mem_event, node));
	for (uint32_t i = 0; i < pool->stream_count; i++) {
		free(pool->stream[i]->seen);
		free(pool->stream[i]);
	}
	free(pool->stream);
}
