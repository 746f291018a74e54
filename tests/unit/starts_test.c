/* starts_test - who starts which streams: by label, through inserted nodes, for the next turn of a loop. */
#include "run_tests.h"

#include <stdio.h>

#include "halfway.h"
#include "planned.h"

static struct sd_arena mem;
static struct sd_request *request;

static void make(const char *graph, const char *streams, int64_t limit)
{
	request = request_of(&mem, graph);
	set_streams(&mem, request, streams);
	request->device.limits.has_max_tasks_per_stream = limit > 0;
	request->device.limits.max_tasks_per_stream = limit;
}

/* "s:0,2 t:2/3": streams of each starter, and the one on which its StreamActive stands. */
static const char *starters_of(const char *graph, const char *streams)
{
	static char out[512];
	const struct sd_starts *starts;
	const struct sd_job *job;

	make(graph, streams, 0);
	job = job_behind(&mem, request, SD_EXPLICIT, "find_starters");
	starts = &job->starts;
	out[0] = '\0';
	for (uint32_t i = 0; i < starts->count; i++) {
		const struct sd_starter *s = &starts->at[i];

		sprintf(out + strlen(out), "%s%s:", i ? " " : "", names_of(&mem, job->graph, &s->node, 1));
		for (uint32_t k = 0; k < s->count; k++)
			sprintf(out + strlen(out), "%s%u", k ? "," : "", starts->lane[s->first + k]);
		if (s->relay_lane != SD_NO_NODE)
			sprintf(out + strlen(out), "/%u", s->relay_lane);
	}
	sd_arena_finish(&mem);
	return out;
}

/* "s>1 s+>0,2": what every starting node activates, inserted ones with a plus behind the name of their StreamSwitch; or the refusal. */
static const char *activations_of(const char *graph, const char *streams, int64_t limit)
{
	static char out[512];
	struct planned planned;

	make(graph, streams, limit);
	planned = plan_of(&mem, request);
	snprintf(out, sizeof(out), "%s", planned.plan ? "" : sd_code_text(planned.diag.code));
	for (uint32_t i = 0; planned.plan && i < planned.plan->activation_count; i++) {
		const struct sd_activation *activation = &planned.plan->activation[i];
		uint32_t nodes = request->graph.node_count, node = activation->node;
		uint32_t of = node < nodes ? node : planned.plan->inserted[node - nodes];

		sprintf(out + strlen(out), "%s%s%s>", i ? " " : "", names_of(&mem, &request->graph, &of, 1), node < nodes ? "" : "+");
		for (uint32_t k = 0; k < activation->count; k++)
			sprintf(out + strlen(out), "%s%u", k ? "," : "", planned.plan->activated[activation->first + k]);
	}
	sd_arena_finish(&mem);
	return out;
}

START_TEST(labels_lead_to_streams)
{
	ck_assert_str_eq(starters_of("s StreamActive _active_label_list=[L]; b Relu _stream_label=L", "s | b"), "s:1");
	ck_assert_str_eq(starters_of("s StreamActive _active_label_list=[M,L]; b Relu _stream_label=L; c Relu _stream_label=M", "s | b | c"), "s:1,2");
	/* Two labels of one stream, and two nodes of one label, start it once. */
	ck_assert_str_eq(starters_of("s StreamActive _active_label_list=[M,L]; b Relu _stream_label=L; c Relu b _stream_label=M", "s | b c"), "s:1");
	ck_assert_str_eq(starters_of("s Relu _active_label_list=[L]; b Relu _stream_label=L; c Relu _stream_label=L", "s | b | c"), "s:1,2");
	/* A user label stands in place of the other. */
	ck_assert_str_eq(starters_of("s Relu _active_label_list=[U]; b Relu _stream_label=L _user_stream_label=U", "s | b"), "s:1");
	ck_assert_str_eq(starters_of("s Relu; b Relu _stream_label=L", "s | b"), "");
}
END_TEST

START_TEST(a_switch_has_one_stream)
{
	ck_assert_str_eq(starters_of("s StreamSwitch _active_label_list=[L]; b Relu ^s _stream_label=L", "s | b"), "s:1");
	ck_assert_str_eq(starters_of("s StreamSwitch _active_label_list=[L,M]; b Relu _stream_label=L; c Relu _stream_label=M", "s | b | c"), "s:1,2/3");
	/* Where others start it too, what waits for the switch must be told from another one. */
	ck_assert_str_eq(starters_of("s StreamSwitch _active_label_list=[L]; t StreamSwitch _active_label_list=[L]; b Relu ^s _stream_label=L", "s | t | b"),
	                 "s:2/3 t:2");
	ck_assert_str_eq(starters_of("s StreamSwitch _active_label_list=[L]; t Relu _active_label_list=[L]; b Relu _stream_label=L", "s | t | b"), "s:2 t:2");
}
END_TEST

START_TEST(what_cannot_be_started_is_refused)
{
	ck_assert_str_eq(activations_of("s StreamSwitch; b Relu", "s | b", 0), "SD0301");
	ck_assert_str_eq(activations_of("s StreamActive _active_label_list=[X]; b Relu _stream_label=L", "s | b", 0), "SD0302");
	ck_assert_str_eq(activations_of("s StreamActive _active_label_list=[L]; b Relu _stream_label=L", "s b", 0), "SD0303");
	ck_assert_str_eq(activations_of("a Relu _stream_label=L; s StreamActive a _active_label_list=[L]", "a | s", 0), "SD0306");
	ck_assert_str_eq(activations_of("s StreamActive _active_label_list=[M] _stream_label=L; t StreamActive _active_label_list=[L] _stream_label=M", "s | t", 0),
	                 "SD0306");
	ck_assert_str_eq(activations_of("s StreamSwitch _active_label_list=[L]; b Relu _stream_label=L; c Relu s", "s c | b", 0), "SD0307");
	/* A node that is not launched starts nothing. */
	ck_assert_str_eq(activations_of("s StreamActive tasks=0 _active_label_list=[X]; b Relu", "b", 0), "");
}
END_TEST

START_TEST(all_pieces_are_started)
{
	ck_assert_str_eq(activations_of("s StreamActive _active_label_list=[L]; b Relu ^s tasks=8 _stream_label=L; c Relu b tasks=8 _stream_label=L",
	                                "s | b c", 38), "s>1,2");
	/* A StreamSwitch needs another node for that only once the stream is cut. */
	ck_assert_str_eq(activations_of("s StreamSwitch _active_label_list=[L]; b Relu ^s tasks=8 _stream_label=L; c Relu b tasks=8 _stream_label=L",
	                                "s | b c", 0), "s>1");
	ck_assert_str_eq(activations_of("s StreamSwitch _active_label_list=[L]; b Relu ^s tasks=8 _stream_label=L; c Relu b tasks=8 _stream_label=L",
	                                "s | b c", 38), "s>3 s+>1,2");
	ck_assert_str_eq(activations_of("s StreamSwitch _active_label_list=[L,M]; b Relu ^s _stream_label=L; c Relu ^s _stream_label=M", "s | b | c", 0),
	                 "s>3 s+>1,2");
}
END_TEST

START_TEST(a_loop_starts_what_runs_with_the_model)
{
	ck_assert_str_eq(activations_of("a Relu; h Relu a; w StreamSwitch a _active_label_list=[L]; n StreamActive ^w _stream_label=L is_loop_active=true",
	                                "a | h | w | n", 0), "w>3 n>0,1,2");
	ck_assert_str_eq(activations_of("a Relu; s StreamActive ^a _active_label_list=[M]; h Relu _stream_label=M; w StreamSwitch a _active_label_list=[L];"
	                                "n StreamActive ^w _stream_label=L is_loop_active=true", "a s | h | w | n", 0), "s>1 w>3 n>0,2");
	/* With a list it is a starter like others; said to be none, it is none. */
	ck_assert_str_eq(activations_of("a Relu; n StreamActive ^a is_loop_active=true _active_label_list=[L]; b Relu _stream_label=L", "a | n | b", 0), "n>2");
	ck_assert_str_eq(activations_of("a Relu; n StreamActive ^a is_loop_active=false", "a | n", 0), "");
}
END_TEST

START_TEST(slots_are_run_in_an_order_that_can_be)
{
	const struct sd_job *job;

	/* b is listed first; its stream is started last. */
	make("b Relu _stream_label=L; a Relu; s StreamActive a _active_label_list=[L]; c Relu b", "b | a s | c", 0);
	job = job_behind(&mem, request, SD_EXPLICIT, "sequence_slots");
	for (uint32_t i = 0; i < job->slots.count; i++)
		ck_assert_uint_eq(job->rank[job->sequence[i]], i);
	ck_assert_uint_lt(job->rank[job->slots.of_node[2]], job->rank[job->slots.of_node[0]]);
	ck_assert_uint_lt(job->rank[job->slots.of_node[0]], job->rank[job->slots.of_node[3]]);
	sd_arena_finish(&mem);
}
END_TEST

/* Once streams are cut, the turn waits for the ends of pieces as well: the slots are put in an order anew. */
START_TEST(the_turn_of_a_loop_stands_behind_the_pieces)
{
	const struct sd_job *job;

	make("w StreamSwitch _active_label_list=[L]; a Relu tasks=4; b Relu a tasks=4; c Relu b tasks=4; d Relu c tasks=4;"
	     "n StreamActive ^w _stream_label=L is_loop_active=true", "w | n | a b c d", 38);
	job = job_behind(&mem, request, SD_EXPLICIT, "reduce_splits");
	ck_assert_uint_gt(job->stream_count, job->slots.lane_count);
	for (uint32_t i = 0; i < job->slots.count; i++)
		ck_assert_uint_eq(job->rank[job->sequence[i]], i);
	for (uint32_t i = 0; i < job->syncs.count; i++)
		ck_assert_uint_lt(job->rank[job->syncs.at[i].from], job->rank[job->syncs.at[i].to]);
	ck_assert_uint_gt(job->rank[job->slots.of_node[0]], job->rank[job->slots.of_node[4]]);
	ck_assert_uint_gt(job->rank[job->slots.of_node[5]], job->rank[job->slots.of_node[0]]);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("starts", the_turn_of_a_loop_stands_behind_the_pieces, labels_lead_to_streams, a_switch_has_one_stream, what_cannot_be_started_is_refused, all_pieces_are_started,
          a_loop_starts_what_runs_with_the_model, slots_are_run_in_an_order_that_can_be)
