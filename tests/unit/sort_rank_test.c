/* sort_rank_test - the size of a node's outputs, seen through the order of rdfs. */
#include "run_tests.h"

#include "sorted.h"

static struct sd_arena mem;

/* Whether rdfs takes x before y, which has the name that comes first: only if x is smaller. */
static bool x_is_smaller(const char *text)
{
	const char *order = sorted(&mem, text, SD_SORT_RDFS, false);

	return strchr(order, 'x') < strchr(order, 'a');
}

START_TEST(outputs_count_four_bytes_if_unknown)
{
	ck_assert(x_is_smaller("a Relu; x Relu bytes=3; o NetOutput a x"));
	ck_assert(!x_is_smaller("a Relu; x Relu bytes=4; o NetOutput a x"));
	ck_assert(x_is_smaller("a Relu; x Relu bytes=0; o NetOutput a x"));
	ck_assert(x_is_smaller("a Relu bytes=-1; x Relu bytes=3; o NetOutput a x"));
}
END_TEST

START_TEST(used_outputs_are_counted)
{
	/* a has three outputs of four bytes, whichever of them are used */
	ck_assert(x_is_smaller("a Relu; x Relu bytes=11; o NetOutput a:2 x"));
	ck_assert(!x_is_smaller("a Relu; x Relu bytes=12; o NetOutput a:2 x"));
	/* one at least, save for NetOutput */
	ck_assert(x_is_smaller("a Relu; x Relu bytes=3; o Relu ^a x"));
	ck_assert(!x_is_smaller("a NetOutput; x Relu bytes=0; o Relu ^a x"));
	ck_assert(x_is_smaller("a Relu; x NetOutput; o Relu ^a ^x"));
	/* the output that closes a loop is not counted */
	ck_assert(!x_is_smaller("a NextIteration; x Relu bytes=4; m Merge a:3; o Relu m ^a x"));
}
END_TEST

START_TEST(sizes_that_overflow_are_the_largest)
{
	struct sd_request *request = request_of(&mem, "a Relu bytes=1; x Relu bytes=9223372036854775807; o NetOutput a x");
	struct sd_output outputs[] = { { .bytes = INT64_MAX }, { .bytes = INT64_MAX }, { .bytes = INT64_MAX - 1 } };
	struct sd_extra extra[] = { request->graph.extra[0], request->graph.extra[1] };
	struct sd_order order;

	extra[0].output_first = 0;
	extra[0].output_count = 2;
	extra[1].output_first = 2;
	request->graph.output = outputs;
	request->graph.extra = extra;
	request->options.topo_sorting = SD_SORT_RDFS;
	ck_assert_int_eq(sort_of(&mem, request, &order, NULL), SD_OK);
	ck_assert_str_eq(names_of(&mem, &request->graph, order.node, 3), "x a o");
}
END_TEST

RUN_TESTS("sort_rank", outputs_count_four_bytes_if_unknown, used_outputs_are_counted, sizes_that_overflow_are_the_largest)
