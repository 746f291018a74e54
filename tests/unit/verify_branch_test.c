/* verify_branch_test - what is known behind bodies of which one runs. */
#include "body_world.h"
#include "run_tests.h"

/* One body ends on a stream that the other does not use. */
#define ONE_SIDED "p Relu; if If p {t {e; q Relu if\n[t]\nta Relu\n[e]\nea Relu; eb Relu ea"

START_TEST(ends_on_other_streams_are_told)
{
	BODY_KEEPS(ONE_SIDED, "ea>eb if>q", "p ta ea +0 -1 q | -0 eb +1");
	BODY_BREAKS(ONE_SIDED, "ea>eb", "p ta ea +0 q | -0 eb", UNORDERED);
	BODY_BREAKS(ONE_SIDED, "p>if ea>eb if>q", "p +0 ta ea +1 -2 q | -0 -1 eb +2", UNNEEDED);
}
END_TEST

/* Both bodies begin and end on the second stream; r stands in front of them. */
#define BESIDE "p Relu; r Relu; if If p {t {e; q Relu if; s Relu r\n[t]\nta Relu\n[e]\nea Relu"

START_TEST(what_every_body_knows_is_known_behind_them)
{
	BODY_KEEPS(BESIDE, "p>if if>q", "p +0 | -0 ta ea +1 | -1 q r s");
	BODY_BREAKS(BESIDE, "p>if if>q", "p +0 | -0 ta ea +1 | -1 q s r", UNORDERED);
	BODY_BREAKS(BESIDE, "if>q", "p | ta ea +0 | -0 q r s", UNORDERED);
	BODY_BREAKS(BESIDE, "p>if", "p +0 | -0 ta ea | q r s", UNORDERED);
}
END_TEST

/* r comes before both bodies on the second stream, so that q knows it by either. */
#define BEFORE "p Relu; r Relu p; if If p {t {e; q Relu if r\n[t]\nta Relu\n[e]\nea Relu"

START_TEST(what_stands_before_bodies_is_known_behind_them)
{
	BODY_KEEPS(BEFORE, "p>r if>q", "p +0 | -0 r ta ea +1 | -1 q");
	BODY_BREAKS(BEFORE, "p>r r>q if>q", "p +0 | -0 r +1 ta ea +2 | -1 -2 q", REDUNDANT);
	BODY_BREAKS(BEFORE, "p>r p>q if>q", "p +0 +1 | -0 r ta ea +2 | -1 -2 q", REDUNDANT);
}
END_TEST

/* A loop of which the body may not run. */
#define LOOP "p Relu; w While p {c {b; q Relu w\n[c]\nca Relu\n[b]\nba Relu"

START_TEST(the_body_of_a_loop_may_not_run)
{
	BODY_KEEPS(LOOP, "", "p ca ba q");
	BODY_KEEPS(LOOP, "p>w w>q", "p +0 -1 q | -0 ca ba +1");
	BODY_BREAKS(LOOP, "p>w ca>ba w>q", "p +0 ca +1 -2 q | -0 -1 ba +2", PAIRING);
}
END_TEST

RUN_TESTS("verify_branch", ends_on_other_streams_are_told, what_every_body_knows_is_known_behind_them,
	what_stands_before_bodies_is_known_behind_them, the_body_of_a_loop_may_not_run)
