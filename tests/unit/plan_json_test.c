/* plan_json_test - plans as JSON: the exact form, names put back, and reading it again. */
#include "formats_world.h"

#include <jansson.h>

#include "formats/plan_json.h"
#include "planned.h"
#include "streamd/verify.h"

static const struct sd_identity identity = { .graph_hash = { 0xab, 0x01 }, .plan_key = { 0xff }, .planner = "0.1.0+x" };

static struct planned two_streams(void)
{
	struct planned planned =
		plan_of(&mem, request_of(&mem, "x Data; a Relu x _stream_label=s; b Relu a _user_stream_label=u; out NetOutput b"));

	ck_assert_ptr_nonnull(planned.plan);
	return planned;
}

static const char *json_of(const struct planned *planned)
{
	static struct sd_emitter out;
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

/* The text with the first `from` replaced. */
static const char *changed(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	size_t before = (size_t)(at - text), cap = strlen(text) + strlen(to) + 1;
	char *copy = sd_arena_alloc(&mem, cap);

	ck_assert_msg(at != NULL, "%s is not in %s", from, text);
	snprintf(copy, cap, "%.*s%s%s", (int)before, text, to, at + strlen(from));
	return copy;
}

START_TEST(every_key_of_a_plan_is_printed)
{
	static const char *const keys[] = {
		"format", "graph_name", "graph_hash", "plan_key", "planner", "mode", "logical_stream_count", "main_stream_count",
		"attached_stream_count", "stream_count", "event_count", "notify_count", "notify_types", "streams", "nodes", "syncs",
		"activations", "summary", "diagnostics",
	};
	struct planned planned = two_streams();
	json_t *plan = json_loads(json_of(&planned), JSON_REJECT_DUPLICATES, NULL);

	ck_assert_ptr_nonnull(plan);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_msg(json_object_get(plan, keys[i]) != NULL, "%s is missing", keys[i]);
	ck_assert_uint_eq(json_object_size(plan), sizeof(keys) / sizeof(keys[0]));
	ck_assert_str_eq(json_string_value(json_object_get(plan, "planner")), "0.1.0+x");
	ck_assert_int_eq(strncmp(json_string_value(json_object_get(plan, "graph_hash")), "ab0100", 6), 0);
	ck_assert_uint_eq(json_string_length(json_object_get(plan, "plan_key")), 64);
	json_decref(plan);
}
END_TEST

START_TEST(the_rows_have_their_exact_form)
{
	struct planned planned = two_streams();
	const char *json = json_of(&planned);

	ck_assert_ptr_nonnull(strstr(json,
		"{\"id\": 0, \"logical_id\": 0, \"label\": \"s\", \"priority\": 0, \"flags\": 0, \"attached\": false, \"huge\": false, "
		"\"initially_active\": true, \"task_count\": 2, \"commands\": [\n      {\"launch\": \"a\"},\n      {\"record\": 0}]}"));
	ck_assert_ptr_nonnull(strstr(json,
		"{\"name\": \"x\", \"logical_stream\": -1, \"stream\": -1, \"attached_logical_streams\": [], \"attached_streams\": [], "
		"\"attached_events\": [], \"attached_notifies\": [], \"cube_cores\": 0, \"vector_cores\": 0, \"host_wait\": false}"));
	ck_assert_ptr_nonnull(strstr(json,
		"{\"id\": 0, \"kind\": \"event\", \"record_node\": \"a\", \"record_stream\": 0, \"wait_node\": \"b\", \"wait_stream\": 1, "
		"\"cause\": \"data\"}"));
	ck_assert_ptr_nonnull(strstr(json,
		"{\"logic_stream_id\": 1, \"user_stream_label\": \"u\", \"is_assigned_by_user_stream_pass\": false, "
		"\"attached_stream_ids\": [], \"physical_model_stream_num\": 1, \"hccl_followed_stream_num\": 0, \"node_count\": 1}"));
	ck_assert_ptr_nonnull(strstr(json, "\"activations\": [],"));
}
END_TEST

START_TEST(the_same_plan_gives_the_same_bytes)
{
	struct planned planned = two_streams();

	ck_assert_str_eq(json_of(&planned), json_of(&planned));
}
END_TEST

START_TEST(names_of_the_graph_are_escaped)
{
	struct planned planned = two_streams();
	struct sd_text names[] = { SD_TEXT("x"), SD_TEXT("a\"\n"), SD_TEXT("b"), SD_TEXT("out") };

	planned.request->graph.name = names;
	ck_assert_ptr_nonnull(strstr(json_of(&planned), "{\"launch\": \"a\\\"\\n\"}"));
}
END_TEST

/* One of everything that a plan may hold, right or not: the form alone counts. */
static struct planned odd_plan(void)
{
	static const uint32_t activated[] = { 1 }, notify_type[] = { 7 }, event[] = { 0 }, notify[] = { 0 };
	static const int32_t logical[] = { 1 }, stream[] = { 1 };
	static const struct sd_command commands[] = {
		{ .kind = SD_LAUNCH, .arg = 1 }, { .kind = SD_NOTIFY_RECORD }, { .kind = SD_ACTIVATE },
		{ .kind = SD_NOTIFY_WAIT, .in = 1 }, { .kind = SD_LAUNCH, .attached = 1, .arg = 1, .in = 1 },
	};
	static const struct sd_stream streams[] = {
		{ .label_node = SD_NO_NODE, .priority = -1, .flags = 4, .initially_active = true, .task_count = 3, .command_count = 3 },
		{ .logical_id = 1, .label_node = SD_NO_NODE, .attached = true, .huge = true, .first_command = 3, .command_count = 2 },
	};
	static const struct sd_sync syncs[] = { { .kind = SD_SYNC_NOTIFY, .record_node = 1, .wait_node = 1, .wait_stream = 1, .cause = SD_CAUSE_ATTACHED } };
	static const struct sd_activation activations[] = { { .node = 1, .count = 1 } };
	static const struct sd_summary summary[] = { { .label_node = SD_NO_NODE, .by_stream_pass = true, .attached_count = 1 } };
	static const struct sd_diag warning = { .code = SD_CODE_GROUP_TOO_LARGE, .node = 1 };
	static const struct sd_placement placements[] = {
		{ .logical_stream = SD_NO_STREAM, .stream = SD_NO_STREAM },
		{ .attached_count = 1, .event_count = 1, .notify_count = 1, .cube_cores = 2, .vector_cores = 3, .host_wait = true },
		{ .logical_stream = SD_NO_STREAM, .stream = SD_NO_STREAM },
	};
	static const struct sd_plan plan = {
		.mode = SD_MODE_DYNAMIC, .node_count = 3, .logical_stream_count = 2, .main_stream_count = 1, .attached_stream_count = 1,
		.stream_count = 2, .event_count = 1, .notify_count = 1, .sync_count = 1, .command_count = 5, .activation_count = 1,
		.activated_count = 1, .attached_count = 1, .attached_event_count = 1, .attached_notify_count = 1, .summary_count = 1,
		.summary_attached_count = 1, .diagnostic_count = 1, .stream = streams, .command = commands, .node = placements, .sync = syncs,
		.activation = activations, .activated = activated, .attached_logical = logical, .attached_stream = stream,
		.attached_event = event, .attached_notify = notify, .notify_type = notify_type, .summary = summary,
		.summary_attached = activated, .diagnostic = &warning,
	};

	return (struct planned){ .request = request_of(&mem, "x Data; a If x {then; [then]; o NetOutput"), .plan = &plan };
}

START_TEST(all_that_a_plan_may_hold_reads_back)
{
	struct planned planned = odd_plan(), again = planned;
	struct sd_plan plan;
	const char *json = json_of(&planned);

	ck_assert_ptr_nonnull(strstr(json, "{\"notify_wait\": 0, \"in\": \"then\"}"));
	ck_assert_ptr_nonnull(strstr(json, "{\"launch\": \"a\", \"attached\": true, \"in\": \"then\"}"));
	ck_assert_ptr_nonnull(strstr(json, "{\"activate\": [1]}"));
	ck_assert_ptr_nonnull(strstr(json, "{\"severity\": \"warning\", \"code\": \"SD3002\", \"node\": \"a\", \"message\": \"the nodes of 'a'"));
	ck_assert_msg(reads(&planned, json, &plan), "%s", said);
	plan.diagnostic = planned.plan->diagnostic;
	plan.diagnostic_count = 1;
	again.plan = &plan;
	ck_assert_str_eq(json_of(&again), json);
}
END_TEST

START_TEST(a_read_plan_is_proved_as_it_was_made)
{
	struct planned planned = two_streams();
	struct sd_verdict verdict;
	struct sd_plan plan;

	ck_assert(reads(&planned, json_of(&planned), &plan));
	ck_assert_int_eq(sd_verify(&mem, planned.request, &plan, NULL, NULL, &verdict), SD_OK);
	ck_assert_uint_eq(verdict.count, 0);
}
END_TEST

START_TEST(an_activation_that_no_row_tells_of_is_for_the_judge)
{
	struct planned planned = odd_plan();
	struct sd_plan plan;

	ck_assert(reads(&planned, changed(json_of(&planned), "{\"activate\": [1]}", "{\"activate\": [0, 1]}"), &plan));
	ck_assert_uint_eq(plan.activation_count, 2);
	ck_assert_uint_eq(plan.command[2].arg, 1);
	ck_assert_uint_eq(plan.activation[1].node, SD_NO_NODE);
	ck_assert_uint_eq(plan.activation[1].count, 2);
}
END_TEST

START_TEST(what_is_no_plan_is_refused_with_its_path)
{
	static const struct {
		const char *from, *to, *message;
	} rows[] = {
		{ "\"format\": 1", "\"format\": 2", "format: must be 1" },
		{ "\"wait_stream\"", "\"wait_steam\"", "syncs[0].wait_steam: unknown key; did you mean wait_stream?" },
		{ "\"wait_node\": \"a\"", "\"wait_node\": \"zz\"", "syncs[0].wait_node: names no node of the request" },
		{ "\"kind\": \"notify\"", "\"kind\": \"bell\"", "syncs[0].kind: is none of the words that stand here, like event" },
		{ "\"in\": \"then\"", "\"in\": \"else\"", "streams[1].commands[0].in: names no subgraph of the request" },
		{ "\"in\": \"then\"", "\"launch\": \"a\"", "streams[1].commands[0].notify_wait: a command is one thing only" },
		{ "{\"notify_record\": 0}", "{}", "streams[0].commands[1]: is no command" },
		{ "\"notify_record\": 0", "\"notify_record\": -1", "streams[0].commands[1].notify_record: must be from 0 to 4294967295" },
		{ "\"id\": 1", "\"id\": 2", "streams[1].id: must be the stream's place in the list, 1" },
		{ "\"stream_count\": 2", "\"stream_count\": 3", "stream_count: is 3, but streams lists 2" },
		{ "\"notify_types\": [7]", "\"notify_types\": []", "notify_count: is 1, but notify_types lists 0" },
		{ "\"attached_streams\": [1]", "\"attached_streams\": []",
		  "nodes[1]: attached_streams and attached_logical_streams must be of one length" },
		{ "{\"name\": \"o\"", "{\"name\": \"a\"", "nodes[2]: places a node for the second time" },
		{ "{\"name\": \"o\",", "{", "nodes[2]: has no name" },
		{ "\"attached\": true, \"in\"", "\"attached\": 1, \"in\"", "streams[1].commands[1].attached: must be true or false, not an integer" },
		{ "\"mode\": \"dynamic\"", "\"mode\": null", "mode: null is not allowed; leave the key out" },
	};
	struct planned planned = odd_plan();
	char message[SD_MESSAGE_MAX];
	struct sd_plan plan;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert(!reads(&planned, changed(json_of(&planned), rows[i].from, rows[i].to), &plan));
		snprintf(message, sizeof(message), "SD4011: the plan cannot be read: %s", rows[i].message);
		ck_assert_str_eq(said, message);
	}
	ck_assert(!reads(&planned, "{", &plan));
	ck_assert(!reads(&planned, "{}", &plan));
	ck_assert_str_eq(said, "SD4011: the plan cannot be read: nodes: does not place node x");
}
END_TEST

START_TEST(every_failing_allocation_is_told)
{
	struct planned planned = odd_plan();
	const char *json = json_of(&planned);

	for (uint64_t at = 1;; at++) {
		struct sd_diag diag = { 0 };
		struct sd_arena small;
		enum sd_status status;
		struct sd_plan plan;

		sd_arena_init(&small, 0);
		small.fail_at = at;
		status = sd_plan_read_json(&small, text_of(json), &planned.request->graph, &plan, &diag);
		sd_arena_finish(&small);
		if (status == SD_OK) {
			ck_assert_uint_gt(at, 10);
			return;
		}
		ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	}
}
END_TEST

RUN_TESTS("plan_json", every_key_of_a_plan_is_printed, the_rows_have_their_exact_form, the_same_plan_gives_the_same_bytes,
          names_of_the_graph_are_escaped, all_that_a_plan_may_hold_reads_back, a_read_plan_is_proved_as_it_was_made,
          an_activation_that_no_row_tells_of_is_for_the_judge, what_is_no_plan_is_refused_with_its_path, every_failing_allocation_is_told)
