/* draft.h - a plan that can be spoilt: a copy with tables to write to.
 *
 * Tables have room for a few entries more than they tell, all zero, so that a count that
 * is too large leads nowhere dangerous. For plans of flat graphs. */
#ifndef DRAFT_H
#define DRAFT_H

#include "base/arena.h"
#include "streamd/plan.h"
#include "streamd/request.h"

struct draft {
	struct sd_plan plan; /* its tables are those below */
	struct sd_stream *stream;
	struct sd_command *command;
	struct sd_placement *node;
	struct sd_sync *sync;
	struct sd_summary *summary;
	struct sd_activation *activation;
	uint32_t *activated;
	int32_t *attached_logical, *attached_stream;
	uint32_t *inserted;
	uint32_t *attached_event, *attached_notify, *notify_type;
	bool *tells; /* by sync: recorded at the head of a stream, on which its node is not launched */
	uint32_t numbered[2]; /* by kind: numbers that are those of syncs; resources follow */
};

/* Everything lies in `mem`; ends the program when it has no room. */
void draft_copy(struct sd_arena *mem, const struct sd_plan *plan, struct draft *draft);

/* Takes a sync away, or adds one (its number is found here) at its place in the
 * order of execution; `listed` says that this order is that of the nodes in the request. The
 * commands are written anew: launches stay where they are. */
void draft_drop_sync(struct sd_arena *mem, struct draft *draft, uint32_t sync);
void draft_add_sync(struct sd_arena *mem, struct draft *draft, struct sd_sync sync, bool listed);

/* Index of the command that launches `node` on its own stream, or on the given one (there also the
 * node inserted behind it); UINT32_MAX if none does. */
uint32_t draft_launch(const struct draft *draft, uint32_t node);
uint32_t draft_launch_on(const struct draft *draft, uint32_t node, uint32_t stream);

/* The node that a sync names for what `node` records: an inserted node records for its StreamSwitch. */
uint32_t draft_stands_for(const struct draft *draft, uint32_t node);

/* Moves the command at `from` to index `to`, within the commands of one stream. */
void draft_move(struct draft *draft, uint32_t from, uint32_t to);

/* Replaces all streams by a single one that launches `count` nodes in this order, without any sync. */
void draft_single(struct sd_arena *mem, struct draft *draft, const uint32_t *order, uint32_t count);

/* The launched nodes in an order in which the plan can run, by their launches on streams of their own. */
uint32_t draft_sequence(struct sd_arena *mem, const struct draft *draft, uint32_t *order);

#endif
