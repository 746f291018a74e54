/* verify_entries_test - the next turn of a loop begins behind the ends of its body. */
#include "body_world.h"
#include "run_tests.h"

#define LOOP "p Relu; w While p {c {b; q Relu w\n[c]\nca Relu\n[b]\nba Relu; bb Relu ba"

START_TEST(turns_wait_for_the_ends_of_the_body)
{
	BODY_KEEPS(LOOP, "p>w ba>bb bb>w+ w>q", "p +0 -3 q | -0 ca ba +1 -2/b +3 | -1 bb +2");
	BODY_BREAKS(LOOP, "p>w ba>bb w>q w>q", "p +0 -2 -3 q | -0 ca ba +1 +2 | -1 bb +3", UNORDERED);
	BODY_KEEPS("p Relu; w While p {c {b; q Relu w\n[c]\nca Relu\n[b]\nba Relu", "p>w w>q", "p +0 -1 q | -0 ca ba +1");
}
END_TEST

START_TEST(turns_are_looked_at_where_bodies_begin)
{
	/* Nothing begins on the third stream. */
	BODY_BREAKS(LOOP, "p>w ba>bb ba>w+ bb>w+ w>q", "p +0 -4 q | -0 ca ba +1 +2 -3/b +4 | -1 bb +3 -2/b", COMMAND);
	/* What a turn waits for is in the body. */
	BODY_BREAKS(LOOP, "p>w ba>bb bb>w+ w>q", "p +0 -3 q | -0 ca ba +1 -2 +3 | -1 bb +2", PAIRING);
}
END_TEST

/* The inner node is launched: its body begins behind it. */
#define LAUNCHED "p Relu; if If p {t {e; q Relu if\n[t]\nin If tasks=1 {u {v\n[u]\nua Relu\n[v]\nva Relu\n[e]\nea Relu"

START_TEST(bodies_of_a_launched_node_begin_behind_it)
{
	BODY_KEEPS(LAUNCHED, "in>in if>q", "p in +0 ea -1 q | -0 ua va +1");
	BODY_BREAKS(LAUNCHED, "p>if in>in if>q", "p +0 in +1 ea -2 q | -0 -1 ua va +2", UNNEEDED);
}
END_TEST

RUN_TESTS("verify_entries", turns_wait_for_the_ends_of_the_body, turns_are_looked_at_where_bodies_begin,
	bodies_of_a_launched_node_begin_behind_it)
