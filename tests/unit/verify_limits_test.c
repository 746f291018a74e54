/* verify_limits_test - limits of the device, and the order in which syncs are told. */
#include "run_tests.h"
#include "world.h"

static struct world *limited(int64_t streams, int64_t tasks, int64_t events)
{
	struct world *w = world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01");
	struct sd_limits *limits = &w->request.device.limits;

	limits->has_max_streams = limits->has_max_tasks_per_stream = limits->has_max_events = true;
	limits->max_streams = streams;
	limits->max_tasks_per_stream = tasks;
	limits->max_events = events;
	return w;
}

START_TEST(limits_hold_to_the_last_one)
{
	WORLD_KEEPS(limited(2, 6, 2));
	WORLD_BREAKS(limited(1, 6, 2), LIMIT);
	WORLD_BREAKS(limited(2, 5, 2), LIMIT);
	WORLD_BREAKS(limited(2, 6, 1), LIMIT);
	WORLD_KEEPS(limited(0, 0, 0)); /* 0 is no limit */
}
END_TEST

START_TEST(notifies_are_limited)
{
	for (int64_t limit = 0; limit < 3; limit++) {
		struct world *w = world_make("abc", "ab ac", "a!~0!~1|?~0b|?~1c", "012");

		w->request.device.limits.has_max_notifies = true;
		w->request.device.limits.max_notifies = limit;
		if (limit == 1)
			WORLD_BREAKS(w, LIMIT);
		else
			WORLD_KEEPS(w);
	}
}
END_TEST

START_TEST(depth_counts_only_where_the_device_has_one)
{
	struct world *w = limited(2, 1, 2);

	w->request.device.limits.has_unlimited_depth = w->request.device.limits.unlimited_depth = true;
	WORLD_KEEPS(w);
	w = limited(2, 1, 2);
	w->graph.dynamic = true;
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(one_heavy_node_is_the_peers_way_only)
{
	for (int peer = 0; peer < 2; peer++) {
		struct world *w = world_make("ab", "ab", "a!0|?0b", "01");

		w->request.device.limits.has_max_tasks_per_stream = true;
		w->request.device.limits.max_tasks_per_stream = 9;
		w->task_count[0] = 9;
		w->stream[0].task_count = 10;
		if (peer) {
			w->request.options.compat = SD_GE;
			WORLD_KEEPS(w);
		} else {
			WORLD_BREAKS(w, LIMIT);
		}
	}
}
END_TEST

START_TEST(huge_streams_are_for_single_stream_plans)
{
	struct world *w = world_make("ab", "ab", "ab", "0");

	w->stream[0].huge = true;
	WORLD_BREAKS(w, LIMIT);
	w = world_make("ab", "ab", "ab", "0");
	w->stream[0].huge = true;
	w->request.options.single_stream = true;
	w->task_count[0] = 5000;
	w->stream[0].task_count = 5001;
	WORLD_KEEPS(w);
	w = world_make("ab", "ab", "ab", "0");
	w->request.options.single_stream = true;
	w->task_count[0] = 5000;
	w->stream[0].task_count = 5001;
	WORLD_BREAKS(w, LIMIT);
}
END_TEST

START_TEST(tasks_add_up_without_overflow)
{
	struct world *w = world_make("ab", "ab", "ab", "0");

	w->task_count[0] = w->task_count[1] = w->stream[0].task_count = INT64_MAX;
	WORLD_BREAKS(w, LIMIT);
}
END_TEST

START_TEST(syncs_are_told_in_order_of_execution)
{
	/* Both numbered against the order of the nodes that record. */
	WORLD_BREAKS(world_make("abcd", "ac bd", "a!1|b!0|?0d|?1c", "0123"), COUNT);
	WORLD_BREAKS(world_make("abc", "ab ac", "a!0!1|?1b|?0c", "012"), COUNT);
	WORLD_KEEPS(world_make("abcd", "ac bd", "a!0|b!1|?1d|?0c", "0123"));
}
END_TEST

START_TEST(a_new_order_of_nodes_is_known_along_streams)
{
	struct world *w = world_make("abcd", "ac bd", "a!1|b!0|?0d|?1c", "0123");

	w->request.options.topo_sorting = SD_SORT_BFS;
	WORLD_KEEPS(w);
	w = world_make("abcd", "ac bd", "a!1b!0|?0d|?1c", "012");
	w->request.options.topo_sorting = SD_SORT_BFS;
	WORLD_BREAKS(w, COUNT);
}
END_TEST

RUN_TESTS("verify_limits", limits_hold_to_the_last_one, notifies_are_limited,
	depth_counts_only_where_the_device_has_one, one_heavy_node_is_the_peers_way_only,
	huge_streams_are_for_single_stream_plans, tasks_add_up_without_overflow,
	syncs_are_told_in_order_of_execution, a_new_order_of_nodes_is_known_along_streams)
