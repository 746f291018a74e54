/* Tasks. The library launches kernels from binaries of its own kind only, which a task does not
 * carry: what has a function to `run` is launched as a host function in the order of the stream,
 * copies are copies, and all else is refused before anything of the batch was taken. */
#include <stdio.h>
#include <stdlib.h>

#include "device_vendor.h"

static void link_call(struct sd_vendor_call *ring, struct sd_vendor_call *call)
{
	call->previous = ring->previous;
	call->next = ring;
	ring->previous->next = call;
	ring->previous = call;
}

static void unlink_call(struct sd_vendor_call *call)
{
	call->previous->next = call->next;
	call->next->previous = call->previous;
}

/* The host function, called by a thread of the vendor's. */
static void arrive(void *arg)
{
	struct sd_vendor_call *call = arg;
	struct sd_vendor *vendor = call->vendor;
	uint64_t now = sd_vendor_now_ns(NULL);

	pthread_mutex_lock(&vendor->lock);
	if (call->is_dropped) {
		pthread_mutex_unlock(&vendor->lock);
		return;
	}
	unlink_call(call);
	vendor->running++;
	if (call->end)
		call->end->began_ns = now;
	pthread_mutex_unlock(&vendor->lock);
	if (call->run) {
		call->began_ns = now;
		call->run(call->arg);
	}
	if (call->done)
		call->done(call->done_arg, SD_OK, call->began_ns, sd_vendor_now_ns(NULL));
	free(call);
	pthread_mutex_lock(&vendor->lock);
	if (--vendor->running == 0)
		pthread_cond_broadcast(&vendor->idle);
	pthread_mutex_unlock(&vendor->lock);
}

/* One at a time, since `done` may call the device. */
static struct sd_vendor_call *drop_first(struct sd_vendor *vendor, struct sd_vendor_stream *stream)
{
	struct sd_vendor_call *call = stream->calls.next;

	if (call == &stream->calls)
		return NULL;
	unlink_call(call);
	call->is_dropped = true;
	link_call(&vendor->dropped, call);
	return call;
}

void sd_vendor_drop_calls(struct sd_vendor *vendor, struct sd_vendor_stream *stream)
{
	struct sd_vendor_call *call;

	do {
		pthread_mutex_lock(&vendor->lock);
		call = drop_first(vendor, stream);
		pthread_mutex_unlock(&vendor->lock);
		if (call && call->done)
			call->done(call->done_arg, SD_ABORTED, call->began_ns, sd_vendor_now_ns(NULL));
	} while (call);
}

void sd_vendor_free_dropped(struct sd_vendor *vendor)
{
	pthread_mutex_lock(&vendor->lock);
	while (vendor->running > 0)
		pthread_cond_wait(&vendor->idle, &vendor->lock);
	while (vendor->dropped.next != &vendor->dropped) {
		struct sd_vendor_call *call = vendor->dropped.next;

		unlink_call(call);
		free(call);
	}
	pthread_mutex_unlock(&vendor->lock);
}

/* What a task becomes: a host function before it, itself, and one behind it. */
struct launch {
	const struct sd_task *copy; /* NULL: none */
	struct sd_vendor_call *before, *behind;
};

static const char *objection(const struct sd_task *task)
{
	if (task->kind == SD_TASK_COPY)
		return task->target && task->source ? NULL : "a copy needs the addresses of its target and its source";
	if (task->kind == SD_TASK_SLEEP)
		return "nothing on it only takes time; run it on sim or host";
	return task->run ? NULL : "kernels are launched from binaries, which a task does not carry; give it a function to run, or run it on sim or host";
}

static struct sd_vendor_call *new_call(struct sd_vendor *vendor, const struct sd_task *task)
{
	struct sd_vendor_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->vendor = vendor;
	if (task && task->kind != SD_TASK_COPY) {
		call->run = task->run;
		call->arg = task->arg;
	}
	if (task) {
		call->done = task->done;
		call->done_arg = task->done_arg;
	}
	return call;
}

static bool prepare(struct sd_vendor *vendor, const struct sd_task *task, struct launch *launch)
{
	bool is_copy = task->kind == SD_TASK_COPY;

	launch->copy = is_copy ? task : NULL;
	if (is_copy && !task->done)
		return true;
	launch->behind = new_call(vendor, task);
	if (!launch->behind || !is_copy)
		return launch->behind;
	launch->before = new_call(vendor, NULL);
	if (launch->before)
		launch->before->end = launch->behind;
	return launch->before;
}

static struct sd_answer enqueue_call(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct sd_vendor_call **call)
{
	struct sd_vendor_call *gone = *call;
	struct sd_answer answer;

	pthread_mutex_lock(&vendor->lock);
	link_call(&stream->calls, gone); /* before it can arrive */
	pthread_mutex_unlock(&vendor->lock);
	answer = vendor->port->call_host(vendor, stream->object.at, arrive, gone);
	if (answer.code == 0) {
		*call = NULL; /* it frees itself */
		return answer;
	}
	pthread_mutex_lock(&vendor->lock);
	unlink_call(gone);
	if (gone->is_dropped) {
		link_call(&vendor->dropped, gone);
		*call = NULL;
	}
	pthread_mutex_unlock(&vendor->lock);
	return answer;
}

/* A call that is not enqueued, but to which one that is points. */
static void keep(struct sd_vendor *vendor, struct sd_vendor_call **call)
{
	if (!*call)
		return;
	pthread_mutex_lock(&vendor->lock);
	(*call)->is_dropped = true;
	link_call(&vendor->dropped, *call);
	pthread_mutex_unlock(&vendor->lock);
	*call = NULL;
}

static struct sd_answer enqueue(struct sd_vendor *vendor, struct sd_vendor_stream *stream, struct launch *launch)
{
	struct sd_answer answer = { 0 };

	if (launch->before)
		answer = enqueue_call(vendor, stream, &launch->before);
	if (answer.code != 0)
		return answer;
	if (launch->copy)
		answer = vendor->port->copy(vendor, stream->object.at, launch->copy);
	if (answer.code == 0 && launch->behind)
		answer = enqueue_call(vendor, stream, &launch->behind);
	return answer;
}

/* A task was taken: the first one behind the last synchronize is kept by name, for faults. */
static void note(struct sd_vendor *vendor, struct sd_vendor_stream *stream, const char *name)
{
	pthread_mutex_lock(&vendor->lock);
	if (stream->tasks == stream->tasks_done)
		snprintf(stream->task_name, sizeof(stream->task_name), "%s", name ? name : "");
	stream->tasks++;
	vendor->now.tasks_submitted++;
	pthread_mutex_unlock(&vendor->lock);
}

static enum sd_status submit(struct sd_vendor *vendor, struct sd_vendor_stream *stream, const struct sd_task *task, uint32_t count,
                             struct launch *launch, struct sd_diag *diag)
{
	enum sd_status status = SD_OK;

	for (uint32_t i = 0; i < count; i++)
		if (!prepare(vendor, &task[i], &launch[i]))
			return sd_vendor_no_memory(diag);
	for (uint32_t i = 0; i < count && status == SD_OK; i++) {
		bool has_before = launch[i].before;

		status = sd_vendor_check(vendor, enqueue(vendor, stream, &launch[i]), diag);
		if (status == SD_OK)
			note(vendor, stream, task[i].name);
		else if (has_before && !launch[i].before)
			keep(vendor, &launch[i].behind);
	}
	return status;
}

enum sd_status sd_vendor_submit(struct sd_device *device, sd_handle handle, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct sd_vendor_stream *stream;
	struct launch *launch;
	enum sd_status status;

	for (uint32_t i = 0; i < count; i++)
		if (objection(&task[i]))
			return SD_FAIL3(diag, SD_CODE_TASK_UNSUPPORTED, SD_NO_NODE, sd_arg_int(i), sd_arg_words(device->ops->name), sd_arg_words(objection(&task[i])));
	SD_TRY(sd_vendor_enter(vendor, diag));
	launch = calloc(count ? count : 1, sizeof(*launch));
	if (!launch)
		return sd_vendor_no_memory(diag);
	stream = sd_vendor_take(vendor, &vendor->streams, "stream", handle, diag);
	if (!stream)
		status = SD_NOT_FOUND;
	else if (!stream->object.at)
		status = sd_vendor_no_stream(handle, diag);
	else
		status = submit(vendor, stream, task, count, launch, diag);
	for (uint32_t i = 0; i < count; i++) {
		free(launch[i].before);
		free(launch[i].behind);
	}
	free(launch);
	if (stream)
		sd_vendor_put(vendor, stream);
	pthread_mutex_lock(&vendor->lock);
	vendor->now.submissions += status == SD_OK && count > 0;
	pthread_mutex_unlock(&vendor->lock);
	return status;
}
