#include "clock.h"
#include "mutants.h"

static bool more_blocks(struct sd_clock *clock)
{
	if (!sd_vec_room(clock->mem, &clock->block) || !sd_vec_room(clock->mem, &clock->uses)) {
		clock->failed = true;
		return false;
	}
	clock->block.count++;
	clock->uses.count++;
	return true;
}

/* A block with this content, held once. */
static uint32_t new_block(struct sd_clock *clock, const struct sd_clock_block *content)
{
	uint32_t block = clock->unused;

	if (block) {
		clock->unused = clock->block.at[block].at[0];
	} else {
		if (!more_blocks(clock))
			return 0;
		block = clock->block.count - 1;
	}
	clock->block.at[block] = *content;
	clock->uses.at[block] = 1;
	return block;
}

static uint32_t use(struct sd_clock *clock, uint32_t block)
{
	clock->uses.at[block] += block != 0;
	return block;
}

/* Of trees the deepest is 8 high. */
static void release(struct sd_clock *clock, uint32_t block, uint32_t height)
{
	if (block == 0 || --clock->uses.at[block])
		return;
	for (uint32_t i = 0; height && i < SD_CLOCK_FANOUT; i++)
		release(clock, clock->block.at[block].at[i], height - 1);
	clock->block.at[block].at[0] = clock->unused;
	clock->unused = block;
}

bool sd_clock_init(struct sd_clock *clock, struct sd_arena *mem, uint32_t lanes)
{
	*clock = (struct sd_clock){ .mem = mem };
	for (uint32_t rest = lanes ? (lanes - 1) >> SD_CLOCK_BITS : 0; rest; rest >>= SD_CLOCK_BITS)
		clock->height++;
	new_block(clock, &(struct sd_clock_block){ { 0 } });
	return !clock->failed;
}

void sd_clock_open(struct sd_clock *clock, uint32_t row)
{
	clock->open = use(clock, row);
}

uint32_t sd_clock_hold(struct sd_clock *clock)
{
	return use(clock, clock->open);
}

uint32_t sd_clock_close(struct sd_clock *clock)
{
	return clock->open;
}

void sd_clock_drop(struct sd_clock *clock, uint32_t row)
{
	release(clock, row, clock->height);
}

/* Which entry of a block of this height leads to the lane. */
static uint32_t entry_of(uint32_t lane, uint32_t height)
{
	return lane >> height * SD_CLOCK_BITS & (SD_CLOCK_FANOUT - 1);
}

uint32_t sd_clock_row_knows(const struct sd_clock *clock, uint32_t row, uint32_t lane)
{
	uint32_t at = row;

	for (uint32_t height = clock->height + 1; height-- > 0;)
		at = clock->block.at[at].at[entry_of(lane, height)];
	return at;
}

uint32_t sd_clock_knows(const struct sd_clock *clock, uint32_t lane)
{
	return sd_clock_row_knows(clock, clock->open, lane);
}

/* A leaf that knows what both know, held once more; one of the two where it knows as much. */
static uint32_t join_leaves(struct sd_clock *clock, uint32_t mine, uint32_t theirs)
{
	struct sd_clock_block both = clock->block.at[mine];
	const struct sd_clock_block *other = &clock->block.at[theirs];
	uint32_t i_more = 0, they_more = 0;

	for (uint32_t i = 0; i < SD_CLOCK_FANOUT; i++) {
		i_more |= both.at[i] > other->at[i];
		they_more |= both.at[i] < other->at[i];
		both.at[i] = both.at[i] < other->at[i] ? other->at[i] : both.at[i];
	}
	if (!they_more)
		return use(clock, mine);
	return i_more ? new_block(clock, &both) : use(clock, theirs);
}

/* The same for trees. */
static uint32_t join_trees(struct sd_clock *clock, uint32_t mine, uint32_t theirs, uint32_t height)
{
	struct sd_clock_block both;
	bool as_mine = true, as_theirs = true;

	if (mine == theirs || theirs == 0 || clock->failed)
		return use(clock, mine);
	if (mine == 0)
		return use(clock, theirs);
	if (height == 0)
		return join_leaves(clock, mine, theirs);
	for (uint32_t i = 0; i < SD_CLOCK_FANOUT; i++) {
		uint32_t my_part = clock->block.at[mine].at[i], their_part = clock->block.at[theirs].at[i];

		both.at[i] = join_trees(clock, my_part, their_part, height - 1);
		as_mine &= both.at[i] == my_part;
		as_theirs &= both.at[i] == their_part;
	}
	if (!as_mine && !as_theirs)
		return new_block(clock, &both);
	for (uint32_t i = 0; i < SD_CLOCK_FANOUT; i++)
		release(clock, both.at[i], height - 1);
	return use(clock, as_mine ? mine : theirs);
}

/* The tree with one lane known better: a path of blocks is new. */
static uint32_t set_lane(struct sd_clock *clock, uint32_t tree, uint32_t lane, uint32_t done, uint32_t height)
{
	struct sd_clock_block changed = clock->block.at[tree];
	uint32_t entry = entry_of(lane, height);

	for (uint32_t i = 0; height && i < SD_CLOCK_FANOUT; i++) {
		if (i != entry)
			use(clock, changed.at[i]);
	}
	changed.at[entry] = height ? set_lane(clock, changed.at[entry], lane, done, height - 1) : done;
	return new_block(clock, &changed);
}

static void become(struct sd_clock *clock, uint32_t row)
{
	release(clock, clock->open, clock->height);
	clock->open = row;
}

void sd_clock_learn(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done)
{
	become(clock, join_trees(clock, clock->open, row, clock->height));
	if (!clock->failed && sd_clock_knows(clock, lane) < done)
		become(clock, set_lane(clock, clock->open, lane, done, clock->height));
}

/* A tree that knows what both know, held once more. */
static uint32_t meet_trees(struct sd_clock *clock, uint32_t mine, uint32_t theirs, uint32_t height)
{
	struct sd_clock_block both;
	bool empty = true;

	if (mine == theirs)
		return use(clock, mine);
	if (mine == 0 || theirs == 0 || clock->failed)
		return 0;
	for (uint32_t i = 0; i < SD_CLOCK_FANOUT; i++) {
		uint32_t my_part = clock->block.at[mine].at[i], their_part = clock->block.at[theirs].at[i];

		if (height)
			both.at[i] = meet_trees(clock, my_part, their_part, height - 1);
		else
			both.at[i] = (my_part < their_part) != SD_MUTANT(clock_narrow_most) ? my_part : their_part;
		empty &= both.at[i] == 0;
	}
	return empty ? 0 : new_block(clock, &both);
}

void sd_clock_narrow(struct sd_clock *clock, uint32_t row, uint32_t lane, uint32_t done)
{
	uint32_t mine = clock->open, theirs;

	clock->open = use(clock, row);
	if (sd_clock_knows(clock, lane) < done)
		become(clock, set_lane(clock, clock->open, lane, done, clock->height));
	theirs = clock->open;
	clock->open = mine;
	become(clock, meet_trees(clock, mine, theirs, clock->height));
	release(clock, theirs, clock->height);
}
