/* verify_lanes_test - a logical stream in pieces stays one sequence, whatever is chosen. */
#include "body_world.h"
#include "run_tests.h"

/* Nothing but the logical stream orders its launches. */
#define APART "p Relu; if If p {t {e; q Relu\n[t]\nta Relu; tb Relu\n[e]\nea Relu"

START_TEST(pieces_follow_each_other_in_a_body)
{
	BODY_KEEPS(APART, "p>if ta>tb", "p +0 ta +1 | =0 -0 -1 tb ea q");
	BODY_BREAKS(APART, "p>if", "p +0 ta | =0 -0 tb ea q", LANE);
	BODY_BREAKS(APART, "ta>tb", "p ta +0 | =0 -0 tb ea q", LANE);
}
END_TEST

START_TEST(what_follows_behind_bodies_follows_each_of_them)
{
	BODY_KEEPS(APART, "if>q", "p ta tb ea +0 | =0 -0 q");
	BODY_BREAKS(APART, "", "p ta tb ea | =0 q", LANE);
	BODY_BREAKS(APART, "p>q", "p +0 ta tb ea | =0 -0 q", LANE);
}
END_TEST

/* Three in a row, whose bodies are a run on one piece but for the last. */
#define ROW "x If {t {e; y If {f {g; z If {h {i\n[t]\nta Relu\n[e]\nea Relu\n[f]\nfa Relu\n[g]\nga Relu\n[h]\nha Relu\n[i]\nia Relu"

START_TEST(a_run_of_bodies_on_one_piece_is_known_by_its_last)
{
	BODY_KEEPS(ROW, "y>z", "ta ea fa ga +0 | =0 -0 ha ia");
	BODY_BREAKS(ROW, "", "ta ea fa ga | =0 ha ia", LANE);
	BODY_BREAKS(ROW, "x>y", "ta ea +0 | =0 -0 fa ga | =0 ha ia", LANE);
	BODY_KEEPS(ROW, "x>y y>z", "ta ea +0 | =0 -0 fa ga +1 | =0 -1 ha ia");
}
END_TEST

RUN_TESTS("verify_lanes", pieces_follow_each_other_in_a_body, what_follows_behind_bodies_follows_each_of_them,
	a_run_of_bodies_on_one_piece_is_known_by_its_last)
