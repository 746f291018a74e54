/* verify_wants_test - what consumers of nodes with bodies wait for, and what bodies wait for. */
#include "body_world.h"
#include "run_tests.h"

START_TEST(a_body_ends_with_its_output)
{
	const char *graph = "p Relu; if If p {t {e; q Relu if\n[t]\nta Relu; tb Relu; out NetOutput@DNN_VM_RTS ta\n[e]\nea Relu";

	/* tb leads nowhere: nobody waits for it. */
	BODY_KEEPS(graph, "p>if", "p +0 ta out ea q | -0 tb");
	BODY_BREAKS(graph, "p>if if>q", "p +0 ta out ea -1 q | -0 tb +1", REDUNDANT);
}
END_TEST

START_TEST(without_output_it_ends_where_nobody_consumes)
{
	const char *graph = "p Relu; if If p {t {e; q Relu if\n[t]\nta Relu; tb Relu ta\n[e]\nea Relu; eb Relu";

	BODY_KEEPS(graph, "p>if if>q", "p +0 ta tb ea -1 q | -0 eb +1");
	BODY_BREAKS(graph, "p>if", "p +0 ta tb ea q | -0 eb", UNORDERED);
}
END_TEST

START_TEST(what_bodies_do_not_launch_their_parents_producers_stand_for)
{
	const char *graph = "p Relu; if If p {t {e; q Relu if\n[t]\nd Data _parent_node_index=0\n[e]\nea Relu";

	BODY_KEEPS(graph, "", "p ea q");
	BODY_KEEPS(graph, "p>if if>q", "p +0 | -0 ea +1 | -1 q");
	BODY_BREAKS(graph, "p>if p>q if>q", "p +0 +1 | -0 ea +2 | -1 -2 q", REDUNDANT);
	BODY_BREAKS(graph, "p>if", "p +0 | -0 ea | q", UNORDERED);
}
END_TEST

RUN_TESTS("verify_wants", a_body_ends_with_its_output, without_output_it_ends_where_nobody_consumes,
	what_bodies_do_not_launch_their_parents_producers_stand_for)
