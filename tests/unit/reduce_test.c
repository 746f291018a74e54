/* reduce_test - the orders kept are the transitive reduction that a search finds.
 *
 * Slots, lanes and orders are made up; an order is needed if no other way leads from its
 * sender to its receiver, over lanes, pieces and all other orders. */
#include "run_tests.h"

#include "base/merge.h"
#include "random.h"
#include "reduce.h"

struct shape {
	uint32_t slots, lanes, orders, window, cuts; /* cuts: of 100 slots, so many begin a piece */
	uint32_t starters; /* of 10 lanes, so many are started by slots on lanes in front */
};

/* Lanes are started by up to three slots that stand in front of their first one, on other lanes. */
static void make_starts(struct sd_arena *mem, struct sd_job *job, const struct shape *shape, uint32_t *state)
{
	struct sd_starts *starts = &job->starts;
	const struct sd_slots *s = &job->slots;
	uint32_t lanes = shape->lanes;

	*starts = (struct sd_starts){
		.lane_count = lanes, .at = SD_NEW(mem, struct sd_starter, 3 * lanes), .lane = SD_NEW(mem, uint32_t, 3 * lanes),
		.first_of_lane = SD_NEW0(mem, uint32_t, lanes + 1), .of_lane = SD_NEW(mem, uint32_t, 3 * lanes),
	};
	for (uint32_t lane = 0; lane < lanes; lane++) {
		uint32_t first = 0, wanted = random_below(state, 10) < shape->starters ? 1 + random_below(state, 3) : 0;

		while (first < s->count && s->lane[first] != lane)
			first++;
		for (; first > 0 && first < s->count && wanted > 0; wanted--) {
			starts->of_lane[starts->count] = starts->count;
			starts->lane[starts->count] = lane;
			starts->at[starts->count] = sd_starter_of(random_below(state, first), starts->count);
			starts->at[starts->count].count = 1;
			starts->count++;
		}
		starts->first_of_lane[lane + 1] = starts->count;
	}
}

/* Which slots start each lane, as the reduction looks it up. */
static void index_starts(struct sd_arena *mem, struct sd_job *job)
{
	const struct sd_starts *starts = &job->starts;

	job->starting.first = starts->first_of_lane;
	job->starting.slot = SD_NEW(mem, uint32_t, starts->count);
	for (uint32_t i = 0; i < starts->count; i++)
		job->starting.slot[i] = starts->at[i].node;
}

static struct sd_job *make_slots(struct sd_arena *mem, const struct shape *shape, uint32_t *state)
{
	struct sd_job *job = SD_NEW0(mem, struct sd_job, 1);
	struct sd_slots *s = &job->slots;
	uint32_t *last = SD_NEW(mem, uint32_t, shape->lanes);

	job->mem = mem;
	s->count = shape->slots;
	s->lane_count = shape->lanes;
	s->lane = SD_NEW(mem, uint32_t, s->count);
	s->before = SD_NEW(mem, uint32_t, s->count);
	s->front = SD_NEW(mem, uint32_t, s->count);
	s->scope = SD_NEW0(mem, uint32_t, s->count);
	s->kind = SD_NEW0(mem, uint8_t, s->count);
	s->stream = s->lane;
	job->scopes = (struct sd_scopes){ .count = 1, .at = SD_NEW0(mem, struct sd_scope, 1) };
	s->node = s->of_node = job->sequence = job->rank = SD_NEW(mem, uint32_t, s->count); /* a slot per node, in order */
	memset(last, 0xff, shape->lanes * sizeof(*last));
	for (uint32_t i = 0; i < s->count; i++) {
		s->lane[i] = random_below(state, shape->lanes);
		s->before[i] = last[s->lane[i]];
		s->front[i] = s->before[i] != SD_NO_INDEX && random_below(state, 100) < shape->cuts ? SD_NO_INDEX : s->before[i];
		last[s->lane[i]] = i;
		job->sequence[i] = i;
	}
	make_starts(mem, job, shape, state);
	index_starts(mem, job);
	return job;
}

/* Distinct orders between lanes, and one over each cut; sorted by receiver. */
static void ask(struct sd_arena *mem, struct sd_job *job, const struct shape *shape, uint32_t *state, struct sd_order_list *asked)
{
	const struct sd_slots *s = &job->slots;
	uint8_t *drawn = SD_NEW0(mem, uint8_t, (size_t)s->count * s->count);

	for (uint32_t i = 0; i < shape->orders && s->count > 1; i++) {
		uint32_t to = 1 + random_below(state, s->count - 1);
		uint32_t from = to - 1 - random_below(state, to < shape->window ? to : shape->window);

		if (s->lane[from] != s->lane[to])
			drawn[to * s->count + from] = 1;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->front[i] != s->before[i])
			drawn[i * s->count + s->before[i]] = 1;
	}
	*asked = (struct sd_order_list){ 0, SD_NEW(mem, struct sd_order_pair, shape->orders + s->count) };
	for (uint32_t to = 0; to < s->count; to++) {
		/* The senders of one receiver are listed in no order: by sevens where that meets all of them. */
		for (uint32_t k = 0; k < s->count; k++) {
			uint32_t from = s->count % 7 ? (k * 7 + to) % s->count : k;

			if (drawn[to * s->count + from])
				asked->at[asked->count++] = (struct sd_order_pair){ from, to, SD_CAUSE_DATA, SD_NO_INDEX };
		}
	}
}

/* Whether all that start the piece of slot `at` are reached. */
static bool started(const struct sd_job *job, const bool *reached, uint32_t at)
{
	const struct sd_starts *starts = &job->starts;
	uint32_t lane = job->slots.lane[at], i = starts->first_of_lane[lane];
	bool all = i < starts->first_of_lane[lane + 1];

	for (; i < starts->first_of_lane[lane + 1]; i++)
		all &= reached[starts->at[i].node];
	return all;
}

/* Whether a way leads from `from` to `to` that does not use the order `but`. */
static bool leads(const struct sd_job *job, const struct sd_order_list *list, uint32_t but, uint32_t from, uint32_t to)
{
	const struct sd_slots *s = &job->slots;
	static bool reached[512];
	uint32_t i = 0;

	memset(reached, 0, sizeof(reached));
	reached[from] = true;
	for (uint32_t at = from + 1; at <= to; at++) {
		if (s->front[at] != SD_NO_INDEX)
			reached[at] = reached[s->front[at]];
		else
			reached[at] = started(job, reached, at);
		while (i < list->count && list->at[i].to < at)
			i++;
		for (uint32_t k = i; k < list->count && list->at[k].to == at; k++)
			reached[at] |= k != but && reached[list->at[k].from];
	}
	return reached[to];
}

static void check_reduction(const struct shape *shape, uint32_t seed)
{
	struct sd_arena mem;
	struct sd_job *job;
	struct sd_order_list asked, kept;
	uint32_t state = seed + 1, found = 0;

	sd_arena_init(&mem, 0);
	job = make_slots(&mem, shape, &state);
	ask(&mem, job, shape, &state, &asked);
	kept.at = SD_NEW(&mem, struct sd_order_pair, asked.count);
	ck_assert_int_eq(sd_reduce(job, &asked, &kept), SD_OK);
	for (uint32_t i = 0; i < asked.count; i++) {
		bool needed = !leads(job, &asked, i, asked.at[i].from, asked.at[i].to);
		bool has = found < kept.count && kept.at[found].from == asked.at[i].from && kept.at[found].to == asked.at[i].to;

		ck_assert_msg(needed == has, "seed %u: %u -> %u is %s", seed, asked.at[i].from, asked.at[i].to, needed ? "needed" : "implied");
		found += has;
	}
	ck_assert_uint_eq(found, kept.count);
	sd_arena_finish(&mem);
}

START_TEST(whole_lanes)
{
	for (uint32_t seed = 0; seed < 1500; seed++) {
		struct shape shape = { 2 + seed % 40, 1 + seed % 9, seed % 90, 1 + seed % 40, 0, 0 };

		check_reduction(&shape, seed);
	}
}
END_TEST

START_TEST(lanes_in_pieces)
{
	for (uint32_t seed = 0; seed < 1500; seed++) {
		struct shape shape = { 2 + seed % 40, 1 + seed % 6, seed % 60, 1 + seed % 40, 5 + seed % 60, 0 };

		check_reduction(&shape, seed);
	}
}
END_TEST

START_TEST(lanes_that_are_started)
{
	for (uint32_t seed = 0; seed < 3000; seed++) {
		struct shape shape = { 2 + seed % 40, 2 + seed % 7, seed % 80, 1 + seed % 40, seed % 2 * 20, 3 + seed % 8 };

		check_reduction(&shape, seed);
	}
}
END_TEST

START_TEST(more_lanes_than_a_block_of_clocks_holds)
{
	for (uint32_t seed = 0; seed < 40; seed++) {
		struct shape shape = { 300 + seed, 20 + seed * 3, 900, 30 + seed * 5, seed % 3 * 10, seed % 2 * 4 };

		check_reduction(&shape, seed);
	}
}
END_TEST

START_TEST(nothing_to_reduce)
{
	struct shape shape = { 0, 0, 0, 1, 0, 0 };

	check_reduction(&shape, 0);
	shape = (struct shape){ 1, 1, 0, 1, 0, 0 };
	check_reduction(&shape, 0);
}
END_TEST

static bool stop(void *arg)
{
	return *(bool *)arg;
}

START_TEST(ends_when_told)
{
	bool told = true;
	struct sd_hooks hooks = { &told, stop, NULL };
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct shape shape = { 10, 2, 10, 5, 0, 0 };
	struct sd_order_list asked, kept;
	struct sd_arena mem;
	uint32_t state = 1;
	struct sd_job *job;

	sd_arena_init(&mem, 0);
	job = make_slots(&mem, &shape, &state);
	ask(&mem, job, &shape, &state, &asked);
	kept.at = SD_NEW(&mem, struct sd_order_pair, asked.count);
	job->hooks = &hooks;
	job->diag = &diag;
	ck_assert_int_eq(sd_reduce(job, &asked, &kept), SD_CANCELLED);
	told = false;
	ck_assert_int_eq(sd_reduce(job, &asked, &kept), SD_OK);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("reduce", whole_lanes, lanes_in_pieces, lanes_that_are_started, more_lanes_than_a_block_of_clocks_holds, nothing_to_reduce, ends_when_told)
