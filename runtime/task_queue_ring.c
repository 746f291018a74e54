#include <stdlib.h>

#include "task_queue_impl.h"

#define RING_MIN 16u

int queue_compare_handle(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle x = SD_TREE_OF(a, const struct queue_stream, by_handle)->handle, y = SD_TREE_OF(b, const struct queue_stream, by_handle)->handle;

	return (x > y) - (x < y);
}

int queue_compare_urgency(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct queue_stream *x = SD_TREE_OF(a, const struct queue_stream, by_urgency), *y = SD_TREE_OF(b, const struct queue_stream, by_urgency);

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return (x->handle > y->handle) - (x->handle < y->handle);
}

int queue_compare_object(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct queue_object *x = SD_TREE_OF(a, const struct queue_object, node), *y = SD_TREE_OF(b, const struct queue_object, node);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->handle > y->handle) - (x->handle < y->handle);
}

struct queue_stream *queue_find(struct queue *queue, sd_handle handle, struct sd_diag *diag)
{
	const struct queue_stream key = { .handle = handle };
	struct sd_tree_node *found = queue->is_closing ? NULL : sd_tree_find(&queue->streams, &key.by_handle);

	if (found)
		return SD_TREE_OF(found, struct queue_stream, by_handle);
	SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("stream"), sd_arg_int((int64_t)handle));
	return NULL;
}

struct queue_object *queue_find_object(struct queue *queue, enum queue_object_kind kind, sd_handle handle)
{
	const struct queue_object key = { .kind = kind, .handle = handle };
	struct sd_tree_node *found = sd_tree_find(&queue->objects, &key.node);

	return found ? SD_TREE_OF(found, struct queue_object, node) : NULL;
}

struct queue_entry *queue_entry_at(const struct queue_stream *stream, uint32_t behind_head)
{
	return &stream->ring[(stream->head + behind_head) & (stream->ring_cap - 1)];
}

void queue_update(struct queue *queue, struct queue_stream *stream)
{
	bool is_ready = stream->passed < stream->flushed && !stream->is_blocked && !stream->is_refused && !stream->is_at_work;

	if (is_ready == stream->is_ready)
		return;
	stream->is_ready = is_ready;
	if (is_ready) {
		sd_tree_insert(&queue->ready, &stream->by_urgency);
		pthread_cond_signal(&queue->work);
	} else {
		sd_tree_remove(&queue->ready, &stream->by_urgency);
	}
}

void queue_flush(struct queue *queue, struct queue_stream *stream)
{
	stream->flushed = stream->enqueued;
	stream->collected = 0;
	queue_update(queue, stream);
}

void queue_moved(struct queue *queue)
{
	if (queue->callers)
		pthread_cond_broadcast(&queue->moved);
}

static bool grow(struct queue_stream *stream, uint32_t entries)
{
	uint32_t cap = stream->ring_cap ? stream->ring_cap : RING_MIN;
	struct queue_entry *ring;

	while (cap < entries)
		cap *= 2;
	ring = malloc(cap * sizeof(*ring));
	if (!ring)
		return false;
	for (uint32_t i = 0; i < stream->count; i++)
		ring[i] = *queue_entry_at(stream, i);
	free(stream->ring);
	stream->ring = ring;
	stream->ring_cap = cap;
	stream->head = 0;
	return true;
}

static enum sd_status tell_full(struct queue *queue, sd_handle stream, uint32_t count, struct sd_diag *diag)
{
	queue->stats.refused++;
	return SD_FAIL3(diag, SD_CODE_LAUNCH_FULL, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_int(count), sd_arg_int(queue->options.depth));
}

static enum sd_status tell_late(struct queue *queue, sd_handle stream, uint32_t count, struct sd_diag *diag)
{
	return SD_FAIL3(diag, SD_CODE_LAUNCH_LATE, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_int(count), sd_arg_int(queue->options.full_wait_ms));
}

/* Waits, if that was chosen, until `count` entries fit. The stream may go meanwhile. */
static enum sd_status make_room(struct queue *queue, sd_handle handle, uint32_t count, struct queue_stream **stream, struct sd_diag *diag)
{
	uint64_t deadline = 0;

	for (;;) {
		*stream = queue_find(queue, handle, diag);
		if (!*stream)
			return SD_NOT_FOUND;
		if (count <= queue->options.depth && (*stream)->count <= queue->options.depth - count)
			break;
		queue_flush(queue, *stream); /* what is only collected would never make room */
		if (count > queue->options.depth || queue->options.full_wait_ms == SD_TASK_QUEUE_REFUSES)
			return tell_full(queue, handle, count, diag);
		if (deadline == 0) {
			deadline = queue_deadline(queue->options.full_wait_ms);
			queue->stats.waits++;
		}
		if (queue_now_ns() >= deadline)
			return tell_late(queue, handle, count, diag);
		queue_pause(queue, &queue->moved, deadline);
	}
	if ((*stream)->count + count > (*stream)->ring_cap && !grow(*stream, (*stream)->count + count))
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	return SD_OK;
}

static void append(struct queue *queue, struct queue_stream *stream, const struct queue_entry *entry)
{
	*queue_entry_at(stream, stream->count++) = *entry;
	stream->enqueued++;
	queue->stats.enqueued++;
}

enum sd_status queue_put_tasks(struct queue *queue, sd_handle handle, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	struct queue_stream *stream;

	SD_TRY(make_room(queue, handle, count, &stream, diag));
	for (uint32_t i = 0; i < count; i++) {
		append(queue, stream, &(struct queue_entry){ .kind = QUEUE_TASK, .task = task[i] });
		if (++stream->collected >= queue->batch_max)
			queue_flush(queue, stream);
	}
	return SD_OK;
}

static void release_turn(struct queue_turn *turn)
{
	if (turn && --turn->references == 0)
		free(turn);
}

static struct queue_object *object_of(struct queue *queue, enum queue_object_kind kind, sd_handle handle)
{
	struct queue_object *object = queue_find_object(queue, kind, handle);

	if (object)
		return object;
	object = calloc(1, sizeof(*object));
	if (object) {
		object->kind = kind;
		object->handle = handle;
		sd_tree_insert(&queue->objects, &object->node);
	}
	return object;
}

/* The next turn of the object; the entry takes over the object's hold on the one before. */
static bool take_turn(struct queue *queue, struct queue_entry *entry)
{
	struct queue_turn *turn = calloc(1, sizeof(*turn));
	struct queue_object *object = turn ? object_of(queue, entry->object, entry->handle) : NULL;

	if (!object) {
		free(turn);
		return false;
	}
	turn->references = 2;
	entry->before = object->last;
	entry->turn = object->last = turn;
	return true;
}

enum sd_status queue_put_other(struct queue *queue, sd_handle handle, enum queue_entry_kind kind, enum queue_object_kind object, sd_handle of,
                               struct sd_diag *diag)
{
	struct queue_entry entry = { .kind = kind, .object = object, .handle = of };
	struct queue_stream *stream;

	SD_TRY(make_room(queue, handle, 1, &stream, diag));
	if (!take_turn(queue, &entry))
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	append(queue, stream, &entry);
	queue_flush(queue, stream);
	return SD_OK;
}

static void end_turn(struct queue *queue, struct queue_entry *entry)
{
	struct queue_turn *turn = entry->turn;
	struct queue_object *object = queue_find_object(queue, entry->object, entry->handle);

	turn->is_over = true;
	if (turn->blocked) {
		turn->blocked->is_blocked = false;
		queue_update(queue, turn->blocked);
	}
	if (object && object->last == turn) {
		sd_tree_remove(&queue->objects, &object->node);
		free(object);
		release_turn(turn);
	}
	release_turn(entry->before);
	release_turn(turn);
}

void queue_pass(struct queue *queue, struct queue_stream *stream)
{
	struct queue_entry entry = *queue_entry_at(stream, 0);

	stream->head = (stream->head + 1) & (stream->ring_cap - 1);
	stream->count--;
	stream->passed++;
	queue->passed++;
	stream->tries = 0;
	stream->limit = queue->batch_max;
	if (entry.kind != QUEUE_TASK)
		end_turn(queue, &entry);
	queue->moved_ns = queue_now_ns();
	queue_moved(queue);
}

static void forget_refused(struct queue *queue, struct queue_stream *stream)
{
	struct queue_stream **at = &queue->refused;

	if (!stream->is_refused)
		return;
	while (*at != stream)
		at = &(*at)->next_refused;
	*at = stream->next_refused;
	stream->is_refused = false;
}

void queue_drop(struct queue *queue, struct queue_stream *stream)
{
	stream->drop_below = stream->enqueued;
	forget_refused(queue, stream);
	queue_flush(queue, stream);
}

void queue_stream_free(struct queue *queue, struct queue_stream *stream)
{
	if (!stream->is_gone)
		sd_tree_remove(&queue->streams, &stream->by_handle);
	free(stream->ring);
	free(stream);
}
