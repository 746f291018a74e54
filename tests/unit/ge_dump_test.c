/* ge_dump_test - dumps of Graph Engine as requests: both kinds, bodies, what is left out, what is refused. */
#include "formats_world.h"

#include "formats/ge_dump.h"

static struct sd_notes notes;

/* The dump as a request; NULL when it is refused, and then `said` tells why. */
static struct sd_request *import(const char *dump)
{
	struct sd_diag diag = { 0 };
	struct sd_text bytes;

	sd_arena_init(&mem, 16u << 20);
	notes = (struct sd_notes){ .count = 0 };
	if (sd_input_bytes(&mem, SD_INPUT_DUMP, text_of(dump), NULL, &notes, &bytes, &diag) == SD_OK)
		return decoded(bytes);
	say(&diag);
	return NULL;
}

/* "a<-b:0,c:-1 ..." of all nodes, root first: name, and producers in order. */
static const char *edges_of(const struct sd_graph *graph)
{
	static char text[2000];
	size_t len = 0;

	for (uint32_t n = 0; n < graph->node_count; n++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s", n ? " " : "", (int)graph->name[n].len, graph->name[n].at);
		for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
			const struct sd_edge *edge = &graph->in[e];
			struct sd_text source = edge->src == SD_NO_NODE ? SD_TEXT("-") : graph->name[edge->src];

			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s:%d", e == graph->in_first[n] ? "<-" : ",", (int)source.len, source.at,
			                        (int)edge->port);
		}
	}
	return text;
}

#define OP(name, type, rest) "op { name: \"" name "\" type: \"" type "\" " rest " }\n"

START_TEST(a_flat_graph)
{
	struct sd_request *request = import("graph { name: \"g\"\n" OP("x", "Data", "output_desc { dtype: DT_FLOAT16 shape { dim: 8 dim: -1 } size: 64 }")
	                                    OP("a:b", "Relu", "input: \"x:0\" attr { key: \"_stream_label\" value { s: \"side\" } }")
	                                    OP("y", "Add", "input: \"a:b:0\" input: \"\" input: \"x:1\" input: \"x:-1\"") "}");

	ck_assert_msg(request != NULL, "%s", said);
	ck_assert_str_eq(edges_of(&request->graph), "x a:b<-x:0 y<-a:b:0,-:0,x:1,x:-1");
	ck_assert_uint_eq(notes.count, 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(bodies_by_name)
{
	struct sd_request *request = import("graph { name: \"g\"\n" OP("x", "Data", "")
	                                    OP("call", "PartitionedCall", "input: \"x:0\" subgraph_name: \"\" subgraph_name: \"b\"") "}\n"
	                                    "graph { name: \"b\"\n" OP("x", "Data", "attr { key: \"_parent_node_index\" value { i: 0 } }")
	                                    OP("r", "Relu", "input: \"x:0\"")
	                                    OP("out", "NetOutput", "input: \"x:0\" input: \"r:0\" input: \"r:-1\""
	                                       " input_desc { attr { key: \"_parent_node_index\" value { i: 1 } } }"
	                                       " input_desc { attr { key: \"_parent_node_index\" value { i: 0 } } }") "}\n"
	                                    "graph { name: \"nobody's\" }");

	ck_assert_msg(request != NULL, "%s", said);
	ck_assert_uint_eq(request->graph.graph_count, 2);
	/* The second x has a name of its own, and the body's outputs stand in the parent's order. */
	ck_assert_str_eq(edges_of(&request->graph), "x call<-x:0 x_1 r<-x_1:0 out<-r:0,x_1:0,r:-1");
	ck_assert_uint_eq(notes.count, 1);
	ck_assert_str_eq(notes.note[0], "1 graphs that no node names as its body are left out");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_allocation_put_in_is_left_out)
{
	struct sd_request *request = import("graph {\n" OP("a", "Relu", "stream_id: 1") OP("send", "Send", "input: \"a:-1\" stream_id: 1")
	                                    OP("recv", "Recv", "") OP("b", "Relu", "input: \"a:0\" input: \"recv:-1\"")
	                                    OP("sw", "StreamSwitch", "input: \"b:0\" attr { key: \"_active_label_list\" value { list { s: \"l\" } } }")
	                                    OP("sw_StreamActive_0", "StreamActive", "input: \"sw:-1\"") OP("c", "Relu", "input: \"sw_StreamActive_0:-1\"")
	                                    OP("mine", "StreamActive", "input: \"b:-1\"") "}");

	ck_assert_msg(request != NULL, "%s", said);
	ck_assert_str_eq(edges_of(&request->graph), "a b<-a:0 sw<-b:0 c<-sw:-1 mine<-b:-1");
	ck_assert_uint_eq(notes.count, 1);
	ck_assert_ptr_nonnull(strstr(notes.note[0], "3 nodes"));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(the_other_kind)
{
	struct sd_request *request = import("ir_version: 6 graph { node { name: \"d\" op_type: \"ge:Data\" }\n"
	                                    "node { name: \"r\" op_type: \"ge:Relu\" input: \"d:0\" attribute { name: \"stream_id\" type: INT }"
	                                    " attribute { name: \"_enable_inner_parallel\" type: INT i: 1 } }\n"
	                                    "node { name: \"body\" op_type: \"subgraph\" attribute { name: \"graph\" type: GRAPH g { node { name: \"n\" } } } }\n"
	                                    "name: \"g\" }");

	ck_assert_msg(request != NULL, "%s", said);
	ck_assert_str_eq(edges_of(&request->graph), "d r<-d:0 body");
	ck_assert(sd_graph_bool(&request->graph, 1, SD_ATTR_ENABLE_INNER_PARALLEL));
	ck_assert_uint_eq(notes.count, 2); /* whose body it is, and that labels are missing */
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_is_no_dump)
{
	static const struct {
		const char *dump, *why;
	} rows[] = {
		{ "", "it holds no graph; a dump is a ge_proto_*.txt or ge_onnx_*.pbtxt of Graph Engine" },
		{ "graph {", "line 1: a field's name is expected" },
		{ "graph { name: \"g }", "line 1: a string is not closed on its line" },
		{ "\n\ngraph \"g\"", "line 3: a colon or an opening brace is expected behind a field's name" },
		{ "graph: 5", "line 1: graph must be a message in braces" },
		{ "graph { name: \"\\q\" }", "line 1: a string has an escape that there is not" },
		{ "graph { op { name: \"a\" output_desc { size: many } } }", "line 1: size must be a number" },
		{ "graph { op { name: \"a\" output_desc { shape { dim: [1 2] } } } }", "line 1: a list goes on with a comma or ends with a bracket" },
		{ "other: [ { a: 1", "line 1: the text ends within a value" },
		{ "other: }", "line 1: a value is missing" },
		{ "graph { op { name: \"a\" } op { name: \"a\" } name: \"g\" }", "'a' stands twice in graph 'g'" },
		{ "graph { op { name: \"a\" input: \"b:0\" } }", "'a' reads from what its graph does not hold: 'b'" },
		{ "graph { name: \"g\" } graph { name: \"b\" } graph { name: \"b\" }", "'b' is the name of two graphs of 'g'" },
		{ "graph { op { name: \"a\" } node { name: \"b\" } }", "a graph holds both op and node, which are of two kinds of dumps" },
		{ "graph \1 {", "line 1: a byte is no part of protobuf text" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char want[400];

		ck_assert_msg(import(rows[i].dump) == NULL, "%s", rows[i].dump);
		snprintf(want, sizeof(want), "SD0116: the model cannot be read: %s", rows[i].why);
		ck_assert_str_eq(said, want);
		sd_arena_finish(&mem);
	}
}
END_TEST

START_TEST(depth_is_bounded)
{
	static char deep[4000];
	size_t len = 0;

	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(deep + len, sizeof(deep) - len, "%s", i ? "node { attribute { g { " : "graph { ");
	ck_assert_ptr_null(import(deep));
	ck_assert_ptr_nonnull(strstr(said, "messages nest deeper than 64"));
	sd_arena_finish(&mem);
}
END_TEST

/* Each allocation fails in turn: refused with words, never half a request. */
START_TEST(memory_runs_out)
{
	static const char dump[] = "graph { name: \"g\" op { name: \"a\\n\" \"b\" type: \"T\" attr { key: \"m\" value { func { attr { key: \"k\" value { list { i: 1 } } } } } } } }";

	for (size_t budget = 0; budget < 40000; budget += 97) {
		struct sd_diag diag = { 0 };
		struct sd_text bytes;
		enum sd_status status;

		sd_arena_init(&mem, budget);
		status = sd_input_bytes(&mem, SD_INPUT_DUMP, text_of(dump), NULL, NULL, &bytes, &diag);
		ck_assert_msg(status == SD_OK || diag.code == SD_CODE_LIMIT_MEMORY, "%s", say(&diag));
		sd_arena_finish(&mem);
	}
}
END_TEST

RUN_TESTS("ge_dump", a_flat_graph, bodies_by_name, what_allocation_put_in_is_left_out, the_other_kind, what_is_no_dump, depth_is_bounded, memory_runs_out)
