/* split_test - what the split goes by: how long streams may be, continuous labels, what activations will count. */
#include "run_tests.h"

#include "halfway.h"
#include "planned.h"
#include "split.h"

static struct sd_arena mem;
static struct sd_job *job;

static void behind_reduction(const char *graph, const char *streams, int64_t limit)
{
	struct sd_request *request = request_of(&mem, graph);

	set_streams(&mem, request, streams);
	request->device.limits.has_max_tasks_per_stream = limit > 0;
	request->device.limits.max_tasks_per_stream = limit;
	job = job_behind(&mem, request, SD_EXPLICIT, "reduce_orders");
}

START_TEST(groups_are_numbered_by_text)
{
	uint32_t *group;

	behind_reduction("a Relu; b Relu _continuous_stream_label=x; c Relu _continuous_stream_label=y; d Relu _continuous_stream_label=x;"
	                 "e Relu _continuous_stream_label=", "a b c | d e", 0);
	ck_assert_int_eq(sd_split_groups(job, &group), SD_OK);
	ck_assert_uint_eq(group[0], 0);
	ck_assert_uint_eq(group[1], 1);
	ck_assert_uint_eq(group[2], 2);
	ck_assert_uint_eq(group[3], 1);
	ck_assert_uint_eq(group[4], 0); /* an empty label is none */
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(an_activation_counts_the_pieces_to_come)
{
	static const int64_t none[8] = { 0 };
	int64_t *size;

	/* 70 and 30 tasks, 40 to a piece: two pieces and one. */
	behind_reduction("s StreamActive _active_label_list=[L,M]; b Relu tasks=70 _stream_label=L; c Relu tasks=30 _stream_label=M", "s | b | c", 0);
	ck_assert_int_eq(sd_split_sizes(job, 40, none, &size), SD_OK);
	ck_assert_int_eq(size[job->slots.of_node[0]], 3);
	ck_assert_int_eq(size[job->slots.of_node[1]], 70);
	/* Without limit there is nothing to count; another operator counts as it says. */
	ck_assert_int_eq(sd_split_sizes(job, 0, none, &size), SD_OK);
	ck_assert_int_eq(size[job->slots.of_node[0]], 0);
	sd_arena_finish(&mem);
	behind_reduction("s Relu tasks=5 _active_label_list=[L]; b Relu tasks=70 _stream_label=L", "s | b", 0);
	ck_assert_int_eq(sd_split_sizes(job, 40, none, &size), SD_OK);
	ck_assert_int_eq(size[job->slots.of_node[0]], 5);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(limits_are_those_of_the_kind_of_stream)
{
	bool huge;

	behind_reduction("a Relu tasks=500", "a", 100);
	ck_assert_int_eq(sd_split_limit(job, &huge), 100);
	ck_assert(!huge);
	job->limits.unlimited_depth = true;
	ck_assert_int_eq(sd_split_limit(job, &huge), 0);
	sd_arena_finish(&mem);
}
END_TEST

/* Streams of the nodes behind the split, in the order of their slots: "0 0 1". */
static const char *pieces_of(const char *graph, int64_t limit, uint32_t *warnings)
{
	static char out[128];
	struct sd_request *request = request_of(&mem, graph);

	request->device.limits.has_max_tasks_per_stream = true;
	request->device.limits.max_tasks_per_stream = limit;
	job = job_behind(&mem, request, SD_MULTI, "split_streams");
	out[0] = '\0';
	for (uint32_t s = 0; s < job->slots.count; s++)
		sprintf(out + strlen(out), "%s%u", s ? " " : "", job->slots.stream[s]);
	*warnings = job->warnings.count;
	sd_arena_finish(&mem);
	return out;
}

START_TEST(groups_stay_together)
{
	uint32_t warnings;

	/* 27 of each limit are held back. Without a label the cut falls in front of c. */
	ck_assert_str_eq(pieces_of("a Relu tasks=3; b Relu a tasks=3; c Relu b tasks=3", 34, &warnings), "0 0 1");
	ck_assert_str_eq(pieces_of("a Relu tasks=3; b Relu a tasks=3 _continuous_stream_label=C; c Relu b tasks=3 _continuous_stream_label=C", 34, &warnings),
	                 "0 1 1");
	ck_assert_uint_eq(warnings, 0);
	/* A group that begins its piece, or does not fit one, is cut and told of. */
	ck_assert_str_eq(pieces_of("b Relu tasks=5 _continuous_stream_label=C; c Relu b tasks=5 _continuous_stream_label=C", 34, &warnings), "0 1");
	ck_assert_uint_eq(warnings, 1);
	ck_assert_str_eq(pieces_of("a Relu; b Relu a tasks=5 _continuous_stream_label=C; c Relu b tasks=5 _continuous_stream_label=C", 34, &warnings), "0 0 1");
	ck_assert_uint_eq(warnings, 1);
	/* Another label begins another group. */
	ck_assert_str_eq(pieces_of("a Relu tasks=3; b Relu a tasks=3 _continuous_stream_label=C; c Relu b tasks=3 _continuous_stream_label=D", 34, &warnings),
	                 "0 0 1");
	ck_assert_uint_eq(warnings, 0);
}
END_TEST

RUN_TESTS("split", groups_are_numbered_by_text, an_activation_counts_the_pieces_to_come, limits_are_those_of_the_kind_of_stream, groups_stay_together)
