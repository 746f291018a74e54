#include "device_host_impl.h"

#include <stdlib.h>

#define EVENT_FLAGS 0x7fu /* all that the public interface has; none changes what this machine does */

struct host_event *host_find_event(struct host *host, sd_handle handle, struct sd_diag *diag)
{
	struct host_event *event = host->is_closing ? NULL : sd_handles_find(&host->events, handle);

	if (!event)
		SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("event"), sd_arg_int((int64_t)handle));
	return event;
}

static struct host_notify *find_notify(struct host *host, sd_handle handle, struct sd_diag *diag)
{
	struct host_notify *notify = host->is_closing ? NULL : sd_handles_find(&host->notifies, handle);

	if (!notify)
		SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("notify"), sd_arg_int((int64_t)handle));
	return notify;
}

static void make_event(struct host *host, sd_handle *handle)
{
	struct host_event *event = calloc(1, sizeof(*event));

	*handle = event ? sd_handles_add(&host->events, event) : SD_NO_HANDLE;
	if (*handle == SD_NO_HANDLE) {
		free(event);
		return;
	}
	event->handle = *handle;
}

static void make_notify(struct host *host, sd_handle *handle)
{
	struct host_notify *notify = calloc(1, sizeof(*notify));

	*handle = notify ? sd_handles_add(&host->notifies, notify) : SD_NO_HANDLE;
	if (*handle == SD_NO_HANDLE) {
		free(notify);
		return;
	}
	notify->handle = *handle;
	notify->references = 1;
	host_list_init(&notify->waiting);
}

/* One of a kind that the device has a bounded number of. */
static enum sd_status create(struct host *host, void (*make)(struct host *, sd_handle *), const char *what, uint32_t *used, uint32_t max,
                             uint64_t *created, bool is_fault, sd_handle *handle, struct sd_diag *diag)
{
	*handle = SD_NO_HANDLE;
	if (is_fault || (max != 0 && *used >= max))
		return SD_FAIL3(diag, SD_CODE_DEVICE_FULL, SD_NO_NODE, sd_arg_words(what), sd_arg_int(*used), sd_arg_int(max));
	make(host, handle);
	if (*handle == SD_NO_HANDLE)
		return host_short_of("memory", diag);
	++*used;
	++*created;
	return SD_OK;
}

enum sd_status host_event_create(struct sd_device *device, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	enum sd_status status;

	*handle = SD_NO_HANDLE;
	if (flags & ~EVENT_FLAGS)
		return host_bad_argument("the flags of an event", flags, "made of bits of 0x7f", diag);
	host_lock(host);
	status = create(host, make_event, "events", &host->facts.events_used, host->facts.events_max, &host->facts.events_created,
	                host_is_fault(&host->calls.event_create, host->options.fault.event_create), handle, diag);
	host_unlock(host);
	return status;
}

enum sd_status host_notify_create(struct sd_device *device, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	enum sd_status status;

	*handle = SD_NO_HANDLE;
	if (flags > 1)
		return host_bad_argument("the flags of a notify", flags, "0 or 1", diag);
	host_lock(host);
	status = create(host, make_notify, "notifies", &host->facts.notifies_used, host->facts.notifies_max, &host->facts.notifies_created,
	                host_is_fault(&host->calls.notify_create, host->options.fault.notify_create), handle, diag);
	host_unlock(host);
	return status;
}

void host_record_release(struct host_record *record)
{
	if (record && --record->references == 0)
		free(record);
}

void host_notify_release(struct host_notify *notify)
{
	if (--notify->references == 0)
		free(notify);
}

/* Its last record stays as long as an entry or a caller holds it. */
enum sd_status host_event_destroy(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_event *event;
	bool is_there;

	host_lock(host);
	event = host_find_event(host, handle, diag);
	is_there = event != NULL;
	if (event) {
		sd_handles_retire(&host->events, handle);
		sd_handles_let_go(&host->events, sd_handle_index(handle));
		host_record_release(event->last);
		free(event);
		host->facts.events_used--;
		host->facts.events_destroyed++;
	}
	host_unlock(host);
	return is_there ? SD_OK : SD_NOT_FOUND;
}

enum sd_status host_notify_destroy(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_notify *notify;
	bool is_there;

	host_lock(host);
	notify = find_notify(host, handle, diag);
	is_there = notify != NULL;
	if (notify) {
		sd_handles_retire(&host->notifies, handle);
		sd_handles_let_go(&host->notifies, sd_handle_index(handle));
		host_notify_release(notify);
		host->facts.notifies_used--;
		host->facts.notifies_destroyed++;
	}
	host_unlock(host);
	return is_there ? SD_OK : SD_NOT_FOUND;
}

/* Takes the place of the event's last record, which its waits still hold for. */
static enum sd_status enqueue_record(struct host *host, struct host_stream *stream, struct host_event *event, struct sd_diag *diag)
{
	struct host_record *record;

	SD_TRY(host_make_room(host, stream, 1, diag));
	record = calloc(1, sizeof(*record));
	if (!record)
		return host_short_of("memory", diag);
	record->references = 2;
	record->event = event->handle;
	record->recorder = stream->handle;
	host_list_init(&record->waiting);
	host_record_release(event->last);
	event->last = record;
	host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_RECORD, .record = record });
	host_settle(host);
	return SD_OK;
}

static enum sd_status enqueue_wait(struct host *host, struct host_stream *stream, struct host_event *event, struct sd_diag *diag)
{
	if (!event->last)
		return SD_FAIL2(diag, SD_CODE_NOT_RECORDED, SD_NO_NODE, sd_arg_int((int64_t)event->handle), sd_arg_words("wait"));
	SD_TRY(host_make_room(host, stream, 1, diag));
	if (event->last->is_done) /* nothing to wait for: takes no entry */
		return SD_OK;
	event->last->references++;
	host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_WAIT, .record = event->last });
	host_settle(host);
	return SD_OK;
}

/* Each wait holds for one record, so that the stream has nothing to do when it gets to the reset. */
static enum sd_status reset(struct host *host, struct host_stream *stream, struct host_event *event, struct sd_diag *diag)
{
	host_record_release(event->last);
	event->last = NULL;
	return SD_OK;
}

/* What is done with a stream and an event, if there are both. */
static enum sd_status with_both(struct sd_device *device, sd_handle stream_handle, sd_handle handle, struct sd_diag *diag,
                                enum sd_status (*act)(struct host *, struct host_stream *, struct host_event *, struct sd_diag *))
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	struct host_event *event = NULL;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	stream = host_find_stream(host, stream_handle, diag);
	if (stream)
		event = host_find_event(host, handle, diag);
	if (event)
		status = act(host, stream, event, diag);
	host_unlock(host);
	return status;
}

enum sd_status host_event_record(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return with_both(device, stream, event, diag, enqueue_record);
}

enum sd_status host_event_wait(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return with_both(device, stream, event, diag, enqueue_wait);
}

enum sd_status host_event_reset(struct sd_device *device, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return with_both(device, stream, event, diag, reset);
}

enum sd_status host_event_query(struct sd_device *device, sd_handle handle, enum sd_progress *progress, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_event *event;

	host_lock(host);
	event = host_find_event(host, handle, diag);
	if (event)
		*progress = !event->last || event->last->is_done ? SD_DONE : SD_NOT_DONE;
	host_unlock(host);
	return event ? SD_OK : SD_NOT_FOUND;
}

enum sd_status host_event_synchronize(struct sd_device *device, sd_handle handle, int64_t timeout_ms, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_event *event;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	event = host_find_event(host, handle, diag);
	if (event)
		status = event->last ? host_wait_record(host, event->last, timeout_ms, diag) : host_check_timeout(timeout_ms, diag);
	host_unlock(host);
	return status;
}

static enum sd_status measure(const struct host_event *start, const struct host_event *end, int64_t *ns, struct sd_diag *diag)
{
	const struct host_event *without = !start->last || !start->last->is_done ? start : !end->last || !end->last->is_done ? end : NULL;

	if (without)
		return SD_FAIL1(diag, SD_CODE_EVENT_WITHOUT_TIME, SD_NO_NODE, sd_arg_int((int64_t)without->handle));
	*ns = (int64_t)(end->last->time_ns - start->last->time_ns);
	return *ns < 0 ? host_bad_argument("the elapsed time in ns", *ns, "0 or more: give the event that was recorded first as the start", diag) : SD_OK;
}

enum sd_status host_event_elapsed(struct sd_device *device, sd_handle start_handle, sd_handle end_handle, int64_t *ns, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_event *start, *end = NULL;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	start = host_find_event(host, start_handle, diag);
	if (start)
		end = host_find_event(host, end_handle, diag);
	if (end)
		status = measure(start, end, ns, diag);
	host_unlock(host);
	return status;
}

static enum sd_status enqueue_notify_record(struct host *host, struct host_stream *stream, struct host_notify *notify, struct sd_diag *diag)
{
	SD_TRY(host_make_room(host, stream, 1, diag));
	notify->references++;
	notify->records++;
	notify->recorder = stream->handle;
	host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_NOTIFY_RECORD, .notify = notify });
	host_settle(host);
	return SD_OK;
}

static enum sd_status enqueue_notify_wait(struct host *host, struct host_stream *stream, struct host_notify *notify, struct sd_diag *diag)
{
	if (notify->waits > 0 && notify->waiter != stream->handle)
		return SD_FAIL2(diag, SD_CODE_NOTIFY_TAKEN, SD_NO_NODE, sd_arg_int((int64_t)notify->handle), sd_arg_int((int64_t)notify->waiter));
	SD_TRY(host_make_room(host, stream, 1, diag));
	notify->references++;
	notify->waits++;
	notify->waiter = stream->handle;
	host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_NOTIFY_WAIT, .notify = notify });
	host_settle(host);
	return SD_OK;
}

/* What is done with a stream and a notify, if there are both. */
static enum sd_status with_notify(struct sd_device *device, sd_handle stream_handle, sd_handle handle, struct sd_diag *diag,
                                  enum sd_status (*act)(struct host *, struct host_stream *, struct host_notify *, struct sd_diag *))
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	struct host_notify *notify = NULL;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	stream = host_find_stream(host, stream_handle, diag);
	if (stream)
		notify = find_notify(host, handle, diag);
	if (notify)
		status = act(host, stream, notify, diag);
	host_unlock(host);
	return status;
}

enum sd_status host_notify_record(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	return with_notify(device, stream, notify, diag, enqueue_notify_record);
}

enum sd_status host_notify_wait(struct sd_device *device, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	return with_notify(device, stream, notify, diag, enqueue_notify_wait);
}
