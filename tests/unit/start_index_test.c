/* start_index_test - which slots start each lane, and each stream. */
#include "run_tests.h"

#include <stdio.h>

#include "halfway.h"
#include "planned.h"
#include "start_index.h"

static struct sd_arena mem;

/* "1:s 3:s+": nodes that start each lane, or each stream behind the split; inserted ones with a plus. */
static const char *index_of(const char *graph, const char *streams, int64_t limit, bool split)
{
	static char out[256];
	struct sd_request *request = request_of(&mem, graph);
	struct sd_job *job;

	set_streams(&mem, request, streams);
	request->device.limits.has_max_tasks_per_stream = limit > 0;
	request->device.limits.max_tasks_per_stream = limit;
	job = job_behind(&mem, request, SD_EXPLICIT, split ? "start_pieces" : "make_slots");
	ck_assert_int_eq(split ? sd_start_index_streams(job) : sd_start_index_lanes(job), SD_OK);
	out[0] = '\0';
	for (uint32_t s = 0; s < (split ? job->stream_count : job->slots.lane_count); s++) {
		for (uint32_t i = job->starting.first[s]; i < job->starting.first[s + 1]; i++) {
			uint32_t slot = job->starting.slot[i], node = job->slots.node[slot];

			sprintf(out + strlen(out), "%s%u:%s%s", out[0] ? " " : "", s, names_of(&mem, job->graph, &node, 1),
			        job->slots.kind[slot] == SD_SLOT_RELAY ? "+" : "");
		}
	}
	sd_arena_finish(&mem);
	return out;
}

START_TEST(labels)
{
	static const char two[] = "s StreamActive _active_label_list=[L]; t Relu _active_label_list=[L]; b Relu _stream_label=L";

	ck_assert_str_eq(index_of("a Relu; b Relu a", "a | b", 0, false), "");
	ck_assert_str_eq(index_of("s StreamActive _active_label_list=[L]; b Relu _stream_label=L", "s | b", 0, false), "1:s");
	ck_assert_str_eq(index_of(two, "s t | b", 0, false), "1:s 1:t");
	ck_assert_str_eq(index_of(two, "s t | b", 0, true), "1:s 1:t");
}
END_TEST

START_TEST(an_inserted_node_starts_for_its_switch)
{
	static const char graph[] = "s StreamSwitch _active_label_list=[L,M]; b Relu ^s _stream_label=L; c Relu ^s _stream_label=M";

	ck_assert_str_eq(index_of(graph, "s | b | c", 0, false), "1:s+ 2:s+ 3:s");
	ck_assert_str_eq(index_of(graph, "s | b | c", 0, true), "1:s+ 2:s+ 3:s");
	/* Of a StreamSwitchN only a label that leads to several streams, or to one that is listed already. */
	ck_assert_str_eq(index_of("s StreamSwitchN _active_label_list=[M,L]; b Relu ^s _stream_label=L; c Relu ^s _stream_label=M", "s | b | c", 0, true), "1:s 2:s");
	ck_assert_str_eq(index_of("s StreamSwitchN _active_label_list=[M,L,M]; b Relu ^s _stream_label=L; c Relu ^s _stream_label=M", "s | b | c", 0, true),
	                 "1:s 2:s 2:s+ 3:s");
}
END_TEST

START_TEST(pieces)
{
	ck_assert_str_eq(index_of("s StreamActive _active_label_list=[L]; b Relu ^s tasks=8 _stream_label=L; c Relu b tasks=8 _stream_label=L", "s | b c", 38, true),
	                 "1:s 2:s");
	/* What only the split made necessary has no slot: the StreamSwitch stands for it. */
	ck_assert_str_eq(index_of("s StreamSwitch _active_label_list=[L]; b Relu ^s tasks=8 _stream_label=L; c Relu b tasks=8 _stream_label=L", "s | b c", 38, true),
	                 "1:s 2:s 3:s");
}
END_TEST

START_TEST(the_next_turn_is_no_start)
{
	ck_assert_str_eq(index_of("a Relu; w StreamSwitch a _active_label_list=[L]; n StreamActive ^w _stream_label=L is_loop_active=true", "a | w | n", 0, true), "2:w");
}
END_TEST

START_TEST(bodies)
{
	ck_assert_str_eq(index_of("f If {then {else; [then]; s StreamActive subgraph_first_active=true; t Relu ^s; [else]; e Relu", "s e | t", 0, false), "1:s");
	ck_assert_str_eq(index_of("f PartitionedCall {sub; [sub]; s StreamActive subgraph_first_active=true; t Relu ^s tasks=8; u Relu t tasks=8", "s | t u", 38, true),
	                 "1:s 2:s");
}
END_TEST

RUN_TESTS("start_index", labels, an_inserted_node_starts_for_its_switch, pieces, the_next_turn_is_no_start, bodies)
