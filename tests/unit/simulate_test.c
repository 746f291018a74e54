/* simulate_test - how long plans take on the device model, and which chain makes them so long. */
#include "run_tests.h"

#include <inttypes.h>
#include <stdio.h>

#include "planned.h"
#include "streamd/simulate.h"

#define AI "@AIcoreEngine"
#define HCCL "@DNN_HCCL"

static struct sd_arena mem;

/* Nothing costs time but the nodes, unless a row says so. */
static void make_free(struct sd_model *model)
{
	model->launch_gap_ns = model->record_ns = model->wait_ns = model->event_latency_ns = model->activate_ns = 0;
}

/* "a start b sync": the nodes of the chain, each with its reason. */
static const char *chain_of(const struct sd_request *request, const struct sd_simulation *s)
{
	static const char *const word[] = { "start", "stream", "sync", "activation", "engine" };
	static char out[512];

	out[0] = '\0';
	for (uint32_t i = 0; i < s->link_count; i++) {
		struct sd_text name = request->graph.name[s->launch[s->link[i].launch].node];

		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%.*s %s", i ? " " : "", (int)name.len, name.at, word[s->link[i].reason]);
	}
	return out;
}

struct row {
	const char *shows, *graph, *streams, *words;
	int64_t makespan, one_stream;
	const char *chain;
	int64_t cost[6]; /* launch gap, record, wait, latency, first use, host */
};

static void check(const struct row *row)
{
	struct sd_request *request = request_of(&mem, row->graph);
	struct planned planned;
	const struct sd_simulation *s;

	make_free(&request->device.model);
	request->device.model.launch_gap_ns = row->cost[0];
	request->device.model.record_ns = row->cost[1];
	request->device.model.wait_ns = row->cost[2];
	request->device.model.event_latency_ns = row->cost[3];
	request->device.model.activate_ns = row->cost[4];
	request->device.model.host_issue_ns = row->cost[5];
	if (row->streams)
		set_streams(&mem, request, row->streams);
	set_words(&mem, request, row->words);
	request->options.simulate = true;
	planned = plan_of(&mem, request);
	ck_assert_msg(planned.plan != NULL, "%s: refused with %s", row->shows, sd_code_text(planned.diag.code));
	ck_assert(planned.plan->simulated);
	s = &planned.plan->simulation;
	ck_assert_msg(s->makespan_ns == row->makespan, "%s: makespan %" PRId64 ", not %" PRId64, row->shows, s->makespan_ns, row->makespan);
	ck_assert_msg(s->one_stream_ns == row->one_stream, "%s: on one stream %" PRId64 ", not %" PRId64, row->shows, s->one_stream_ns, row->one_stream);
	ck_assert_msg(strcmp(chain_of(request, s), row->chain) == 0, "%s: chain %s, not %s", row->shows, chain_of(request, s), row->chain);
}

#define FREE { 0 }
#define PAIR(a, b) "x Data; a Relu" AI " x " a "; b Relu" AI " x " b

START_TEST(rows)
{
	static const struct row row[] = {
		{ "whole engines take turns", PAIR("ns=10000", "ns=10000"), "a | b", "", 20000, 20000, "a start b engine", FREE },
		{ "halves run beside each other", PAIR("ns=10000 vector=24", "ns=10000 vector=24"), "a | b", "", 10000, 20000, "b start", FREE },
		{ "blocks of one node go round", "x Data; a MatMul" AI " x ns=10000 cube=36", "a", "", 20000, 20000, "a start", FREE },
		{ "caps bound what a node takes", PAIR("ns=10000 _op_vectorcore_num='24'", "ns=9000 _op_vectorcore_num='24'"), "a | b", "", 10000, 19000, "a start", FREE },
		{ "cube and vector are two engines", "x Data; a MatMul" AI " x ns=10000; b Relu" AI " x ns=4000", "a | b", "", 10000, 14000, "a start", FREE },
		{ "a hop costs record, latency and wait", "x Data; a Relu" AI " x ns=1000; b Relu" AI " a ns=1000", "a | b", "", 2123, 2000, "a start b sync", { 0, 100, 20, 3 } },
		{ "the gap stands in front of each", "x Data; a Relu" AI " x ns=1000; b Relu" AI " a ns=1000", "a b", "", 2014, 2014, "a start b stream", { 7 } },
		{ "a second stream costs its first use", PAIR("ns=1000 vector=1", "ns=1000 vector=1"), "a | b", "", 1050, 2000, "b start", { 0, 0, 0, 0, 50 } },
		{ "the host issues one after the other", PAIR("ns=1000 vector=1", "ns=1000 vector=1"), "a | b", "", 1080, 2040, "b start", { 0, 0, 0, 0, 0, 40 } },
		{ "collectives of one group exclude each other",
		  "x Data; a HcomAllReduce" HCCL " x ns=7000 comm=g; b HcomAllReduce" HCCL " x ns=9000 comm=g", "a | b", "", 16000, 16000, "a start b engine", FREE },
		{ "those of two do not",
		  "x Data; a HcomAllReduce" HCCL " x ns=7000 comm=g; b HcomAllReduce" HCCL " x ns=9000 comm=h", "a | b", "", 9000, 16000, "b start", FREE },
		{ "what states no duration takes 20 us", "x Data; a Relu" AI " x; out NetOutput@DNN_VM_RTS a", NULL, "", 20000, 20000, "a start out stream", FREE },
		{ "of a choice the first body runs",
		  "x Data; c If x {t {e; z Relu" AI " c ns=100\n[t]; i Data _parent_node_index='0'; p Relu" AI " i ns=3000\n"
		  "[e]; j Data _parent_node_index='0'; q Relu" AI " j ns=9000", NULL, "", 3100, 3100, "p start z stream", FREE },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		check(&row[i]);
}
END_TEST

START_TEST(what_is_told_adds_up)
{
	struct sd_request *request = request_of(&mem, "x Data; a Relu" AI " x ns=5000 vector=1; b Relu" AI " x ns=2000 vector=1; c Relu" AI " a b ns=1000 vector=1; d Relu" AI " b vector=1");
	struct planned planned;
	const struct sd_simulation *s;

	make_free(&request->device.model);
	set_streams(&mem, request, "a c | b d");
	request->options.simulate = true;
	planned = plan_of(&mem, request);
	s = &planned.plan->simulation;
	ck_assert_uint_eq(s->launch_count, 4);
	ck_assert_uint_eq(s->stream_count, 2);
	ck_assert_uint_eq(s->assumed, 1);
	ck_assert_int_eq(s->stream[0].busy_ns, 6000);
	ck_assert_int_eq(s->stream[1].busy_ns, 22000);
	ck_assert_int_eq(s->makespan_ns, 22000);
	ck_assert_int_eq(s->stream[0].overlap_ns, 6000);
	ck_assert_int_eq(s->stream[1].overlap_ns, 6000);
	ck_assert_str_eq(chain_of(request, s), "b start d stream");
}
END_TEST

START_TEST(without_the_option_nothing_is_told)
{
	struct planned planned = plan_of(&mem, request_of(&mem, "x Data; a Relu x"));

	ck_assert(!planned.plan->simulated);
	ck_assert_uint_eq(planned.plan->simulation.launch_count, 0);
}
END_TEST

START_TEST(a_plan_without_launches)
{
	struct sd_request *request = request_of(&mem, "x Data");

	request->options.simulate = true;
	ck_assert_int_eq(plan_of(&mem, request).plan->simulation.makespan_ns, 0);
}
END_TEST

RUN_TESTS("simulate", rows, what_is_told_adds_up, without_the_option_nothing_is_told, a_plan_without_launches)
