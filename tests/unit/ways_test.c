/* ways_test - from which slots each slot knows what is done before it. */
#include "run_tests.h"

#include <stdio.h>

#include "halfway.h"
#include "planned.h"
#include "ways.h"

static struct sd_arena mem;
static const struct sd_job *job;
static char line[256];

static void make(const char *graph, const char *streams)
{
	struct sd_request *request = request_of(&mem, graph);

	set_streams(&mem, request, streams);
	job = job_behind(&mem, request, SD_EXPLICIT, "sequence_slots");
}

static void tell(void *ctx, uint32_t slot)
{
	static const char *const kinds[] = { "", "*", "!", "w", "<", ">", "@", "x", "+" };

	(void)ctx;
	sprintf(line + strlen(line), "%s%s%s", line[0] ? " " : "", names_of(&mem, job->graph, &job->slots.node[slot], 1), kinds[job->slots.kind[slot]]);
}

/* The slots in front of the main slot of a node, or the one of this kind. */
static const char *ways_to(const char *node, enum sd_slot_kind kind)
{
	line[0] = '\0';
	for (uint32_t s = 0; s < job->slots.count; s++) {
		if (job->slots.node[s] == node_named(job->graph, node) && job->slots.kind[s] == kind)
			sd_each_way(job, s, tell, NULL);
	}
	return line;
}

START_TEST(along_a_lane)
{
	make("a Relu; b Relu a; c Relu b", "a b | c");
	ck_assert_str_eq(ways_to("a", SD_SLOT_MAIN), "");
	ck_assert_str_eq(ways_to("b", SD_SLOT_MAIN), "a");
	ck_assert_str_eq(ways_to("c", SD_SLOT_MAIN), "");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(from_all_that_start_a_stream)
{
	make("s StreamActive _active_label_list=[L]; t Relu _active_label_list=[L]; b Relu _stream_label=L", "s | t | b");
	ck_assert_str_eq(ways_to("b", SD_SLOT_MAIN), "s t");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_starter_in_another_body_is_none)
{
	make("f If {then {else; [then]; s Relu _active_label_list=[L]; t Relu _stream_label=L; [else]; r Relu _active_label_list=[L]; e Relu _stream_label=L",
	     "s r | t e");
	ck_assert_uint_eq(job->starting.first[2] - job->starting.first[1], 2);
	line[0] = '\0';
	sd_each_starter(job, job->slots.of_node[node_named(job->graph, "t")], tell, NULL);
	ck_assert_str_eq(line, "s");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(behind_a_choice_one_way_a_body)
{
	const struct sd_functional *fun;

	make("a Relu; f Case a {one {two {three; b Relu f; [one]; o Relu; p Relu o; [two]; q Relu; [three]; r Relu", "a o p q b | r");
	fun = sd_scopes_functional(&job->scopes, node_named(job->graph, "f"));
	ck_assert_uint_eq(sd_ways_of(fun), 3);
	ck_assert_str_eq(ways_to("b", SD_SLOT_MAIN), "f>");
	/* The third body does not use the lane: what stands in front of the bodies. */
	ck_assert_ptr_nonnull(strstr(ways_to("f", SD_SLOT_JOIN), "p q"));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_loop_is_passed_or_run)
{
	const struct sd_functional *fun;

	make("a Relu; f While a {cond {body; b Relu f; [cond]; c Relu; [body]; t Relu; u Relu t", "a c t u b");
	fun = sd_scopes_functional(&job->scopes, node_named(job->graph, "f"));
	ck_assert_uint_eq(sd_ways_of(fun), 2);
	ck_assert_ptr_nonnull(strstr(ways_to("f", SD_SLOT_JOIN), "c f@"));
	ck_assert_str_eq(ways_to("u", SD_SLOT_MAIN), "t");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(labels_are_jumped_to)
{
	make("a Relu; f If a {then {else; b Relu f; [then]; s LabelSwitchByIndex; l LabelSet ^s; t Relu ^l; g LabelGotoEx ^t _label_switch_index=9;"
	     "[else]; m LabelSet; e Relu ^m; n LabelSet ^e _subgraph_end_node=true _label_switch_index=9", "a s l t g m e n b");
	ck_assert_ptr_nonnull(strstr(ways_to("m", SD_SLOT_MAIN), "s"));
	ck_assert_ptr_nonnull(strstr(ways_to("n", SD_SLOT_MAIN), "g nw"));
	ck_assert_str_eq(ways_to("t", SD_SLOT_MAIN), "l");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(graphs_of_waits_and_records)
{
	make("a Relu; f If a {then {else; b Relu f; [then]; s LabelSwitchByIndex; l LabelSet ^s; t Relu ^l; g LabelGotoEx ^t _label_switch_index=9;"
	     "[else]; m LabelSet; e Relu ^m; n LabelSet ^e _subgraph_end_node=true _label_switch_index=9", "a s l t g m e n b");
	ck_assert_uint_eq(sd_slot_graph(job, job->slots.of_node[node_named(job->graph, "s")]), SD_ROOT);
	ck_assert_uint_eq(sd_slot_graph(job, job->slots.of_node[node_named(job->graph, "n")]), SD_ROOT);
	ck_assert_uint_eq(sd_slot_graph(job, job->slots.of_node[node_named(job->graph, "t")]), 1);
	ck_assert_uint_eq(sd_slot_graph(job, job->slots.waits_at[node_named(job->graph, "n")]), 2);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("ways", along_a_lane, from_all_that_start_a_stream, a_starter_in_another_body_is_none, behind_a_choice_one_way_a_body, a_loop_is_passed_or_run,
          labels_are_jumped_to, graphs_of_waits_and_records)
