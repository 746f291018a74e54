/* cluster_order_test - ranks follow the list, however often clusters are moved. */
#include "run_tests.h"

#include "cluster_order.h"
#include "random.h"

#define CLUSTERS 40u

static struct sd_arena mem;
static struct sd_cluster_order order;
static uint32_t plain[CLUSTERS], count; /* the list as an array */

static void begin(void)
{
	ck_assert(sd_cluster_order_init(&order, &mem, CLUSTERS));
	for (count = 0; count < CLUSTERS; count++)
		plain[count] = count;
}

static void check_list(void)
{
	uint32_t at = order.behind[CLUSTERS];
	uint64_t rank = 0;

	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(at, plain[i]);
		ck_assert(order.rank[at] > rank);
		rank = order.rank[at];
		at = order.behind[at];
	}
	ck_assert_uint_eq(at, CLUSTERS);
}

static uint32_t take_plain(uint32_t index)
{
	uint32_t cluster = plain[index];

	memmove(&plain[index], &plain[index + 1], (--count - index) * sizeof(*plain));
	return cluster;
}

static void put_plain(uint32_t index, uint32_t cluster)
{
	memmove(&plain[index + 1], &plain[index], (count++ - index) * sizeof(*plain));
	plain[index] = cluster;
}

/* Moves each cluster behind place `next` with the odds of one in `odds` in front of it. */
static void move(uint32_t next, uint32_t odds, uint32_t *state)
{
	uint32_t moved[CLUSTERS], spare[CLUSTERS], moved_count = 0, target = plain[next], front = next;

	for (uint32_t i = next + 1; i < count; i++) {
		if (random_below(state, odds) == 0) {
			moved[moved_count] = take_plain(i);
			put_plain(front++, moved[moved_count++]);
		}
	}
	/* They are given in any order. */
	for (uint32_t i = 1; i < moved_count; i++) {
		uint32_t k = random_below(state, i + 1), swap = moved[i];

		moved[i] = moved[k];
		moved[k] = swap;
	}
	sd_cluster_move(&order, moved, moved_count, target, spare);
	check_list();
}

START_TEST(moved_clusters_keep_their_order)
{
	for (uint32_t seed = 0; seed < 50; seed++) {
		uint32_t state = seed + 1;

		begin();
		for (uint32_t i = 0; i < 60; i++)
			move(random_below(&state, count - 1), 1 + seed % 9, &state);
		sd_arena_finish(&mem);
	}
}
END_TEST

/* Each is moved in front of the one before: the gap there is halved until there is none. */
START_TEST(gaps_may_be_used_up)
{
	uint32_t state = 1, renumbered = 0;

	begin();
	for (uint32_t i = 0; i < 2000; i++) {
		uint64_t last = order.rank[plain[count - 2]];
		uint32_t spare, moved = take_plain(count - 1);

		put_plain(0, moved);
		sd_cluster_move(&order, &moved, 1, plain[1], &spare);
		check_list();
		renumbered += order.rank[plain[count - 1]] != last;
	}
	ck_assert_uint_gt(renumbered, 10);
	move(0, 2, &state);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(taken_and_replaced)
{
	begin();
	sd_cluster_take(&order, take_plain(7));
	check_list();
	sd_cluster_replace(&order, 3, 7);
	plain[3] = 7;
	check_list();
	sd_cluster_take(&order, take_plain(0));
	sd_cluster_take(&order, take_plain(count - 1));
	check_list();
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(none_at_all)
{
	ck_assert(sd_cluster_order_init(&order, &mem, 0));
	sd_cluster_move(&order, NULL, 0, 0, NULL);
	mem.fail_at = mem.calls + 1;
	ck_assert(!sd_cluster_order_init(&order, &mem, 4));
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("cluster_order", moved_clusters_keep_their_order, gaps_may_be_used_up, taken_and_replaced, none_at_all)
