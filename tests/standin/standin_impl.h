/* standin_impl.h - the two parts of a stand-in: calls and objects (standin.c), queues (standin_queue.c). */
#ifndef SD_STANDIN_IMPL_H
#define SD_STANDIN_IMPL_H

#include <pthread.h>

#include "standin.h"

enum op_kind { OP_RECORD, OP_WAIT, OP_WRITE, OP_WAIT_WRITE, OP_WRITE_VALUE, OP_WAIT_VALUE, OP_HOST, OP_COPY };

struct op {
	struct op *next;
	enum op_kind kind;
	struct standin_object *with;
	uint64_t record;              /* OP_WRITE_VALUE, OP_WAIT_VALUE: the value; `arg` is the word */
	void (*function)(void *arg);
	void *arg;
	const void *from;
	size_t bytes;
};

/* Objects are never freed, so that one that was destroyed is known as such. */
struct standin_object {
	struct standin_object *next;
	enum standin_kind kind;
	bool is_live, keeps_only, is_busy, is_set;
	int32_t id;
	uint32_t flags;
	struct op *first, *last;      /* streams */
	uint64_t recorded, passed;    /* events */
	uint64_t passed_ns;
	uint32_t mentions;            /* operations that name it */
	int64_t to_tell;              /* streams: at the next synchronize */
	void *block;                  /* memory */
	size_t bytes;
};

/* Of everything; what changes is told. */
extern pthread_mutex_t standin_lock;
extern pthread_cond_t standin_changed;
extern struct standin_object *standin_objects[STANDIN_KINDS];

/* Is this the thread that runs host functions? */
bool standin_is_worker(void);

/* Under the lock. */
void standin_complain_locked(const char *call, const char *what);
void standin_drop_locked(struct standin_object *stream); /* but waits for a host function that runs */

void standin_start_worker(void);

#endif
