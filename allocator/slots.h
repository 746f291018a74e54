/* slots.h - what happens on each lane, in what order.
 *
 * A slot is what one node does on one lane: its waits, its launch, its records. A lane is a
 * logical stream. Slots are numbered as the flat walk meets them, so that those of a lane ascend;
 * those of a node stand together, its main slot, then one on each attached stream, ascending.
 * Where the node runs in another scope than it waits in, its waits are a slot of their own. */
#ifndef SD_SLOTS_H
#define SD_SLOTS_H

#include "base/vec.h"
#include "scopes.h"
#include "streamd/plan.h"

#define SD_NO_INDEX UINT32_MAX

enum sd_slot_kind {
	SD_SLOT_MAIN,     /* a node on its own stream */
	SD_SLOT_ATTACHED, /* a node on an attached stream */
	/* launch nothing: */
	SD_SLOT_HEAD,     /* what a StreamSwitch tells from the stream that it starts */
	SD_SLOT_WAITS,    /* the waits of a label */
	SD_SLOT_FORK,     /* a functional node, on a lane that its bodies use, in front of them */
	SD_SLOT_JOIN,     /* the same behind them */
	SD_SLOT_AGAIN,    /* a loop, behind its body: what the next turn must wait for */
	SD_SLOT_EXIT,     /* the place behind lowered bodies: records and waits nothing */
	/* launches an inserted node: */
	SD_SLOT_RELAY,    /* the StreamActive inserted behind the StreamSwitch `node` */
};

/* What somebody must wait for on a lane. Of a join it is how the body ended that ran; where that did not use the
 * lane, what was to be waited for before. */
struct sd_need {
	uint32_t slot;
	uint32_t older; /* number of the need before, on the same lane; SD_NO_INDEX: none, or the slot is no join */
};

/* Where bodies of a functional node leave a lane: a join or an exit. */
struct sd_exit {
	uint32_t slot, functional;
	uint32_t first_tail; /* into sd_slots.tail: for each body its last slot on the lane, SD_NO_INDEX: none */
	uint32_t fork;       /* slot of the functional node in front of its bodies; SD_NO_INDEX: none */
	uint32_t again;      /* that of a loop behind its body; SD_NO_INDEX: none */
};

struct sd_exit_range {
	uint32_t first, count; /* into sd_slots.exit, by lane */
	uint32_t begin;        /* first slot of the bodies */
	uint32_t first_entry, entry_count; /* into sd_slots.entry: slots with which structured bodies begin */
};

struct sd_slots {
	uint32_t count, lane_count;
	uint32_t *node;
	uint32_t *lane;
	uint32_t *scope;
	uint32_t *of_node;     /* main slot; SD_NO_INDEX: not launched */
	uint32_t *waits_at;    /* per node: slot of its waits; SD_NO_INDEX: it can wait for nothing */
	uint32_t *sender;      /* slot behind which the node is done for others; SD_NO_INDEX: not launched */
	uint8_t *kind;         /* enum sd_slot_kind */
	uint32_t *before;      /* slot in front of it on its lane that always runs with it; of an exit the one in
	                        * front of the bodies; SD_NO_INDEX: none */
	uint32_t *front;       /* the same on its stream: `before` until the split */
	uint32_t *reach;       /* what lanes that have come so far have done: the last slot up to this one that launches
	                        * something, + 1. NULL: there are no bodies */
	bool *apart;           /* the slot is ordered behind its piece only, not behind the lane (fact STARTED); NULL: none is */
	uint32_t *stream;      /* physical stream (fact PIECES); until then the lane */

	/* Exits; of one functional node they stand together */
	SD_VEC(struct sd_exit) exit;
	SD_VEC(uint32_t) tail;
	uint32_t *told;                /* per tail: number of what others must wait for in the body; SD_NO_INDEX: nothing */
	SD_VEC(struct sd_need) need;
	SD_VEC(uint32_t) entry;
	uint32_t *exit_of;             /* per slot; SD_NO_INDEX: no exit. NULL: there are no bodies */
	struct sd_exit_range *exits;   /* per functional node */
};

/* The exit that a slot is; NULL for all others. */
static inline const struct sd_exit *sd_slots_exit(const struct sd_slots *slots, uint32_t slot)
{
	if (!slots->exit_of || slots->exit_of[slot] == SD_NO_INDEX)
		return NULL;
	return &slots->exit.at[slots->exit_of[slot]];
}

/* The exit of a functional node on a lane; NULL where its bodies do not use the lane. */
static inline const struct sd_exit *sd_slots_exit_on(const struct sd_slots *slots, uint32_t functional, uint32_t lane)
{
	uint32_t low = slots->exits[functional].first, end = low + slots->exits[functional].count, high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (slots->lane[slots->exit.at[middle].slot] < lane)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && slots->lane[slots->exit.at[low].slot] == lane ? &slots->exit.at[low] : NULL;
}

/* Whether `slot` is there, and an attached one of `node`. */
static inline bool sd_slot_is_attached(const struct sd_slots *slots, uint32_t slot, uint32_t node)
{
	return slot < slots->count && slots->node[slot] == node && slots->kind[slot] == SD_SLOT_ATTACHED;
}

/* How far a lane has come when it has come to a slot: slots done, counted from 0. */
static inline uint32_t sd_slot_reach(const struct sd_slots *slots, uint32_t slot)
{
	if (slot == SD_NO_INDEX)
		return 0;
	return slots->reach ? slots->reach[slot] : slot + 1;
}

/* How far its lane has come when a slot is done, by the place of the slot alone. */
static inline uint32_t sd_slot_done(const struct sd_slots *slots, uint32_t slot)
{
	return slots->apart && slots->apart[slot] ? 0 : slot + 1;
}

/* Whether a slot launches something. */
static inline bool sd_slot_launches(const struct sd_slots *slots, uint32_t slot)
{
	return slots->kind[slot] <= SD_SLOT_ATTACHED || slots->kind[slot] == SD_SLOT_RELAY;
}

/* An order that a sync may have to keep: slot `from` before slot `to`, on different lanes or pieces. */
struct sd_order_pair {
	uint32_t from, to;
	enum sd_cause cause;
	uint32_t need; /* what it is about, where `from` is a join, with what is older until the split: behind it that has
	                * orders of its own; SD_NO_INDEX: all that was on its stream */
};

struct sd_order_list {
	uint32_t count;
	struct sd_order_pair *at; /* by `to`, then as found */
};

#endif
