/* overlap_test - how long streams take side by side. */
#include "run_tests.h"

#include "halfway.h"
#include "overlap.h"
#include "planned.h"

#define AI "@AIcoreEngine"
#define VEC "@VectorEngine"
#define HCCL "@DNN_HCCL"

static struct sd_arena mem;

struct row {
	const char *shows, *graph, *streams; /* of the paths in order, one digit each */
	int64_t span;
};

/* Overheads are 0 but for the way of an event, 100 + 20 + 3 ns. */
static int64_t span_of(const struct row *row)
{
	struct sd_request *request = request_of(&mem, row->graph);
	struct sd_overlap overlap;
	struct sd_job *job;
	uint32_t streams = 0;

	set_words(&mem, request, "mode=WeightedLoadBalance:4");
	request->device.model.launch_gap_ns = 0;
	request->device.model.record_ns = 100;
	request->device.model.wait_ns = 20;
	request->device.model.event_latency_ns = 3;
	job = job_behind(&mem, request, SD_MULTI, "cover_paths");
	ck_assert_int_eq(sd_overlap_open(&overlap, job), SD_OK);
	ck_assert_uint_eq(job->paths->count, strlen(row->streams));
	for (uint32_t p = 0; p < job->paths->count; p++) {
		uint32_t stream = (uint32_t)(row->streams[p] - '0');

		streams = stream >= streams ? stream + 1 : streams;
		/* Taking a path back leaves nothing behind. */
		sd_overlap_put(&overlap, p, 3);
		sd_overlap_take(&overlap, p, 3);
		sd_overlap_put(&overlap, p, stream);
	}
	ck_assert_int_eq(sd_overlap_span(&overlap, streams), sd_overlap_span(&overlap, streams));
	ck_assert_uint_gt(sd_overlap_cost(&overlap, streams), job->paths->dag.count);
	return sd_overlap_span(&overlap, streams);
}

START_TEST(spans)
{
	static const struct row rows[] = {
		{ "one after the other", "a Op" AI " ns=10000; b Op" AI " ns=5000", "00", 15000 },
		{ "two that fill the device", "a Op" AI " ns=10000; b Op" AI " ns=10000", "01", 20000 },
		{ "two that fill half of it each", "a Op" AI " ns=10000 cube=12; b Op" AI " ns=10000 cube=12", "01", 10000 },
		{ "a little more than half", "a Op" AI " ns=10000 cube=13; b Op" AI " ns=10000 cube=12", "01", 20000 },
		{ "more cores than there are", "a Op" AI " ns=10000 cube=1000; b Op" AI " ns=10000 cube=1", "01", 20000 },
		{ "cube beside vector", "a Op" AI " ns=10000; b Op" VEC " ns=8000", "01", 10000 },
		{ "vector by attribute", "a Op" AI " ns=10000; b Op" AI " ns=8000 _cube_vector_core_type=AIV", "01", 10000 },
		{ "two collectives never", "a Hcom" HCCL " ns=10000; b Hcom" HCCL " ns=10000", "01", 20000 },
		{ "a collective beside compute", "a Hcom" HCCL " ns=10000; b Op" AI " ns=10000", "01", 10000 },
		{ "an event is a way to go", "a Op" AI " ns=1000; b Op" VEC " a ns=1000; c Op" AI " a ns=5000", "00", 7000 },
		{ "and costs what the device says", "a Op" AI " ns=1000; b Op" AI " a ns=5000; c Op" VEC " a ns=7000", "01", 8123 },
		{ "the longest way first", "a Op" AI " ns=1000 cube=24; b Op" AI " ns=2000 cube=24; c Op" VEC " b ns=9000", "01", 11000 },
		{ "nothing", "x Const@DNN_VM_GE_LOCAL", "", 0 },
		{ "longer than any device runs", "a Op" AI " ns=9223372036854775807; b Op" AI " ns=9223372036854775807", "00", 200000000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t span = rows[i].streams[0] ? span_of(&rows[i]) : rows[i].span;

		ck_assert_msg(span == rows[i].span, "%s: %lld", rows[i].shows, (long long)span);
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("overlap", spans)
