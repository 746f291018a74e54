/* clock_test - rows that share subtrees say what a full matrix says. */
#include "run_tests.h"

#include "clock.h"
#include "random.h"

struct world {
	struct sd_arena mem;
	struct sd_clock clock;
	uint32_t lanes, rows;
	uint32_t *number; /* per row: what the clocks call it */
	bool *dropped;    /* per row */
	uint32_t *matrix; /* rows x lanes */
};

static void check_open_row(struct world *w, const uint32_t *expected)
{
	uint32_t lane = 0;

	while (lane < w->lanes && sd_clock_knows(&w->clock, lane) == expected[lane])
		lane++;
	/* A row that is held says the same, whatever becomes of the open one. */
	for (uint32_t i = 0; i < w->lanes && lane == w->lanes; i++) {
		uint32_t held = sd_clock_hold(&w->clock);

		ck_assert_uint_eq(sd_clock_row_knows(&w->clock, held, i), expected[i]);
		sd_clock_drop(&w->clock, held);
	}
	ck_assert_msg(lane == w->lanes, "lane %u: %u, not %u", lane, sd_clock_knows(&w->clock, lane % w->lanes), expected[lane % w->lanes]);
}

static uint32_t some_row(const struct world *w, uint32_t *state)
{
	uint32_t row = random_below(state, w->rows);

	return w->dropped[row] ? 0 : row;
}

/* One row more, learning from `steps` rows, or forgetting what they do not know; now and then an old one is dropped. */
static void add_row(struct world *w, uint32_t *state, uint32_t steps)
{
	uint32_t from = some_row(w, state), old = some_row(w, state), *mine = w->matrix + (size_t)w->rows * w->lanes;

	memcpy(mine, w->matrix + (size_t)from * w->lanes, w->lanes * sizeof(*mine));
	sd_clock_open(&w->clock, w->number[from]);
	check_open_row(w, mine);
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t row = some_row(w, state), lane = random_below(state, w->lanes), done = 1 + random_below(state, 1000);
		const uint32_t *theirs = w->matrix + (size_t)row * w->lanes;

		if (random_below(state, 4)) {
			sd_clock_learn(&w->clock, w->number[row], lane, done);
			for (uint32_t k = 0; k < w->lanes; k++)
				mine[k] = theirs[k] > mine[k] ? theirs[k] : mine[k];
			mine[lane] = done > mine[lane] ? done : mine[lane];
		} else {
			sd_clock_narrow(&w->clock, w->number[row], lane, done);
			for (uint32_t k = 0; k < w->lanes; k++) {
				uint32_t bound = k == lane && done > theirs[k] ? done : theirs[k];

				mine[k] = bound < mine[k] ? bound : mine[k];
			}
		}
		check_open_row(w, mine);
	}
	w->number[w->rows++] = sd_clock_close(&w->clock);
	if (old > 0 && random_below(state, 2)) {
		sd_clock_drop(&w->clock, w->number[old]);
		w->dropped[old] = true;
	}
}

static void run_seed(uint32_t seed, uint32_t lanes, uint32_t rows)
{
	struct world w = { .lanes = lanes, .rows = 1 };
	uint32_t state = seed + 1;

	sd_arena_init(&w.mem, 0);
	w.number = SD_NEW0(&w.mem, uint32_t, rows + 1);
	w.dropped = SD_NEW0(&w.mem, bool, rows + 1);
	w.matrix = SD_NEW0(&w.mem, uint32_t, (size_t)(rows + 1) * lanes);
	ck_assert(sd_clock_init(&w.clock, &w.mem, lanes));
	while (w.rows <= rows)
		add_row(&w, &state, random_below(&state, 4));
	for (uint32_t row = 0; row < w.rows; row++) {
		if (w.dropped[row])
			continue;
		sd_clock_open(&w.clock, w.number[row]);
		check_open_row(&w, w.matrix + (size_t)row * lanes);
	}
	ck_assert(!w.clock.failed);
	sd_arena_finish(&w.mem);
}

START_TEST(few_lanes)
{
	for (uint32_t seed = 0; seed < 200; seed++)
		run_seed(seed, 1 + seed % 20, 40);
}
END_TEST

START_TEST(around_whole_leaves)
{
	for (uint32_t seed = 0; seed < 40; seed++)
		run_seed(seed, SD_CLOCK_FANOUT * (1 + seed % 4) + seed % 3 - 1, 60);
}
END_TEST

START_TEST(around_a_tree_of_full_height)
{
	for (uint32_t seed = 0; seed < 12; seed++)
		run_seed(seed, SD_CLOCK_FANOUT * SD_CLOCK_FANOUT + seed % 3 - 1, 60);
}
END_TEST

START_TEST(many_lanes)
{
	for (uint32_t seed = 0; seed < 4; seed++)
		run_seed(seed, 2000 + seed, 150);
}
END_TEST

START_TEST(what_is_learnt_twice_takes_no_room)
{
	struct world w = { .lanes = 1000 };
	uint32_t row, blocks;

	sd_arena_init(&w.mem, 0);
	ck_assert(sd_clock_init(&w.clock, &w.mem, w.lanes));
	sd_clock_open(&w.clock, SD_CLOCK_START);
	for (uint32_t lane = 0; lane < w.lanes; lane++)
		sd_clock_learn(&w.clock, SD_CLOCK_START, lane, lane + 1);
	row = sd_clock_close(&w.clock);
	blocks = w.clock.block.count;
	for (int i = 0; i < 100; i++) {
		/* A row that knows nothing learns all of another: it takes over the other's blocks. */
		sd_clock_open(&w.clock, SD_CLOCK_START);
		sd_clock_learn(&w.clock, row, 7, 8);
		ck_assert_uint_eq(sd_clock_knows(&w.clock, 999), 1000);
		sd_clock_close(&w.clock);
	}
	ck_assert_uint_eq(w.clock.block.count, blocks);
	sd_arena_finish(&w.mem);
}
END_TEST

START_TEST(dropped_rows_make_room)
{
	struct world w = { .lanes = 500 };
	uint32_t state = 1;

	sd_arena_init(&w.mem, 0);
	ck_assert(sd_clock_init(&w.clock, &w.mem, w.lanes));
	for (uint32_t round = 0; round < 50; round++) {
		uint32_t row = SD_CLOCK_START;

		for (uint32_t i = 0; i < 200; i++) {
			uint32_t old = row;

			sd_clock_open(&w.clock, row);
			sd_clock_learn(&w.clock, SD_CLOCK_START, random_below(&state, w.lanes), i + 1);
			row = sd_clock_close(&w.clock);
			sd_clock_drop(&w.clock, old);
		}
		sd_clock_drop(&w.clock, row);
		/* One row is at most 32 leaves, 2 blocks above them and a root; two rows live at a time. */
		ck_assert_uint_le(w.clock.block.count, 2 * (32 + 2 + 1));
	}
	sd_arena_finish(&w.mem);
}
END_TEST

START_TEST(no_memory_is_told)
{
	struct world w = { .lanes = 100 };

	sd_arena_init(&w.mem, 0);
	w.mem.fail_at = 1;
	ck_assert(!sd_clock_init(&w.clock, &w.mem, w.lanes));
	sd_arena_finish(&w.mem);
	sd_arena_init(&w.mem, 0);
	ck_assert(sd_clock_init(&w.clock, &w.mem, w.lanes));
	w.mem.fail_at = w.mem.calls + 1;
	for (uint32_t i = 0; i < 200 && !w.clock.failed; i++) {
		sd_clock_open(&w.clock, SD_CLOCK_START);
		sd_clock_learn(&w.clock, SD_CLOCK_START, i % w.lanes, i + 1);
		sd_clock_close(&w.clock);
	}
	ck_assert(w.clock.failed);
	sd_arena_finish(&w.mem);
}
END_TEST

RUN_TESTS("clock", few_lanes, around_whole_leaves, around_a_tree_of_full_height, many_lanes, what_is_learnt_twice_takes_no_room, dropped_rows_make_room, no_memory_is_told)
