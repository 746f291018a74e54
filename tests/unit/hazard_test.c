/* hazard_test - who may run beside whom, and how a hazard is told. */
#include "run_tests.h"

#include "graph_builder.h"
#include "hazard.h"
#include "pass/passes.h"

static struct sd_arena mem;

static struct sd_job *job_of(const char *text)
{
	struct sd_job *job = SD_NEW0(&mem, struct sd_job, 1);
	struct sd_request *request = request_of(&mem, text);
	uint32_t *flat;

	job->mem = &mem;
	job->request = request;
	job->graph = &request->graph;
	job->options = &request->options;
	job->op_of_type = SD_NEW(&mem, enum sd_op, request->graph.string_count);
	for (uint32_t i = 0; i < request->graph.string_count; i++)
		job->op_of_type[i] = sd_op_find(request->graph.string[i]);
	job->launched = SD_NEW0(&mem, bool, request->graph.node_count);
	flat = SD_NEW(&mem, uint32_t, request->graph.node_count);
	for (uint32_t i = 0; i < request->graph.node_count; i++)
		flat[i] = i;
	job->order.flat = flat;
	ck_assert_int_eq(sd__pass_find_scopes(job), SD_OK);
	return job;
}

START_TEST(bodies_of_one_choice_exclude_each_other)
{
	struct sd_job *job = job_of("d Data; i If d {then {else; w While d {cond {loop; x Relu\n"
	                            "[then]; a Relu; k Case a {k0 {k1; p PartitionedCall a {call\n"
	                            "[else]; b Relu\n[cond]; c Relu\n[loop]; l Relu\n[k0]; e Relu\n[k1]; f Relu\n[call]; g Relu");
	static const struct {
		const char *a, *b;
		bool both;
	} rows[] = {
		{ "a", "a", true }, { "a", "b", false }, { "b", "a", false }, { "a", "x", true }, { "c", "l", true },
		{ "e", "f", false }, { "e", "b", false }, { "b", "f", false }, { "a", "e", true }, { "e", "k", true },
		{ "g", "b", false }, { "g", "e", true }, { "g", "a", true }, { "e", "c", true }, { "i", "f", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t a = node_named(job->graph, rows[i].a), b = node_named(job->graph, rows[i].b);

		ck_assert_msg(sd_may_both_run(job, a, b) == rows[i].both, "%s and %s", rows[i].a, rows[i].b);
		ck_assert_msg(sd_may_both_run(job, b, a) == rows[i].both, "%s and %s", rows[i].b, rows[i].a);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_stands_in_a_body_may_be_left_out)
{
	struct sd_job *job = job_of("d Data; i If d {then {else; x Relu\n[then]; a Relu; p PartitionedCall a {call\n[else]; b Relu\n[call]; g Relu");
	static const struct {
		const char *node, *other;
		bool runs;
	} rows[] = {
		{ "a", "x", true }, { "x", "a", false }, { "a", "g", true }, { "g", "a", true }, { "a", "b", false }, { "x", "d", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(sd_runs_with(job, node_named(job->graph, rows[i].node), node_named(job->graph, rows[i].other)) == rows[i].runs, "%s and %s",
		              rows[i].node, rows[i].other);
	sd_arena_finish(&mem);
}
END_TEST

/* Three lanes: 0 3 5 | 1 4 | 2, with orders 0 before 4 and 4 before 5. */
static void make_slots(struct sd_job *job, uint32_t *lane)
{
	static uint32_t before[] = { SD_NO_INDEX, SD_NO_INDEX, SD_NO_INDEX, 0, 1, 3 };
	static uint32_t identity[] = { 0, 1, 2, 3, 4, 5 }, starting[4], node[6], scope[6];
	static uint8_t kind[6];
	static struct sd_order_pair sync[] = { { 0, 4, SD_CAUSE_DATA, SD_NO_INDEX }, { 4, 5, SD_CAUSE_DATA, SD_NO_INDEX } };

	job->slots = (struct sd_slots){ .count = 6, .lane_count = 3, .lane = lane, .stream = lane, .before = before, .front = before,
	                                .node = node, .scope = scope, .kind = kind };
	job->sequence = job->rank = identity;
	job->starting.first = starting;
	job->syncs = (struct sd_order_list){ 2, sync };
}

START_TEST(questions_are_answered_by_streams_and_syncs)
{
	struct sd_job *job = job_of("a Relu");
	uint32_t lane[] = { 0, 1, 2, 0, 1, 0 };
	struct sd_question question[] = {
		{ 4, 5, false }, { 0, 3, false }, { 1, 5, false }, { 0, 4, false }, { 1, 3, false }, { 2, 5, false },
		{ 0, 2, false }, { 3, 4, false }, { 0, 5, false },
	};
	static const bool ordered[] = { true, true, true, true, false, false, false, false, true };

	make_slots(job, lane);
	ck_assert_int_eq(sd_answer(job, question, 9), SD_OK);
	for (int i = 0; i < 9; i++)
		ck_assert_msg(question[i].ordered == ordered[i], "%u before %u", question[i].from, question[i].to);
	ck_assert_int_eq(sd_answer(job, question, 0), SD_OK);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(strict_ends_the_run_with_the_words_of_the_warning)
{
	struct sd_job *job = job_of("a Relu; b Relu");
	struct sd_diag diag = { .code = SD_CODE_NONE };

	job->diag = &diag;
	ck_assert_int_eq(sd_hazard(job, SD_CODE_WRITES_UNORDERED, 1, sd_arg_node(0), sd_arg_int(2)), SD_OK);
	ck_assert(job->warnings.count == 1 && job->warnings.at[0].severity == SD_WARNING && diag.code == SD_CODE_NONE);
	((struct sd_request *)(uintptr_t)job->request)->options.strict = true;
	ck_assert_int_eq(sd_hazard(job, SD_CODE_WRITES_UNORDERED, 1, sd_arg_node(0), sd_arg_int(2)), SD_INVALID_ARGUMENT);
	ck_assert(job->warnings.count == 1 && diag.severity == SD_ERROR);
	ck_assert(diag.code == job->warnings.at[0].code && diag.node == job->warnings.at[0].node);
	ck_assert(diag.arg[0].number == 0 && diag.arg[1].number == 2);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("hazard", bodies_of_one_choice_exclude_each_other, what_stands_in_a_body_may_be_left_out, questions_are_answered_by_streams_and_syncs,
          strict_ends_the_run_with_the_words_of_the_warning)
