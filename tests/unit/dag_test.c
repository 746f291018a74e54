/* dag_test - which nodes cost time, and which of them follow each other. */
#include "run_tests.h"

#include <stdio.h>

#include "dag.h"
#include "halfway.h"
#include "planned.h"

#define AI "@AIcoreEngine"
#define LOC "@DNN_VM_GE_LOCAL"

static struct sd_arena mem;

static const struct sd_paths *paths_of(const char *text)
{
	struct sd_request *request = request_of(&mem, text);

	set_words(&mem, request, "mode=LoadBalance:2");
	return job_behind(&mem, request, SD_MULTI, "cover_paths")->paths;
}

/* "a>b,c b>d c>d d": work nodes by their letters, with their successors in order. */
static const char *edges_of(const char *text)
{
	struct sd_request *request = request_of(&mem, text);
	const struct sd_dag *dag;
	char *out = SD_NEW0(&mem, char, 1000), *at = out;

	set_words(&mem, request, "mode=LoadBalance:2");
	dag = &job_behind(&mem, request, SD_MULTI, "cover_paths")->paths->dag;
	for (uint32_t w = 0; w < dag->count; w++) {
		at += sprintf(at, "%s%c", w ? " " : "", request->graph.name[dag->node[w]].at[0]);
		for (uint32_t i = dag->succ_first[w]; i < dag->succ_first[w + 1]; i++) {
			*at++ = i == dag->succ_first[w] ? '>' : ',';
			*at++ = request->graph.name[dag->node[dag->succ[i]]].at[0];
		}
	}
	return out;
}

START_TEST(edges)
{
	static const struct {
		const char *graph, *edges;
	} rows[] = {
		{ "a Op" AI, "a" },
		{ "a Op" AI "; b Op" AI " a a:1 ^a", "a>b b" },
		{ "a Op" AI "; b Op" AI " a:1; c Op" AI " a; d Op" AI " ^a", "a>c,b,d b c d" },
		{ "x Const" LOC "; a Op" AI " x; b Op" AI " x", "a b" },
		{ "a Op" AI "; z Op" AI " a ns=0; b Op" AI " z; c Op" AI " a", "a>c,b b c" },
		{ "a Op" AI "; s Op" AI " a _stream_label=l; t Op" AI " s _stream_label=l; b Op" AI " t; c Op" AI " s", "a>c,b b c" },
		{ "a Op" AI "; s Op" AI " a _stream_label=l; t Op" AI " a _stream_label=m; b Op" AI " s t; c Op" AI " t b", "a>b,c b>c c" },
		{ "s Op" AI " _stream_label=l", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(strcmp(edges_of(rows[i].graph), rows[i].edges) == 0, "%s: %s", rows[i].graph, edges_of(rows[i].graph));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(levels_are_longest_ways)
{
	const struct sd_dag *dag = &paths_of("a Op" AI "; b Op" AI " a; c Op" AI " a b; d Op" AI "; e Op" AI " d c")->dag;
	static const uint32_t level[] = { 0, 1, 2, 0, 3 };

	ck_assert_uint_eq(dag->depth, 4);
	ck_assert_mem_eq(dag->level, level, sizeof(level));
	ck_assert_uint_eq(dag->pred_first[5] - dag->pred_first[4], 2);
	ck_assert_uint_eq(dag->pred[dag->pred_first[4]], 2);
	ck_assert_uint_eq(dag->pred[dag->pred_first[4] + 1], 3);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(labels_in_order_of_appearance)
{
	struct sd_request *request = request_of(&mem, "a Op" AI " _stream_label=y; b Op" AI " _stream_label=x; c Op" AI " _stream_label=y");
	const struct sd_job *job;

	set_words(&mem, request, "mode=LoadBalance:2");
	job = job_behind(&mem, request, SD_MULTI, "cover_paths");
	ck_assert_uint_eq(job->paths->serial_count, 2);
	ck_assert_uint_eq(job->paths->place[job->label[0]], 0);
	ck_assert_uint_eq(job->paths->place[job->label[1]], 1);
	ck_assert_uint_eq(job->paths->count, 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(costs)
{
	const struct sd_work_cost *cost = paths_of("a Op" AI "; b Op" AI " ns=1500 cube=8 vector=4; c Op" AI " tvm_blockdim=6;"
		"d Op" AI " tvm_blockdim=6 _cube_vector_core_type=AIC; e Op" AI " tvm_blockdim=7 _cube_vector_core_type=AIV;"
		"f Op" AI " tvm_blockdim=-1 _cube_vector_core_type=AIC; g Op" AI " ns=3 tvm_blockdim=6 _cube_vector_core_type=AIC")->dag.cost;
	static const struct {
		int64_t ns;
		double us;
		int32_t cube, vector;
	} rows[] = { { -1, 0, 0, 0 }, { 1500, 1.5, 8, 4 }, { -1, 0, 0, 0 }, { -1, 0, 6, 0 }, { -1, 0, 0, 7 }, { -1, 0, 0, 0 }, { 3, 0.003f, 0, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(cost[i].duration_ns, rows[i].ns);
		ck_assert_double_eq(cost[i].duration_us, rows[i].us);
		ck_assert_int_eq(cost[i].cube, rows[i].cube);
		ck_assert_int_eq(cost[i].vector, rows[i].vector);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("dag", edges, levels_are_longest_ways, labels_in_order_of_appearance, costs)
