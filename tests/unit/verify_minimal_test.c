/* verify_minimal_test - syncs that are implied by the others, or that nobody asks for. */
#include "run_tests.h"
#include "world.h"

START_TEST(implied_syncs_are_found)
{
	WORLD_BREAKS(world_make("ab", "ab", "a!0?0b", "0"), REDUNDANT);
	WORLD_BREAKS(world_make("abc", "ab bc ac", "a!0!1|?0b!2|?1?2c", "012"), REDUNDANT);
	WORLD_BREAKS(world_make("abcd", "ad bc", "a!0b!1|?1c?0d", "01"), REDUNDANT);
	WORLD_BREAKS(world_make("abc", "ac bc", "a!0b!1|?0?1c", "01"), REDUNDANT);
}
END_TEST

START_TEST(syncs_that_nobody_asks_for_are_found)
{
	struct world *w;

	WORLD_BREAKS(world_make("ab", "", "a!0|?0b", "01"), UNNEEDED);
	WORLD_BREAKS(world_make("abc", "ac", "ab!0|?0c", "01"), UNNEEDED);
	w = world_make("ab", "", "a!0|?0b", "01");
	w->sync[0].cause = SD_CAUSE_ORDER;
	WORLD_KEEPS(w);
}
END_TEST

RUN_TESTS("verify_minimal", implied_syncs_are_found, syncs_that_nobody_asks_for_are_found)
