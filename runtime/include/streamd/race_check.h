/* race_check.h - finds accesses to memory from two streams that nothing orders.
 *
 * Fed with what is enqueued, in the order in which it is enqueued, and with what the host waits
 * for. A conflict is two tasks of different streams whose ranges overlap, of which at least one
 * writes, and of which neither is known to be done when the other begins: by the order of a
 * stream, by records and the waits for them, by notifies, by activations, or because the host had
 * waited for the one before it enqueued the other. What is told does not depend on who was faster.
 *
 * Waits, notifies and holds may be fed before what they wait for: their stream then stands still
 * here until that comes. Of tasks that were enqueued behind a closed hold it is taken that the
 * host enqueued them when the hold was opened.
 *
 * Costs: a clock holds one figure for each other stream of which something is known that the host
 * has not seen done. A task is O((segments touched + log segments) x readers of a segment that
 * nothing orders among themselves), a wait that tells something new O(streams of the clock), one
 * that does not O(log of them), a record O(1). Memory goes with what the host has not waited for:
 * when it has waited for all streams, nothing is kept but what was found. One thread at a time. */
#ifndef SD_RACE_CHECK_H
#define SD_RACE_CHECK_H

#include "streamd/device.h"

#define SD_RACES_MAX 64      /* kept; more are counted */
#define SD_RACE_NAME_MAX 64

struct sd_race_check;

enum sd_race_kind {
	SD_RACE_RAW,              /* what the first writes the second reads */
	SD_RACE_WAR,              /* what the first reads the second writes */
	SD_RACE_WAW,
	SD_RACE_READ_BEFORE_SYNC, /* the host reads what a task still writes */
	SD_RACE_USE_AFTER_FREE,   /* freed while a task still uses it, or used when it was freed */
};

struct sd_race_end {
	char name[SD_RACE_NAME_MAX]; /* of the task, cut; "host" */
	sd_handle stream;            /* SD_NO_HANDLE: the host */
	uint64_t index;              /* of the task in its stream, from 0 */
	uint64_t tag;                /* the caller's */
};

struct sd_race {
	enum sd_race_kind kind;
	struct sd_race_end first, second; /* as they were fed */
	uint64_t address, bytes;          /* the first range in which they meet */
};

/* RESOURCE_EXHAUSTED: out of memory. So do all that follow; a check that failed once has missed something. */
enum sd_status sd_race_check_create(struct sd_race_check **check);
void sd_race_check_destroy(struct sd_race_check *check); /* NULL is fine */

/* What is enqueued. Streams, events and notifies are known by what numbers the caller likes, from 1, events
 * apart from notifies. FAILED_PRECONDITION: a wait for an event that was never recorded. */
enum sd_status sd_race_task(struct sd_race_check *check, sd_handle stream, const char *name, uint64_t tag,
                            const struct sd_access *access, uint32_t count);
enum sd_status sd_race_record(struct sd_race_check *check, sd_handle stream, sd_handle event);
enum sd_status sd_race_wait(struct sd_race_check *check, sd_handle stream, sd_handle event);
enum sd_status sd_race_notify_record(struct sd_race_check *check, sd_handle stream, sd_handle notify);
enum sd_status sd_race_notify_wait(struct sd_race_check *check, sd_handle stream, sd_handle notify);
enum sd_status sd_race_hold(struct sd_race_check *check, sd_handle stream);
enum sd_status sd_race_activate(struct sd_race_check *check, sd_handle stream, sd_handle started);

/* What the host does: it waited for all that was enqueued on a stream, or for the last record of an event;
 * it reads or writes; memory is given to it, or given back by it. */
enum sd_status sd_race_stream_done(struct sd_race_check *check, sd_handle stream);
enum sd_status sd_race_event_done(struct sd_race_check *check, sd_handle event);
enum sd_status sd_race_host_access(struct sd_race_check *check, uint64_t address, uint64_t bytes, bool is_write);
enum sd_status sd_race_memory_given(struct sd_race_check *check, uint64_t address, uint64_t bytes);
enum sd_status sd_race_memory_freed(struct sd_race_check *check, uint64_t address, uint64_t bytes);

/* The number will not come again, or means another. A stream must have been waited for. */
void sd_race_forget_stream(struct sd_race_check *check, sd_handle stream);
void sd_race_forget_event(struct sd_race_check *check, sd_handle event);
void sd_race_forget_notify(struct sd_race_check *check, sd_handle notify);

/* What was found: pairs of tasks, each kind of a pair once. */
uint64_t sd_race_count(const struct sd_race_check *check);
const struct sd_race *sd_race_at(const struct sd_race_check *check, uint32_t i); /* NULL past those that are kept */

/* "RAW", and the whole in one sentence: both tasks, the range and the order that is missing. */
const char *sd_race_kind_name(enum sd_race_kind kind);
size_t sd_race_text(const struct sd_race *race, char *out, size_t cap);

#endif
