/* adjacency_test - predecessors and successors in the orders that the rules go by. */
#include "run_tests.h"

#include "adjacency.h"
#include "graph_builder.h"

static struct sd_arena mem;
static const struct sd_graph *g;
static struct sd_adjacency adj;

static void make(const char *text)
{
	g = &request_of(&mem, text)->graph;
	ck_assert_int_eq(sd_adjacency_make(&mem, g, &adj, NULL), SD_OK);
}

static const char *preds(const char *name)
{
	uint32_t n = node_named(g, name);

	return names_of(&mem, g, adj.pred + adj.pred_first[n], adj.pred_first[n + 1] - adj.pred_first[n]);
}

static const char *succs(const char *name)
{
	uint32_t n = node_named(g, name);

	return names_of(&mem, g, adj.succ + adj.succ_first[n], adj.succ_first[n + 1] - adj.succ_first[n]);
}

START_TEST(data_comes_before_control)
{
	make("a Relu; b Relu; c Relu ^b a ^a - b a; d Relu c");
	ck_assert_str_eq(preds("c"), "a b a b a");
	ck_assert_uint_eq(adj.data_pred_count[node_named(g, "c")], 3);
	ck_assert_str_eq(succs("a"), "c c c");
	ck_assert_uint_eq(adj.data_succ_count[node_named(g, "a")], 2);
	ck_assert_str_eq(succs("b"), "c c");
	ck_assert_uint_eq(adj.data_succ_count[node_named(g, "b")], 1);
	ck_assert_str_eq(preds("a"), "");
}
END_TEST

START_TEST(consumers_stand_by_output_then_as_listed)
{
	make("a Split; k Relu ^a; e Relu a:2; b Relu a:1 a:0; c Relu a:2147483647; d Relu a:0; f Relu a:1; m Relu ^a a:2");
	ck_assert_str_eq(succs("a"), "b d b f e m c k m");
	ck_assert_uint_eq(adj.data_succ_count[0], 7);
}
END_TEST

START_TEST(many_consumers_keep_their_order)
{
	char text[4096] = "a Split;", expected[4096] = "";

	for (int port = 20; port >= 0; port--) {
		for (int i = 0; i < 5; i++)
			snprintf(text + strlen(text), 64, "n%d_%d Relu a:%d;", port, i, port);
	}
	for (int port = 0; port <= 20; port++) {
		for (int i = 0; i < 5; i++)
			snprintf(expected + strlen(expected), 64, "%sn%d_%d", port + i ? " " : "", port, i);
	}
	make(text);
	ck_assert_str_eq(succs("a"), expected);
}
END_TEST

START_TEST(back_edges_of_loops_are_left_out)
{
	make("e Enter; m Merge e n; r RefMerge o; n NextIteration m; o RefNextIteration m; c Relu ^n n");
	ck_assert_str_eq(preds("m"), "e");
	ck_assert_str_eq(preds("r"), "");
	ck_assert_str_eq(preds("c"), "n");
	ck_assert_uint_eq(adj.data_pred_count[node_named(g, "c")], 0);
	ck_assert_str_eq(succs("n"), "c");
	ck_assert_str_eq(succs("m"), "n o");
}
END_TEST

START_TEST(graphs_stand_side_by_side)
{
	make("a Data; if If a {then {else; [then]; x Data; y Relu x; [else]; z Relu");
	ck_assert_str_eq(succs("x"), "y");
	ck_assert_str_eq(preds("y"), "x");
	ck_assert_str_eq(succs("z"), "");
	ck_assert_uint_eq(adj.pred_first[g->node_count], 2);
}
END_TEST

START_TEST(small_budgets_are_reported)
{
	struct sd_arena small;
	enum sd_status status = SD_RESOURCE_EXHAUSTED;

	make("a Relu; b Relu a");
	for (uint64_t fail_at = 1; status != SD_OK; fail_at++) {
		struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };

		sd_arena_init(&small, 0);
		small.fail_at = fail_at;
		status = sd_adjacency_make(&small, g, &adj, &diag);
		ck_assert(status == SD_OK || diag.code == SD_CODE_LIMIT_MEMORY);
		sd_arena_finish(&small);
		ck_assert_uint_lt(fail_at, 100);
	}
}
END_TEST

RUN_TESTS("adjacency", data_comes_before_control, consumers_stand_by_output_then_as_listed,
          many_consumers_keep_their_order, back_edges_of_loops_are_left_out, graphs_stand_side_by_side,
          small_budgets_are_reported)
