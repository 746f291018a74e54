/* sort_inputs_test - stable and rdfs: inputs before the node. */
#include "run_tests.h"

#include "sorted.h"

static struct sd_arena mem;

START_TEST(stable_moves_only_what_must_move)
{
	ck_assert_str_eq(sorted(&mem, "d Data; a Relu c; b Relu d; c Relu d; e Relu b", SD_SORT_STABLE, false), "d c a b e");
	ck_assert_str_eq(sorted(&mem, "out NetOutput b a; a Relu d; b Relu d; d Data", SD_SORT_STABLE, false), "d a b out");
	ck_assert_str_eq(sorted(&mem, "d Data; a Relu c; b Relu d; c Relu d; e Relu b", SD_SORT_SUBMITTED, false), "d c a b e");
}
END_TEST

START_TEST(stable_takes_control_inputs_as_any_other)
{
	ck_assert_str_eq(sorted(&mem, "x Relu c ^b; b Relu; c Relu", SD_SORT_STABLE, false), "b c x");
}
END_TEST

START_TEST(rdfs_takes_small_inputs_first_then_by_name)
{
	ck_assert_str_eq(sorted(&mem, "x Relu bytes=8; z Relu bytes=4; y Relu bytes=4; o NetOutput x z ^y", SD_SORT_RDFS, false),
	                 "y z x o");
}
END_TEST

START_TEST(rdfs_begins_at_ends_as_listed)
{
	ck_assert_str_eq(sorted(&mem, "a Relu; b Relu; e2 Relu b; e1 Relu a; lone Relu", SD_SORT_RDFS, false), "b e2 a e1 lone");
	/* a control consumer is a successor: its producer is no end */
	ck_assert_str_eq(sorted(&mem, "a Relu; z Relu; b Relu ^a", SD_SORT_RDFS, false), "z a b");
}
END_TEST

RUN_TESTS("sort_inputs", stable_moves_only_what_must_move, stable_takes_control_inputs_as_any_other,
          rdfs_takes_small_inputs_first_then_by_name, rdfs_begins_at_ends_as_listed)
