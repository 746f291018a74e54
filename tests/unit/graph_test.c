/* graph_test - attributes of nodes, folded labels, names for messages. */
#include "run_tests.h"

#include "graph_builder.h"

static struct sd_arena mem;

static const struct sd_graph *graph_of(const char *text)
{
	return &request_of(&mem, text)->graph;
}

static const char *label_of(const struct sd_graph *g, uint32_t node)
{
	static char label[64];

	label[sd_graph_label(g, node, label, sizeof(label) - 1)] = '\0';
	return label;
}

START_TEST(attributes_are_read_by_type)
{
	const struct sd_graph *g = graph_of("a Relu zz=1 _stream_label=s NewStreamId=-7 _mix_is_aiv=true; b Relu NewStreamId=x");
	struct sd_text text;
	int64_t number;

	ck_assert(sd_graph_string(g, 0, SD_ATTR_STREAM_LABEL, &text));
	ck_assert(sd_text_is(text, "s"));
	ck_assert(sd_graph_int(g, 0, SD_ATTR_NEW_STREAM_ID, &number));
	ck_assert_int_eq(number, -7);
	ck_assert(sd_graph_bool(g, 0, SD_ATTR_MIX_IS_AIV));
	ck_assert_ptr_null(sd_graph_attr(g, 0, SD_ATTR_USER_STREAM_LABEL));
	/* another type reads as absent, yet is there */
	ck_assert(!sd_graph_int(g, 1, SD_ATTR_NEW_STREAM_ID, &number));
	ck_assert(!sd_graph_bool(g, 1, SD_ATTR_NEW_STREAM_ID));
	ck_assert(sd_graph_has(g, 1, SD_ATTR_NEW_STREAM_ID));
	ck_assert_ptr_nonnull(sd_graph_attr(g, 1, SD_ATTR_NEW_STREAM_ID));
	ck_assert(!sd_graph_has(g, 1, SD_ATTR_STREAM_LABEL));
}
END_TEST

START_TEST(user_label_wins_over_inner_label)
{
	const struct sd_graph *g = graph_of(
		"none Relu; inner Relu _stream_label=i; user Relu _user_stream_label=u;"
		"both Relu _stream_label=i _user_stream_label=u;"
		"joined Relu _stream_label=i _user_stream_label=u _enable_inner_parallel=true;"
		"off Relu _stream_label=i _user_stream_label=u _enable_inner_parallel=false;"
		"blank Relu _stream_label=i _user_stream_label=;"
		"alone Relu _user_stream_label=u _enable_inner_parallel=true;"
		"number Relu _stream_label=i _user_stream_label=5");

	ck_assert_str_eq(label_of(g, node_named(g, "none")), "");
	ck_assert_str_eq(label_of(g, node_named(g, "inner")), "i");
	ck_assert_str_eq(label_of(g, node_named(g, "user")), "u");
	ck_assert_str_eq(label_of(g, node_named(g, "both")), "u");
	ck_assert_str_eq(label_of(g, node_named(g, "joined")), "u_i");
	ck_assert_str_eq(label_of(g, node_named(g, "off")), "u");
	ck_assert_str_eq(label_of(g, node_named(g, "blank")), "");
	ck_assert_str_eq(label_of(g, node_named(g, "alone")), "u");
	ck_assert_str_eq(label_of(g, node_named(g, "number")), "i");
}
END_TEST

START_TEST(label_is_cut_and_its_length_told)
{
	const struct sd_graph *g = graph_of("a Relu _stream_label=inner _user_stream_label=user _enable_inner_parallel=true");
	char label[16];

	for (size_t cap = 0; cap <= 12; cap++) {
		memset(label, '#', sizeof(label));
		ck_assert_uint_eq(sd_graph_label(g, 0, label, cap), 10);
		ck_assert_int_eq(memcmp(label, "user_inner", cap < 10 ? cap : 10), 0);
		ck_assert_int_eq(label[cap < 10 ? cap : 10], '#');
	}
}
END_TEST

START_TEST(messages_name_nodes_and_labels)
{
	const struct sd_graph *g = graph_of("first Relu _user_stream_label=u _stream_label=i; second Relu _stream_label=i");
	struct sd_names names = sd_graph_names(g);

	ck_assert(sd_text_is(names.node(names.of, 1), "second"));
	ck_assert(sd_text_is(names.label(names.of, 0), "u"));
	ck_assert(sd_text_is(names.label(names.of, 1), "i"));
	/* any index may be asked for */
	ck_assert_ptr_nonnull(names.node(names.of, 2).at);
	ck_assert_uint_eq(names.label(names.of, SD_NO_NODE).len, 0);
}
END_TEST

RUN_TESTS("graph", attributes_are_read_by_type, user_label_wins_over_inner_label, label_is_cut_and_its_length_told,
          messages_name_nodes_and_labels)
