/* dynamic_test - streams of models of unknown shape: tables of small graphs.
 *
 * Rows are as in placement_test: a graph, the options in words, the streams that come of it;
 * here also how many streams there are and which syncs. */
#include "run_tests.h"

#include "planned.h"

#define AI "@AIcoreEngine"
#define VEC "@VectorEngine"
#define DSA "@DSAEngine"
#define RTS "@DNN_VM_RTS"
#define HCCL "@DNN_HCCL"
#define AICPU "@DNN_VM_AICPU"
#define LOC "@DNN_VM_GE_LOCAL"
#define FFTS "@ffts_plus"

struct row {
	const char *shows, *graph, *words, *streams;
	uint32_t count;
	const char *syncs;
};

static struct sd_arena mem;

static void check_rows(const struct row *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct sd_request *request = request_of(&mem, row[i].graph);
		struct planned planned;
		const char *streams, *syncs;

		set_words(&mem, request, "dynamic multi");
		set_words(&mem, request, row[i].words);
		planned = plan_of(&mem, request);
		streams = streams_of(&mem, &planned);
		syncs = syncs_of(&mem, &planned);
		ck_assert_msg(strcmp(streams, row[i].streams) == 0, "%s: %s, not %s", row[i].shows, streams, row[i].streams);
		ck_assert_msg(strcmp(syncs, row[i].syncs) == 0, "%s: syncs %s, not %s", row[i].shows, syncs, row[i].syncs);
		if (planned.plan) {
			ck_assert_msg(planned.plan->main_stream_count == row[i].count, "%s: %u streams", row[i].shows,
			              planned.plan->main_stream_count);
			ck_assert_int_eq(planned.plan->mode, SD_MODE_DYNAMIC);
		}
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}

#define CHECK_ROWS(row) check_rows(row, sizeof(row) / sizeof((row)[0]))

START_TEST(engines_have_a_stream_each)
{
	static const struct row rows[] = {
		{ "three engines that own streams", "d Data; a Relu" AI " d; h HcomAllReduce" HCCL " a; r Dsa" DSA " h; o NetOutput" RTS " r", "",
		  "a:0 h:1 r:2 o:0", 3, "a>h h>r r>o" },
		{ "one stream for all of an engine", "a Relu" AI "; b Relu" AI "; v Cast" VEC "; o NetOutput" RTS " a b v", "",
		  "a:0 b:0 v:1 o:0", 2, "v>o" },
		{ "a custom operator counts as compute", "a Relu" AI "; c Mine@DNN_VM_CUSTOM a; o NetOutput" RTS " c", "", "a:0 c:0 o:0", 1, "" },
		{ "an engine that skips goes to the main stream", "w Where" FFTS "; a Relu" AI " w; o NetOutput" RTS " a", "",
		  "w:0 a:0 o:0", 1, "" },
		{ "nothing but a constant", "c Const" LOC, "", "c:0", 1, "" },
		{ "a view before a collective", "c Const" LOC "; h HcomAllReduce" HCCL " c", "", "c:0 h:0", 1, "" },
		{ "the cheaper engine is the main one, then the lower name", "h HcomAllReduce" HCCL "; v Cast" VEC "; a Relu" AI "; r Dsa" DSA, "",
		  "h:1 v:3 a:0 r:2", 4, "" },
		{ "an engine of the device's own", "a Relu" AI "; x Mine@cheap; o NetOutput" RTS " a x", "engine=cheap", "a:0 x:1 o:0", 2, "x>o" },
		{ "its cost stands behind compute's", "h HcomAllReduce" HCCL "; x Mine@cheap", "engine=cheap", "h:0 x:1", 2, "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(processors_of_the_device)
{
	static const char fetch[] = "c Const" LOC "; g GetNext" AICPU " c; a Relu" AI " g; o NetOutput" RTS " a";
	static const char fork[] = "a Relu" AI "; w Where" AICPU " a; b Relu" AI " a; o NetOutput" RTS " w b";
	static const char apart[] = "a Relu" AI "; w Where" AICPU " a; b Relu" AI " a _stream_label=x; o NetOutput" RTS " w b";
	static const char idle[] = "a Relu" AI "; w Where" AICPU " a; n NoOp" LOC " a; o NetOutput" RTS " w n";
	static const struct row rows[] = {
		{ "fetching input runs beside all", "g GetNext" AICPU "; a Relu" AI " g; o NetOutput" RTS " a ^g", "", "g:1 a:0 o:0", 2, "g>a" },
		{ "also behind a constant", fetch, "", "c:0 g:1 a:0 o:0", 2, "g>a" },
		{ "also with ac_parallel", fetch, "ac=1", "c:0 g:1 a:0 o:0", 2, "g>a" },
		{ "random masks too", "a Relu" AI "; m DropOutGenMask" AICPU " a; o NetOutput" RTS " m", "", "a:0 m:1 o:0", 2, "a>m m>o" },
		{ "another value of ac_parallel", fetch, "ac=-1", "E10001", 0, "E10001" },
		{ "and one more", fetch, "ac=2", "E10001", 0, "E10001" },
		{ "other operators follow their producer", fork, "", "a:0 w:0 b:0 o:0", 1, "" },
		{ "ac_parallel asks whether something runs beside", fork, "ac=1", "a:0 w:0 b:0 o:0", 1, "" },
		{ "clusters of one node do", fork, "ac=1 apart", "a:0 w:1 b:0 o:0", 2, "a>w w>o" },
		{ "a label does", apart, "ac=1", "a:0 w:1 b:2 o:0", 3, "a>w a>b w>o b>o" },
		{ "a view does not", idle, "ac=1", "a:0 w:0 n:0 o:0", 1, "" },
		{ "nothing owns a stream in front", "a Relu" AI "; c Const" LOC " ^a; w Where" AICPU " c; o NetOutput" RTS " w", "ac=1",
		  "a:0 c:0 w:1 o:0", 2, "a>w w>o" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(neighbours_are_followed)
{
	static const struct row rows[] = {
		{ "the consumer, where nothing is in front", "w Where" AICPU "; a Relu" AI " w; o NetOutput" RTS " a", "", "w:0 a:0 o:0", 1, "" },
		{ "the cheaper producer", "r Dsa" DSA "; v Reshape" LOC " r a; a Relu" AI "; o NetOutput" RTS " v", "", "r:1 v:0 a:0 o:0", 2, "r>o" },
		{ "no processor follows a collective", "h HcomAllReduce" HCCL "; w Where" AICPU " h", "", "h:0 w:1", 2, "h>w" },
		{ "but an operator that attaches does", "h HcomAllReduce" HCCL "; m Memcpy" RTS " h", "", "h:0 m:0", 1, "" },
		{ "a second one through the first", "a Relu" AI "; m Memcpy" RTS " a; w Where" AICPU " m; o NetOutput" RTS " w", "",
		  "a:0 m:0 w:0 o:0", 1, "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(labels_win_over_engines)
{
	static const struct row rows[] = {
		{ "across engines", "d Data; a Relu" AI " d _stream_label=x; h HcomAllReduce" HCCL " a _stream_label=x; r Dsa" DSA " h; o NetOutput" RTS " r", "",
		  "a:1 h:1 r:0 o:0", 2, "h>r" },
		{ "in byte order behind the engines", "a Relu" AI " _stream_label=b; b Relu" AI " _stream_label=a; c Relu" AI, "", "a:2 b:1 c:0", 3, "" },
		{ "a user label is one", "a Relu" AI " _user_stream_label=u; b Relu" AI "; o NetOutput" RTS " a b", "", "a:1 b:0 o:0", 2, "a>o" },
		{ "an empty one is none", "a Relu" AI " _stream_label=; b Relu" AI, "", "a:0 b:0", 1, "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(main_stream)
{
	static const struct row rows[] = {
		{ "outputs are there, labelled or not", "a Relu" AI "; b Relu" AI " a _stream_label=x; o NetOutput" RTS " b _stream_label=x", "",
		  "a:0 b:1 o:0", 2, "a>b b>o" },
		{ "so are variables and constants", "v Variable" LOC " _stream_label=x; f FileConstant" LOC " _stream_label=y; a Relu" AI " v f", "ge",
		  "v:0 f:0 a:0", 3, "" },
		{ "and what may become one", "a Relu" AI "; r Dsa" DSA " _is_potential_const=true; s Dsa" DSA " r _is_potential_const=false", "",
		  "a:0 r:0 s:1", 2, "r>s" },
		{ "no stream is left empty", "v Variable" LOC " _stream_label=x; a Relu" AI " v _stream_label=y", "", "v:0 a:0", 1, "" },
		{ "as it is in Graph Engine", "h HcomAllReduce" HCCL "; w Where" AICPU " h; o NetOutput" RTS " w _stream_label=x", "ge",
		  "h:0 w:1 o:0", 3, "h>w w>o" },
		{ "and not here", "h HcomAllReduce" HCCL "; w Where" AICPU " h; o NetOutput" RTS " w _stream_label=x", "",
		  "h:0 w:1 o:0", 2, "h>w w>o" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(automatic_modes)
{
	static const char lanes[] = "d1 Data; a Relu" AI " d1; d2 Data; b Relu" AI " d2; o NetOutput" RTS " a b";
	static const struct row rows[] = {
		{ "inputs and outputs are balanced too", lanes, "mode=LoadBalance:2", "a:0 b:1 o:0", 2, "b>o" },
		{ "no streams", lanes, "mode=LoadBalance:0", "E10001", 0, "E10001" },
		{ "a wrong mode stands in front of ac_parallel", lanes, "mode=auto:0 ac=2", "E10001", 0, "E10001" },
		{ "single_stream is no matter", lanes, "mode=LoadBalance:2 single", "a:0 b:1 o:0", 2, "b>o" },
		{ "nor are groups", "a Relu" AI "; b Relu" AI " _parallel_group=g; c Relu" AI " NewStreamId=3", "", "a:0 b:0 c:0", 1, "" },
		{ "cv", "a Relu" AI " _cube_vector_core_type=AIC; b Relu" AI " _cube_vector_core_type=AIV; o NetOutput" RTS " a b", "mode=cv",
		  "a:0 b:1 o:0", 2, "b>o" },
		{ "labels are no part of the number", "a Relu" AI "; b Relu" AI " a _stream_label=x; c Relu" AI " b", "mode=LoadBalance:1",
		  "a:0 b:1 c:0", 2, "a>b b>c" },
	};

	CHECK_ROWS(rows);
}
END_TEST

/* Without the switch all is on one stream, whatever else is asked for. */
START_TEST(switched_off)
{
	static const char *const words[] = { "", "mode=cv", "mode=LoadBalance:8", "mode=MainStream:8", "ac=1", "single", "ge" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct sd_request *request = request_of(&mem, "d Data; a Relu" AI " d; h HcomAllReduce" HCCL " a _stream_label=x; o NetOutput" RTS " h");
		struct planned planned;

		set_words(&mem, request, "dynamic");
		set_words(&mem, request, words[i]);
		planned = plan_of(&mem, request);
		ck_assert_str_eq(streams_of(&mem, &planned), "a:0 h:0 o:0");
		ck_assert_int_eq(planned.plan->mode, SD_MODE_DYNAMIC);
		ck_assert_uint_eq(planned.plan->main_stream_count, 1);
	}
	sd_arena_finish(&mem);
}
END_TEST

/* The number of tasks is not known before the model runs, so nothing is cut and nothing too long. */
START_TEST(streams_are_not_cut)
{
	struct sd_request *request = request_of(&mem, "a Relu" AI " tasks=500; b Relu" AI " a tasks=500; o NetOutput" RTS " b");
	struct planned planned;

	set_words(&mem, request, "dynamic multi tasks=100");
	planned = plan_of(&mem, request);
	ck_assert_ptr_nonnull(planned.plan);
	ck_assert_uint_eq(planned.plan->stream_count, 1);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("dynamic", engines_have_a_stream_each, processors_of_the_device, neighbours_are_followed, labels_win_over_engines,
          main_stream, automatic_modes, switched_off, streams_are_not_cut)
