/* verify_told_test - syncs are listed in the order of execution, bodies at the place of their parent. */
#include "body_world.h"
#include "run_tests.h"

#define GRAPH "p Relu; if If p {t {e; q Relu if; r Relu q\n[t]\nta Relu; tb Relu ta\n[e]\nea Relu"

START_TEST(syncs_in_bodies_come_between_those_around_them)
{
	BODY_KEEPS(GRAPH, "p>if ta>tb if>q q>r", "p +0 ea -2 q +3 | -0 ta +1 | -1 tb +2 | -3 r");
	BODY_BREAKS(GRAPH, "p>if if>q ta>tb q>r", "p +0 ea -1 q +3 | -0 ta +2 | -2 tb +1 | -3 r", COUNT);
	BODY_BREAKS(GRAPH, "p>if ta>tb q>r if>q", "p +0 ea -3 q +2 | -0 ta +1 | -1 tb +3 | -2 r", COUNT);
}
END_TEST

RUN_TESTS("verify_told", syncs_in_bodies_come_between_those_around_them)
