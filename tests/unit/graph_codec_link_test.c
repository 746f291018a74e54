/* graph_codec_link_test - inputs and overwrites: how they are spelled, what they may name. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

/* The nodes before the one whose input is read: 0 a, 1 a:3, 2 -1, 3 x:y; itself is 4, behind it 5 z. */
#define AROUND "2{1\"a\" 2\"Op\"} 2{1\"a:3\" 2\"Op\"} 2{1\":-1\" 2\"Op\"} 2{1\"x:y\" 2\"Op\"} 2{1\"me\" 2\"Op\" 4\"%s\"} 2{1\"z\" 2\"Op\"}"

START_TEST(every_spelling_is_read)
{
	static const struct {
		const char *text;
		uint32_t src;
		int32_t port;
	} rows[] = {
		{ "a", 0, 0 }, { "a:0", 0, 0 }, { "a:2", 0, 2 }, { "a:007", 0, 7 }, { "a:2147483647", 0, INT32_MAX },
		{ "a:-1", 0, SD_CONTROL }, { "^a", 0, SD_CONTROL },
		{ "a:3", 0, 3 }, { "a:3:0", 1, 0 }, { "a:3:4", 1, 4 }, { "a:3:-1", 1, SD_CONTROL }, { "^a:3", 1, SD_CONTROL },
		{ ":-1:0", 2, 0 }, { "^:-1", 2, SD_CONTROL },
		{ "x:y", 3, 0 }, { "x:y:1", 3, 1 },
		{ "me:0", 4, 0 }, { "z", 5, 0 }, { "z:1", 5, 1 }, { "^z", 5, SD_CONTROL },
		{ "", SD_NO_NODE, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];
		struct decoding *d;

		snprintf(text, sizeof(text), AROUND, rows[i].text);
		d = decode_graph(text);
		ck_assert_msg(d->status == SD_OK, "%s: %s", rows[i].text, d->message);
		ck_assert_uint_eq(d->request.graph.edge_count, 1);
		ck_assert_msg(d->request.graph.in[0].src == rows[i].src && d->request.graph.in[0].port == rows[i].port,
		              "%s: node %u, port %d", rows[i].text, d->request.graph.in[0].src, d->request.graph.in[0].port);
		decoding_end(d);
	}
}
END_TEST

START_TEST(what_names_no_node_is_refused)
{
	static const struct refusal rows[] = {
		{ "b", SD_CODE_UNKNOWN_INPUT, "'me': input 'b'" },
		{ "^b", SD_CODE_UNKNOWN_INPUT, "'me': input '^b'" },
		{ "^", SD_CODE_UNKNOWN_INPUT, "input '^'" },
		{ "^^a", SD_CODE_UNKNOWN_INPUT, "input '^^a'" },
		{ ":0", SD_CODE_UNKNOWN_INPUT, "input ':0'" },
		{ ":-1", SD_CODE_UNKNOWN_INPUT, "input ':-1'" },
		{ ":", SD_CODE_UNKNOWN_INPUT, "input ':'" },
		{ "0", SD_CODE_UNKNOWN_INPUT, "input '0'" },
		{ "a:", SD_CODE_UNKNOWN_INPUT, "input 'a:'" },
		{ "a:-2", SD_CODE_UNKNOWN_INPUT, "input 'a:-2'" },
		{ "a:+1", SD_CODE_UNKNOWN_INPUT, "input 'a:+1'" },
		{ "a:1 ", SD_CODE_UNKNOWN_INPUT, "input 'a:1 '" },
		{ "a-1", SD_CODE_UNKNOWN_INPUT, "input 'a-1'" },
		{ "-1", SD_CODE_UNKNOWN_INPUT, "input '-1'" },
		{ "^a:0", SD_CODE_UNKNOWN_INPUT, "input '^a:0'" },
		{ "a:2147483648", SD_CODE_BAD_VALUE, "output number up to 2147483647" },
		{ "a:99999999999999999999999", SD_CODE_BAD_VALUE, "output number" },
	};

	EXPECT_REFUSALS(rows, "1{2{1\"a\" 2\"Op\"} 2{1\"me\" 2\"Op\" 4\"", "\"}}");
}
END_TEST

START_TEST(an_input_stays_in_its_graph)
{
	static const struct refusal rows[] = {
		{ "2{1\"a\" 2\"If\" 5\"s\"} 3{1\"s\" 2{1\"b\" 2\"Op\" 4\"a\"}}", SD_CODE_UNKNOWN_INPUT, "'b': input 'a'" },
		{ "2{1\"a\" 2\"If\" 5\"s\" 4\"b\"} 3{1\"s\" 2{1\"b\" 2\"Op\"}}", SD_CODE_UNKNOWN_INPUT, "'a': input 'b'" },
		{ "2{1\"a\" 2\"If\" 5\"s\" 5\"t\"} 3{1\"s\" 2{1\"b\" 2\"Op\"}} 3{1\"t\" 2{1\"c\" 2\"Op\" 4\"^b\"}}",
		  SD_CODE_UNKNOWN_INPUT, "'c': input '^b'" },
	};

	EXPECT_REFUSALS(rows, "1{", "}");
}
END_TEST

START_TEST(lists_keep_their_order)
{
	struct decoding *d = decode_graph("2{1\"c\" 2\"Op\" 4\"a:1\" 4\"\" 4\"^b\" 4\"a:1\" 4\"b\"} 2{1\"a\" 2\"Op\"} 2{1\"b\" 2\"Op\" 4\"a\"}");
	static const struct sd_edge want[] = { { 1, 1 }, { SD_NO_NODE, 0 }, { 2, -1 }, { 1, 1 }, { 2, 0 }, { 1, 0 } };
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(g->edge_count, 6);
	for (int i = 0; i < 6; i++)
		ck_assert(g->in[i].src == want[i].src && g->in[i].port == want[i].port);
	ck_assert_uint_eq(g->in_first[1], 5);
	ck_assert_uint_eq(g->in_first[2], 5);
	decoding_end(d);
}
END_TEST

START_TEST(overwrites_may_name_any_node)
{
	struct decoding *d = decode_graph("2{1\"a\" 2\"If\" 5\"s\" 14\"b\" 14\"z\"} 3{1\"s\" 2{1\"b\" 2\"Op\" 14\"a\"}} 2{1\"z\" 2\"Op\"}");
	static const struct refusal rows[] = {
		{ "2{1\"a\" 2\"Op\" 14\"b\"}", SD_CODE_UNKNOWN_REFERENCE, "'a': overwrites names 'b'" },
		{ "2{1\"a\" 2\"Op\" 14\"a\" 14\"\"}", SD_CODE_UNKNOWN_REFERENCE, "'a': overwrites names ''" },
	};
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(g->overwrite[g->extra[g->extra_of[0]].overwrite_first], 2);
	ck_assert_uint_eq(g->overwrite[g->extra[g->extra_of[0]].overwrite_first + 1], 1);
	ck_assert_uint_eq(g->overwrite[g->extra[g->extra_of[2]].overwrite_first], 0);
	decoding_end(d);
	EXPECT_REFUSALS(rows, "1{", "}");
}
END_TEST

RUN_TESTS("graph_codec_link", every_spelling_is_read, what_names_no_node_is_refused, an_input_stays_in_its_graph,
          lists_keep_their_order, overwrites_may_name_any_node)
