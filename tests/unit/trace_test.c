/* trace_test - the trace-event format: metadata, slices with facts, arrows that lie in their slices. */
#include "formats_world.h"

#include "formats/trace.h"

static struct sd_emitter out;
static struct written written;
static struct sd_trace trace;

static void start(void)
{
	sd_emit_start(&out, written_open(&written));
	sd_trace_start(&trace, &out);
}

static const char *finish(void)
{
	sd_trace_finish(&trace);
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

START_TEST(nothing_is_an_object_too)
{
	start();
	ck_assert_str_eq(finish(), "{\"displayTimeUnit\": \"ns\", \"traceEvents\": []}");
}
END_TEST

START_TEST(processes_and_lanes_have_names_and_an_order)
{
	start();
	sd_trace_process(&trace, 1, "plan");
	sd_trace_lane(&trace, 1, 7, "stream 7");
	ck_assert_str_eq(finish(),
	                 "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
	                 "  {\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"plan\"}},\n"
	                 "  {\"ph\": \"M\", \"pid\": 1, \"tid\": 7, \"name\": \"thread_name\", \"args\": {\"name\": \"stream 7\"}},\n"
	                 "  {\"ph\": \"M\", \"pid\": 1, \"tid\": 7, \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": 7}}]}");
}
END_TEST

START_TEST(slices_are_in_microseconds_and_carry_facts)
{
	const struct sd_trace_fact fact[] = { { .key = "type", .text = SD_TEXT("MatMul") }, { .key = "run", .number = 2 } };

	start();
	sd_trace_slice(&trace, &(struct sd_trace_slice){ .process = 1, .lane = 2, .name = SD_TEXT("a\"b"), .category = "task", .began_ns = 1500,
	                                                 .ended_ns = 3001, .fact = fact, .fact_count = 2 });
	ck_assert_str_eq(finish(), "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
	                           "  {\"ph\": \"X\", \"pid\": 1, \"tid\": 2, \"name\": \"a\\\"b\", \"cat\": \"task\", \"ts\": 1.5, \"dur\": 1.501, "
	                           "\"args\": {\"type\": \"MatMul\", \"run\": 2}}]}");
}
END_TEST

START_TEST(an_arrow_begins_within_its_slice)
{
	struct sd_trace_arrow arrow = { .process = 1, .name = "event 0", .category = "sync", .from_lane = 0, .to_lane = 1, .from_began_ns = 0,
	                                .from_ended_ns = 2000, .to_ns = 4000 };

	start();
	sd_trace_arrow(&trace, &arrow);
	arrow.from_began_ns = 2000; /* a slice without length */
	sd_trace_arrow(&trace, &arrow);
	ck_assert_str_eq(finish(),
	                 "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
	                 "  {\"ph\": \"s\", \"pid\": 1, \"tid\": 0, \"name\": \"event 0\", \"cat\": \"sync\", \"id\": 1, \"ts\": 1.999},\n"
	                 "  {\"ph\": \"f\", \"pid\": 1, \"tid\": 1, \"name\": \"event 0\", \"cat\": \"sync\", \"id\": 1, \"ts\": 4.0, \"bp\": \"e\"},\n"
	                 "  {\"ph\": \"s\", \"pid\": 1, \"tid\": 0, \"name\": \"event 0\", \"cat\": \"sync\", \"id\": 2, \"ts\": 2.0},\n"
	                 "  {\"ph\": \"f\", \"pid\": 1, \"tid\": 1, \"name\": \"event 0\", \"cat\": \"sync\", \"id\": 2, \"ts\": 4.0, \"bp\": \"e\"}]}");
}
END_TEST

RUN_TESTS("trace", nothing_is_an_object_too, processes_and_lanes_have_names_and_an_order, slices_are_in_microseconds_and_carry_facts,
          an_arrow_begins_within_its_slice)
