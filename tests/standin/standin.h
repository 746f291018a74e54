/* standin.h - what the stand-ins of the vendors' libraries are made of, and how tests steer them.
 *
 * A stand-in is a library with a vendor's name and functions that runs everything in this process:
 * streams are queues, one thread takes their heads in turn. It checks each call (context of the
 * thread, live handles, flags, times to wait, what may be called from a host function) and complains
 * about each misuse; whatever is left at its end is a complaint too. Any call can be made to fail.
 *
 * Tests open the library a second time and look these functions up (STANDIN_TABLE). */
#ifndef SD_STANDIN_H
#define SD_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum standin_kind { STANDIN_CONTEXT, STANDIN_STREAM, STANDIN_EVENT, STANDIN_NOTIFY, STANDIN_MEMORY, STANDIN_HOST, STANDIN_KINDS }; /* HOST: memory of the host */

#define STANDIN_EXPORT __attribute__((visibility("default")))

/* name, answer, arguments. A `k` with STANDIN_AND_ALL_BEHIND means the k-th and all behind it. */
#define STANDIN_CONTROL(X)                                                                                                \
	X(standin_reset, void, (void)) /* as if just loaded; what is left is forgotten */                                 \
	X(standin_fail, void, (const char *call, uint64_t k, int64_t code, const char *message)) /* the k-th from now on; NULL: of all calls; k 0: none. */ \
	X(standin_limit, void, (int kind, uint32_t most)) /* of a kind at one time; 0: any number */                      \
	X(standin_calls, uint64_t, (const char *call)) /* NULL: of all */                                                 \
	X(standin_created, uint64_t, (int kind)) /* ever */                                                               \
	X(standin_live, uint32_t, (int kind))                                                                             \
	X(standin_complaints, uint64_t, (void))                                                                           \
	X(standin_complaint, const char *, (void)) /* the first; "" */                                                    \
	X(standin_call_name, const char *, (uint32_t i)) /* of all that were ever called; NULL past the last */           \
	X(standin_last_flags, uint32_t, (int kind)) /* of the last one made */                                            \
	X(standin_last_priority, int32_t, (void))                                                                         \
	X(standin_priorities, void, (int32_t least, int32_t greatest)) /* that there are; 0 and -5 before */

struct standin_control {
#define X(name, answer, arguments) answer (*name) arguments;
	STANDIN_CONTROL(X)
#undef X
};
#define X(name, answer, arguments) STANDIN_EXPORT answer name arguments;
STANDIN_CONTROL(X)
#undef X

#define STANDIN_AND_ALL_BEHIND (UINT64_C(1) << 62)

extern int32_t standin_least, standin_greatest; /* of the library itself */

/* From here on: for the libraries themselves. */

/* Numbers of the vendor's. */
struct standin_codes {
	int64_t bad_argument, no_context, bad_handle, exhausted[STANDIN_KINDS], timeout, not_ready, unrecorded;
};
extern const struct standin_codes standin_codes;

struct standin_object;

/* Begins a call: 0, or the number with which it is to fail. `needs_context`: a thread without one fails. */
int64_t standin_begin(const char *call, bool needs_context);
void standin_complain(const char *call, const char *what);
const char *standin_message(void); /* of the failure that was asked for; "" */

/* 0, or the vendor's number: no such live object. */
int64_t standin_check(const char *call, void *object, enum standin_kind kind);

int64_t standin_make(enum standin_kind kind, uint32_t flags, int32_t priority, void **object);
int64_t standin_destroy(const char *call, void *object, enum standin_kind kind);
int64_t standin_orphan(const char *call, void *stream); /* destroys it, and its work goes on */
int32_t standin_id(void *object); /* 1, 2, 3, by kind */
uint32_t standin_flags(void *object);

void standin_set_context(void *context);
void *standin_context(void);

/* A stream that keeps what it is given and never runs it. */
void standin_keep_only(void *stream);

void standin_record(void *stream, void *event);
int64_t standin_wait_event(const char *call, void *stream, void *event);
void standin_write(void *stream, void *notify);
void standin_wait_write(void *stream, void *notify); /* and takes it away */
void standin_write_value(void *stream, void *word, uint32_t value);
void standin_wait_value(void *stream, void *word, uint32_t value); /* until it is that or more */
void standin_host(void *stream, void (*function)(void *arg), void *arg);
void standin_copy(void *stream, void *to, const void *from, size_t bytes);
bool standin_drop(void *stream); /* was there anything? */

/* The next synchronize of the stream tells this number, once. */
void standin_tell(void *stream, int64_t code);

/* Milliseconds; -1: for ever. */
int64_t standin_synchronize_stream(void *stream, int64_t ms);
void standin_synchronize_all(void); /* orphans too */
bool standin_stream_is_done(void *stream);
int64_t standin_synchronize_event(void *event, int64_t ms);
bool standin_event_is_done(void *event);
bool standin_event_time(void *event, uint64_t *ns); /* false: was not passed */

int64_t standin_malloc(enum standin_kind kind, size_t bytes, void **memory);
int64_t standin_free(const char *call, enum standin_kind kind, void *memory);
/* 0, or the vendor's number: it is not all inside one live block of the kind. */
int64_t standin_check_range(const char *call, enum standin_kind kind, const void *at, size_t bytes);

/* The end of the library: what is left is a complaint. */
void standin_end(const char *call);

#endif
