/* machine_internal.h - what the files of the machine share.
 *
 * An item lives from its addition until it has ended and nothing names it any more: each event and
 * each queue in which it stands pins it, so that one that was cut is passed over where it comes up. */
#ifndef SD_MACHINE_INTERNAL_H
#define SD_MACHINE_INTERNAL_H

#include "base/vec.h"
#include "streamd/machine.h"

#define SD__NONE UINT32_MAX
#define SD__BLOCKS_MAX 1024u

enum { SD__CUBE, SD__VECTOR, SD__CORES, SD__AICPU = SD__CORES, SD__FIXED_POOLS };

struct sd__item {
	int64_t duration, issued, ready, began;
	uint64_t order;          /* of all items */
	uint64_t tag;
	uint32_t next;           /* on its stream; of signal waiters see next_waiter; of free ones */
	uint32_t next_waiter;
	uint32_t stream, signal; /* of ACTIVATE: `signal` is the stream to start, `serial` that stream's */
	uint32_t serial;
	uint32_t left[SD__CORES], held[SD__CORES]; /* blocks to start, cores that it has */
	uint32_t at_once, pool;  /* pool: of its exclusive number or the AI CPU; SD__NONE */
	uint32_t pins;
	uint8_t kind;            /* enum sd_machine_kind */
	bool rigid, takes, has_pool, has_begun, is_waiting, is_over, is_queued; /* queued: for its one kind of core */
};

struct sd__stream {
	uint32_t head, tail, count;
	uint32_t holds_added, holds_promised, holds_open, holds_passed; /* each at most the one in front */
	uint32_t serial;
	int32_t priority;
	int64_t free_at;
	bool is_fresh, is_live;
};

struct sd__signal {
	uint32_t refs;           /* the owner, items, and sights on their way */
	uint32_t first, last;    /* waiters */
	int64_t recorded_at;
	bool is_recorded, is_seen;
};

/* Something of which there is only so much, and who waits for it. */
struct sd__pool {
	uint32_t total, free, users;
	uint64_t key;            /* exclusive number */
	SD_VEC(uint32_t) waiting; /* heap of items */
};

enum sd__happening { SD__BEGINS, SD__ENDS, SD__CORES_FREE, SD__SEEN, SD__OPENS };

struct sd__event {
	int64_t time;
	uint64_t order, serial;  /* of its item; of events */
	uint32_t of;             /* item; of SEEN the signal, of OPENS the stream */
	uint32_t amount[SD__CORES]; /* cores that come free; of OPENS [0] is the stream's serial */
	uint8_t what;
};

struct sd_machine {
	struct sd_arena *mem;
	struct sd_machine_model model;
	SD_VEC(struct sd__item) items;
	SD_VEC(struct sd__stream) streams;
	SD_VEC(struct sd__signal) signals;
	SD_VEC(struct sd__event) events;
	SD_VEC(struct sd__pool) pools;
	SD_VEC(uint32_t) agenda;      /* heap of events */
	SD_VEC(uint32_t) free_items, free_streams, free_signals, free_events;
	SD_VEC(uint32_t) by_key;      /* exclusive pools, ascending by key */
	SD_VEC(uint32_t) stirred;     /* pools with something free and somebody waiting */
	int64_t now, host_free;       /* host_free: when the thread that adds is done with the last item */
	uint64_t order, serial, left;
	bool is_broken;
};

/* The files' parts: queues of streams (machine.c), what needs cores (machine_cores.c), time (machine_run.c). */
uint32_t sd__item_new(struct sd_machine *m, uint32_t stream, enum sd_machine_kind kind, uint64_t tag);
/* Puts a place on a list of free ones (any of free_...). */
void sd__give_back(struct sd_machine *m, void *list, uint32_t place);
void sd__item_unpin(struct sd_machine *m, uint32_t item);
void sd__signal_unref(struct sd_machine *m, uint32_t signal);
/* The head of a stream is another one: says when it begins. */
void sd__stream_advance(struct sd_machine *m, uint32_t stream);
/* Takes the head off its stream and fills `end`. */
void sd__stream_pop(struct sd_machine *m, uint32_t stream, struct sd_machine_end *end);

/* Puts an event on the agenda at `time`; an item is pinned by it. */
void sd__agenda_add(struct sd_machine *m, int64_t time, enum sd__happening what, uint32_t of, uint64_t order, const uint32_t *amount);
int64_t sd__sum(int64_t a, int64_t b); /* that stays below FOR_EVER */

/* The pool of an exclusive number; SD__NONE over budget. */
uint32_t sd__pool_of(struct sd_machine *m, uint64_t exclusive);
void sd__work_wants(struct sd_machine *m, uint32_t item);  /* it waits for what it needs from now on */
void sd__work_gives(struct sd_machine *m, uint32_t item, const uint32_t *amount); /* these cores are free again */
void sd__work_leaves(struct sd_machine *m, uint32_t item); /* all that it has is free again */
void sd__cores_deal(struct sd_machine *m);                 /* whoever can start does */

#endif
