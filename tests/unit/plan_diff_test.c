/* plan_diff_test - two plans without their requests: what is equal, and every kind of difference in words. */
#include "formats/plan_diff.h"
#include "formats_world.h"

#include "formats/plan_json.h"
#include "stories.h"

static struct sd_emitter out;

static const char *json_of(struct planned planned, const char *planner)
{
	struct sd_identity identity = { .planner = "" };
	struct sd_diag diag = { 0 };
	struct written written;

	ck_assert_ptr_nonnull(planned.plan);
	snprintf(identity.planner, sizeof(identity.planner), "%s", planner);
	sd_emit_start(&out, written_open(&written));
	ck_assert_int_eq(sd_plan_write_json(&mem, &out, planned.plan, &identity, &planned.request->graph, &diag), SD_OK);
	ck_assert(sd_emit_finish(&out));
	return written_close(&written);
}

static const char *plan_json(const char *graph, const char *streams)
{
	struct sd_request *request = request_of(&mem, graph);

	set_streams(&mem, request, streams);
	return json_of(plan_of(&mem, request), "p");
}

/* The differences, a line each; "equal" if there is none. */
static const char *differences(const char *first, const char *second)
{
	struct sd_plan_alone a, b;
	struct sd_plan_diff diff;
	struct sd_diag diag = { 0 };
	char *text = sd_arena_zero(&mem, 1, 1 << 16), *at = text;

	ck_assert_msg(sd_plan_alone_read(&mem, text_of(first), &a, &diag) == SD_OK, "%s", say(&diag));
	ck_assert_msg(sd_plan_alone_read(&mem, text_of(second), &b, &diag) == SD_OK, "%s", say(&diag));
	ck_assert_int_eq(sd_plan_compare(&mem, &a, &b, &diff, &diag), SD_OK);
	for (uint32_t i = 0; i < diff.line.count; i++)
		at += sprintf(at, "%.*s\n", (int)diff.line.at[i].len, diff.line.at[i].at);
	if (diff.count == 0)
		sprintf(at, "equal, %u notes", diff.note.count);
	sd_plan_alone_finish(&a);
	sd_plan_alone_finish(&b);
	return text;
}

/* The first plan against itself with `from` replaced. */
static const char *changed(const char *json, const char *from, const char *to)
{
	const char *at = strstr(json, from);
	size_t cap = strlen(json) + strlen(to) + 1;
	char *copy = sd_arena_alloc(&mem, cap);

	ck_assert_msg(at != NULL, "%s is not in %s", from, json);
	snprintf(copy, cap, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
	return differences(json, copy);
}

START_TEST(a_plan_is_equal_to_itself)
{
	struct planned planned = plan_of(&mem, request_of(&mem, "x Data; a Relu x _stream_label=s; b Relu x; c Add a b"));

	ck_assert_str_eq(differences(json_of(planned, "p"), json_of(planned, "p")), "equal, 0 notes");
	ck_assert_str_eq(differences(json_of(planned, "p"), json_of(planned, "q")), "equal, 1 notes");
}
END_TEST

START_TEST(nodes_are_told_apart_by_name)
{
	const char *one = plan_json("a Relu; b Relu a; c Relu b", "a b c"), *two = plan_json("a Relu; b Relu a; c Relu b", "a b | c");

	ck_assert_str_eq(differences(one, two),
		"streams: 1, now 2\nlogical streams: 1, now 2\nmain streams: 1, now 2\nevents: 0, now 1\n"
		"node 'c': logical stream 0, now 1\n"
		"stream 1: is new, it has 3 tasks\n"
		"sync new: 'b' before 'c' (event, data)\n"
		"summary new: logical stream 0: 1 physical streams, 0 followers, 2 nodes, label '', attached []\n"
		"summary gone: logical stream 0: 1 physical streams, 0 followers, 3 nodes, label '', attached []\n"
		"summary new: logical stream 1: 1 physical streams, 0 followers, 1 nodes, label '', attached []\n"
		"stream 0: differs from command 2 on: launch 'c', now record 0\n");
	ck_assert_ptr_nonnull(strstr(differences(plan_json("a Relu; b Relu a", "a b"), plan_json("a Relu; q Relu a", "a q")), "node 'b': is gone\nnode 'q': is new\n"));
}
END_TEST

START_TEST(every_part_is_compared)
{
	const char *json = plan_json("a Relu _user_stream_label=u; b Relu a; c Relu", "a | b | c");

	ck_assert_str_eq(changed(json, "\"mode\": \"static\"", "\"mode\": \"single\""), "mode: static, now single\n");
	ck_assert_str_eq(changed(json, "\"label\": \"u\"", "\"label\": \"v\""), "stream 0: label 'u', now 'v'\n");
	ck_assert_str_eq(changed(json, "\"priority\": 0", "\"priority\": 3"), "stream 0: priority: 0, now 3\n");
	ck_assert_str_eq(changed(json, "\"flags\": 0", "\"flags\": 3"), "stream 0: flags: 0, now 3\n");
	ck_assert_str_eq(changed(json, "\"huge\": false", "\"huge\": true"), "stream 0: is huge now\n");
	ck_assert_str_eq(changed(json, "\"attached\": false", "\"attached\": true"), "stream 0: is attached now\n");
	ck_assert_str_eq(changed(json, "\"initially_active\": true", "\"initially_active\": false"), "stream 0: waits to be activated now\n");
	ck_assert_str_eq(changed(json, "\"task_count\": 2", "\"task_count\": 7"), "stream 0: tasks: 2, now 7\n");
	ck_assert_str_eq(changed(json, "\"logical_id\": 0", "\"logical_id\": 1"), "stream 0: logical stream: 0, now 1\n");
	ck_assert_str_eq(changed(json, "\"attached_events\": []", "\"attached_events\": [4]"), "node 'a': attached_events [], now [4]\n");
	ck_assert_str_eq(changed(json, "\"cube_cores\": 0", "\"cube_cores\": 2"), "node 'a': caps of cube and vector cores: 0 and 0, now 2 and 0\n");
	ck_assert_str_eq(changed(json, "\"host_wait\": false", "\"host_wait\": true"), "node 'a': waits on the host now\n");
	ck_assert_str_eq(changed(json, "\"stream\": 1", "\"stream\": 0"), "node 'b': stream 1, now 0\n");
	ck_assert_str_eq(changed(json, "\"cause\": \"data\"", "\"cause\": \"order\""),
	                 "sync gone: 'a' before 'b' (event, data)\nsync new: 'a' before 'b' (event, order)\n");
	ck_assert_str_eq(changed(json, "{\"record\": 0}", "{\"record\": 1}"), "stream 0: differs from command 1 on: record 0, now record 1\n");
	ck_assert_str_eq(changed(json, "\"activations\": []", "\"activations\": [{\"node\": \"a\", \"streams\": [1]}]"), "activation new: 'a' starts [1]\n");
	ck_assert_str_eq(changed(json, "\"diagnostics\": []", "\"diagnostics\": [{\"code\": \"SD1\", \"message\": \"m\"}]"), "warning new: SD1 m\n");
	ck_assert_str_eq(changed(json, "\"graph_name\": \"", "\"graph_name\": \"q"), "equal, 1 notes");
}
END_TEST

/* Names that differ behind what messages show are different names. */
START_TEST(long_names_are_compared_whole)
{
	char graph[2][512];

	for (int i = 0; i < 2; i++) {
		char name[101];

		memset(name, 'n', 100);
		name[99] = i ? 'y' : 'x';
		name[100] = '\0';
		snprintf(graph[i], sizeof(graph[i]), "a Relu; %s Relu a", name);
	}
	ck_assert_str_ne(differences(json_of(plan_of(&mem, request_of(&mem, graph[0])), "p"), json_of(plan_of(&mem, request_of(&mem, graph[1])), "p")),
	                 "equal, 0 notes");
}
END_TEST

START_TEST(explained_plans_tell_why)
{
	struct sd_request *request = request_of(&mem, "a Relu; b Relu a");
	const char *first = json_of(explained_plan_of(&mem, request), "p"), *second;

	request = request_of(&mem, "a Relu; b Relu a NewStreamId=1");
	second = json_of(explained_plan_of(&mem, request), "p");
	ck_assert_ptr_nonnull(strstr(differences(first, second),
		"node 'b': logical stream 0, now 1\n"
		"  before, by by_dependency: is fed by nothing that could be followed, so takes the next stream of its engine\n"
		"  now, by new_stream_attr: asks for a stream of its own by NewStreamId\n"));
}
END_TEST

START_TEST(what_is_no_plan_is_refused)
{
	static const char *const texts[] = { "", "{", "[]", "7", "{}", "{\"nodes\": 7}", "{\"nodes\": [7]}", "{\"nodes\": [{}]}",
	                                     "{\"streams\": [{\"commands\": [{\"in\": \"x\"}]}]}", "{\"nodes\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}" };
	struct sd_plan_alone alone;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sd_diag diag = { 0 };
		enum sd_status status = sd_plan_alone_read(&mem, text_of(texts[i]), &alone, &diag);

		/* A plan of nothing is one. */
		ck_assert_int_eq(status == SD_OK, strcmp(texts[i], "{}") == 0);
		ck_assert_int_eq(diag.code, status == SD_OK ? SD_CODE_NONE : SD_CODE_BAD_PLAN);
		sd_plan_alone_finish(&alone);
	}
}
END_TEST

START_TEST(every_failing_allocation_is_told)
{
	const char *one = plan_json("a Relu; b Relu a; c Relu b", "a b c"), *two = plan_json("a Relu; b Relu a; c Relu b", "a b | c");

	for (uint64_t at = 1;; at++) {
		struct sd_plan_alone a = { 0 }, b = { 0 };
		struct sd_diag diag = { 0 };
		struct sd_plan_diff diff;
		struct sd_arena small;
		bool made;

		sd_arena_init(&small, 0);
		small.fail_at = at;
		made = sd_plan_alone_read(&small, text_of(one), &a, &diag) == SD_OK && sd_plan_alone_read(&small, text_of(two), &b, &diag) == SD_OK &&
		       sd_plan_compare(&small, &a, &b, &diff, &diag) == SD_OK;
		sd_plan_alone_finish(&a);
		sd_plan_alone_finish(&b);
		sd_arena_finish(&small);
		if (made) {
			ck_assert_uint_gt(at, 10);
			return;
		}
		ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	}
}
END_TEST

RUN_TESTS("plan_diff", a_plan_is_equal_to_itself, nodes_are_told_apart_by_name, every_part_is_compared, long_names_are_compared_whole,
          explained_plans_tell_why, what_is_no_plan_is_refused, every_failing_allocation_is_told)
