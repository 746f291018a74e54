/* plan_text_test - plans for people: the text form and the Graphviz form. */
#include "formats_world.h"

#include "formats/plan_dot.h"
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

	ck_assert_ptr_nonnull(strstr(text, "  subgraph cluster_0 {\n    label=\"stream 0: s\";\n"));
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

RUN_TESTS("plan_text", text_shows_counts_streams_and_partners, names_cannot_break_a_line, an_id_that_is_used_twice_names_no_partner,
          warnings_stand_at_the_end, dot_has_a_cluster_for_each_stream, dot_escapes_names)
