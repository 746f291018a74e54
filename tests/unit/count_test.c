/* count_test - how large a request is, and whether it may come in. */
#include "lib/wire_text.h"
#include "proto/graph_codec.h"
#include "run_tests.h"

static struct sd_arena mem;

static enum sd_status count(const char *text, struct sd_counts *counts)
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	enum sd_status status = sd_request_count(wire_text(&mem, text), counts, &diag);

	ck_assert_int_eq(status == SD_OK, diag.code == SD_CODE_NONE);
	return status;
}

START_TEST(all_parts_are_counted)
{
	struct sd_counts c;

	ck_assert_int_eq(count("1{1\"g\" 2{1\"a\" 4\"b\" 4\"\" 5\"s\" 6{1\"k\" 2{5{2[1 2 3]}}} 9{1=4 2[1 2]} 14\"x\" 15\"w\" 15\"v\"}"
	                       "2{1\"b\"} 3{1\"s\" 2{1\"c\" 13{3[0 1 2 3]}} 3{1\"q\" 3{1{1\"m\"} 1{1\"n\"}}}} 4{1\"r\" 4{1{1{1\"o\"}} 1{}}}}"
	                       "2{9{1\"e\"} 10{1{1\"a\" 1\"b\"} 1{}}} 3{2{1\"e\"} 2{1\"f\"}}", &c), SD_OK);
	ck_assert_uint_eq(c.nodes, 3);
	ck_assert_uint_eq(c.edges, 2);
	ck_assert_uint_eq(c.graphs, 2);
	ck_assert_uint_eq(c.bodies, 1);
	ck_assert_uint_eq(c.attrs, 6); /* k, q, m, n, r, o */
	ck_assert_uint_eq(c.items, 5);
	ck_assert_uint_eq(c.outputs, 1);
	ck_assert_uint_eq(c.shape, 2);
	ck_assert_uint_eq(c.ranks, 4);
	ck_assert_uint_eq(c.overwrites, 1);
	ck_assert_uint_eq(c.writes, 2);
	ck_assert_uint_eq(c.extras, 2);
	ck_assert_uint_eq(c.engine_streams, 1);
	ck_assert_uint_eq(c.partition_streams, 2);
	ck_assert_uint_eq(c.partition_nodes, 2);
	ck_assert_uint_eq(c.engines, 2);
	ck_assert(c.has_graph);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(nothing_is_a_request_without_graph)
{
	struct sd_counts c;

	ck_assert_int_eq(count("", &c), SD_OK);
	ck_assert(!c.has_graph);
	ck_assert_int_eq(count("1{}", &c), SD_OK);
	ck_assert(c.has_graph && c.graphs == 1 && c.nodes == 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(malformed_requests_are_refused)
{
	static const char *const rows[] = {
		"1=1", "1{2=1}", "1{2{1=1}}", "1{2{4=1}}", "1{2{7\"1\"}}", "1{2{16\"1\"}}", "1{2{6{2{2\"1\"}}}}",
		"1{2{6{2{3=1}}}}", "1{2{6{2{5{3=1}}}}}", "1{5\"x\"}", "2{1\"ge\"}", "2{10=1}", "3{3{1\"5\"}}", "3{4{13~1}}",
		"1{} 1{}", "2{} 2{}", "3{} 3{}", "1{2{13{} 13{}}}", "1{2{6{2{} 2{}}}}", "1{2{6{2{5{} 5{}}}}}",
		"2{10{} 10{}}", "3{3{} 3{}}", "3{4{} 4{}}", "1{2{6{4{1{1{2{} 2{}}}}}}}",
		"#0b", "1{#0c}", "1{2{#0aff}}", "#0a80808080808080808002", "1{2{#7b}}", "#00", "1{2{6{2{5{#120280}}}}}",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_counts c;

		ck_assert_msg(count(rows[i], &c) == SD_INVALID_ARGUMENT, "%s is taken", rows[i]);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_newer_clients_send_is_skipped)
{
	struct sd_counts c;

	ck_assert_int_eq(count("9\"x\" 1{9=1 2{1\"a\" 2\"b\" 17{1{1{}}} 99%1} 3{1\"s\" 8~1}} 2{11\"x\" 20=1} 3{4{14=1}}", &c), SD_OK);
	ck_assert_uint_eq(c.nodes, 1);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(admission_names_the_bound)
{
	const struct sd_counts c = { .nodes = 11, .edges = 21, .attrs = 31, .graphs = 1, .has_graph = true };
	const struct {
		struct sd_admission bounds;
		enum sd_code code;
		const char *says;
	} rows[] = {
		{ { 0, 0, 0, 0 }, SD_CODE_NONE, "" },
		{ { 11, 21, 31, 1 << 20 }, SD_CODE_NONE, "" },
		{ { 10, 0, 0, 0 }, SD_CODE_LIMIT_NODES, "11 nodes, 10 are" },
		{ { 0, 20, 0, 0 }, SD_CODE_LIMIT_NODES, "21 edges, 20 are" },
		{ { 0, 0, 30, 0 }, SD_CODE_LIMIT_NODES, "31 attributes, 30 are" },
		{ { 0, 0, 0, 1000 }, SD_CODE_LIMIT_MEMORY, "1000 bytes" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_diag diag = { .code = SD_CODE_NONE };
		char message[SD_MESSAGE_MAX];
		enum sd_status status = sd_admit(&c, &rows[i].bounds, &diag);

		ck_assert_int_eq(status, rows[i].code == SD_CODE_NONE ? SD_OK : SD_RESOURCE_EXHAUSTED);
		ck_assert_int_eq(diag.code, rows[i].code);
		sd_diag_message(&diag, NULL, message, sizeof(message));
		ck_assert_msg(strstr(message, rows[i].says) != NULL, "%s", message);
	}
}
END_TEST

START_TEST(decoding_takes_at_least_what_is_told)
{
	struct sd_text bytes = wire_text(&mem, "1{2{1\"a\" 2\"Op\"} 2{1\"b\" 2\"Op\" (500 4\"a:0\") (3 6{1\"\" 2{2=1}})}}");
	struct sd_counts c;
	struct sd_arena job;
	struct sd_request request;

	ck_assert_int_eq(sd_request_count(bytes, &c, NULL), SD_OK);
	sd_arena_init(&job, sd_request_bytes(&c) - 1);
	ck_assert_int_eq(sd_request_decode(&job, bytes, &c, &request, NULL), SD_RESOURCE_EXHAUSTED);
	sd_arena_finish(&job);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("count", all_parts_are_counted, nothing_is_a_request_without_graph, malformed_requests_are_refused,
          what_newer_clients_send_is_skipped, admission_names_the_bound, decoding_takes_at_least_what_is_told)
