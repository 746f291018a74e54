/* features_test - what cannot be planned is refused by name, all else is let through. */
#include "run_tests.h"

#include "graph_builder.h"
#include "options.h"

static struct sd_arena mem;

/* What is refused; NULL if nothing is. */
static const char *refused(const struct sd_request *request, uint32_t node)
{
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	struct sd_mode_choice mode;

	ck_assert_int_eq(sd_mode_choose(request, &mode, NULL), SD_OK);
	if (sd_features_refuse(request, &mode, &diag) == SD_OK)
		return NULL;
	ck_assert_int_eq(diag.code, SD_CODE_NOT_BUILT);
	ck_assert_uint_eq(diag.node, node);
	return diag.arg[0].text.at;
}

static const char *refused_in(const char *text, uint32_t node)
{
	return refused(request_of(&mem, text), node);
}

START_TEST(plain_graphs_pass)
{
	ck_assert_ptr_null(refused_in("a Data; b Relu a _stream_label=s _unknown=1 _event_multiplexing=x; c StreamMerge b;"
	                              "i If c; n NetOutput i", 0));
}
END_TEST

START_TEST(attributes_that_steer_streams_pass)
{
	ck_assert_ptr_null(refused_in("a Relu; b Relu _active_label_list=x is_loop_active=true _continuous_stream_label=x", 0));
	ck_assert_ptr_null(refused_in("a Relu _attached_stream_info=x _attached_sync_res_info=x _attached_notify_info=x", 0));
	ck_assert_ptr_null(refused_in("a Relu _attached_stream_info_list=x _attached_sync_res_info_list=x", 0));
	ck_assert_ptr_null(refused_in("a Relu _attached_stream_info=x _disable_attached_resource=true", 0));
}
END_TEST

START_TEST(operators_that_start_streams_pass)
{
	ck_assert_ptr_null(refused_in("a StreamActive; b StreamSwitch a; c Enter; d RefEnter; e NextIteration; f RefNextIteration", 0));
}
END_TEST

START_TEST(operators_that_jump_are_refused)
{
	static const char *const jumps[] = { "LabelSet", "LabelGotoEx", "LabelSwitchByIndex" };
	char text[64];

	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		snprintf(text, sizeof(text), "a Relu; b %s a", jumps[i]);
		ck_assert_str_eq(refused_in(text, 1), "an operator that jumps between labels");
	}
	ck_assert_str_eq(refused_in("a Relu; b StreamSwitchN a; c LabelSet b", 1), "StreamSwitchN");
}
END_TEST

START_TEST(bodies_and_unknown_shapes_are_refused)
{
	struct sd_request *request = request_of(&mem, "a Relu");
	struct sd_subgraph root = request->graph.graph[SD_ROOT];

	ck_assert_str_eq(refused_in("a Data; i If a {then; [then]; x Relu", 1), "a node with subgraphs");
	root.dynamic = true;
	request->graph.graph = &root;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "a graph of unknown shape (dynamic = true)");
}
END_TEST

START_TEST(options_are_refused_by_name)
{
	struct sd_request *request = request_of(&mem, "a Relu");
	struct sd_options none = request->options;

	request->options.strict = true;
	ck_assert_ptr_null(refused(request, SD_NO_NODE));
	request->options = none;
	request->options.event = SD_NOTIFY;
	ck_assert_ptr_null(refused(request, SD_NO_NODE));
	request->options = none;
	request->options.memory_plan = true;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "option memory_plan");
	request->options = none;
	request->options.simulate = true;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "option simulate");
	request->options = none;
	request->options.explain = true;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "option explain");
	request->options = none;
	request->options.dynamic_multi_stream = true;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "option dynamic_multi_stream");
	request->options = none;
	request->options.search_evaluations = 1;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "option search_evaluations");
}
END_TEST

START_TEST(automatic_modes_are_refused_but_not_beside_single_stream)
{
	const struct sd_text modes[] = { SD_TEXT("LoadBalance:2"), SD_TEXT("MainStream:2"),
		SD_TEXT("WeightedLoadBalance:2"), SD_TEXT("auto"), SD_TEXT("auto:3") };
	struct sd_request *request = request_of(&mem, "a Relu");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		request->options.auto_multi_stream = modes[i];
		request->options.single_stream = false;
		ck_assert_ptr_nonnull(refused(request, SD_NO_NODE));
		request->options.single_stream = true;
		ck_assert_ptr_null(refused(request, SD_NO_NODE));
	}
	request->options.single_stream = false;
	request->options.auto_multi_stream = SD_TEXT("cv");
	ck_assert_ptr_null(refused(request, SD_NO_NODE));
}
END_TEST

RUN_TESTS("features", plain_graphs_pass, attributes_that_steer_streams_pass, operators_that_start_streams_pass,
          operators_that_jump_are_refused, bodies_and_unknown_shapes_are_refused, options_are_refused_by_name,
          automatic_modes_are_refused_but_not_beside_single_stream)
