/* verify_slots_test - command lists that do not say what syncs and placements say. */
#include "run_tests.h"
#include "world.h"

static struct world *fork_join(void)
{
	return world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01");
}

static void swap(struct world *w, uint32_t a, uint32_t b)
{
	struct sd_command held = w->command[a];

	w->command[a] = w->command[b];
	w->command[b] = held;
}

START_TEST(records_stand_behind_their_launch)
{
	struct world *w = fork_join();

	swap(w, 0, 1);
	WORLD_BREAKS(w, COMMAND);
	w = world_make("abc", "bc ab", "ab!0|?0c", "01");
	swap(w, 1, 2);
	WORLD_BREAKS(w, PAIRING);
}
END_TEST

START_TEST(waits_stand_in_front_of_their_launch)
{
	struct world *w = world_make("abc", "ab bc", "a!0|?0bc", "01");

	swap(w, 2, 3);
	WORLD_BREAKS(w, PAIRING);
	w = world_make("ab", "ab", "a!0|?0b", "01");
	swap(w, 2, 3);
	WORLD_BREAKS(w, COMMAND);
}
END_TEST

START_TEST(numbers_ascend_events_first)
{
	struct world *w = world_make("abc", "ab ac", "a!0!1|?0b|?1c", "012");

	swap(w, 1, 2);
	WORLD_BREAKS(w, COMMAND);
	w = world_make("abc", "ac bc", "a!0|b!1|?0?1c", "012");
	swap(w, 4, 5);
	WORLD_BREAKS(w, COMMAND);
	WORLD_KEEPS(world_make("abc", "ab ac", "a!0!~0|?0b|?~0c", "012"));
	WORLD_BREAKS(world_make("abc", "ab ac", "a!~0!0|?0b|?~0c", "012"), COMMAND);
}
END_TEST

START_TEST(each_sync_has_one_record_and_one_wait)
{
	struct world *w = fork_join();

	w->command[1].arg = 1;
	WORLD_BREAKS(w, PAIRING);
	w = fork_join();
	w->sync[0].wait_stream = 0;
	WORLD_BREAKS(w, PAIRING);
	w = fork_join();
	w->sync[1].record_node = 0;
	WORLD_BREAKS(w, PAIRING);
	w = fork_join();
	w->command[1].arg = 99;
	WORLD_BREAKS(w, PAIRING);
	WORLD_BREAKS(world_make("a", "", "a!0", "0"), PAIRING);
	w = fork_join(); /* the last record goes away */
	w->plan.command_count--;
	w->stream[1].command_count--;
	w->stream[1].task_count--;
	WORLD_BREAKS(w, PAIRING);
}
END_TEST

START_TEST(every_node_is_launched_once_where_it_is_placed)
{
	struct world *w = fork_join();

	w->command[2].arg = 0;
	WORLD_BREAKS(w, PLACEMENT);
	w = fork_join();
	w->command[6].arg = 1;
	WORLD_BREAKS(w, PLACEMENT);
	w = fork_join();
	w->command[0].attached = 1;
	WORLD_BREAKS(w, PLACEMENT);
	w = fork_join();
	w->command[0].arg = 4;
	WORLD_BREAKS(w, COMMAND);
	w = fork_join();
	w->plan.command_count = w->plan.sync_count = w->plan.event_count = 0;
	w->stream[0].command_count = w->stream[1].command_count = w->stream[1].first_command = 0;
	w->stream[0].task_count = w->stream[1].task_count = 0;
	WORLD_BREAKS(w, PLACEMENT);
}
END_TEST

START_TEST(commands_belong_to_the_root)
{
	for (uint32_t c = 0; c < 8; c++) {
		struct world *w = fork_join();

		w->command[c].in = 1;
		WORLD_BREAKS(w, COMMAND);
	}
}
END_TEST

START_TEST(commands_mean_one_thing)
{
	struct world *w = fork_join();

	w->command[3].kind = SD_ACTIVATE + 1;
	WORLD_BREAKS(w, COMMAND);
	w = fork_join();
	w->command[1].attached = 1;
	WORLD_BREAKS(w, COMMAND);
	w = fork_join();
	w->command[1] = (struct sd_command){ .kind = SD_ACTIVATE };
	WORLD_BREAKS(w, COMMAND);
}
END_TEST

START_TEST(task_counts_are_true)
{
	struct world *w = fork_join();

	ck_assert_int_eq(w->stream[0].task_count, 6);
	w->stream[0].task_count = 5;
	WORLD_BREAKS(w, COUNT);
}
END_TEST

/* s starts stream 1, on which b runs; c must come behind s. */
static struct world *told_at_head(const char *streams, bool is_switch)
{
	struct world *w = world_make("asbc", "as sc", streams, "012");

	world_starts(w, 's', is_switch);
	return w;
}

START_TEST(a_switch_tells_from_the_stream_that_it_starts)
{
	struct world *w;

	WORLD_KEEPS(told_at_head("as@1|!0b|?0c", true));
	WORLD_BREAKS(told_at_head("as@1|!0b|?0c", false), COMMAND); /* others tell behind their launch */
	WORLD_KEEPS(told_at_head("as@1!0|b|?0c", false));
	w = told_at_head("as@1|b!0|?0c", true); /* not behind what runs there */
	w->sync[0].record_node = 1;
	WORLD_BREAKS(w, PAIRING);
}
END_TEST

START_TEST(a_switch_leaves_its_stream)
{
	WORLD_BREAKS(told_at_head("as@1!0|b|?0c", true), COMMAND);
	WORLD_BREAKS(told_at_head("as@1c|b|", true), COMMAND);
	WORLD_KEEPS(told_at_head("as@1c|b|", false));
}
END_TEST

START_TEST(a_switch_starts_one_stream)
{
	struct world *w = world_make("asbc", "as", "as@12|b|c", "012");

	world_starts(w, 's', true);
	WORLD_BREAKS(w, COMMAND);
	w = world_make("asbc", "as", "as@12|b|c", "012");
	world_starts(w, 's', false);
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(tasks_of_activations_are_counted)
{
	struct world *w = world_make("asbc", "as", "as@12|b|c", "012");

	world_starts(w, 's', false);
	ck_assert_int_eq(w->stream[0].task_count, 3);
	w->stream[0].task_count = 2;
	WORLD_BREAKS(w, COUNT);
}
END_TEST

RUN_TESTS("verify_slots", a_switch_tells_from_the_stream_that_it_starts, a_switch_leaves_its_stream, a_switch_starts_one_stream,
	tasks_of_activations_are_counted, records_stand_behind_their_launch, waits_stand_in_front_of_their_launch,
	numbers_ascend_events_first, each_sync_has_one_record_and_one_wait,
	every_node_is_launched_once_where_it_is_placed, commands_belong_to_the_root, commands_mean_one_thing,
	task_counts_are_true)
