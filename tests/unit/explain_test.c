/* explain_test - explanations as JSON and back, and as text for people. */
#include "formats_world.h"

#include "formats/explain.h"
#include "formats/plan_json.h"
#include "formats/plan_names.h"
#include "stories.h"
#include "streamd/verify.h"

static const struct sd_identity identity = { .planner = "p" };
static struct sd_emitter out;

static struct planned fork_plan(void)
{
	return explained_plan_of(&mem, request_of(&mem, "x Data; a Relu x _stream_label=s; b Relu x; c Add a b"));
}

static struct sd_explained explained(const struct planned *planned)
{
	struct sd_explained e = { planned->plan, &planned->request->graph, NULL };

	ck_assert_ptr_nonnull(planned->plan);
	e.name = sd_plan_names(&mem, e.graph, e.plan);
	return e;
}

static const char *text_about(const struct planned *planned, uint32_t node)
{
	struct sd_explained e = explained(planned);
	struct sd_diag diag = { 0 };
	struct written written;

	sd_emit_start(&out, written_open(&written));
	ck_assert_int_eq(sd_explained_write_text(&mem, &out, &e, node, &diag), SD_OK);
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

static const char *plan_json(const struct planned *planned)
{
	struct sd_diag diag = { 0 };
	struct written written;

	sd_emit_start(&out, written_open(&written));
	ck_assert_int_eq(sd_plan_write_json(&mem, &out, planned->plan, &identity, &planned->request->graph, &diag), SD_OK);
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

static bool reads(const struct planned *planned, const char *json, struct sd_plan *plan)
{
	struct sd_diag diag = { 0 };

	if (sd_plan_read_json(&mem, text_of(json), &planned->request->graph, plan, &diag) == SD_OK)
		return true;
	say(&diag);
	return false;
}

START_TEST(a_node_has_a_story)
{
	struct planned planned = fork_plan();

	ck_assert_str_eq(text_about(&planned, node_named(&planned.request->graph, "c")),
		"'c': logical stream 1, runs on stream 1\n"
		"  place_engines            runs on 'AIcoreEngine', as no engine claims operators of its type\n"
		"  cluster                  is one of 2 nodes of its engine that are placed together, from 'b' on\n"
		"  by_dependency            stream none -> 1: cannot follow 'a', which has a stream label, so takes the next stream of its engine\n"
		"  reduce_orders            needs no sync with 'b', which runs before it on the same stream\n"
		"  reduce_orders            waits for 'a', whose output it reads (event 0)\n");
	ck_assert_ptr_nonnull(strstr(text_about(&planned, node_named(&planned.request->graph, "a")),
		"  reduce_orders            lets 'c' go on, which waits for 'a', whose output it reads\n"));
}
END_TEST

START_TEST(all_stories_stand_one_after_the_other)
{
	struct planned planned = fork_plan();
	const char *text = text_about(&planned, SD_NO_NODE), *at = text;

	for (const char *name = "xabc"; *name; name++) {
		char head[8];

		snprintf(head, sizeof(head), "%s'%c': ", name[0] == 'x' ? "" : "\n\n", *name);
		at = strstr(at, head);
		ck_assert_msg(at != NULL, "%s", head);
	}
	ck_assert_ptr_nonnull(strstr(text, "'x': no logical stream, not launched\n"));
}
END_TEST

START_TEST(json_of_one_node_holds_what_concerns_it)
{
	struct planned planned = fork_plan();
	struct sd_explained e = explained(&planned);
	struct written written;
	const char *json;

	sd_emit_start(&out, written_open(&written));
	sd_explained_write_json(&out, &e, node_named(&planned.request->graph, "a"));
	ck_assert(sd_emit_finish(&out));
	json = written_close(&written);
	ck_assert_ptr_nonnull(strstr(json, "{\"node\": \"a\", \"pass\": \"by_label\", \"reason\": \"label\", \"from_stream\": -1, \"to_stream\": 0, "
	                                   "\"other\": \"\", \"through\": \"\", \"number\": 0, \"message\": \"carries the stream label 's', whose nodes share a stream\"}"));
	ck_assert_ptr_nonnull(strstr(json, "{\"node\": \"c\", \"pass\": \"reduce_orders\", \"reason\": \"sync_data\""));
	ck_assert_ptr_null(strstr(json, "\"node\": \"b\""));
	ck_assert_ptr_null(strstr(json, "same_stream"));
}
END_TEST

START_TEST(explanations_read_back)
{
	struct planned planned = fork_plan(), again = planned;
	const char *json = plan_json(&planned);
	struct sd_verdict verdict;
	struct sd_plan plan;

	ck_assert_msg(reads(&planned, json, &plan), "%s", said);
	ck_assert(plan.explained && plan.explanation_count == planned.plan->explanation_count);
	again.plan = &plan;
	ck_assert_int_eq(strcmp(strstr(plan_json(&again), "\"explanations\""), strstr(json, "\"explanations\"")), 0);
	ck_assert_int_eq(sd_verify(&mem, planned.request, &plan, NULL, NULL, &verdict), SD_OK);
	ck_assert_uint_eq(verdict.count, 0);
}
END_TEST

START_TEST(an_empty_list_is_one)
{
	struct planned planned = fork_plan(), again = planned;
	const char *json = plan_json(&planned);
	char *cut = sd_arena_alloc(&mem, strlen(json) + 8);
	struct sd_plan plan;

	snprintf(cut, strlen(json) + 8, "%.*s\"explanations\": []\n}", (int)(strstr(json, "\"explanations\"") - json), json);
	ck_assert_msg(reads(&planned, cut, &plan), "%s", said);
	again.plan = &plan;
	ck_assert_ptr_nonnull(strstr(plan_json(&again), "\"explanations\": []"));
}
END_TEST

START_TEST(what_is_no_explanation_is_refused_with_its_path)
{
	static const struct {
		const char *row, *message;
	} rows[] = {
		{ "{}", "explanations[0]: must have a node and a pass" },
		{ "{\"node\": \"a\"}", "explanations[0]: must have a node and a pass" },
		{ "{\"node\": \"q\"}", "explanations[0].node: names no node of the request" },
		{ "{\"pass\": 1}", "explanations[0].pass: must be a string, not an integer" },
		{ "{\"pass\": \"By Label\"}", "explanations[0].pass: is no name of a pass: up to 64 small letters, digits and _, and no more than 256 of them" },
		{ "{\"reason\": \"fate\"}", "explanations[0].reason: is none of the words that stand here, like moved" },
		{ "{\"node\": \"a\", \"pass\": \"p\", \"from_stream\": -2}", "explanations[0]: must have streams from -1 on" },
		{ "{\"othre\": \"a\"}", "explanations[0].othre: unknown key; did you mean other?" },
		{ "7", "explanations[0]: must be an object, not an integer" },
	};
	struct planned planned = fork_plan();
	const char *json = plan_json(&planned);
	char message[SD_MESSAGE_MAX];
	struct sd_plan plan;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = sd_arena_alloc(&mem, strlen(json) + 256);

		snprintf(text, strlen(json) + 256, "%.*s\"explanations\": [%s]}", (int)(strstr(json, "\"explanations\"") - json), json, rows[i].row);
		ck_assert(!reads(&planned, text, &plan));
		snprintf(message, sizeof(message), "SD4011: the plan cannot be read: %s", rows[i].message);
		ck_assert_str_eq(said, message);
	}
}
END_TEST

RUN_TESTS("explain", a_node_has_a_story, all_stories_stand_one_after_the_other, json_of_one_node_holds_what_concerns_it, explanations_read_back,
          an_empty_list_is_one, what_is_no_explanation_is_refused_with_its_path)
