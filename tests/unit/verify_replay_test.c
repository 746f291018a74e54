/* verify_replay_test - command lists that can never run to their end, and streams that are activated. */
#include "run_tests.h"
#include "world.h"

START_TEST(circles_of_waits_are_found)
{
	WORLD_BREAKS(world_make("abcd", "da", "?1a!0|?0d!1|bc", "012"), DEADLOCK);
	WORLD_BREAKS(world_make("ab", "", "?0ab!0", "0"), DEADLOCK);
}
END_TEST

START_TEST(streams_start_once)
{
	struct world *w = world_make("ab", "", "a|b", "01");

	w->stream[1].initially_active = false;
	WORLD_BREAKS(w, DEADLOCK);
	w = world_make("ab", "ab", "a@1|b", "01");
	world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	WORLD_KEEPS(w);
	WORLD_BREAKS(world_make("ab", "ab", "a@1|b", "01"), COMMAND); /* nobody asked a to */
	w = world_make("ab", "ab", "a@1|b", "01");
	world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	w->stream[1].initially_active = true;
	WORLD_BREAKS(w, COMMAND);
	w = world_make("abc", "ab", "a@1|b@0", "01");
	world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	world_attr(w, 'b', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	w->node[2].stream = 0;
	WORLD_BREAKS(w, PLACEMENT);
}
END_TEST

START_TEST(streams_that_activate_each_other_never_start)
{
	struct world *w = world_make("ab", "", "a@1|b@0", "01");

	world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	world_attr(w, 'b', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	WORLD_BREAKS(w, DEADLOCK);
}
END_TEST

START_TEST(of_several_activators_any_may_come_first)
{
	struct world *w = world_make("abc", "ac", "a@2|b@2|c", "012");

	world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	world_attr(w, 'b', SD_ATTR_ACTIVE_LABEL_LIST, 0);
	WORLD_BREAKS(w, UNORDERED);
}
END_TEST

RUN_TESTS("verify_replay", circles_of_waits_are_found, streams_start_once,
	streams_that_activate_each_other_never_start, of_several_activators_any_may_come_first)
