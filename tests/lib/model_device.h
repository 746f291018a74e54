/* model_device.h - a device whose streams are vector clocks: who has used which memory, and who is behind whom.
 *
 * It runs nothing: a use of memory is a step of a stream, a record takes the stream's clock, a wait
 * joins clocks. Streams are finished when the test says so. What the memory pool gives is held against it. */
#ifndef SD_MODEL_DEVICE_H
#define SD_MODEL_DEVICE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "streamd/memory_pool.h"

#define STREAMS 5 /* handles 1 to 4 */
#define EVENTS 4096
#define MIB (UINT64_C(1) << 20)

static struct model {
	struct sd_device device;
	uint64_t memory_bytes, held_bytes;
	unsigned allocations, frees, queries, waits;
	uint64_t clock[STREAMS][STREAMS], finished[STREAMS], event[EVENTS][STREAMS];
	sd_handle events;
	bool refuses_events;
} model;

static struct held {
	void *memory;
	uint64_t bytes;
} held[1024];

static inline void model_facts(struct sd_device *d, struct sd_device_facts *facts)
{
	*facts = (struct sd_device_facts){ .name = "model", .memory_bytes = model.memory_bytes };
}

static inline enum sd_status model_alloc(struct sd_device *d, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	if (model.held_bytes + bytes > model.memory_bytes)
		return SD_RESOURCE_EXHAUSTED;
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		if (held[i].memory)
			continue;
		held[i].memory = *memory = aligned_alloc(64, bytes);
		held[i].bytes = bytes;
		model.held_bytes += bytes;
		model.allocations++;
		return SD_OK;
	}
	return SD_RESOURCE_EXHAUSTED;
}

static inline enum sd_status model_free(struct sd_device *d, void *memory, struct sd_diag *diag)
{
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		if (held[i].memory != memory)
			continue;
		free(memory);
		held[i].memory = NULL;
		model.held_bytes -= held[i].bytes;
		model.frees++;
		return SD_OK;
	}
	ck_abort_msg("a segment is given back that is none");
	return SD_NOT_FOUND;
}

static inline enum sd_status model_query(struct sd_device *d, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag)
{
	model.queries++;
	*progress = model.finished[stream] >= model.clock[stream][stream] ? SD_DONE : SD_NOT_DONE;
	return SD_OK;
}

static inline enum sd_status model_event_create(struct sd_device *d, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	if (model.refuses_events || model.events + 1 >= EVENTS)
		return SD_RESOURCE_EXHAUSTED;
	*event = ++model.events;
	return SD_OK;
}

static inline enum sd_status model_event_destroy(struct sd_device *d, sd_handle event, struct sd_diag *diag)
{
	return SD_OK;
}

static inline enum sd_status model_record(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	model.clock[stream][stream]++;
	memcpy(model.event[event], model.clock[stream], sizeof(model.event[event]));
	return SD_OK;
}

static inline enum sd_status model_wait(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	model.waits++;
	model.clock[stream][stream]++;
	for (int i = 0; i < STREAMS; i++) {
		if (model.clock[stream][i] < model.event[event][i] && i != (int)stream)
			model.clock[stream][i] = model.event[event][i];
	}
	return SD_OK;
}

static const struct sd_device_ops model_ops = {
	.name = "model", .facts = model_facts, .memory_alloc = model_alloc, .memory_free = model_free, .stream_query = model_query,
	.event_create = model_event_create, .event_destroy = model_event_destroy, .event_record = model_record, .event_wait = model_wait,
};

static struct sd_memory_pool *pool;

static inline void open_pool(uint64_t memory_bytes, struct sd_memory_pool_options options)
{
	model = (struct model){ .device.ops = &model_ops, .memory_bytes = memory_bytes };
	ck_assert_int_eq(sd_memory_pool_open(&options, &model.device, &pool, NULL), SD_OK);
}

static inline void close_pool(void)
{
	ck_assert_int_eq(sd_memory_pool_close(pool, NULL), SD_OK);
	ck_assert_uint_eq(model.held_bytes, 0);
}

static inline void *take(uint64_t bytes, sd_handle stream)
{
	void *memory;

	ck_assert_int_eq(sd_memory_pool_alloc(pool, bytes, stream, SD_PAGES_HUGE_FIRST, "test", &memory, NULL), SD_OK);
	return memory;
}

static inline void give(void *memory, sd_handle stream)
{
	ck_assert_int_eq(sd_memory_pool_free(pool, memory, stream, NULL), SD_OK);
}

/* Something runs on the stream. */
static inline void work(sd_handle stream)
{
	model.clock[stream][stream]++;
}

/* All of it is done, and with it all that it waited for. */
static inline void finish_stream(sd_handle stream)
{
	for (int i = 0; i < STREAMS; i++) {
		if (model.finished[i] < model.clock[stream][i])
			model.finished[i] = model.clock[stream][i];
	}
}

static inline void synchronize(sd_handle stream)
{
	uint64_t mark = sd_memory_pool_mark(pool, stream);

	finish_stream(stream);
	sd_memory_pool_finished(pool, stream, mark);
}

static inline void record(sd_handle stream, sd_handle event)
{
	ck_assert_int_eq(sd_memory_pool_recorded(pool, stream, event, NULL), SD_OK);
	model_record(&model.device, stream, event, NULL);
}

static inline void wait_on(sd_handle stream, sd_handle event)
{
	model_wait(&model.device, stream, event, NULL);
	ck_assert_int_eq(sd_memory_pool_waited(pool, stream, event, NULL), SD_OK);
}

static inline struct sd_memory_pool_stats stats_of_pool(void)
{
	struct sd_memory_pool_stats stats;

	sd_memory_pool_stats(pool, &stats);
	return stats;
}

#endif
