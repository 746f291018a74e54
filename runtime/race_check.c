/* The feeds of a race check: each makes one item, or tells what the host knows. */
#include <stdlib.h>
#include <string.h>

#include "race_impl.h"

static int compare_streams(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle left = SD_TREE_OF(a, struct sd__race_stream, node)->handle, right = SD_TREE_OF(b, struct sd__race_stream, node)->handle;

	return (left > right) - (left < right);
}

static int compare_events(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle left = SD_TREE_OF(a, struct sd__race_event, node)->handle, right = SD_TREE_OF(b, struct sd__race_event, node)->handle;

	return (left > right) - (left < right);
}

static int compare_segments(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	uint64_t left = SD_TREE_OF(a, struct sd__segment, node)->end, right = SD_TREE_OF(b, struct sd__segment, node)->end;

	return (left > right) - (left < right);
}

enum sd_status sd_race_check_create(struct sd_race_check **out)
{
	struct sd_race_check *check = calloc(1, sizeof(*check));

	*out = NULL;
	if (!check)
		return SD_RESOURCE_EXHAUSTED;
	check->race = calloc(SD_RACES_MAX, sizeof(*check->race));
	if (!check->race) {
		free(check);
		return SD_RESOURCE_EXHAUSTED;
	}
	check->streams.compare = compare_streams;
	check->events.compare = check->notifies.compare = compare_events;
	check->memory.compare = compare_segments;
	sd_arena_init(&check->names, 0);
	*out = check;
	return SD_OK;
}

static void free_signals(struct sd__signals *list)
{
	struct sd__signal *signal;

	while ((signal = sd__signals_take(list)) != NULL)
		sd__signal_drop(signal);
}

/* The stream waits for nothing any more. */
static void unblock(struct sd__race_stream *stream)
{
	struct sd__race_stream **at = &stream->first->signal->blocked;

	while (*at != stream)
		at = &(*at)->next_blocked;
	*at = stream->next_blocked;
}

static void free_stream(struct sd_race_check *check, struct sd__race_stream *stream)
{
	if (stream->is_blocked)
		unblock(stream);
	sd_tree_remove(&check->streams, &stream->node);
	while (stream->first) {
		struct sd__fed *fed = stream->first;

		stream->first = fed->next;
		sd__signal_drop(fed->signal);
		free(fed);
	}
	free_signals(&stream->holds);
	sd__clock_drop(stream->known);
	free(stream);
}

static void free_event(struct sd_tree *tree, struct sd__race_event *event)
{
	sd_tree_remove(tree, &event->node);
	sd__signal_drop(event->record);
	free_signals(&event->records);
	free_signals(&event->waits);
	free(event);
}

static void free_events(struct sd_tree *tree)
{
	struct sd_tree_node *node;

	while ((node = sd_tree_first(tree)) != NULL)
		free_event(tree, SD_TREE_OF(node, struct sd__race_event, node));
}

void sd_race_check_destroy(struct sd_race_check *check)
{
	struct sd_tree_node *node;

	if (!check)
		return;
	while ((node = sd_tree_first(&check->streams)) != NULL)
		free_stream(check, SD_TREE_OF(node, struct sd__race_stream, node));
	free_events(&check->events);
	free_events(&check->notifies);
	sd__shadow_finish(check);
	sd_arena_finish(&check->names);
	free(check->host);
	free(check->free_number);
	free(check->task);
	free(check->race);
	free(check);
}

/* ---- what is enqueued ---- */

static struct sd__fed *fed_new(enum sd__fed_kind kind, struct sd__signal *signal, uint32_t access_count)
{
	struct sd__fed *fed = calloc(1, sizeof(*fed) + access_count * sizeof(fed->access[0]));

	if (!fed)
		return NULL;
	fed->kind = kind;
	fed->signal = signal;
	if (signal)
		signal->refs++;
	fed->access_count = access_count;
	return fed;
}

/* Feeds an item that has a signal or none. */
static enum sd_status feed(struct sd_race_check *check, sd_handle handle, enum sd__fed_kind kind, struct sd__signal *signal)
{
	struct sd__race_stream *stream = sd__race_stream_of(check, handle);
	struct sd__fed *fed = stream ? fed_new(kind, signal, 0) : NULL;

	return fed ? sd__race_feed(check, stream, fed) : SD_RESOURCE_EXHAUSTED;
}

static bool task_room(struct sd_race_check *check)
{
	uint32_t cap = check->task_cap ? check->task_cap * 2 : 256;
	struct sd__race_task *larger;

	if (check->task_count < check->task_cap)
		return true;
	larger = cap < SD__HOST_TASK ? realloc(check->task, cap * sizeof(*larger)) : NULL;
	if (!larger)
		return false;
	check->task = larger;
	check->task_cap = cap;
	return true;
}

enum sd_status sd_race_task(struct sd_race_check *check, sd_handle handle, const char *name, uint64_t tag, const struct sd_access *access,
                            uint32_t count)
{
	struct sd__race_stream *stream = sd__race_stream_of(check, handle);
	size_t len = strlen(name);
	struct sd__fed *fed;
	char *copy;

	if (!stream || !task_room(check))
		return SD_RESOURCE_EXHAUSTED;
	if (len >= SD_RACE_NAME_MAX)
		len = SD_RACE_NAME_MAX - 1;
	copy = sd_arena_alloc(&check->names, len + 1);
	fed = copy ? fed_new(SD__FED_TASK, NULL, count) : NULL;
	if (!fed)
		return SD_RESOURCE_EXHAUSTED;
	memcpy(copy, name, len);
	copy[len] = '\0';
	if (count > 0)
		memcpy(fed->access, access, count * sizeof(*access));
	fed->task = check->task_count;
	check->task[check->task_count++] = (struct sd__race_task){ copy, handle, stream->tasks++, tag };
	return sd__race_feed(check, stream, fed);
}

enum sd_status sd_race_record(struct sd_race_check *check, sd_handle stream, sd_handle handle)
{
	struct sd__race_event *event = sd__race_event_of(&check->events, handle, true);
	struct sd__signal *signal = event ? sd__signal_new() : NULL;

	if (!signal)
		return SD_RESOURCE_EXHAUSTED;
	sd__signal_drop(event->record);
	event->record = signal;
	return feed(check, stream, SD__FED_RECORD, signal);
}

enum sd_status sd_race_wait(struct sd_race_check *check, sd_handle stream, sd_handle handle)
{
	struct sd__race_event *event = sd__race_event_of(&check->events, handle, false);

	if (!event || !event->record)
		return SD_FAILED_PRECONDITION;
	return feed(check, stream, SD__FED_WAIT, event->record);
}

/* The oldest of the other side that has no partner, or a new one for it to find. */
static enum sd_status feed_notify(struct sd_race_check *check, sd_handle stream, sd_handle handle, bool waits)
{
	struct sd__race_event *notify = sd__race_event_of(&check->notifies, handle, true);
	struct sd__signal *signal = notify ? sd__signals_take(waits ? &notify->records : &notify->waits) : NULL;
	enum sd_status status;

	if (!notify)
		return SD_RESOURCE_EXHAUSTED;
	if (signal) {
		status = feed(check, stream, waits ? SD__FED_WAIT : SD__FED_RECORD, signal);
		sd__signal_drop(signal);
		return status;
	}
	signal = sd__signal_new();
	if (!signal)
		return SD_RESOURCE_EXHAUSTED;
	sd__signals_put(waits ? &notify->waits : &notify->records, signal);
	return feed(check, stream, waits ? SD__FED_WAIT : SD__FED_RECORD, signal);
}

enum sd_status sd_race_notify_record(struct sd_race_check *check, sd_handle stream, sd_handle notify)
{
	return feed_notify(check, stream, notify, false);
}

enum sd_status sd_race_notify_wait(struct sd_race_check *check, sd_handle stream, sd_handle notify)
{
	return feed_notify(check, stream, notify, true);
}

enum sd_status sd_race_hold(struct sd_race_check *check, sd_handle handle)
{
	struct sd__race_stream *stream = sd__race_stream_of(check, handle);
	struct sd__signal *signal = stream ? sd__signal_new() : NULL;

	if (!signal)
		return SD_RESOURCE_EXHAUSTED;
	sd__signals_put(&stream->holds, signal);
	return feed(check, handle, SD__FED_WAIT, signal);
}

enum sd_status sd_race_activate(struct sd_race_check *check, sd_handle handle, sd_handle started)
{
	struct sd__race_stream *stream = sd__race_stream_of(check, handle);
	struct sd__fed *fed = stream ? fed_new(SD__FED_ACTIVATE, NULL, 0) : NULL;

	if (!fed)
		return SD_RESOURCE_EXHAUSTED;
	fed->started = started;
	return sd__race_feed(check, stream, fed);
}

/* ---- what the host does ---- */

static void host_knows(struct sd_race_check *check, uint32_t stream, uint64_t at)
{
	if (check->host[stream] < at)
		check->host[stream] = at;
}

static void host_learns(struct sd_race_check *check, const struct sd__clock *known)
{
	for (uint32_t i = 0; known && i < known->count; i++)
		host_knows(check, known->entry[i].stream, known->entry[i].at);
}

/* Whether the host has seen all done, from the stream `node` on. Else that stream is looked at first the next time. */
static bool all_done(struct sd_race_check *check, struct sd_tree_node *node)
{
	for (; node; node = sd_tree_above(&check->streams, node)) {
		const struct sd__race_stream *stream = SD_TREE_OF(node, struct sd__race_stream, node);

		if (stream->first || check->host[stream->number] < stream->at) {
			check->lagging = stream->handle;
			return false;
		}
	}
	return true;
}

/* When nothing is left that the host has not seen done, nothing need be kept. */
static void forget_what_is_done(struct sd_race_check *check)
{
	struct sd__race_stream *lagging = sd__race_stream_find(check, check->lagging);
	struct sd_tree_node *node;

	if (lagging && !all_done(check, &lagging->node))
		return;
	if (!all_done(check, sd_tree_first(&check->streams)))
		return;
	for (node = sd_tree_first(&check->streams); node; node = sd_tree_above(&check->streams, node)) {
		struct sd__race_stream *stream = SD_TREE_OF(node, struct sd__race_stream, node);

		sd__clock_drop(stream->known);
		stream->known = NULL;
	}
	sd__shadow_prune(check);
	check->task_count = 0;
	sd_arena_reset(&check->names, 1u << 16);
}

enum sd_status sd_race_stream_done(struct sd_race_check *check, sd_handle handle)
{
	struct sd__race_stream *stream = sd__race_stream_of(check, handle);

	if (!stream)
		return SD_RESOURCE_EXHAUSTED;
	host_knows(check, stream->number, stream->at);
	host_learns(check, stream->known);
	forget_what_is_done(check);
	return check->is_broken ? SD_RESOURCE_EXHAUSTED : SD_OK;
}

enum sd_status sd_race_event_done(struct sd_race_check *check, sd_handle handle)
{
	struct sd__race_event *event = sd__race_event_of(&check->events, handle, false);

	if (!event || !event->record || !event->record->is_done)
		return SD_FAILED_PRECONDITION;
	host_knows(check, event->record->stream, event->record->at);
	host_learns(check, event->record->known);
	return check->is_broken ? SD_RESOURCE_EXHAUSTED : SD_OK;
}

static enum sd_status host_uses(struct sd_race_check *check, uint64_t address, uint64_t bytes, enum sd__use use)
{
	struct sd__touch host = { .task = SD__HOST_TASK };

	return sd__shadow_use(check, NULL, host, address, bytes, use) ? SD_OK : SD_RESOURCE_EXHAUSTED;
}

enum sd_status sd_race_host_access(struct sd_race_check *check, uint64_t address, uint64_t bytes, bool is_write)
{
	return host_uses(check, address, bytes, is_write ? SD__WRITES : SD__READS);
}

enum sd_status sd_race_memory_given(struct sd_race_check *check, uint64_t address, uint64_t bytes)
{
	return host_uses(check, address, bytes, SD__GIVES);
}

enum sd_status sd_race_memory_freed(struct sd_race_check *check, uint64_t address, uint64_t bytes)
{
	return host_uses(check, address, bytes, SD__FREES);
}

void sd_race_forget_stream(struct sd_race_check *check, sd_handle handle)
{
	struct sd__race_stream *stream = sd__race_stream_find(check, handle);

	if (!stream)
		return;
	host_knows(check, stream->number, stream->at);
	check->free_number[check->free_count++] = stream->number;
	free_stream(check, stream);
}

static void forget(struct sd_tree *tree, sd_handle handle)
{
	struct sd__race_event *event = sd__race_event_of(tree, handle, false);

	if (event)
		free_event(tree, event);
}

void sd_race_forget_event(struct sd_race_check *check, sd_handle event)
{
	forget(&check->events, event);
}

void sd_race_forget_notify(struct sd_race_check *check, sd_handle notify)
{
	forget(&check->notifies, notify);
}
