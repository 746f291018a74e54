/* plain_streams.h - streams that models share, as a plain list that is looked through from end to end. */
#ifndef SD_PLAIN_STREAMS_H
#define SD_PLAIN_STREAMS_H

#include <stdlib.h>

#include "streamd/reuse.h"

#define STREAMS 1024
#define MODELS 10

struct stream {
	sd_pool_id slot; /* 0: none */
	sd_handle handle;
	int32_t priority;
	uint32_t flags;
	int64_t task_count;
	bool is_broken, is_left, is_chosen; /* left: its slot is no more, the device could not destroy it */
	uint64_t idle_since;
	struct {
		sd_pool_id id;
		int64_t task_count;
		enum sd_reuse_role role;
		uint64_t age;
	} lease[MODELS]; /* by model */
};

static struct {
	struct sd_pool_limits limits;
	struct stream stream[STREAMS];
	struct {
		sd_pool_id id;
		bool is_bound;
	} model[MODELS];
	uint64_t now, creates, failures;
	sd_pool_id dead_lease, dead_slot;
	sd_handle dead_handle;
} plain;

static inline uint32_t tenants_of(const struct stream *stream, int64_t *tasks)
{
	uint32_t count = 0;

	*tasks = 0;
	for (uint32_t m = 0; m < MODELS; m++) {
		count += stream->lease[m].id != 0;
		*tasks += stream->lease[m].id ? stream->lease[m].task_count : 0;
	}
	return count;
}

static inline bool is_idle(const struct stream *stream)
{
	int64_t tasks;

	return stream->slot && !stream->is_left && tenants_of(stream, &tasks) == 0;
}

static inline uint32_t count_streams(bool idle_only)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < STREAMS; i++)
		count += plain.stream[i].slot && (!idle_only || is_idle(&plain.stream[i]));
	return count;
}

static inline uint32_t count_slots(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < STREAMS; i++)
		count += plain.stream[i].slot && !plain.stream[i].is_left;
	return count;
}

static inline void forget(struct stream *stream)
{
	plain.dead_slot = stream->slot;
	plain.dead_handle = stream->handle;
	for (uint32_t m = 0; m < MODELS; m++)
		plain.dead_lease = stream->lease[m].id ? stream->lease[m].id : plain.dead_lease;
	*stream = (struct stream){ 0 };
}

/* The lease of a model goes, and the stream with it unless somebody may be given it. */
static inline void let_go(struct stream *stream, uint32_t model, bool is_broken)
{
	int64_t tasks;

	plain.dead_lease = stream->lease[model].id;
	stream->lease[model].id = 0;
	stream->is_broken |= is_broken;
	if (tenants_of(stream, &tasks))
		return;
	stream->idle_since = ++plain.now;
	if (!plain.limits.keeps_idle || stream->is_broken)
		forget(stream);
}

static inline bool may_have(const struct stream *stream, uint32_t model, const struct sd_pool_want *want)
{
	int64_t tasks;
	uint32_t tenants = tenants_of(stream, &tasks);

	if (!stream->slot || stream->is_left || stream->is_broken || stream->is_chosen || stream->lease[model].id)
		return false;
	if (stream->priority != want->priority || stream->flags != want->flags)
		return false;
	if (plain.limits.mode == SD_POOL_EXCLUSIVE)
		return tenants == 0;
	return plain.limits.tasks_max == 0 || tasks + want->task_count <= plain.limits.tasks_max;
}

static inline int64_t distance(const struct stream *stream, int64_t asked)
{
	return llabs(stream->task_count - asked);
}

static inline bool is_nearer(const struct stream *a, const struct stream *b, int64_t asked)
{
	if (distance(a, asked) != distance(b, asked))
		return distance(a, asked) < distance(b, asked);
	return a->task_count != b->task_count ? a->task_count > b->task_count : (uint32_t)a->slot < (uint32_t)b->slot;
}

static inline struct stream *choose(uint32_t model, const struct sd_pool_want *want)
{
	struct stream *best = NULL;

	for (uint32_t i = 0; i < STREAMS; i++)
		if (may_have(&plain.stream[i], model, want) && (!best || is_nearer(&plain.stream[i], best, want->task_count)))
			best = &plain.stream[i];
	return best;
}

static inline struct stream *empty_place(void)
{
	for (uint32_t i = 0; i < STREAMS; i++)
		if (!plain.stream[i].slot)
			return &plain.stream[i];
	abort();
}

#endif
