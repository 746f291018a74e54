#include <stdlib.h>
#include <time.h>

#include "task_queue_impl.h"

uint64_t queue_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t queue_deadline(int64_t timeout_ms)
{
	if (timeout_ms < 0 || timeout_ms > INT64_MAX / 2000000)
		return UINT64_MAX;
	return queue_now_ns() + (uint64_t)timeout_ms * 1000000u;
}

void queue_pause(struct queue *queue, pthread_cond_t *cond, uint64_t until_ns)
{
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000u), .tv_nsec = (long)(until_ns % 1000000000u) };

	queue->callers++;
	if (until_ns == UINT64_MAX)
		pthread_cond_wait(cond, &queue->lock);
	else
		pthread_cond_timedwait(cond, &queue->lock, &until);
	queue->callers--;
}

static void facts(struct sd_device *device, struct sd_device_facts *facts)
{
	struct queue *queue = queue_of(device);

	queue->behind->ops->facts(queue->behind, facts);
}

static uint64_t now_ns(struct sd_device *device)
{
	struct queue *queue = queue_of(device);

	return queue->behind->ops->now_ns(queue->behind);
}

static void take_fault(struct sd_device *device, struct sd_device_fault *fault)
{
	struct queue *queue = queue_of(device);

	queue->behind->ops->take_fault(queue->behind, fault);
}

static enum sd_status memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	QUEUE_DIAG(diag);

	return sd_last_error_keep(queue->behind->ops->memory_alloc(queue->behind, bytes, policy, memory, diag), diag);
}

static enum sd_status memory_free(struct sd_device *device, void *memory, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	QUEUE_DIAG(diag);

	return sd_last_error_keep(queue->behind->ops->memory_free(queue->behind, memory, diag), diag);
}

/* Calls for each stream; it may drop or free it. */
static void each_stream(struct queue *queue, void (*act)(struct queue *, struct queue_stream *))
{
	struct sd_tree_node *at = sd_tree_first(&queue->streams);

	while (at) {
		struct queue_stream key = { .handle = SD_TREE_OF(at, struct queue_stream, by_handle)->handle };

		act(queue, SD_TREE_OF(at, struct queue_stream, by_handle));
		at = sd_tree_above(&queue->streams, &key.by_handle);
	}
}

static void close_queue(struct sd_device *device)
{
	struct queue *queue = queue_of(device);

	pthread_mutex_lock(&queue->lock);
	queue->is_closing = true;
	each_stream(queue, queue_drop);
	pthread_cond_broadcast(&queue->work);
	pthread_cond_broadcast(&queue->moved);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->thread, NULL);
	each_stream(queue, queue_stream_free);
	free(queue->batch);
	pthread_cond_destroy(&queue->moved);
	pthread_cond_destroy(&queue->work);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

static const struct sd_device_ops ops = {
	.name = "queue",
	.close = close_queue,
	.facts = facts,
	.now_ns = now_ns,
	.take_fault = take_fault,
	.stream_create = queue_stream_create,
	.stream_destroy = queue_stream_destroy,
	.stream_synchronize = queue_stream_synchronize,
	.stream_query = queue_stream_query,
	.stream_abort = queue_stream_abort,
	.stream_stop = queue_stream_stop,
	.stream_hold = queue_stream_hold,
	.activate = queue_activate,
	.submit = queue_submit,
	.event_create = queue_event_create,
	.event_destroy = queue_event_destroy,
	.event_record = queue_event_record,
	.event_wait = queue_event_wait,
	.event_reset = queue_event_reset,
	.event_query = queue_event_query,
	.event_synchronize = queue_event_synchronize,
	.event_elapsed = queue_event_elapsed,
	.notify_create = queue_notify_create,
	.notify_destroy = queue_notify_destroy,
	.notify_record = queue_notify_record,
	.notify_wait = queue_notify_wait,
	.memory_alloc = memory_alloc,
	.memory_free = memory_free,
};

static void init(struct queue *queue, struct sd_device *behind)
{
	pthread_condattr_t monotonic;

	queue->device.ops = &ops;
	queue->behind = behind;
	if (queue->options.depth == 0)
		queue->options.depth = SD_TASK_QUEUE_DEPTH;
	queue->batch_max = queue->options.launches_alone ? 1 : SD_TASK_QUEUE_BATCH;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->work, &monotonic);
	pthread_cond_init(&queue->moved, &monotonic);
	pthread_condattr_destroy(&monotonic);
	queue->streams.compare = queue_compare_handle;
	queue->ready.compare = queue_compare_urgency;
	queue->objects.compare = queue_compare_object;
}

static enum sd_status check(const struct sd_task_queue_options *options, struct sd_diag *diag)
{
	if (options->depth > SD_TASK_QUEUE_DEPTH_MAX)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the depth of the task queue"), sd_arg_int(options->depth),
		                sd_arg_words("at most 1048576"));
	if (options->full_wait_ms < SD_FOR_EVER)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("full_wait_ms"), sd_arg_int(options->full_wait_ms),
		                sd_arg_words("0 (refuse), above 0, or -1 (for ever)"));
	return SD_OK;
}

enum sd_status sd_task_queue_open(const struct sd_task_queue_options *options, struct sd_device *behind, struct sd_device **device, struct sd_diag *diag)
{
	static const struct sd_task_queue_options defaults = { .full_wait_ms = SD_FOR_EVER };
	struct queue *queue;

	*device = NULL;
	SD_TRY(check(options ? options : &defaults, diag));
	queue = calloc(1, sizeof(*queue));
	if (queue)
		queue->batch = malloc(sizeof(*queue->batch));
	if (!queue || !queue->batch) {
		free(queue);
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	}
	queue->options = options ? *options : defaults;
	init(queue, behind);
	if (pthread_create(&queue->thread, NULL, queue_thread, queue) != 0) {
		free(queue->batch);
		free(queue);
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("threads"));
	}
	*device = &queue->device;
	return SD_OK;
}

void sd_task_queue_tick(struct sd_device *device)
{
	struct queue *queue = queue_of(device);

	pthread_mutex_lock(&queue->lock);
	each_stream(queue, queue_flush);
	pthread_mutex_unlock(&queue->lock);
}

void sd_task_queue_stats(struct sd_device *device, struct sd_task_queue_stats *stats)
{
	struct queue *queue = queue_of(device);

	pthread_mutex_lock(&queue->lock);
	*stats = queue->stats;
	pthread_mutex_unlock(&queue->lock);
}
