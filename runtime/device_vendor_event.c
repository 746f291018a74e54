/* Events and notifies. The vendors' events may be recorded again and again, and a wait holds for
 * the last record; what they do not know is a wait that no record was enqueued for (they refuse it,
 * or let it pass) and, of such events, a reset. Both are kept here, in the order of the calls. */
#include <stdlib.h>

#include "device_vendor.h"

/* Makes and files an object. */
static enum sd_status make(struct sd_vendor *vendor, struct sd_handles *handles, sd_handle *handle, struct sd_vendor_object **object, struct sd_diag *diag)
{
	*handle = SD_NO_HANDLE;
	*object = calloc(1, sizeof(**object));
	if (!*object)
		return sd_vendor_no_memory(diag);
	(*object)->is_leaving = true; /* nobody finds it before it is whole */
	*handle = sd_vendor_file(vendor, handles, *object);
	if (*handle == SD_NO_HANDLE) {
		free(*object);
		return sd_vendor_no_memory(diag);
	}
	return SD_OK;
}

enum sd_status sd_vendor_event_create(struct sd_device *device, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *event;
	enum sd_status status;

	*handle = SD_NO_HANDLE;
	if (flags & ~vendor->port->event_flags)
		return SD_FAIL3(diag, SD_CODE_FLAGS_UNSUPPORTED, SD_NO_NODE, sd_arg_words(device->ops->name), sd_arg_int(flags),
		                sd_arg_int(flags & ~vendor->port->event_flags));
	SD_TRY(sd_vendor_enter(vendor, diag));
	SD_TRY(sd_vendor_count_up(vendor, &vendor->now.events_used, vendor->limit.events_max, "events", diag));
	status = make(vendor, &vendor->events, handle, &event, diag);
	if (status == SD_OK) {
		status = sd_vendor_check(vendor, vendor->port->event_create(vendor, flags, &event->at), diag);
		if (status != SD_OK)
			sd_vendor_gone(vendor, &vendor->events, event);
	}
	if (status != SD_OK) {
		sd_vendor_count_down(vendor, &vendor->now.events_used, NULL);
		*handle = SD_NO_HANDLE;
		return status;
	}
	sd_vendor_count_ever(vendor, &vendor->now.events_created);
	sd_vendor_back(vendor, event);
	return SD_OK;
}

enum sd_status sd_vendor_event_destroy(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *event;
	enum sd_status status;

	SD_TRY(sd_vendor_enter(vendor, diag));
	event = sd_vendor_take_last(vendor, &vendor->events, "event", handle, NULL, diag);
	if (!event)
		return SD_NOT_FOUND;
	status = sd_vendor_check(vendor, vendor->port->event_destroy(vendor, event->at), diag);
	if (status != SD_OK) {
		sd_vendor_back(vendor, event);
		return status;
	}
	sd_vendor_count_down(vendor, &vendor->now.events_used, &vendor->now.events_destroyed);
	sd_vendor_gone(vendor, &vendor->events, event);
	return SD_OK;
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
	status = sd_vendor_check(vendor, vendor->port->event_record(vendor, on->object.at, event->at), diag);
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
		status = sd_vendor_check(vendor, vendor->port->event_wait(vendor, on->object.at, event->at), diag);
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

enum sd_status sd_vendor_notify_create(struct sd_device *device, uint32_t flags, sd_handle *handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *notify;
	enum sd_status status;

	*handle = SD_NO_HANDLE;
	if (flags)
		return SD_FAIL3(diag, SD_CODE_FLAGS_UNSUPPORTED, SD_NO_NODE, sd_arg_words(device->ops->name), sd_arg_int(flags), sd_arg_int(flags));
	SD_TRY(sd_vendor_enter(vendor, diag));
	SD_TRY(sd_vendor_count_up(vendor, &vendor->now.notifies_used, vendor->limit.notifies_max, "notifies", diag));
	status = make(vendor, &vendor->notifies, handle, &notify, diag);
	if (status == SD_OK) {
		status = sd_vendor_check(vendor, vendor->port->notify_create(vendor, &notify->at), diag);
		if (status != SD_OK)
			sd_vendor_gone(vendor, &vendor->notifies, notify);
	}
	if (status != SD_OK) {
		sd_vendor_count_down(vendor, &vendor->now.notifies_used, NULL);
		*handle = SD_NO_HANDLE;
		return status;
	}
	sd_vendor_count_ever(vendor, &vendor->now.notifies_created);
	sd_vendor_back(vendor, notify);
	return SD_OK;
}

enum sd_status sd_vendor_notify_destroy(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_object *notify;
	enum sd_status status;

	SD_TRY(sd_vendor_enter(vendor, diag));
	notify = sd_vendor_take_last(vendor, &vendor->notifies, "notify", handle, NULL, diag);
	if (!notify)
		return SD_NOT_FOUND;
	status = sd_vendor_check(vendor, vendor->port->notify_destroy(vendor, notify->at), diag);
	if (status != SD_OK) {
		sd_vendor_back(vendor, notify);
		return status;
	}
	sd_vendor_count_down(vendor, &vendor->now.notifies_used, &vendor->now.notifies_destroyed);
	sd_vendor_gone(vendor, &vendor->notifies, notify);
	return SD_OK;
}

enum sd_status sd_vendor_notify_record(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *on;
	struct sd_vendor_object *notify;
	enum sd_status status;

	SD_TRY(sd_vendor_take_pair(vendor, stream, &vendor->notifies, "notify", handle, &on, &notify, diag));
	status = sd_vendor_check(vendor, vendor->port->notify_record(vendor, on->object.at, notify->at), diag);
	sd_vendor_put(vendor, notify);
	sd_vendor_put(vendor, on);
	return status;
}

enum sd_status sd_vendor_notify_wait(struct sd_device *device, sd_handle stream, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *on;
	struct sd_vendor_object *notify;
	enum sd_status status;

	SD_TRY(sd_vendor_take_pair(vendor, stream, &vendor->notifies, "notify", handle, &on, &notify, diag));
	status = sd_vendor_check(vendor, vendor->port->notify_wait(vendor, on->object.at, notify->at), diag);
	sd_vendor_put(vendor, notify);
	sd_vendor_put(vendor, on);
	return status;
}
