/* In which order what was fed is worked on: each stream in its own, and no wait before what it waits for. */
#include <stdlib.h>
#include <string.h>

#include "race_impl.h"

struct sd__signal *sd__signal_new(void)
{
	struct sd__signal *signal = calloc(1, sizeof(*signal));

	if (signal)
		signal->refs = 1;
	return signal;
}

void sd__signal_drop(struct sd__signal *signal)
{
	if (!signal || --signal->refs > 0)
		return;
	sd__clock_drop(signal->known);
	free(signal);
}

void sd__signals_put(struct sd__signals *list, struct sd__signal *signal)
{
	signal->next = NULL;
	if (list->first)
		list->last->next = signal;
	else
		list->first = signal;
	list->last = signal;
}

struct sd__signal *sd__signals_take(struct sd__signals *list)
{
	struct sd__signal *signal = list->first;

	if (signal)
		list->first = signal->next;
	return signal;
}

static bool take_number(struct sd_race_check *check, uint32_t *number)
{
	uint32_t cap = check->number_cap ? check->number_cap * 2 : 16, *unused;
	uint64_t *host;

	if (check->free_count > 0) {
		*number = check->free_number[--check->free_count];
		return true;
	}
	if (check->number_count == check->number_cap) {
		host = realloc(check->host, cap * sizeof(*host));
		if (!host)
			return false;
		check->host = host;
		unused = realloc(check->free_number, cap * sizeof(*unused));
		if (!unused)
			return false;
		check->free_number = unused;
		check->number_cap = cap;
	}
	*number = check->number_count++;
	check->host[*number] = 0;
	return true;
}

struct sd__race_stream *sd__race_stream_find(const struct sd_race_check *check, sd_handle handle)
{
	struct sd__race_stream key = { .handle = handle };
	struct sd_tree_node *found = sd_tree_find(&check->streams, &key.node);

	return found ? SD_TREE_OF(found, struct sd__race_stream, node) : NULL;
}

struct sd__race_stream *sd__race_stream_of(struct sd_race_check *check, sd_handle handle)
{
	struct sd__race_stream *stream = sd__race_stream_find(check, handle);

	if (stream)
		return stream;
	stream = calloc(1, sizeof(*stream));
	if (!stream || !take_number(check, &stream->number)) {
		free(stream);
		return NULL;
	}
	stream->handle = handle;
	stream->at = check->host[stream->number]; /* a number that is used again goes on where it ended */
	sd_tree_insert(&check->streams, &stream->node);
	return stream;
}

struct sd__race_event *sd__race_event_of(struct sd_tree *tree, sd_handle handle, bool make)
{
	struct sd__race_event key = { .handle = handle }, *event;
	struct sd_tree_node *found = sd_tree_find(tree, &key.node);

	if (found)
		return SD_TREE_OF(found, struct sd__race_event, node);
	event = make ? calloc(1, sizeof(*event)) : NULL;
	if (event) {
		event->handle = handle;
		sd_tree_insert(tree, &event->node);
	}
	return event;
}

static void make_ready(struct sd_race_check *check, struct sd__race_stream *stream)
{
	stream->next_ready = check->ready;
	check->ready = stream;
}

/* The signal is given by `stream`: those that wait for it may go on. */
static void give(struct sd_race_check *check, struct sd__race_stream *stream, struct sd__signal *signal)
{
	struct sd__race_stream *blocked = signal->blocked, *next;

	signal->known = sd__clock_share(stream->known);
	signal->stream = stream->number;
	signal->at = stream->at;
	signal->is_done = true;
	signal->blocked = NULL;
	for (; blocked; blocked = next) {
		next = blocked->next_blocked;
		blocked->is_blocked = false;
		make_ready(check, blocked);
	}
}

/* What the giver knew the stream knows now. What it knew already needs no new clock. */
static void learn(struct sd_race_check *check, struct sd__race_stream *stream, const struct sd__signal *signal)
{
	if (signal->stream == stream->number || sd__clock_at(stream->known, signal->stream) >= signal->at)
		return;
	if (!sd__clock_learn(&stream->known, signal->known, signal->stream, signal->at, stream->number, check->host))
		check->is_broken = true;
	stream->at++; /* from here on it knows more: records in front of this must not be taken for those behind */
}

static void run_task(struct sd_race_check *check, struct sd__race_stream *stream, const struct sd__fed *fed)
{
	struct sd__touch touch = { stream->number, fed->task, ++stream->at };

	for (uint32_t i = 0; i < fed->access_count; i++) {
		const struct sd_access *access = &fed->access[i];

		sd__shadow_use(check, stream, touch, access->address, access->bytes, access->is_write ? SD__WRITES : SD__READS);
	}
}

/* Opens the oldest hold that is still closed. */
static void activate(struct sd_race_check *check, struct sd__race_stream *stream, sd_handle handle)
{
	struct sd__race_stream *started = sd__race_stream_find(check, handle);
	struct sd__signal *opened = started ? sd__signals_take(&started->holds) : NULL;

	if (opened)
		give(check, stream, opened);
	sd__signal_drop(opened);
}

/* False: the stream must wait. */
static bool work_on(struct sd_race_check *check, struct sd__race_stream *stream, struct sd__fed *fed)
{

	switch (fed->kind) {
	case SD__FED_TASK: run_task(check, stream, fed); break;
	case SD__FED_RECORD: give(check, stream, fed->signal); break;
	case SD__FED_ACTIVATE: activate(check, stream, fed->started); break;
	case SD__FED_WAIT:
		if (!fed->signal->is_done) {
			stream->next_blocked = fed->signal->blocked;
			fed->signal->blocked = stream;
			stream->is_blocked = true;
			return false;
		}
		learn(check, stream, fed->signal);
		break;
	}
	return true;
}

static void go_on(struct sd_race_check *check, struct sd__race_stream *stream)
{
	while (stream->first && work_on(check, stream, stream->first)) {
		struct sd__fed *done = stream->first;

		stream->first = done->next;
		sd__signal_drop(done->signal);
		free(done);
	}
}

enum sd_status sd__race_feed(struct sd_race_check *check, struct sd__race_stream *stream, struct sd__fed *fed)
{
	fed->next = NULL;
	if (stream->first)
		stream->last->next = fed;
	else
		stream->first = fed;
	stream->last = fed;
	if (!stream->is_blocked && stream->first == fed)
		make_ready(check, stream);
	while (check->ready) {
		struct sd__race_stream *next = check->ready;

		check->ready = next->next_ready;
		go_on(check, next);
	}
	return check->is_broken ? SD_RESOURCE_EXHAUSTED : SD_OK;
}
