/* Streams, and holds.
 *
 * The vendors start streams of bound models only. A hold is therefore a notify of its own, for
 * which the stream waits; the k-th activation of a stream records the notify of its k-th hold, in
 * the order in which both were enqueued. An activation without such a hold does nothing, as on a
 * stream that runs. A notify is used again once a synchronize proves that its wait was passed; after
 * an abort it is not. Where nothing can be taken back an abort opens the holds. */
#include <stdlib.h>
#include <string.h>

#include "device_vendor.h"
#include "streamd/stream_flags.h"

#define DESTROY_WAIT_MS 30000

static void append_holds(struct sd_vendor_hold **list, struct sd_vendor_hold *holds)
{
	while (*list)
		list = &(*list)->next;
	*list = holds;
}

/* Both under the lock. */
static void abandon_holds(struct sd_vendor *vendor, struct sd_vendor_stream *stream)
{
	append_holds(&vendor->doubtful, stream->closed);
	append_holds(&vendor->doubtful, stream->opened);
	stream->closed = stream->closed_last = stream->opened = NULL;
}

static void recycle_holds(struct sd_vendor *vendor, struct sd_vendor_hold *opened)
{
	append_holds(&opened, vendor->free_holds);
	vendor->free_holds = opened;
}

bool sd_vendor_can_abort(const struct sd_vendor *vendor)
{
	return !vendor->port->notify_open;
}

/* Under the lock. */
static void open_closed(struct sd_vendor *vendor, const struct sd_vendor_stream *stream)
{
	for (const struct sd_vendor_hold *hold = stream->closed; hold; hold = hold->next)
		vendor->port->notify_open(vendor, hold->notify);
}

void sd_vendor_stream_let_go(struct sd_vendor *vendor, struct sd_vendor_stream *stream, bool is_clean)
{
	sd_vendor_drop_calls(vendor, stream);
	pthread_mutex_lock(&vendor->lock);
	if (!sd_vendor_can_abort(vendor))
		open_closed(vendor, stream);
	if (is_clean) {
		recycle_holds(vendor, stream->opened);
		stream->opened = NULL;
	}
	abandon_holds(vendor, stream);
	pthread_mutex_unlock(&vendor->lock);
}

void sd_vendor_free_holds(struct sd_vendor *vendor)
{
	append_holds(&vendor->free_holds, vendor->doubtful);
	vendor->doubtful = NULL;
	while (vendor->free_holds) {
		struct sd_vendor_hold *hold = vendor->free_holds;

		vendor->free_holds = hold->next;
		vendor->port->notify.destroy(vendor, hold->notify);
		free(hold);
	}
}

static enum sd_status check_flags(struct sd_vendor *vendor, uint32_t flags, struct sd_diag *diag)
{
	uint32_t foreign = flags & ~(vendor->port->stream_flags | SD_STREAM_FORBIDDEN_DEFAULT);

	SD_TRY(sd_stream_flags_check(flags, false, diag));
	if (!foreign)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_FLAGS_UNSUPPORTED, SD_NO_NODE, sd_arg_words(vendor->port->name), sd_arg_int(flags), sd_arg_int(foreign));
}

static struct sd_vendor_stream *new_stream(struct sd_vendor *vendor, uint32_t flags)
{
	struct sd_vendor_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->flags = flags;
	stream->calls.next = stream->calls.previous = &stream->calls;
	stream->object.is_leaving = true; /* nobody finds it before it is whole */
	if (sd_vendor_file(vendor, &vendor->streams, &stream->object) != SD_NO_HANDLE)
		return stream;
	free(stream);
	return NULL;
}

static enum sd_status make_real(struct sd_vendor *vendor, int32_t priority, struct sd_vendor_stream *stream, int32_t *rt_id, struct sd_diag *diag)
{
	enum sd_status status;

	SD_TRY(sd_vendor_count_up(vendor, &vendor->now.streams_used, vendor->limit.streams_max, "streams", diag));
	status = sd_vendor_check(vendor, vendor->port->stream_create(vendor, sd_stream_priority_clamp(priority), stream->flags, &stream->object.at, rt_id), diag);
	if (status == SD_OK)
		sd_vendor_count_ever(vendor, &vendor->now.streams_created);
	else
		sd_vendor_count_down(vendor, &vendor->now.streams_used, NULL);
	return status;
}

enum sd_status sd_vendor_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *handle, int32_t *rt_id, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status = SD_OK;

	*handle = SD_NO_HANDLE;
	*rt_id = INT32_MAX;
	SD_TRY(check_flags(vendor, flags, diag));
	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = new_stream(vendor, flags);
	if (!stream)
		return sd_vendor_no_memory(diag);
	if (!(flags & SD_STREAM_FORBIDDEN_DEFAULT))
		status = make_real(vendor, priority, stream, rt_id, diag);
	if (status != SD_OK) {
		sd_vendor_gone(vendor, &vendor->streams, stream);
		return status;
	}
	*handle = stream->object.handle;
	sd_vendor_back(vendor, stream);
	return SD_OK;
}

/* What a synchronize found out. Under the lock. */
static void note_fault(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct sd_answer answer, enum sd_status status)
{
	if (vendor->fault.status != SD_OK)
		return;
	vendor->fault.status = status;
	vendor->fault.vendor_code = answer.code;
	vendor->fault.stream = stream->object.handle;
	vendor->fault.task_index = stream->tasks_done;
	memcpy(vendor->fault.task_name, stream->task_name, sizeof(vendor->fault.task_name));
}

/* Does a synchronize say that the stream is done? */
static bool tells(const struct sd_vendor *vendor, const struct sd_vendor_stream *stream)
{
	return vendor->port->runs_persistent || !(stream->flags & SD_STREAM_PERSISTENT);
}

/* Waits for the stream; then knows which tasks are done, and which holds were passed. */
static enum sd_status synchronize(struct sd_vendor *vendor, struct sd_vendor_stream *stream, int64_t timeout_ms, struct sd_diag *diag)
{
	struct sd_vendor_hold *opened = NULL;
	struct sd_answer answer;
	enum sd_status status;
	uint64_t tasks;

	pthread_mutex_lock(&vendor->lock);
	tasks = stream->tasks;
	if (tells(vendor, stream)) {
		opened = stream->opened;
		stream->opened = NULL;
	}
	pthread_mutex_unlock(&vendor->lock);
	answer = vendor->port->stream_synchronize(vendor, stream->object.at, timeout_ms);
	status = sd_vendor_check(vendor, answer, diag);
	pthread_mutex_lock(&vendor->lock);
	if (status == SD_OK) {
		recycle_holds(vendor, opened);
		stream->tasks_done = tasks;
		stream->task_name[0] = '\0';
	} else {
		append_holds(&stream->opened, opened);
		if (status != SD_DEADLINE_EXCEEDED)
			note_fault(vendor, stream, answer, status);
	}
	pthread_mutex_unlock(&vendor->lock);
	return status;
}

/* Lets those go on who wait for a stream that is destroyed by force. */
static void end_waits(struct sd_vendor *vendor, void *of)
{
	struct sd_vendor_stream *stream = of;

	if (!stream->object.at)
		return;
	if (sd_vendor_can_abort(vendor))
		vendor->port->stream_abort(vendor, stream->object.at);
	else
		sd_vendor_stream_let_go(vendor, stream, false);
}

/* What is queued comes to its end, well or not. */
static enum sd_status wait_to_destroy(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct sd_diag *diag)
{
	struct sd_diag told = { 0 };
	enum sd_status status;
	bool is_held;

	pthread_mutex_lock(&vendor->lock);
	is_held = stream->closed != NULL;
	pthread_mutex_unlock(&vendor->lock);
	if (is_held)
		return SD_FAIL1(diag, SD_CODE_HOLD_CLOSED, SD_NO_NODE, sd_arg_int((int64_t)stream->object.handle));
	status = synchronize(vendor, stream, DESTROY_WAIT_MS, &told);
	if (status != SD_DEADLINE_EXCEEDED)
		return SD_OK; /* a task that failed is kept as the device's fault */
	if (diag && diag->code == SD_CODE_NONE)
		*diag = told;
	return status;
}

enum sd_status sd_vendor_stream_destroy(struct sd_device *device, sd_handle handle, bool force, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status = SD_OK;
	bool is_real;

	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = sd_vendor_take_last(vendor, &vendor->streams, "stream", handle, force ? end_waits : NULL, diag);
	if (!stream)
		return SD_NOT_FOUND;
	is_real = stream->object.at != NULL;
	if (is_real && !force)
		status = wait_to_destroy(vendor, stream, diag);
	else if (is_real && !sd_vendor_can_abort(vendor))
		sd_vendor_stream_let_go(vendor, stream, false); /* so that it comes to its end */
	if (is_real && status == SD_OK)
		status = sd_vendor_check(vendor, vendor->port->stream_destroy(vendor, stream->object.at, force), diag);
	if (status != SD_OK) {
		sd_vendor_back(vendor, stream);
		return status;
	}
	sd_vendor_stream_let_go(vendor, stream, !force && tells(vendor, stream));
	if (is_real)
		sd_vendor_count_down(vendor, &vendor->now.streams_used, &vendor->now.streams_destroyed);
	sd_vendor_gone(vendor, &vendor->streams, stream);
	return SD_OK;
}

/* Was it aborted since the last synchronize, where the vendor knows nothing of it? */
static bool take_aborted(struct sd_vendor *vendor, struct sd_vendor_stream *stream)
{
	bool was;

	pthread_mutex_lock(&vendor->lock);
	was = stream->is_aborted;
	stream->is_aborted = false;
	pthread_mutex_unlock(&vendor->lock);
	return was;
}

enum sd_status sd_vendor_stream_synchronize(struct sd_device *device, sd_handle handle, int64_t timeout_ms, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status = SD_OK;

	SD_TRY(sd_vendor_check_timeout(timeout_ms, diag));
	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = sd_vendor_take(vendor, &vendor->streams, "stream", handle, diag);
	if (!stream)
		return SD_NOT_FOUND;
	if (stream->object.at)
		status = synchronize(vendor, stream, timeout_ms, diag);
	if (status == SD_OK && take_aborted(vendor, stream))
		status = SD_FAIL3(diag, SD_CODE_STREAM_ABORTED, SD_NO_NODE, sd_arg_int((int64_t)handle), sd_arg_words("aborted"), sd_arg_int(0));
	sd_vendor_put(vendor, stream);
	return status;
}

enum sd_status sd_vendor_stream_query(struct sd_device *device, sd_handle handle, enum sd_progress *progress, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status = SD_OK;
	bool is_done = true;

	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = sd_vendor_take(vendor, &vendor->streams, "stream", handle, diag);
	if (!stream)
		return SD_NOT_FOUND;
	if (stream->object.at)
		status = sd_vendor_check(vendor, vendor->port->stream_query(vendor, stream->object.at, &is_done), diag);
	*progress = is_done ? SD_DONE : SD_NOT_DONE;
	sd_vendor_put(vendor, stream);
	return status;
}

/* Where the vendor has no abort: what can be dropped is, the rest comes to its end. */
static enum sd_status abort_softly(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct sd_diag *diag)
{
	bool is_done = true;

	SD_TRY(sd_vendor_check(vendor, vendor->port->stream_query(vendor, stream->object.at, &is_done), diag));
	pthread_mutex_lock(&vendor->lock);
	stream->is_aborted |= !is_done;
	pthread_mutex_unlock(&vendor->lock);
	return SD_OK;
}

enum sd_status sd_vendor_stream_abort(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status = SD_OK;

	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = sd_vendor_take(vendor, &vendor->streams, "stream", handle, diag);
	if (!stream)
		return SD_NOT_FOUND;
	if (stream->object.at)
		status = sd_vendor_can_abort(vendor) ? sd_vendor_check(vendor, vendor->port->stream_abort(vendor, stream->object.at), diag)
		                                     : abort_softly(vendor, stream, diag);
	if (status == SD_OK)
		sd_vendor_stream_let_go(vendor, stream, false);
	sd_vendor_put(vendor, stream);
	return status;
}

enum sd_status sd_vendor_stream_stop(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status = SD_OK;

	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = sd_vendor_take(vendor, &vendor->streams, "stream", handle, diag);
	if (!stream)
		return SD_NOT_FOUND;
	if (stream->object.at)
		status = sd_vendor_check(vendor, vendor->port->stream_stop(vendor, stream->object.at), diag);
	sd_vendor_put(vendor, stream);
	return status;
}

/* A hold whose notify nothing touches. */
static enum sd_status get_hold(struct sd_vendor *vendor, struct sd_vendor_hold **hold, struct sd_diag *diag)
{
	enum sd_status status;

	pthread_mutex_lock(&vendor->lock);
	*hold = vendor->free_holds;
	if (*hold)
		vendor->free_holds = (*hold)->next;
	pthread_mutex_unlock(&vendor->lock);
	if (*hold)
		return SD_OK;
	*hold = calloc(1, sizeof(**hold));
	if (!*hold)
		return sd_vendor_no_memory(diag);
	status = sd_vendor_check(vendor, vendor->port->notify.create(vendor, 0, &(*hold)->notify), diag);
	if (status != SD_OK)
		free(*hold);
	return status;
}

static enum sd_status hold_stream(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct sd_diag *diag)
{
	struct sd_vendor_hold *hold;
	enum sd_status status;

	SD_TRY(get_hold(vendor, &hold, diag));
	status = sd_vendor_check(vendor, vendor->port->notify.wait(vendor, stream->object.at, hold->notify), diag);
	pthread_mutex_lock(&vendor->lock);
	hold->next = NULL;
	if (status != SD_OK) {
		recycle_holds(vendor, hold);
	} else {
		if (stream->closed)
			stream->closed_last->next = hold;
		else
			stream->closed = hold;
		stream->closed_last = hold;
	}
	pthread_mutex_unlock(&vendor->lock);
	return status;
}

enum sd_status sd_vendor_stream_hold(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	enum sd_status status;

	SD_TRY(sd_vendor_enter(vendor, diag));
	stream = sd_vendor_take(vendor, &vendor->streams, "stream", handle, diag);
	if (!stream)
		return SD_NOT_FOUND;
	pthread_mutex_lock(&vendor->order);
	status = stream->object.at ? hold_stream(vendor, stream, diag)
	                           : sd_vendor_no_stream(handle, diag);
	pthread_mutex_unlock(&vendor->order);
	sd_vendor_put(vendor, stream);
	return status;
}

/* The oldest hold of `started` is opened when `stream` gets here. */
static enum sd_status open_hold(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct sd_vendor_stream *started, struct sd_diag *diag)
{
	struct sd_vendor_hold *hold;

	pthread_mutex_lock(&vendor->lock);
	hold = started->closed;
	pthread_mutex_unlock(&vendor->lock);
	if (!hold)
		return SD_OK;
	SD_TRY(sd_vendor_check(vendor, vendor->port->notify.record(vendor, stream->object.at, hold->notify), diag));
	pthread_mutex_lock(&vendor->lock);
	if (started->closed == hold) { /* else it was aborted meanwhile */
		started->closed = hold->next;
		hold->next = started->opened;
		started->opened = hold;
	}
	pthread_mutex_unlock(&vendor->lock);
	return SD_OK;
}

enum sd_status sd_vendor_activate(struct sd_device *device, sd_handle handle, sd_handle started, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream, *held;
	enum sd_status status;

	SD_TRY(sd_vendor_take_pair(vendor, handle, &vendor->streams, "stream", started, &stream, &held, diag));
	pthread_mutex_lock(&vendor->order);
	status = open_hold(vendor, stream, held, diag);
	pthread_mutex_unlock(&vendor->order);
	sd_vendor_put(vendor, held);
	sd_vendor_put(vendor, stream);
	return status;
}
