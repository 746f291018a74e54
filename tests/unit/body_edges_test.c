/* body_edges_test - where data goes into bodies and comes out of them. */
#include "run_tests.h"

#include "body_edges.h"
#include "halfway.h"
#include "planned.h"

static struct sd_arena mem;

static const char graph[] = "a Relu; b Relu; i If a ^b b {then {else; c Relu i\n"
                            "[then]; d Data _parent_node_index=1; e Data _parent_node_index=2; f Data; g Relu d _parent_node_index=0; o NetOutput g d\n"
                            "[else]; h Data _parent_node_index=0 tasks=1; k Data _parent_node_index=-1";

static const char *name_of_producer(const struct sd_job *job, const struct sd_edge *edge)
{
	return edge ? names_of(&mem, job->graph, &edge->src, 1) : "-";
}

START_TEST(data_of_a_body_stands_for_an_input_of_its_node)
{
	struct sd_job *job = job_behind(&mem, request_of(&mem, graph), SD_EXPLICIT, "find_scopes");
	static const char *const rows[][2] = { { "d", "b" }, { "e", "-" }, { "f", "-" }, { "g", "-" }, { "h", "-" }, { "k", "-" }, { "a", "-" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(strcmp(name_of_producer(job, sd_body_input(job, node_named(job->graph, rows[i][0]))), rows[i][1]) == 0, "%s", rows[i][0]);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(inputs_are_counted_without_control_edges)
{
	struct sd_job *job = job_behind(&mem, request_of(&mem, graph), SD_EXPLICIT, "find_scopes");
	uint32_t i = node_named(job->graph, "i");

	ck_assert_str_eq(name_of_producer(job, sd_data_input(job->graph, i, 0)), "a");
	ck_assert_str_eq(name_of_producer(job, sd_data_input(job->graph, i, 1)), "b");
	ck_assert_ptr_null(sd_data_input(job->graph, i, 2));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_body_has_one_output_or_none)
{
	struct sd_job *job = job_behind(&mem, request_of(&mem, graph), SD_EXPLICIT, "find_scopes");
	uint32_t output[3];

	sd_body_outputs(job, output);
	ck_assert_uint_eq(output[0], SD_NO_NODE);
	ck_assert_uint_eq(output[1], node_named(job->graph, "o"));
	ck_assert_uint_eq(output[2], SD_NO_NODE);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("body_edges", data_of_a_body_stands_for_an_input_of_its_node, inputs_are_counted_without_control_edges, a_body_has_one_output_or_none)
