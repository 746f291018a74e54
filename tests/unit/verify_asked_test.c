/* verify_asked_test - nodes have what they asked for, no more and no less. */
#include "run_tests.h"
#include "world.h"

/* Two nodes; b has `count` events, or notifies, numbered from 0. */
static struct world *given(uint32_t events, uint32_t notifies)
{
	struct world *w = world_make("ab", "ab", "ab", "0");

	w->node[1].event_count = w->plan.attached_event_count = w->plan.event_count = events;
	w->node[1].notify_count = w->plan.attached_notify_count = w->plan.notify_count = notifies;
	for (uint32_t i = 0; i < 8; i++)
		w->attached_event[i] = w->attached_notify[i] = i;
	return w;
}

/* Two entries: the first one required, the second one not. */
static void asks_newer(struct world *w, int64_t type)
{
	struct sd_map *two = SD_NEW0(&w->mem, struct sd_map, 2);

	world_asks(w, 'b', SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST, true,
	           (struct sd_attr[4]){ WORLD_INT("_attached_resource_type", type), WORLD_TRUE("_attached_resource_required_flag") });
	two[0] = two[1] = *w->attr[0].value.maps;
	two[1].count = 1;
	w->attr[0].value.maps = two;
	w->attr[0].value.count = 2;
}

START_TEST(newer_lists_give_bounds)
{
	for (uint32_t have = 0; have < 4; have++) {
		for (int64_t type = 0; type < 3; type++) {
			struct world *w = type == 1 ? given(0, have) : given(have, 0);
			bool right = type == 2 ? have == 0 : have == 1 || have == 2;

			asks_newer(w, type);
			if (right)
				WORLD_KEEPS(w);
			else
				WORLD_BREAKS(w, PLACEMENT);
		}
	}
}
END_TEST

START_TEST(older_lists_ask_for_events)
{
	for (uint32_t have = 0; have < 3; have++) {
		struct world *w = given(have, 0);

		world_asks(w, 'b', SD_ATTR_ATTACHED_SYNC_RES_INFO, true, (struct sd_attr[4]){ WORLD_TEXT("_attached_sync_res_type", "event") });
		if (have == 1)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, PLACEMENT);
		w = given(have, 0);
		world_asks(w, 'b', SD_ATTR_ATTACHED_SYNC_RES_INFO, true, (struct sd_attr[4]){ WORLD_TEXT("_attached_sync_res_type", "other") });
		if (have == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, PLACEMENT);
	}
}
END_TEST

static void asks_for_notifies(struct world *w, const char *group, int64_t type)
{
	world_say(w, 'b', SD_ATTR_GROUP, group);
	world_asks(w, 'b', SD_ATTR_ATTACHED_NOTIFY_INFO, false,
	           (struct sd_attr[4]){ WORLD_TEXT("_attached_notify_key", "k"), WORLD_INT("_attached_notify_type", type) });
}

START_TEST(older_maps_ask_for_notifies_of_a_type)
{
	struct world *w = given(0, 2);

	asks_for_notifies(w, "g", 5);
	w->notify_type[0] = w->notify_type[1] = 5;
	WORLD_KEEPS(w);
	w = given(0, 2);
	asks_for_notifies(w, "g", 5);
	w->notify_type[0] = 5;
	WORLD_BREAKS(w, PLACEMENT);
	w = given(0, 0);
	asks_for_notifies(w, "g", 5);
	WORLD_BREAKS(w, PLACEMENT);
	w = given(0, 0);
	asks_for_notifies(w, "", 5);
	WORLD_KEEPS(w);
	w = given(0, 1);
	asks_for_notifies(w, "", 0);
	WORLD_BREAKS(w, PLACEMENT);
}
END_TEST

START_TEST(notifies_between_streams_have_no_type)
{
	struct world *w = world_make("ab", "ab", "a!~0|?~0b", "01");

	w->notify_type[0] = 1;
	WORLD_BREAKS(w, COUNT);
}
END_TEST

START_TEST(who_opts_out_gets_nothing)
{
	struct world *w = given(1, 0);

	asks_newer(w, 0);
	world_attr(w, 'b', SD_ATTR_DISABLE_ATTACHED_RESOURCE, 0);
	WORLD_BREAKS(w, PLACEMENT);
	w = given(0, 0);
	asks_newer(w, 0);
	world_attr(w, 'b', SD_ATTR_DISABLE_ATTACHED_RESOURCE, 0);
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(older_attributes_count_only_without_newer_ones)
{
	struct world *w = given(1, 0);

	asks_newer(w, 2);
	world_asks(w, 'b', SD_ATTR_ATTACHED_SYNC_RES_INFO, true, (struct sd_attr[4]){ WORLD_TEXT("_attached_sync_res_type", "event") });
	WORLD_BREAKS(w, PLACEMENT);
}
END_TEST

START_TEST(attached_streams_are_asked_for)
{
	struct world *w = world_make("ab", "ab", "ab|*b", "01");

	WORLD_BREAKS(w, PLACEMENT);
	w = world_make("ab", "ab", "ab", "0");
	world_attaches(w, 'b', -1);
	WORLD_BREAKS(w, PLACEMENT);
	w = world_make("ab", "ab", "ab|*b", "01");
	world_asks(w, 'b', SD_ATTR_ATTACHED_STREAM_INFO, true, (struct sd_attr[4]){ WORLD_TEXT("_attached_stream_key", "") });
	WORLD_KEEPS(w);
	w = world_make("ab", "ab", "ab|*b", "01"); /* a map needs a group and a key */
	world_asks(w, 'b', SD_ATTR_ATTACHED_STREAM_INFO, false, (struct sd_attr[4]){ WORLD_TEXT("_attached_stream_key", "k") });
	WORLD_BREAKS(w, PLACEMENT);
}
END_TEST

START_TEST(the_summary_lists_attached_streams_in_order)
{
	static const uint32_t listed[] = { 1, 0, 2 };

	for (int i = 0; i < 3; i++) {
		struct world *w = world_make("ab", "ab", "ab|*b", "01");

		world_attaches(w, 'b', -1);
		w->plan.summary_attached = &listed[i];
		w->plan.summary_attached_count = w->summary[0].attached_count = 1;
		if (i == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, COUNT);
	}
}
END_TEST

RUN_TESTS("verify_asked", newer_lists_give_bounds, older_lists_ask_for_events, older_maps_ask_for_notifies_of_a_type,
	notifies_between_streams_have_no_type, who_opts_out_gets_nothing, older_attributes_count_only_without_newer_ones,
	attached_streams_are_asked_for, the_summary_lists_attached_streams_in_order)
