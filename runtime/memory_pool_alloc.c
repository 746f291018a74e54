#include <stdlib.h>

#include "memory_pool_impl.h"

/* What an allocation looks for. */
struct wish {
	struct mem_stream *stream; /* NULL: the host */
	uint64_t bytes;
	uint32_t sub;
};

static uint64_t rounded(uint64_t bytes)
{
	uint64_t whole = (bytes + 31) / 32 * 32 + 32;

	return (whole + SD_MEMORY_POOL_ALIGNMENT - 1) / SD_MEMORY_POOL_ALIGNMENT * SD_MEMORY_POOL_ALIGNMENT;
}

/* The first block of the tree, from the smallest that fits, that the stream is behind; looks at some only. */
static struct mem_block *first_behind(struct sd_memory_pool *pool, const struct wish *wish, const struct sd_tree *tree, const struct mem_block *best)
{
	struct mem_block *block = mem_best(tree, wish->bytes);

	for (uint32_t looks = 0; block && looks < SD_MEMORY_POOL_LOOKS; looks++) {
		if (best && best->bytes <= block->bytes)
			return NULL;
		if (mem_is_behind(pool, wish->stream, block))
			return block;
		block = mem_next(tree, block);
	}
	return NULL;
}

static struct mem_block *find_followed(struct sd_memory_pool *pool, const struct wish *wish)
{
	struct mem_block *best = first_behind(pool, wish, &pool->guarded[wish->sub], NULL);

	for (uint32_t i = 0; i < pool->stream_count; i++) {
		struct mem_block *block = NULL;

		if (pool->stream[i] != wish->stream && pool->stream[i]->oldest)
			block = first_behind(pool, wish, &pool->stream[i]->cached[wish->sub], best);
		if (block)
			best = block;
	}
	return best;
}

/* The smallest that fits and has a fence, whoever used it. */
static struct mem_block *find_fenced(struct sd_memory_pool *pool, const struct wish *wish)
{
	struct mem_block *best = mem_best(&pool->guarded[wish->sub], wish->bytes);

	for (uint32_t i = 0; i < pool->stream_count; i++) {
		struct mem_block *block = pool->stream[i]->oldest ? mem_best(&pool->stream[i]->cached[wish->sub], wish->bytes) : NULL;

		if (block && (!best || block->bytes < best->bytes))
			best = block;
	}
	return best;
}

struct asked {
	sd_handle handle;
	uint64_t mark;
	enum sd_progress progress;
};

/* Streams whose cached blocks could be free by now. NULL: none, or no memory to note them. */
static struct asked *list_streams(const struct sd_memory_pool *pool, uint32_t *count)
{
	bool has_guarded = pool->guarded[MEM_HUGE].root || pool->guarded[MEM_NORMAL].root;
	struct asked *asked = pool->stream_count ? malloc(pool->stream_count * sizeof(*asked)) : NULL;

	*count = 0;
	for (uint32_t i = 0; asked && i < pool->stream_count; i++) {
		const struct mem_stream *stream = pool->stream[i];

		if (stream->handle != SD_NO_HANDLE && stream->number > stream->finished && (stream->oldest || has_guarded))
			asked[(*count)++] = (struct asked){ stream->handle, stream->number, SD_NOT_DONE };
	}
	return asked;
}

/* Asks the device which streams are done; without the lock, since that may let tasks end, whose `done` may free. */
static void query_streams(struct sd_memory_pool *pool)
{
	uint32_t count;
	struct asked *asked = list_streams(pool, &count);

	if (count > 0) {
		pthread_mutex_unlock(&pool->lock);
		for (uint32_t i = 0; i < count; i++) {
			if (pool->device->ops->stream_query(pool->device, asked[i].handle, &asked[i].progress, NULL) != SD_OK)
				asked[i].progress = SD_NOT_DONE;
		}
		pthread_mutex_lock(&pool->lock);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct mem_stream *stream = asked[i].progress == SD_DONE ? mem_find_stream(pool, asked[i].handle) : NULL;

		if (stream)
			mem_finish(pool, stream, asked[i].mark);
	}
	free(asked);
}

/* Steps 1 and 2. */
static struct mem_block *find_ordered(struct sd_memory_pool *pool, const struct wish *wish, uint64_t **counted)
{
	struct mem_block *block = wish->stream ? mem_best(&wish->stream->cached[wish->sub], wish->bytes) : NULL;

	*counted = &pool->stats.by_stream;
	if (block || !wish->stream || !(pool->options.reuse & SD_REUSE_FOLLOW_EVENTS))
		return block;
	*counted = &pool->stats.by_event;
	return find_followed(pool, wish);
}

/* Steps 1 to 4. Of step 3 is what was found only because streams were asked. */
static struct mem_block *find(struct sd_memory_pool *pool, const struct wish *wish)
{
	uint64_t *counted, *unused;
	struct mem_block *block = find_ordered(pool, wish, &counted);

	if (!block && (pool->options.reuse & SD_REUSE_OPPORTUNISTIC)) {
		const struct mem_block *free_before = mem_best(&pool->free[wish->sub], wish->bytes);
		const unsigned char *at = free_before ? free_before->at : NULL;

		query_streams(pool);
		counted = &pool->stats.by_query;
		block = find_ordered(pool, wish, &unused);
		if (!block)
			block = mem_best(&pool->free[wish->sub], wish->bytes);
		if (block && block->at == at)
			counted = &pool->stats.by_fit;
	} else if (!block) {
		counted = &pool->stats.by_fit;
		block = mem_best(&pool->free[wish->sub], wish->bytes);
	}
	*counted += block != NULL;
	return block;
}

static void hand_out(struct sd_memory_pool *pool, struct mem_block *block, const struct wish *wish, uint64_t asked, struct mem_tag *tag)
{
	mem_cut(pool, block, wish->bytes);
	block->state = MEM_BUSY;
	block->asked = asked;
	block->tag = tag;
	mem_count_tag(tag, block->bytes, true);
	mem_put_in(pool, block);
}

static void forget_fences(struct mem_block *block)
{
	block->has_fence = false;
	block->more_count = 0;
}

/* Without the lock: makes `stream` wait for what is enqueued on `other` now. */
static bool make_wait(struct sd_device *device, sd_handle stream, sd_handle other)
{
	const struct sd_device_ops *ops = device->ops;
	sd_handle event;
	bool is_made;

	if (ops->event_create(device, 0, &event, NULL) != SD_OK)
		return false;
	is_made = ops->event_record(device, other, event, NULL) == SD_OK && ops->event_wait(device, stream, event, NULL) == SD_OK;
	ops->event_destroy(device, event, NULL);
	return is_made;
}

/* One fence: counted as a record of the other stream before it is made, as a wait behind. The block
 * is in use meanwhile, so that nobody else takes it. */
static bool wait_for_fence(struct sd_memory_pool *pool, sd_handle stream_handle, const struct mem_fence *fence)
{
	struct mem_stream *other = pool->stream[fence->stream], *stream;
	uint64_t number = ++other->number;
	sd_handle other_handle = other->handle;
	bool is_made;

	pthread_mutex_unlock(&pool->lock);
	is_made = make_wait(pool->device, stream_handle, other_handle);
	pthread_mutex_lock(&pool->lock);
	stream = mem_find_stream(pool, stream_handle);
	return is_made && stream && mem_see(stream, fence->stream, number);
}

static bool wait_for_fences(struct sd_memory_pool *pool, const struct mem_stream *stream, sd_handle handle, const struct mem_block *block)
{
	bool is_made = mem_is_passed(pool, stream, &block->fence) || wait_for_fence(pool, handle, &block->fence);

	for (uint32_t i = 0; i < block->more_count && is_made; i++)
		is_made = mem_is_passed(pool, stream, &block->more[i]) || wait_for_fence(pool, handle, &block->more[i]);
	return is_made;
}

/* Step 5. */
static struct mem_block *take_with_waits(struct sd_memory_pool *pool, const struct wish *wish, sd_handle stream, uint64_t asked, struct mem_tag *tag)
{
	struct mem_block *block = find_fenced(pool, wish);

	if (!block)
		return NULL;
	mem_take_out(pool, block);
	hand_out(pool, block, wish, asked, tag);
	if (wait_for_fences(pool, wish->stream, stream, block)) {
		pool->stats.by_wait++;
		return block;
	}
	mem_take_out(pool, block);
	mem_count_tag(tag, block->bytes, false);
	mem_drop_fences(pool, block);
	mem_settle(pool, block);
	return NULL;
}

static enum sd_status take(struct sd_memory_pool *pool, const struct wish *wish, sd_handle stream, uint64_t asked, struct mem_tag *tag,
                           struct mem_block **block)
{
	*block = find(pool, wish);
	if (!*block && wish->stream && (pool->options.reuse & SD_REUSE_INTERNAL_WAITS)) {
		*block = take_with_waits(pool, wish, stream, asked, tag);
		if (*block) {
			forget_fences(*block);
			return SD_OK;
		}
	}
	if (*block) {
		mem_take_out(pool, *block);
	} else {
		if (!mem_grow(pool, wish->bytes, asked, wish->sub, block))
			return SD_RESOURCE_EXHAUSTED;
		pool->stats.by_growth++;
	}
	hand_out(pool, *block, wish, asked, tag);
	forget_fences(*block);
	return SD_OK;
}

/* Steps 1 to 6; then, of the other pages, what is there. */
static enum sd_status take_of_either(struct sd_memory_pool *pool, const struct wish *wish, sd_handle stream, uint64_t asked, struct mem_tag *tag,
                                     struct mem_block **block, struct sd_diag *diag)
{
	struct wish other = { wish->stream, wish->bytes, MEM_SUBS - 1 - wish->sub };

	if (take(pool, wish, stream, asked, tag, block) == SD_OK)
		return SD_OK;
	*block = find(pool, &other);
	if (!*block)
		return mem_tell_exhausted(pool, wish->bytes, diag);
	pool->stats.by_other_pages++;
	mem_take_out(pool, *block);
	hand_out(pool, *block, &other, asked, tag);
	forget_fences(*block);
	return SD_OK;
}

static enum sd_status check(uint64_t bytes, enum sd_page_policy policy, struct sd_diag *diag)
{
	if (bytes == 0 || bytes > INT64_MAX / 2)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the number of bytes"), sd_arg_int((int64_t)bytes),
		                sd_arg_words("above 0 and below 2^62"));
	if (policy != SD_PAGES_HUGE_FIRST && policy != SD_PAGES_NORMAL_FIRST)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the page policy of a pool's block"), sd_arg_int(policy),
		                sd_arg_words("0 (HUGE_FIRST) or 64 (NORMAL_FIRST)"));
	return SD_OK;
}

enum sd_status sd_memory_pool_alloc(struct sd_memory_pool *pool, uint64_t bytes, sd_handle stream, enum sd_page_policy policy, const char *tag_name,
                                    void **memory, struct sd_diag *diag)
{
	struct wish wish = { .bytes = rounded(bytes), .sub = policy == SD_PAGES_HUGE_FIRST ? MEM_HUGE : MEM_NORMAL };
	struct mem_block *block = NULL;
	enum sd_status status;
	struct mem_tag *tag;

	*memory = NULL;
	SD_TRY(check(bytes, policy, diag));
	pthread_mutex_lock(&pool->lock);
	tag = mem_tag(pool, tag_name);
	wish.stream = stream != SD_NO_HANDLE ? mem_stream(pool, stream) : NULL;
	if (tag && (wish.stream || stream == SD_NO_HANDLE))
		status = take_of_either(pool, &wish, stream, bytes, tag, &block, diag);
	else
		status = mem_short_of_memory(diag);
	if (status == SD_OK)
		*memory = block->at;
	pthread_mutex_unlock(&pool->lock);
	return status;
}

/* Each stream that used it gets a fence at the place where it is now. */
static void set_fences(struct sd_memory_pool *pool, struct mem_block *block, struct mem_stream *stream)
{
	uint32_t kept = 0;

	block->has_fence = stream != NULL;
	if (stream)
		block->fence = (struct mem_fence){ stream->index, ++stream->number };
	for (uint32_t i = 0; i < block->more_count; i++) {
		struct mem_stream *user = pool->stream[block->more[i].stream];

		if (user != stream && user->handle != SD_NO_HANDLE)
			block->more[kept++] = (struct mem_fence){ user->index, ++user->number };
	}
	block->more_count = kept;
}

static enum sd_status give_back(struct sd_memory_pool *pool, void *memory, sd_handle handle, struct sd_diag *diag)
{
	struct mem_block *block = mem_find_busy(pool, memory);
	struct mem_stream *stream = NULL;

	if (!block)
		return SD_FAIL1(diag, SD_CODE_NO_SUCH_BLOCK, SD_NO_NODE, sd_arg_int((int64_t)(uintptr_t)memory));
	if (handle != SD_NO_HANDLE) {
		stream = mem_stream(pool, handle);
		if (!stream)
			return mem_short_of_memory(diag);
	}
	mem_take_out(pool, block);
	mem_count_tag(block->tag, block->bytes, false);
	set_fences(pool, block, stream);
	mem_drop_fences(pool, block);
	mem_settle(pool, block);
	return SD_OK;
}

enum sd_status sd_memory_pool_free(struct sd_memory_pool *pool, void *memory, sd_handle stream, struct sd_diag *diag)
{
	enum sd_status status;

	pthread_mutex_lock(&pool->lock);
	status = give_back(pool, memory, stream, diag);
	pthread_mutex_unlock(&pool->lock);
	return status;
}

static enum sd_status add_user(struct sd_memory_pool *pool, void *memory, sd_handle handle, struct sd_diag *diag)
{
	struct mem_block *block = mem_find_busy(pool, memory);
	struct mem_stream *stream;

	if (!block)
		return SD_FAIL1(diag, SD_CODE_NO_SUCH_BLOCK, SD_NO_NODE, sd_arg_int((int64_t)(uintptr_t)memory));
	stream = mem_stream(pool, handle);
	if (!stream)
		return mem_short_of_memory(diag);
	for (uint32_t i = 0; i < block->more_count; i++) {
		if (block->more[i].stream == stream->index)
			return SD_OK;
	}
	if (block->more_count == block->more_cap) {
		uint32_t cap = block->more_cap ? block->more_cap * 2 : 4;
		struct mem_fence *larger = realloc(block->more, cap * sizeof(*larger));

		if (!larger)
			return mem_short_of_memory(diag);
		block->more = larger;
		block->more_cap = cap;
	}
	block->more[block->more_count++] = (struct mem_fence){ .stream = stream->index };
	return SD_OK;
}

enum sd_status sd_memory_pool_use(struct sd_memory_pool *pool, void *memory, sd_handle stream, struct sd_diag *diag)
{
	enum sd_status status;

	if (stream == SD_NO_HANDLE)
		return SD_OK;
	pthread_mutex_lock(&pool->lock);
	status = add_user(pool, memory, stream, diag);
	pthread_mutex_unlock(&pool->lock);
	return status;
}
