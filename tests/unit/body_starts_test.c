/* body_starts_test - which lanes the first active node of a body starts. */
#include "run_tests.h"

#include <stdio.h>

#include "body_starts.h"
#include "halfway.h"
#include "planned.h"

#define ACTIVE "StreamActive subgraph_first_active=true"

static struct sd_arena mem;

/* "s: 1 2, r: 3": what each body starts, with no starter by label but `by_label`, which starts lane 1. */
static const char *starts_of(const char *graph, const char *streams, const char *by_label)
{
	static char out[256];
	static const uint32_t one = 1;
	struct sd_request *request = request_of(&mem, graph);
	struct sd_starter starter = { .first = 0, .count = 1, .relay_lane = SD_NO_NODE, .relay_stream = SD_NO_NODE, .relay_node = SD_NO_NODE };
	struct sd_body_starts starts;
	struct sd_job *job;

	set_streams(&mem, request, streams);
	job = job_behind(&mem, request, SD_EXPLICIT, "find_starters");
	if (by_label)
		starter.node = node_named(job->graph, by_label);
	ck_assert_int_eq(sd_body_starts_find(job, &starter, by_label ? 1 : 0, &one, &starts), SD_OK);
	out[0] = '\0';
	for (uint32_t g = 0; g < job->graph->graph_count; g++) {
		if (starts.node[g] == SD_NO_NODE)
			continue;
		sprintf(out + strlen(out), "%s%s:", out[0] ? ", " : "", names_of(&mem, job->graph, &starts.node[g], 1));
		for (uint32_t i = 0; i < starts.count[g]; i++)
			sprintf(out + strlen(out), " %u", starts.lane.at[starts.first[g] + i]);
	}
	sd_arena_finish(&mem);
	return out;
}

START_TEST(all_that_the_body_uses_but_its_own)
{
	ck_assert_str_eq(starts_of("a Relu; f If a {then {else; [then]; s " ACTIVE "; t Relu ^s; u Relu ^s; [else]; e Relu", "a | s t | u | e", NULL), "s: 2");
	ck_assert_str_eq(starts_of("a Relu; f If a {then {else; [then]; s " ACTIVE "; t Relu ^s; v Relu t; [else]; r " ACTIVE "; e Relu ^r", "a s r | t v | e", NULL),
	                 "s: 1, r: 2");
}
END_TEST

START_TEST(streams_around_run_already)
{
	ck_assert_str_eq(starts_of("a Relu; b Relu a; f If a {then {else; [then]; s " ACTIVE "; t Relu ^s; u Relu ^s; [else]; e Relu", "a e s | b t | u", NULL), "s: 2");
	/* What a body inside it uses is for that one to start, as is what stands beside it. */
	ck_assert_str_eq(starts_of("f If {then {else; [then]; s " ACTIVE "; t Relu ^s; g If t {one {two; [else]; e Relu; [one]; r " ACTIVE "; o Relu ^r; p Relu ^r; [two]; q Relu",
	                           "s r q e | t p | o", NULL), "s: 1, r: 2");
}
END_TEST

START_TEST(what_a_label_starts_is_left_to_it)
{
	static const char graph[] = "a Relu; f If a {then {else; [then]; s " ACTIVE "; t Relu ^s; u Relu ^s; [else]; e Relu";

	ck_assert_str_eq(starts_of(graph, "a s | t | u | e", "s"), "s: 2");
	ck_assert_str_eq(starts_of(graph, "a s | t | u | e", NULL), "s: 1 2");
	/* From another graph it is another matter. */
	ck_assert_str_eq(starts_of(graph, "a s | t | u | e", "e"), "s: 1 2");
}
END_TEST

START_TEST(only_the_first_one_counts)
{
	ck_assert_str_eq(starts_of("f If {then {else; [then]; s " ACTIVE "; r " ACTIVE "; t Relu; [else]; e Relu", "s e | r | t", NULL), "s: 1 2");
	ck_assert_str_eq(starts_of("f If {then {else; [then]; s StreamActive; t Relu; [else]; e Relu", "s e | t", NULL), "");
}
END_TEST

RUN_TESTS("body_starts", all_that_the_body_uses_but_its_own, streams_around_run_already, what_a_label_starts_is_left_to_it, only_the_first_one_counts)
