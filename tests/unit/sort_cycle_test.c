/* sort_cycle_test - cycles are refused by naming a node on one. */
#include "run_tests.h"

#include "sorted.h"

static struct sd_arena mem;

/* The node that every rule names. */
static const char *refused(const char *text)
{
	uint32_t named = SD_NO_NODE;
	struct sd_request *request = request_of(&mem, text);

	for (int rule = SD_SORT_SUBMITTED; rule <= SD_SORT_STABLE; rule++) {
		struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
		struct sd_order order;

		request->options.topo_sorting = (enum sd_sorting)rule;
		ck_assert_int_eq(sort_of(&mem, request, &order, &diag), SD_INVALID_ARGUMENT);
		ck_assert_int_eq(diag.code, SD_CODE_CYCLE);
		ck_assert(rule == 0 || diag.node == named);
		named = diag.node;
	}
	return names_of(&mem, &request->graph, &named, 1);
}

START_TEST(lowest_node_of_a_cycle_is_named)
{
	ck_assert_str_eq(refused("a Relu a"), "a");
	ck_assert_str_eq(refused("d Data; a Relu d b; b Relu a; out NetOutput b"), "a");
	ck_assert_str_eq(refused("a Relu ^b; b Relu ^a"), "a");
	/* neither in front of it nor behind it */
	ck_assert_str_eq(refused("out NetOutput e; tail Relu e; e Relu c; c Relu d; d Relu b e; b Data"), "e");
	ck_assert_str_eq(refused("x Relu out; out NetOutput c; c Relu d; d Relu c"), "c");
}
END_TEST

START_TEST(cycle_in_a_body_is_found)
{
	ck_assert_str_eq(refused("a Data; if If a {then; [then]; x Data; y Relu x z; z Relu y"), "y");
}
END_TEST

START_TEST(loops_of_iterations_are_no_cycles)
{
	ck_assert_str_eq(sorted(&mem, "e Enter; m Merge e n; n NextIteration m", SD_SORT_SUBMITTED, false), "e m n");
	ck_assert_str_eq(sorted(&mem, "e Enter; n RefNextIteration m; m RefMerge e n", SD_SORT_DFS, false), "e m n");
	/* their control edges order as any other */
	ck_assert_str_eq(refused("e Enter; m Merge e ^n; n NextIteration m"), "m");
}
END_TEST

START_TEST(long_cycles_need_no_recursion)
{
	static char text[64 * 20000];
	char *at = text;

	for (int i = 0; i < 20000; i++)
		at += sprintf(at, "n%d Relu;", i);
	/* the builder looks names up one by one: one long chain is made of indices below */
	struct sd_request *request = request_of(&mem, text);
	struct sd_graph *g = &request->graph;
	struct sd_edge *in = SD_NEW(&mem, struct sd_edge, 20000);
	uint32_t *in_first = SD_NEW(&mem, uint32_t, 20001);
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	struct sd_order order;

	for (uint32_t i = 0; i < 20000; i++) {
		in[i] = (struct sd_edge){ (i + 1) % 20000, 0 };
		in_first[i] = i;
	}
	in_first[20000] = g->edge_count = 20000;
	g->in = in;
	g->in_first = in_first;
	ck_assert_int_eq(sort_of(&mem, request, &order, &diag), SD_INVALID_ARGUMENT);
	ck_assert_uint_eq(diag.node, 0);
	in[19999].src = SD_NO_NODE; /* now the chain runs backwards through all nodes */
	for (int rule = SD_SORT_SUBMITTED; rule <= SD_SORT_STABLE; rule++) {
		request->options.topo_sorting = (enum sd_sorting)rule;
		ck_assert_int_eq(sort_of(&mem, request, &order, NULL), SD_OK);
		for (uint32_t i = 0; i < 20000; i++)
			ck_assert_uint_eq(order.node[i], 19999 - i);
	}
}
END_TEST

RUN_TESTS("sort_cycle", lowest_node_of_a_cycle_is_named, cycle_in_a_body_is_found, loops_of_iterations_are_no_cycles,
          long_cycles_need_no_recursion)
