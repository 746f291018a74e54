/* arena.h - the memory of one job: bumped forward, dropped at once.
 *
 * Everything that a job touches (decoded graph, pass data, plan, encoded answer)
 * lives in one arena, so that no pass frees anything and no failure leaks. An arena
 * has a budget: what would exceed it is answered with NULL. One thread at a time. */
#ifndef SD_ARENA_H
#define SD_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sd_arena_chunk;

struct sd_arena {
	struct sd_arena_chunk *chunk;  /* newest first */
	size_t held_bytes;             /* taken from the system */
	size_t used_bytes;             /* given out since the last reset */
	size_t peak_bytes;             /* highest used_bytes since the last reset */
	size_t budget_bytes;           /* bound of used_bytes; 0 = none */
	uint64_t calls;                /* allocations asked for since init */
	uint64_t fail_at;              /* this call and all later ones fail; 0 = never (tests) */
};

struct sd_arena_mark {
	struct sd_arena_chunk *chunk;
	size_t chunk_used;
	size_t used_bytes;
};

/* An empty arena. `budget_bytes` 0 means no bound but the system's memory. */
void sd_arena_init(struct sd_arena *arena, size_t budget_bytes);

/* Gives everything back to the system; the arena may be used again as if new. */
void sd_arena_finish(struct sd_arena *arena);

/* Forgets all allocations and keeps one chunk of at most `keep_bytes` for the next job. */
void sd_arena_reset(struct sd_arena *arena, size_t keep_bytes);

/* `bytes` of memory, aligned for any type, not cleared; NULL over budget. Zero bytes
 * are a valid, unique request. */
void *sd_arena_alloc(struct sd_arena *arena, size_t bytes);

/* The same for `count` items of `size` bytes (overflow answers NULL); cleared. */
void *sd_arena_zero(struct sd_arena *arena, size_t count, size_t size);
void *sd_arena_array(struct sd_arena *arena, size_t count, size_t size);

/* Brackets scratch memory: what was allocated after the mark is forgotten. */
struct sd_arena_mark sd_arena_mark(const struct sd_arena *arena);
void sd_arena_rewind(struct sd_arena *arena, struct sd_arena_mark mark);

/* SD_NEW(mem, uint32_t, n): an uncleared array; SD_NEW0: a cleared one. */
#define SD_NEW(arena, type, count) ((type *)sd_arena_array((arena), (count), sizeof(type)))
#define SD_NEW0(arena, type, count) ((type *)sd_arena_zero((arena), (count), sizeof(type)))

#endif
