/* verify_test - the judge as a whole: what it lets pass, and that each promise broken is told as such. */
#include "run_tests.h"
#include "world.h"

START_TEST(whole_plans_pass)
{
	WORLD_KEEPS(world_make("", "", "", "0"));
	WORLD_KEEPS(world_make("abc", "ab bc", "abc", "0"));
	WORLD_KEEPS(world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01"));
	WORLD_KEEPS(world_make("abcdef", "ac bd de cf", "a!0b!1|?0cf|?1de", "012"));
}
END_TEST

START_TEST(lost_edges_are_found)
{
	WORLD_BREAKS(world_make("ab", "ab", "a|b", "01"), UNORDERED);
	WORLD_BREAKS(world_make("ab", "ab", "ba", "0"), UNORDERED);
	WORLD_BREAKS(world_make("abc", "ac bc", "a!0b|?0c", "01"), UNORDERED);
	WORLD_BREAKS(world_make("ab", "ab bb", "ab", "0"), UNORDERED);
}
END_TEST

START_TEST(pieces_stay_one_sequence)
{
	WORLD_KEEPS(world_make("abcd", "ab bc cd", "ab!0|?0cd", "00"));
	WORLD_KEEPS(world_make("abcd", "ab cd", "ab!0|?0cd", "00"));
	WORLD_BREAKS(world_make("abcd", "ab cd", "ab|cd", "00"), LANE);
	WORLD_KEEPS(world_make("abc", "", "a!0|?0b!1|?1c", "000"));
	WORLD_BREAKS(world_make("abc", "", "a!0|?0b|c", "000"), LANE);
}
END_TEST

START_TEST(a_verdict_keeps_twenty_and_counts_all)
{
	struct world *w = world_make("abcdefghijklmnopqrstuvwxyz", "", "abcdefghijklmnopqrstuvwxyz", "0");

	for (uint32_t n = 0; n < 26; n++)
		w->node[n].logical_stream = 7;
	ck_assert_uint_eq(world_judge(w), 26);
	ck_assert_uint_eq(w->verdict.violation[19].a, 19);
	world_free(w);
}
END_TEST

static bool stop_now(void *arg)
{
	return true;
}

START_TEST(a_judgement_can_be_stopped)
{
	struct world *w = world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01");

	ck_assert_int_eq(sd_verify(&w->mem, &w->request, &w->plan, stop_now, NULL, &w->verdict), SD_CANCELLED);
	ck_assert_int_eq(w->verdict.why.code, SD_CODE_CANCELLED);
	world_free(w);
}
END_TEST

START_TEST(scratch_is_given_back_and_no_failure_is_a_verdict)
{
	struct world *w = world_make("abCde", "aC bC Cd Ce", "a!0?1d|b!1?0e", "01");
	uint64_t calls = 0;

	ck_assert_uint_eq(world_judge(w), 0);
	ck_assert_uint_eq(w->mem.used_bytes, 0);
	calls = w->mem.calls;
	for (uint64_t i = 1; i <= calls; i++) {
		sd_arena_finish(&w->mem);
		sd_arena_init(&w->mem, 0);
		w->mem.fail_at = i;
		ck_assert_int_eq(sd_verify(&w->mem, &w->request, &w->plan, NULL, NULL, &w->verdict), SD_RESOURCE_EXHAUSTED);
		ck_assert_int_eq(w->verdict.why.code, SD_CODE_LIMIT_MEMORY);
	}
	world_free(w);
}
END_TEST

RUN_TESTS("verify", whole_plans_pass, lost_edges_are_found, pieces_stay_one_sequence,
	a_verdict_keeps_twenty_and_counts_all, a_judgement_can_be_stopped,
	scratch_is_given_back_and_no_failure_is_a_verdict)
