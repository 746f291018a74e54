/* The device table in front of another device, with a book of what was given to whom. */
#include "streamd/log_device.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tree.h"

#define LINE_MAX 200

enum kind { STREAM, EVENT, NOTIFY, KINDS };
static const char *const kind_name[KINDS] = { "stream", "event", "notify" };

/* A stream, event or notify that is there. */
struct entry {
	struct sd_tree_node node; /* by handle */
	sd_handle handle;
	uint64_t tasks, records, waits, holds, activations; /* of events and notifies: records and waits for them */
	sd_handle last_on;        /* events: the stream that recorded it last */
	bool is_done;             /* known to be */
	char last[48];            /* streams: what it was given last */
};

struct logged {
	struct sd_device device;  /* first */
	struct sd_device *inner;
	sd_log_line line;
	void *arg;
	pthread_mutex_t lock;
	struct sd_tree book[KINDS];
};

static struct logged *logged_of(struct sd_device *device)
{
	return (struct logged *)device;
}

static int compare(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	sd_handle x = SD_TREE_OF(a, struct entry, node)->handle, y = SD_TREE_OF(b, struct entry, node)->handle;

	return (x > y) - (x < y);
}

/* All under the lock from here to the table. */

static struct entry *find(struct logged *logged, enum kind kind, sd_handle handle)
{
	struct entry key = { .handle = handle };
	struct sd_tree_node *node = sd_tree_find(&logged->book[kind], &key.node);

	return node ? SD_TREE_OF(node, struct entry, node) : NULL;
}

/* Without memory it is not in the book, and passes all the same. */
static void add(struct logged *logged, enum kind kind, sd_handle handle)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return;
	entry->handle = handle;
	entry->is_done = true;
	sd_tree_insert(&logged->book[kind], &entry->node);
}

static void drop(struct logged *logged, enum kind kind, sd_handle handle)
{
	struct entry *entry = find(logged, kind, handle);

	if (!entry)
		return;
	sd_tree_remove(&logged->book[kind], &entry->node);
	free(entry);
}

__attribute__((format(printf, 3, 4))) static void tell(struct logged *logged, enum sd_status status, const char *form, ...)
{
	char text[LINE_MAX];
	va_list words;
	int at;

	if (!logged->line)
		return;
	at = snprintf(text, sizeof(text), "%" PRIu64 " ns: ", logged->inner->ops->now_ns(logged->inner));
	va_start(words, form);
	at += vsnprintf(text + at, sizeof(text) - (size_t)at, form, words);
	va_end(words);
	if (status != SD_OK && at < LINE_MAX)
		snprintf(text + at, sizeof(text) - (size_t)at, ": %s", sd_status_name(status));
	logged->line(logged->arg, text);
}

/* What a stream was given. */
static void note(struct logged *logged, sd_handle stream, const char *what, sd_handle other, uint64_t *(*counter)(struct entry *entry), uint64_t count)
{
	struct entry *entry = find(logged, STREAM, stream);

	if (!entry)
		return;
	*counter(entry) += count;
	entry->is_done = false;
	snprintf(entry->last, sizeof(entry->last), "%s %" PRIu64, what, other);
}

static uint64_t *tasks(struct entry *entry) { return &entry->tasks; }
static uint64_t *records(struct entry *entry) { return &entry->records; }
static uint64_t *waits(struct entry *entry) { return &entry->waits; }
static uint64_t *holds(struct entry *entry) { return &entry->holds; }
static uint64_t *activations(struct entry *entry) { return &entry->activations; }

static void set_done(struct logged *logged, enum kind kind, sd_handle handle)
{
	struct entry *entry = find(logged, kind, handle);

	if (entry)
		entry->is_done = true;
}

/* ---- the table: what goes through, and what is told of it ---- */

#define INNER(device) logged_of(device)->inner
#define OPS(device) INNER(device)->ops
#define LOCK(device) pthread_mutex_lock(&logged_of(device)->lock)
#define UNLOCK(device) pthread_mutex_unlock(&logged_of(device)->lock)

static void log_facts(struct sd_device *d, struct sd_device_facts *facts)
{
	OPS(d)->facts(INNER(d), facts);
}

static uint64_t log_now_ns(struct sd_device *d)
{
	return OPS(d)->now_ns(INNER(d));
}

static void log_take_fault(struct sd_device *d, struct sd_device_fault *fault)
{
	OPS(d)->take_fault(INNER(d), fault);
}

/* What was made, or what was not. */
static enum sd_status made(struct sd_device *d, enum kind kind, sd_handle handle, enum sd_status status)
{
	LOCK(d);
	if (status == SD_OK)
		add(logged_of(d), kind, handle);
	if (status == SD_OK)
		tell(logged_of(d), status, "%s %" PRIu64 " is made", kind_name[kind], handle);
	else
		tell(logged_of(d), status, "one more %s is asked for", kind_name[kind]);
	UNLOCK(d);
	return status;
}

static enum sd_status gone(struct sd_device *d, enum kind kind, sd_handle handle, enum sd_status status)
{
	LOCK(d);
	if (status == SD_OK)
		drop(logged_of(d), kind, handle);
	tell(logged_of(d), status, "%s %" PRIu64 " is destroyed", kind_name[kind], handle);
	UNLOCK(d);
	return status;
}

static enum sd_status log_stream_create(struct sd_device *d, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->stream_create(INNER(d), priority, flags, stream, rt_id, diag);

	LOCK(d);
	tell(logged_of(d), SD_OK, "a stream of priority %" PRId32 " and flags 0x%" PRIx32 " is asked for", priority, flags);
	UNLOCK(d);
	return made(d, STREAM, *stream, status);
}

static enum sd_status log_stream_destroy(struct sd_device *d, sd_handle stream, bool force, struct sd_diag *diag)
{
	return gone(d, STREAM, stream, OPS(d)->stream_destroy(INNER(d), stream, force, diag));
}

static enum sd_status synchronized(struct sd_device *d, enum kind kind, sd_handle handle, enum sd_status status)
{
	LOCK(d);
	if (status == SD_OK)
		set_done(logged_of(d), kind, handle);
	tell(logged_of(d), status, "the host waited for %s %" PRIu64, kind_name[kind], handle);
	UNLOCK(d);
	return status;
}

static enum sd_status log_stream_synchronize(struct sd_device *d, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	return synchronized(d, STREAM, stream, OPS(d)->stream_synchronize(INNER(d), stream, timeout_ms, diag));
}

static enum sd_status log_event_synchronize(struct sd_device *d, sd_handle event, int64_t timeout_ms, struct sd_diag *diag)
{
	return synchronized(d, EVENT, event, OPS(d)->event_synchronize(INNER(d), event, timeout_ms, diag));
}

/* A program may ask thousands of times: told only once it is done. */
static enum sd_status queried(struct sd_device *d, enum kind kind, sd_handle handle, enum sd_status status, enum sd_progress progress)
{
	LOCK(d);
	if (status == SD_OK && progress == SD_DONE) {
		const struct entry *entry = find(logged_of(d), kind, handle);

		if (entry && !entry->is_done)
			tell(logged_of(d), status, "the host sees that %s %" PRIu64 " is done", kind_name[kind], handle);
		set_done(logged_of(d), kind, handle);
	}
	UNLOCK(d);
	return status;
}

static enum sd_status log_stream_query(struct sd_device *d, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->stream_query(INNER(d), stream, progress, diag);

	return queried(d, STREAM, stream, status, *progress);
}

static enum sd_status log_event_query(struct sd_device *d, sd_handle event, enum sd_progress *progress, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->event_query(INNER(d), event, progress, diag);

	return queried(d, EVENT, event, status, *progress);
}

static enum sd_status ended(struct sd_device *d, sd_handle stream, const char *how, enum sd_status status)
{
	LOCK(d);
	tell(logged_of(d), status, "stream %" PRIu64 " is %s", stream, how);
	UNLOCK(d);
	return status;
}

static enum sd_status log_stream_abort(struct sd_device *d, sd_handle stream, struct sd_diag *diag)
{
	return ended(d, stream, "aborted", OPS(d)->stream_abort(INNER(d), stream, diag));
}

static enum sd_status log_stream_stop(struct sd_device *d, sd_handle stream, struct sd_diag *diag)
{
	return ended(d, stream, "stopped", OPS(d)->stream_stop(INNER(d), stream, diag));
}

static enum sd_status log_stream_hold(struct sd_device *d, sd_handle stream, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->stream_hold(INNER(d), stream, diag);

	LOCK(d);
	if (status == SD_OK)
		note(logged_of(d), stream, "hold of stream", stream, holds, 1);
	tell(logged_of(d), status, "stream %" PRIu64 " holds", stream);
	UNLOCK(d);
	return status;
}

static enum sd_status log_activate(struct sd_device *d, sd_handle stream, sd_handle started, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->activate(INNER(d), stream, started, diag);

	LOCK(d);
	if (status == SD_OK)
		note(logged_of(d), stream, "activation of stream", started, activations, 1);
	tell(logged_of(d), status, "stream %" PRIu64 " activates stream %" PRIu64, stream, started);
	UNLOCK(d);
	return status;
}

static enum sd_status log_submit(struct sd_device *d, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->submit(INNER(d), stream, task, count, diag);

	LOCK(d);
	if (status == SD_OK && count)
		note(logged_of(d), stream, "tasks:", count, tasks, count);
	tell(logged_of(d), status, "stream %" PRIu64 " takes %" PRIu32 " tasks", stream, count);
	UNLOCK(d);
	return status;
}

static enum sd_status log_event_create(struct sd_device *d, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->event_create(INNER(d), flags, event, diag);

	return made(d, EVENT, *event, status);
}

static enum sd_status log_event_destroy(struct sd_device *d, sd_handle event, struct sd_diag *diag)
{
	return gone(d, EVENT, event, OPS(d)->event_destroy(INNER(d), event, diag));
}

static enum sd_status recorded(struct sd_device *d, sd_handle stream, enum kind kind, sd_handle handle, enum sd_status status)
{
	struct entry *entry;

	LOCK(d);
	entry = status == SD_OK ? find(logged_of(d), kind, handle) : NULL;
	if (entry) {
		entry->records++;
		entry->last_on = stream;
		entry->is_done = false;
	}
	if (status == SD_OK)
		note(logged_of(d), stream, kind == EVENT ? "record of event" : "record of notify", handle, records, 1);
	tell(logged_of(d), status, "stream %" PRIu64 " records %s %" PRIu64, stream, kind_name[kind], handle);
	UNLOCK(d);
	return status;
}

static enum sd_status waited(struct sd_device *d, sd_handle stream, enum kind kind, sd_handle handle, enum sd_status status)
{
	struct entry *entry;

	LOCK(d);
	entry = status == SD_OK ? find(logged_of(d), kind, handle) : NULL;
	if (entry)
		entry->waits++;
	if (status == SD_OK)
		note(logged_of(d), stream, kind == EVENT ? "wait for event" : "wait for notify", handle, waits, 1);
	tell(logged_of(d), status, "stream %" PRIu64 " waits for %s %" PRIu64, stream, kind_name[kind], handle);
	UNLOCK(d);
	return status;
}

static enum sd_status log_event_record(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return recorded(d, stream, EVENT, event, OPS(d)->event_record(INNER(d), stream, event, diag));
}

static enum sd_status log_event_wait(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	return waited(d, stream, EVENT, event, OPS(d)->event_wait(INNER(d), stream, event, diag));
}

static enum sd_status log_event_reset(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->event_reset(INNER(d), stream, event, diag);

	LOCK(d);
	tell(logged_of(d), status, "stream %" PRIu64 " resets event %" PRIu64, stream, event);
	UNLOCK(d);
	return status;
}

static enum sd_status log_event_elapsed(struct sd_device *d, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag)
{
	return OPS(d)->event_elapsed(INNER(d), start, end, ns, diag);
}

static enum sd_status log_notify_create(struct sd_device *d, uint32_t flags, sd_handle *notify, struct sd_diag *diag)
{
	enum sd_status status = OPS(d)->notify_create(INNER(d), flags, notify, diag);

	return made(d, NOTIFY, *notify, status);
}

static enum sd_status log_notify_destroy(struct sd_device *d, sd_handle notify, struct sd_diag *diag)
{
	return gone(d, NOTIFY, notify, OPS(d)->notify_destroy(INNER(d), notify, diag));
}

static enum sd_status log_notify_record(struct sd_device *d, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	return recorded(d, stream, NOTIFY, notify, OPS(d)->notify_record(INNER(d), stream, notify, diag));
}

static enum sd_status log_notify_wait(struct sd_device *d, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	return waited(d, stream, NOTIFY, notify, OPS(d)->notify_wait(INNER(d), stream, notify, diag));
}

static enum sd_status log_memory_alloc(struct sd_device *d, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	return OPS(d)->memory_alloc(INNER(d), bytes, policy, memory, diag);
}

static enum sd_status log_memory_free(struct sd_device *d, void *memory, struct sd_diag *diag)
{
	return OPS(d)->memory_free(INNER(d), memory, diag);
}

static void log_close(struct sd_device *d)
{
	struct logged *logged = logged_of(d);
	struct sd_tree_node *node;

	for (int kind = 0; kind < KINDS; kind++)
		while ((node = sd_tree_first(&logged->book[kind]))) {
			sd_tree_remove(&logged->book[kind], node);
			free(SD_TREE_OF(node, struct entry, node));
		}
	pthread_mutex_destroy(&logged->lock);
	free(logged);
}

static const struct sd_device_ops ops = {
	.name = "logged", .close = log_close, .facts = log_facts, .now_ns = log_now_ns, .take_fault = log_take_fault,
	.stream_create = log_stream_create, .stream_destroy = log_stream_destroy, .stream_synchronize = log_stream_synchronize,
	.stream_query = log_stream_query, .stream_abort = log_stream_abort, .stream_stop = log_stream_stop, .stream_hold = log_stream_hold,
	.activate = log_activate, .submit = log_submit, .event_create = log_event_create, .event_destroy = log_event_destroy,
	.event_record = log_event_record, .event_wait = log_event_wait, .event_reset = log_event_reset, .event_query = log_event_query,
	.event_synchronize = log_event_synchronize, .event_elapsed = log_event_elapsed, .notify_create = log_notify_create,
	.notify_destroy = log_notify_destroy, .notify_record = log_notify_record, .notify_wait = log_notify_wait,
	.memory_alloc = log_memory_alloc, .memory_free = log_memory_free,
};

enum sd_status sd_log_device_open(struct sd_device *inner, sd_log_line line, void *arg, struct sd_device **device, struct sd_diag *diag)
{
	struct logged *logged = calloc(1, sizeof(*logged));

	*device = NULL;
	if (!logged)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	logged->device.ops = &ops;
	logged->inner = inner;
	logged->line = line;
	logged->arg = arg;
	pthread_mutex_init(&logged->lock, NULL);
	for (int kind = 0; kind < KINDS; kind++)
		logged->book[kind].compare = compare;
	*device = &logged->device;
	return SD_OK;
}

/* ---- what all are at ---- */

static void tell_entry(const struct entry *entry, enum kind kind, sd_log_line line, void *arg)
{
	const char *done = entry->is_done ? "done" : "not known to be done";
	char text[LINE_MAX];

	if (kind == STREAM)
		snprintf(text, sizeof(text), "stream %" PRIu64 ": %" PRIu64 " tasks, %" PRIu64 " records, %" PRIu64 " waits, %" PRIu64 " holds, %" PRIu64
		         " activations; last %s; %s", entry->handle, entry->tasks, entry->records, entry->waits, entry->holds, entry->activations,
		         entry->last[0] ? entry->last : "nothing", done);
	else if (entry->records)
		snprintf(text, sizeof(text), "%s %" PRIu64 ": %" PRIu64 " records, %" PRIu64 " waits; last recorded on stream %" PRIu64 "; %s", kind_name[kind],
		         entry->handle, entry->records, entry->waits, entry->last_on, done);
	else
		snprintf(text, sizeof(text), "%s %" PRIu64 ": 0 records, %" PRIu64 " waits", kind_name[kind], entry->handle, entry->waits);
	line(arg, text);
}

void sd_log_device_state(struct sd_device *d, sd_log_line line, void *arg)
{
	struct logged *logged = logged_of(d);
	struct sd_device_facts facts;
	char text[LINE_MAX];

	log_facts(d, &facts);
	snprintf(text, sizeof(text), "device %s: %" PRIu32 " of %" PRIu32 " streams, %" PRIu32 " of %" PRIu32 " events, %" PRIu32 " of %" PRIu32
	         " notifies; %" PRIu64 " tasks in %" PRIu64 " submissions", facts.name, facts.streams_used, facts.streams_max, facts.events_used,
	         facts.events_max, facts.notifies_used, facts.notifies_max, facts.tasks_submitted, facts.submissions);
	line(arg, text);
	pthread_mutex_lock(&logged->lock);
	for (enum kind kind = 0; kind < KINDS; kind++)
		for (struct sd_tree_node *node = sd_tree_first(&logged->book[kind]); node; node = sd_tree_above(&logged->book[kind], node))
			tell_entry(SD_TREE_OF(node, struct entry, node), kind, line, arg);
	pthread_mutex_unlock(&logged->lock);
}
