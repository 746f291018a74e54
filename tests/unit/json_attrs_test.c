/* json_attrs_test - attribute values: what a JSON value becomes, and what goes too deep. */
#include "formats_world.h"

#define NODE(attrs) "{\"graph\": {\"nodes\": [{\"name\": \"a\", \"op_type\": \"Relu\", \"attrs\": " attrs "}]}}"

static const struct sd_value *value_of(const char *json)
{
	const struct sd_graph *graph = &request_from(json)->graph;

	ck_assert_uint_eq(graph->attrs[0].count, 1);
	return &graph->attr[graph->attrs[0].first].value;
}

START_TEST(plain_values)
{
	ck_assert(sd_text_is(value_of(NODE("{\"k\": \"\"}"))->string, ""));
	ck_assert_int_eq(value_of(NODE("{\"k\": \"\"}"))->kind, SD_VALUE_STRING);
	ck_assert_int_eq(value_of(NODE("{\"k\": -9223372036854775808}"))->integer, INT64_MIN);
	ck_assert_int_eq(value_of(NODE("{\"k\": 1.0}"))->kind, SD_VALUE_FLOAT);
	ck_assert_int_eq(value_of(NODE("{\"k\": false}"))->kind, SD_VALUE_BOOL);
	ck_assert(value_of(NODE("{\"k\": true}"))->boolean);
}
END_TEST

START_TEST(lists_of_one_kind)
{
	const struct sd_value *value = value_of(NODE("{\"k\": [3, 4]}"));

	ck_assert_int_eq(value->kind, SD_VALUE_LIST);
	ck_assert_int_eq(value->list.item, SD_VALUE_INT);
	ck_assert_int_eq(value->list.integer[1], 4);
	value = value_of(NODE("{\"k\": [\"x\", \"y\"]}"));
	ck_assert(sd_text_is(value->list.string[1], "y"));
	value = value_of(NODE("{\"k\": [true, false]}"));
	ck_assert_int_eq(value->list.item, SD_VALUE_BOOL);
	ck_assert_uint_eq(value->list.count, 2);
	ck_assert_uint_eq(value_of(NODE("{\"k\": []}"))->list.count, 0);
}
END_TEST

START_TEST(integers_beside_reals_are_reals)
{
	const struct sd_value *value = value_of(NODE("{\"k\": [1, 2.5]}"));

	ck_assert_int_eq(value->list.item, SD_VALUE_FLOAT);
	ck_assert_double_eq(value->list.real[0], 1.0);
}
END_TEST

START_TEST(lists_of_lists_and_maps)
{
	const struct sd_value *value = value_of(NODE("{\"k\": [[], [1, 2]]}"));

	ck_assert_int_eq(value->kind, SD_VALUE_LISTS);
	ck_assert_uint_eq(value->count, 2);
	ck_assert_int_eq(value->lists[1].integer[1], 2);
	value = value_of(NODE("{\"k\": {\"b\": [\"x\"], \"a\": [[1]], \"c\": 7}}"));
	ck_assert_int_eq(value->kind, SD_VALUE_MAP);
	ck_assert_uint_eq(value->maps[0].count, 3);
	ck_assert(sd_text_is(value->maps[0].entry[0].name, "a"));
	value = value_of(NODE("{\"k\": [{\"a\": 1}, {}]}"));
	ck_assert_int_eq(value->kind, SD_VALUE_MAPS);
	ck_assert_uint_eq(value->count, 2);
	ck_assert_uint_eq(value->maps[1].count, 0);
}
END_TEST

START_TEST(what_goes_deeper_is_refused_with_its_path)
{
	REFUSED(NODE("{\"k\": {\"m\": {\"x\": 1}}}"),
	        "SD0115: graph.nodes[0].attrs.k.m: must be a plain value or a list; attribute values go no deeper");
	REFUSED(NODE("{\"k\": [[1], [[2]]]}"),
	        "SD0115: graph.nodes[0].attrs.k[1]: must be a list of integers; attribute values go no deeper");
	REFUSED(NODE("{\"k\": [{\"m\": [{}]}]}"),
	        "SD0115: graph.nodes[0].attrs.k[0].m: must be a list of plain values; attribute values go no deeper");
}
END_TEST

START_TEST(mixed_and_missing_values_are_refused)
{
	REFUSED(NODE("{\"k\": [1, \"x\"]}"), "SD0115: graph.nodes[0].attrs.k[1]: must be a number, not a string");
	REFUSED(NODE("{\"k\": [true, 1]}"), "SD0115: graph.nodes[0].attrs.k[1]: must be a bool, not an integer");
	REFUSED(NODE("{\"k\": [[1], 2]}"), "SD0115: graph.nodes[0].attrs.k[1]: must be a list of integers, not an integer");
	REFUSED(NODE("{\"k\": [{}, 2]}"), "SD0115: graph.nodes[0].attrs.k[1]: must be a map, not an integer");
	REFUSED(NODE("{\"k\": [\"x\", null]}"), "SD0115: graph.nodes[0].attrs.k[1]: null is not allowed; leave the key out");
	REFUSED(NODE("{\"k\": [null]}"), "SD0115: graph.nodes[0].attrs.k[0]: null is not allowed; leave the key out");
	REFUSED(NODE("{\"k\": null}"), "SD0115: graph.nodes[0].attrs.k: null is not allowed; leave the key out");
	REFUSED(NODE("[1]"), "SD0115: graph.nodes[0].attrs: must be a map of attributes, not a list");
}
END_TEST

START_TEST(keys_that_are_no_words_are_quoted)
{
	REFUSED(NODE("{\"a.b\\n\": null}"), "SD0115: graph.nodes[0].attrs['a.b\\x0a']: null is not allowed; leave the key out");
}
END_TEST

RUN_TESTS("json_attrs", plain_values, lists_of_one_kind, integers_beside_reals_are_reals, lists_of_lists_and_maps,
          what_goes_deeper_is_refused_with_its_path, mixed_and_missing_values_are_refused, keys_that_are_no_words_are_quoted)
