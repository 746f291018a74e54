#include "arena.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(at, len) ASAN_POISON_MEMORY_REGION((at), (len))
#define UNPOISON(at, len) ASAN_UNPOISON_MEMORY_REGION((at), (len))
#define RED_ZONE 16 /* a gap that ASan watches, so that an overrun is seen at once */
#else
#define POISON(at, len) ((void)(at), (void)(len))
#define UNPOISON(at, len) ((void)(at), (void)(len))
#define RED_ZONE 0
#endif

#define ALIGN 16u
#define FIRST_CHUNK (64u << 10)   /* a small request needs one */
#define LARGEST_STEP (64u << 20)  /* chunks double up to here */

struct sd_arena_chunk {
	struct sd_arena_chunk *older;
	size_t size; /* of data */
	size_t used;
	_Alignas(16) unsigned char data[];
};

void sd_arena_init(struct sd_arena *arena, size_t budget_bytes)
{
	*arena = (struct sd_arena){ .budget_bytes = budget_bytes };
}

static void drop_chunk(struct sd_arena *arena)
{
	struct sd_arena_chunk *chunk = arena->chunk;

	arena->chunk = chunk->older;
	arena->held_bytes -= chunk->size;
	UNPOISON(chunk->data, chunk->size);
	free(chunk);
}

void sd_arena_finish(struct sd_arena *arena)
{
	while (arena->chunk)
		drop_chunk(arena);
	sd_arena_init(arena, arena->budget_bytes);
}

void sd_arena_reset(struct sd_arena *arena, size_t keep_bytes)
{
	while (arena->chunk && (arena->chunk->older || arena->chunk->size > keep_bytes)) {
		struct sd_arena_chunk *second = arena->chunk->older;

		if (second && arena->chunk->size <= keep_bytes) {
			arena->chunk->older = second->older;
			arena->held_bytes -= second->size;
			UNPOISON(second->data, second->size);
			free(second);
			continue;
		}
		drop_chunk(arena);
	}
	if (arena->chunk) {
		arena->chunk->used = 0;
		POISON(arena->chunk->data, arena->chunk->size);
	}
	arena->used_bytes = arena->peak_bytes = 0;
}

static bool add_chunk(struct sd_arena *arena, size_t bytes)
{
	size_t size = arena->chunk ? arena->chunk->size * 2 : FIRST_CHUNK;
	struct sd_arena_chunk *chunk;

	if (size > LARGEST_STEP)
		size = LARGEST_STEP;
	if (size < bytes)
		size = bytes;
	if (size > SIZE_MAX - sizeof(*chunk))
		return false;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return false;
	chunk->older = arena->chunk;
	chunk->size = size;
	chunk->used = 0;
	POISON(chunk->data, size);
	arena->chunk = chunk;
	arena->held_bytes += size;
	return true;
}

void *sd_arena_alloc(struct sd_arena *arena, size_t bytes)
{
	size_t room;
	void *at;

	arena->calls++;
	if (arena->fail_at && arena->calls >= arena->fail_at)
		return NULL;
	if (bytes > SIZE_MAX / 2)
		return NULL;
	room = ((bytes ? bytes : 1) + RED_ZONE + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (arena->budget_bytes && room > arena->budget_bytes - arena->used_bytes)
		return NULL;
	if (!arena->chunk || room > arena->chunk->size - arena->chunk->used) {
		if (!add_chunk(arena, room))
			return NULL;
	}
	at = arena->chunk->data + arena->chunk->used;
	arena->chunk->used += room;
	arena->used_bytes += room;
	if (arena->used_bytes > arena->peak_bytes)
		arena->peak_bytes = arena->used_bytes;
	UNPOISON(at, bytes);
	return at;
}

void *sd_arena_array(struct sd_arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		arena->calls++;
		return NULL;
	}
	return sd_arena_alloc(arena, bytes);
}

void *sd_arena_zero(struct sd_arena *arena, size_t count, size_t size)
{
	void *at = sd_arena_array(arena, count, size);

	if (at)
		memset(at, 0, count * size);
	return at;
}

struct sd_arena_mark sd_arena_mark(const struct sd_arena *arena)
{
	return (struct sd_arena_mark){
		.chunk = arena->chunk,
		.chunk_used = arena->chunk ? arena->chunk->used : 0,
		.used_bytes = arena->used_bytes,
	};
}

void sd_arena_rewind(struct sd_arena *arena, struct sd_arena_mark mark)
{
	while (arena->chunk != mark.chunk) {
		SD_REQUIRE(arena->chunk);
		drop_chunk(arena);
	}
	if (arena->chunk) {
		POISON(arena->chunk->data + mark.chunk_used, arena->chunk->size - mark.chunk_used);
		arena->chunk->used = mark.chunk_used;
	}
	arena->used_bytes = mark.used_bytes;
}
