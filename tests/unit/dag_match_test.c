/* dag_match_test - path covers: disjoint, along edges, and as few as can be. */
#include "run_tests.h"

#include "dag.h"
#include "random.h"

static struct sd_arena mem;
static struct sd_job job = { .mem = &mem };

/* A graph of `count` nodes with the edges for which `has` says so. */
static void make_graph(struct sd_paths *paths, uint32_t count, const uint8_t *has)
{
	uint32_t edges = 0;

	*paths = (struct sd_paths){ .dag = { .count = count, .succ_first = SD_NEW(&mem, uint32_t, count + 1),
	                                     .succ = SD_NEW(&mem, uint32_t, (size_t)count * count + 1) } };
	for (uint32_t u = 0; u < count; u++) {
		paths->dag.succ_first[u] = edges;
		for (uint32_t v = u + 1; v < count; v++) {
			if (has[u * count + v])
				paths->dag.succ[edges++] = v;
		}
	}
	paths->dag.succ_first[count] = edges;
}

/* Augments along any way, the plainest search there is. */
static bool place(const struct sd_dag *dag, uint32_t u, uint32_t *left, uint8_t *tried)
{
	for (uint32_t e = dag->succ_first[u]; e < dag->succ_first[u + 1]; e++) {
		uint32_t v = dag->succ[e];

		if (tried[v])
			continue;
		tried[v] = 1;
		if (left[v] == UINT32_MAX || place(dag, left[v], left, tried)) {
			left[v] = u;
			return true;
		}
	}
	return false;
}

static uint32_t fewest_paths(const struct sd_dag *dag)
{
	uint32_t paths = dag->count, left[64];

	memset(left, 0xff, sizeof(left));
	for (uint32_t u = 0; u < dag->count; u++) {
		uint8_t tried[64] = { 0 };

		paths -= place(dag, u, left, tried);
	}
	return paths;
}

static bool has_edge(const struct sd_dag *dag, uint32_t u, uint32_t v)
{
	for (uint32_t e = dag->succ_first[u]; e < dag->succ_first[u + 1]; e++) {
		if (dag->succ[e] == v)
			return true;
	}
	return false;
}

static void check_cover(const struct sd_paths *paths)
{
	uint8_t seen[64] = { 0 };

	for (uint32_t p = 0; p < paths->count; p++) {
		ck_assert_uint_lt(paths->first[p], paths->first[p + 1]);
		ck_assert(p == 0 || paths->work[paths->first[p - 1]] < paths->work[paths->first[p]]);
		for (uint32_t i = paths->first[p]; i < paths->first[p + 1]; i++) {
			ck_assert(!seen[paths->work[i]]++);
			ck_assert_uint_eq(paths->of_work[paths->work[i]], p);
			if (i > paths->first[p])
				ck_assert(has_edge(&paths->dag, paths->work[i - 1], paths->work[i]));
		}
	}
	ck_assert_uint_eq(paths->first[paths->count], paths->dag.count);
}

START_TEST(random_graphs)
{
	uint32_t state = 1;

	for (int round = 0; round < 3000; round++) {
		uint32_t count = random_below(&state, 40), dense = 1 + random_below(&state, 60);
		uint8_t *has = SD_NEW0(&mem, uint8_t, (size_t)count * count + 1);
		struct sd_paths paths;

		for (uint32_t i = 0; i < count * count; i++)
			has[i] = random_below(&state, 100) < dense;
		make_graph(&paths, count, has);
		ck_assert_int_eq(sd_dag_cover(&job, &paths), SD_OK);
		check_cover(&paths);
		ck_assert_uint_eq(paths.count, fewest_paths(&paths.dag));
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}
END_TEST

static struct sd_paths cover_of(uint32_t count, const uint32_t (*edge)[2], size_t edges)
{
	uint8_t *has = SD_NEW0(&mem, uint8_t, (size_t)count * count + 1);
	struct sd_paths paths;

	for (size_t i = 0; i < edges; i++)
		has[edge[i][0] * count + edge[i][1]] = 1;
	make_graph(&paths, count, has);
	ck_assert_int_eq(sd_dag_cover(&job, &paths), SD_OK);
	return paths;
}

START_TEST(small_covers)
{
	static const uint32_t three[][2] = { { 0, 1 }, { 1, 2 } };
	static const uint32_t fork[][2] = { { 0, 1 }, { 0, 2 } };
	/* The first choice of 0 must be given up for 1. */
	static const uint32_t exchanged[][2] = { { 0, 2 }, { 0, 3 }, { 1, 2 } };
	struct sd_paths paths;

	ck_assert_uint_eq(cover_of(0, three, 0).count, 0);
	ck_assert_uint_eq(cover_of(1, three, 0).count, 1);
	ck_assert_uint_eq(cover_of(5, three, 2).count, 3);
	paths = cover_of(3, fork, 2);
	ck_assert_uint_eq(paths.count, 2);
	ck_assert_uint_eq(paths.of_work[1], 0);
	paths = cover_of(4, exchanged, 3);
	ck_assert_uint_eq(paths.count, 2);
	ck_assert_uint_eq(paths.of_work[3], 0);
	ck_assert_uint_eq(paths.of_work[2], 1);
	sd_arena_finish(&mem);
}
END_TEST

/* 0 takes 1, and so on; the last node then makes all of them exchange their places. */
START_TEST(long_ways_need_no_recursion)
{
	uint32_t half = 200000, edges = 0, count = 2 * half + 1;
	struct sd_paths paths = { .dag = { .count = count, .succ_first = SD_NEW(&mem, uint32_t, count + 1),
	                                   .succ = SD_NEW(&mem, uint32_t, (size_t)2 * count) } };

	for (uint32_t u = 0; u < count; u++) {
		paths.dag.succ_first[u] = edges;
		if (u < half) {
			paths.dag.succ[edges++] = half + 1 + u;
			if (u + 1 < half)
				paths.dag.succ[edges++] = half + 2 + u;
		} else if (u == half) {
			paths.dag.succ[edges++] = half + 1;
		}
	}
	paths.dag.succ_first[count] = edges;
	ck_assert_int_eq(sd_dag_cover(&job, &paths), SD_OK);
	ck_assert_uint_eq(paths.count, count - half);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("dag_match", random_graphs, small_covers, long_ways_need_no_recursion)
