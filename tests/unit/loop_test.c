/* loop_test - what must be done before an iteration loop begins its next turn. */
#include "run_tests.h"

#include "halfway.h"
#include "loop.h"
#include "planned.h"

static struct sd_arena mem;

/* Tasks fill a stream of 38 with two nodes of 4. */
static struct sd_job *cut(const char *graph, const char *streams, const char *pass)
{
	struct sd_request *request = request_of(&mem, graph);

	set_streams(&mem, request, streams);
	request->device.limits.has_max_tasks_per_stream = true;
	request->device.limits.max_tasks_per_stream = 38;
	return job_behind(&mem, request, SD_EXPLICIT, pass);
}

/* The nodes with the last slots of lanes or pieces, in the order of these. */
static const char *ends_of(const char *graph, const char *streams, bool pieces)
{
	static char out[256];
	/* Which pieces are started is known behind start_pieces only. */
	struct sd_job *job = cut(graph, streams, pieces ? "start_pieces" : "split_streams");
	uint32_t *end, count;

	ck_assert_int_eq(sd_loop_ends(job, pieces ? job->slots.stream : job->slots.lane, pieces ? job->stream_count : job->slots.lane_count, &end, &count), SD_OK);
	for (uint32_t i = 0; i < count; i++)
		end[i] = job->slots.node[end[i]];
	snprintf(out, sizeof(out), "%s", names_of(&mem, job->graph, end, count));
	sd_arena_finish(&mem);
	return out;
}

START_TEST(lanes_and_pieces_have_last_slots)
{
	static const char *const graph = "a Relu tasks=4; b Relu a tasks=4; c Relu b tasks=4; h Relu";

	ck_assert_str_eq(ends_of(graph, "a b c | h", false), "c h");
	ck_assert_str_eq(ends_of(graph, "a b c | h", true), "b h c");
}
END_TEST

START_TEST(what_holds_a_switch_has_none)
{
	static const char *const graph = "a Relu tasks=4; b Relu a tasks=4; s StreamSwitch b tasks=4 _active_label_list=[L]; h Relu _stream_label=L";

	ck_assert_str_eq(ends_of(graph, "a b s | h", false), "");
	ck_assert_str_eq(ends_of(graph, "a b s | h", true), "b");
}
END_TEST

START_TEST(what_is_started_has_none)
{
	static const char *const graph = "a Relu; s StreamActive a _active_label_list=[L]; b Relu tasks=4 _stream_label=L; c Relu b tasks=4; e Relu c tasks=4";

	ck_assert_str_eq(ends_of(graph, "a s | b c e", false), "s");
	ck_assert_str_eq(ends_of(graph, "a s | b c e", true), "s");
}
END_TEST

/* The StreamSwitch of the loop by name; "-": there is none. */
static const char *turn_of(const char *graph, const char *streams)
{
	static char out[64];
	struct sd_job *job = cut(graph, streams, "split_streams");
	uint32_t turn = sd_loop_turn(job);

	snprintf(out, sizeof(out), "%s", turn == SD_NO_INDEX ? "-" : names_of(&mem, job->graph, &job->slots.node[turn], 1));
	sd_arena_finish(&mem);
	return out;
}

START_TEST(the_switch_of_the_loop_is_found)
{
	ck_assert_str_eq(turn_of("a Relu; w StreamSwitch a _active_label_list=[L]; n StreamActive ^w _stream_label=L is_loop_active=true", "a | w | n"), "w");
	ck_assert_str_eq(turn_of("a Relu; w StreamSwitch a _active_label_list=[L]; n StreamActive ^w _stream_label=L", "a | w | n"), "-");
	ck_assert_str_eq(turn_of("a Relu; n StreamActive ^a is_loop_active=true", "a | n"), "-");
}
END_TEST

RUN_TESTS("loop", lanes_and_pieces_have_last_slots, what_holds_a_switch_has_none, what_is_started_has_none, the_switch_of_the_loop_is_found)
