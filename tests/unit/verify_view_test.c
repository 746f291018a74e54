/* verify_view_test - nodes that a plan inserts behind a StreamSwitch. */
#include "run_tests.h"
#include "world.h"

/* r, behind s, starts the streams of b and c; d must come behind s too. */
static struct world *relayed(const char *streams)
{
	struct world *w = world_make("asbcdr", "as sb sc sd", streams, "01234");

	world_starts(w, 's', true);
	world_insert(w, 'r', 's');
	for (uint32_t y = 0; y < w->plan.sync_count; y++)
		w->sync[y].record_node = 1;
	return w;
}

#define RELAYED "as@4|b|c|?0d|r@12!0"

START_TEST(an_inserted_node_starts_and_tells_for_its_switch)
{
	WORLD_KEEPS(relayed(RELAYED));
	WORLD_BREAKS(relayed("as@4|b|c|d|r@12"), UNORDERED);
	WORLD_BREAKS(relayed("as@4|?0b|c|?1d|r@12!0!1"), REDUNDANT);
}
END_TEST

#define SPOILED(change, kind)                       \
	do {                                        \
		struct world *w = relayed(RELAYED); \
		change;                             \
		WORLD_BREAKS(w, kind);              \
	} while (0)

START_TEST(it_stands_behind_a_switch_of_the_request)
{
	SPOILED(w->inserted[0] = 0, COUNT);
	SPOILED(w->inserted[0] = 5, COUNT);
	SPOILED(w->inserted[0] = UINT32_MAX, COUNT);
	SPOILED(w->plan.inserted_count = 0, COUNT);
	SPOILED(w->plan.inserted_count = 2, COUNT);
	SPOILED(w->plan.node_count = 5, COUNT);
	SPOILED(w->sync[0].record_node = 5, PAIRING); /* the sync names the switch */
}
END_TEST

START_TEST(it_has_a_stream_of_its_own)
{
	SPOILED(w->stream[4].logical_id = 3, PLACEMENT);
	SPOILED(w->stream[4].logical_id = 5, COUNT);
	SPOILED(w->stream[4].attached = true, COUNT);
	SPOILED(w->node[5].logical_stream = 0, PLACEMENT);
	SPOILED(w->node[5].stream = SD_NO_STREAM, COUNT);
	SPOILED(w->stream[3].logical_id = 4, COUNT);
	WORLD_BREAKS(relayed("as@4|b|c||r@12d"), PLACEMENT);
}
END_TEST

RUN_TESTS("verify_view", an_inserted_node_starts_and_tells_for_its_switch, it_stands_behind_a_switch_of_the_request, it_has_a_stream_of_its_own)
