/* placement_test - which logical stream every node runs on: tables of small graphs.
 *
 * Each row is a graph and the streams that come of it, named by what it shows. Data has no
 * stream and is left out of the answers; "-" is no stream. */
#include "run_tests.h"

#include "planned.h"

#define AI "@AIcoreEngine"
#define VEC "@VectorEngine"
#define DSA "@DSAEngine"
#define RTS "@DNN_VM_RTS"
#define HCCL "@DNN_HCCL"
#define AICPU "@DNN_VM_AICPU"
#define DVPP "@DNN_VM_DVPP"
#define LOC "@DNN_VM_GE_LOCAL"
#define CUS "@DNN_VM_CUSTOM"

struct row {
	const char *shows, *graph, *words, *streams;
};

static void check_rows(const struct row *row, size_t count)
{
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	for (size_t i = 0; i < count; i++) {
		struct sd_request *request = request_of(&mem, row[i].graph);
		struct planned planned;
		const char *streams;

		set_words(&mem, request, row[i].words);
		planned = plan_of(&mem, request);
		streams = streams_of(&mem, &planned);
		ck_assert_msg(strcmp(streams, row[i].streams) == 0, "%s: %s, not %s", row[i].shows, streams, row[i].streams);
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}

#define CHECK_ROWS(row) check_rows(row, sizeof(row) / sizeof((row)[0]))

/* Every node a cluster of its own. */
START_TEST(clusters_by_label)
{
	static const struct row rows[] = {
		{ "one labelled cluster", "a Relu _stream_label=x", "apart", "a:0" },
		{ "labels go across engines", "a Relu@e1 _stream_label=l1; b Relu@e2 a _stream_label=l2; c Relu@e3 b _stream_label=l1;"
		  "d Relu@e4 c _stream_label=l2; e Relu@e5 d _stream_label=l2",
		  "apart engine=e1 engine=e2 engine=e3 engine=e4 engine=e5", "a:0 b:1 c:0 d:1 e:1" },
		{ "nothing follows a labelled cluster", "a Relu@e1 _stream_label=l1; b Relu@e1 a _stream_label=l1; c Relu@e1 b; d Relu@e1 c",
		  "apart engine=e1", "a:0 b:0 c:1 d:1" },
		{ "nor does an engine that attaches", "a Relu@e1 _stream_label=l1; b Relu@e1 _stream_label=l2; c Relu@e2 a b",
		  "apart engine=e1 engine=e2/a", "a:0 b:1 c:2" },
		{ "an empty label is none", "a Relu" AI " _stream_label=; b Relu" AI " a; o NetOutput" RTS " b", "", "a:0 b:0 o:0" },
		{ "labels alternate along a chain", "a Relu" AI " _stream_label=x; b Relu" AI " a _stream_label=y;"
		  "c Relu" AI " b _stream_label=x; o NetOutput" RTS " c", "", "a:0 b:1 c:0 o:2" },
		{ "one user label over two engines is one cluster", "a Relu" AI " _user_stream_label=u; h Hcom" HCCL " a _user_stream_label=u;"
		  "b Relu" AI " h; o NetOutput" RTS " b", "", "a:0 h:0 b:1 o:1" },
		{ "one inner label over two engines is two clusters", "a Relu" AI " _stream_label=u; h Hcom" HCCL " a _stream_label=u;"
		  "b Relu" AI " h; o NetOutput" RTS " b", "", "a:0 h:1 b:2 o:2" },
		{ "nodes of one user label with a plain one between", "a Relu" AI " _user_stream_label=u; m Relu" AI " a;"
		  "b Relu" AI " m _user_stream_label=u; o NetOutput" RTS " b", "", "a:0 m:1 b:0 o:2" },
		{ "one user label merges although a cycle of clusters appears", "a Relu" AI " _user_stream_label=u; m Hcom" HCCL " a;"
		  "b Relu" AI " m a _user_stream_label=u; o NetOutput" RTS " b", "", "a:0 m:1 b:0 o:2" },
		{ "a labelled branch beside a plain one", "d Data; t Trans" AI " d _user_stream_label=s; c Cast" AI " d; o NetOutput" RTS " t c", "",
		  "t:0 c:1 o:1" },
		{ "inner parallel keeps user and inner label apart", "d Data; c Cmo" RTS " d _user_stream_label=u _stream_label=i _enable_inner_parallel=true;"
		  "m MatMul" AI " d _user_stream_label=u; o NetOutput" RTS " c m", "", "c:0 m:1 o:2" },
		{ "without it the user label wins", "d Data; c Cmo" RTS " d _user_stream_label=u _stream_label=i;"
		  "m MatMul" AI " d _user_stream_label=u; o NetOutput" RTS " c m", "", "c:0 m:0 o:1" },
		{ "the user label of an input places nothing", "d Data _user_stream_label=u; a Relu" AI " d; o NetOutput" RTS " a", "", "a:0 o:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(independent_engines)
{
	static const struct row rows[] = {
		{ "every engine its own stream", "r Relu@e1; a Relu@e1 r; b Relu@e2 r; c Relu@e1 r; d Relu@e2 r",
		  "apart engine=e1/i engine=e2/i", "r:0 a:0 b:1 c:0 d:1" },
		{ "an inner label does not share with another engine", "r Relu@e0; a Relu@e1 r _stream_label=l1; b Relu@e2 r _stream_label=l1;"
		  "c Relu@e1 r _stream_label=l2; d Relu@e2 r _stream_label=l2", "apart engine=e0 engine=e1 engine=e2/i", "r:4 a:0 b:2 c:1 d:3" },
		{ "a user label does", "r Relu@e0; a Relu@e1 r _stream_label=l1; b Relu@e2 r _stream_label=l1;"
		  "c Relu@e1 r _user_stream_label=u; d Relu@e2 r _user_stream_label=u", "apart engine=e0 engine=e1 engine=e2/i",
		  "r:3 a:0 b:2 c:1 d:1" },
		{ "one stream per label", "a Hcom" HCCL " _stream_label=x; b Hcom" HCCL "; c Hcom" HCCL " _stream_label=x", "apart", "a:0 b:1 c:0" },
		{ "a user label is a label too", "a Hcom" HCCL " _user_stream_label=x; b Hcom" HCCL, "apart", "a:0 b:1" },
		{ "unrelated collectives share one", "x Data; y Data; a Hcom" HCCL " x; b Hcom" HCCL " y; o NetOutput" RTS " a b", "", "a:0 b:0 o:1" },
		{ "nothing follows a collective", "a Hcom" HCCL "; b Identity" RTS " a", "apart", "a:0 b:1" },
		{ "not even by force", "a Hcom" HCCL "; b Rand" DSA " a _force_attach_stream=true", "apart", "a:0 b:1" },
		{ "a collective is numbered first", "d Data; a Relu" AI " d; h Hcom" HCCL " a; o NetOutput" RTS " h", "", "a:1 h:0 o:2" },
		{ "engines behind it follow by name", "h Hcom" HCCL "; r Identity" RTS " h; a Relu" AI " r; o NetOutput" RTS " a", "",
		  "h:0 r:2 a:1 o:1" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(following_a_producer)
{
	static const struct row rows[] = {
		{ "a chain of one engine", "a Relu@e1; b Relu@e1 a; c Relu@e1 b; d Relu@e1 c", "apart engine=e1 parallel=e1:100", "a:0 b:0 c:0 d:0" },
		{ "engines without flags take a stream each", "a Relu@e1; b Relu@e2 a; c Relu@e3 b", "apart engine=e1 engine=e2 engine=e3", "a:0 b:1 c:2" },
		{ "numbers follow the names of the engines", "a Relu@aicore; b Relu@aicore a; c Relu" VEC " b; e Relu" VEC " c", "apart engine=aicore",
		  "a:1 b:1 c:0 e:0" },
		{ "an engine that attaches follows", "a Relu@e1; b Relu@e2 a; c Relu@e3 b; d Relu@e4 c",
		  "apart engine=e1 engine=e2/a engine=e3/a engine=e4", "a:0 b:0 c:0 d:1" },
		{ "one that is skipped too", "a Relu@e1; b Relu@e2 a; c Relu@e3 b; d Relu@e4 c",
		  "apart engine=e1 engine=e2 engine=e3/as engine=e4", "a:0 b:1 c:1 d:2" },
		{ "of several consumers on its engine none follows", "a Relu@e1; b Relu@e1 a; c Relu@e1 a; d Relu@e1 a",
		  "apart engine=e1 parallel=e1:100", "a:0 b:1 c:2 d:3" },
		{ "with one stream per engine they share it", "r Relu@e1; a Relu@e1 r; b Relu@e2 r; c Relu@e1 r; d Relu@e2 r",
		  "apart engine=e1 engine=e2", "r:0 a:0 b:1 c:0 d:1" },
		{ "the engine of the root of a chain comes back", "a Relu" AI "; r Identity" RTS " a; b Relu" AI " r", "apart", "a:0 r:0 b:0" },
		{ "through two that attach", "a Relu" AI "; b Where" AICPU " a; c Where" AICPU " b; e Relu" AI " c", "apart", "a:0 b:0 c:0 e:0" },
		{ "not for another engine", "a Relu" AI "; b Where" AICPU " a; c Relu" VEC " b", "apart", "a:0 b:0 c:1" },
		{ "two engines that attach", "a View" LOC "; b Identity" RTS " a; c View" LOC " b", "apart", "a:- b:0 c:0" },
		{ "a consumer on the producer's engine keeps others away", "a Relu" AI "; r Identity" RTS " a; b Relu" AI " a", "apart", "a:0 r:1 b:0" },
		{ "but for memory", "a Relu" AI "; r Identity" RTS " a; b Relu" AI " a", "apart memory", "a:0 r:0 b:0" },
		{ "and by force", "a Relu" AI "; r Rand" DSA " a _force_attach_stream=true; b Relu" AI " a", "apart", "a:0 r:0 b:0" },
		{ "force is asked for by presence", "a Relu" AI "; r Rand" DSA " a _force_attach_stream=false; b Relu" AI " a", "apart", "a:0 r:0 b:0" },
		{ "the cheaper engine is followed", "a Where" AICPU "; b Relu" AI "; r Identity" RTS " a b", "apart", "a:1 b:0 r:0" },
		{ "of equal ones the first", "a Relu" VEC "; b Relu" VEC "; r Identity" RTS " a b", "apart parallel=VectorEngine:2", "a:0 b:1 r:0" },
		{ "another scheduler is not followed", "a Relu@e1; b Relu@e2 a", "apart engine=e1 scheduler=A engine=e2/a scheduler=B", "a:0 b:1" },
		{ "a producer that stands further back", "a Identity" RTS "; x Relu" AI "; b Identity" RTS " a x", "", "a:0 x:0 b:0" },
		{ "custom operators are compute operators", "a Relu" AI "; c Mine" CUS " a; b Relu" AI " c; o NetOutput" RTS " b", "", "a:0 c:0 b:0 o:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(streams_of_an_engine_in_turn)
{
	static const struct row rows[] = {
		{ "two", "a Relu" AI "; b Relu" AI "; c Relu" AI "; e Relu" AI "; f Relu" AI, "apart parallel=AIcoreEngine:2", "a:0 b:1 c:0 e:1 f:0" },
		{ "three", "a Relu" AI "; b Relu" AI "; c Relu" AI "; e Relu" AI "; f Relu" AI, "apart parallel=AIcoreEngine:3", "a:0 b:1 c:2 e:0 f:1" },
		{ "ranges by name", "a Relu" VEC "; b Relu" AI "; c Rand" DSA "; e Identity" RTS "; f Where" AICPU "; g Resize" DVPP "; h View" LOC "", "apart",
		  "a:5 b:0 c:4 e:3 f:1 g:2 h:-" },
		{ "a range with gaps in front of another", "d Data; a Where" AICPU " d; b Where" AICPU " d; c Relu" AI " a b; o NetOutput" RTS " c",
		  "parallel=DNN_VM_AICPU:2", "a:1 b:2 c:0 o:0" },
		{ "a collective behind four", "a Relu" AI "; b Relu" AI "; c Relu" AI "; e Relu" AI "; h Hcom" HCCL " a b c e; o NetOutput" RTS " h",
		  "parallel=AIcoreEngine:2", "a:1 b:2 c:1 e:2 h:0 o:3" },
		{ "an unknown engine has no effect", "a Relu" AI "; b Relu" AI, "apart parallel=Nothing:5", "a:0 b:0" },
		{ "two lanes that meet", "x Data; y Data; a Relu" AI " x; b Relu" AI " y; o NetOutput" RTS " a b", "", "a:0 b:0 o:0" },
		{ "with two streams", "x Data; y Data; a Relu" AI " x; b Relu" AI " y; o NetOutput" RTS " a b", "parallel=AIcoreEngine:2", "a:0 b:1 o:0" },
		{ "runs merge neighbours that nothing links", "x Data; y Data; a Relu" AI " x; b Relu" AI " y; o NetOutput" RTS " a b",
		  "parallel=AIcoreEngine:2 topo", "a:0 b:0 o:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(everything_on_one_stream)
{
	static const struct row rows[] = {
		{ "three engines", "a Relu@e1; b Relu@e2 a; c Relu@e3 b", "apart single engine=e1 engine=e2 engine=e3", "a:0 b:0 c:0" },
		{ "a collective", "d Data; a Relu" AI " d; h Hcom" HCCL " a; t Where" AICPU " h; o NetOutput" RTS " t", "single", "a:0 h:0 t:0 o:0" },
		{ "a view of an input has none", "d Data; v Reshape" LOC " d; a Relu" AI " v; o NetOutput" RTS " a", "single", "v:- a:0 o:0" },
		{ "beside a mode", "a Relu", "apart single mode=LoadBalance:8", "E10056" },
		{ "a mode is looked at before a label", "a Relu _stream_label=x", "apart single mode=MainStream:8", "E10056" },
		{ "an empty mode is none", "a Relu", "apart single mode=", "a:0" },
		{ "an inner label", "a Relu _stream_label=x", "apart single", "E10055" },
		{ "a user label", "d Data; a Relu d _user_stream_label=x; o NetOutput a", "single", "E10055" },
		{ "the label of an input is no matter", "d Data _user_stream_label=x; a Relu d", "single", "a:0" },
		{ "groups and wishes are no matter", "a Relu; b Relu a _parallel_group=1; c Relu a NewStreamId=1", "single", "a:0 b:0 c:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(groups_and_wishes)
{
	static const struct row rows[] = {
		{ "each group a stream", "a Relu" AI "; b Relu" AI " a _parallel_group=g1; c Relu" AI " a _parallel_group=g2; e Add" AI " b c;"
		  "o NetOutput" RTS " e", "", "a:0 b:1 c:2 e:0 o:0" },
		{ "one group, one stream", "a Relu" AI "; b Relu" AI " a _parallel_group=g1; c Relu" AI " a _parallel_group=g1; e Add" AI " b c;"
		  "o NetOutput" RTS " e", "", "a:0 b:1 c:1 e:0 o:0" },
		{ "one in each of four engines", "a Relu@e1; e Relu@e1 a _parallel_group=g1; b Relu@e2 e; f Relu@e2 b _parallel_group=g2;"
		  "c Relu@e3 f; g Relu@e3 c _parallel_group=g3; d Relu@e4 g; h Relu@e4 d _parallel_group=g4",
		  "engine=e1 engine=e2 engine=e3 engine=e4", "a:0 e:4 b:1 f:5 c:2 g:6 d:3 h:7" },
		{ "one group on two streams stays apart", "a Relu" AI " _parallel_group=p; h Hcom" HCCL " a _parallel_group=p; o NetOutput" RTS " h", "",
		  "a:2 h:1 o:0" },
		{ "a user label wins over a group", "a Relu" AI "; b Relu" AI " a _parallel_group=g1 _user_stream_label=x; o NetOutput" RTS " b", "",
		  "a:1 b:0 o:2" },
		{ "a group that is no text", "a Relu" AI "; b Relu" AI " a _parallel_group=1", "", "E19999" },
		{ "each wish a stream", "a Relu" AI "; b Relu" AI " a NewStreamId=7; c Relu" AI " b NewStreamId=7; e Relu" AI " c NewStreamId=3; f Relu" AI " e",
		  "", "a:0 b:1 c:1 e:2 f:0" },
		{ "wishes are lost with Graph Engine", "a Relu" AI "; b Relu" AI " a NewStreamId=7; c Relu" AI " b", "ge", "a:0 b:0 c:0" },
		{ "a group wins over a wish", "a Relu" AI "; b Relu" AI " a NewStreamId=7 _parallel_group=g; c Relu" AI " a NewStreamId=7", "",
		  "a:0 b:2 c:1" },
		{ "a wish that is no number", "a Relu" AI "; b Relu" AI " a NewStreamId=x", "", "E19999" },
	};

	CHECK_ROWS(rows);
}
END_TEST

/* "-1" is read as a number by the builder, so these groups are set by hand. */
static const char *streams_with_near(struct sd_arena *mem, const char *graph)
{
	struct sd_request *request = request_of(mem, graph);
	struct planned planned;

	for (uint32_t i = 0; i < request->graph.attr_count; i++) {
		struct sd_attr *attr = (struct sd_attr *)(uintptr_t)&request->graph.attr[i];

		if (attr->key == SD_ATTR_PARALLEL_GROUP && attr->value.kind == SD_VALUE_INT)
			attr->value = (struct sd_value){ .kind = SD_VALUE_STRING, .string = SD_TEXT("-1") };
	}
	planned = plan_of(mem, request);
	return streams_of(mem, &planned);
}

START_TEST(group_of_the_producer)
{
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	/* joins its only producer; with an empty group it takes a stream as any group does */
	ck_assert_str_eq(streams_with_near(&mem, "d Data; a Relu" AI " d; b Relu" AI " d; g Hcom" HCCL " a _parallel_group=-1;"
	                 "h Hcom" HCCL " b _parallel_group=; e Add" AI " g h"), "a:0 b:0 g:0 h:1 e:0");
	/* two producers, or one without stream: a stream of its own */
	ck_assert_str_eq(streams_with_near(&mem, "a Relu" AI "; b Relu" AI "; h Hcom" HCCL " a b _parallel_group=-1; o NetOutput" RTS " h"),
	                 "a:0 b:0 h:2 o:1");
	ck_assert_str_eq(streams_with_near(&mem, "d Data; h Hcom" HCCL " d _parallel_group=-1; o NetOutput" RTS " h"), "h:1 o:0");
	/* control inputs do not count, two edges from one producer do */
	ck_assert_str_eq(streams_with_near(&mem, "a Relu" AI "; b Relu" AI "; h Hcom" HCCL " a ^b _parallel_group=-1; o NetOutput" RTS " h"),
	                 "a:0 b:0 h:0 o:1");
	ck_assert_str_eq(streams_with_near(&mem, "a Relu" AI "; h Hcom" HCCL " a a:1 _parallel_group=-1; o NetOutput" RTS " h"), "a:0 h:2 o:1");
	/* a producer on a higher stream still shows where it was */
	ck_assert_str_eq(streams_with_near(&mem, "a Relu" AI " _parallel_group=p; h Hcom" HCCL " a _parallel_group=-1; o NetOutput" RTS " h"),
	                 "a:2 h:0 o:1");
	sd_arena_finish(&mem);
}
END_TEST

#define STEP(h, ap) "b1 Relu" AI "; h " h " b1; b2 Relu" AI " b1; ap Apply" AI " " ap "; o NetOutput" RTS " b2 ap"

START_TEST(behind_a_reduction)
{
	static const struct row rows[] = {
		{ "the update leaves the backward pass", STEP("HcomAllReduce" HCCL " fusion=1", "h"), "hcom", "b1:1 h:0 b2:1 ap:2 o:2" },
		{ "Horovod's counts too", STEP("HorovodAllreduce" HCCL " fusion=2", "h"), "hcom", "b1:1 h:0 b2:1 ap:2 o:2" },
		{ "not without the option", STEP("HcomAllReduce" HCCL " fusion=1", "h"), "", "b1:1 h:0 b2:1 ap:1 o:1" },
		{ "not with fusion 0", STEP("HcomAllReduce" HCCL " fusion=0", "h"), "hcom", "b1:1 h:0 b2:1 ap:1 o:1" },
		{ "not without fusion", STEP("HcomAllReduce" HCCL, "h"), "hcom", "b1:1 h:0 b2:1 ap:1 o:1" },
		{ "not with a user label", STEP("HcomAllReduce" HCCL " fusion=1 _user_stream_label=u", "h"), "hcom", "b1:1 h:0 b2:1 ap:1 o:1" },
		{ "not for a gather", STEP("HcomAllGather" HCCL " fusion=1", "h"), "hcom", "b1:1 h:0 b2:1 ap:1 o:1" },
		{ "not by control", STEP("HcomAllReduce" HCCL " fusion=1", "^h"), "hcom", "b1:1 h:0 b2:1 ap:1 o:1" },
		{ "a labelled reduction takes those without label", STEP("HcomAllReduce" HCCL " fusion=1 _stream_label=L", "h"), "hcom",
		  "b1:1 h:0 b2:1 ap:2 o:2" },
		{ "reductions in a row stay", "a Relu" AI "; h1 HcomAllReduce" HCCL " a fusion=1; h2 HcomAllReduce" HCCL " h1 fusion=1; b Relu" AI " h2;"
		  "o NetOutput" RTS " b", "hcom", "a:1 h1:0 h2:0 b:2 o:2" },
		{ "all old streams move to one each", "x Data; y Data; i Identity" RTS " x; j Identity" RTS " y; h HcomAllReduce" HCCL " i j fusion=1;"
		  "r Relu" AI " h; s Relu" AI " h; o NetOutput" AI " r s", "hcom", "i:1 j:1 h:0 r:2 s:2 o:2" },
		{ "nothing leaves a user label", "h HcomAllReduce" HCCL " fusion=1 _user_stream_label=u; a Relu" AI " h _user_stream_label=u;"
		  "b Relu" AI " a _user_stream_label=u; o NetOutput" LOC " b", "hcom", "h:0 a:0 b:0 o:1" },
		{ "a reduction at the head", "h HcomAllReduce" HCCL " fusion=1; a Relu" AI " h; b Relu" AI " a; o NetOutput" LOC " b", "hcom",
		  "h:0 a:1 b:1 o:1" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(views_and_other_skipped_engines)
{
	static const struct row rows[] = {
		{ "a view of an input has no stream", "d Data; v Reshape" LOC " d; a Relu" AI " v; o NetOutput" RTS " a", "", "v:- a:0 o:0" },
		{ "nor a view of that", "d Data; v Reshape" LOC " d; w Reshape" LOC " v; a Relu" AI " w; o NetOutput" RTS " a", "", "v:- w:- a:0 o:0" },
		{ "a view on the way", "d Data; a Relu" AI " d; v Reshape" LOC " a; b Relu" AI " v; o NetOutput" RTS " b", "", "a:0 v:0 b:0 o:0" },
		{ "between two nodes of a label", "a Relu" AI " _user_stream_label=x; v Reshape" LOC " a; b Relu" AI " v _user_stream_label=x;"
		  "o NetOutput" RTS " b", "", "a:0 v:0 b:0 o:1" },
		{ "between a label and none", "a Relu" AI " _stream_label=x; v Reshape" LOC " a; b Relu" AI " v; o NetOutput" RTS " b", "",
		  "a:0 v:2 b:1 o:1" },
		{ "without inputs", "n NoOp" LOC "; a Relu" AI " ^n; o NetOutput" RTS " a", "", "n:- a:0 o:0" },
		{ "a variable behind a control edge", "d Data; a Relu" AI " d; v Variable" LOC " ^a; b Relu" AI " v; o NetOutput" RTS " b", "",
		  "a:0 v:0 b:0 o:0" },
		{ "without consumers it stays where it is", "a Relu" AI " _user_stream_label=x; n NoOp" LOC " a; o NetOutput" RTS " a", "", "a:0 n:1 o:2" },
		{ "behind a collective", "h Hcom" HCCL "; v Reshape" LOC " h; a Relu" AI " v; o NetOutput" RTS " a", "", "h:0 v:2 a:1 o:1" },
		{ "between two collectives", "h Hcom" HCCL "; v Reshape" LOC " h; g Hcom" HCCL " v; o NetOutput" RTS " g", "", "h:0 v:0 g:0 o:1" },
		{ "a host engine as a source", "d Data; t Where" AICPU " d; a Relu" AI " t; o NetOutput" RTS " a", "", "t:1 a:0 o:0" },
		{ "a node that the runtime labels", "a Relu" AI "; l Identity" RTS " a _rts_label_node=true; o NetOutput" RTS " a", "", "a:0 l:- o:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(streams_that_gain_nothing)
{
	static const struct row rows[] = {
		{ "a collective in a row", "d Data; a Relu" AI " d; h Hcom" HCCL " a; b Relu" AI " h; c Relu" AI " b; o NetOutput" AI " c", "",
		  "a:0 h:0 b:0 c:0 o:0" },
		{ "beside something it stays", "d Data; a Relu" AI " d; b Relu" AI " a; h Hcom" HCCL " a; c Add" AI " b h; o NetOutput" AI " c", "",
		  "a:1 b:1 h:0 c:1 o:1" },
		{ "two collectives in a row stay", "a Relu" AI "; h Hcom" HCCL " a; g Hcom" HCCL " h; b Relu" AI " ^h; c Relu" AI " b;"
		  "o NetOutput" AI " g c", "", "a:1 h:0 g:0 b:1 c:1 o:1" },
		{ "not into a labelled stream", "t1 Relu" AI " _user_stream_label=x; r Relu" AI " t1; t2 Relu" AI " r _user_stream_label=x; o NetOutput" AI " t2", "",
		  "t1:0 r:1 t2:0 o:1" },
		{ "an operator of another engine", "a Relu" AI "; r Rand" DSA " a; b Relu" AI " r; o NetOutput" RTS " b", "", "a:0 r:0 b:0 o:0" },
		{ "with a sibling between it stays", "a Relu" AI "; s Relu" AI " a; r Rand" DSA " a; b Add" AI " r s; o NetOutput" RTS " b", "",
		  "a:0 s:0 r:1 b:0 o:0" },
		{ "a wish keeps it", "a Relu" AI "; r Rand" DSA " a NewStreamId=1; b Relu" AI " r; o NetOutput" RTS " b", "", "a:0 r:1 b:0 o:0" },
		{ "also with Graph Engine", "a Relu" AI "; r Rand" DSA " a NewStreamId=1; b Relu" AI " r; o NetOutput" RTS " b", "ge", "a:0 r:1 b:0 o:0" },
		{ "two in a row see each other and stay", "a Relu" AI "; r Rand" DSA " a; s Rand" DSA " r; b Relu" AI " s; o NetOutput" RTS " b", "",
		  "a:0 r:1 s:1 b:0 o:0" },
		{ "of two streams the highest", "d Data; a Relu" AI " d; v Relu" VEC " d; r Rand" DSA " a v; b Relu" AI " r; w Relu" VEC " r;"
		  "o NetOutput" RTS " b w", "", "a:0 v:1 r:1 b:0 w:1 o:0" },
		{ "a decoder between", "d Data; v Resize" DVPP " d; a Relu" AI " v; w Resize" DVPP " a; o NetOutput" RTS " w", "", "v:1 a:0 w:0 o:0" },
		{ "a host operator beside compute", "d Data; a Relu" AI " d; t Where" AICPU " a; b Relu" AI " a; c Add" AI " t b", "", "a:0 t:1 b:0 c:0" },
		{ "for memory it follows", "d Data; a Relu" AI " d; t Where" AICPU " a; b Relu" AI " a; c Add" AI " t b", "memory", "a:0 t:0 b:0 c:0" },
		{ "by force it follows", "d Data; a Relu" AI " d; t Rand" DSA " a _force_attach_stream=true; b Relu" AI " a; c Add" AI " t b", "",
		  "a:0 t:0 b:0 c:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

#define CUBE " _cube_vector_core_type=AIC"
#define VECTOR " _cube_vector_core_type=AIV"

START_TEST(vector_beside_cube)
{
	static const struct row rows[] = {
		{ "what waits between two cube operators stays", "c1 Mm" AI CUBE "; v Reshape" LOC " c1; v1 Add" AI " v" VECTOR "; c2 Mm" AI " v1" CUBE ";"
		  "v2 Add" AI VECTOR "; v3 Add" AI " v2" VECTOR "; o NetOutput" AI " c2 v3", "mode=cv", "c1:0 v:0 v1:0 c2:0 v2:1 v3:1 o:0" },
		{ "not without the mode", "c1 Mm" AI CUBE "; v Reshape" LOC " c1; v1 Add" AI " v" VECTOR "; c2 Mm" AI " v1" CUBE ";"
		  "v2 Add" AI VECTOR "; v3 Add" AI " v2" VECTOR "; o NetOutput" AI " c2 v3", "", "c1:0 v:0 v1:0 c2:0 v2:0 v3:0 o:0" },
		{ "in a row", "c1 Mm" AI CUBE "; v1 Add" AI " c1" VECTOR "; c2 Mm" AI " v1" CUBE "; v2 Add" AI " c2" VECTOR "; o NetOutput" AI " v2", "mode=cv",
		  "c1:0 v1:0 c2:0 v2:0 o:0" },
		{ "only mixed operators that say so", "c1 Mm" AI CUBE "; m Add" AI " _cube_vector_core_type=MIX; v Add" AI " _cube_vector_core_type=MIX _mix_is_aiv=true;"
		  "o NetOutput" AI " c1 m v", "mode=cv", "c1:0 m:0 v:1 o:0" },
	};

	CHECK_ROWS(rows);
}
END_TEST

RUN_TESTS("placement", clusters_by_label, independent_engines, following_a_producer, streams_of_an_engine_in_turn, everything_on_one_stream,
          groups_and_wishes, group_of_the_producer, behind_a_reduction, views_and_other_skipped_engines, streams_that_gain_nothing,
          vector_beside_cube)
