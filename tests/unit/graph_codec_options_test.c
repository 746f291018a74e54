/* graph_codec_options_test - options: each in its place, the caller's partition, what is refused. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

#define NODES "1{2{1\"a\" 2\"If\" 5\"s\"} 2{1\"b\" 2\"Op\"} 3{1\"s\" 2{1\"c\" 2\"Op\"}}}"

START_TEST(nothing_stated_is_all_defaults)
{
	static const struct sd_options none;
	struct decoding *d = decode(NODES);
	const struct sd_options *o = &d->request.options;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_int_eq(o->compat, none.compat);
	ck_assert(!o->single_stream && !o->hcom_parallel && !o->dynamic_multi_stream && !o->memory_priority);
	ck_assert(!o->strict && !o->memory_plan && !o->explain && !o->simulate && !o->has_explicit_streams);
	ck_assert(o->auto_multi_stream.len == 0 && o->ac_parallel.len == 0);
	ck_assert_uint_eq(o->max_parallel_count, 0);
	decoding_end(d);
}
END_TEST

START_TEST(each_option_has_its_place)
{
	struct decoding *d = decode(NODES "2{1=1 2=1 3=1 4=1 5\"auto:4\" 6=1 7\"1\" 8=1 12=4 13=2 14=1 15=1 16=1 17=99 18=1 19=1}");
	const struct sd_options *o = &d->request.options;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert(o->compat == SD_GE && o->event == SD_NOTIFY && o->topo_sorting == SD_SORT_STABLE);
	ck_assert(o->cluster == SD_CLUSTER_NONE && o->unknown_op == SD_UNKNOWN_REJECT && o->search_evaluations == 99);
	ck_assert(o->single_stream && o->hcom_parallel && o->dynamic_multi_stream && o->memory_priority);
	ck_assert(o->strict && o->memory_plan && o->explain && o->simulate);
	ck_assert(sd_text_is(o->auto_multi_stream, "auto:4") && sd_text_is(o->ac_parallel, "1"));
	decoding_end(d);
}
END_TEST

START_TEST(one_switch_sets_one_option)
{
	static const uint32_t fields[] = { 2, 3, 6, 8, 15, 16, 18, 19 };

	for (int i = 0; i < 8; i++) {
		char text[200];
		struct decoding *d;
		const struct sd_options *o;

		snprintf(text, sizeof(text), "%s2{%u=1}", NODES, fields[i]);
		d = decode(text);
		o = &d->request.options;
		ck_assert_int_eq(o->single_stream, i == 0);
		ck_assert_int_eq(o->hcom_parallel, i == 1);
		ck_assert_int_eq(o->dynamic_multi_stream, i == 2);
		ck_assert_int_eq(o->memory_priority, i == 3);
		ck_assert_int_eq(o->strict, i == 4);
		ck_assert_int_eq(o->memory_plan, i == 5);
		ck_assert_int_eq(o->explain, i == 6);
		ck_assert_int_eq(o->simulate, i == 7);
		decoding_end(d);
	}
}
END_TEST

START_TEST(engines_are_sorted)
{
	struct decoding *d = decode(NODES "2{9{1\"z\" 2=2} 9{2=-3 1\"a\"} 9{1\"m\"}}");
	const struct sd_options *o = &d->request.options;

	ck_assert_uint_eq(o->max_parallel_count, 3);
	ck_assert(sd_text_is(o->max_parallel[0].engine, "a") && o->max_parallel[0].streams == -3);
	ck_assert(sd_text_is(o->max_parallel[1].engine, "m") && o->max_parallel[1].streams == 0);
	ck_assert(sd_text_is(o->max_parallel[2].engine, "z") && o->max_parallel[2].streams == 2);
	decoding_end(d);
}
END_TEST

START_TEST(a_partition_names_nodes_of_all_graphs)
{
	struct decoding *d = decode(NODES "2{10{1{1\"c\" 1\"a\"} 1{} 1{1\"b\"}}}");
	const struct sd_options *o = &d->request.options;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert(o->has_explicit_streams);
	ck_assert_uint_eq(o->explicit_count, 3);
	ck_assert(o->explicit_first[0] == 0 && o->explicit_first[1] == 2 && o->explicit_first[2] == 2 && o->explicit_first[3] == 3);
	ck_assert(o->explicit_node[0] == 2 && o->explicit_node[1] == 0 && o->explicit_node[2] == 1);
	decoding_end(d);
	d = decode(NODES "2{10{}}");
	ck_assert(d->request.options.has_explicit_streams && d->request.options.explicit_count == 0);
	decoding_end(d);
}
END_TEST

START_TEST(bad_options_are_refused)
{
	static const struct refusal rows[] = {
		{ "1=2", SD_CODE_BAD_VALUE, "compat is 2; it must be native (0) or ge (1)" },
		{ "1=-1", SD_CODE_BAD_VALUE, "compat is -1" },
		{ "1=4294967296", SD_CODE_BAD_VALUE, "compat is 4294967296" },
		{ "4=2", SD_CODE_BAD_VALUE, "event is 2" },
		{ "3=2", SD_CODE_BAD_SWITCH_VALUE, "hcom_parallel (ge.hcomParallel) must be 0 or 1, not 2" },
		{ "3=-1", SD_CODE_BAD_SWITCH_VALUE, "must be 0 or 1, not -1" },
		{ "12=5", SD_CODE_BAD_VALUE, "topo_sorting is 5" },
		{ "13=3", SD_CODE_BAD_VALUE, "cluster is 3" },
		{ "14=2", SD_CODE_BAD_VALUE, "unknown_op is 2" },
		{ "17=-1", SD_CODE_BAD_VALUE, "search_evaluations is -1" },
		{ "5\"\\xff\"", SD_CODE_BAD_NAME, "auto_multi_stream" },
		{ "7\"\\xff\"", SD_CODE_BAD_NAME, "ac_parallel" },
		{ "9{1\"\\xff\"}", SD_CODE_BAD_NAME, "engine in max_parallel_num" },
		{ "9{1\"e\" 2=1} 9{1\"e\" 2=2}", SD_CODE_BAD_VALUE, "'e'; it must be named once" },
		{ "10{1{1\"a\" 1\"nobody\"}}", SD_CODE_EXPLICIT_UNKNOWN, "'nobody'" },
		{ "10{1{1\"a\" 1\"b\"} 1{1\"a\"}}", SD_CODE_EXPLICIT_TWICE, "'a' twice" },
		{ "10{1{1\"c\" 1\"c\"}}", SD_CODE_EXPLICIT_TWICE, "'c' twice" },
	};

	EXPECT_REFUSALS(rows, NODES "2{", "}");
}
END_TEST

RUN_TESTS("graph_codec_options", nothing_stated_is_all_defaults, each_option_has_its_place, one_switch_sets_one_option,
          engines_are_sorted, a_partition_names_nodes_of_all_graphs, bad_options_are_refused)
