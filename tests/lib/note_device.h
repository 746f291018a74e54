/* note_device.h - a device that runs nothing and writes down what it is given; it can be made to refuse, and to take its time. */
#ifndef SD_NOTE_DEVICE_H
#define SD_NOTE_DEVICE_H

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "streamd/device.h"

static struct {
	struct sd_device device;
	pthread_mutex_t lock;
	char text[1 << 16];           /* "1:3 1>7 2<7": 3 tasks on stream 1, record of event 7, wait for it on stream 2 */
	size_t len;
	unsigned streams, events;
	uint32_t most_at_once;        /* of a batch that is taken; 0: any */
	unsigned refusals;            /* so many submissions are refused */
	bool is_busy;                 /* streams have something queued */
	bool runs_dry;                /* it ends just behind the last refusal */
	enum sd_status fails_with;    /* the next submission */
	atomic_bool is_shut;          /* submissions wait until it is opened */
	atomic_uint at_gate;          /* submissions that wait */
} notes = { .lock = PTHREAD_MUTEX_INITIALIZER };

static inline void note(const char *form, unsigned stream, unsigned other)
{
	pthread_mutex_lock(&notes.lock);
	if (notes.len + 32 < sizeof(notes.text)) {
		if (notes.len)
			notes.text[notes.len++] = ' ';
		notes.len += (size_t)sprintf(notes.text + notes.len, "%u%s%u", stream, form, other);
	}
	pthread_mutex_unlock(&notes.lock);
}

static inline enum sd_status note_stream_create(struct sd_device *d, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag)
{
	*stream = ++notes.streams;
	*rt_id = (int32_t)*stream;
	return SD_OK;
}
static inline enum sd_status note_stream_destroy(struct sd_device *d, sd_handle stream, bool force, struct sd_diag *diag)
{
	note("!", (unsigned)stream, force);
	return SD_OK;
}
static inline enum sd_status note_synchronize(struct sd_device *d, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	return SD_OK;
}
static inline enum sd_status note_query(struct sd_device *d, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag)
{
	*progress = notes.is_busy ? SD_NOT_DONE : SD_DONE;
	return SD_OK;
}
static inline enum sd_status note_abort(struct sd_device *d, sd_handle stream, struct sd_diag *diag)
{
	note("#", (unsigned)stream, 0);
	return SD_OK;
}
static inline enum sd_status note_hold(struct sd_device *d, sd_handle stream, struct sd_diag *diag)
{
	note("|", (unsigned)stream, 0);
	return SD_OK;
}
static inline enum sd_status note_activate(struct sd_device *d, sd_handle stream, sd_handle started, struct sd_diag *diag)
{
	note("^", (unsigned)stream, (unsigned)started);
	return SD_OK;
}
static inline enum sd_status note_submit(struct sd_device *d, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	atomic_fetch_add(&notes.at_gate, 1);
	while (atomic_load(&notes.is_shut))
		usleep(100);
	atomic_fetch_sub(&notes.at_gate, 1);
	if (notes.fails_with != SD_OK) {
		enum sd_status status = notes.fails_with;

		notes.fails_with = SD_OK;
		return status;
	}
	if ((notes.most_at_once && count > notes.most_at_once) || notes.refusals > 0) {
		notes.refusals -= notes.refusals > 0;
		notes.is_busy &= notes.refusals > 0 || !notes.runs_dry;
		return SD_RESOURCE_EXHAUSTED;
	}
	note(":", (unsigned)stream, count);
	for (uint32_t i = 0; i < count; i++) {
		if (task[i].done)
			task[i].done(task[i].done_arg, SD_OK, 1, 2);
	}
	return SD_OK;
}
static inline enum sd_status note_event_create(struct sd_device *d, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	*event = ++notes.events;
	return SD_OK;
}
static inline enum sd_status note_event_destroy(struct sd_device *d, sd_handle event, struct sd_diag *diag)
{
	note("~", 0, (unsigned)event);
	return SD_OK;
}
static inline enum sd_status note_record(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	note(">", (unsigned)stream, (unsigned)event);
	return SD_OK;
}
static inline enum sd_status note_wait(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	note("<", (unsigned)stream, (unsigned)event);
	return SD_OK;
}

static const struct sd_device_ops note_ops = {
	.name = "note", .stream_create = note_stream_create, .stream_destroy = note_stream_destroy, .stream_synchronize = note_synchronize,
	.stream_query = note_query, .stream_abort = note_abort, .stream_hold = note_hold, .activate = note_activate, .submit = note_submit,
	.event_create = note_event_create, .event_destroy = note_event_destroy, .event_record = note_record, .event_wait = note_wait,
	.notify_record = note_record, .notify_wait = note_wait, .event_reset = note_wait,
};

static inline struct sd_device *note_device(void)
{
	notes.device.ops = &note_ops;
	return &notes.device;
}

/* What was given so far. */
static inline const char *noted(void)
{
	static char text[sizeof(notes.text)];

	pthread_mutex_lock(&notes.lock);
	memcpy(text, notes.text, notes.len);
	text[notes.len] = '\0';
	pthread_mutex_unlock(&notes.lock);
	return text;
}

static inline void wait_at_gate(void)
{
	while (atomic_load(&notes.at_gate) == 0)
		usleep(100);
}

#endif
