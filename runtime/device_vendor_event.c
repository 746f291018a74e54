/* Events and notifies. The vendors' events may be recorded again and again, and a wait holds for
 * the last record; what they do not know is a wait that no record was enqueued for (they refuse it,
 * or let it pass) and, of such events, a reset. Both are kept here, in the order of the calls. */
#include <stdlib.h>

#include "device_vendor.h"

/* What is made, counted and destroyed in one way. */
struct kind {
	const char *one, *many;
	const struct sd_vendor_sync_port *port;
	struct sd_handles *handles;
	uint32_t *used, most; /* most is 0: any number */
	uint64_t *created, *destroyed;
};

static struct kind events_of(struct sd_vendor *vendor)
{
	return (struct kind){ "event", "events", &vendor->port->event, &vendor->events, &vendor->now.events_used, vendor->limit.events_max,
		              &vendor->now.events_created, &vendor->now.events_destroyed };
}

static struct kind notifies_of(struct sd_vendor *vendor)
{
	return (struct kind){ "notify", "notifies", &vendor->port->notify, &vendor->notifies, &vendor->now.notifies_used, vendor->limit.notifies_max,
		              &vendor->now.notifies_created, &vendor->now.notifies_destroyed };
}

/* Makes and files an object; nothing is left of one that fails. */
static enum sd_status make(struct sd_vendor *vendor, const struct kind *kind, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	struct sd_vendor_object *object = calloc(1, sizeof(*object));
	enum sd_status status;

	if (!object)
		return sd_vendor_no_memory(diag);
	object->is_leaving = true; /* nobody finds it before it is whole */
	*handle = sd_vendor_file(vendor, kind->handles, object);
	if (*handle == SD_NO_HANDLE) {
		free(object);
		return sd_vendor_no_memory(diag);
	}
	status = sd_vendor_check(vendor, kind->port->create(vendor, flags, &object->at), diag);
	if (status == SD_OK)
		sd_vendor_back(vendor, object);
	else
		sd_vendor_gone(vendor, kind->handles, object);
	return status;
}

static enum sd_status create(struct sd_vendor *vendor, struct kind kind, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	uint32_t refused = flags & ~kind.port->flags;
	enum sd_status status;

	*handle = SD_NO_HANDLE;
	if (refused)
		return SD_FAIL3(diag, SD_CODE_FLAGS_UNSUPPORTED, SD_NO_NODE, sd_arg_words(vendor->device.ops->name), sd_arg_int(flags), sd_arg_int(refused));
	SD_TRY(sd_vendor_enter(vendor, diag));
	SD_TRY(sd_vendor_count_up(vendor, kind.used, kind.most, kind.many, diag));
	status = make(vendor, &kind, flags, handle, diag);
	if (status == SD_OK) {
		sd_vendor_count_ever(vendor, kind.created);
		return SD_OK;
	}
	sd_vendor_count_down(vendor, kind.used, NULL);
	*handle = SD_NO_HANDLE;
	return status;
}

static enum sd_status destroy(struct sd_vendor *vendor, struct kind kind, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor_object *object;
	enum sd_status status;

	SD_TRY(sd_vendor_enter(vendor, diag));
	object = sd_vendor_take_last(vendor, kind.handles, kind.one, handle, NULL, diag);
	if (!object)
		return SD_NOT_FOUND;
	status = sd_vendor_check(vendor, kind.port->destroy(vendor, object->at), diag);
	if (status != SD_OK) {
		sd_vendor_back(vendor, object);
		return status;
	}
	sd_vendor_count_down(vendor, kind.used, kind.destroyed);
	sd_vendor_gone(vendor, kind.handles, object);
	return SD_OK;
}

enum sd_status sd_vendor_event_create(struct sd_device *device, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	return create(sd_vendor_of(device), events_of(sd_vendor_of(device)), flags, handle, diag);
}

enum sd_status sd_vendor_event_destroy(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	return destroy(sd_vendor_of(device), events_of(sd_vendor_of(device)), handle, diag);
}

enum sd_status sd_vendor_notify_create(struct sd_device *device, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	return create(sd_vendor_of(device), notifies_of(sd_vendor_of(device)), flags, handle, diag);
}

enum sd_status sd_vendor_notify_destroy(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	return destroy(sd_vendor_of(device), notifies_of(sd_vendor_of(device)), handle, diag);
}

static void set_recorded(struct sd_vendor *vendor, struct sd_vendor_object *event, bool is_recorded)
{
	pthread_mutex_lock(&vendor->lock);
	event->is_recorded = is_recorded;
	pthread_mutex_unlock(&vendor->lock);
}

static bool is_recorded(struct sd_vendor *vendor, const struct sd_vendor_object *event)
{
	bool is;

	pthread_mutex_lock(&vendor->lock);
	is = event->is_recorded;
	pthread_mutex_unlock(&vendor->lock);
	return is;
}

static enum sd_status unrecorded(sd_handle event, struct sd_diag *diag)
{
	return SD_FAIL2(diag, SD_CODE_NOT_RECORDED, SD_NO_NODE, sd_arg_int((int64_t)event), sd_arg_words("wait"));
}

enum sd_status sd_vendor_event_record(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *on;
	struct sd_vendor_object *event;
	enum sd_status status;

	SD_TRY(sd_vendor_take_pair(vendor, stream, &vendor->events, "event", handle, &on, &event, diag));
	status = sd_vendor_check(vendor, vendor->port->event.record(vendor, on->object.at, event->at), diag);
	if (status == SD_OK)
		set_recorded(vendor, event, true);
	sd_vendor_put(vendor, event);
	sd_vendor_put(vendor, on);
	return status;
}

enum sd_status sd_vendor_event_wait(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *on;
	struct sd_vendor_object *event;
	enum sd_status status;

	SD_TRY(sd_vendor_take_pair(vendor, stream, &vendor->events, "event", handle, &on, &event, diag));
	if (is_recorded(vendor, event))
		status = sd_vendor_check(vendor, vendor->port->event.wait(vendor, on->object.at, event->at), diag);
	else
		status = unrecorded(handle, diag);
	sd_vendor_put(vendor, event);
	sd_vendor_put(vendor, on);
	return status;
}

enum sd_status sd_vendor_event_reset(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *on;
	struct sd_vendor_object *event;

	SD_TRY(sd_vendor_take_pair(vendor, stream, &vendor->events, "event", handle, &on, &event, diag));
	set_recorded(vendor, event, false);
	sd_vendor_put(vendor, event);
	sd_vendor_put(vendor, on);
	return SD_OK;
}

enum sd_status sd_vendor_event_query(struct sd_device *device, sd_handle handle, enum sd_progress *progress, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *event;
	enum sd_status status = SD_OK;
	bool is_done = true;

	SD_TRY(sd_vendor_enter(vendor, diag));
	event = sd_vendor_take(vendor, &vendor->events, "event", handle, diag);
	if (!event)
		return SD_NOT_FOUND;
	if (is_recorded(vendor, event))
		status = sd_vendor_check(vendor, vendor->port->event_query(vendor, event->at, &is_done), diag);
	*progress = is_done ? SD_DONE : SD_NOT_DONE;
	sd_vendor_put(vendor, event);
	return status;
}

enum sd_status sd_vendor_event_synchronize(struct sd_device *device, sd_handle handle, int64_t timeout_ms, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *event;
	enum sd_status status = SD_OK;

	SD_TRY(sd_vendor_check_timeout(timeout_ms, diag));
	SD_TRY(sd_vendor_enter(vendor, diag));
	event = sd_vendor_take(vendor, &vendor->events, "event", handle, diag);
	if (!event)
		return SD_NOT_FOUND;
	if (is_recorded(vendor, event))
		status = sd_vendor_check(vendor, vendor->port->event_synchronize(vendor, event->at, timeout_ms), diag);
	sd_vendor_put(vendor, event);
	return status;
}

enum sd_status sd_vendor_event_elapsed(struct sd_device *device, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *from, *to;
	enum sd_status status;
	float ms = 0;

	SD_TRY(sd_vendor_enter(vendor, diag));
	from = sd_vendor_take(vendor, &vendor->events, "event", start, diag);
	if (!from)
		return SD_NOT_FOUND;
	to = sd_vendor_take(vendor, &vendor->events, "event", end, diag);
	if (!to)
		status = SD_NOT_FOUND;
	else if (!is_recorded(vendor, from) || !is_recorded(vendor, to))
		status = unrecorded(is_recorded(vendor, from) ? end : start, diag);
	else
		status = sd_vendor_check(vendor, vendor->port->event_elapsed(vendor, from->at, to->at, &ms), diag);
	*ns = (int64_t)((double)ms * 1e6);
	if (status == SD_OK && ms < 0)
		status = SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("the elapsed time in ns"), sd_arg_int(*ns),
		                  sd_arg_words("0 or more: give the event that was recorded first as the start"));
	if (to)
		sd_vendor_put(vendor, to);
	sd_vendor_put(vendor, from);
	return status;
}

static enum sd_status on_stream(struct sd_vendor *vendor, sd_handle stream, sd_handle handle,
                                struct sd_answer (*act)(struct sd_vendor *vendor, void *stream, void *notify), struct sd_diag *diag)
{
	struct sd_vendor_stream *on;
	struct sd_vendor_object *notify;
	enum sd_status status;

	SD_TRY(sd_vendor_take_pair(vendor, stream, &vendor->notifies, "notify", handle, &on, &notify, diag));
	status = sd_vendor_check(vendor, act(vendor, on->object.at, notify->at), diag);
	sd_vendor_put(vendor, notify);
	sd_vendor_put(vendor, on);
	return status;
}

enum sd_status sd_vendor_notify_record(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	return on_stream(sd_vendor_of(device), stream, handle, sd_vendor_of(device)->port->notify.record, diag);
}

enum sd_status sd_vendor_notify_wait(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	return on_stream(sd_vendor_of(device), stream, handle, sd_vendor_of(device)->port->notify.wait, diag);
}
