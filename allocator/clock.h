/* clock.h - vector clocks over lanes, kept as trees that share what they have in common.
 *
 * A row says for every lane which slot is the last one known to be done (number + 1, 0 =
 * none). A row is a tree: leaves hold 16 lanes, nodes above them 16 children each, and a
 * subtree that knows nothing is no subtree. Blocks are immutable and shared: a row that
 * has learnt from another takes over whole subtrees in which the other knows more, so
 * that thousands of lanes cost only where they learn from each other. Blocks are counted
 * by who uses them, and used anew when nobody does. */
#ifndef SD_CLOCK_H
#define SD_CLOCK_H

#include "base/vec.h"

#define SD_CLOCK_BITS 4u
#define SD_CLOCK_FANOUT (1u << SD_CLOCK_BITS)
#define SD_CLOCK_START 0u /* the row that knows nothing */

/* A leaf or a node above leaves; which of them, its height tells. */
struct sd_clock_block {
	uint32_t at[SD_CLOCK_FANOUT]; /* leaf: slots done; above: blocks, 0 = knows nothing */
};

struct sd_clock {
	struct sd_arena *mem;
	uint32_t height;                     /* of all trees; 0: a leaf alone */
	SD_VEC(struct sd_clock_block) block; /* [0] is all zero */
	SD_VEC(uint32_t) uses;               /* per block: blocks and rows that hold it; [0] is not counted */
	uint32_t unused;                     /* list of blocks through at[0]; 0 = none */
	uint32_t open;                       /* the row being put together */
	bool failed;                         /* out of memory; answers are worthless from then on */
};

/* False over budget. */
bool sd_clock_init(struct sd_clock *clock, struct sd_arena *mem, uint32_t lanes);

/* Starts a new row as a copy of `row`. */
void sd_clock_open(struct sd_clock *clock, uint32_t row);

/* What the open row, or another one, knows of a lane. */
uint32_t sd_clock_knows(const struct sd_clock *clock, uint32_t lane);
uint32_t sd_clock_row_knows(const struct sd_clock *clock, uint32_t row, uint32_t lane);

/* The open row as it is now, which is good until it is dropped; the row stays open. */
uint32_t sd_clock_hold(struct sd_clock *clock);

/* The open row learns that everything in `row` is done, and slot `done` - 1 of `lane`. */
void sd_clock_learn(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done);

/* The open row forgets what `row`, with slot `done` - 1 of `lane` done, does not know. */
void sd_clock_narrow(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done);

/* Ends the open row; answers its number, which is good until as many drops as there were
 * closes that answered it. */
uint32_t sd_clock_close(struct sd_clock *clock);
void sd_clock_drop(struct sd_clock *clock, uint32_t row);

#endif
