/* planner_test - requests of the smallest and oddest shapes; hooks; memory; the version. */
#include "run_tests.h"

#include "chain.h"
#include "planned.h"

static struct sd_arena mem;

static struct planned plan_text(const char *graph)
{
	return plan_of(&mem, request_of(&mem, graph));
}

START_TEST(nothing_at_all)
{
	struct planned planned = plan_text("");

	ck_assert_ptr_nonnull(planned.plan);
	ck_assert_uint_eq(planned.plan->node_count, 0);
	ck_assert_uint_eq(planned.plan->stream_count, 0);
	ck_assert_uint_eq(planned.plan->command_count, 0);
	ck_assert_uint_eq(planned.plan->summary_count, 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(nothing_that_is_launched)
{
	struct planned planned = plan_text("d Data; v Reshape d; c Const; w Reshape v c");

	ck_assert_str_eq(streams_of(&mem, &planned), "v:- c:- w:-");
	ck_assert_uint_eq(planned.plan->command_count, 0);
	for (uint32_t n = 0; n < planned.plan->node_count; n++)
		ck_assert_int_eq(planned.plan->node[n].stream, SD_NO_STREAM);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(one_node)
{
	static const char *const alone[] = { "a Relu", "a HcomAllReduce", "a NetOutput", "a Relu _stream_label=x", "a Relu _parallel_group=g", "a Relu NewStreamId=1" };

	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		struct planned planned = plan_text(alone[i]);

		ck_assert_str_eq(streams_of(&mem, &planned), "a:0");
		ck_assert_uint_eq(planned.plan->stream_count, 1);
		ck_assert_uint_eq(planned.plan->sync_count, 0);
		ck_assert_uint_eq(planned.plan->command_count, 1);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(edges_of_every_kind)
{
	struct planned planned = plan_text("a Relu; b Relu _stream_label=x a a a:1 ^a ^a - -");

	ck_assert_str_eq(syncs_of(&mem, &planned), "a>b");
	planned = plan_text("a Relu a");
	ck_assert_int_eq(planned.diag.code, SD_CODE_CYCLE);
	planned = plan_text("a Relu ^a");
	ck_assert_int_eq(planned.diag.code, SD_CODE_CYCLE);
	planned = plan_text("a Relu -; b Relu - - -");
	ck_assert_ptr_nonnull(planned.plan);
	sd_arena_finish(&mem);
}
END_TEST

/* Counts down; says stop at zero. */
static bool stop(void *arg)
{
	uint32_t *left = arg;

	return (*left)-- == 0;
}

START_TEST(every_question_may_be_the_last)
{
	struct sd_request *request = request_of(&mem, "a Relu; b Relu a _stream_label=x; h HcomAllReduce b; c Add a h");
	uint32_t asked = 0;

	for (bool whole = false; !whole; asked++) {
		struct sd_diag diag = { .code = SD_CODE_NONE };
		uint32_t left = asked;
		struct sd_hooks hooks = { &left, stop, NULL };
		const struct sd_plan *plan;
		enum sd_status status = sd_plan_make(&mem, request, &hooks, &plan, &diag);

		whole = status == SD_OK;
		ck_assert(whole || (status == SD_CANCELLED && diag.code == SD_CODE_CANCELLED));
		ck_assert_uint_lt(asked, 1000);
	}
	/* Once at least in front of every row. */
	ck_assert_uint_gt(asked, 30);
	sd_arena_finish(&mem);
}
END_TEST

static void note(void *arg, const char *pass)
{
	char *told = arg;

	sprintf(told + strlen(told), "%s ", pass);
}

START_TEST(passes_are_told_in_order)
{
	char told[4096] = "", expected[4096] = "";
	struct sd_hooks hooks = { told, NULL, note };
	struct sd_diag diag = { .code = SD_CODE_NONE };
	const struct sd_plan *plan;

	for (uint32_t i = 0; i < sd_chain_length; i++) {
		if (sd_chain[i].when & SD_MULTI)
			note(expected, sd_chain[i].name);
	}
	note(expected, "verify");
	ck_assert_int_eq(sd_plan_make(&mem, request_of(&mem, "a Relu; b Relu a"), &hooks, &plan, &diag), SD_OK);
	ck_assert_str_eq(told, expected);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(too_little_memory_is_told)
{
	struct sd_request *request = request_of(&mem, "a Relu; b Relu a _stream_label=x; h HcomAllReduce b; c Add a h");
	struct sd_arena small;
	bool whole = false;

	for (size_t budget = 1; !whole; budget += budget / 8 + 1) {
		struct sd_diag diag = { .code = SD_CODE_NONE };
		const struct sd_plan *plan;
		enum sd_status status;

		sd_arena_init(&small, budget);
		status = sd_plan_make(&small, request, NULL, &plan, &diag);
		whole = status == SD_OK;
		ck_assert(whole || (status == SD_RESOURCE_EXHAUSTED && diag.code == SD_CODE_LIMIT_MEMORY));
		ck_assert_uint_le(small.peak_bytes, budget);
		sd_arena_finish(&small);
		ck_assert_uint_lt(budget, 1 << 24);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(version_has_the_fingerprint)
{
	char version[SD_PLANNER_VERSION_MAX], again[SD_PLANNER_VERSION_MAX];
	const char *plus;

	sd_planner_version(NULL, version);
	sd_planner_version(NULL, again);
	ck_assert_str_eq(version, again);
	plus = strchr(version, '+');
	ck_assert_ptr_nonnull(plus);
	ck_assert_uint_eq(strlen(plus + 1), 16);
	ck_assert_uint_eq(strspn(plus + 1, "0123456789abcdef"), 16);
	ck_assert_int_eq(strncmp(version, SD_VERSION "+", strlen(SD_VERSION) + 1), 0);
}
END_TEST

RUN_TESTS("planner", nothing_at_all, nothing_that_is_launched, one_node, edges_of_every_kind, every_question_may_be_the_last,
          passes_are_told_in_order, too_little_memory_is_told, version_has_the_fingerprint)
