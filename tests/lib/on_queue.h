/* on_queue.h - a task queue in front of a device that takes notes. */
#ifndef SD_ON_QUEUE_H
#define SD_ON_QUEUE_H

#include "note_device.h"
#include "streamd/task_queue.h"

#define QUEUE_MS 60000 /* more than anything takes, under a sanitizer on a busy machine */

static struct sd_device *queue;

static inline void open_queue(struct sd_task_queue_options options)
{
	ck_assert_int_eq(sd_task_queue_open(&options, note_device(), &queue, NULL), SD_OK);
}

static inline sd_handle queue_stream(int32_t priority)
{
	sd_handle stream;
	int32_t rt_id;

	ck_assert_int_eq(queue->ops->stream_create(queue, priority, 0, &stream, &rt_id, NULL), SD_OK);
	return stream;
}

static inline enum sd_status launch(sd_handle stream, uint32_t count)
{
	struct sd_task task = { .name = "task" };
	enum sd_status status = SD_OK;

	for (uint32_t i = 0; i < count && status == SD_OK; i++)
		status = queue->ops->submit(queue, stream, &task, 1, NULL);
	return status;
}

static inline void sync_queue(sd_handle stream)
{
	ck_assert_int_eq(queue->ops->stream_synchronize(queue, stream, QUEUE_MS, NULL), SD_OK);
}

static inline struct sd_task_queue_stats stats_of_queue(void)
{
	struct sd_task_queue_stats stats;

	sd_task_queue_stats(queue, &stats);
	return stats;
}

#endif
