/* request_test - requests as JSON, as bytes, with options laid over them, and back. */
#include "formats_world.h"

#define GRAPH "\"graph\": {\"name\": \"g\", \"nodes\": [{\"name\": \"x\", \"op_type\": \"Data\"}, " \
              "{\"name\": \"a\", \"op_type\": \"Relu\", \"inputs\": [\"x:0\", \"\"]}]}"

static const char everything[] =
	"{\"graph\": {\"name\": \"g\", \"dynamic\": true, \"attrs\": {\"k\": 1}, \"nodes\": ["
	"{\"name\": \"x\", \"op_type\": \"Data\", \"outputs\": [{\"bytes\": 0, \"shape\": [2, -1], \"dtype\": \"float16\"}, {}]}, "
	"{\"name\": \"a\", \"op_type\": \"If\", \"engine\": \"AIcoreEngine\", \"inputs\": [\"x:0\", \"^x\", \"\"], \"subgraphs\": [\"then\"], "
	"\"attrs\": {\"s\": \"t\", \"f\": 1.0, \"l\": [1, 2], \"m\": {\"b\": true}}, \"task_count\": 0, \"attached_task_count\": 3, "
	"\"duration_ns\": 0, \"cube_cores\": 2, \"vector_cores\": 0, \"comm\": {\"group\": \"w\", \"bytes\": 8, \"ranks\": [0, 1]}, "
	"\"overwrites\": [\"x\"], \"writes\": [\"buf\"], \"gang\": true}], "
	"\"subgraphs\": [{\"name\": \"then\", \"nodes\": [{\"name\": \"o\", \"op_type\": \"NetOutput\"}], \"dynamic\": true}]}, "
	"\"options\": {\"compat\": \"ge\", \"single_stream\": true, \"event\": \"notify\", \"auto_multi_stream\": \"cv\", "
	"\"max_parallel_num\": {\"AIcoreEngine\": 2, \"DNN_HCCL\": 1}, \"explicit_streams\": [[\"a\"], []], \"topo_sorting\": \"rdfs\", "
	"\"cluster\": \"none\", \"unknown_op\": \"reject\", \"search_evaluations\": 5}, "
	"\"device\": {\"profile\": \"ascend910b\", \"engines\": [{\"name\": \"E\", \"independent\": false, \"scheduler_id\": \"TS_2\", \"priority\": 0}], "
	"\"limits\": {\"max_streams\": 0, \"unlimited_depth\": false}, \"model\": {\"cube_cores\": 0}}}";

static const char *json_of(struct sd_text bytes)
{
	struct sd_diag diag = { 0 };
	struct written written;
	FILE *file = written_open(&written);

	ck_assert_int_eq(sd_request_write_json(&mem, bytes, file, &diag), SD_OK);
	return written_close(&written);
}

static struct sd_text overlaid(enum sd_input_kind kind, struct sd_text content, const char *options, const char *device, const char *limits)
{
	struct sd_overlay overlay = {
		.options = options ? json_loads(options, 0, NULL) : NULL, .device = device ? json_loads(device, 0, NULL) : NULL,
		.limits = limits ? json_loads(limits, 0, NULL) : NULL,
	};
	struct sd_diag diag = { 0 };
	struct sd_text bytes = { NULL, 0 };

	if (sd_input_bytes(&mem, kind, content, &overlay, NULL, &bytes, &diag) != SD_OK) {
		say(&diag);
		bytes.at = NULL;
	}
	json_decref(overlay.options);
	json_decref(overlay.device);
	json_decref(overlay.limits);
	return bytes;
}

START_TEST(a_graph_alone_is_a_request)
{
	const struct sd_graph *graph = &request_from("{" GRAPH "}")->graph;

	ck_assert_uint_eq(graph->node_count, 2);
	ck_assert(sd_text_is(graph->name[1], "a"));
	ck_assert_uint_eq(graph->in_first[2], 2);
	ck_assert_uint_eq(graph->in[1].src, SD_NO_NODE);
}
END_TEST

START_TEST(every_key_goes_there_and_back)
{
	struct sd_text bytes = bytes_of(everything), again;
	const struct sd_request *request;

	ck_assert_msg(bytes.at != NULL, "%s", said);
	again = bytes_of(json_of(bytes));
	ck_assert(sd_text_equal(bytes, again));
	request = decoded(again);
	ck_assert_int_eq(request->options.compat, SD_GE);
	ck_assert_int_eq(request->options.topo_sorting, SD_SORT_RDFS);
	ck_assert_uint_eq(request->options.max_parallel_count, 2);
	ck_assert_uint_eq(request->options.explicit_count, 2);
	ck_assert(request->device.limits.has_max_streams && request->device.limits.max_streams == 0);
	ck_assert(request->device.limits.has_unlimited_depth && !request->device.limits.unlimited_depth);
	ck_assert_int_eq(request->device.model.cube_cores, 0);
	ck_assert_int_eq(request->device.model.vector_cores, -1);
	ck_assert_int_eq(request->graph.task_count[1], 0);
	ck_assert_int_eq(request->graph.task_count[0], SD_TASKS_UNKNOWN);
	ck_assert(request->device.engine[0].has_independent && !request->device.engine[0].independent);
	ck_assert(!request->device.engine[0].has_attach);
}
END_TEST

START_TEST(unknown_keys_are_refused_with_their_path)
{
	REFUSED("{\"graph\": {\"nodes\": [{}, {}, {}, {\"inptus\": []}]}}",
	        "SD0115: graph.nodes[3].inptus: unknown key; did you mean inputs?");
	REFUSED("{\"graph\": {}, \"option\": {}}", "SD0115: option: unknown key; did you mean options?");
	REFUSED("{" GRAPH ", \"device\": {\"limits\": {\"zzzzzz\": 1}}}", "SD0115: device.limits.zzzzzz: unknown key");
}
END_TEST

START_TEST(wrong_types_are_refused_with_their_path)
{
	REFUSED("{\"graph\": null}", "SD0115: graph: null is not allowed; leave the key out");
	REFUSED("{\"graph\": {\"nodes\": {}}}", "SD0115: graph.nodes: must be a list, not an object");
	REFUSED("{\"graph\": {\"nodes\": [{\"task_count\": 1.0}]}}",
	        "SD0115: graph.nodes[0].task_count: must be an integer, not a number with a fraction");
	REFUSED("{\"graph\": {\"nodes\": [{\"task_count\": \"1\"}]}}", "SD0115: graph.nodes[0].task_count: must be an integer, not a string");
	REFUSED("{\"options\": {\"hcom_parallel\": 2}}", "E10006: option hcom_parallel (ge.hcomParallel) must be 0 or 1, not '2'");
	REFUSED("{\"options\": {\"hcom_parallel\": -1}}", "E10006: option hcom_parallel (ge.hcomParallel) must be 0 or 1, not '-1'");
	REFUSED("{\"options\": {\"hcom_parallel\": \"true\"}}", "E10006: option hcom_parallel (ge.hcomParallel) must be 0 or 1, not 'true'");
	REFUSED("{\"options\": {\"hcom_parallel\": \"\"}}", "E10006: option hcom_parallel (ge.hcomParallel) must be 0 or 1, not ''");
	REFUSED("{\"options\": {\"hcom_parallel\": [1]}}", "E10006: option hcom_parallel (ge.hcomParallel) must be 0 or 1, not '[1]'");
	REFUSED("{\"options\": {\"hcom_parallel\": null}}", "SD0115: options.hcom_parallel: null is not allowed; leave the key out");
	REFUSED("{\"graph\": {\"dynamic\": 0}}", "SD0115: graph.dynamic: must be true or false, not an integer");
	REFUSED("{\"options\": {\"compat\": \"GE\"}}", "SD0115: options.compat: must be one of native, ge");
	REFUSED("{\"options\": {\"max_parallel_num\": {\"E\": \"2\"}}}", "SD0115: options.max_parallel_num.E: must be an integer, not a string");
	REFUSED("{\"options\": {\"explicit_streams\": [\"a\"]}}",
	        "SD0115: options.explicit_streams[0]: must be a list of node names, not a string");
	REFUSED("{\"options\": {\"explicit_streams\": [[\"a\", 1]]}}",
	        "SD0115: options.explicit_streams[0][1]: must be a node name, not an integer");
	REFUSED("[]", "SD0115: top level: must be an object, not a list");
}
END_TEST

START_TEST(broken_texts_are_refused_with_their_place)
{
	REFUSED("{\"graph\": {}, \"graph\": {}}", "SD0115: top level: line 1, column 21: duplicate object key near '\"graph\"'");
	REFUSED("{\"graph\":\n {", "SD0115: top level: line 2, column 2: string or '}' expected near end of file");
	REFUSED("{\"graph\": {\"name\": \"\\u0000\"}}", "SD0115: top level: line 1, column 27: a string must not hold \\u0000");
	REFUSED("{\x1b}", "SD0115: top level: line 1, column 2: string or '}' expected near '?'");
	ck_assert_ptr_null(bytes_of("{} {}").at);
	ck_assert_ptr_null(bytes_of("{\"graph\": {\"name\": \"\xff\"}}").at);
	ck_assert_ptr_null(bytes_of("{\"graph\": {\"nodes\": [{\"task_count\": 9223372036854775808}]}}").at);
}
END_TEST

START_TEST(deep_nesting_ends_in_an_error)
{
	char *deep = sd_arena_alloc(&mem, 300001);

	memset(deep, '[', 300000);
	deep[300000] = '\0';
	ck_assert_ptr_null(bytes_of(deep).at);
}
END_TEST

START_TEST(what_is_laid_over_replaces)
{
	struct sd_text json = text_of("{" GRAPH ", \"options\": {\"strict\": true, \"event\": \"notify\"}, \"device\": {\"profile\": \"ascend310\", "
	                              "\"limits\": {\"max_events\": 7}}}");
	struct sd_request *request = decoded(overlaid(SD_INPUT_JSON, json, "{\"event\": \"event\", \"cluster\": \"topo\"}", NULL, "{\"max_streams\": 3}"));

	ck_assert(request->options.strict);
	ck_assert_int_eq(request->options.event, SD_EVENT);
	ck_assert_int_eq(request->options.cluster, SD_CLUSTER_TOPO);
	ck_assert_int_eq(request->device.limits.max_streams, 3);
	ck_assert_int_eq(request->device.limits.max_events, 7);
	request = decoded(overlaid(SD_INPUT_JSON, json, NULL, "{\"profile\": \"default\"}", "{\"max_streams\": 3}"));
	ck_assert(sd_text_is(request->device.profile, "default"));
	ck_assert(!request->device.limits.has_max_events);
	ck_assert(request->device.limits.has_max_streams);
}
END_TEST

START_TEST(bytes_take_an_overlay_too)
{
	struct sd_text bytes = bytes_of("{" GRAPH "}");
	struct sd_request *request = decoded(overlaid(SD_INPUT_PROTOBUF, bytes, "{\"strict\": true}", NULL, NULL));

	ck_assert(request->options.strict);
	ck_assert_uint_eq(request->graph.node_count, 2);
	ck_assert_ptr_eq(overlaid(SD_INPUT_PROTOBUF, bytes, NULL, NULL, NULL).at, bytes.at);
}
END_TEST

START_TEST(bytes_that_do_not_decode_stay_as_they_are)
{
	struct sd_text bad = text_of("\x0a\x06\x12\x04\x0a\x02" "a\xff");

	ck_assert_ptr_eq(overlaid(SD_INPUT_PROTOBUF, bad, "{\"strict\": true}", NULL, NULL).at, bad.at);
}
END_TEST

START_TEST(an_overlay_is_checked_like_a_request)
{
	ck_assert_ptr_null(overlaid(SD_INPUT_JSON, text_of("{" GRAPH "}"), NULL, NULL, "{\"max_stream\": 1}").at);
	ck_assert_str_eq(said, "SD0115: device.limits.max_stream: unknown key; did you mean max_streams?");
	ck_assert_ptr_null(overlaid(SD_INPUT_JSON, text_of("{" GRAPH "}"), "{\"strict\": \"yes\"}", NULL, NULL).at);
	ck_assert_str_eq(said, "SD0115: options.strict: must be true or false, not a string");
}
END_TEST

START_TEST(every_failing_allocation_is_told)
{
	for (uint64_t at = 1;; at++) {
		struct sd_arena small;
		struct sd_text bytes;
		struct sd_diag diag = { 0 };
		enum sd_status status;

		sd_arena_init(&small, 0);
		small.fail_at = at;
		status = sd_input_bytes(&small, SD_INPUT_JSON, text_of(everything), NULL, NULL, &bytes, &diag);
		sd_arena_finish(&small);
		if (status == SD_OK) {
			ck_assert_uint_gt(at, 50);
			return;
		}
		ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	}
}
END_TEST

static long allocations_left;

static void *scarce_malloc(size_t bytes)
{
	return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

START_TEST(every_failing_allocation_of_the_parser_is_told)
{
	json_set_alloc_funcs(scarce_malloc, free);
	for (long count = 0;; count++) {
		struct sd_arena small;
		struct sd_text bytes;
		struct sd_diag diag = { 0 };
		enum sd_status status;

		sd_arena_init(&small, 0);
		allocations_left = count;
		status = sd_input_bytes(&small, SD_INPUT_JSON, text_of(everything), NULL, NULL, &bytes, &diag);
		sd_arena_finish(&small);
		if (status == SD_OK) {
			ck_assert_int_gt(count, 50);
			return;
		}
		ck_assert(diag.code == SD_CODE_LIMIT_MEMORY || diag.code == SD_CODE_BAD_JSON);
	}
}
END_TEST

RUN_TESTS("request", a_graph_alone_is_a_request, every_key_goes_there_and_back, unknown_keys_are_refused_with_their_path,
          wrong_types_are_refused_with_their_path, broken_texts_are_refused_with_their_place, deep_nesting_ends_in_an_error,
          what_is_laid_over_replaces, bytes_take_an_overlay_too, bytes_that_do_not_decode_stay_as_they_are,
          an_overlay_is_checked_like_a_request, every_failing_allocation_is_told,
          every_failing_allocation_of_the_parser_is_told)
