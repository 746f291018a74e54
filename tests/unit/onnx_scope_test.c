/* onnx_scope_test - bodies of models: which values they read from outside, and how those come in. */
#include "onnx_world.h"

/* Opens a node with a body under `attribute`; the body is written next, then both are closed. */
static size_t open_body(const char *attribute, size_t marks[2])
{
	marks[0] = sd_put_begin(&model, 5);
	put_text(1, attribute);
	marks[1] = sd_put_begin(&model, 6);
	return marks[1];
}

static void close_body(const size_t marks[2])
{
	sd_put_end(&model, marks[1]);
	sd_put_end(&model, marks[0]);
}

static size_t open_node(const char *name, const char *type, const char *input, const char *output)
{
	size_t node = sd_put_begin(&model, 1);

	put_text(3, name);
	put_text(4, type);
	if (input)
		put_text(1, input);
	put_text(2, output);
	return node;
}

static void put_output(const char *name)
{
	size_t value = sd_put_begin(&model, 12);

	put_text(1, name);
	sd_put_end(&model, value);
}

static int64_t parent_index(const struct sd_graph *graph, const char *name)
{
	int64_t index = -1;

	sd_graph_int(graph, node_of(graph, name), SD_ATTR_PARENT_NODE_INDEX, &index);
	return index;
}

/* else_branch stands first in the model, then_branch is first all the same; each reads "x" and one more value from outside. */
START_TEST(branches_read_from_outside)
{
	size_t graph = graph_begin("g"), node, marks[2];
	const struct sd_graph *got;
	uint32_t choice;

	put_value(11, "c", 9, "1");
	put_value(11, "x", 1, "4");
	put_node("far", "Relu", "x -> f");
	node = open_node("choice", "If", "c", "r");
	open_body("else_branch", marks);
	put_node("e", "Add", "x f -> er");
	put_output("er");
	close_body(marks);
	open_body("then_branch", marks);
	put_node("t", "Relu", "x -> tr");
	put_output("tr");
	close_body(marks);
	sd_put_end(&model, node);
	put_node("last", "Relu", "r -> z");
	put_output("z");
	got = imported(graph);
	choice = node_of(got, "choice");
	ck_assert_uint_eq(got->graph_count, 3);
	ck_assert_uint_eq(got->in_first[choice + 1] - got->in_first[choice], 3); /* c, x, f */
	ck_assert_uint_lt(node_of(got, "t"), node_of(got, "e"));
	ck_assert_uint_eq(got->graph_of[node_of(got, "t")], got->graph_of[node_of(got, "x_0")]);
	ck_assert_int_eq(parent_index(got, "x_0"), 1);
	ck_assert_int_eq(parent_index(got, "f"), 2);
}
END_TEST

/* A body in a body reads from two graphs out; a Loop's own inputs are its body's, its condition is nobody's output. */
START_TEST(loops_and_bodies_in_bodies)
{
	size_t graph = graph_begin("g"), loop, branch, outer[2], inner[2];
	const struct sd_graph *got;

	put_value(11, "x", 1, "4");
	put_value(11, "n", 7, "1");
	loop = open_node("loop", "Loop", "n", "r");
	open_body("body", outer);
	put_value(11, "turn", 7, "1");
	put_value(11, "on", 9, "1");
	branch = open_node("branch", "If", "on", "b");
	open_body("then_branch", inner);
	put_node("deep", "Relu", "x -> d");
	put_output("d");
	close_body(inner);
	open_body("else_branch", inner);
	put_output("x");
	close_body(inner);
	sd_put_end(&model, branch);
	put_output("on");
	put_output("b");
	close_body(outer);
	sd_put_end(&model, loop);
	put_output("r");
	got = imported(graph);
	ck_assert_uint_eq(got->graph_count, 4);
	ck_assert_int_eq(parent_index(got, "turn"), 0);
	ck_assert_int_eq(parent_index(got, "on"), 1);
	/* "x" is input 1 behind n of the loop, and input 1 behind the condition of the branch. */
	ck_assert_int_eq(parent_index(got, "x_2"), 1);
	ck_assert(sd_text_is(got->string[got->op_type[node_of(got, "loop")]], "For"));
}
END_TEST

START_TEST(bodies_of_strangers_are_refused)
{
	static const struct {
		const char *type, *attribute, *message;
	} rows[] = {
		{ "Odd", "body", "SD0001: reading the body 'body' of model node 'odd' ('Odd') is not built yet; leave it out" },
		{ "If", "then_branch", "SD0116: the model cannot be read: node 'odd' does not have the bodies of 'If'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t graph = graph_begin("g"), node = open_node("odd", rows[i].type, NULL, "r"), marks[2];

		open_body(rows[i].attribute, marks);
		close_body(marks);
		sd_put_end(&model, node);
		refused(graph, rows[i].message);
	}
}
END_TEST

/* Bodies eleven deep. */
START_TEST(depth_is_bounded)
{
	size_t graph = graph_begin("g"), node[11], marks[11][2];

	for (int i = 0; i < 11; i++) {
		node[i] = open_node("loop", "Loop", NULL, "r");
		open_body("body", marks[i]);
	}
	for (int i = 10; i >= 0; i--) {
		close_body(marks[i]);
		sd_put_end(&model, node[i]);
	}
	refused(graph, "SD0116: the model cannot be read: bodies nest deeper than 10");
}
END_TEST

RUN_TESTS("onnx_scope", branches_read_from_outside, loops_and_bodies_in_bodies, bodies_of_strangers_are_refused, depth_is_bounded)
