#include <stdio.h>
#include <stdlib.h>

#include "streamd/stream_flags.h"
#include "task_queue_impl.h"

#define DESTROY_WAIT_MS 30000
#define LOOK_NS 100000000u         /* how often who waits asks whether the device still goes on */
#define VENDOR_SYNC_TIMEOUT 507046 /* what a chip answers */

static bool is_busy(const struct queue *queue, uint64_t rounds)
{
	return queue->is_serving || sd_tree_first(&queue->ready) || (queue->refused && queue->rounds == rounds);
}

/* Whether anything was handed over since `passed` entries were, or is still being handed over at the deadline: the thread, which may be
 * late, first tries all that it has. */
static bool may_go_on(struct queue *queue, uint64_t passed, uint64_t deadline)
{
	uint64_t rounds = queue->rounds;

	while (queue->passed == passed && is_busy(queue, rounds) && queue_now_ns() < deadline)
		queue_pause(queue, &queue->moved, deadline);
	return queue->passed != passed || is_busy(queue, rounds);
}

static enum sd_status tell_late(const char *what, int64_t timeout_ms, struct sd_diag *diag)
{
	return SD_FAIL3(diag, SD_CODE_SYNC_TIMEOUT, SD_NO_NODE, sd_arg_words(what), sd_arg_int(timeout_ms), sd_arg_int(VENDOR_SYNC_TIMEOUT));
}

int64_t queue_rest_ms(uint64_t deadline)
{
	uint64_t now = queue_now_ns();

	if (deadline == UINT64_MAX)
		return SD_FOR_EVER;
	return deadline > now + 1000000u ? (int64_t)((deadline - now) / 1000000u) : 1;
}

enum sd_status queue_wait_behind(struct queue *queue, enum sd_status (*wait)(struct sd_device *, sd_handle, int64_t, struct sd_diag *), sd_handle handle,
                                 uint64_t deadline, int64_t timeout_ms, const char *what, struct sd_diag *diag)
{
	for (int64_t left_ms = timeout_ms;; left_ms = queue_rest_ms(deadline)) {
		struct sd_diag found = { 0 };
		enum sd_status status;
		uint64_t passed;
		bool goes_on;

		pthread_mutex_lock(&queue->lock);
		passed = queue->passed;
		pthread_mutex_unlock(&queue->lock);
		status = wait(queue->behind, handle, left_ms, &found);
		pthread_mutex_lock(&queue->lock);
		goes_on = found.code == SD_CODE_WAITS_FOR_EVER && may_go_on(queue, passed, deadline);
		pthread_mutex_unlock(&queue->lock);
		if (goes_on && queue_now_ns() >= deadline)
			return tell_late(what, timeout_ms, diag);
		if (goes_on)
			continue;
		if (diag->code == SD_CODE_NONE)
			*diag = found;
		return status;
	}
}

/* Waits a while; then, if streams are refused by a device on which nothing goes on any more, says so. */
enum sd_status queue_wait_more(struct queue *queue, uint64_t deadline, int64_t timeout_ms, const char *what, struct sd_diag *diag)
{
	uint64_t now = queue_now_ns();
	struct sd_diag found = { 0 };
	enum sd_status status;
	sd_handle refused;
	uint64_t passed;

	if (now >= deadline)
		return tell_late(what, timeout_ms, diag);
	queue_pause(queue, &queue->moved, deadline < now + LOOK_NS ? deadline : now + LOOK_NS);
	now = queue_now_ns();
	if (!queue->refused || now < queue->moved_ns + LOOK_NS)
		return SD_OK;
	queue->moved_ns = now;
	refused = queue->refused->handle;
	passed = queue->passed;
	pthread_mutex_unlock(&queue->lock);
	status = queue->behind->ops->stream_synchronize(queue->behind, refused, 1, &found);
	pthread_mutex_lock(&queue->lock);
	if (status != SD_FAILED_PRECONDITION || may_go_on(queue, passed, deadline))
		return SD_OK;
	if (diag && diag->code == SD_CODE_NONE)
		*diag = found;
	return status;
}

/* Until the entries that are enqueued now are handed over. */
static enum sd_status wait_passed(struct queue *queue, sd_handle handle, uint64_t deadline, int64_t timeout_ms, struct sd_diag *diag)
{
	struct queue_stream *stream = queue_find(queue, handle, diag);
	uint64_t target;

	if (!stream)
		return SD_NOT_FOUND;
	queue_flush(queue, stream);
	target = stream->enqueued;
	while (stream->passed < target) {
		SD_TRY(queue_wait_more(queue, deadline, timeout_ms, "the stream", diag));
		stream = queue_find(queue, handle, diag);
		if (!stream)
			return SD_NOT_FOUND;
	}
	return SD_OK;
}

/* What the device did not take since it was last told. The words lie where the diagnostic can
 * point to until this thread asks again. */
static enum sd_status tell_failed(struct queue *queue, sd_handle handle, struct sd_diag *diag)
{
	static _Thread_local char words[SD_MESSAGE_MAX];
	struct queue_stream *stream = queue_find(queue, handle, diag);
	enum sd_status status;

	if (!stream || stream->failed == SD_OK)
		return stream ? SD_OK : SD_NOT_FOUND;
	status = stream->failed;
	stream->failed = SD_OK;
	snprintf(words, sizeof(words), "%s", stream->message);
	SD_FAIL2(diag, SD_CODE_LAUNCH_FAILED, SD_NO_NODE, sd_arg_int((int64_t)handle), sd_arg_words(words));
	return status;
}

/* The device just told of the abort that also dropped what was here. */
static void forget_aborted(struct queue *queue, sd_handle handle)
{
	struct queue_stream *stream = queue_find(queue, handle, NULL);

	if (stream && stream->failed == SD_ABORTED)
		stream->failed = SD_OK;
}

static enum sd_status add(struct queue *queue, sd_handle handle, int32_t priority, struct sd_diag *diag)
{
	struct queue_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	stream->handle = handle;
	stream->priority = sd_stream_priority_clamp(priority);
	stream->limit = queue->batch_max;
	pthread_mutex_lock(&queue->lock);
	sd_tree_insert(&queue->streams, &stream->by_handle);
	pthread_mutex_unlock(&queue->lock);
	return SD_OK;
}

enum sd_status queue_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *handle, int32_t *rt_id, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	enum sd_status status;
	QUEUE_DIAG(diag);

	status = queue->behind->ops->stream_create(queue->behind, priority, flags, handle, rt_id, diag);
	if (status == SD_OK) {
		status = add(queue, *handle, priority, diag);
		if (status != SD_OK) {
			queue->behind->ops->stream_destroy(queue->behind, *handle, true, NULL);
			*handle = SD_NO_HANDLE;
		}
	}
	return sd_last_error_keep(status, diag);
}

/* From here on nobody finds it; what it still holds is dropped. The thread frees it if it is not empty. */
static void forget(struct queue *queue, struct queue_stream *stream)
{
	while (stream->is_at_work)
		queue_pause(queue, &queue->moved, UINT64_MAX);
	queue_drop(queue, stream);
	sd_tree_remove(&queue->streams, &stream->by_handle);
	stream->is_gone = true;
	if (stream->count == 0)
		queue_stream_free(queue, stream);
}

enum sd_status queue_stream_destroy(struct sd_device *device, sd_handle handle, bool force, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	struct queue_stream *stream = NULL;
	enum sd_status status = SD_OK;
	QUEUE_DIAG(diag);

	pthread_mutex_lock(&queue->lock);
	if (!force)
		status = wait_passed(queue, handle, queue_deadline(DESTROY_WAIT_MS), DESTROY_WAIT_MS, diag);
	pthread_mutex_unlock(&queue->lock);
	if (status == SD_OK)
		status = queue->behind->ops->stream_destroy(queue->behind, handle, force, diag);
	if (status == SD_OK) {
		pthread_mutex_lock(&queue->lock);
		stream = queue_find(queue, handle, diag);
		if (stream)
			forget(queue, stream);
		queue_moved(queue);
		pthread_mutex_unlock(&queue->lock);
	}
	return sd_last_error_keep(status, diag);
}

enum sd_status queue_stream_synchronize(struct sd_device *device, sd_handle handle, int64_t timeout_ms, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	uint64_t deadline = queue_deadline(timeout_ms);
	enum sd_status status = SD_OK;
	QUEUE_DIAG(diag);

	if (timeout_ms > 0 || timeout_ms == SD_FOR_EVER) { /* others are refused by the device */
		pthread_mutex_lock(&queue->lock);
		status = wait_passed(queue, handle, deadline, timeout_ms, diag);
		pthread_mutex_unlock(&queue->lock);
		timeout_ms = queue_rest_ms(deadline);
	}
	if (status == SD_OK)
		status = queue_wait_behind(queue, queue->behind->ops->stream_synchronize, handle, deadline, timeout_ms, "the stream", diag);
	pthread_mutex_lock(&queue->lock);
	if (status == SD_OK)
		status = tell_failed(queue, handle, diag);
	else if (status == SD_ABORTED || status == SD_FAILED_PRECONDITION)
		forget_aborted(queue, handle);
	pthread_mutex_unlock(&queue->lock);
	return sd_last_error_keep(status, diag);
}

enum sd_status queue_stream_query(struct sd_device *device, sd_handle handle, enum sd_progress *progress, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	struct queue_stream *stream;
	bool is_empty = false;
	QUEUE_DIAG(diag);

	pthread_mutex_lock(&queue->lock);
	stream = queue_find(queue, handle, diag);
	if (stream) {
		queue_flush(queue, stream);
		is_empty = stream->count == 0;
	}
	pthread_mutex_unlock(&queue->lock);
	if (!stream)
		return sd_last_error_keep(SD_NOT_FOUND, diag);
	if (is_empty)
		return sd_last_error_keep(queue->behind->ops->stream_query(queue->behind, handle, progress, diag), diag);
	*progress = SD_NOT_DONE;
	return SD_OK;
}

/* What is handed over just now reaches the device before the abort does. */
enum sd_status queue_stream_abort(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	struct queue_stream *stream;
	QUEUE_DIAG(diag);

	pthread_mutex_lock(&queue->lock);
	stream = queue_find(queue, handle, diag);
	if (stream) {
		if (stream->count > 0 && stream->failed == SD_OK) {
			stream->failed = SD_ABORTED;
			snprintf(stream->message, sizeof(stream->message), "the stream was aborted; give it its tasks again");
		}
		queue_drop(queue, stream);
		while (stream && stream->is_at_work) {
			queue_pause(queue, &queue->moved, UINT64_MAX);
			stream = queue_find(queue, handle, diag);
		}
	}
	pthread_mutex_unlock(&queue->lock);
	return sd_last_error_keep(stream ? queue->behind->ops->stream_abort(queue->behind, handle, diag) : SD_NOT_FOUND, diag);
}

enum sd_status queue_stream_stop(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	QUEUE_DIAG(diag);

	return sd_last_error_keep(queue->behind->ops->stream_stop(queue->behind, handle, diag), diag);
}

enum sd_status queue_submit(struct sd_device *device, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	enum sd_status status;
	QUEUE_DIAG(diag);

	pthread_mutex_lock(&queue->lock);
	status = queue_put_tasks(queue, stream, task, count, diag);
	pthread_mutex_unlock(&queue->lock);
	return sd_last_error_keep(status, diag);
}
