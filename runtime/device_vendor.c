#include "device_vendor.h"

#include <stdlib.h>
#include <time.h>

#include "base/check.h"

void sd_vendor_begin(struct sd_vendor *vendor, const struct sd_device_ops *ops, const struct sd_vendor_port *port, const char *library)
{
	vendor->device.ops = ops;
	vendor->port = port;
	vendor->library = library;
	pthread_mutex_init(&vendor->lock, NULL);
	pthread_mutex_init(&vendor->order, NULL);
	pthread_cond_init(&vendor->idle, NULL);
	vendor->dropped.next = vendor->dropped.previous = &vendor->dropped;
	vendor->now.name = ops->name;
}

void sd_vendor_end(struct sd_vendor *vendor)
{
	sd_handles_finish(&vendor->streams);
	sd_handles_finish(&vendor->events);
	sd_handles_finish(&vendor->notifies);
	pthread_cond_destroy(&vendor->idle);
	pthread_mutex_destroy(&vendor->order);
	pthread_mutex_destroy(&vendor->lock);
}

enum sd_status sd_vendor_check(struct sd_vendor *vendor, struct sd_answer answer, struct sd_diag *diag)
{
	if (answer.code == 0)
		return SD_OK;
	if (answer.code == SD_ANSWER_ABSENT)
		return SD_FAIL2(diag, SD_CODE_NO_SYMBOL, SD_NO_NODE, sd_arg_words(vendor->library), sd_arg_words(answer.call));
	return vendor->port->fail(vendor, diag, answer.call, answer.code);
}

enum sd_status sd_vendor_enter(struct sd_vendor *vendor, struct sd_diag *diag)
{
	return sd_vendor_check(vendor, vendor->port->enter(vendor), diag);
}

enum sd_status sd_vendor_no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

enum sd_status sd_vendor_no_stream(sd_handle stream, struct sd_diag *diag)
{
	return SD_FAIL2(diag, SD_CODE_NO_TASKS_HERE, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_words("task"));
}

enum sd_status sd_vendor_check_timeout(int64_t timeout_ms, struct sd_diag *diag)
{
	if (timeout_ms > 0 || timeout_ms == SD_FOR_EVER)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("timeout_ms"), sd_arg_int(timeout_ms), sd_arg_words("above 0, or -1 to wait for ever"));
}

enum sd_status sd_vendor_count_up(struct sd_vendor *vendor, uint32_t *used, uint32_t most, const char *resource, struct sd_diag *diag)
{
	uint32_t before;

	pthread_mutex_lock(&vendor->lock);
	before = *used;
	*used += most == 0 || before < most;
	pthread_mutex_unlock(&vendor->lock);
	if (most == 0 || before < most)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_DEVICE_FULL, SD_NO_NODE, sd_arg_words(resource), sd_arg_int(before), sd_arg_int(most));
}

void sd_vendor_count_down(struct sd_vendor *vendor, uint32_t *used, uint64_t *ever)
{
	pthread_mutex_lock(&vendor->lock);
	(*used)--;
	if (ever)
		(*ever)++;
	pthread_mutex_unlock(&vendor->lock);
}

void sd_vendor_count_ever(struct sd_vendor *vendor, uint64_t *ever)
{
	pthread_mutex_lock(&vendor->lock);
	(*ever)++;
	pthread_mutex_unlock(&vendor->lock);
}

/* Under the lock. */
static struct sd_vendor_object *find(const struct sd_handles *handles, sd_handle handle)
{
	struct sd_vendor_object *object = sd_handles_find(handles, handle);

	return object && !object->is_leaving ? object : NULL;
}

static enum sd_status missing(const char *kind, sd_handle handle, struct sd_diag *diag)
{
	return SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words(kind), sd_arg_int((int64_t)handle));
}

void *sd_vendor_take(struct sd_vendor *vendor, struct sd_handles *handles, const char *kind, sd_handle handle, struct sd_diag *diag)
{
	struct sd_vendor_object *object;

	pthread_mutex_lock(&vendor->lock);
	object = find(handles, handle);
	if (object)
		object->users++;
	pthread_mutex_unlock(&vendor->lock);
	if (!object)
		missing(kind, handle, diag);
	return object;
}

void sd_vendor_put(struct sd_vendor *vendor, void *of)
{
	struct sd_vendor_object *object = of;

	pthread_mutex_lock(&vendor->lock);
	SD_REQUIRE(object->users > 0);
	if (--object->users == 0)
		pthread_cond_broadcast(&vendor->idle);
	pthread_mutex_unlock(&vendor->lock);
}

void *sd_vendor_take_last(struct sd_vendor *vendor, struct sd_handles *handles, const char *kind, sd_handle handle,
                          void (*hasten)(struct sd_vendor *vendor, void *object), struct sd_diag *diag)
{
	struct sd_vendor_object *object;
	bool is_used;

	pthread_mutex_lock(&vendor->lock);
	object = find(handles, handle);
	is_used = object && object->users > 0;
	if (object)
		object->is_leaving = true;
	pthread_mutex_unlock(&vendor->lock);
	if (!object) {
		missing(kind, handle, diag);
		return NULL;
	}
	if (is_used && hasten)
		hasten(vendor, object);
	pthread_mutex_lock(&vendor->lock);
	while (object->users > 0)
		pthread_cond_wait(&vendor->idle, &vendor->lock);
	pthread_mutex_unlock(&vendor->lock);
	return object;
}

void sd_vendor_gone(struct sd_vendor *vendor, struct sd_handles *handles, void *of)
{
	struct sd_vendor_object *object = of;

	pthread_mutex_lock(&vendor->lock);
	sd_handles_retire(handles, object->handle);
	sd_handles_let_go(handles, sd_handle_index(object->handle));
	pthread_mutex_unlock(&vendor->lock);
	free(object);
}

void sd_vendor_back(struct sd_vendor *vendor, void *of)
{
	struct sd_vendor_object *object = of;

	pthread_mutex_lock(&vendor->lock);
	object->is_leaving = false;
	pthread_mutex_unlock(&vendor->lock);
}

sd_handle sd_vendor_file(struct sd_vendor *vendor, struct sd_handles *handles, struct sd_vendor_object *object)
{
	pthread_mutex_lock(&vendor->lock);
	object->handle = sd_handles_add(handles, object);
	pthread_mutex_unlock(&vendor->lock);
	return object->handle;
}

enum sd_status sd_vendor_take_pair(struct sd_vendor *vendor, sd_handle stream, struct sd_handles *handles, const char *kind, sd_handle other,
                                   struct sd_vendor_stream **on, void *with, struct sd_diag *diag)
{
	struct sd_vendor_object **second = with;

	SD_TRY(sd_vendor_enter(vendor, diag));
	*on = sd_vendor_take(vendor, &vendor->streams, "stream", stream, diag);
	if (!*on)
		return SD_NOT_FOUND;
	*second = sd_vendor_take(vendor, handles, kind, other, diag);
	if (*second && (*on)->object.at)
		return SD_OK;
	if (*second) {
		sd_vendor_put(vendor, *second);
		sd_vendor_no_stream(stream, diag);
	}
	sd_vendor_put(vendor, *on);
	return *second ? SD_FAILED_PRECONDITION : SD_NOT_FOUND;
}

/* Where what is enqueued cannot be taken back: everything that is waited for is opened, so that all comes to its end. */
static void open_all(struct sd_vendor *vendor)
{
	for (uint32_t i = 0; i < vendor->streams.count; i++) {
		struct sd_vendor_stream *stream = sd_handles_at(&vendor->streams, i);

		if (stream)
			sd_vendor_stream_let_go(vendor, stream, false);
	}
	for (uint32_t i = 0; i < vendor->notifies.count; i++) {
		struct sd_vendor_object *notify = sd_handles_at(&vendor->notifies, i);

		if (notify)
			vendor->port->notify_open(vendor, notify->at);
	}
}

/* Destroys what the caller left, the streams first, since they may use the rest. */
static void destroy_all(struct sd_vendor *vendor)
{
	const struct sd_vendor_port *port = vendor->port;

	if (!sd_vendor_can_abort(vendor))
		open_all(vendor);
	for (uint32_t i = 0; i < vendor->streams.count; i++) {
		struct sd_vendor_stream *stream = sd_handles_at(&vendor->streams, i);

		if (!stream)
			continue;
		if (stream->object.at)
			port->stream_destroy(vendor, stream->object.at, true);
		sd_vendor_stream_let_go(vendor, stream, false);
		free(stream);
	}
	for (uint32_t i = 0; i < vendor->events.count; i++) {
		struct sd_vendor_object *event = sd_handles_at(&vendor->events, i);

		if (event)
			port->event.destroy(vendor, event->at);
		free(event);
	}
	for (uint32_t i = 0; i < vendor->notifies.count; i++) {
		struct sd_vendor_object *notify = sd_handles_at(&vendor->notifies, i);

		if (notify)
			port->notify.destroy(vendor, notify->at);
		free(notify);
	}
}

void sd_vendor_close(struct sd_device *device)
{
	struct sd_vendor *vendor = sd_vendor_of(device);

	vendor->port->enter(vendor);
	destroy_all(vendor);
	sd_vendor_free_holds(vendor);
	if (vendor->port->drain)
		vendor->port->drain(vendor);
	sd_vendor_free_dropped(vendor);
	sd_vendor_free_blocks(vendor);
	sd_vendor_end(vendor);
	vendor->port->shut(vendor);
}

void sd_vendor_facts(struct sd_device *device, struct sd_device_facts *facts)
{
	struct sd_vendor *vendor = sd_vendor_of(device);

	pthread_mutex_lock(&vendor->lock);
	*facts = vendor->now;
	pthread_mutex_unlock(&vendor->lock);
	if (vendor->port->enter(vendor).code == 0)
		vendor->port->facts(vendor, facts);
}

uint64_t sd_vendor_now_ns(struct sd_device *device)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sd_vendor_take_fault(struct sd_device *device, struct sd_device_fault *fault)
{
	struct sd_vendor *vendor = sd_vendor_of(device);

	pthread_mutex_lock(&vendor->lock);
	*fault = vendor->fault;
	vendor->fault = (struct sd_device_fault){ 0 };
	pthread_mutex_unlock(&vendor->lock);
}
