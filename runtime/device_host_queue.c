#include "device_host_impl.h"

#include <stdlib.h>

#define RING_MIN 16u

/* A stream that will not take the entries, now or ever. */
static enum sd_status check_depth(struct host_stream *stream, uint32_t count, struct sd_diag *diag)
{
	if (stream->flags & SD_STREAM_FORBIDDEN_DEFAULT)
		return SD_FAIL2(diag, SD_CODE_NO_TASKS_HERE, SD_NO_NODE, sd_arg_int((int64_t)stream->handle), sd_arg_words("task"));
	if (stream->depth && (count > stream->depth || stream->count > stream->depth - count))
		return SD_FAIL3(diag, SD_CODE_QUEUE_FULL, SD_NO_NODE, sd_arg_int((int64_t)stream->handle), sd_arg_int(count), sd_arg_int(stream->depth));
	return SD_OK;
}

/* Moves the ring into a larger one, its head to the front. */
static bool grow(struct host_stream *stream, uint64_t entries)
{
	uint64_t cap = stream->ring_cap ? stream->ring_cap : RING_MIN;
	struct host_entry *ring;

	while (cap < entries)
		cap *= 2;
	if (cap > UINT32_MAX / 2 + 1u)
		return false;
	ring = malloc(cap * sizeof(*ring));
	if (!ring)
		return false;
	for (uint32_t i = 0; i < stream->count; i++)
		ring[i] = stream->ring[(stream->head + i) & (stream->ring_cap - 1)];
	free(stream->ring);
	stream->ring = ring;
	stream->ring_cap = (uint32_t)cap;
	stream->head = 0;
	return true;
}

enum sd_status host_make_room(struct host *host, struct host_stream *stream, uint32_t count, struct sd_diag *diag)
{
	uint64_t entries = (uint64_t)stream->count + count;

	SD_TRY(check_depth(stream, count, diag));
	if (entries > stream->ring_cap && !grow(stream, entries))
		return host_short_of("memory", diag);
	return SD_OK;
}

void host_enqueue(struct host *host, struct host_stream *stream, const struct host_entry *entry)
{
	stream->ring[(stream->head + stream->count++) & (stream->ring_cap - 1)] = *entry;
	stream->enqueued++;
	host->changed_ns = host_now_ns();
	if (stream->state == HOST_IDLE)
		host_wake(host, stream);
}

struct host_entry *host_head(const struct host_stream *stream)
{
	return &stream->ring[stream->head];
}

bool host_is_dropped(const struct host_stream *stream)
{
	return stream->passed < stream->drop_below;
}

/* What the entry has taken is given back. */
static void release(struct host_entry *entry)
{
	switch (entry->kind) {
	case HOST_RECORD:
	case HOST_WAIT:
		host_record_release(entry->record);
		break;
	case HOST_NOTIFY_RECORD:
		entry->notify->records--;
		host_notify_release(entry->notify);
		break;
	case HOST_NOTIFY_WAIT:
		entry->notify->waits--;
		host_notify_release(entry->notify);
		break;
	case HOST_TASK:
	case HOST_HOLD:
	case HOST_ACTIVATE:
		break;
	}
}

void host_pass(struct host *host, struct host_stream *stream)
{
	release(host_head(stream));
	stream->head = (stream->head + 1) & (stream->ring_cap - 1);
	stream->count--;
	stream->passed++;
	if (stream->passed >= stream->awaited) {
		stream->awaited = UINT64_MAX;
		pthread_cond_broadcast(&host->progress);
	}
}

/* The running task is not dropped by this: see host_cut(). */
void host_drop_queued(struct host *host, struct host_stream *stream)
{
	stream->drop_below = stream->enqueued;
	if (stream->state == HOST_BLOCKED)
		host_wake(host, stream);
}

void host_cut(struct host *host, struct host_stream *stream)
{
	if (stream->state == HOST_RUNNING || stream->state == HOST_SLEEPING)
		atomic_store(&stream->is_cut, true);
	if (stream->state == HOST_SLEEPING)
		host_hasten(host, stream);
}

/* Those at a task go on when it is done. */
void host_wake(struct host *host, struct host_stream *stream)
{
	if (stream->state != HOST_IDLE && stream->state != HOST_BLOCKED)
		return;
	stream->state = HOST_IDLE;
	host_unlink(&stream->link);
	host_append(&host->pending, &stream->link);
}

void host_wake_all(struct host *host, struct host_link *waiting)
{
	while (waiting->next != waiting)
		host_wake(host, (struct host_stream *)waiting->next);
}

static bool block(struct host_stream *stream, struct host_link *waiting)
{
	stream->state = HOST_BLOCKED;
	if (waiting)
		host_append(waiting, &stream->link);
	return false;
}

struct host_communicator *host_communicator(struct host *host, uint32_t number)
{
	struct host_communicator *at = host->communicators;

	while (at && at->number != number)
		at = at->next;
	if (at)
		return at;
	at = calloc(1, sizeof(*at));
	if (!at)
		return NULL;
	at->number = number;
	at->next = host->communicators;
	host_list_init(&at->waiting);
	host->communicators = at;
	return at;
}

/* Answers false: the stream goes on when the task is done, or when its communicator is free. */
static bool begin_task(struct host *host, struct host_stream *stream)
{
	const struct sd_task *task = &host_head(stream)->task;

	if (task->kind == SD_TASK_COLLECTIVE) {
		struct host_communicator *communicator = host_communicator(host, task->communicator);

		if (communicator->is_busy)
			return block(stream, &communicator->waiting);
		communicator->is_busy = true;
		stream->communicator = communicator;
	}
	atomic_store(&stream->is_cut, false);
	if (host_task_takes_core(task)) {
		host_make_ready(host, stream);
	} else {
		stream->began_ns = host_now_ns();
		host_sleep(host, stream, stream->began_ns + task->duration_ns);
	}
	return false;
}

static bool do_record(struct host *host, struct host_record *record)
{
	record->time_ns = host_now_ns();
	record->is_done = true;
	host_wake_all(host, &record->waiting);
	if (host->callers_of_records)
		pthread_cond_broadcast(&host->progress);
	return true;
}

static bool do_activate(struct host *host, struct host_entry *entry)
{
	struct host_stream *started = sd_handles_find(&host->streams, entry->started);

	if (started && started->opened < started->holds) {
		started->opened++;
		host_wake(host, started);
	}
	return true;
}

static bool do_notify_record(struct host *host, struct host_notify *notify)
{
	notify->is_set = true;
	host_wake_all(host, &notify->waiting);
	return true;
}

static bool do_notify_wait(struct host_stream *stream, struct host_notify *notify)
{
	if (!notify->is_set)
		return block(stream, &notify->waiting);
	notify->is_set = false;
	return true;
}

/* A dropped task whose end is to be told goes to the clock, which calls without the lock. */
static bool drop(struct host *host, struct host_stream *stream, struct host_entry *entry)
{
	if (entry->kind == HOST_HOLD && stream->opened < entry->hold)
		stream->opened = entry->hold;
	if (entry->kind == HOST_RECORD)
		entry->record->is_dropped = true;
	if (entry->kind != HOST_TASK)
		return true;
	if (!entry->task.done) {
		stream->tasks_passed++;
		return true;
	}
	stream->began_ns = host_now_ns();
	host_sleep(host, stream, 0);
	return false;
}

/* True if the entry at the head is done with. */
static bool step(struct host *host, struct host_stream *stream)
{
	struct host_entry *entry = host_head(stream);

	if (host_is_dropped(stream))
		return drop(host, stream, entry);
	switch (entry->kind) {
	case HOST_TASK:
		return begin_task(host, stream);
	case HOST_RECORD:
		return do_record(host, entry->record);
	case HOST_WAIT:
		return entry->record->is_done || block(stream, &entry->record->waiting);
	case HOST_NOTIFY_RECORD:
		return do_notify_record(host, entry->notify);
	case HOST_NOTIFY_WAIT:
		return do_notify_wait(stream, entry->notify);
	case HOST_HOLD:
		return entry->hold <= stream->opened || block(stream, NULL);
	case HOST_ACTIVATE:
		return do_activate(host, entry);
	}
	return true;
}

static void advance(struct host *host, struct host_stream *stream)
{
	while (stream->count > 0) {
		if (!step(host, stream))
			return;
		host_pass(host, stream);
	}
	if (stream->is_gone)
		host_stream_free(host, stream);
}

void host_settle(struct host *host)
{
	while (host->pending.next != &host->pending) {
		struct host_stream *stream = (struct host_stream *)host->pending.next;

		host_unlink(&stream->link);
		advance(host, stream);
	}
	if (host->callers && host_is_idle(host)) /* who waits looks whether it waits for ever */
		pthread_cond_broadcast(&host->progress);
}

static enum sd_status check_task(struct host *host, const struct sd_task *task, struct sd_diag *diag)
{
	if ((unsigned)task->kind > SD_TASK_SLEEP)
		return host_bad_argument("the kind of a task", task->kind, "one of enum sd_task_kind", diag);
	if (task->kind == SD_TASK_COPY && task->bytes && (!task->target || !task->source))
		return host_bad_argument("an address of a copy", 0, "that of memory", diag);
	if (task->duration_ns > INT64_MAX)
		return host_bad_argument("the duration of a task", INT64_MAX, "below 2^63 ns", diag);
	if (task->kind == SD_TASK_COLLECTIVE && !host_communicator(host, task->communicator))
		return host_short_of("memory", diag);
	return SD_OK;
}

static enum sd_status take_tasks(struct host *host, struct host_stream *stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < count; i++)
		SD_TRY(check_task(host, &task[i], diag));
	SD_TRY(host_make_room(host, stream, count, diag));
	if (host_is_fault(&host->calls.submit, host->options.fault.submit))
		return SD_FAIL3(diag, SD_CODE_QUEUE_FULL, SD_NO_NODE, sd_arg_int((int64_t)stream->handle), sd_arg_int(count), sd_arg_int(stream->count));
	for (uint32_t i = 0; i < count; i++)
		host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_TASK, .task = task[i] });
	host->facts.tasks_submitted += count;
	host->facts.submissions++;
	host_settle(host);
	return SD_OK;
}

enum sd_status host_submit(struct sd_device *device, sd_handle handle, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream)
		status = count ? take_tasks(host, stream, task, count, diag) : SD_OK;
	host_unlock(host);
	return status;
}
