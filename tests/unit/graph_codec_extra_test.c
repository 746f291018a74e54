/* graph_codec_extra_test - times, cores, outputs, collectives, writes. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

START_TEST(everything_that_is_stated_is_kept)
{
	struct decoding *d = decode_graph("2{1\"p\" 2\"Op\"}"
		"2{1\"n\" 2\"Op\" 9{1=64 2[2 3] 2=-1 3\"float16\"} 10=500 11=8 12=0 13{1\"world\" 2=4096 3[0 2 4]} 14\"p\" 15\"b1\" 15\"b2\" 16=1 9{}}"
		"2{1\"m\" 2\"Op\" 15\"b3\"}");
	const struct sd_graph *g = &d->request.graph;
	const struct sd_extra *x;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(g->extra_count, 2);
	ck_assert_uint_eq(g->extra_of[0], UINT32_MAX);
	x = &g->extra[g->extra_of[1]];
	ck_assert(x->node == 1 && x->duration_ns == 500 && x->cube_cores == 8 && x->vector_cores == 0 && x->gang);
	ck_assert(x->has_outputs && x->output_count == 2);
	ck_assert_int_eq(g->output[x->output_first].bytes, 64);
	ck_assert_uint_eq(g->output[x->output_first].shape_count, 3);
	ck_assert_int_eq(g->shape[g->output[x->output_first].shape_first + 2], -1);
	ck_assert(sd_text_is(g->output[x->output_first].dtype, "float16"));
	ck_assert_int_eq(g->output[x->output_first + 1].bytes, -1);
	ck_assert(x->has_comm && sd_text_is(x->comm.group, "world") && x->comm.bytes == 4096 && x->comm.rank_count == 3);
	ck_assert_int_eq(g->rank[x->comm.rank_first + 2], 4);
	ck_assert(x->write_count == 2 && sd_text_is(g->write[x->write_first + 1], "b2"));
	ck_assert_uint_eq(g->overwrite[x->overwrite_first], 0);
	x = &g->extra[g->extra_of[2]];
	ck_assert(x->duration_ns == -1 && x->cube_cores == -1 && x->vector_cores == -1 && !x->gang && !x->has_comm && !x->has_outputs);
	ck_assert(sd_text_is(g->write[x->write_first], "b3"));
	decoding_end(d);
}
END_TEST

START_TEST(numbers_out_of_range_are_refused)
{
	static const struct refusal rows[] = {
		{ "10=-1", SD_CODE_BAD_VALUE, "'n': duration_ns is -1; it must be 0 or more" },
		{ "11=-1", SD_CODE_BAD_VALUE, "cube_cores is -1" },
		{ "11=2147483648", SD_CODE_BAD_VALUE, "cube_cores is 2147483648" },
		{ "12=-5", SD_CODE_BAD_VALUE, "vector_cores is -5" },
		{ "9{1=-2}", SD_CODE_BAD_VALUE, "outputs.bytes is -2" },
		{ "9{3\"\\xff\"}", SD_CODE_BAD_NAME, "dtype" },
		{ "13{2=-1}", SD_CODE_BAD_VALUE, "comm.bytes is -1" },
		{ "13{1\"a\\x00\"}", SD_CODE_BAD_NAME, "comm.group" },
		{ "15\"\"", SD_CODE_BAD_NAME, "name in writes" },
	};

	EXPECT_REFUSALS(rows, "1{2{1\"n\" 2\"Op\" ", "}}");
}
END_TEST

RUN_TESTS("graph_codec_extra", everything_that_is_stated_is_kept, numbers_out_of_range_are_refused)
