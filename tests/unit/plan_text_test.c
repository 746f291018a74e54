/* plan_text_test - plans for people: the text form and the Graphviz form. */
#include "formats_world.h"

#include "formats/plan_dot.h"
#include "formats/plan_summary.h"
#include "formats/plan_text.h"
#include "planned.h"

static const struct sd_identity identity = { .planner = "0.1.0+x" };
static struct sd_emitter out;

static struct planned labelled(void)
{
	struct planned planned =
		plan_of(&mem, request_of(&mem, "x Data; a Relu x _stream_label=s; b Relu a _stream_label=t; out NetOutput b _stream_label=t"));

	ck_assert_ptr_nonnull(planned.plan);
	return planned;
}

static const char *text_form(const struct planned *planned)
{
	struct sd_diag diag = { 0 };
	struct written written;

	sd_emit_start(&out, written_open(&written));
	ck_assert_int_eq(sd_plan_write_text(&mem, &out, planned->plan, &identity, &planned->request->graph, &diag), SD_OK);
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

static const char *dot_form(const struct planned *planned)
{
	struct sd_diag diag = { 0 };
	struct written written;

	sd_emit_start(&out, written_open(&written));
	ck_assert_int_eq(sd_plan_write_dot(&mem, &out, planned->plan, &planned->request->graph, &diag), SD_OK);
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

START_TEST(text_shows_counts_streams_and_partners)
{
	struct planned planned = labelled();
	const char *text = text_form(&planned);

	ck_assert_ptr_nonnull(strstr(text, "4 nodes, 3 launched, mode static, planner 0.1.0+x\n"));
	ck_assert_ptr_nonnull(strstr(text, "2 streams (2 logical, 0 attached), 1 events, 0 notifies, 1 syncs, 0 activations\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nstream 0  logical 0  2 tasks  label s\n  launch  a\n  record  event 0  -> stream 1, b  (data)\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nstream 1  logical 1  4 tasks  label t\n  wait    event 0  <- stream 0, a  (data)\n  launch  b\n  launch  out\n"));
}
END_TEST

START_TEST(names_cannot_break_a_line)
{
	struct planned planned = labelled();
	struct sd_text names[] = { SD_TEXT("x"), SD_TEXT("a\nstream 9"), SD_TEXT("b"), SD_TEXT("out") };

	planned.request->graph.name = names;
	ck_assert_ptr_nonnull(strstr(text_form(&planned), "launch  a\\x0astream 9\n"));
}
END_TEST

START_TEST(an_id_that_is_used_twice_names_no_partner)
{
	struct planned planned = labelled();
	struct sd_plan plan = *planned.plan;
	struct sd_sync syncs[2] = { plan.sync[0], plan.sync[0] };

	plan.sync = syncs;
	plan.sync_count = 2;
	planned.plan = &plan;
	ck_assert_ptr_nonnull(strstr(text_form(&planned), "  record  event 0\n"));
}
END_TEST

START_TEST(warnings_stand_at_the_end)
{
	struct planned planned = labelled();
	struct sd_diag warning = { .code = SD_CODE_GROUP_TOO_LARGE, .node = 1 };
	struct sd_plan plan = *planned.plan;

	plan.diagnostic = &warning;
	plan.diagnostic_count = 1;
	planned.plan = &plan;
	ck_assert_ptr_nonnull(strstr(text_form(&planned), "\nwarning SD3002: the nodes of 'a'"));
}
END_TEST

START_TEST(dot_has_a_cluster_for_each_stream)
{
	struct planned planned = labelled();
	const char *text = dot_form(&planned);

	ck_assert_ptr_nonnull(strstr(text, "  subgraph cluster_0 {\n    label=\"stream 0: s\\nlogical 0, 1 launches, 1 records and waits\";\n"));
	ck_assert_ptr_nonnull(strstr(text, "    s1 -> s1n2 -> s1n3;\n"));
	ck_assert_ptr_nonnull(strstr(text, "  s0n1 -> s1n2 [style=dashed, label=\"event 0\", tooltip=\"data\"];\n"));
	ck_assert_str_eq(text + strlen(text) - 2, "}\n");
}
END_TEST

START_TEST(dot_escapes_names)
{
	struct planned planned = labelled();
	struct sd_text names[] = { SD_TEXT("x"), SD_TEXT("a\"];\\\n"), SD_TEXT("b"), SD_TEXT("out") };

	planned.request->graph.name = names;
	ck_assert_ptr_nonnull(strstr(dot_form(&planned), "s0n1 [label=\"a\\\"];\\\\\\\\x0a\"];"));
}
END_TEST

/* ---- attached streams, notifies, starts ---- */

static struct planned planned_json(const char *json)
{
	struct planned planned = plan_of(&mem, request_from(json));

	ck_assert_msg(planned.plan != NULL, "%s", say(&planned.diag));
	return planned;
}

#define ASKS_TWO "\"_attached_stream_info_list\": [{\"_attached_resource_name\": \"a\", \"_attached_resource_required_flag\": true}, " \
                 "{\"_attached_resource_name\": \"b\", \"_attached_resource_required_flag\": true}]"

/* One behind the other on one stream, all with the same two attached streams; all but the first take two to follow. */
static const char *chain_of(int count)
{
	char *json = sd_arena_alloc(&mem, 1 << 20), *at = json;

	at += sprintf(at, "{\"graph\": {\"nodes\": [{\"name\": \"m0\", \"op_type\": \"Mc2\", \"task_count\": 3, \"attrs\": {" ASKS_TWO "}}");
	for (int i = 1; i < count; i++)
		at += sprintf(at, ", {\"name\": \"m%d\", \"op_type\": \"Mc2\", \"inputs\": [\"m%d\"], \"task_count\": 3, \"attrs\": {\"used_stream_num\": 2, " ASKS_TWO "}}", i, i - 1);
	sprintf(at, ", {\"name\": \"o\", \"op_type\": \"NetOutput\", \"engine\": \"AIcoreEngine\", \"inputs\": [\"m%d\"]}]}}", count - 1);
	return json;
}

/* As Graph Engine tells it, to the letter. */
START_TEST(the_summary_is_one_line_a_logical_stream)
{
	struct planned planned = planned_json(chain_of(346));
	const char *text = text_form(&planned), *summary = strstr(text, "\nsummary\n");

	ck_assert_uint_eq(planned.plan->stream_count, 6);
	ck_assert_ptr_nonnull(summary);
	ck_assert_ptr_nonnull(strstr(summary, "  logic_stream_id: 0, user_stream_label: , is_assigned_by_user_stream_pass: false, attached_stream_ids: 1 2 , "
	                                      "physical_model_stream_num: 2, hccl_followed_stream_num: 4.\n    nodes: m0, m1, m2,"));
	for (int s = 1; s <= 2; s++) {
		char line[200];

		sprintf(line, "  logic_stream_id: %d, user_stream_label: , is_assigned_by_user_stream_pass: false, attached_stream_ids: , "
		              "physical_model_stream_num: 2, hccl_followed_stream_num: 0.\n    nodes: m0, m1, m2,", s);
		ck_assert_ptr_nonnull(strstr(summary, line));
	}
	ck_assert_ptr_nonnull(strstr(summary, ",\n           m"));
	ck_assert_ptr_nonnull(strstr(summary, "m345, o\n"));
}
END_TEST

START_TEST(the_summary_lists_every_node_once_a_stream)
{
	struct planned planned = planned_json("{\"graph\": {\"nodes\": [{\"name\": \"x\", \"op_type\": \"Data\"},"
		"{\"name\": \"a\", \"op_type\": \"Relu\", \"inputs\": [\"x\"], \"attrs\": {\"_user_stream_label\": \"u\\n\", " ASKS_TWO "}},"
		"{\"name\": \"o\", \"op_type\": \"NetOutput\", \"inputs\": [\"a\"]}]}}");
	struct sd_summary_nodes nodes;

	ck_assert(sd_summary_nodes(&mem, planned.plan, &planned.request->graph, &nodes));
	ck_assert_uint_eq(planned.plan->logical_stream_count, 4);
	for (uint32_t s = 0; s < 4; s++)
		ck_assert_uint_eq(nodes.first[s + 1] - nodes.first[s], planned.plan->summary[s].node_count);
	ck_assert_uint_eq(nodes.node[0], 1);
	ck_assert_uint_eq(nodes.node[nodes.first[1]], 2);
	ck_assert_uint_eq(nodes.node[nodes.first[2]], 1);
	ck_assert_ptr_nonnull(strstr(text_form(&planned), "user_stream_label: u\\x0a, "));
}
END_TEST

#define LANES "a Relu _stream_label=s; b Relu a _stream_label=t; out NetOutput a b _stream_label=s"

START_TEST(dot_draws_notifies)
{
	struct sd_request *request = request_of(&mem, LANES);
	struct planned planned;

	request->options.event = SD_NOTIFY;
	planned = plan_of(&mem, request);
	ck_assert_ptr_nonnull(strstr(dot_form(&planned), "  s0n0 -> s1n1 [style=dashed, label=\"notify 0\", tooltip=\"data\"];\n"
	                                                 "  s1n1 -> s0n2 [style=dashed, label=\"notify 1\", tooltip=\"data\"];\n"));
}
END_TEST

START_TEST(dot_draws_each_pair_of_a_number)
{
	struct planned planned = plan_of(&mem, request_of(&mem, LANES));
	struct sd_plan plan = *planned.plan;
	struct sd_sync syncs[2] = { plan.sync[0], plan.sync[1] };

	syncs[1].id = 0;
	plan.sync = syncs;
	planned.plan = &plan;
	ck_assert_ptr_nonnull(strstr(dot_form(&planned), "  s0n0 -> s1n1 [style=dashed, label=\"event 0\", tooltip=\"data\"];\n"
	                                                 "  s1n1 -> s0n2 [style=dashed, label=\"event 0\", tooltip=\"data\"];\n"));
}
END_TEST

START_TEST(dot_draws_attached_streams_and_what_nodes_hold)
{
	struct planned planned = planned_json("{\"graph\": {\"nodes\": [{\"name\": \"a\", \"op_type\": \"Relu\", \"attrs\": {" ASKS_TWO ","
		"\"_attached_sync_res_info_list\": [{\"_attached_resource_name\": \"e\", \"_attached_resource_type\": 0, \"_attached_resource_required_flag\": true},"
		"{\"_attached_resource_name\": \"n\", \"_attached_resource_type\": 1, \"_attached_resource_required_flag\": true}]}},"
		"{\"name\": \"o\", \"op_type\": \"NetOutput\", \"engine\": \"AIcoreEngine\", \"inputs\": [\"a\"]}]}}");
	const char *text = dot_form(&planned);

	ck_assert_ptr_nonnull(strstr(text, "label=\"stream 2\\nlogical 2, 1 launches, 1 records and waits, attached\""));
	ck_assert_ptr_nonnull(strstr(text, "    s0n0 [label=\"a\\nholds event 2\\nholds notify 0\"];\n"));
	ck_assert_ptr_nonnull(strstr(text, "    s1n0 [label=\"a\", style=dashed];\n"));
	ck_assert_ptr_nonnull(strstr(text, "  s1n0 -> s0n1 [style=dashed, label=\"event 0\", tooltip=\"cover\"];\n"));
	ck_assert_ptr_nonnull(strstr(text_form(&planned), "  launch  a  holds event 2  holds notify 0\n"));
}
END_TEST

/* The StreamSwitch goes on in the StreamActive behind it: from there others are told, and streams start. */
START_TEST(dot_draws_what_starts_what)
{
	struct planned planned = plan_of(&mem, request_of(&mem,
		"a Relu; s StreamSwitch a _stream_label=own _active_label_list=[x,y]; b Relu ^s _stream_label=x; c Relu ^s _stream_label=y; e Relu ^s"));
	const char *text = dot_form(&planned);

	ck_assert_ptr_nonnull(planned.plan);
	ck_assert_ptr_nonnull(strstr(text, "[label=\"s_StreamActive_0\"];\n"));
	ck_assert_ptr_nonnull(strstr(text, ", starts when activated\";\n    color=blue;\n"));
	ck_assert_ptr_nonnull(strstr(text, "  s4n5 -> s3n4 [style=dashed, label=\"event 1\", tooltip=\"control\"];\n"));
	ck_assert_ptr_nonnull(strstr(text, "  s0n1 -> s4 [style=dotted, color=blue, label=\"activate\"];\n"));
	ck_assert_ptr_nonnull(strstr(text, "  s4n5 -> s1 [style=dotted, color=blue, label=\"activate\"];\n"));
}
END_TEST

START_TEST(dot_takes_any_name_of_a_graph)
{
	static const char *const rows[][2] = {
		{ "g_Send_0", "digraph \"g_Send_0\" {\n" }, { "_Send__Recv_Notify_", "digraph \"_Send__Recv_Notify_\" {\n" },
		{ "a\"b\\c", "digraph \"a\\\"b\\\\c\" {\n" }, { "", "digraph \"\" {\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct planned planned = labelled();
		struct sd_subgraph root = planned.request->graph.graph[SD_ROOT];

		root.name = text_of(rows[i][0]);
		planned.request->graph.graph = &root;
		ck_assert_int_eq(strncmp(dot_form(&planned), rows[i][1], strlen(rows[i][1])), 0);
	}
}
END_TEST

RUN_TESTS("plan_text", text_shows_counts_streams_and_partners, names_cannot_break_a_line, an_id_that_is_used_twice_names_no_partner,
          warnings_stand_at_the_end, dot_has_a_cluster_for_each_stream, dot_escapes_names, the_summary_is_one_line_a_logical_stream,
          the_summary_lists_every_node_once_a_stream, dot_draws_notifies, dot_draws_each_pair_of_a_number,
          dot_draws_attached_streams_and_what_nodes_hold, dot_draws_what_starts_what, dot_takes_any_name_of_a_graph)
