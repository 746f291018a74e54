/* graph_codec_body_test - every subgraph has one owner, and all of them hang below the root. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

/* A chain of `depth` bodies: the node n0 of the root owns s1, whose node n1 owns s2, ... */
static char *chain_of_bodies(int depth)
{
	char *text = calloc(1, 64 * (size_t)(depth + 2)), *at = text;

	at += sprintf(at, "2{1\"n0\" 2\"If\" 5\"s1\"}");
	for (int i = 1; i <= depth; i++) {
		at += sprintf(at, "3{1\"s%d\" 2{1\"n%d\" 2\"If\"", i, i);
		at += i < depth ? sprintf(at, " 5\"s%d\"}}", i + 1) : sprintf(at, "}}");
	}
	return text;
}

START_TEST(bodies_nest_ten_deep)
{
	for (int depth = 1; depth <= 12; depth++) {
		char *text = chain_of_bodies(depth);
		struct decoding *d = decode_graph(text);

		if (depth <= (int)SD_DEPTH_MAX) {
			ck_assert_msg(d->status == SD_OK, "%s", d->message);
			ck_assert_uint_eq(d->request.graph.graph[depth].parent, (uint32_t)depth - 1);
		} else {
			ck_assert_int_eq(d->diag.code, SD_CODE_BODY_NESTING);
			ck_assert_msg(strstr(d->message, "'s11' lies too deep") != NULL, "%s", d->message);
		}
		decoding_end(d);
		free(text);
	}
}
END_TEST

START_TEST(bodies_are_listed_in_instance_order)
{
	struct decoding *d = decode_graph("3{1\"x\"} 3{1\"y\"} 3{1\"z\"} 2{1\"a\" 2\"If\" 5\"z\" 5\"x\"} 2{1\"b\" 2\"While\" 5\"y\"}");
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(g->body_first[1], 2);
	ck_assert_uint_eq(g->body_first[2], 3);
	ck_assert_uint_eq(g->body[0], 3);
	ck_assert_uint_eq(g->body[1], 1);
	ck_assert_uint_eq(g->body[2], 2);
	ck_assert_uint_eq(g->graph[1].instance, 1);
	ck_assert_uint_eq(g->graph[3].instance, 0);
	ck_assert_uint_eq(g->graph[2].parent, 1);
	ck_assert_uint_eq(g->graph[0].parent, SD_NO_NODE);
	decoding_end(d);
}
END_TEST

START_TEST(bad_bodies_are_refused)
{
	static const struct refusal rows[] = {
		{ "2{1\"a\" 2\"If\" 5\"s\"}", SD_CODE_BODY_OWNER, "'a': subgraph 's' does not exist" },
		{ "2{1\"a\" 2\"If\" 5\"g\"} 1\"g\"", SD_CODE_BODY_OWNER, "'a': subgraph 'g' does not exist" },
		{ "2{1\"a\" 2\"If\" 5\"\"}", SD_CODE_BODY_OWNER, "subgraph '' does not exist" },
		{ "2{1\"a\" 2\"If\" 5\"s\" 5\"s\"} 3{1\"s\"}", SD_CODE_BODY_OWNER, "'a': subgraph 's' is named twice" },
		{ "2{1\"a\" 2\"If\" 5\"s\"} 2{1\"b\" 2\"If\" 5\"s\"} 3{1\"s\"}", SD_CODE_BODY_OWNER, "'b': subgraph 's' is named twice" },
		{ "2{1\"a\" 2\"If\"} 3{1\"s\"}", SD_CODE_BODY_OWNER, "subgraph 's' is named by no node" },
		{ "2{1\"a\" 2\"If\" 5\"s\"} 3{1\"s\"} 3{1\"s\"}", SD_CODE_NAME_TWICE, "'s' is used twice" },
		{ "3{2{1\"a\" 2\"Op\"}}", SD_CODE_BAD_NAME, "'' is no valid subgraph name" },
		{ "3{1\"^s\"}", SD_CODE_BAD_NAME, "'^s' is no valid subgraph name" },
		{ "1\"\\xff\"", SD_CODE_BAD_NAME, "is no valid graph name" },
		{ "3{1\"s\" 2{1\"a\" 2\"If\" 5\"s\"}}", SD_CODE_BODY_NESTING, "'s' is nested in itself" },
		{ "3{1\"s\" 2{1\"a\" 2\"If\" 5\"t\"}} 3{1\"t\" 2{1\"b\" 2\"If\" 5\"s\"}}", SD_CODE_BODY_NESTING, "nested in itself" },
		{ "3{1\"under\"} 3{1\"s\" 2{1\"a\" 2\"If\" 5\"t\" 5\"under\"}} 3{1\"t\" 2{1\"b\" 2\"If\" 5\"s\"}}",
		  SD_CODE_BODY_NESTING, "is nested in itself" },
	};

	EXPECT_REFUSALS(rows, "1{", "}");
}
END_TEST

RUN_TESTS("graph_codec_body", bodies_nest_ten_deep, bodies_are_listed_in_instance_order, bad_bodies_are_refused)
