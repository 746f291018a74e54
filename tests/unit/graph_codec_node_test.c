/* graph_codec_node_test - names, types, engines and task counts of nodes. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

START_TEST(fields_come_in_any_order_and_the_last_one_counts)
{
	struct decoding *d = decode_graph("2{8=4 7=3 3\"E\" 2\"Wrong\" 1\"wrong\" 6{2{2=1} 1\"k\"} 2\"Relu\" 1\"a\" 7=5}");
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert(sd_text_is(g->name[0], "a"));
	ck_assert(sd_text_is(g->string[g->op_type[0]], "Relu"));
	ck_assert(sd_text_is(g->string[g->engine[0]], "E"));
	ck_assert_int_eq(g->task_count[0], 5);
	ck_assert_int_eq(g->attached_task_count[0], 4);
	ck_assert_uint_eq(g->attrs[0].count, 1);
	decoding_end(d);
}
END_TEST

START_TEST(what_is_not_stated_has_its_default)
{
	struct decoding *d = decode_graph("2{1\"a\" 2\"Relu\"}");
	const struct sd_graph *g = &d->request.graph;

	ck_assert_int_eq(g->task_count[0], SD_TASKS_UNKNOWN);
	ck_assert_int_eq(g->attached_task_count[0], SD_TASKS_UNKNOWN);
	ck_assert_uint_eq(g->engine[0], 0);
	ck_assert_uint_eq(g->extra_of[0], UINT32_MAX);
	ck_assert_uint_eq(g->attr_present[0], 0);
	decoding_end(d);
}
END_TEST

START_TEST(types_and_engines_are_interned)
{
	struct decoding *d = decode_graph("2{1\"a\" 2\"Relu\" 3\"E\"} 2{1\"b\" 2\"Add\"} 2{1\"c\" 2\"Relu\" 3\"Relu\"}");
	const struct sd_graph *g = &d->request.graph;

	ck_assert_uint_eq(g->op_type[0], g->op_type[2]);
	ck_assert_uint_eq(g->engine[2], g->op_type[0]);
	ck_assert_uint_eq(g->string_count, 4); /* "", Relu, E, Add */
	decoding_end(d);
}
END_TEST

START_TEST(names_of_all_lengths_and_letters)
{
	char text[1100], name[513];

	memset(name, 'n', 512);
	name[512] = '\0';
	snprintf(text, sizeof(text), "2{1\"%s\" 2\"Op\"} 2{1\"\xc3\xa9\xe2\x82\xac\" 2\"Op\"} 2{1\"a^b: c\" 2\"Op\"}", name);
	struct decoding *d = decode_graph(text);

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(d->request.graph.name[0].len, 512);
	decoding_end(d);
}
END_TEST

START_TEST(bad_nodes_are_refused)
{
	static const struct refusal rows[] = {
		{ "2{2\"Op\"}", SD_CODE_BAD_NAME, "'' is no valid node name" },
		{ "2{1\"\" 2\"Op\"}", SD_CODE_BAD_NAME, "node name" },
		{ "2{1\"^a\" 2\"Op\"}", SD_CODE_BAD_NAME, "'^a' is no valid node name" },
		{ "2{1\"a\\x00b\" 2\"Op\"}", SD_CODE_BAD_NAME, "'a\\x00b'" },
		{ "2{1\"a\\xff\" 2\"Op\"}", SD_CODE_BAD_NAME, "'a\\xff'" },
		{ "2{1\"a\\xc3\" 2\"Op\"}", SD_CODE_BAD_NAME, "node name" },
		{ "2{1\"a\"}", SD_CODE_BAD_NAME, "'a': '' is no valid op_type" },
		{ "2{1\"a\" 2\"O\\xffp\"}", SD_CODE_BAD_NAME, "'a': 'O\\xffp' is no valid op_type" },
		{ "2{1\"a\" 2\"Op\" 3\"\\x00\"}", SD_CODE_BAD_NAME, "is no valid engine" },
		{ "2{1\"a\" 2\"Op\"} 2{1\"b\" 2\"Op\"} 2{1\"a\" 2\"Op\"}", SD_CODE_NAME_TWICE, "'a' is used twice" },
		{ "2{1\"a\" 2\"Op\" 5\"s\"} 3{1\"s\" 2{1\"a\" 2\"Op\"}}", SD_CODE_NAME_TWICE, "'a' is used twice" },
		{ "2{1\"a\" 2\"Op\" 7=-1}", SD_CODE_BAD_VALUE, "'a': task_count is -1; it must be 0" },
		{ "2{7=2147483648 1\"a\" 2\"Op\"}", SD_CODE_BAD_VALUE, "'a': task_count is 2147483648" },
		{ "2{1\"a\" 2\"Op\" 8=-7}", SD_CODE_BAD_VALUE, "attached_task_count is -7" },
	};

	EXPECT_REFUSALS(rows, "1{", "}");
}
END_TEST

START_TEST(a_name_is_at_most_512_bytes)
{
	char text[600], name[514];
	struct decoding *d;

	memset(name, 'n', 513);
	name[513] = '\0';
	snprintf(text, sizeof(text), "2{1\"%s\" 2\"Op\"}", name);
	d = decode_graph(text);
	ck_assert_int_eq(d->diag.code, SD_CODE_BAD_NAME);
	decoding_end(d);
}
END_TEST

START_TEST(names_that_were_read_are_there_after_a_failure)
{
	struct decoding *d = decode_graph("2{1\"a\" 2\"Op\"} 2{7=-1 1\"b\" 2\"Op\"} 2{1\"c\" 2\"Op\"}");

	ck_assert_int_eq(d->status, SD_INVALID_ARGUMENT);
	ck_assert_uint_eq(d->request.graph.node_count, 2);
	ck_assert(sd_text_is(d->request.graph.name[0], "a") && sd_text_is(d->request.graph.name[1], "b"));
	decoding_end(d);
}
END_TEST

RUN_TESTS("graph_codec_node", fields_come_in_any_order_and_the_last_one_counts, what_is_not_stated_has_its_default,
          types_and_engines_are_interned, names_of_all_lengths_and_letters, bad_nodes_are_refused,
          a_name_is_at_most_512_bytes, names_that_were_read_are_there_after_a_failure)
