/* journal_orders_test - what is said of orders: which became syncs, and by what the others hold. */
#include "run_tests.h"

#include "stories.h"

static struct sd_arena mem;

/* Nodes on the streams that `streams` lists; what is said of `node` behind its stream. */
static const char *said_of(const char *graph, const char *streams, const char *node)
{
	struct sd_request *request = request_of(&mem, graph);
	struct planned planned;
	const char *story, *rest;

	set_streams(&mem, request, streams);
	planned = explained_plan_of(&mem, request);
	story = story_of(&mem, &planned, node, false);
	rest = strchr(story, ' ');
	return strncmp(story, "explicit:", 9) == 0 ? (rest ? rest + 1 : "") : story;
}

#define SAID(graph, streams, node, words)                                    \
	do {                                                                 \
		ck_assert_str_eq(said_of(graph, streams, node), words);      \
		sd_arena_finish(&mem);                                       \
	} while (0)

START_TEST(syncs_and_the_edges_they_are_for)
{
	SAID("a Relu; b Relu a", "a | b", "b", "sync_data(a)");
	SAID("a Relu; b Relu ^a", "a | b", "b", "sync_control(a)");
	SAID("a Relu; b Relu ^a a", "a | b", "b", "sync_data(a)");
	SAID("a Relu; r Reshape a; b Relu r", "a | b", "b", "sync_through(a,r)");
	SAID("a Relu; r Reshape a; q Reshape r; b Relu q", "a | b", "b", "sync_through_many(a)");
	SAID("a Relu; r Reshape a; b Relu r ^a", "a | b", "b", "sync_control(a)");
	SAID("a Relu; b Relu a", "a b", "b", "same_stream(a)");
	SAID("a Relu; b Relu a a ^a", "a b", "b", "same_stream(a)");
}
END_TEST

START_TEST(orders_that_others_imply)
{
	SAID("a Relu; b Relu a; c Relu b a", "a | b | c", "c", "implied_by_sync(a,b) sync_data(b)");
	SAID("a Relu; b Relu a; c Relu b a", "a | b c", "c", "implied_by_stream(a,b) same_stream(b)");
	SAID("a Relu; b Relu a; c Relu a b", "a b | c", "c", "later_producer(a,b) sync_data(b)");
	SAID("a Relu; b Relu; c Relu a; e Relu a b c", "a | b | c | e", "e", "implied_by_sync(a,c) sync_data(b) sync_data(c)");
}
END_TEST

/* Of several that a node waits for, the one that really knows is named. */
START_TEST(the_right_witness_of_many)
{
	SAID("a Relu; b Relu; c Relu; e Relu a; f Relu b; g Relu c; h Relu e f g a b c", "a | b | c | e | f | g | h", "h",
	     "implied_by_sync(c,g) implied_by_sync(b,f) implied_by_sync(a,e) sync_data(e) sync_data(f) sync_data(g)");
}
END_TEST

START_TEST(a_stream_that_is_started)
{
	struct planned planned = explained_plan_of(&mem,
		request_of(&mem, "a Relu; s StreamActive a _active_label_list=[L]; b Relu ^s a _stream_label=L"));

	ck_assert_str_eq(story_of(&mem, &planned, "b", false), "label:0 implied_by_starter(s) implied_by_start(a,s) started(s)");
	sd_arena_finish(&mem);
}
END_TEST

/* Each order is told once, in memory that is linear in the edges. */
START_TEST(no_more_notes_than_edges_and_nodes_allow)
{
	char *text = sd_arena_zero(&mem, 1, 64000), *at = text;
	struct planned planned;
	uint32_t told = 0;

	for (int i = 0; i < 60; i++) {
		at += sprintf(at, "n%d Relu _stream_label=s%d", i, i % 6);
		for (int k = 0; k < i; k++)
			at += sprintf(at, " n%d", k);
		at += sprintf(at, "\n");
	}
	planned = explained_plan_of(&mem, request_of(&mem, text));
	ck_assert_ptr_nonnull(planned.plan);
	for (uint32_t i = 0; i < planned.plan->explanation_count; i++) {
		enum sd_reason reason = planned.plan->explanation[i].reason;

		told += sd_reason_is_sync(reason) || sd_reason_is_implied(reason);
	}
	ck_assert_uint_eq(told, 60 * 59 / 2);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("journal_orders", syncs_and_the_edges_they_are_for, orders_that_others_imply, the_right_witness_of_many, a_stream_that_is_started,
          no_more_notes_than_edges_and_nodes_allow)
