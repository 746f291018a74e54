/* lanes_test - the lanes that bodies use, at any depth. */
#include "run_tests.h"

#include <stdio.h>

#include "halfway.h"
#include "lanes.h"
#include "planned.h"

static struct sd_arena mem;

/* "0 2 | 1": lanes of each functional node, in flat order. */
static const char *lanes_of(const char *graph, const char *streams)
{
	static char out[256];
	struct sd_request *request = request_of(&mem, graph);
	struct sd_lane_lists lists;
	struct sd_job *job;

	set_streams(&mem, request, streams);
	job = job_behind(&mem, request, SD_EXPLICIT, "find_starters");
	ck_assert_int_eq(sd_lanes_of_bodies(job, &lists), SD_OK);
	out[0] = '\0';
	for (uint32_t f = 0; f < job->scopes.functional_count; f++) {
		strcat(out, f ? "|" : "");
		for (uint32_t i = lists.first[f]; i < lists.first[f + 1]; i++)
			sprintf(out + strlen(out), " %u", lists.lane.at[i]);
	}
	sd_arena_finish(&mem);
	return out;
}

START_TEST(lanes_are_told_once_and_ascend)
{
	ck_assert_str_eq(lanes_of("a Relu; f If a {then {else; [then]; t Relu; u Relu; [else]; e Relu; g Relu e", "a | g | t e | u"), " 1 2 3");
	ck_assert_str_eq(lanes_of("a Relu; f If a {then {else; [then]; t Relu; [else]; e Data", "a t"), " 0");
}
END_TEST

START_TEST(inner_bodies_count_for_those_around)
{
	ck_assert_str_eq(lanes_of("f If {then {else; [then]; t Relu; g While t {cond {body; [else]; e Relu; [cond]; c Relu; [body]; b Relu", "t | e | c | b"),
	                 " 0 1 2 3| 2 3");
}
END_TEST

START_TEST(a_call_has_none_of_its_own)
{
	ck_assert_str_eq(lanes_of("f PartitionedCall {sub; [sub]; s Relu; g If s {then {else; [then]; t Relu; [else]; e Relu", "s | t | e"), "| 1 2");
	ck_assert_str_eq(lanes_of("a Relu; b Relu", "a | b"), "");
}
END_TEST

START_TEST(what_is_not_launched_uses_no_lane)
{
	ck_assert_str_eq(lanes_of("a Relu; f If a {then {else; [then]; t Relu tasks=0; [else]; e Relu", "a | t | e"), " 2");
	ck_assert_str_eq(lanes_of("a Relu; f If a {then {else; [then]; t Data; [else]; e Data", "a"), "");
}
END_TEST

RUN_TESTS("lanes", lanes_are_told_once_and_ascend, inner_bodies_count_for_those_around, a_call_has_none_of_its_own, what_is_not_launched_uses_no_lane)
