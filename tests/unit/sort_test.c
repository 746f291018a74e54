/* sort_test - which rule an option chooses, and what never changes. */
#include "run_tests.h"

#include "sorted.h"
#include "streamd/planner.h"

static struct sd_arena mem;

/* Every rule gives another order for it. */
#define FORK "k Const; x Data; c Relu x k; b Relu x; a Add c b; z Relu k; out NetOutput a z"

START_TEST(each_rule_has_its_order)
{
	ck_assert_str_eq(sorted(&mem, FORK, SD_SORT_SUBMITTED, false), "k x c b a z out");
	ck_assert_str_eq(sorted(&mem, FORK, SD_SORT_STABLE, false), "k x c b a z out");
	ck_assert_str_eq(sorted(&mem, FORK, SD_SORT_DFS, false), "x b k z c a out");
	ck_assert_str_eq(sorted(&mem, FORK, SD_SORT_BFS, false), "x b k c z a out");
	ck_assert_str_eq(sorted(&mem, FORK, SD_SORT_RDFS, false), "x k c b a z out");
}
END_TEST

START_TEST(memory_priority_means_nothing_to_listed_and_reverse_orders)
{
	static const enum sd_sorting rules[] = { SD_SORT_SUBMITTED, SD_SORT_STABLE, SD_SORT_RDFS };

	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(sorted(&mem, FORK, rules[i], true), sorted(&mem, FORK, rules[i], false));
}
END_TEST

START_TEST(names_take_part_where_the_rule_compares_them)
{
	for (int rule = SD_SORT_SUBMITTED; rule <= SD_SORT_STABLE; rule++) {
		for (int memory = 0; memory < 2; memory++) {
			struct sd_options options = { .topo_sorting = (enum sd_sorting)rule, .memory_priority = memory };
			bool expected = rule == SD_SORT_BFS || rule == SD_SORT_RDFS || (rule == SD_SORT_DFS && memory);

			ck_assert_int_eq(sd_plan_compares_names(&options), expected);
		}
	}
}
END_TEST

/* Text of a random graph listed in a random order; edges go from lower to higher numbers. */
static const char *random_graph(unsigned seed)
{
	static char text[8192];
	unsigned count = 2 + seed % 17, order[20];
	char *at = text;

	srand(seed);
	for (unsigned i = 0; i < count; i++) {
		unsigned k = (unsigned)rand() % (i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned n = order[i];

		at += sprintf(at, "n%u %s", n, rand() % 4 ? "Relu" : "Data");
		for (int k = rand() % 4; k > 0 && n > 0; k--)
			at += sprintf(at, " %sn%u", rand() % 5 ? "" : "^", (unsigned)rand() % n);
		at += sprintf(at, " bytes=%d;", rand() % 3);
	}
	return text;
}

START_TEST(every_rule_keeps_every_edge)
{
	for (unsigned seed = 0; seed < 500; seed++) {
		struct sd_request *request = request_of(&mem, random_graph(seed));
		const struct sd_graph *g = &request->graph;
		struct sd_order order;

		request->options.topo_sorting = (enum sd_sorting)(seed % 5);
		request->options.memory_priority = seed / 5 % 2;
		ck_assert_int_eq(sort_of(&mem, request, &order, NULL), SD_OK);
		for (uint32_t n = 0; n < g->node_count; n++) {
			ck_assert_uint_eq(order.node[order.pos[n]], n);
			for (uint32_t i = g->in_first[n]; i < g->in_first[n + 1]; i++)
				ck_assert_uint_lt(order.pos[g->in[i].src], order.pos[n]);
		}
		sd_arena_reset(&mem, 1 << 20);
	}
}
END_TEST

START_TEST(graphs_are_sorted_each_for_itself)
{
	const char *text = "b Relu if; if If a {then; a Data; [then]; y Relu x; x Data";

	ck_assert_str_eq(sorted(&mem, text, SD_SORT_SUBMITTED, false), "a if b x y");
	ck_assert_str_eq(sorted(&mem, text, SD_SORT_BFS, false), "a if b x y");
}
END_TEST

START_TEST(small_budgets_are_reported)
{
	for (int rule = SD_SORT_SUBMITTED; rule <= SD_SORT_STABLE; rule++) {
		struct sd_request *request = request_of(&mem, "b Relu a; a Data; c Relu b");
		struct sd_adjacency adjacency;
		enum sd_status status = SD_RESOURCE_EXHAUSTED;

		request->options.topo_sorting = (enum sd_sorting)rule;
		request->options.memory_priority = true;
		ck_assert_int_eq(sd_adjacency_make(&mem, &request->graph, &adjacency, NULL), SD_OK);
		for (uint64_t fail_at = 1; status != SD_OK; fail_at++) {
			struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
			struct sd_arena small;
			struct sd_order order;

			sd_arena_init(&small, 0);
			small.fail_at = fail_at;
			status = sd_sort_make(&small, request, &adjacency, &order, &diag);
			ck_assert(status == SD_OK || diag.code == SD_CODE_LIMIT_MEMORY);
			sd_arena_finish(&small);
			ck_assert_uint_lt(fail_at, 100);
		}
	}
}
END_TEST

RUN_TESTS("sort", each_rule_has_its_order, memory_priority_means_nothing_to_listed_and_reverse_orders,
          names_take_part_where_the_rule_compares_them, every_rule_keeps_every_edge,
          graphs_are_sorted_each_for_itself, small_budgets_are_reported)
