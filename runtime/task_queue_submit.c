#include <stdio.h>

#include "task_queue_impl.h"

#define RETRY_NS 500000u   /* half a millisecond: some tasks' time, and no load */
#define TRIES_IDLE 3u      /* refused so often, and once more with nothing queued on the device: it never takes it */

static void gather(const struct queue_stream *stream, struct queue_batch *batch)
{
	uint64_t end = stream->passed < stream->drop_below ? stream->drop_below : stream->flushed;
	uint32_t most = stream->limit;

	batch->is_dropped = stream->passed < stream->drop_below;
	batch->first = *queue_entry_at(stream, 0);
	batch->count = batch->first.kind == QUEUE_TASK ? 0 : 1;
	if (batch->count)
		return;
	if (most > end - stream->passed)
		most = (uint32_t)(end - stream->passed);
	while (batch->count < most && queue_entry_at(stream, batch->count)->kind == QUEUE_TASK) {
		batch->task[batch->count] = queue_entry_at(stream, batch->count)->task;
		batch->count++;
	}
}

/* Without the lock. */
static enum sd_status hand_over(struct sd_device *behind, sd_handle stream, const struct queue_batch *batch, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = behind->ops;
	sd_handle of = batch->first.handle;

	switch (batch->first.kind) {
	case QUEUE_TASK:
		return ops->submit(behind, stream, batch->task, batch->count, diag);
	case QUEUE_RECORD:
		return ops->event_record(behind, stream, of, diag);
	case QUEUE_WAIT:
		return ops->event_wait(behind, stream, of, diag);
	case QUEUE_RESET:
		return ops->event_reset(behind, stream, of, diag);
	case QUEUE_NOTIFY_RECORD:
		return ops->notify_record(behind, stream, of, diag);
	case QUEUE_NOTIFY_WAIT:
		return ops->notify_wait(behind, stream, of, diag);
	case QUEUE_HOLD:
		return ops->stream_hold(behind, stream, diag);
	case QUEUE_ACTIVATE:
		return ops->activate(behind, stream, of, diag);
	}
	return SD_OK;
}

/* Without the lock: the device does not tell the end of what it did not take. */
static void tell_ends(const struct queue_batch *batch, enum sd_status status)
{
	uint64_t now = queue_now_ns();

	if (batch->first.kind != QUEUE_TASK)
		return;
	for (uint32_t i = 0; i < batch->count; i++) {
		if (batch->task[i].done)
			batch->task[i].done(batch->task[i].done_arg, status, now, now);
	}
}

/* Without the lock: a stream on which nothing is queued has room, whatever the device says. One that waits for ever, as a device may
 * say, has something queued: what it waits for may be yet to come. */
static bool has_nothing_queued(struct sd_device *behind, sd_handle stream)
{
	enum sd_progress progress = SD_NOT_DONE;
	enum sd_status status = behind->ops->stream_query(behind, stream, &progress, NULL);

	return status != SD_FAILED_PRECONDITION && (status != SD_OK || progress == SD_DONE);
}

static void note_failed(struct queue *queue, struct queue_stream *stream, const struct queue_batch *batch, enum sd_status status, const struct sd_diag *diag)
{
	queue->stats.failed += batch->count;
	if (stream->failed != SD_OK)
		return;
	stream->failed = status;
	if (diag->code != SD_CODE_NONE)
		sd_diag_message(diag, NULL, stream->message, sizeof(stream->message));
	else
		snprintf(stream->message, sizeof(stream->message), "%s", sd_status_name(status));
}

static void note_taken(struct queue *queue, const struct queue_batch *batch)
{
	if (batch->first.kind != QUEUE_TASK)
		return;
	queue->stats.batches++;
	queue->stats.tasks += batch->count;
	if (queue->stats.largest_batch < batch->count)
		queue->stats.largest_batch = batch->count;
}

/* A smaller batch at once; a single entry after a pause. */
static void try_again(struct queue *queue, struct queue_stream *stream, uint32_t count)
{
	queue->stats.retries++;
	stream->tries++;
	if (count > 1) {
		stream->limit = count / 2;
		return;
	}
	stream->is_refused = true;
	stream->next_refused = queue->refused;
	queue->refused = stream;
	queue->retry_ns = queue_now_ns() + RETRY_NS;
}

/* Hands over the head of a stream; gives the lock away meanwhile. */
static void serve(struct queue *queue, struct queue_stream *stream, struct queue_batch *batch)
{
	struct sd_diag diag = { 0 };
	sd_handle handle = stream->handle;
	enum sd_status status = SD_ABORTED;
	bool is_retried = false, is_last;
	uint32_t tries = stream->tries;

	gather(stream, batch);
	stream->is_at_work = queue->is_serving = true;
	queue_update(queue, stream);
	pthread_mutex_unlock(&queue->lock);
	if (!batch->is_dropped) {
		/* Asked first: what is queued may end between a refusal for want of room and the question. */
		is_last = batch->count <= 1 && tries >= TRIES_IDLE && has_nothing_queued(queue->behind, handle);
		status = hand_over(queue->behind, handle, batch, &diag);
		is_retried = status == SD_RESOURCE_EXHAUSTED && !is_last;
	}
	if (status != SD_OK && !is_retried)
		tell_ends(batch, status);
	pthread_mutex_lock(&queue->lock);
	stream->is_at_work = queue->is_serving = false;
	if (is_retried && stream->passed >= stream->drop_below)
		try_again(queue, stream, batch->count);
	if (!is_retried) {
		if (status == SD_OK)
			note_taken(queue, batch);
		else if (!batch->is_dropped)
			note_failed(queue, stream, batch, status, &diag);
		for (uint32_t i = 0; i < batch->count; i++)
			queue_pass(queue, stream);
	}
	queue_update(queue, stream);
	queue_moved(queue);
	if (stream->is_gone && stream->count == 0)
		queue_stream_free(queue, stream);
}

/* True if the head is to wait for the turn before its own. */
static bool waits_for_turn(struct queue *queue, struct queue_stream *stream)
{
	struct queue_entry *head = queue_entry_at(stream, 0);

	if (head->kind == QUEUE_TASK || !head->before || head->before->is_over)
		return false;
	head->before->blocked = stream;
	stream->is_blocked = true;
	queue_update(queue, stream);
	return true;
}

static void take_refused(struct queue *queue)
{
	if (!queue->refused || queue_now_ns() < queue->retry_ns)
		return;
	queue->rounds++;
	while (queue->refused) {
		struct queue_stream *stream = queue->refused;

		queue->refused = stream->next_refused;
		stream->is_refused = false;
		queue_update(queue, stream);
	}
}

/* When the queue is closed, streams are dropped first: the thread ends when all are passed. */
void *queue_thread(void *arg)
{
	struct queue *queue = arg;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		struct sd_tree_node *first;

		take_refused(queue);
		first = sd_tree_first(&queue->ready);
		if (first) {
			struct queue_stream *stream = SD_TREE_OF(first, struct queue_stream, by_urgency);

			if (!waits_for_turn(queue, stream))
				serve(queue, stream, queue->batch);
		} else if (queue->is_closing) {
			break;
		} else {
			queue_moved(queue); /* all that could go over went */
			queue_pause(queue, &queue->work, queue->refused ? queue->retry_ns : UINT64_MAX);
		}
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}
