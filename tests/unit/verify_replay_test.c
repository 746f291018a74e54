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

static struct world *two_starters(const char *edges, const char *streams, bool switches)
{
	struct world *w = world_make("abcd", edges, streams, "0123");

	world_starts(w, 'a', switches);
	world_starts(w, 'b', switches);
	return w;
}

START_TEST(a_stream_knows_what_all_its_starters_know)
{
	/* c runs behind d, which both a and b are behind. */
	WORLD_KEEPS(two_starters("da db dc", "?0a@2|?1b@2|c|d!0!1", false));
	/* It is no matter which of the two is behind the other. */
	WORLD_KEEPS(two_starters("ab ac", "a@2!0|?0b@2|c|d", false));
	WORLD_BREAKS(two_starters("da dc", "?0a@2|b@2|c|d!0", false), UNORDERED);
	WORLD_BREAKS(two_starters("da db dc", "?0a@2|?1b@2|?2c|d!0!1!2", false), REDUNDANT);
}
END_TEST

START_TEST(a_starter_behind_the_stream_itself_tells_nothing)
{
	WORLD_KEEPS(two_starters("cb", "a@2|?0b@2|c!0|d", false));
	WORLD_BREAKS(two_starters("ac cb", "a@2|?0b@2|c!0|d", false), UNORDERED);
	WORLD_KEEPS(two_starters("ac cb", "a@2!0|?1b@2|?0c!1|d", false));
}
END_TEST

START_TEST(a_head_is_that_of_the_only_starter)
{
	struct world *w = two_starters("ad", "a@2|b@2|!0c|?0d", true);

	w->sync[0].record_node = 0;
	WORLD_BREAKS(w, PAIRING);
	w = two_starters("ad", "a@2|b|!0c|?0d", true);
	w->sync[0].record_node = 0;
	WORLD_KEEPS(w);
}
END_TEST

RUN_TESTS("verify_replay", a_stream_knows_what_all_its_starters_know, a_starter_behind_the_stream_itself_tells_nothing,
	a_head_is_that_of_the_only_starter, circles_of_waits_are_found, streams_start_once,
	streams_that_activate_each_other_never_start, of_several_activators_any_may_come_first)
