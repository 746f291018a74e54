/* verify_starts_test - which streams are started by label, and by the first StreamActive of a body. */
#include "body_world.h"
#include "run_tests.h"

#define CALL(active) \
	"p Relu; c PartitionedCall p {b; q Relu c\n[b]\n" \
	"a StreamActive subgraph_first_active=true" active "; x Relu ^a; y Relu ^a _stream_label=L; out NetOutput@DNN_VM_RTS x y"

START_TEST(the_first_streamactive_starts_the_streams_of_its_body)
{
	BODY_KEEPS(CALL(""), "x>out y>out", "p a @1,2 -0 -1 out q | ~ x +0 | ~ y +1");
	BODY_BREAKS(CALL(""), "a>y x>out y>out", "p a @1 +0 -1 -2 out q | ~ x +1 | -0 y +2", COMMAND);
	/* A stream of the root runs already. */
	BODY_KEEPS("p Relu; r Relu; c PartitionedCall p {b; q Relu c r\n[b]\na StreamActive subgraph_first_active=true; x Relu ^a",
	           "a>x x>q", "p a +0 -1 q | r -0 x +1");
	BODY_BREAKS("p Relu; r Relu; c PartitionedCall p {b; q Relu c r\n[b]\na StreamActive subgraph_first_active=true; x Relu ^a",
	            "x>q", "p a @1 -0 q | ~ r x +0", COMMAND);
}
END_TEST

START_TEST(labels_of_the_body_start_the_rest)
{
	const char *graph = CALL("; s StreamActive ^a _active_label_list=[L]");

	BODY_KEEPS(graph, "x>out y>out", "p a @1 s @2 -0 -1 out q | ~ x +0 | ~ y +1");
	BODY_BREAKS(graph, "x>out y>out", "p a @1,2 s -0 -1 out q | ~ x +0 | ~ y +1", COMMAND);
	BODY_BREAKS(graph, "x>out y>out", "p a @2 s @1 -0 -1 out q | ~ x +0 | ~ y +1", COMMAND);
}
END_TEST

START_TEST(pieces_are_started_in_the_body_in_which_they_begin)
{
	const char *graph = "p Relu; c PartitionedCall p {b; q Relu c\n[b]\na StreamActive subgraph_first_active=true; x Relu ^a; y Relu x; z Relu y";

	BODY_KEEPS(graph, "x>y z>q", "p a @1,2 -1 q | ~ x +0 | =1 ~ -0 y z +1");
	BODY_BREAKS(graph, "x>y z>q", "p a @1 -1 q | ~ x +0 | =1 -0 y z +1", COMMAND);
}
END_TEST

RUN_TESTS("verify_starts", the_first_streamactive_starts_the_streams_of_its_body, labels_of_the_body_start_the_rest,
	pieces_are_started_in_the_body_in_which_they_begin)
