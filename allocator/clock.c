#include "clock.h"

static uint32_t new_block(struct sd_clock *clock, const struct sd_clock_block *from)
{
	struct sd_clock_block copy = *from; /* `from` may move when the array grows */

	if (!sd_vec_room(clock->mem, &clock->block)) {
		clock->failed = true;
		return 0;
	}
	clock->block.at[clock->block.count] = copy;
	return clock->block.count++;
}

bool sd_clock_init(struct sd_clock *clock, struct sd_arena *mem, uint32_t lanes)
{
	*clock = (struct sd_clock){ .mem = mem, .blocks_per_row = lanes / SD_CLOCK_BLOCK + 1 };
	clock->open = SD_NEW0(mem, uint32_t, clock->blocks_per_row);
	if (!clock->open)
		return false;
	new_block(clock, &(struct sd_clock_block){ { 0 } });
	clock->open_blocks = clock->block.count;
	sd_clock_close(clock);
	return !clock->failed;
}

void sd_clock_open(struct sd_clock *clock, uint32_t row)
{
	memcpy(clock->open, clock->row.at + (size_t)row * clock->blocks_per_row,
	       clock->blocks_per_row * sizeof(*clock->open));
	clock->open_blocks = clock->block.count;
}

/* A block of the open row that may be written. */
static struct sd_clock_block *own_block(struct sd_clock *clock, uint32_t i)
{
	if (clock->open[i] < clock->open_blocks)
		clock->open[i] = new_block(clock, &clock->block.at[clock->open[i]]);
	return &clock->block.at[clock->open[i]];
}

/* Bit 0: `a` knows more somewhere; bit 1: `b` does. */
static unsigned compare(const struct sd_clock_block *a, const struct sd_clock_block *b)
{
	unsigned more = 0;

	for (uint32_t i = 0; i < SD_CLOCK_BLOCK; i++)
		more |= (a->done[i] > b->done[i] ? 1u : 0u) | (b->done[i] > a->done[i] ? 2u : 0u);
	return more;
}

static void learn_block(struct sd_clock *clock, uint32_t i, uint32_t theirs)
{
	unsigned more = compare(&clock->block.at[clock->open[i]], &clock->block.at[theirs]);
	struct sd_clock_block *mine;

	if (!(more & 2))
		return;
	if (!(more & 1) && clock->open[i] < clock->open_blocks) {
		clock->open[i] = theirs;
		return;
	}
	mine = own_block(clock, i);
	for (uint32_t k = 0; k < SD_CLOCK_BLOCK; k++) {
		uint32_t done = clock->block.at[theirs].done[k];

		if (done > mine->done[k])
			mine->done[k] = done;
	}
}

void sd_clock_learn(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done)
{
	size_t first = (size_t)row * clock->blocks_per_row;
	struct sd_clock_block *mine;

	for (uint32_t i = 0; i < clock->blocks_per_row && !clock->failed; i++) {
		uint32_t theirs = clock->row.at[first + i];

		if (theirs != clock->open[i] && theirs != 0)
			learn_block(clock, i, theirs);
	}
	if (clock->failed || sd_clock_knows(clock, lane) >= done)
		return;
	mine = own_block(clock, lane / SD_CLOCK_BLOCK);
	mine->done[lane % SD_CLOCK_BLOCK] = done;
}

void sd_clock_narrow(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done)
{
	size_t first = (size_t)row * clock->blocks_per_row;

	for (uint32_t i = 0; i < clock->blocks_per_row && !clock->failed; i++) {
		struct sd_clock_block theirs = clock->block.at[clock->row.at[first + i]];
		struct sd_clock_block *mine;

		if (lane / SD_CLOCK_BLOCK == i && theirs.done[lane % SD_CLOCK_BLOCK] < done)
			theirs.done[lane % SD_CLOCK_BLOCK] = done;
		if (!(compare(&clock->block.at[clock->open[i]], &theirs) & 1))
			continue;
		mine = own_block(clock, i);
		for (uint32_t k = 0; k < SD_CLOCK_BLOCK; k++)
			mine->done[k] = theirs.done[k] < mine->done[k] ? theirs.done[k] : mine->done[k];
	}
}

uint32_t sd_clock_close(struct sd_clock *clock)
{
	uint32_t number = clock->row.count / clock->blocks_per_row;

	for (uint32_t i = 0; i < clock->blocks_per_row; i++) {
		if (!sd_vec_room(clock->mem, &clock->row)) {
			clock->failed = true;
			return SD_CLOCK_START;
		}
		clock->row.at[clock->row.count++] = clock->open[i];
	}
	return number;
}
