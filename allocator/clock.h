/* clock.h - vector clocks over lanes, kept as rows that share what they have in common.
 *
 * A row says for every lane which slot is the last one known to be done (number + 1, 0 =
 * none). Rows are immutable once made: a slot that waits for nothing has the row of the
 * slot before it. A row is a list of blocks of 16 lanes; a joined row takes over the
 * blocks in which the two do not differ, so that thousands of lanes cost little. */
#ifndef SD_CLOCK_H
#define SD_CLOCK_H

#include "base/vec.h"

#define SD_CLOCK_BLOCK 16u
#define SD_CLOCK_START 0u /* the row that knows nothing */

struct sd_clock_block {
	uint32_t done[SD_CLOCK_BLOCK];
};

struct sd_clock {
	struct sd_arena *mem;
	uint32_t blocks_per_row;
	SD_VEC(struct sd_clock_block) block; /* [0] is all zero */
	SD_VEC(uint32_t) row;                /* blocks_per_row numbers of blocks per row; row 0 is SD_CLOCK_START */
	uint32_t *open;                      /* the row being put together */
	uint32_t open_blocks;                /* blocks from here on belong to the open row alone */
	bool failed;                         /* out of memory; answers are worthless from then on */
};

/* False over budget. */
bool sd_clock_init(struct sd_clock *clock, struct sd_arena *mem, uint32_t lanes);

/* Starts a new row as a copy of `row`. */
void sd_clock_open(struct sd_clock *clock, uint32_t row);

/* What the open row knows of a lane. */
static inline uint32_t sd_clock_knows(const struct sd_clock *clock, uint32_t lane)
{
	return clock->block.at[clock->open[lane / SD_CLOCK_BLOCK]].done[lane % SD_CLOCK_BLOCK];
}

/* The open row learns that everything in `row` is done, and slot `done` - 1 of `lane`. */
void sd_clock_learn(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done);

/* The open row forgets what `row`, with slot `done` - 1 of `lane` done, does not know. */
void sd_clock_narrow(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done);

/* Ends the open row; answers its number. */
uint32_t sd_clock_close(struct sd_clock *clock);

#endif
