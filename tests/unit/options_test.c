/* options_test - the automatic mode and options with a meaning of their own. */
#include "run_tests.h"

#include "graph_builder.h"
#include "options.h"

static struct sd_arena mem;

static struct sd_text text_of(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

static enum sd_status choose(const char *option, const char *attribute, struct sd_mode_choice *mode)
{
	struct sd_request *request = request_of(&mem, "a Relu");
	struct sd_subgraph root = request->graph.graph[SD_ROOT];
	struct sd_attr attr = { .name = SD_TEXT("ge.autoMultistreamParallelMode"), .key = SD_ATTR_AUTO_MULTI_STREAM_MODE };
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	enum sd_status status;

	request->options.auto_multi_stream = text_of(option);
	if (attribute) {
		attr.value = (struct sd_value){ .kind = SD_VALUE_STRING, .string = text_of(attribute) };
		root.attrs.count = 1;
		request->graph.attr = &attr;
		request->graph.graph = &root;
	}
	status = sd_mode_choose(request, mode, &diag);
	ck_assert_int_eq(diag.code, status == SD_OK ? SD_CODE_NONE : SD_CODE_BAD_OPTION_VALUE);
	return status;
}

START_TEST(well_formed_modes)
{
	static const struct {
		const char *text;
		enum sd_auto_kind kind;
		uint32_t streams;
	} rows[] = {
		{ "", SD_AUTO_OFF, 0 },
		{ "cv", SD_AUTO_CV, 0 },
		{ "LoadBalance:1", SD_AUTO_LOAD_BALANCE, 1 },
		{ "LoadBalance:64", SD_AUTO_LOAD_BALANCE, 64 },
		{ "LoadBalance:007", SD_AUTO_LOAD_BALANCE, 7 },
		{ "LoadBalance:00000000000000000000064", SD_AUTO_LOAD_BALANCE, 64 },
		{ "MainStream:8", SD_AUTO_MAIN_STREAM, 8 },
		{ "WeightedLoadBalance:8", SD_AUTO_WEIGHTED_LOAD_BALANCE, 8 },
		{ "auto", SD_AUTO_COST, SD_AUTO_COST_STREAMS },
		{ "auto:2", SD_AUTO_COST, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_mode_choice mode;

		ck_assert_int_eq(choose(rows[i].text, NULL, &mode), SD_OK);
		ck_assert_int_eq(mode.kind, rows[i].kind);
		ck_assert_uint_eq(mode.streams, rows[i].streams);
		ck_assert_int_eq(mode.cv, rows[i].kind == SD_AUTO_CV);
		ck_assert_int_eq(mode.stated, i > 0);
	}
}
END_TEST

START_TEST(malformed_modes)
{
	static const char *const rows[] = {
		"LoadBalance", "MainStream", "WeightedLoadBalance", "default", "default:2", "cv:2", "Unknown:2", "loadbalance:2",
		"LoadBalance:", "LoadBalance:0", "LoadBalance:65", "LoadBalance:-1", "LoadBalance:+1", "LoadBalance:1.0",
		"LoadBalance:2:3", "LoadBalance:2:", ":2", ":", " cv", "cv ", " LoadBalance:2", "LoadBalance: 2", "LoadBalance:2 ",
		"LoadBalance:99999999999999999999", "LoadBalance:4294967297", "auto:", "auto:0", "auto:65", "auto:2:2", "Auto", "CV",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_mode_choice mode;

		ck_assert_msg(choose(rows[i], NULL, &mode) == SD_INVALID_ARGUMENT, "%s", rows[i]);
	}
}
END_TEST

START_TEST(attribute_of_the_graph_wins)
{
	struct sd_mode_choice mode;

	ck_assert_int_eq(choose("LoadBalance:2", "cv", &mode), SD_OK);
	ck_assert(mode.cv);
	ck_assert_int_eq(choose("LoadBalance:2", "", &mode), SD_OK);
	ck_assert_int_eq(mode.kind, SD_AUTO_OFF);
	ck_assert(!mode.stated);
	ck_assert_int_eq(choose("LoadBalance:2", "default", &mode), SD_OK);
	ck_assert_int_eq(mode.kind, SD_AUTO_OFF);
	ck_assert(mode.stated);
	ck_assert_int_eq(choose("nonsense", "", &mode), SD_OK);
	ck_assert_int_eq(choose("cv", "nonsense", &mode), SD_INVALID_ARGUMENT);
}
END_TEST

static enum sd_code checked(const struct sd_options *options)
{
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	enum sd_status status = sd_options_check(options, &diag);

	ck_assert_int_eq(status, sd_code_status(diag.code));
	return diag.code;
}

START_TEST(parallel_numbers_are_at_least_one)
{
	struct sd_engine_streams streams[] = { { SD_TEXT("AIcoreEngine"), 1 }, { SD_TEXT("DNN_HCCL"), INT64_MAX } };
	struct sd_options options = { .max_parallel = streams, .max_parallel_count = 2 };

	ck_assert_int_eq(checked(&options), SD_CODE_NONE);
	streams[1].streams = 0;
	ck_assert_int_eq(checked(&options), SD_CODE_BAD_OPTION_VALUE);
	streams[1].streams = INT64_MIN;
	ck_assert_int_eq(checked(&options), SD_CODE_BAD_OPTION_VALUE);
	streams[0].engine = SD_TEXT("");
	ck_assert_int_eq(checked(&options), SD_CODE_EMPTY_OPTION_VALUE);
}
END_TEST

START_TEST(ac_parallel_is_a_switch)
{
	static const char *const good[] = { "", "0", "1" }, *const bad[] = { "2", "-1", "true", " 1", "01", "1 " };

	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(checked(&(struct sd_options){ .ac_parallel = text_of(good[i]) }), SD_CODE_NONE);
	for (size_t i = 0; i < 6; i++)
		ck_assert_int_eq(checked(&(struct sd_options){ .ac_parallel = text_of(bad[i]) }), SD_CODE_BAD_OPTION_VALUE);
}
END_TEST

RUN_TESTS("options", well_formed_modes, malformed_modes, attribute_of_the_graph_wins, parallel_numbers_are_at_least_one,
          ac_parallel_is_a_switch)
