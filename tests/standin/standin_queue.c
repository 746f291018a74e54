#include "standin_impl.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_t worker; /* no thread-local variables here: leak checkers cannot follow those of a library that is opened late */
static bool has_worker;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct timespec in_ms(int64_t ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += (ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

static bool can_run(const struct standin_object *stream)
{
	const struct op *op = stream->first;

	if (!op || stream->keeps_only || stream->is_busy)
		return false;
	if (op->kind == OP_WAIT)
		return op->with->passed >= op->record;
	if (op->kind == OP_WAIT_VALUE)
		return (int32_t)(atomic_load((_Atomic uint32_t *)op->arg) - (uint32_t)op->record) >= 0;
	return op->kind != OP_WAIT_WRITE || op->with->is_set;
}

static struct op *take_op(struct standin_object *stream)
{
	struct op *op = stream->first;

	stream->first = op->next;
	if (!op->next)
		stream->last = NULL;
	return op;
}

static void free_op(struct op *op)
{
	if (op->with)
		op->with->mentions--;
	free(op);
}

/* Everything but the host function itself is under the lock. */
static void run(struct standin_object *stream)
{
	struct op *op = take_op(stream);

	switch (op->kind) {
	case OP_RECORD:
		op->with->passed = op->record;
		op->with->passed_ns = now_ns();
		break;
	case OP_WAIT:
	case OP_WAIT_VALUE:
		break;
	case OP_WRITE_VALUE:
		atomic_store((_Atomic uint32_t *)op->arg, (uint32_t)op->record);
		break;
	case OP_WRITE:
		op->with->is_set = true;
		break;
	case OP_WAIT_WRITE:
		op->with->is_set = false;
		break;
	case OP_HOST:
		stream->is_busy = true;
		pthread_mutex_unlock(&standin_lock);
		op->function(op->arg);
		pthread_mutex_lock(&standin_lock);
		stream->is_busy = false;
		break;
	case OP_COPY:
		memcpy(op->arg, op->from, op->bytes);
		break;
	}
	free_op(op);
	pthread_cond_broadcast(&standin_changed);
}

static bool run_one(void)
{
	for (struct standin_object *stream = standin_objects[STANDIN_STREAM]; stream; stream = stream->next)
		if (can_run(stream)) {
			run(stream);
			return true;
		}
	return false;
}

/* The host may write a word and tells nobody. */
static bool watches_words(void)
{
	for (const struct standin_object *stream = standin_objects[STANDIN_STREAM]; stream; stream = stream->next)
		if (stream->first && stream->first->kind == OP_WAIT_VALUE)
			return true;
	return false;
}

static void *work(void *arg)
{
	pthread_mutex_lock(&standin_lock);
	for (;;)
		if (!run_one()) {
			struct timespec soon = in_ms(1);

			if (watches_words())
				pthread_cond_timedwait(&standin_changed, &standin_lock, &soon);
			else
				pthread_cond_wait(&standin_changed, &standin_lock);
		}
	return NULL;
}

bool standin_is_worker(void)
{
	return has_worker && pthread_equal(pthread_self(), worker);
}

void standin_start_worker(void)
{
	if (pthread_create(&worker, NULL, work, NULL) != 0)
		abort();
	pthread_detach(worker);
	has_worker = true;
}

static void enqueue(void *of, struct op made)
{
	struct standin_object *stream = of;
	struct op *op = malloc(sizeof(*op));

	if (!op)
		abort();
	*op = made;
	pthread_mutex_lock(&standin_lock);
	if (op->with)
		op->with->mentions++;
	if (op->kind == OP_RECORD)
		op->record = ++op->with->recorded;
	if (op->kind == OP_WAIT)
		op->record = op->with->recorded;
	if (stream->last)
		stream->last->next = op;
	else
		stream->first = op;
	stream->last = op;
	pthread_cond_broadcast(&standin_changed);
	pthread_mutex_unlock(&standin_lock);
}

void standin_record(void *stream, void *event)
{
	enqueue(stream, (struct op){ .kind = OP_RECORD, .with = event });
}

int64_t standin_wait_event(const char *call, void *stream, void *event)
{
	struct standin_object *object = event;
	bool is_recorded;

	pthread_mutex_lock(&standin_lock);
	is_recorded = object->recorded > 0;
	pthread_mutex_unlock(&standin_lock);
	if (!is_recorded) {
		standin_complain(call, "the event was never recorded");
		return standin_codes.unrecorded;
	}
	enqueue(stream, (struct op){ .kind = OP_WAIT, .with = event });
	return 0;
}

void standin_write(void *stream, void *notify)
{
	enqueue(stream, (struct op){ .kind = OP_WRITE, .with = notify });
}

void standin_wait_write(void *stream, void *notify)
{
	enqueue(stream, (struct op){ .kind = OP_WAIT_WRITE, .with = notify });
}

void standin_write_value(void *stream, void *word, uint32_t value)
{
	enqueue(stream, (struct op){ .kind = OP_WRITE_VALUE, .arg = word, .record = value });
}

void standin_wait_value(void *stream, void *word, uint32_t value)
{
	enqueue(stream, (struct op){ .kind = OP_WAIT_VALUE, .arg = word, .record = value });
}

void standin_host(void *stream, void (*function)(void *arg), void *arg)
{
	enqueue(stream, (struct op){ .kind = OP_HOST, .function = function, .arg = arg });
}

void standin_copy(void *stream, void *to, const void *from, size_t bytes)
{
	enqueue(stream, (struct op){ .kind = OP_COPY, .arg = to, .from = from, .bytes = bytes });
}

void standin_drop_locked(struct standin_object *stream)
{
	while (stream->first)
		free_op(take_op(stream));
	while (stream->is_busy && !standin_is_worker()) /* what runs is not ended */
		pthread_cond_wait(&standin_changed, &standin_lock);
	pthread_cond_broadcast(&standin_changed);
}

bool standin_drop(void *of)
{
	struct standin_object *stream = of;
	bool is_busy;

	pthread_mutex_lock(&standin_lock);
	is_busy = stream->first || stream->is_busy;
	standin_drop_locked(stream);
	pthread_mutex_unlock(&standin_lock);
	return is_busy;
}

static bool stream_is_done(const struct standin_object *stream)
{
	return stream->keeps_only || !stream->is_live || (!stream->first && !stream->is_busy);
}

static bool event_is_done(const struct standin_object *event)
{
	return event->passed == event->recorded;
}

static int64_t wait_until(bool (*is_done)(const struct standin_object *object), const struct standin_object *object, int64_t ms)
{
	struct timespec at = in_ms(ms < 0 ? 0 : ms);
	int64_t code = 0;

	pthread_mutex_lock(&standin_lock);
	while (!is_done(object) && code == 0)
		if (ms < 0)
			pthread_cond_wait(&standin_changed, &standin_lock);
		else if (pthread_cond_timedwait(&standin_changed, &standin_lock, &at) != 0 && !is_done(object))
			code = standin_codes.timeout;
	pthread_mutex_unlock(&standin_lock);
	return code;
}

void standin_tell(void *stream, int64_t code)
{
	pthread_mutex_lock(&standin_lock);
	((struct standin_object *)stream)->to_tell = code;
	pthread_mutex_unlock(&standin_lock);
}

int64_t standin_synchronize_stream(void *of, int64_t ms)
{
	struct standin_object *stream = of;
	int64_t code = wait_until(stream_is_done, stream, ms);

	if (code)
		return code;
	pthread_mutex_lock(&standin_lock);
	code = stream->to_tell;
	stream->to_tell = 0;
	pthread_mutex_unlock(&standin_lock);
	return code;
}

int64_t standin_synchronize_event(void *event, int64_t ms)
{
	return wait_until(event_is_done, event, ms);
}

void standin_synchronize_all(void)
{
	struct standin_object *stream;

	pthread_mutex_lock(&standin_lock);
	do {
		for (stream = standin_objects[STANDIN_STREAM]; stream; stream = stream->next)
			if (stream->first || stream->is_busy)
				break;
		if (stream)
			pthread_cond_wait(&standin_changed, &standin_lock);
	} while (stream);
	pthread_mutex_unlock(&standin_lock);
}

bool standin_stream_is_done(void *stream)
{
	bool is_done;

	pthread_mutex_lock(&standin_lock);
	is_done = stream_is_done(stream);
	pthread_mutex_unlock(&standin_lock);
	return is_done;
}

bool standin_event_is_done(void *event)
{
	bool is_done;

	pthread_mutex_lock(&standin_lock);
	is_done = event_is_done(event);
	pthread_mutex_unlock(&standin_lock);
	return is_done;
}

bool standin_event_time(void *event, uint64_t *ns)
{
	const struct standin_object *object = event;
	bool is_passed;

	pthread_mutex_lock(&standin_lock);
	is_passed = object->recorded > 0 && event_is_done(object);
	*ns = object->passed_ns;
	pthread_mutex_unlock(&standin_lock);
	return is_passed;
}
