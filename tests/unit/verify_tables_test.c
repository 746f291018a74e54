/* verify_tables_test - counts, ranges and placements that are not true; and that no content
 * of a plan's tables makes the judge read outside them. */
#include <string.h>

#include "run_tests.h"
#include "world.h"

static struct world *fork_join(void)
{
	return world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01");
}

#define SPOILED(change, kind)                   \
	do {                                    \
		struct world *w = fork_join();  \
		change;                         \
		WORLD_BREAKS(w, kind);          \
	} while (0)

START_TEST(wrong_counts_are_found)
{
	SPOILED(w->plan.node_count--, COUNT);
	SPOILED(w->plan.logical_stream_count++, COUNT);
	SPOILED(w->plan.main_stream_count--, COUNT);
	SPOILED(w->plan.attached_stream_count++, COUNT);
	SPOILED(w->plan.stream_count--, COUNT);
	SPOILED(w->plan.event_count++, COUNT);
	SPOILED(w->plan.event_count--, COUNT);
	SPOILED(w->plan.notify_count++, COUNT);
	SPOILED(w->plan.command_count--, COUNT);
	SPOILED(w->plan.command_count = UINT32_MAX, COUNT);
	SPOILED(w->plan.summary_count--, COUNT);
	SPOILED(w->plan.mode = (enum sd_mode)9, COUNT);
	SPOILED(w->plan.sync_count--, COUNT);
}
END_TEST

START_TEST(streams_hold_all_commands_once)
{
	SPOILED(w->stream[1].first_command--, COUNT);
	SPOILED(w->stream[0].command_count--, COUNT);
	SPOILED(w->stream[1].command_count--, COUNT);
	SPOILED(w->stream[1].command_count = UINT32_MAX, COUNT);
}
END_TEST

START_TEST(pieces_belong_to_their_logical_stream)
{
	SPOILED(w->stream[1].logical_id = 0, COUNT);
	SPOILED(w->stream[1].logical_id = 2, COUNT);
	SPOILED(w->stream[1].attached = true, COUNT);
	SPOILED(w->stream[1].label_node = 4, COUNT);
	SPOILED(w->summary[1].physical_count = 2, COUNT);
	SPOILED(w->summary[1].logical_id = 0, COUNT);
	SPOILED(w->summary[0].label_node = 4, COUNT);
	SPOILED(w->node[1].logical_stream = 1, PLACEMENT);
	SPOILED(w->node[1].logical_stream = 2, PLACEMENT);
	SPOILED(w->node[1].logical_stream = -2, PLACEMENT);
	SPOILED(w->node[2].logical_stream = SD_NO_STREAM, PLACEMENT);
}
END_TEST

START_TEST(a_node_without_logical_stream_runs_on_the_first)
{
	struct world *w = fork_join();

	w->node[1].logical_stream = SD_NO_STREAM;
	WORLD_KEEPS(w);
	w = world_make("ab", "ab", "ab", "0"); /* and there may be none at all */
	w->node[0].logical_stream = w->node[1].logical_stream = SD_NO_STREAM;
	w->plan.logical_stream_count = w->plan.main_stream_count = w->plan.summary_count = 0;
	WORLD_KEEPS(w);
	w = world_make("ab", "ab", "ab", "0");
	w->node[0].logical_stream = w->node[1].logical_stream = SD_NO_STREAM;
	w->plan.logical_stream_count = w->plan.main_stream_count = w->plan.summary_count = 0;
	w->stream[0].logical_id = 1;
	WORLD_BREAKS(w, COUNT);
}
END_TEST

START_TEST(nodes_have_a_stream_where_they_launch)
{
	SPOILED(w->node[1].stream = SD_NO_STREAM, PLACEMENT);
	SPOILED(w->node[1].stream = 2, PLACEMENT);
	SPOILED(w->node[1].stream = INT32_MIN, PLACEMENT);
	SPOILED(w->task_count[1] = 0, PLACEMENT);
}
END_TEST

START_TEST(attached_resources_are_those_asked_for)
{
	SPOILED(w->node[1].attached_count = 1, PLACEMENT);
	SPOILED((w->node[1].event_count = 1, w->plan.attached_event_count = 1, w->attached_event[0] = 2, w->plan.event_count = 3), PLACEMENT);
	SPOILED((w->node[1].notify_first = UINT32_MAX, w->node[1].notify_count = UINT32_MAX), PLACEMENT);
	SPOILED(w->plan.attached_notify_count = 1, COUNT);
}
END_TEST

START_TEST(numbers_of_resources_follow_those_of_syncs)
{
	for (uint32_t id = 0; id < 5; id++) {
		struct world *w = fork_join();

		world_asks(w, 'b', SD_ATTR_ATTACHED_SYNC_RES_INFO, true, (struct sd_attr[4]){ WORLD_TEXT("_attached_sync_res_type", "event") });
		w->node[1].event_count = w->plan.attached_event_count = 1;
		w->attached_event[0] = id;
		w->plan.event_count = 3;
		if (id == 2)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, DENSE);
	}
}
END_TEST

START_TEST(syncs_are_numbered_without_gaps)
{
	SPOILED(w->sync[1].id = 2, DENSE);
	SPOILED(w->sync[1].id = 0, DENSE);
	SPOILED(w->sync[0].id = UINT32_MAX, DENSE);
	SPOILED(w->sync[0].kind = (enum sd_sync_kind)7, COUNT);
	SPOILED(w->sync[0].cause = (enum sd_cause)77, COUNT);
	SPOILED(w->sync[0].record_node = 4, COUNT);
	SPOILED(w->sync[0].wait_stream = 2, COUNT);
}
END_TEST

START_TEST(activations_are_whole)
{
	struct world *w;

	for (int i = 0; i < 5; i++) {
		w = world_make("abc", "ab", "a@1|b|c", "012");

		world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
		if (i == 0)
			w->activation[0].node = 9;
		else if (i == 1)
			w->activation[0].count = 0;
		else if (i == 2)
			w->activation[0].first = UINT32_MAX;
		else if (i == 3)
			w->activated[0] = 3;
		else
			w->activation[0].node = 1;
		WORLD_BREAKS(w, COMMAND);
	}
	w = world_make("abc", "ab", "a@1|b|c", "012");
	w->plan.activation_count = 0;
	WORLD_BREAKS(w, DEADLOCK);
}
END_TEST

/* Tables of exactly the size that the plan tells, so that a sanitizer sees any step beside them. */
static void *exact(const void *table, size_t bytes)
{
	void *copy = malloc(bytes ? bytes : 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, table, bytes);
	return copy;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static uint32_t odd_value(uint32_t *state)
{
	static const uint32_t values[] = { 0, 1, 2, 3, 4, 7, 8, 255, INT32_MAX, UINT32_MAX, UINT32_MAX - 1, 1u << 31 };

	return values[next_random(state) % (sizeof(values) / sizeof(values[0]))];
}

START_TEST(any_content_of_the_tables_is_safe)
{
	uint32_t state = 17, refused = 0, rounds = 20000;

	for (uint32_t round = 0; round < rounds; round++) {
		struct world *w = world_make("abCdefz", "aC bC Cd Ce", "a@2!0?1d?3z|b!1?0e|f|*b!2|?2*f!3", "01233");
		struct sd_plan *p = &w->plan;
		struct { void *at; size_t bytes; } table[11];

		world_attr(w, 'a', SD_ATTR_ACTIVE_LABEL_LIST, 0);
		world_attaches(w, 'b', -1);
		world_attaches(w, 'f', -1);
		world_asks(w, 'f', SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST, true,
		           (struct sd_attr[4]){ WORLD_INT("_attached_resource_type", 1), WORLD_TRUE("_attached_resource_required_flag") });
		w->node[5].notify_count = p->attached_notify_count = p->notify_count = 1;
		ck_assert_uint_eq(world_judge(w), 0);
		table[0].at = exact(w->stream, table[0].bytes = p->stream_count * sizeof(*p->stream));
		table[1].at = exact(w->command, table[1].bytes = p->command_count * sizeof(*p->command));
		table[2].at = exact(w->node, table[2].bytes = p->node_count * sizeof(*p->node));
		table[3].at = exact(w->sync, table[3].bytes = p->sync_count * sizeof(*p->sync));
		table[4].at = exact(w->activation, table[4].bytes = p->activation_count * sizeof(*p->activation));
		table[5].at = exact(w->activated, table[5].bytes = p->activated_count * sizeof(*p->activated));
		table[6].at = exact(w->attached_logical, table[6].bytes = p->attached_count * sizeof(*p->attached_logical));
		table[7].at = exact(w->attached_stream, table[7].bytes = p->attached_count * sizeof(*p->attached_stream));
		table[8].at = exact(w->attached_notify, table[8].bytes = p->attached_notify_count * sizeof(*p->attached_notify));
		table[9].at = exact(w->notify_type, table[9].bytes = p->notify_count * sizeof(*p->notify_type));
		table[10].at = exact(w->summary, table[10].bytes = p->summary_count * sizeof(*p->summary));
		p->attached_logical = table[6].at, p->attached_stream = table[7].at, p->attached_notify = table[8].at;
		p->notify_type = table[9].at, p->summary = table[10].at;
		p->stream = table[0].at, p->command = table[1].at, p->node = table[2].at, p->sync = table[3].at;
		p->activation = table[4].at, p->activated = table[5].at;
		for (uint32_t i = next_random(&state) % 3 + 1; i > 0; i--) {
			uint32_t t = next_random(&state) % 11, value = odd_value(&state);
			size_t word = next_random(&state) % (table[t].bytes / 4);

			/* Truth values are the decoder's: any other byte is no value of theirs. */
			if (t == 0 || t == 2 || t == 10)
				value &= 0x01010101;
			memcpy((char *)table[t].at + 4 * word, &value, 4);
		}
		refused += world_judge(w) > 0;
		for (int t = 0; t < 11; t++)
			free(table[t].at);
		world_free(w);
	}
	ck_assert_uint_gt(refused, rounds / 2);
}
END_TEST

RUN_TESTS("verify_tables", wrong_counts_are_found, streams_hold_all_commands_once,
	pieces_belong_to_their_logical_stream, a_node_without_logical_stream_runs_on_the_first,
	nodes_have_a_stream_where_they_launch, attached_resources_are_those_asked_for,
	numbers_of_resources_follow_those_of_syncs, syncs_are_numbered_without_gaps, activations_are_whole,
	any_content_of_the_tables_is_safe)
