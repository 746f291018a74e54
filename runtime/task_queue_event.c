#include "task_queue_impl.h"

#define DESTROY_WAIT_MS 30000

/* Enqueues what concerns an object. */
static enum sd_status put(struct sd_device *device, sd_handle stream, enum queue_entry_kind kind, enum queue_object_kind object, sd_handle of,
                          struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	enum sd_status status;
	QUEUE_DIAG(diag);

	pthread_mutex_lock(&queue->lock);
	status = queue_put_other(queue, stream, kind, object, of, diag);
	pthread_mutex_unlock(&queue->lock);
	return sd_last_error_keep(status, diag);
}

enum sd_status queue_stream_hold(struct sd_device *device, sd_handle stream, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_HOLD, QUEUE_HOLDS, stream, diag);
}

enum sd_status queue_activate(struct sd_device *device, sd_handle stream, sd_handle started, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_ACTIVATE, QUEUE_HOLDS, started, diag);
}

enum sd_status queue_event_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_RECORD, QUEUE_EVENT, event, diag);
}

enum sd_status queue_event_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_WAIT, QUEUE_EVENT, event, diag);
}

enum sd_status queue_event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_RESET, QUEUE_EVENT, event, diag);
}

enum sd_status queue_notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_NOTIFY_RECORD, QUEUE_NOTIFY, notify, diag);
}

enum sd_status queue_notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	return put(device, stream, QUEUE_NOTIFY_WAIT, QUEUE_NOTIFY, notify, diag);
}

enum sd_status queue_event_create(struct sd_device *device, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	QUEUE_DIAG(diag);

	return sd_last_error_keep(queue->behind->ops->event_create(queue->behind, flags, event, diag), diag);
}

enum sd_status queue_notify_create(struct sd_device *device, uint32_t flags, sd_handle *notify, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	QUEUE_DIAG(diag);

	return sd_last_error_keep(queue->behind->ops->notify_create(queue->behind, flags, notify, diag), diag);
}

/* Until nothing that concerns the object waits to be handed over. */
static enum sd_status wait_object(struct queue *queue, enum queue_object_kind kind, sd_handle handle, uint64_t deadline, int64_t timeout_ms,
                                  struct sd_diag *diag)
{
	enum sd_status status = SD_OK;

	pthread_mutex_lock(&queue->lock);
	while (status == SD_OK && queue_find_object(queue, kind, handle))
		status = queue_wait_more(queue, deadline, timeout_ms, kind == QUEUE_EVENT ? "the event" : "the notify", diag);
	pthread_mutex_unlock(&queue->lock);
	return status;
}

enum sd_status queue_event_destroy(struct sd_device *device, sd_handle event, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	enum sd_status status;
	QUEUE_DIAG(diag);

	status = wait_object(queue, QUEUE_EVENT, event, queue_deadline(DESTROY_WAIT_MS), DESTROY_WAIT_MS, diag);
	if (status == SD_OK)
		status = queue->behind->ops->event_destroy(queue->behind, event, diag);
	return sd_last_error_keep(status, diag);
}

enum sd_status queue_notify_destroy(struct sd_device *device, sd_handle notify, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	enum sd_status status;
	QUEUE_DIAG(diag);

	status = wait_object(queue, QUEUE_NOTIFY, notify, queue_deadline(DESTROY_WAIT_MS), DESTROY_WAIT_MS, diag);
	if (status == SD_OK)
		status = queue->behind->ops->notify_destroy(queue->behind, notify, diag);
	return sd_last_error_keep(status, diag);
}

static bool is_underway(struct queue *queue, sd_handle event)
{
	bool is_there;

	pthread_mutex_lock(&queue->lock);
	is_there = queue_find_object(queue, QUEUE_EVENT, event) != NULL;
	pthread_mutex_unlock(&queue->lock);
	return is_there;
}

enum sd_status queue_event_query(struct sd_device *device, sd_handle event, enum sd_progress *progress, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	QUEUE_DIAG(diag);

	if (is_underway(queue, event)) {
		*progress = SD_NOT_DONE;
		return SD_OK;
	}
	return sd_last_error_keep(queue->behind->ops->event_query(queue->behind, event, progress, diag), diag);
}

enum sd_status queue_event_synchronize(struct sd_device *device, sd_handle event, int64_t timeout_ms, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	uint64_t deadline = queue_deadline(timeout_ms);
	enum sd_status status = SD_OK;
	QUEUE_DIAG(diag);

	if (timeout_ms > 0 || timeout_ms == SD_FOR_EVER) { /* others are refused by the device */
		status = wait_object(queue, QUEUE_EVENT, event, deadline, timeout_ms, diag);
		timeout_ms = queue_rest_ms(deadline);
	}
	if (status == SD_OK)
		status = queue_wait_behind(queue, queue->behind->ops->event_synchronize, event, deadline, timeout_ms, "the event", diag);
	return sd_last_error_keep(status, diag);
}

enum sd_status queue_event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag)
{
	struct queue *queue = queue_of(device);
	sd_handle underway = is_underway(queue, start) ? start : is_underway(queue, end) ? end : SD_NO_HANDLE;
	enum sd_status status;
	QUEUE_DIAG(diag);

	if (underway != SD_NO_HANDLE)
		status = SD_FAIL1(diag, SD_CODE_EVENT_WITHOUT_TIME, SD_NO_NODE, sd_arg_int((int64_t)underway));
	else
		status = queue->behind->ops->event_elapsed(queue->behind, start, end, ns, diag);
	return sd_last_error_keep(status, diag);
}
