#include "standin_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS_MAX 128
static struct {
	const char *name;
	uint64_t count;
} calls[CALLS_MAX];
static uint32_t call_count;

pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t standin_changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
struct standin_object *standin_objects[STANDIN_KINDS];
static uint64_t created[STANDIN_KINDS], calls_made, complaints;
static uint32_t live[STANDIN_KINDS], most[STANDIN_KINDS], last_flags[STANDIN_KINDS];
static int32_t last_priority;
int32_t standin_least = 0, standin_greatest = -5;
static char first_complaint[256], fail_message[256];
static char fail_call[64];
static uint64_t fail_k, fail_seen;
static int64_t fail_code;
static bool fails_on, was_failed;
static pthread_key_t context; /* of each thread */

void standin_complain_locked(const char *call, const char *what)
{
	if (complaints++ == 0)
		snprintf(first_complaint, sizeof(first_complaint), "%s: %s", call, what);
	fprintf(stderr, "# stand-in: %s: %s\n", call, what);
}

void standin_complain(const char *call, const char *what)
{
	pthread_mutex_lock(&standin_lock);
	standin_complain_locked(call, what);
	pthread_mutex_unlock(&standin_lock);
}

/* Its times are of the clock that nobody sets. */
static void begin_condition(void)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&standin_changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static void begin_work(void)
{
	const char *fail = getenv("STANDIN_FAIL"); /* CALL:K:CODE */

	if (fail && sscanf(fail, "%63[^:]:%lu:%ld", fail_call, (unsigned long *)&fail_k, (long *)&fail_code) != 3)
		standin_complain_locked("STANDIN_FAIL", "is not CALL:K:CODE");
	if (pthread_key_create(&context, NULL) != 0)
		abort();
	begin_condition();
	standin_start_worker();
}

/* ---- calls and standin_objects ---- */

static void count_call(const char *call)
{
	uint32_t i = 0;

	while (i < call_count && strcmp(calls[i].name, call) != 0)
		i++;
	if (i == call_count) {
		if (call_count == CALLS_MAX)
			abort();
		calls[call_count++].name = call;
	}
	calls[i].count++;
	calls_made++;
}

static bool is_to_fail(const char *call)
{
	uint64_t k = fail_k & ~STANDIN_AND_ALL_BEHIND;

	if (fail_k == 0 || (fail_call[0] && strcmp(fail_call, call) != 0))
		return false;
	fail_seen++;
	return fail_seen == k || (fails_on && fail_seen > k);
}

static bool has_context(void)
{
	const struct standin_object *object = pthread_getspecific(context);

	return object && object->is_live;
}

int64_t standin_begin(const char *call, bool needs_context)
{
	int64_t code = 0;

	pthread_once(&once, begin_work);
	pthread_mutex_lock(&standin_lock);
	count_call(call);
	if (standin_is_worker())
		standin_complain_locked(call, "is called from a host function");
	if (is_to_fail(call)) {
		was_failed = true;
		code = fail_code;
	} else if (needs_context && !has_context()) {
		standin_complain_locked(call, "this thread has no context");
		code = standin_codes.no_context;
	}
	pthread_mutex_unlock(&standin_lock);
	return code;
}

const char *standin_message(void)
{
	return was_failed ? fail_message : "";
}

int64_t standin_check(const char *call, void *of, enum standin_kind kind)
{
	struct standin_object *object = of;
	bool is_good;

	pthread_mutex_lock(&standin_lock);
	is_good = object && object->kind == kind && object->is_live;
	if (!is_good)
		standin_complain_locked(call, object ? "the handle is of nothing that lives" : "the handle is NULL");
	pthread_mutex_unlock(&standin_lock);
	return is_good ? 0 : standin_codes.bad_handle;
}

int64_t standin_make(enum standin_kind kind, uint32_t flags, int32_t priority, void **made)
{
	struct standin_object *object;

	pthread_mutex_lock(&standin_lock);
	if (most[kind] && live[kind] >= most[kind]) {
		pthread_mutex_unlock(&standin_lock);
		return standin_codes.exhausted[kind];
	}
	object = calloc(1, sizeof(*object));
	if (!object)
		abort();
	*object = (struct standin_object){ .next = standin_objects[kind], .kind = kind, .is_live = true, .id = (int32_t)++created[kind], .flags = flags };
	standin_objects[kind] = object;
	live[kind]++;
	last_flags[kind] = flags;
	if (kind == STANDIN_STREAM)
		last_priority = priority;
	pthread_mutex_unlock(&standin_lock);
	*made = object;
	return 0;
}

int64_t standin_destroy(const char *call, void *of, enum standin_kind kind)
{
	struct standin_object *object = of;
	int64_t code = standin_check(call, object, kind);

	if (code)
		return code;
	pthread_mutex_lock(&standin_lock);
	if (kind == STANDIN_STREAM)
		standin_drop_locked(object);
	if (kind == STANDIN_NOTIFY && object->mentions)
		standin_complain_locked(call, "a stream is yet to use it");
	object->is_live = false;
	live[kind]--;
	pthread_mutex_unlock(&standin_lock);
	return 0;
}

int64_t standin_orphan(const char *call, void *of)
{
	struct standin_object *stream = of;
	int64_t code = standin_check(call, stream, STANDIN_STREAM);

	if (code)
		return code;
	pthread_mutex_lock(&standin_lock);
	stream->is_live = false;
	live[STANDIN_STREAM]--;
	pthread_mutex_unlock(&standin_lock);
	return 0;
}

int32_t standin_id(void *object)
{
	return ((struct standin_object *)object)->id;
}

uint32_t standin_flags(void *object)
{
	return ((struct standin_object *)object)->flags;
}

void standin_keep_only(void *stream)
{
	((struct standin_object *)stream)->keeps_only = true;
}

void standin_set_context(void *to)
{
	pthread_setspecific(context, to);
}

void *standin_context(void)
{
	return pthread_getspecific(context);
}

/* ---- memory ---- */

int64_t standin_malloc(enum standin_kind kind, size_t bytes, void **memory)
{
	void *made;
	int64_t code = standin_make(kind, 0, 0, &made);

	if (code)
		return code;
	*memory = ((struct standin_object *)made)->block = calloc(1, bytes);
	((struct standin_object *)made)->bytes = bytes;
	return 0;
}

int64_t standin_check_range(const char *call, enum standin_kind kind, const void *at, size_t bytes)
{
	uintptr_t from = (uintptr_t)at;
	const struct standin_object *object;

	pthread_mutex_lock(&standin_lock);
	for (object = standin_objects[kind]; object; object = object->next)
		if (object->is_live && from >= (uintptr_t)object->block && from + bytes <= (uintptr_t)object->block + object->bytes)
			break;
	if (!object)
		standin_complain_locked(call, "the address is in no block that was given");
	pthread_mutex_unlock(&standin_lock);
	return object ? 0 : standin_codes.bad_argument;
}

int64_t standin_free(const char *call, enum standin_kind kind, void *memory)
{
	struct standin_object *object;

	pthread_mutex_lock(&standin_lock);
	for (object = standin_objects[kind]; object; object = object->next)
		if (object->is_live && object->block == memory)
			break;
	pthread_mutex_unlock(&standin_lock);
	if (!object || !memory) {
		standin_complain(call, "it is no block that was given");
		return standin_codes.bad_argument;
	}
	free(memory);
	return standin_destroy(call, object, kind);
}

void standin_end(const char *call)
{
	static const char *const left[] = { "a context is left", "a stream is left", "an event is left", "a notify is left", "memory is left", "memory of the host is left" };

	pthread_mutex_lock(&standin_lock);
	for (uint32_t kind = 0; kind < STANDIN_KINDS; kind++)
		if (live[kind])
			standin_complain_locked(call, left[kind]);
	pthread_mutex_unlock(&standin_lock);
}

/* ---- control ---- */

void standin_reset(void)
{
	pthread_once(&once, begin_work);
	pthread_mutex_lock(&standin_lock);
	for (uint32_t kind = 0; kind < STANDIN_KINDS; kind++) {
		while (standin_objects[kind]) {
			struct standin_object *object = standin_objects[kind];

			if (object->is_live)
				free(object->block);
			standin_objects[kind] = object->next;
			if (object->kind == STANDIN_STREAM)
				standin_drop_locked(object);
			object->kind = STANDIN_KINDS;
			free(object);
		}
		created[kind] = 0;
		live[kind] = most[kind] = last_flags[kind] = 0;
	}
	for (uint32_t i = 0; i < call_count; i++)
		calls[i].count = 0;
	complaints = calls_made = fail_k = fail_seen = 0;
	first_complaint[0] = fail_message[0] = '\0';
	was_failed = false;
	standin_priorities(0, -5);
	pthread_setspecific(context, NULL);
	pthread_mutex_unlock(&standin_lock);
}

void standin_fail(const char *call, uint64_t k, int64_t code, const char *message)
{
	pthread_mutex_lock(&standin_lock);
	snprintf(fail_call, sizeof(fail_call), "%s", call ? call : "");
	snprintf(fail_message, sizeof(fail_message), "%s", message ? message : "");
	fail_k = k;
	fails_on = k & STANDIN_AND_ALL_BEHIND;
	fail_seen = 0;
	fail_code = code;
	was_failed = false;
	pthread_mutex_unlock(&standin_lock);
}

void standin_limit(int kind, uint32_t at_most)
{
	most[kind] = at_most;
}

uint64_t standin_calls(const char *call)
{
	uint64_t count = 0;

	pthread_mutex_lock(&standin_lock);
	for (uint32_t i = 0; i < call_count; i++)
		count += call && strcmp(calls[i].name, call) == 0 ? calls[i].count : 0;
	count = call ? count : calls_made;
	pthread_mutex_unlock(&standin_lock);
	return count;
}

const char *standin_call_name(uint32_t i)
{
	return i < call_count ? calls[i].name : NULL;
}

uint64_t standin_created(int kind)
{
	return created[kind];
}

uint32_t standin_live(int kind)
{
	return live[kind];
}

uint64_t standin_complaints(void)
{
	return complaints;
}

const char *standin_complaint(void)
{
	return first_complaint;
}

uint32_t standin_last_flags(int kind)
{
	return last_flags[kind];
}

void standin_priorities(int32_t least, int32_t greatest)
{
	standin_least = least;
	standin_greatest = greatest;
}

int32_t standin_last_priority(void)
{
	return last_priority;
}
