/* sort_late_test - readers of long-lived data move to right before their first consumer. */
#include "run_tests.h"

#include "sorted.h"

static struct sd_arena mem;

/* rdfs visits ends as listed, so that its order before the delay is easy to see. */
static const char *late(const char *text)
{
	return sorted(&mem, text, SD_SORT_RDFS, false);
}

START_TEST(reader_of_a_constant_is_delayed)
{
	/* before: c r x y o; r is needed by o only */
	ck_assert_str_eq(late("c Const; r Cast c bytes=1; x Relu bytes=2; y Relu x bytes=2; o Add r y"), "c x y r o");
	/* one that reads something computed stays */
	ck_assert_str_eq(late("c Relu bytes=1; r Cast c bytes=1; x Relu bytes=2; y Relu x bytes=2; o Add r y"), "c r x y o");
	/* so does one without data input; control inputs are not looked at */
	ck_assert_str_eq(late("c Const; r Cast ^c bytes=1; x Relu bytes=2; y Relu x bytes=2; o Add r y"), "c r x y o");
	ck_assert_str_eq(late("k Relu; c Const; r Cast c ^k bytes=1; x Relu bytes=2; y Relu x bytes=2; o Add r y"),
	                 "c k x y r o");
}
END_TEST

/* Before the delay: c r w s x y o. First r goes to s, then both together to o. */
#define CHAIN(inputs_of_s) \
	"c Const; r Cast c bytes=1; w Relu bytes=2; s Cast " inputs_of_s " bytes=1; x Relu bytes=2; y Relu x bytes=2; o Add s y"

START_TEST(chain_moves_as_a_whole)
{
	ck_assert_str_eq(late(CHAIN("r ^w")), "c w x y r s o");
}
END_TEST

START_TEST(node_that_reads_more_than_the_chain_ends_it)
{
	ck_assert_str_eq(late(CHAIN("r - ^w")), "c w r s x y o");
	ck_assert_str_eq(late(CHAIN("r r ^w")), "c w r s x y o");
}
END_TEST

START_TEST(place_taken_by_a_node_with_several_successor_edges_is_locked)
{
	ck_assert_str_eq(late(CHAIN("r ^r ^w")), "c w r s x y o");
}
END_TEST

RUN_TESTS("sort_late", reader_of_a_constant_is_delayed, chain_moves_as_a_whole,
          node_that_reads_more_than_the_chain_ends_it, place_taken_by_a_node_with_several_successor_edges_is_locked)
