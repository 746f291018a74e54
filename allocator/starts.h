/* starts.h - which node starts which streams.
 *
 * A stream that some starter names does not run with the model. Several starters may name one
 * stream: it knows when it starts only what all of them know. The activator of an iteration
 * loop is no starter: it starts the next turn. A StreamSwitchN is one starter for each of its labels. */
#ifndef SD_STARTS_H
#define SD_STARTS_H

#include "base/vec.h"
#include "streamd/graph.h"

struct sd_starter {
	uint32_t node;
	uint32_t first, count; /* into sd_starts.lane: distinct, ascending */
	/* A StreamSwitch starts exactly one stream. Where it should start several, a StreamActive
	 * put behind it, on a stream of its own, starts them: */
	uint32_t relay_lane;   /* that stream where it is needed before the split; SD_NO_NODE: none */
	uint32_t relay_stream; /* physical; SD_NO_NODE: none */
	uint32_t relay_node;   /* number of the inserted node; SD_NO_NODE: none */
	uint32_t relay_slot;   /* its slot, where it is needed before the split (fact SLOTS); SD_NO_NODE: none */
};

struct sd_starts {
	uint32_t count;                   /* starters, in flat order; those of one node by entry of its list */
	struct sd_starter *at;
	uint32_t *lane;                   /* logical streams */
	uint32_t lane_count;              /* lanes there are, relays included */
	uint32_t relay_count;             /* relays needed before the split */
	uint32_t *first_of_lane, *of_lane; /* lane_count + 1: starters of each lane */
	uint32_t loop_node, loop_switch;  /* first loop activator and its StreamSwitch; SD_NO_NODE: none */
};

/* Which slots start each stream. */
struct sd_start_index {
	uint32_t *first; /* per stream + 1: into slot */
	uint32_t *slot;
};

/* A starter of nothing yet. */
static inline struct sd_starter sd_starter_of(uint32_t node, uint32_t first)
{
	return (struct sd_starter){ node, first, 0, SD_NO_NODE, SD_NO_NODE, SD_NO_NODE, SD_NO_NODE };
}

static inline bool sd_starts_lane(const struct sd_starts *starts, uint32_t lane)
{
	return starts->first_of_lane[lane] != starts->first_of_lane[lane + 1];
}

#endif
