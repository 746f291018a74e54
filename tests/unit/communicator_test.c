/* communicator_test - the group of a collective, and where it is stated. */
#include "run_tests.h"

#include "communicator.h"
#include "graph_builder.h"

START_TEST(what_a_node_states_wins_over_its_attribute)
{
	struct sd_arena mem = { 0 };
	struct sd_graph *graph = &request_of(&mem, "a Op; b Op group=g; c Op comm=h; d Op comm=h group=g; e Op comm= group=g; f Op comm= ranks=4,5; "
	                                           "i Op group=7; o Op over=a")->graph;
	static const char *const group[] = { "", "g", "h", "h", "g", "", "", "" };
	static const bool states[] = { false, false, true, true, true, true, false, false };

	for (uint32_t n = 0; n < graph->node_count; n++) {
		ck_assert_msg(sd_text_is(sd_communicator(graph, n), group[n]), "node %u", n);
		ck_assert_msg((sd_comm_of(graph, n) != NULL) == states[n], "node %u", n);
	}
	ck_assert_uint_eq(sd_comm_of(graph, 5)->rank_count, 2);
	ck_assert_int_eq(graph->rank[sd_comm_of(graph, 5)->rank_first + 1], 5);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("communicator", what_a_node_states_wins_over_its_attribute)
