/* machine.h - how long work takes on a device: streams, cores, events, as a model.
 *
 * A stream does what was added to it in order; streams run beside each other. The machine has a
 * clock of its own, in whole nanoseconds from 0, which moves only when the caller asks what ends
 * next. Items may be added while time runs. The same calls give the same times everywhere: what
 * falls on one moment is taken in the order in which it was added.
 *
 *   Work    takes its launch gap, then waits for what it needs, longest waiting first (of equals the
 *           more urgent stream, then the one added first). Plain work on one kind of core is so many
 *           blocks: it takes cores as they come free and keeps each for the duration of a block, so
 *           that 36 blocks on 24 cores take two rounds. A gang starts when all its cores are free at
 *           once. Work on both kinds of core does so too; of what the device lacks it takes rounds.
 *           In front of a gang that waits nobody younger takes cores of its kinds. Of works with one
 *           exclusive number one runs at a time; AI CPU work takes one server.
 *   Record  keeps its stream for record_ns; its signal is seen by others event_latency_ns later.
 *   Wait    goes on when its signal is seen, and then keeps its stream for wait_ns; one that `takes`
 *           clears the signal, so that one waiter passes for each record that was seen.
 *   Hold    lets its stream wait until it is activated; Activate opens the oldest closed hold of a
 *           stream, activate_ns later, and does nothing where all are open.
 *
 * Costs: O(log n) for each item, and for each round of cores; an item has at most 1,024 blocks
 * (of more, several count as one longer block). */
#ifndef SD_MACHINE_H
#define SD_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

#define SD_MACHINE_FOR_EVER INT64_MAX
#define SD_MACHINE_LONGEST_NS INT64_C(1000000000000000) /* longer times count as this, so that sums hold */

struct sd_machine;
struct sd_model;

struct sd_machine_model {
	uint32_t cube_cores, vector_cores, aicpu_servers;
	int64_t launch_gap_ns;        /* in front of each work, on its stream */
	int64_t host_issue_ns;        /* of the one host thread that adds items, for each; 0: they are there at once */
	int64_t record_ns, wait_ns, event_latency_ns;
	int64_t activate_ns;          /* from an activate to what it starts; and before the first item of a secondary stream */
	/* For callers that work durations out; the machine takes them as given. A rate of 0: no time. */
	int64_t link_alpha_ns, link_bytes_per_s, hbm_bytes_per_s;
	uint32_t contention_permille; /* by which a block is slower for each other work on its kind of core */
};

/* What the request states of the model, and the defaults for the rest. NULL: all defaults. */
void sd_machine_model_of(const struct sd_model *stated, struct sd_machine_model *model);

/* What work keeps busy. */
enum sd_engine_class { SD_ENGINE_NONE, SD_ENGINE_CUBE, SD_ENGINE_VECTOR, SD_ENGINE_MIX, SD_ENGINE_COMM, SD_ENGINE_AICPU, SD_ENGINE_OTHER };

/* Work as an operator states it. */
struct sd_engine_work {
	enum sd_engine_class engine;
	uint32_t cube_cores, vector_cores; /* that it fills; 0: all of its engine, and none for COMM */
	uint32_t communicator;             /* works with the same number exclude each other on COMM */
	bool gang;                         /* needs all its cores at the same moment; so does COMM */
	uint64_t duration_ns;              /* at these cores */
};

struct sd_machine_work {
	int64_t duration_ns;
	uint32_t cube, vector;        /* blocks; both 0: it needs no core */
	uint32_t at_once;             /* cores that it may have at the same time; 0: any number */
	uint64_t exclusive;           /* works with the same number exclude each other; 0: none */
	bool gang, aicpu;
};

enum sd_machine_kind { SD_MACHINE_WORK, SD_MACHINE_RECORD, SD_MACHINE_WAIT, SD_MACHINE_HOLD, SD_MACHINE_ACTIVATE };

/* An item that ended. */
struct sd_machine_end {
	enum sd_machine_kind kind;
	uint32_t stream;
	uint64_t tag;                 /* the caller's */
	int64_t began_ns, ended_ns;   /* of work: from its first core on */
};

/* What a stream is at. */
struct sd_machine_head {
	enum sd_machine_kind kind;
	uint64_t tag;
	uint32_t signal;              /* of a wait */
	bool is_waiting;              /* for a signal or an activation, not for time or cores */
};

/* A machine in `mem`, which it shares with nobody while it lives; NULL over budget. */
struct sd_machine *sd_machine_new(struct sd_arena *mem, const struct sd_machine_model *model);

/* A stream. Smaller priorities go first; `is_secondary`: its first item comes activate_ns late.
 * Numbers of removed streams are given again. */
enum sd_status sd_machine_add_stream(struct sd_machine *machine, int32_t priority, bool is_secondary, uint32_t *stream);
void sd_machine_remove_stream(struct sd_machine *machine, uint32_t stream); /* it must be empty */

/* A signal that nobody has recorded. It lives until it is dropped and no item names it any more. */
enum sd_status sd_machine_add_signal(struct sd_machine *machine, uint32_t *signal);
void sd_machine_drop_signal(struct sd_machine *machine, uint32_t signal);
/* True if it was recorded, and when. */
bool sd_machine_is_recorded(const struct sd_machine *machine, uint32_t signal, int64_t *at_ns);

/* What the machine makes of it: on COMM one at a time for each communicator, on OTHER one at all. */
struct sd_machine_work sd_machine_work_of(const struct sd_machine_model *model, const struct sd_engine_work *stated);

/* False: the machine could never start it (a gang of more cores than there are, a core of a kind that it lacks). */
bool sd_machine_can_run(const struct sd_machine *machine, const struct sd_machine_work *work);

/* Add an item; RESOURCE_EXHAUSTED over budget. Work must be such as can run. */
enum sd_status sd_machine_add_work(struct sd_machine *machine, uint32_t stream, const struct sd_machine_work *work, uint64_t tag);
enum sd_status sd_machine_add_record(struct sd_machine *machine, uint32_t stream, uint32_t signal, uint64_t tag);
enum sd_status sd_machine_add_wait(struct sd_machine *machine, uint32_t stream, uint32_t signal, bool takes, uint64_t tag);
enum sd_status sd_machine_add_hold(struct sd_machine *machine, uint32_t stream, uint64_t tag);
enum sd_status sd_machine_add_activate(struct sd_machine *machine, uint32_t stream, uint32_t started, uint64_t tag);

/* Lets time run until the next item ends, at most to `until_ns`. False: none ends by then (the clock
 * is at `until_ns` now), or, for SD_MACHINE_FOR_EVER, none ends any more. Items that are left then
 * wait for each other. */
bool sd_machine_next(struct sd_machine *machine, int64_t until_ns, struct sd_machine_end *end);

/* Ends the item that a stream is at, now; false: it is empty. */
bool sd_machine_cut(struct sd_machine *machine, uint32_t stream, struct sd_machine_end *end);

int64_t sd_machine_now(const struct sd_machine *machine);
uint64_t sd_machine_left(const struct sd_machine *machine);                    /* items that have not ended */
uint32_t sd_machine_queued(const struct sd_machine *machine, uint32_t stream); /* of one stream */
/* False: the stream is empty. */
bool sd_machine_at(const struct sd_machine *machine, uint32_t stream, struct sd_machine_head *head);
/* True: nothing happens any more unless something is added. What is left then waits for ever. */
bool sd_machine_is_quiet(const struct sd_machine *machine);
/* True once the budget was overrun: times are not to be trusted from then on. */
bool sd_machine_is_broken(const struct sd_machine *machine);

#endif
