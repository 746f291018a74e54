/* features_test - what cannot be planned is refused by name, all else is let through. */
#include "run_tests.h"

#include "options.h"
#include "planned.h"

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

START_TEST(what_starts_attaches_or_holds_together_passes)
{
	ck_assert_ptr_null(refused_in("a Relu; b StreamActive a _active_label_list=x; c StreamSwitch b; d StreamSwitchN c; e Relu d is_loop_active=true", 0));
	ck_assert_ptr_null(refused_in("a Relu _attached_stream_info=x; b Relu _attached_sync_res_info_list=x _attached_notify_info=x", 0));
	ck_assert_ptr_null(refused_in("a Relu _continuous_stream_label=x; b Enter a; c NextIteration b", 0));
}
END_TEST

START_TEST(bodies_and_labels_pass)
{
	static const char *const types[] = { "LabelSet", "LabelGotoEx", "LabelSwitchByIndex" };

	ck_assert_ptr_null(refused_in("a Data; i If a {then; [then]; x Relu", 0));
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "a Relu; b %s a", types[i]);
		ck_assert_msg(!refused_in(text, 1), "%s", types[i]);
	}
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
	request->options = none;
	request->options.explain = true;
	ck_assert_ptr_null(refused(request, SD_NO_NODE));
	request->options = none;
	request->options.search_evaluations = 1;
	ck_assert_str_eq(refused(request, SD_NO_NODE), "option search_evaluations");
}
END_TEST

START_TEST(search_by_cost_is_refused_but_not_beside_single_stream)
{
	const struct sd_text modes[] = { SD_TEXT("auto"), SD_TEXT("auto:3") };
	struct sd_request *request = request_of(&mem, "a Relu");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		request->options.auto_multi_stream = modes[i];
		request->options.single_stream = false;
		ck_assert_ptr_nonnull(refused(request, SD_NO_NODE));
		request->options.single_stream = true;
		ck_assert_ptr_null(refused(request, SD_NO_NODE));
	}
	request->options.single_stream = false;
	request->options.auto_multi_stream = SD_TEXT("LoadBalance:2");
	ck_assert_ptr_null(refused(request, SD_NO_NODE));
}
END_TEST

/* Such a model takes no notice of single_stream, so that nobody else reports the mode. */
START_TEST(search_by_cost_is_refused_for_unknown_shapes)
{
	struct sd_request *request = request_of(&mem, "a Relu");

	set_words(&mem, request, "dynamic multi single mode=auto:3");
	ck_assert_ptr_nonnull(refused(request, SD_NO_NODE));
}
END_TEST

RUN_TESTS("features", plain_graphs_pass, what_starts_attaches_or_holds_together_passes,
          bodies_and_labels_pass, options_are_refused_by_name,
          search_by_cost_is_refused_but_not_beside_single_stream, search_by_cost_is_refused_for_unknown_shapes)
