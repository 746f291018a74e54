/* share_events_test - events that take turns share a number in very large plans: items, threshold,
 * turns; and the judge lets nothing pass that does not take turns. */
#include "run_tests.h"

#include "planned.h"
#include "streamd/verify.h"

#define MANY 65500u /* events; above it numbers are shared */

static struct sd_arena mem;

/* Items stand in a text of the builder, where a semicolon ends a line, with a slash for it. */
static struct sd_request *request_with_items(char *text)
{
	struct sd_request *request = request_of(&mem, text);
	const struct sd_graph *g = &request->graph;

	for (uint32_t n = 0; n < g->node_count; n++) {
		const struct sd_value *value = sd_graph_attr(g, n, SD_ATTR_EVENT_MULTIPLEXING);

		if (!value || value->kind != SD_VALUE_LIST)
			continue;
		for (char *at = (char *)(uintptr_t)value->list.string[0].at, *end = at + value->list.string[0].len; at < end; at++)
			*at = *at == '/' ? ';' : *at;
	}
	return request;
}

/* An array of the graph, longer: item i behind the old ones is like the last one (odd i) or the one before it. */
static void *longer(const void *array, uint32_t count, uint32_t more, size_t size)
{
	unsigned char *at = sd_arena_array(&mem, (size_t)count + more + 1, size);

	memcpy(at, array, count * size);
	for (uint32_t i = 0; i < more; i++)
		memcpy(at + (count + i) * size, at + (count - 2 + (i & 1)) * size, size);
	return at;
}

/* Goes on behind the last two nodes, which wait for nothing, with a chain of `more` like them in turn. */
static void grow(struct sd_graph *g, uint32_t more)
{
	uint32_t nodes = g->node_count, total = nodes + more, *first = SD_NEW(&mem, uint32_t, total + 1u);
	struct sd_edge *in = SD_NEW(&mem, struct sd_edge, g->edge_count + more + 1u);
	struct sd_text *name = longer(g->name, nodes, more, sizeof(*name));
	struct sd_subgraph *root = longer(g->graph, 1, 0, sizeof(*root));
	char *text = sd_arena_alloc(&mem, (size_t)more * 8 + 8);

	memcpy(first, g->in_first, (nodes + 1) * sizeof(*first));
	memcpy(in, g->in, g->edge_count * sizeof(*in));
	for (uint32_t i = 0; i < more; i++, text += 8) {
		name[nodes + i] = (struct sd_text){ text, (uint32_t)sprintf(text, "n%u", i) };
		in[g->edge_count + i] = (struct sd_edge){ nodes + i - 1, 0 };
		first[nodes + i + 1] = g->edge_count + i + 1;
	}
	root->node_count = total;
	g->op_type = longer(g->op_type, nodes, more, sizeof(uint32_t));
	g->engine = longer(g->engine, nodes, more, sizeof(uint32_t));
	g->graph_of = longer(g->graph_of, nodes, more, sizeof(uint32_t));
	g->body_first = sd_arena_zero(&mem, total + 1u, sizeof(uint32_t));
	g->task_count = longer(g->task_count, nodes, more, sizeof(int64_t));
	g->attached_task_count = longer(g->attached_task_count, nodes, more, sizeof(int64_t));
	g->attrs = longer(g->attrs, nodes, more, sizeof(struct sd_attr_range));
	g->attr_present = longer(g->attr_present, nodes, more, sizeof(uint64_t));
	g->extra_of = longer(g->extra_of, nodes, more, sizeof(uint32_t));
	g->name = name;
	g->graph = root;
	g->in_first = first;
	g->in = in;
	g->node_count = total;
	g->edge_count += more;
}

/* A small graph, and beside it a chain over two streams, so that the plan has `events` events of which
 * `own` are the small graph's. */
static struct planned plan_with(const char *graph, uint32_t own, uint32_t events, const char *words)
{
	char *text = sd_arena_alloc(&mem, strlen(graph) + 100);
	struct sd_request *request;

	sprintf(text, "%s\nca Relu _stream_label=ca\ncb Relu _stream_label=cb", graph);
	request = request_with_items(text);
	set_words(&mem, request, words);
	grow(&request->graph, events - own);
	request->device.limits.unlimited_depth = request->device.limits.has_unlimited_depth = true;
	return plan_of(&mem, request);
}

static const char *message_of(const struct planned *planned)
{
	static char message[SD_MESSAGE_MAX];
	struct sd_names names = sd_graph_names(&planned->request->graph);

	sd_diag_message(&planned->diag, &names, message, sizeof(message));
	return message;
}

static struct planned planned_with(const char *graph, uint32_t own, uint32_t events, const char *words)
{
	struct planned planned = plan_with(graph, own, events, words);

	ck_assert_msg(planned.plan != NULL, "%s", message_of(&planned));
	return planned;
}

/* p -> q, then r -> s behind it: three events. */
#define PAIRS(p, q, r, s)                                                                  \
	"p Relu _stream_label=a " p "\nq Relu p _stream_label=b " q                       \
	"\nr Relu q _stream_label=c " r "\ns Relu r _stream_label=d " s
#define ITEM(text) "_event_multiplexing=[" text "]"
#define NOTHING ""

/* Where the plan says that events do not take turns, once at most; that its streams are many is beside the point. */
static uint32_t apart_at(const struct sd_plan *plan)
{
	uint32_t node = SD_NO_NODE;

	for (uint32_t i = 0; i < plan->diagnostic_count; i++) {
		if (plan->diagnostic[i].code == SD_CODE_MANY_USER_STREAMS)
			continue;
		ck_assert_int_eq(plan->diagnostic[i].code, SD_CODE_TURNS_UNPROVED);
		ck_assert_uint_eq(node, SD_NO_NODE);
		node = plan->diagnostic[i].node;
	}
	return node;
}

START_TEST(two_pairs_share_one_number)
{
	struct planned planned = planned_with(PAIRS(ITEM("SendTo/q/3"), NOTHING, ITEM("SendTo/s/3"), NOTHING), 3, MANY + 1, "");

	ck_assert_uint_eq(planned.plan->sync_count, MANY + 1);
	ck_assert_uint_eq(planned.plan->event_count, MANY);
	ck_assert_uint_eq(planned.plan->sync[0].id, 0);
	ck_assert_uint_eq(planned.plan->sync[1].id, 1);
	ck_assert_uint_eq(planned.plan->sync[2].id, 0);
	ck_assert_uint_eq(planned.plan->sync[3].id, 2);
	ck_assert_uint_eq(planned.plan->sync[MANY].id, MANY - 1);
	ck_assert_uint_eq(apart_at(planned.plan), SD_NO_NODE);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(receivers_may_say_it_too)
{
	struct planned planned = planned_with(PAIRS(ITEM("SendTo/q/0"), NOTHING, NOTHING, ITEM("RecvFrom/r/0")), 3, MANY + 1, "ge");

	ck_assert_uint_eq(planned.plan->sync[2].id, 0);
	ck_assert_uint_eq(planned.plan->event_count, MANY);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(other_numbers_and_other_pairs_are_not_shared)
{
	static const char *const graphs[] = {
		PAIRS(ITEM("SendTo/q/0"), NOTHING, ITEM("SendTo/s/1"), NOTHING), PAIRS(ITEM("SendTo/s/0"), NOTHING, ITEM("SendTo/s/0"), NOTHING),
		PAIRS(ITEM("SendTo/q/0"), ITEM("RecvFrom/p/1"), ITEM("SendTo/s/0"), NOTHING),
	};

	for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++) {
		struct planned planned = planned_with(graphs[i], 3, MANY + 1, "");

		ck_assert_uint_eq(planned.plan->event_count, MANY + 1);
		sd_arena_finish(&mem);
	}
}
END_TEST

START_TEST(at_the_threshold_nothing_is_shared)
{
	struct planned planned = planned_with(PAIRS(ITEM("SendTo/q/0"), NOTHING, ITEM("SendTo/s/0"), NOTHING), 3, MANY, "");

	ck_assert_uint_eq(planned.plan->event_count, MANY);
	sd_arena_finish(&mem);
}
END_TEST

/* The plan fits a device for which it is too large without. */
START_TEST(sharing_saves_events_of_the_device)
{
	ck_assert_int_eq(plan_with(PAIRS("", "", "", ""), 3, 65537, "").diag.code, SD_CODE_LIMIT_EVENTS);
	ck_assert_uint_eq(planned_with(PAIRS(ITEM("SendTo/q/0"), NOTHING, ITEM("SendTo/s/0"), NOTHING), 3, 65537, "").plan->event_count, 65536);
	sd_arena_finish(&mem);
}
END_TEST

/* The first command of the node's stream. */
static uint32_t first_command(const struct planned *planned, const char *node)
{
	return planned->plan->stream[planned->plan->node[node_named(&planned->request->graph, node)].stream].first_command;
}

/* Waits in front of a launch, and records behind it, ascend whatever is shared. */
START_TEST(numbers_of_a_node_ascend)
{
	struct planned planned = planned_with("p Relu _stream_label=a " ITEM("SendTo/q/3") "\nq Relu p _stream_label=b\nt Relu q _stream_label=e\n"
	                                      "r Relu q _stream_label=c " ITEM("SendTo/s/3") "\nu Relu r _stream_label=f\n"
	                                      "s Relu t r _stream_label=d", 6, MANY + 1, "");
	uint32_t record = first_command(&planned, "r"), wait = first_command(&planned, "s");


	ck_assert_uint_eq(planned.plan->event_count, MANY);
	ck_assert_uint_eq(planned.plan->command[wait].arg, 0);
	ck_assert_uint_gt(planned.plan->command[wait + 1].arg, 0);
	ck_assert_int_eq(planned.plan->command[record + 1].kind, SD_LAUNCH);
	ck_assert_uint_eq(planned.plan->command[record + 2].arg, 0);
	ck_assert_uint_gt(planned.plan->command[record + 3].arg, 0);
	sd_arena_finish(&mem);
}
END_TEST

/* ---- items ---- */

START_TEST(malformed_items_are_errors)
{
	static const char *const items[] = { "SendTo", "SendTo/q", "SendTo/q/", "SendTo/q/a", "SendTo/q/-1", "SendTo/q/2147483648", "SendTo/q/01",
	                                     "sendTo/q/1", "Foo/q/1", "SendTo/q/1/", "/q/1", "//" };

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		char graph[200], expected[200];
		struct planned planned;

		sprintf(graph, "p Relu " ITEM("%s") "\nq Relu p", items[i]);
		planned = plan_with(graph, 0, 1, "");
		sprintf(expected, "'p': '%s' in _event_multiplexing must be", items[i]);
		for (char *at = expected; *at; at++)
			*at = *at == '/' ? ';' : *at;
		ck_assert_int_eq(planned.diag.code, SD_CODE_BAD_MULTIPLEXING);
		ck_assert_msg(strstr(message_of(&planned), expected) != NULL, "%s", message_of(&planned));
		/* Graph Engine does not look at them in small graphs. */
		ck_assert_ptr_nonnull(plan_with(graph, 0, 1, "ge").plan);
	}
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(unknown_nodes_are_named)
{
	struct planned planned = plan_with("p Relu " ITEM("SendTo/pear/1"), 0, 1, "");

	ck_assert_int_eq(planned.diag.code, SD_CODE_UNKNOWN_REFERENCE);
	ck_assert_ptr_nonnull(strstr(message_of(&planned), "'p': _event_multiplexing names 'pear'"));
	ck_assert_ptr_nonnull(plan_with("p Relu " ITEM("SendTo/pear/1"), 0, 1, "ge").plan);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(above_the_threshold_they_are_errors_with_ge_too)
{
	ck_assert_int_eq(plan_with(PAIRS(ITEM("SendTo/q"), NOTHING, NOTHING, NOTHING), 3, MANY + 1, "ge").diag.code, SD_CODE_BAD_MULTIPLEXING);
	ck_assert_int_eq(plan_with(PAIRS(ITEM("SendTo/pear/1"), NOTHING, NOTHING, NOTHING), 3, MANY + 1, "ge").diag.code, SD_CODE_UNKNOWN_REFERENCE);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(values_that_are_no_list_of_texts_are_absent)
{
	ck_assert_ptr_nonnull(plan_of(&mem, request_of(&mem, "a Relu _event_multiplexing=x; b Relu a _event_multiplexing=5")).plan);
	sd_arena_finish(&mem);
}
END_TEST

/* ---- turns ---- */

/* p -> q and r -> s with one number; r waits for what is given. */
#define BESIDE(r) "p Relu _stream_label=a " ITEM("SendTo/q/5") "\nq Relu p _stream_label=b\nr Relu " r " _stream_label=c " ITEM("SendTo/s/5") "\ns Relu r _stream_label=d"

START_TEST(events_that_may_overlap_are_kept_apart)
{
	static const struct {
		const char *graph;
		uint32_t own;
		bool shared;
	} rows[] = { { BESIDE(""), 2, false }, { BESIDE("p"), 3, false }, { BESIDE("q"), 3, true } };

	for (size_t i = 0; i < 3; i++) {
		struct planned planned = planned_with(rows[i].graph, rows[i].own, MANY + 1, "");

		ck_assert_uint_eq(planned.plan->sync_count, MANY + 1);
		ck_assert_uint_eq(planned.plan->event_count, MANY + 1 - rows[i].shared);
		ck_assert_uint_eq(apart_at(planned.plan), rows[i].shared ? SD_NO_NODE : node_named(&planned.request->graph, "r"));
		sd_arena_finish(&mem);
	}
}
END_TEST

/* One node waits for one event of a number and records the next: waits come first. */
START_TEST(a_node_may_hand_a_number_on)
{
	struct planned planned = planned_with(PAIRS(ITEM("SendTo/q/0"), ITEM("SendTo/r/0"), ITEM("SendTo/s/0"), NOTHING), 3, MANY + 1, "");

	ck_assert_uint_eq(planned.plan->event_count, MANY - 1);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(planned.plan->sync[i].id, 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(allocations_may_fail)
{
	struct planned planned = planned_with(PAIRS(ITEM("SendTo/q/3"), NOTHING, ITEM("SendTo/s/3"), NOTHING), 3, MANY + 1, "");
	struct sd_arena small;
	uint64_t calls;

	sd_arena_init(&small, 0);
	ck_assert_ptr_nonnull(plan_of(&small, planned.request).plan);
	calls = small.calls;
	sd_arena_finish(&small);
	/* Late ones: those of this pass and of the proof are among them. */
	for (uint64_t k = calls / 2; k <= calls; k += calls / 24) {
		sd_arena_init(&small, 0);
		small.fail_at = k;
		ck_assert_int_eq(plan_of(&small, planned.request).diag.code, SD_CODE_LIMIT_MEMORY);
		sd_arena_finish(&small);
	}
	sd_arena_finish(&mem);
}
END_TEST

/* ---- the judge ---- */

static uint32_t violations(const struct planned *planned, const struct sd_plan *plan, enum sd_violation_kind kind)
{
	struct sd_verdict verdict;
	uint32_t found = 0;

	ck_assert_int_eq(sd_verify(&mem, planned->request, plan, NULL, NULL, &verdict), SD_OK);
	for (uint32_t i = 0; i < verdict.count && i < SD_VIOLATIONS_MAX; i++)
		found += verdict.violation[i].kind == kind;
	return verdict.count ? (found ? found : UINT32_MAX) : 0;
}

/* Gives events `late` the number of `early`, and closes the gap. */
static const struct sd_plan *shared(const struct sd_plan *plan, uint32_t early, uint32_t late)
{
	struct sd_plan *copy = sd_arena_alloc(&mem, sizeof(*copy));
	struct sd_sync *sync = SD_NEW(&mem, struct sd_sync, plan->sync_count);
	struct sd_command *command = SD_NEW(&mem, struct sd_command, plan->command_count);
	uint32_t old = plan->sync[late].id, given = plan->sync[early].id;

	memcpy(sync, plan->sync, plan->sync_count * sizeof(*sync));
	memcpy(command, plan->command, plan->command_count * sizeof(*command));
	for (uint32_t i = 0; i < plan->sync_count; i++)
		sync[i].id = sync[i].id == old ? given : sync[i].id - (sync[i].id > old);
	for (uint32_t c = 0; c < plan->command_count; c++) {
		if (command[c].kind == SD_RECORD || command[c].kind == SD_WAIT)
			command[c].arg = command[c].arg == old ? given : command[c].arg - (command[c].arg > old);
	}
	*copy = *plan;
	copy->sync = sync;
	copy->command = command;
	copy->event_count--;
	return copy;
}

START_TEST(the_judge_wants_turns_proved)
{
	struct planned planned = planned_with(BESIDE(""), 2, MANY + 1, "");

	ck_assert_uint_eq(violations(&planned, planned.plan, SD_VIOLATION_PAIRING), 0);
	/* p -> q and r -> s know nothing of each other, those of the chain do. */
	ck_assert_uint_eq(violations(&planned, shared(planned.plan, 0, 1), SD_VIOLATION_PAIRING), 1);
	ck_assert_uint_eq(violations(&planned, shared(planned.plan, 7, 8), SD_VIOLATION_PAIRING), 0);
	ck_assert_uint_eq(violations(&planned, shared(planned.plan, 1, 8), SD_VIOLATION_PAIRING), 1);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(the_judge_wants_a_number_each_up_to_the_threshold)
{
	struct planned planned = planned_with(PAIRS("", "", "", ""), 3, MANY, "");

	ck_assert_uint_eq(violations(&planned, planned.plan, SD_VIOLATION_DENSE), 0);
	ck_assert_uint_ge(violations(&planned, shared(planned.plan, 7, 8), SD_VIOLATION_DENSE), 1);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(the_judge_pairs_records_and_waits_of_one_number)
{
	struct planned planned = planned_with(PAIRS(ITEM("SendTo/q/3"), NOTHING, ITEM("SendTo/s/3"), NOTHING), 3, MANY + 1, "");
	struct sd_plan plan = *planned.plan;
	struct sd_sync *sync = SD_NEW(&mem, struct sd_sync, plan.sync_count);

	memcpy(sync, plan.sync, plan.sync_count * sizeof(*sync));
	plan.sync = sync;
	sync[2].wait_node = 1;
	ck_assert_uint_ge(violations(&planned, &plan, SD_VIOLATION_PAIRING), 1);
	sync[2].wait_node = 3;
	ck_assert_uint_eq(violations(&planned, &plan, SD_VIOLATION_PAIRING), 0);
	sync[2].record_node = 0;
	ck_assert_uint_ge(violations(&planned, &plan, SD_VIOLATION_PAIRING), 1);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("share_events", two_pairs_share_one_number, receivers_may_say_it_too, other_numbers_and_other_pairs_are_not_shared,
          at_the_threshold_nothing_is_shared, sharing_saves_events_of_the_device, numbers_of_a_node_ascend, malformed_items_are_errors,
          unknown_nodes_are_named, above_the_threshold_they_are_errors_with_ge_too, values_that_are_no_list_of_texts_are_absent,
          events_that_may_overlap_are_kept_apart, a_node_may_hand_a_number_on, allocations_may_fail,
          the_judge_wants_turns_proved,
          the_judge_wants_a_number_each_up_to_the_threshold, the_judge_pairs_records_and_waits_of_one_number)
