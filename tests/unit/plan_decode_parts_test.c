/* plan_decode_parts_test - every index of a plan's messages is held to its table. */
#include "lib/wire_text.h"
#include "proto/plan_codec.h"
#include "run_tests.h"

/* Two nodes, two streams, two logical streams, two events, one notify, one activation, two graphs. */
#define HASH "0123456789abcdef0123456789abcdef"
#define HEAD "1=1 2\"" HASH "\" 3\"" HASH "\" 6=2 7=2 9=2 10=2 11=1 12=0 "
#define STREAMS "13{9{2=0} 9{2=1}} 13{9{3=0}} "
#define NODES "14{} 14{} "
#define ACTIVATION "16{1=0} "

static struct sd_arena mem;
static struct sd_plan plan;

static enum sd_status decode(const char *text, char message[SD_MESSAGE_MAX])
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	enum sd_status status;

	sd_arena_finish(&mem);
	status = sd_plan_decode(&mem, wire_text(&mem, text), 2, 2, &plan, NULL, &diag);
	sd_diag_message(&diag, NULL, message, SD_MESSAGE_MAX);
	return status;
}

START_TEST(greatest_indices_are_taken)
{
	static const char *const rows[] = {
		HEAD NODES ACTIVATION "13{1=1 2=2 9{1=1} 9{2=1} 9{3=1} 9{4=0} 9{5=0} 9{6=0 7=1 8=1}} 13{3=7 4=4294967295 8=9}",
		HEAD STREAMS ACTIVATION "14{1=2 2=2 3[2 1] 4[2 0] 5[0 1] 6[0] 7=5 8=6 9=1} 14{1=1 2=1}",
		HEAD STREAMS NODES ACTIVATION "15{1=1 2=0 3=1 4=1 5=1 6=1 7=8} 15{1=0 2=1}",
		HEAD STREAMS NODES "16{1=1 2[0 1] 2=1}",
		HEAD STREAMS NODES ACTIVATION "17{1=1 2=2 3=1 4[0 1] 5=4294967295 6=1 7=2}",
		HEAD STREAMS NODES ACTIVATION "18{1\"SD3001\" 2=2 3{1=1 2=-5} 3{1=2 2=1} 3{1=3 2=1}} 18{1\"SD3002\" 3{1=6 2=77}}",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char message[SD_MESSAGE_MAX];

		ck_assert_msg(decode(rows[i], message) == SD_OK, "row %zu: %s", i, message);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_is_read_stands_in_its_place)
{
	char message[SD_MESSAGE_MAX];

	ck_assert_msg(decode(HEAD ACTIVATION "13{1=1 2=2 3=7 4=5 5=1 6=0 7=1 8=9 9{6=0 7=1 8=1} 9{1=1}} 13{}"
	                     "14{1=2 2=0 4[0] 3[2] 9=1} 14{1=1 2=1}", message) == SD_OK, "%s", message);
	ck_assert(plan.stream[0].logical_id == 1 && plan.stream[0].label_node == 1 && plan.stream[0].priority == -4);
	ck_assert(plan.stream[0].flags == 5 && plan.stream[0].attached && !plan.stream[0].huge && plan.stream[0].initially_active);
	ck_assert(plan.stream[0].task_count == 9 && plan.stream[0].command_count == 2 && plan.stream[1].first_command == 2);
	ck_assert(plan.stream[1].label_node == SD_NO_NODE);
	ck_assert(plan.command[0].kind == SD_ACTIVATE && plan.command[0].attached == 1 && plan.command[0].in == 1);
	ck_assert(plan.command[1].kind == SD_LAUNCH && plan.command[1].arg == 1);
	ck_assert(plan.node[0].logical_stream == 1 && plan.node[0].stream == 0 && plan.node[0].host_wait);
	ck_assert(plan.attached_stream[0] == 0 && plan.attached_logical[0] == 1 && plan.node[0].attached_count == 1);
	ck_assert(plan.node[1].logical_stream == -1 && plan.node[1].stream == -1);
	ck_assert(decode(HEAD STREAMS "14{1=2 2=1 4[0] 3[2]} 14{1=1 2=1}", message) != SD_OK);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(an_argument_that_is_none_has_no_number)
{
	char message[SD_MESSAGE_MAX];

	ck_assert_msg(decode(HEAD STREAMS NODES ACTIVATION "18{1\"SD3001\" 3{2=5}}", message) == SD_OK, "%s", message);
	ck_assert_int_eq(plan.diagnostic[0].arg[0].kind, SD_ARG_NONE);
	ck_assert_int_eq(plan.diagnostic[0].arg[0].number, 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_does_not_exist_is_refused)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ NODES ACTIVATION STREAMS "15{1=2}", "a sync has a number" },
		{ NODES ACTIVATION STREAMS "15{1=1 2=1}", "a sync has a number" },
		{ NODES ACTIVATION STREAMS "15{2=2}", "a sync is of no known kind" },
		{ NODES ACTIVATION STREAMS "15{3=2}", "recorded by no node" },
		{ NODES ACTIVATION STREAMS "15{4=2}", "recorded on no stream" },
		{ NODES ACTIVATION STREAMS "15{5=2}", "waited for by no node" },
		{ NODES ACTIVATION STREAMS "15{6=2}", "waited for on no stream" },
		{ NODES ACTIVATION STREAMS "15{7=9}", "no known cause" },
		{ NODES ACTIVATION STREAMS "15{3=-1}", "recorded by no node" },
		{ NODES STREAMS "16{1=2}", "belongs to no node" },
		{ NODES STREAMS "16{2=2}", "starts a stream" },
		{ NODES STREAMS "16{2[0 4294967296]}", "starts a stream" },
		{ NODES STREAMS "17{1=2}", "of no logical stream" },
		{ NODES STREAMS "17{2=3}", "that of no node" },
		{ NODES STREAMS "17{4=2}", "attached stream" },
		{ NODES STREAMS "17{5=4294967296}", "32 bits" },
		{ NODES STREAMS "17{6=-1}", "32 bits" },
		{ NODES STREAMS "17{7=-1}", "32 bits" },
		{ NODES STREAMS "18{2=1}", "code" },
		{ NODES STREAMS "18{1\"SD9999\"}", "code" },
		{ NODES STREAMS "18{1\"SD3001\" 2=3}", "about no node" },
		{ NODES STREAMS "18{1\"SD3001\" 3{1=4}}", "holds text" },
		{ NODES STREAMS "18{1\"SD3001\" 3{1=5}}", "holds text" },
		{ NODES STREAMS "18{1\"SD3001\" 3{1=7}}", "no known kind" },
		{ NODES STREAMS "18{1\"SD3001\" 3{1=2 2=2}}", "names no node" },
		{ NODES STREAMS "18{1\"SD3001\" 3{1=3 2=-1}}", "names no node" },
		{ NODES STREAMS "18{1\"SD3001\" 3{} 3{} 3{} 3{}}", "too many arguments" },
		{ "14{1=4} 14{}" STREAMS, "logical stream does not exist" },
		{ "14{1=3} 14{}" STREAMS, "logical stream does not exist" },
		{ "14{2=4} 14{}" STREAMS, "a node's stream does not exist" },
		{ "14{2=3} 14{}" STREAMS, "a node's stream does not exist" },
		{ "14{3=4 4=0} 14{}" STREAMS, "attached logical stream" },
		{ "14{3=0 4=4} 14{}" STREAMS, "attached stream does" },
		{ "14{3[0 0] 4=0} 14{}" STREAMS, "as many attached" },
		{ "14{3=0} 14{4=0}" STREAMS, "as many attached" },
		{ "14{5=2} 14{}" STREAMS, "attached event" },
		{ "14{6=1} 14{}" STREAMS, "attached notify" },
		{ "14{7=-1} 14{}" STREAMS, "cube cores" },
		{ "14{8=2147483648} 14{}" STREAMS, "vector cores" },
		{ NODES "13{1=2 9{2=0} 9{2=1}} 13{}", "logical id" },
		{ NODES "13{2=3 9{2=0} 9{2=1}} 13{}", "label" },
		{ NODES "13{3=4294967296 9{2=0} 9{2=1}} 13{}", "priority" },
		{ NODES "13{4=4294967296 9{2=0} 9{2=1}} 13{}", "flags" },
		{ NODES "13{8=-1 9{2=0} 9{2=1}} 13{}", "task count" },
		{ NODES "13{9{} 9{2=0}} 13{}", "not exactly one thing" },
		{ NODES "13{9{2=0 3=0} 9{2=0}} 13{}", "not exactly one thing" },
		{ NODES "13{9{1=2} 9{2=0}} 13{}", "names what does not exist" },
		{ NODES "13{9{2=2} 9{2=0}} 13{}", "names what does not exist" },
		{ NODES "13{9{3=2} 9{2=0}} 13{}", "names what does not exist" },
		{ NODES "13{9{4=1} 9{2=0}} 13{}", "names what does not exist" },
		{ NODES "13{9{5=1} 9{2=0}} 13{}", "names what does not exist" },
		{ NODES "13{9{6=0} 9{2=0}} 13{}", "names what does not exist" },
		{ NODES "13{9{2=0 8=2} 9{2=0}} 13{}", "no graph" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[1024], message[SD_MESSAGE_MAX];

		snprintf(text, sizeof(text), "%s%s", HEAD, rows[i].text);
		ck_assert_msg(decode(text, message) == SD_INVALID_ARGUMENT, "%s is taken", rows[i].text);
		ck_assert_msg(strstr(message, rows[i].says) != NULL, "%s: %s", rows[i].text, message);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("plan_decode_parts", greatest_indices_are_taken, what_is_read_stands_in_its_place,
          an_argument_that_is_none_has_no_number, what_does_not_exist_is_refused)
