/* verify_ends_test - both ends of a sync in one scope, groups where bodies begin and end. */
#include "body_world.h"
#include "run_tests.h"

#define CHOICE "p Relu; if If p {t {e; q Relu if\n[t]\nta Relu\n[e]\nea Relu; eb Relu ea"

START_TEST(both_ends_have_one_scope)
{
	BODY_BREAKS(CHOICE, "p>ea if>q", "p +0 | -0 ea eb ta +1 | -1 q", PAIRING);
	BODY_BREAKS(CHOICE, "p>ta if>q", "p +0 | -0 ta ea eb +1 | -1 q", PAIRING);
	BODY_BREAKS(CHOICE, "p>if ta>ea if>q", "p +0 | -0 ta +1 | -0 -1 ea eb +2 | -2 q", PAIRING);
	BODY_BREAKS(CHOICE, "p>if if>q", "p +0 | -0/t ta ea eb +1 | -1 q", PAIRING);
}
END_TEST

START_TEST(groups_stand_at_the_edges_of_bodies)
{
	BODY_KEEPS(CHOICE, "p>if if>q", "p +0 | -0 ta ea eb +1 | -1 q");
	BODY_BREAKS(CHOICE, "p>if if>q", "p +0 | ta -0 ea eb +1 | -1 q", COMMAND);
	BODY_BREAKS(CHOICE, "p>if if>q", "p +0 | -0 ta +1 ea eb | -1 q", COMMAND);
	BODY_BREAKS("p Relu; r Relu; if If p {t {e; q Relu if\n[t]\nta Relu\n[e]\nea Relu", "p>if if>q", "p +0 | -0 r ta ea +1 | -1 q", UNNEEDED);
	BODY_BREAKS("p Relu; if If p {t {e; q Relu if; r Relu\n[t]\nta Relu\n[e]\nea Relu", "p>if if>q", "p +0 | -0 ta ea r +1 | -1 q", UNNEEDED);
}
END_TEST

START_TEST(bodies_stand_together)
{
	BODY_BREAKS(CHOICE, "", "p ea ta eb q", COMMAND);
	BODY_BREAKS("p Relu; if If p {t {e; q Relu if; r Relu\n[t]\nta Relu\n[e]\nea Relu; eb Relu ea", "", "p ta ea r eb q", COMMAND);
}
END_TEST

/* A call opens no scope: an edge leads into its body and out of it. */
START_TEST(calls_are_transparent)
{
	const char *graph = "p Relu; c PartitionedCall p {b; q Relu c\n[b]\na Relu; d Relu a";

	BODY_KEEPS(graph, "", "p a d q");
	BODY_KEEPS(graph, "p>a d>q", "p +0 -1 q | -0 a d +1");
	BODY_BREAKS(graph, "p>a", "p +0 q | -0 a d", UNORDERED);
	BODY_BREAKS(graph, "d>q", "p -0 q | a d +0", UNORDERED);
	BODY_BREAKS(graph, "p>c d>q", "p +0 -1 q | -0 a d +1", COMMAND);
}
END_TEST

RUN_TESTS("verify_ends", both_ends_have_one_scope, groups_stand_at_the_edges_of_bodies, bodies_stand_together, calls_are_transparent)
