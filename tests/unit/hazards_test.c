/* hazards_test - what is told of a placement: tables of small graphs.
 *
 * The caller's partition says where nodes run; 24 cube and 48 vector cores. A warning is its code
 * without SD, whom it is about, whom else it names, its figures. */
#include "run_tests.h"

#include "planned.h"

struct row {
	const char *shows, *graph, *streams, *told;
};

static struct sd_arena mem;

static void check_row(const struct row *row)
{
	struct sd_request *request = request_of(&mem, row->graph);
	struct planned planned;
	const char *told;

	set_streams(&mem, request, row->streams);
	planned = plan_of(&mem, request);
	told = warnings_of(&mem, &planned);
	ck_assert_msg(strcmp(told, row->told) == 0, "%s: %s", row->shows, told);
	sd_arena_reset(&mem, 1 << 20);
}

#define CHECK_ROWS(rows)                                           \
	do {                                                       \
		for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) \
			check_row(&(rows)[i]);                     \
		sd_arena_finish(&mem);                             \
	} while (0)

#define HCCL "@DNN_HCCL"

START_TEST(collectives)
{
	static const struct row rows[] = {
		{ "one communicator on two streams", "a Hcom" HCCL " group=g; b Hcom" HCCL " group=g", "a | b", "3020 b >a" },
		{ "on one stream", "a Hcom" HCCL " group=g; b Hcom" HCCL " group=g", "a b", "" },
		{ "an edge orders them", "a Hcom" HCCL " group=g; b Hcom" HCCL " ^a group=g", "a | b", "" },
		{ "a way over others does", "a Hcom" HCCL " group=g; x Relu a; b Hcom" HCCL " x group=g", "a | x | b", "" },
		{ "a stream in between does", "a Hcom" HCCL " group=g; x Relu a; y Relu; b Hcom" HCCL " y group=g", "a | x y | b", "" },
		{ "another group without ranks", "a Hcom" HCCL " group=g; b Hcom" HCCL " group=h", "a | b", "" },
		{ "two ranks in common", "a Hcom" HCCL " comm=g ranks=1,2,3; b Hcom" HCCL " comm=h ranks=9,3,2", "a | b", "3020 b >a" },
		{ "one rank in common", "a Hcom" HCCL " comm=g ranks=1,2,3; b Hcom" HCCL " comm=h ranks=9,3,3", "a | b", "" },
		{ "ranks of one node hold for its group", "a Hcom" HCCL " group=g; x Hcom" HCCL " comm=g ranks=1,2 a; b Hcom" HCCL " comm=h ranks=2,1", "a x | b", "3020 b >x" },
		{ "no group: known by ranks", "a Hcom" HCCL " comm= ranks=1,2; b Hcom" HCCL " comm= ranks=3,4; c Hcom" HCCL " comm= ranks=1,2", "a | b | c", "3020 c >a" },
		{ "neither: all are one", "a Hcom" HCCL "; b Hcom" HCCL, "a | b", "3020 b >a" },
		{ "a communicator of one rank", "a Hcom" HCCL " comm=g ranks=7; b Hcom" HCCL " comm=g ranks=7", "a | b", "" },
		{ "comm makes a collective of any node", "a Relu comm=g; b HcomAllReduce@AIcoreEngine group=g", "a | b", "3020 b >a" },
		{ "one that is not launched is none", "a Hcom" HCCL " group=g tasks=0; b Hcom" HCCL " group=g; c Hcom" HCCL " group=g", "b | c", "3020 c >b" },
		{ "each is told once", "a Hcom" HCCL "; b Hcom" HCCL "; c Hcom" HCCL "; d Hcom" HCCL, "a | b | c | d", "3020 b >a 3020 c >b 3020 d >c" },
		{ "the own communicator is named first", "a Hcom" HCCL " comm=g ranks=1,2; b Hcom" HCCL " comm=h ranks=1,2; c Hcom" HCCL " comm=g ranks=1,2", "a | b | c",
		  "3020 b >a 3020 c >a" },
	};

	CHECK_ROWS(rows);
}
END_TEST

/* 130 communicators of the same ranks, all on one stream, and beside it collectives of others. */
static void check_many(const char *more, const char *beside, const char *told)
{
	static char graph[8000], streams[2000];
	struct row row = { "130 communicators", graph, streams, told };
	int at = 0, used = 0;

	for (int i = 0; i < 130; i++) {
		at += snprintf(graph + at, sizeof(graph) - (size_t)at, "c%d Hcom" HCCL " comm=g%d ranks=1,2; ", i, i);
		used += snprintf(streams + used, sizeof(streams) - (size_t)used, "c%d ", i);
	}
	snprintf(graph + at, sizeof(graph) - (size_t)at, "%s", more);
	snprintf(streams + used, sizeof(streams) - (size_t)used, "%s", beside);
	check_row(&row);
}

START_TEST(more_communicators_than_are_compared)
{
	check_many("x Hcom" HCCL " comm=g127 ranks=1,2", "| x", "3020 x >c127");
	check_many("x Hcom" HCCL " ^c127 comm=g127 ranks=1,2", "| x", "");
	check_many("x Hcom" HCCL " ^c126 comm=g0 ranks=1,2", "| x", "3020 x >c127");
	check_many("x Hcom" HCCL " comm=g128 ranks=1,2", "| x", "3020 x >c128");
	check_many("x Hcom" HCCL " ^c128 comm=g128 ranks=1,2", "| x", "");
	check_many("x Hcom" HCCL " ^c128 comm=g129 ranks=1,2", "| x", "3020 x >c129");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(in_place_writes)
{
	static const struct row rows[] = {
		{ "a reader beside the writer", "p Relu; r Mul p; w Op p over=p", "p w | r", "3021 r >w" },
		{ "a reader in front", "p Relu; r Mul p; w Op p ^r over=p", "p w | r", "" },
		{ "in front on one stream", "p Relu; r Mul p; w Op p over=p", "p r w", "" },
		{ "behind on one stream", "p Relu; w Op p over=p; r Mul p", "p w r", "3021 r >w" },
		{ "behind by an edge", "p Relu; w Op p over=p; r Add p w", "p w | r", "3021 r >w" },
		{ "a control edge reads nothing", "p Relu; r Mul ^p; w Op p over=p", "p w | r", "" },
		{ "who reads the result comes behind", "p Relu; w Op p over=p; r Mul w", "p w | r", "" },
		{ "and must be in front of the next writer", "p Relu; w Op p over=p; r Mul w; x Op w over=w", "p w x | r", "3021 r >x" },
		{ "whoever names the first buffer", "p Relu; w Op p over=p; r Mul w; x Op w over=p", "p w x | r", "3021 r >x" },
		{ "a reader of the first content", "p Relu; r Mul p; w Op p ^r over=p; x Op w over=w", "p w x | r", "" },
		{ "several readers, each once", "p Relu; r Mul p; s Mul p p; w Op p over=p", "p w | r | s", "3021 r >w 3021 s >w" },
		{ "several writers: the nearest", "p Relu; r Mul p; w Op p over=p; x Op p ^w over=p", "p w x | r", "3021 r >w 3021 x >w" },
		{ "two writers beside each other", "p Relu; w Op over=p; x Op over=p", "p | w | x", "3022 w >p 3022 x >w" },
		{ "that read it too", "p Relu; w Op p over=p; x Op p over=p", "p | w | x", "3022 x >w" },
		{ "a writer behind the producer", "p Relu; w Op ^p over=p", "p | w", "" },
		{ "no reader is the writer", "p Relu; w Op p p over=p", "p | w", "" },
		{ "an input of the graph", "d Data; r Mul d; w Op d over=d", "w | r", "3021 r >w" },
		{ "a node without task stands for its input", "p Relu; v Reshape p; r Mul p; w Op v over=v", "p w | r", "3021 r >w" },
		{ "and hands it on", "p Relu; v Reshape p; u Reshape v; r Mul u; w Op p over=p", "p w | r", "3021 r >w" },
		{ "with others", "p Relu; q Relu; v Concat@DNN_VM_GE_LOCAL q p; r Mul v; w Op p over=p", "p q w | r", "3021 r >w" },
		{ "a writer that is not launched writes nothing", "p Relu; r Mul p; w Op p over=p tasks=0", "p | r", "" },
		{ "over itself is over nothing", "p Relu; r Mul p; w Op p over=w", "p w | r", "" },
		{ "output 1 lies over the second producer", "p Relu; q Relu; w Op p q over=p,q; r Mul w:1; x Op ^w over=q", "p q w x | r", "3021 r >x" },
		{ "and output 0 does not", "p Relu; q Relu; w Op p q over=p,q; r Mul w:0; x Op ^w over=q", "p q w x | r", "" },
		{ "a further output has a buffer of its own", "p Relu; w Op p over=p; r Mul w:1; x Op w over=p", "p w x | r", "" },
		{ "which can be overwritten", "p Relu; w Op p over=p; r Mul w:1; x Op w over=w", "p w x | r", "3021 r >x" },
		{ "a buffer that is named by two names", "p Relu; v Reshape p; r Mul p; w Op p over=p,v,p", "p w | r", "3021 r >w" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(written_buffers)
{
	static const struct row rows[] = {
		{ "two streams", "a Op writes=kv; b Op writes=kv", "a | b", "3023 b >a 0" },
		{ "one stream", "a Op writes=kv; b Op writes=kv", "a b", "" },
		{ "ordered", "a Op writes=kv; b Op a writes=kv", "a | b", "" },
		{ "two buffers", "a Op writes=kv; b Op writes=vk", "a | b", "" },
		{ "the entry is told", "a Op writes=kv; b Op writes=x,y,kv", "a | b", "3023 b >a 2" },
		{ "one node that names it twice", "a Op writes=kv,kv", "a", "" },
		{ "each node once", "a Op writes=kv,x; b Op writes=x,kv; c Op writes=x", "a | b | c", "3023 b >a 0 3023 c >b 0" },
		{ "not launched", "a Op writes=kv tasks=0; b Op writes=kv; c Op writes=kv", "b | c", "3023 c >b 0" },
		{ "in the order in which they run", "a Op ^b writes=kv; b Op writes=kv; c Op a writes=kv", "a | b | c", "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(cores)
{
	static const struct row rows[] = {
		{ "two caps that fit", "a Op _op_vectorcore_num='24'; b Op _op_vectorcore_num='24'", "a | b", "" },
		{ "two that do not", "a Op _op_vectorcore_num='24'; b Op _op_vectorcore_num='25'", "a | b", "3027 b >a 48" },
		{ "cube cores", "a Op _op_aicore_num='20'; b Op _op_aicore_num='5'", "a | b", "3026 b >a 24" },
		{ "one behind the other", "a Op _op_vectorcore_num='24'; b Op a _op_vectorcore_num='25'", "a | b", "" },
		{ "a cap above the device is all of it", "a Op _op_vectorcore_num='4800'; b Op _op_vectorcore_num='1'", "a | b", "3027 b >a 48" },
		{ "figures without a cap promise nothing", "a Op vector=40; b Op vector=40", "a | b", "" },
		{ "but can lower one", "a Op vector=8 _op_vectorcore_num='40'; b Op _op_vectorcore_num='40'", "a | b", "" },
		{ "a cap of 0 is none", "a Op _op_vectorcore_num='0'; b Op _op_vectorcore_num='48'", "a | b", "" },
		{ "three that fit by two", "a Op _op_vectorcore_num='17'; b Op _op_vectorcore_num='18'; c Op _op_vectorcore_num='16'", "a | b | c", "3027 c >b 48" },
		{ "unless two of them are ordered", "a Op _op_vectorcore_num='17'; b Op a _op_vectorcore_num='18'; c Op _op_vectorcore_num='16'", "a | b | c", "" },
		{ "a large one further back on a stream", "a Op _op_vectorcore_num='40'; b Op _op_vectorcore_num='8'; c Op _op_vectorcore_num='16'", "a b | c", "3027 c >a 48" },
		{ "unless it is done", "a Op _op_vectorcore_num='40'; b Op _op_vectorcore_num='8'; c Op a _op_vectorcore_num='16'", "a b | c", "" },
		{ "the largest is named", "a Op _op_vectorcore_num='30'; b Op _op_vectorcore_num='40' a; c Op _op_vectorcore_num='20'", "a | b | c", "3027 c >b 48" },
		{ "wherever it runs", "a Op _op_vectorcore_num='40'; b Op _op_vectorcore_num='30' a; c Op _op_vectorcore_num='20'", "a | b | c", "3027 c >a 48" },
		{ "two gangs with all cores", "a Op gang; b Op gang", "a | b", "3025 b >a 48" },
		{ "two gangs with cube cores", "a Op gang cube=20; b Op gang cube=5", "a | b", "3024 b >a 24" },
		{ "that state cores that fit", "a Op gang vector=24; b Op gang vector=24", "a | b", "" },
		{ "or are capped", "a Op gang _op_vectorcore_num='8'; b Op gang vector=40", "a | b", "" },
		{ "a gang beside what claims nothing", "a Op gang; b Op", "a | b", "" },
		{ "a gang beside a cap", "a Op gang; b Op _op_vectorcore_num='1'", "a | b", "3027 b >a 48" },
		{ "a gang beside a collective with cores", "a Hcom" HCCL " _op_vectorcore_num='16'; b Op gang", "a | b", "3025 b >a 48" },
		{ "and one without", "a Hcom" HCCL "; b Op gang", "a | b", "" },
		{ "two kernels that talk to other ranks", "a Op group=ep vector=30; b Op comm=tp vector=30", "a | b", "3025 b >a 48" },
		{ "a dead-lock before a promise", "a Op gang vector=30; b Op _op_vectorcore_num='40'; c Op gang vector=20", "a | b | c", "3027 b >a 48 3025 c >a 48" },
		{ "three gangs", "a Op gang vector=20; b Op gang vector=20; c Op gang vector=20", "a | b | c", "3025 c >a 48" },
		{ "a gang that is too large", "a Op gang vector=64", "a", "3028 a 64 48" },
		{ "a cap mends it", "a Op gang vector=64 _op_vectorcore_num='48'", "a", "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(labels)
{
	static const struct row rows[] = {
		{ "a chain", "a Op; b Op a _user_stream_label=s; c Op b", "a c | b", "3030 b" },
		{ "with something beside it", "a Op; b Op a _user_stream_label=s; c Op a", "a c | b", "" },
		{ "one of its nodes is enough", "a Op _user_stream_label=s; b Op a _user_stream_label=s; c Op a", "a b | c", "" },
		{ "an inner label is nobody's hope", "a Op; b Op a _stream_label=s; c Op b", "a c | b", "" },
		{ "all on one stream", "a Op _user_stream_label=s; b Op _user_stream_label=t", "a b", "3030 a 3030 b" },
		{ "once for each label", "a Op _user_stream_label=s; b Op a _user_stream_label=s; c Op b", "a c | b", "3030 a" },
		{ "nothing launched under it", "a Op; v Reshape a _user_stream_label=s; b Op v", "a b", "" },
		{ "a way over another stream", "a Op; b Op a _user_stream_label=s; c Op b; d Op c", "a | b d | c", "3030 b" },
		{ "what begins before is beside", "x Op; a Op; b Op a _user_stream_label=s; c Op b x", "a | b | x | c", "" },
		{ "what ends later too", "a Op; b Op a _user_stream_label=s; c Op b; d Op a", "a | b c | d", "" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(events_with_tags)
{
	static const struct row rows[] = {
		{ "recorded", "a npu_tagged_event_record tag=t; b npu_tagged_event_wait tag=t", "a | b", "" },
		{ "another tag", "a npu_tagged_event_record tag=t; b npu_tagged_event_wait tag=u", "a | b", "3029 b" },
		{ "recorded behind", "b npu_tagged_event_wait tag=t; a npu_tagged_event_record tag=t", "a | b", "3029 b" },
		{ "recorded by what is not launched", "a tagged_event_record tag=t tasks=0; b tagged_event_wait tag=t", "b", "3029 b" },
		{ "recorded outside", "b tagged_event_wait_on_stream tag=t created_inside=false", "b", "" },
		{ "not recorded inside", "b tagged_event_wait_on_stream tag=t created_inside=true", "b", "3029 b" },
	};

	CHECK_ROWS(rows);
}
END_TEST

START_TEST(a_wait_comes_behind_its_record)
{
	struct planned planned;
	struct sd_request *request = request_of(&mem, "a tagged_event_record tag=t; b tagged_event_record tag=u; c tagged_event_record_on_stream tag=t; d Op; "
	                                              "e tagged_event_wait tag=t; f tagged_event_wait tag=u; g tagged_event_record tag=t");

	set_streams(&mem, request, "a | b c | d e | f | g");
	planned = plan_of(&mem, request);
	ck_assert_str_eq(syncs_of(&mem, &planned), "b>f c>e");
	ck_assert(planned.plan->sync[0].cause == SD_CAUSE_ORDER && planned.plan->sync[1].cause == SD_CAUSE_ORDER);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(the_host)
{
	static const struct {
		struct row row;
		const char *waits;
	} rows[] = {
		{ { "behind a copy", "a Op; m MemcpyAsync@DNN_VM_RTS a; h Op@DNN_VM_HOST_CPU m", "a m", "3031 h >m" }, "h" },
		{ { "behind a kernel", "a Op; h Op@DNN_VM_HOST_CPU a", "a", "" }, "h" },
		{ { "by a control edge", "a Op; h Op@DNN_VM_HOST_CPU ^a", "a", "" }, "h" },
		{ { "through a node without task", "m MemcpyAsync@DNN_VM_RTS; v Reshape m; h Op@DNN_VM_HOST_CPU v", "m", "3031 h >m" }, "h" },
		{ { "behind inputs alone", "d Data; h Op@DNN_VM_HOST_CPU d", "", "" }, "" },
		{ { "the host waits once", "a Op; h Op@DNN_VM_HOST_CPU a; k Op@DNN_VM_HOST_CPU h; v Reshape k; l Op@DNN_VM_HOST_CPU v", "a", "" }, "h" },
		{ { "launched for the host", "a Op; h Op@DNN_VM_HOST_CPU a tasks=1; k Op@DNN_VM_HOST_CPU h", "a h", "" }, "h" },
		{ { "the device needs none", "m MemcpyAsync@DNN_VM_RTS; a Op m", "m | a", "" }, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_request *request = request_of(&mem, rows[i].row.graph);
		uint32_t node[8], count = 0;
		struct planned planned;

		set_streams(&mem, request, rows[i].row.streams);
		planned = plan_of(&mem, request);
		ck_assert_msg(strcmp(warnings_of(&mem, &planned), rows[i].row.told) == 0, "%s: %s", rows[i].row.shows, warnings_of(&mem, &planned));
		for (uint32_t n = 0; n < request->graph.node_count; n++) {
			if (planned.plan->node[n].host_wait)
				node[count++] = n;
		}
		ck_assert_str_eq(names_of(&mem, &request->graph, node, count), rows[i].waits);
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("hazards", collectives, more_communicators_than_are_compared, in_place_writes, written_buffers, cores, labels, events_with_tags,
          a_wait_comes_behind_its_record, the_host)
