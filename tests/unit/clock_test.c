/* clock_test - rows that share blocks say what a full matrix says. */
#include "run_tests.h"

#include "clock.h"
#include "random.h"

struct world {
	struct sd_arena mem;
	struct sd_clock clock;
	uint32_t lanes, rows;
	uint32_t *matrix; /* rows x lanes */
};

static void check_open_row(struct world *w, const uint32_t *expected)
{
	uint32_t lane = 0;

	while (lane < w->lanes && sd_clock_knows(&w->clock, lane) == expected[lane])
		lane++;
	ck_assert_msg(lane == w->lanes, "lane %u: %u, not %u", lane, sd_clock_knows(&w->clock, lane % w->lanes), expected[lane % w->lanes]);
}

/* One row more, learning from `steps` rows; then every old row is looked at again. */
static void add_row(struct world *w, uint32_t *state, uint32_t steps)
{
	uint32_t from = random_below(state, w->rows), *mine = w->matrix + (size_t)w->rows * w->lanes;

	memcpy(mine, w->matrix + (size_t)from * w->lanes, w->lanes * sizeof(*mine));
	sd_clock_open(&w->clock, from);
	check_open_row(w, mine);
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t row = random_below(state, w->rows), lane = random_below(state, w->lanes), done = 1 + random_below(state, 1000);
		const uint32_t *theirs = w->matrix + (size_t)row * w->lanes;

		sd_clock_learn(&w->clock, row, lane, done);
		for (uint32_t k = 0; k < w->lanes; k++)
			mine[k] = theirs[k] > mine[k] ? theirs[k] : mine[k];
		mine[lane] = done > mine[lane] ? done : mine[lane];
		check_open_row(w, mine);
	}
	ck_assert_uint_eq(sd_clock_close(&w->clock), w->rows);
	w->rows++;
}

static void run_seed(uint32_t seed, uint32_t lanes, uint32_t rows)
{
	struct world w = { .lanes = lanes, .rows = 1 };
	uint32_t state = seed + 1;

	sd_arena_init(&w.mem, 0);
	w.matrix = SD_NEW0(&w.mem, uint32_t, (size_t)(rows + 1) * lanes);
	ck_assert(sd_clock_init(&w.clock, &w.mem, lanes));
	while (w.rows <= rows)
		add_row(&w, &state, random_below(&state, 4));
	for (uint32_t row = 0; row < w.rows; row++) {
		sd_clock_open(&w.clock, row);
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

START_TEST(around_whole_blocks)
{
	for (uint32_t seed = 0; seed < 40; seed++)
		run_seed(seed, SD_CLOCK_BLOCK * (1 + seed % 4) + seed % 3 - 1, 60);
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

RUN_TESTS("clock", few_lanes, around_whole_blocks, many_lanes, what_is_learnt_twice_takes_no_room, no_memory_is_told)
