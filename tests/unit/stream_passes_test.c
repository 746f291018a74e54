/* stream_passes_test - custom stream passes through the public interface: where they run, what
 * they see and may do, what becomes of their streams, how they are refused. */
#include "run_tests.h"

#include "planned.h"
#include "streamd/verify.h"

static struct sd_arena mem;

/* A collective between two inputs and two consumers: h on 0, relus on 1, copies on 2 at first. */
#define COLLECTIVE(fusion, h, relu1)                                                          \
	"d1 Data; d2 Data; i1 Identity@DNN_VM_RTS d1; i2 Identity@DNN_VM_RTS d2;"             \
	"h HcomAllReduce fusion=" fusion " i1 i2 " h "; r1 Relu h " relu1 "; r2 Relu h; o NetOutput@AIcoreEngine r1 r2"

static struct planned plan_with(const struct sd_stream_pass *passes, const char *graph, const char *words)
{
	struct sd_request *request = request_of(&mem, graph);

	set_words(&mem, request, words);
	request->passes = passes;
	return plan_of(&mem, request);
}

static const struct sd_summary *summary_of(const struct planned *planned, uint32_t stream)
{
	ck_assert_ptr_nonnull(planned->plan);
	ck_assert_uint_lt(stream, planned->plan->summary_count);
	return &planned->plan->summary[stream];
}

static const char *message_of(const struct planned *planned)
{
	static char message[SD_MESSAGE_MAX];
	struct sd_names names = sd_graph_names(&planned->request->graph);

	sd_diag_message(&planned->diag, &names, message, sizeof(message));
	return message;
}

/* ---- the example's passes ---- */

START_TEST(a_node_is_given_a_stream_of_its_own)
{
	struct planned planned = plan_with(sd_site_passes, COLLECTIVE("1", "", "_own_stream=true"), "");

	ck_assert_str_eq(streams_of(&mem, &planned), "i1:2 i2:2 h:0 r1:3 r2:1 o:1");
	ck_assert_uint_eq(planned.plan->main_stream_count, 4);
	ck_assert_uint_eq(planned.plan->summary_count, 4);
	for (uint32_t s = 0; s < 4; s++)
		ck_assert_int_eq(summary_of(&planned, s)->by_stream_pass, s == 3);
	ck_assert_uint_eq(summary_of(&planned, 3)->physical_count, 1);
	ck_assert_uint_eq(summary_of(&planned, 3)->follow_count, 0);
	ck_assert_uint_eq(summary_of(&planned, 3)->attached_count, 0);
	ck_assert_uint_eq(summary_of(&planned, 3)->label_node, SD_NO_NODE);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_collective_goes_to_its_producers)
{
	struct planned planned = plan_with(sd_site_passes, COLLECTIVE("1", "_follow_producer=true", ""), "hcom");

	/* What the collective left is closed up; nothing has to wait for it any more in front. */
	ck_assert_str_eq(streams_of(&mem, &planned), "i1:0 i2:0 h:0 r1:1 r2:1 o:1");
	ck_assert_str_eq(syncs_of(&mem, &planned), "h>r1");
	for (uint32_t s = 0; s < 2; s++)
		ck_assert(!summary_of(&planned, s)->by_stream_pass);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_chain_is_torn)
{
	struct planned planned = plan_with(sd_site_passes, "d1 Data; d2 Data; add1 Add d1 d2; add2 Add add1 d1 _own_stream=true; o NetOutput@DNN_VM_GE_LOCAL add2", "");

	ck_assert_str_eq(streams_of(&mem, &planned), "add1:0 add2:1 o:0");
	ck_assert_uint_eq(planned.plan->main_stream_count, 2);
	ck_assert_uint_eq(planned.plan->logical_stream_count, 2);
	sd_arena_finish(&mem);
}
END_TEST

/* Its number moves down when streams below it fall empty, and it is still told as the pass's. */
START_TEST(streams_are_told_by_their_final_numbers)
{
	struct planned planned = plan_with(sd_site_passes, COLLECTIVE("1", "_follow_producer=true", "_own_stream=true"), "hcom");

	ck_assert_str_eq(streams_of(&mem, &planned), "i1:0 i2:0 h:0 r1:2 r2:1 o:1");
	ck_assert(!summary_of(&planned, 0)->by_stream_pass);
	ck_assert(!summary_of(&planned, 1)->by_stream_pass);
	ck_assert(summary_of(&planned, 2)->by_stream_pass);
	sd_arena_finish(&mem);
}
END_TEST

/* ---- where passes run ---- */

static int refuse(const struct sd_graph *graph, struct sd_streams *streams)
{
	sd_stream_pass_reason(streams, "not today");
	return 7;
}

static const struct sd_stream_pass refusing[] = { { .name = "moody", .version = 1, .run = refuse }, { .name = NULL } };

START_TEST(passes_run_where_several_streams_are_planned)
{
	static const char *const runs[] = { "", "ge", "mode=cv", "mode=LoadBalance:2", "dynamic multi", "dynamic multi ge" };
	static const char *const runs_not[] = { "single", "dynamic" };

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct planned planned = plan_with(refusing, "a Relu; b Relu a; o NetOutput b", runs[i]);

		ck_assert_msg(planned.diag.code == SD_CODE_PASS_REFUSED, "%s", runs[i]);
	}
	for (size_t i = 0; i < sizeof(runs_not) / sizeof(runs_not[0]); i++) {
		struct planned planned = plan_with(refusing, "a Relu; b Relu a; o NetOutput b", runs_not[i]);

		ck_assert_msg(planned.plan != NULL, "%s", runs_not[i]);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(the_callers_own_partition_is_left_alone)
{
	struct sd_request *request = request_of(&mem, "a Relu; b Relu a");

	request->passes = refusing;
	set_streams(&mem, request, "a | b");
	ck_assert_ptr_nonnull(plan_of(&mem, request).plan);
	sd_arena_finish(&mem);
}
END_TEST

/* A model of unknown shape keeps its main stream: outputs go back to it, and no hole stays. */
START_TEST(unknown_shape_keeps_its_main_stream)
{
	static const char *const modes[] = { "dynamic multi", "dynamic multi ge" };

	for (size_t i = 0; i < 2; i++) {
		struct planned planned = plan_with(sd_site_passes, "d Data; a Relu d; b Relu a _own_stream=true; o NetOutput b _own_stream=true", modes[i]);

		ck_assert_str_eq(streams_of(&mem, &planned), "a:0 b:1 o:0");
		ck_assert_uint_eq(planned.plan->main_stream_count, 2);
		ck_assert(!summary_of(&planned, 0)->by_stream_pass);
		ck_assert(summary_of(&planned, 1)->by_stream_pass);
	}
	sd_arena_finish(&mem);
}
END_TEST

/* ---- the interface ---- */

#define EXPECT(condition) do { if (!(condition)) return __LINE__; } while (0)

static int use_everything(const struct sd_graph *graph, struct sd_streams *streams)
{
	unsigned char *scratch = sd_stream_pass_memory(streams, 100);
	int32_t highest = sd_stream_pass_max(streams), fresh;

	EXPECT(scratch && scratch[0] == 0 && scratch[99] == 0);
	EXPECT(graph->node_count == 3 && graph->in_first[3] == 2);
	EXPECT(sd_text_is(graph->string[graph->op_type[1]], "Relu") && graph->in[1].src == 1);
	EXPECT(highest == 0 && sd_stream_pass_get(streams, 1) == 0);
	EXPECT(sd_stream_pass_get(streams, 0) == SD_NO_STREAM && sd_stream_pass_get(streams, 99) == SD_NO_STREAM);
	EXPECT(!sd_stream_pass_set(streams, 1, highest + 1) && !sd_stream_pass_set(streams, 1, -1));
	EXPECT(!sd_stream_pass_set(streams, 99, 0) && sd_stream_pass_get(streams, 1) == 0);
	fresh = sd_stream_pass_allocate(streams);
	EXPECT(fresh == 1 && sd_stream_pass_max(streams) == 1);
	EXPECT(sd_stream_pass_set(streams, 1, fresh) && sd_stream_pass_get(streams, 1) == fresh);
	EXPECT(!sd_stream_pass_stopped(streams));
	return 0;
}

/* The second pass sees what the first one did. */
static int look_behind(const struct sd_graph *graph, struct sd_streams *streams)
{
	EXPECT(sd_stream_pass_max(streams) == 1 && sd_stream_pass_get(streams, 1) == 1);
	EXPECT(sd_stream_pass_allocate(streams) == 2);
	return 0;
}

START_TEST(streams_are_read_and_changed)
{
	static const struct sd_stream_pass passes[] = { { .name = "first", .run = use_everything }, { .name = "second", .run = look_behind }, { .name = NULL } };
	struct planned planned = plan_with(passes, "x Data; a Relu x; b Relu a", "");

	ck_assert_msg(planned.plan != NULL, "%s", message_of(&planned));
	/* b has the stream that a was moved off; what nobody uses is closed up. */
	ck_assert_str_eq(streams_of(&mem, &planned), "a:1 b:0");
	ck_assert_uint_eq(planned.plan->main_stream_count, 2);
	sd_arena_finish(&mem);
}
END_TEST

static int by_name(const struct sd_graph *graph, struct sd_streams *streams)
{
	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (sd_text_is(graph->name[n], "b"))
			sd_stream_pass_set(streams, n, sd_stream_pass_allocate(streams));
	}
	return graph->name[0].len == 0 && graph->graph[SD_ROOT].name.len ? 1 : 0;
}

START_TEST(names_are_seen_by_those_who_say_so)
{
	static const struct sd_stream_pass reads[] = { { .name = "by_name", .reads_names = true, .run = by_name }, { .name = NULL } };
	static const struct sd_stream_pass blind[] = { { .name = "by_name", .run = by_name }, { .name = NULL } };
	struct planned planned = plan_with(reads, "a Relu; b Relu a; c Relu b", "");

	ck_assert_str_eq(streams_of(&mem, &planned), "a:0 b:1 c:0");
	planned = plan_with(blind, "a Relu; b Relu a; c Relu b", "");
	ck_assert_str_eq(streams_of(&mem, &planned), "a:0 b:0 c:0");
	ck_assert(sd_stream_passes_read_names(reads));
	ck_assert(!sd_stream_passes_read_names(blind));
	ck_assert(!sd_stream_passes_read_names(NULL));
	sd_arena_finish(&mem);
}
END_TEST

/* ---- refusals ---- */

START_TEST(a_refusal_tells_pass_code_and_reason)
{
	struct planned planned = plan_with(refusing, "a Relu", "");

	ck_assert_str_eq(sd_code_text(planned.diag.code), "E13028");
	ck_assert_str_eq(planned.diag.pass, "stream_passes");
	ck_assert_ptr_nonnull(strstr(message_of(&planned), "'moody' refuses the graph with code 7: 'not today';"));
	sd_arena_finish(&mem);
}
END_TEST

static int refuse_silently(const struct sd_graph *graph, struct sd_streams *streams)
{
	return -1;
}

START_TEST(a_refusal_may_be_without_reason)
{
	static const struct sd_stream_pass silent[] = { { .name = "silent", .run = refuse_silently }, { .name = NULL } };
	struct planned planned = plan_with(silent, "a Relu", "");

	ck_assert_ptr_nonnull(strstr(message_of(&planned), "with code -1: it gives no reason;"));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_row_without_function_is_refused)
{
	static const struct sd_stream_pass nobody[] = { { .name = "nobody" }, { .name = NULL } };
	struct planned planned = plan_with(nobody, "a Relu", "");

	ck_assert_str_eq(sd_code_text(planned.diag.code), "E13030");
	ck_assert_ptr_nonnull(strstr(message_of(&planned), "'nobody' has no function"));
	sd_arena_finish(&mem);
}
END_TEST

static int take_much(const struct sd_graph *graph, struct sd_streams *streams)
{
	return sd_stream_pass_memory(streams, (size_t)1 << 20) ? 0 : 5;
}

START_TEST(scratch_counts_and_is_given_back)
{
	static const struct sd_stream_pass greedy[] = { { .name = "one", .run = take_much }, { .name = "two", .run = take_much }, { .name = NULL } };
	struct sd_request *request = request_of(&mem, "a Relu");
	struct sd_arena small;
	struct planned planned;

	request->passes = greedy;
	sd_arena_init(&small, (size_t)1 << 20);
	planned = plan_of(&small, request);
	ck_assert_int_eq(planned.diag.code, SD_CODE_LIMIT_MEMORY);
	sd_arena_finish(&small);
	/* Room for one of the two at a time. */
	sd_arena_init(&small, 3 << 19);
	planned = plan_of(&small, request);
	ck_assert_ptr_nonnull(planned.plan);
	sd_arena_finish(&small);
	sd_arena_finish(&mem);
}
END_TEST

/* Says why it fails when it runs out of memory; that is not what is told then. */
static int be_frugal(const struct sd_graph *graph, struct sd_streams *streams)
{
	if (!sd_stream_pass_memory(streams, 64)) {
		sd_stream_pass_reason(streams, "no memory");
		return 3;
	}
	return 0;
}

START_TEST(every_allocation_may_fail)
{
	static const struct sd_stream_pass frugal[] = { { .name = "one", .run = be_frugal }, { .name = "two", .reads_names = true, .run = be_frugal }, { .name = NULL } };
	struct sd_request *request = request_of(&mem, "a Relu; b Relu a _stream_label=x");
	bool whole = false;

	request->passes = frugal;
	for (uint64_t k = 1; !whole; k++) {
		struct sd_arena small;
		struct planned planned;

		sd_arena_init(&small, 0);
		small.fail_at = k;
		planned = plan_of(&small, request);
		whole = planned.plan != NULL;
		ck_assert(whole || planned.diag.code == SD_CODE_LIMIT_MEMORY);
		sd_arena_finish(&small);
		ck_assert_uint_lt(k, 1000);
	}
	sd_arena_finish(&mem);
}
END_TEST

static bool always(void *arg)
{
	return *(bool *)arg;
}

static bool stop_now;

static int stop_the_job(const struct sd_graph *graph, struct sd_streams *streams)
{
	stop_now = true;
	return sd_stream_pass_stopped(streams) ? 1 : 0;
}

START_TEST(a_job_that_is_stopped_is_cancelled)
{
	static const struct sd_stream_pass stopping[] = { { .name = "stopping", .run = stop_the_job }, { .name = NULL } };
	struct sd_request *request = request_of(&mem, "a Relu");
	struct sd_hooks hooks = { &stop_now, always, NULL };
	struct sd_diag diag = { .code = SD_CODE_NONE };
	const struct sd_plan *plan;

	request->passes = stopping;
	ck_assert_int_eq(sd_plan_make(&mem, request, &hooks, &plan, &diag), SD_CANCELLED);
	ck_assert_int_eq(diag.code, SD_CODE_CANCELLED);
	sd_arena_finish(&mem);
}
END_TEST

/* ---- identity ---- */

START_TEST(names_and_versions_are_in_the_fingerprint)
{
	static const struct sd_stream_pass none[] = { { .name = NULL } };
	static const struct sd_stream_pass tables[][3] = {
		{ { .name = "a", .version = 1 } }, { { .name = "a", .version = 2 } }, { { .name = "a", .version = 256 } },
		{ { .name = "b", .version = 1 } }, { { .name = "a", .version = 1 }, { .name = "b", .version = 1 } },
		{ { .name = "b", .version = 1 }, { .name = "a", .version = 1 } },
	};
	enum { TABLES = sizeof(tables) / sizeof(tables[0]) };
	char version[TABLES + 1][SD_PLANNER_VERSION_MAX], empty[SD_PLANNER_VERSION_MAX];

	sd_planner_version(NULL, version[TABLES]);
	sd_planner_version(none, empty);
	ck_assert_str_eq(version[TABLES], empty);
	for (int i = 0; i < TABLES; i++) {
		sd_planner_version(tables[i], version[i]);
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(version[i], version[k]);
		ck_assert_str_ne(version[i], empty);
	}
}
END_TEST

RUN_TESTS("stream_passes", a_node_is_given_a_stream_of_its_own, a_collective_goes_to_its_producers, a_chain_is_torn,
          streams_are_told_by_their_final_numbers, passes_run_where_several_streams_are_planned,
          the_callers_own_partition_is_left_alone, unknown_shape_keeps_its_main_stream, streams_are_read_and_changed,
          names_are_seen_by_those_who_say_so, a_refusal_tells_pass_code_and_reason, a_refusal_may_be_without_reason,
          a_row_without_function_is_refused, scratch_counts_and_is_given_back, every_allocation_may_fail,
          a_job_that_is_stopped_is_cancelled,
          names_and_versions_are_in_the_fingerprint)
