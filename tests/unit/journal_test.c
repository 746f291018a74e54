/* journal_test - what is said of where a node runs: who moved it, from where, and why. */
#include "run_tests.h"

#include "chain.h"
#include "stories.h"

static struct sd_arena mem;

#define STORY(graph, words, node, said)                                                                 \
	do {                                                                                            \
		struct sd_request *request = request_of(&mem, graph);                                   \
		struct planned planned;                                                                 \
		set_words(&mem, request, words);                                                        \
		planned = explained_plan_of(&mem, request);                                             \
		ck_assert_str_eq(story_of(&mem, &planned, node, true), said);                           \
		sd_arena_finish(&mem);                                                                  \
	} while (0)

START_TEST(labels_and_engines)
{
	STORY("x Data; a Relu x _stream_label=s", "", "a", "by_label.label:0");
	STORY("a Relu; h HcomAllReduce", "", "h", "independent_engine.independent_engine:0");
	STORY("a Relu; h HcomAllReduce", "", "a", "by_dependency.nothing_feeds:1");
	STORY("x Data; a Relu x", "", "x", "cluster.input");
	STORY("a Relu; b Relu a", "single", "b", "one_stream.one_stream:0 reduce_orders.same_stream(a)");
}
END_TEST

START_TEST(whom_a_cluster_follows_or_not)
{
	STORY("a Relu; n NetOutput a", "", "n", "by_dependency.follows:0(a) reduce_orders.same_stream(a)");
	STORY("a Relu _stream_label=s; b Relu a", "", "b", "by_dependency.producer_labelled:1(a) reduce_orders.sync_data(a)");
	STORY("h HcomAllReduce; b Relu h", "", "b", "by_dependency.producer_independent:1(h) reduce_orders.sync_data(h)");
	STORY("a Relu; b X@e1 a", "engine=e1", "b", "by_dependency.other_engine:1(a) reduce_orders.sync_data(a)");
	STORY("a Relu; b X@e1 a", "engine=e1/a scheduler=B", "b", "by_dependency.other_scheduler:1(a) reduce_orders.sync_data(a)");
	STORY("a Relu; b Relu a; c Relu a", "apart parallel=AIcoreEngine:2", "b", "by_dependency.producer_taken:1(a) reduce_orders.sync_data(a)");
}
END_TEST

START_TEST(what_front_ends_ask_for)
{
	STORY("a Relu; b Relu a NewStreamId=7", "", "b",
	      "by_dependency.nothing_feeds:0 new_stream_attr.own_stream:0>1 reduce_orders.sync_data(a)");
	STORY("a Relu; b Relu a _parallel_group=g", "", "b", "by_dependency.nothing_feeds:0 parallel_group.group:0>1 reduce_orders.sync_data(a)");
}
END_TEST

START_TEST(streams_that_are_given_back)
{
	STORY("a Relu; h HcomAllReduce a; b Relu h", "", "h",
	      "independent_engine.independent_engine:0 ineffective_multistream.nothing_beside:0>1(a,b) dense_streams.renumbered:1>0 "
	      "reduce_orders.same_stream(a)");
	STORY("x Data; r Reshape x; a Relu r", "", "r", "by_dependency.nothing_feeds:1 skipped_engine.nothing_has_stream:1>-");
}
END_TEST

START_TEST(models_of_unknown_shape)
{
	STORY("a Relu; b Relu a", "dynamic", "b", "dynamic_one_stream.dynamic_one:0 reduce_orders.same_stream(a)");
	STORY("x Data; a Relu x; h HcomAllReduce a; n NetOutput h", "dynamic multi", "h", "owning_engine.engine_stream:1 reduce_orders.sync_data(a)");
	STORY("x Data; a Relu x; h HcomAllReduce a; n NetOutput h", "dynamic multi", "x", "cluster.input rank_streams.main_stream:0");
	STORY("a Relu; w Where@DNN_VM_AICPU a; n NetOutput w", "dynamic multi", "w", "follow_neighbour.neighbour:0(a) reduce_orders.same_stream(a)");
	STORY("a Relu _stream_label=s; b Relu", "dynamic multi", "a", "owning_engine.engine_stream:0 label_over_engine.label:0>1");
}
END_TEST

START_TEST(automatic_modes)
{
	STORY("a Relu; b Relu a; c Relu", "mode=LoadBalance:2", "b",
	      "by_dependency.nothing_feeds:0 paths_to_nodes.path:0>1(a) dense_streams.renumbered:1>0 reduce_orders.same_stream(a)");
}
END_TEST

START_TEST(a_partition_of_the_caller)
{
	struct sd_request *request = request_of(&mem, "a Relu; b Relu a");
	struct planned planned;

	set_streams(&mem, request, "a | b");
	planned = explained_plan_of(&mem, request);
	ck_assert_str_eq(story_of(&mem, &planned, "b", true), "explicit_streams.explicit:1 reduce_orders.sync_data(a)");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(pieces_and_starts)
{
	STORY("a Relu tasks=3; b Relu a tasks=3; c Relu b tasks=3", "tasks=34", "c",
	      "by_dependency.nothing_feeds:0 reduce_orders.same_stream(b) split_streams.piece:0>1(c) split_streams.sync_split(b)");
	STORY("s StreamActive _active_label_list=[L]; b Relu ^s _stream_label=L", "", "b",
	      "by_label.label:0 reduce_orders.implied_by_starter(s) start_pieces.started(s)");
}
END_TEST

/* Every pass that can move nodes says why: only those of other programs may leave it at "moved". */
START_TEST(a_pass_that_moves_nodes_has_a_reason)
{
	struct planned planned = explained_plan_of(&mem, request_of(&mem, "a Relu; b Relu a"));

	ck_assert_ptr_nonnull(planned.plan);
	for (uint32_t i = 0; i < planned.plan->explanation_count; i++)
		ck_assert_uint_ne(planned.plan->explanation[i].reason, SD_REASON_MOVED);
	ck_assert_uint_gt(planned.plan->pass_count, 30);
	for (uint32_t i = 0; i < planned.plan->pass_count; i++)
		ck_assert(sd_is_pass_name(planned.plan->pass_name[i]));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(without_the_option_nothing_is_said)
{
	struct planned planned = plan_of(&mem, request_of(&mem, "a Relu; b Relu a"));

	ck_assert(!planned.plan->explained);
	ck_assert_uint_eq(planned.plan->explanation_count + planned.plan->pass_count, 0);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("journal", labels_and_engines, whom_a_cluster_follows_or_not, what_front_ends_ask_for, streams_that_are_given_back,
          models_of_unknown_shape, automatic_modes, a_partition_of_the_caller, pieces_and_starts, a_pass_that_moves_nodes_has_a_reason,
          without_the_option_nothing_is_said)
