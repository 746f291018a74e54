/* graph_codec_attr_test - attributes: order, keys, presence, duplicates. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

START_TEST(attributes_are_sorted_by_name)
{
	struct decoding *d = decode_graph("2{1\"n\" 2\"Op\" 6{1\"b\" 2{2=1}} 6{1\"a\" 2{2=2}} 6{1\"ab\" 2{2=3}} 6{1\"\xc3\xa9\" 2{2=4}} 6{1\"B\" 2{2=5}}}");
	static const char *const want[] = { "B", "a", "ab", "b", "\xc3\xa9" };
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(g->attrs[0].count, 5);
	for (int i = 0; i < 5; i++)
		ck_assert(sd_text_is(g->attr[i].name, want[i]));
	decoding_end(d);
}
END_TEST

START_TEST(every_known_name_has_its_key)
{
	static const char *const known[] = {
#define SD_X(name, text) text,
		SD_ATTR_LIST(SD_X)
#undef SD_X
	};

	for (uint32_t key = 0; key < SD_ATTR_OTHER; key++) {
		char text[256];
		struct decoding *d;
		const struct sd_graph *g;

		snprintf(text, sizeof(text), "2{1\"n\" 2\"Op\" 6{1\"%s\" 2{1\"v\"}} 6{1\"zz%s\" 2{2=1}}}", known[key], known[key]);
		d = decode_graph(text);
		g = &d->request.graph;
		ck_assert_msg(d->status == SD_OK, "%s", d->message);
		ck_assert_uint_eq(g->attr_present[0], (uint64_t)1 << key);
		ck_assert(sd_graph_attr(g, 0, (enum sd_attr_key)key) != NULL);
		ck_assert_int_eq(g->attr[1].key, SD_ATTR_OTHER);
		decoding_end(d);
	}
}
END_TEST

START_TEST(each_node_and_graph_has_its_own)
{
	struct decoding *d = decode_graph("4{1\"q\" 2{2=9}} 2{1\"n\" 2\"If\" 6{1\"a\" 2{2=1}} 5\"s\"} 4{1\"p\" 2{2=8}} 2{1\"m\" 2\"Op\" 6{1\"a\" 2{2=2}}}"
	                                  "3{1\"s\" 3{1\"g\" 2{2=7}} 2{1\"o\" 2\"Op\" 6{1\"_stream_label\" 2{1\"x\"}}} 3{1\"f\" 2{2=6}}}");
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_int_eq(g->attr[g->attrs[0].first].value.integer, 1);
	ck_assert_int_eq(g->attr[g->attrs[1].first].value.integer, 2);
	ck_assert(sd_graph_has(g, 2, SD_ATTR_STREAM_LABEL));
	ck_assert_uint_eq(g->graph[0].attrs.count, 2);
	ck_assert(sd_text_is(g->attr[g->graph[0].attrs.first].name, "p"));
	ck_assert_int_eq(g->attr[g->graph[0].attrs.first + 1].value.integer, 9);
	ck_assert_uint_eq(g->graph[1].attrs.count, 2);
	ck_assert_int_eq(g->attr[g->graph[1].attrs.first].value.integer, 6);
	ck_assert_uint_eq(g->attr_count, 7);
	decoding_end(d);
}
END_TEST

START_TEST(bad_attributes_are_refused)
{
	static const struct refusal rows[] = {
		{ "6{1\"a\" 2{2=1}} 6{1\"b\" 2{2=1}} 6{1\"a\" 2{2=1}}", SD_CODE_ATTR_TWICE, "'n': attribute 'a' is given twice" },
		{ "6{1\"a\" 3{1{1\"k\" 2{2=1}} 1{1\"k\" 2{2=2}}}}", SD_CODE_ATTR_TWICE, "attribute 'k' is given twice" },
		{ "6{2{2=1}}", SD_CODE_BAD_NAME, "'n': '' is no valid attribute name" },
		{ "6{1\"\\xc3\" 2{2=1}}", SD_CODE_BAD_NAME, "attribute name" },
		{ "6{1\"a\"}", SD_CODE_BAD_ATTR, "'n': attribute 'a' must be given as exactly one" },
		{ "6{1\"a\" 2{2=1} 3{}}", SD_CODE_BAD_ATTR, "exactly one of value, map and maps" },
		{ "6{1\"a\" 3{} 4{}}", SD_CODE_BAD_ATTR, "exactly one" },
	};
	static const struct refusal of_graphs[] = {
		{ "4{1\"a\" 2{2=1}} 4{1\"a\" 2{2=1}}", SD_CODE_ATTR_TWICE, "attribute 'a' is given twice" },
		{ "4{1\"a\" 2{}}", SD_CODE_BAD_ATTR, "attribute 'a' must be given a value" },
	};

	EXPECT_REFUSALS(rows, "1{2{1\"n\" 2\"Op\"", "}}");
	EXPECT_REFUSALS(of_graphs, "1{", "}");
}
END_TEST

RUN_TESTS("graph_codec_attr", attributes_are_sorted_by_name, every_known_name_has_its_key, each_node_and_graph_has_its_own,
          bad_attributes_are_refused)
