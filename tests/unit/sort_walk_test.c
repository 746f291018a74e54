/* sort_walk_test - the order of graphs and the flat order of nodes. */
#include "run_tests.h"

#include "sorted.h"

static struct sd_arena mem;
static const struct sd_graph *g;
static struct sd_order order;

static void walk(const char *text)
{
	struct sd_request *request = request_of(&mem, text);

	g = &request->graph;
	ck_assert_int_eq(sort_of(&mem, request, &order, NULL), SD_OK);
	for (uint32_t n = 0; n < g->node_count; n++)
		ck_assert_uint_eq(order.flat[order.flat_pos[n]], n);
}

static const char *flat(void)
{
	return names_of(&mem, g, order.flat, g->node_count);
}

static const char *graphs(void)
{
	static char text[256];

	text[0] = '\0';
	for (uint32_t i = 0; i < g->graph_count; i++) {
		struct sd_text name = g->graph[order.graph[i]].name;

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.*s", i ? " " : "", (int)name.len, name.at);
	}
	return text;
}

START_TEST(one_graph)
{
	walk("b Relu a; a Data");
	ck_assert_str_eq(flat(), "a b");
	ck_assert_str_eq(graphs(), "g");
}
END_TEST

START_TEST(bodies_stand_behind_their_node_and_are_visited_last_one_first)
{
	walk("a Data; if If a {then {else; b Relu if; [then]; x Data; y Relu x; [else]; z Data");
	ck_assert_str_eq(flat(), "a if x y z b");
	ck_assert_str_eq(graphs(), "g else then");
}
END_TEST

START_TEST(walk_enters_the_first_body_first)
{
	walk("c Case {b0 {b1; w While {cond {body;"
	     "[b0]; i If {t {e; [b1]; p If {q; [t]; t1 Relu; [e]; e1 Relu; [q]; q1 Relu; [cond]; c1 Relu; [body]; d1 Relu");
	ck_assert_str_eq(flat(), "c i t1 e1 p q1 w c1 d1");
	ck_assert_str_eq(graphs(), "g b1 b0 e t q body cond");
}
END_TEST

START_TEST(sorted_order_decides_not_the_listed_one)
{
	walk("second If first {s; first If {f; [s]; s2 Relu s1; s1 Data; [f]; f1 Relu");
	ck_assert_str_eq(flat(), "first f1 second s1 s2");
	ck_assert_str_eq(graphs(), "g f s");
}
END_TEST

START_TEST(empty_bodies_and_deepest_nesting)
{
	walk("n0 If {b1; [b1]; n1 If {b2; [b2]; n2 If {b3; [b3]; n3 If {b4; [b4]; n4 If {b5; [b5]; n5 If {b6; [b6]; n6 If {b7;"
	     "[b7]; n7 If {b8; [b8]; n8 If {b9; [b9]; n9 If {b10 {empty; [b10]; n10 Relu; [empty]");
	ck_assert_str_eq(flat(), "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10");
	ck_assert_str_eq(graphs(), "g b1 b2 b3 b4 b5 b6 b7 b8 b9 empty b10");
}
END_TEST

RUN_TESTS("sort_walk", one_graph, bodies_stand_behind_their_node_and_are_visited_last_one_first,
          walk_enters_the_first_body_first, sorted_order_decides_not_the_listed_one, empty_bodies_and_deepest_nesting)
