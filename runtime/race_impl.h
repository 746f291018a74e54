/* race_impl.h - private: what the parts of the race check share. */
#ifndef SD_RACE_IMPL_H
#define SD_RACE_IMPL_H

#include "base/arena.h"
#include "streamd/race_check.h"
#include "tree.h"

/* ---- clocks (race_clock.c) ---- */

/* How far other streams are known to be done. Shared, so that a record costs nothing; never changed. */
struct sd__clock {
	uint32_t refs, count;
	struct sd__clock_entry {
		uint32_t stream; /* number; ascending */
		uint64_t at;
	} entry[];
};

struct sd__clock *sd__clock_share(struct sd__clock *clock); /* NULL, which knows nothing, is fine */
void sd__clock_drop(struct sd__clock *clock);
uint64_t sd__clock_at(const struct sd__clock *clock, uint32_t stream);

/* What `known` and `more` know, and that `stream` is at `at`; without `self`, and without what the
 * host has seen done anyway (`host` by stream number). Takes the place of `*known`. False: out of memory. */
bool sd__clock_learn(struct sd__clock **known, const struct sd__clock *more, uint32_t stream, uint64_t at, uint32_t self,
                     const uint64_t *host);

/* ---- the order of what was fed ---- */

/* What a wait waits for: a record, a notify, or the opening of a hold. */
struct sd__signal {
	uint32_t refs;
	bool is_done;
	struct sd__clock *known;          /* of the stream that gave it */
	uint32_t stream;                  /* number of that stream, and how far it was */
	uint64_t at;
	struct sd__race_stream *blocked;  /* streams that wait for it, by next_blocked */
	struct sd__signal *next;          /* in a list of its owner */
};

struct sd__signals {
	struct sd__signal *first, *last;
};

enum sd__fed_kind { SD__FED_TASK, SD__FED_RECORD, SD__FED_WAIT, SD__FED_ACTIVATE };

/* An item that its stream has not come to yet. */
struct sd__fed {
	struct sd__fed *next;
	enum sd__fed_kind kind;
	struct sd__signal *signal;        /* RECORD, WAIT */
	sd_handle started;                /* ACTIVATE */
	uint32_t task;
	uint32_t access_count;
	struct sd_access access[];
};

struct sd__race_stream {
	struct sd_tree_node node;
	sd_handle handle;
	uint32_t number;
	uint64_t at;                      /* items done, in the sense of clocks */
	uint64_t tasks;                   /* enqueued */
	struct sd__clock *known;
	struct sd__signals holds;         /* still closed */
	struct sd__fed *first, *last;     /* not come to yet */
	bool is_blocked;
	struct sd__race_stream *next_blocked, *next_ready;
};

struct sd__race_event { /* or notify */
	struct sd_tree_node node;
	sd_handle handle;
	struct sd__signal *record;        /* of an event: the last one */
	struct sd__signals records, waits;/* of a notify: without partner */
};

/* ---- what memory was last used by (race_shadow.c) ---- */

/* One access: the task, and where in its stream it stands. */
struct sd__touch {
	uint32_t stream;
	uint32_t task;
	uint64_t at;
};

struct sd__segment {
	struct sd_tree_node node;         /* by `end` */
	uint64_t begin, end;              /* addresses: [begin, end) */
	struct sd__touch write;           /* at 0: none */
	struct sd__touch *read;           /* since then, none of which is known to be before another */
	uint32_t read_count, read_cap;
	bool is_freed;
};

struct sd__race_task {
	const char *name;                 /* in check->names */
	sd_handle stream;
	uint64_t index, tag;
};

struct sd_race_check {
	struct sd_tree streams, events, notifies, memory;
	uint64_t *host;                   /* by stream number: how far the host has seen it done */
	uint32_t number_count, number_cap;
	uint32_t *free_number;            /* numbers of forgotten streams */
	uint32_t free_count;
	struct sd_arena names;
	struct sd__race_task *task;
	uint32_t task_count, task_cap;
	struct sd__race_stream *ready;    /* streams to go on with */
	sd_handle lagging;                /* a stream that the host had not seen done when last looked for */
	bool is_broken;                   /* out of memory while something was worked on */
	struct sd_race *race;
	uint64_t found;
};

#define SD__HOST_TASK UINT32_MAX      /* the host, in place of a task */

/* Looks at one range for `touch`, and notes it. `self` is the stream; NULL: the host. */
enum sd__use { SD__READS, SD__WRITES, SD__FREES, SD__GIVES };
bool sd__shadow_use(struct sd_race_check *check, const struct sd__race_stream *self, struct sd__touch touch,
                    uint64_t address, uint64_t bytes, enum sd__use use);

/* Forgets what the host has seen done. */
void sd__shadow_prune(struct sd_race_check *check);
void sd__shadow_finish(struct sd_race_check *check);

/* Whether the touch is known to be done where `self` is now (NULL: to the host). */
bool sd__is_known(const struct sd_race_check *check, const struct sd__race_stream *self, struct sd__touch touch);

/* ---- what was found (race_report.c) ---- */

void sd__race_found(struct sd_race_check *check, enum sd_race_kind kind, uint32_t first, uint32_t second, uint64_t begin, uint64_t end);

/* ---- streams (race_order.c) ---- */

struct sd__race_stream *sd__race_stream_find(const struct sd_race_check *check, sd_handle handle); /* NULL: there is none */
struct sd__race_stream *sd__race_stream_of(struct sd_race_check *check, sd_handle handle); /* made on first use; NULL: out of memory */
struct sd__race_event *sd__race_event_of(struct sd_tree *tree, sd_handle handle, bool make);
enum sd_status sd__race_feed(struct sd_race_check *check, struct sd__race_stream *stream, struct sd__fed *fed);
struct sd__signal *sd__signal_new(void);
void sd__signal_drop(struct sd__signal *signal);
void sd__signals_put(struct sd__signals *list, struct sd__signal *signal);
struct sd__signal *sd__signals_take(struct sd__signals *list);

#endif
