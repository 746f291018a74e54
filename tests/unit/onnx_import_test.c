/* onnx_import_test - models, written field by field, as requests; the published files are
 * read whole. */
#include "formats_world.h"

#include "formats/onnx.h"
#include "proto/wire.h"

static struct sd_buffer model;

/* ---- a model, field by field ---- */

static void put_text(uint32_t field, const char *text)
{
	sd_put_bytes(&model, field, text, strlen(text));
}

static size_t graph_begin(const char *name)
{
	size_t graph;

	sd_buffer_init(&model, &mem, 256);
	sd_put_uint(&model, 1, 8); /* ir_version */
	graph = sd_put_begin(&model, 7);
	put_text(2, name);
	return graph;
}

/* Words: inputs, "->", outputs; "-" is an input that is left out. */
static void put_node(const char *name, const char *type, const char *values)
{
	size_t node = sd_put_begin(&model, 1);
	uint32_t field = 1;
	char copy[200], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", values);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		size_t slot;

		if (strcmp(word, "->") == 0) {
			field = 2;
			continue;
		}
		slot = sd_put_begin(&model, field);
		if (strcmp(word, "-") != 0)
			sd_buffer_append(&model, word, strlen(word));
		sd_put_end(&model, slot);
	}
	put_text(3, name);
	put_text(4, type);
	sd_put_end(&model, node);
}

/* A described value: `dims` words, "?" for one that is not known; field 11 input, 12 output, 13 between. */
static void put_value(uint32_t field, const char *name, uint64_t type, const char *dims)
{
	size_t value = sd_put_begin(&model, field), outer, tensor, shape;
	char copy[100], *rest = copy, *word;

	put_text(1, name);
	outer = sd_put_begin(&model, 2);
	tensor = sd_put_begin(&model, 1);
	sd_put_uint(&model, 1, type);
	shape = sd_put_begin(&model, 2);
	snprintf(copy, sizeof(copy), "%s", dims);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		size_t dim = sd_put_begin(&model, 1);

		if (*word == '?')
			put_text(2, "batch");
		else
			sd_put_uint(&model, 1, strtoul(word, NULL, 10));
		sd_put_end(&model, dim);
	}
	sd_put_end(&model, shape);
	sd_put_end(&model, tensor);
	sd_put_end(&model, outer);
	sd_put_end(&model, value);
}

static void put_initializer(const char *name, uint64_t dim)
{
	size_t tensor = sd_put_begin(&model, 5);

	sd_put_uint(&model, 1, dim);
	sd_put_uint(&model, 2, 1);
	put_text(8, name);
	put_text(9, "weights that nobody reads");
	sd_put_end(&model, tensor);
}

static enum sd_status import(struct sd_arena *arena, struct sd_request **request, struct sd_diag *diag)
{
	struct sd_text bytes;

	SD_TRY(sd_input_bytes(arena, SD_INPUT_ONNX, (struct sd_text){ (const char *)model.data, (uint32_t)model.len }, NULL, NULL, &bytes, diag));
	if (request)
		*request = decoded(bytes);
	return SD_OK;
}

static const struct sd_graph *imported(size_t graph)
{
	struct sd_request *request = NULL;
	struct sd_diag diag = { 0 };

	sd_put_end(&model, graph);
	ck_assert_msg(import(&mem, &request, &diag) == SD_OK, "%s", say(&diag));
	return &request->graph;
}

static void refused(size_t graph, const char *message)
{
	struct sd_diag diag = { 0 };

	sd_put_end(&model, graph);
	ck_assert_int_ne(import(&mem, NULL, &diag), SD_OK);
	ck_assert_str_eq(say(&diag), message);
}

static uint32_t node_of(const struct sd_graph *graph, const char *name)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (sd_text_is(graph->name[i], name))
			return i;
	}
	ck_abort_msg("there is no node %s", name);
	return 0;
}

static struct sd_text type_of(const struct sd_graph *graph, const char *name)
{
	return graph->string[graph->op_type[node_of(graph, name)]];
}

static struct sd_text engine_of(const struct sd_graph *graph, const char *name)
{
	return graph->string[graph->engine[node_of(graph, name)]];
}

static size_t small_model(void)
{
	size_t graph = graph_begin("small");

	put_value(11, "x", 10, "? 3 4");
	put_value(11, "w", 1, "5");
	put_initializer("w", 5);
	put_node("c", "Conv", "x w -> y z");
	put_node("", "Relu", "y - z -> r");
	put_value(12, "r", 1, "2 3");
	return graph;
}

/* ---- what comes of it ---- */

START_TEST(sources_nodes_and_outputs)
{
	const struct sd_graph *graph = imported(small_model());
	uint32_t relu = 3;

	ck_assert_uint_eq(graph->node_count, 5);
	ck_assert(sd_text_is(graph->graph[SD_ROOT].name, "small"));
	ck_assert(sd_text_is(type_of(graph, "x"), "Data"));
	ck_assert(sd_text_is(type_of(graph, "w"), "Const"));
	ck_assert(sd_text_is(type_of(graph, "c"), "Conv2D"));
	ck_assert(sd_text_is(graph->name[relu], "Relu_3"));
	ck_assert(sd_text_is(type_of(graph, "NetOutput"), "NetOutput"));
	ck_assert_uint_eq(graph->in_first[relu + 1] - graph->in_first[relu], 3);
	ck_assert_uint_eq(graph->in[graph->in_first[relu] + 1].src, SD_NO_NODE);
	ck_assert_int_eq(graph->in[graph->in_first[relu] + 2].port, 1);
	ck_assert_uint_eq(graph->in[graph->in_first[4]].src, relu);
}
END_TEST

START_TEST(shapes_and_sizes_where_they_are_known)
{
	const struct sd_graph *graph = imported(small_model());
	const struct sd_extra *x = &graph->extra[graph->extra_of[0]], *relu = &graph->extra[graph->extra_of[3]];

	ck_assert_uint_eq(graph->output[x->output_first].shape_count, 3);
	ck_assert_int_eq(graph->shape[graph->output[x->output_first].shape_first], -1);
	ck_assert_int_eq(graph->output[x->output_first].bytes, -1);
	ck_assert(sd_text_is(graph->output[x->output_first].dtype, "float16"));
	ck_assert_int_eq(graph->output[relu->output_first].bytes, 24);
	ck_assert_uint_eq(graph->extra_of[2], UINT32_MAX);
}
END_TEST

START_TEST(data_are_numbered_and_constants_are_local)
{
	size_t graph = graph_begin("g");
	const struct sd_graph *got;
	const struct sd_attr *index;

	put_value(11, "x", 1, "1");
	put_value(11, "y", 1, "1");
	put_node("k", "Constant", "-> s");
	put_node("fill", "ConstantOfShape", "s -> f");
	put_node("late", "ConstantOfShape", "y -> l");
	put_node("add", "Add", "x f -> a");
	got = imported(graph);
	index = &got->attr[got->attrs[node_of(got, "y")].first];
	ck_assert(sd_text_is(index->name, "index"));
	ck_assert_int_eq(index->value.integer, 1);
	ck_assert(sd_text_is(type_of(got, "k"), "Const"));
	ck_assert(sd_text_is(engine_of(got, "fill"), "DNN_VM_GE_LOCAL"));
	ck_assert(sd_text_is(engine_of(got, "late"), ""));
	ck_assert(sd_text_is(engine_of(got, "add"), ""));
}
END_TEST

START_TEST(names_are_made_unique_and_valid)
{
	size_t graph = graph_begin("^no name");
	const struct sd_graph *got;

	put_value(11, "x", 1, "1");
	put_node("n", "Relu", "x -> a");
	put_node("n", "Relu", "a -> b");
	put_node("^n", "Relu", "b -> c");
	put_node("x", "Relu", "c -> NetOutput");
	put_node("NetOutput", "Relu", "NetOutput -> d");
	got = imported(graph);
	ck_assert(sd_text_is(got->graph[SD_ROOT].name, "model"));
	ck_assert(sd_text_is(got->name[1], "n"));
	ck_assert(sd_text_is(got->name[2], "n_2"));
	ck_assert(sd_text_is(got->name[3], "Relu_3"));
	ck_assert(sd_text_is(got->name[4], "x_4"));
	ck_assert(sd_text_is(got->name[6], "NetOutput_6"));
}
END_TEST

START_TEST(types_are_translated_by_opset_and_rank)
{
	size_t graph = graph_begin("g"), set;
	const struct sd_graph *got;

	put_value(11, "v", 1, "1 2 3 4 5");
	put_node("conv", "Conv", "v -> a");
	put_node("slice", "Slice", "a -> b");
	put_node("gemm", "Gemm", "b -> c");
	put_node("nms", "NonMaxSuppression", "c -> d");
	put_node("own", "SomethingNew", "d -> e");
	sd_put_end(&model, graph);
	set = sd_put_begin(&model, 8);
	sd_put_uint(&model, 2, 9);
	graph = set;
	got = imported(graph);
	ck_assert(sd_text_is(type_of(got, "conv"), "Conv3D"));
	ck_assert(sd_text_is(type_of(got, "slice"), "StridedSliceD"));
	ck_assert(sd_text_is(type_of(got, "gemm"), "MatMulV2"));
	ck_assert(sd_text_is(type_of(got, "nms"), "NonMaxSuppressionV6"));
	ck_assert(sd_text_is(engine_of(got, "nms"), "DNN_VM_AICPU"));
	ck_assert(sd_text_is(type_of(got, "own"), "SomethingNew"));
}
END_TEST

/* ---- what is refused ---- */

START_TEST(values_come_from_one_place)
{
	size_t graph = graph_begin("g");

	put_node("a", "Relu", "nowhere -> b");
	refused(graph, "SD0116: the model cannot be read: node 'a' reads what no node, input or initializer gives: 'nowhere'");
	graph = graph_begin("g");
	put_value(11, "x", 1, "1");
	put_node("a", "Relu", "x -> v");
	put_node("b", "Relu", "x -> v");
	refused(graph, "SD0116: the model cannot be read: node 'b' gives what is given already: 'v'");
	graph = graph_begin("g");
	put_value(12, "out", 1, "1");
	refused(graph, "SD0116: the model cannot be read: node 'NetOutput' reads what no node, input or initializer gives: 'out'");
}
END_TEST

START_TEST(bodies_are_not_built)
{
	size_t graph = graph_begin("g"), node, attribute;

	node = sd_put_begin(&model, 1);
	put_text(3, "if_0");
	put_text(4, "If");
	attribute = sd_put_begin(&model, 5);
	put_text(1, "then_branch");
	put_text(6, "?");
	sd_put_end(&model, attribute);
	sd_put_end(&model, node);
	refused(graph, "SD0001: reading the body 'then_branch' of model node 'if_0' ('If') is not built yet; leave it out");
}
END_TEST

START_TEST(a_cycle_is_for_the_planner)
{
	size_t graph = graph_begin("g");

	put_node("a", "Relu", "w -> v");
	put_node("b", "Relu", "v -> w");
	ck_assert_uint_eq(imported(graph)->node_count, 3);
}
END_TEST

START_TEST(what_is_cut_off_is_no_model)
{
	struct sd_diag diag = { 0 };
	struct sd_text bytes;
	size_t whole;

	sd_put_end(&model, small_model());
	whole = model.len;
	for (model.len = 0; model.len < whole; model.len++) {
		memset(&diag, 0, sizeof(diag));
		ck_assert_int_eq(import(&mem, NULL, &diag), SD_INVALID_ARGUMENT);
		ck_assert_int_eq(diag.code, SD_CODE_BAD_MODEL);
	}
	ck_assert_int_eq(import(&mem, NULL, &diag), SD_OK);
	memset(&diag, 0, sizeof(diag));
	ck_assert_int_eq(sd_input_bytes(&mem, SD_INPUT_ONNX, text_of("\x08\x08"), NULL, NULL, &bytes, &diag), SD_INVALID_ARGUMENT);
	ck_assert_str_eq(say(&diag), "SD0116: the model cannot be read: it holds no graph");
}
END_TEST

START_TEST(every_failing_allocation_is_told)
{
	sd_put_end(&model, small_model());
	for (uint64_t at = 1;; at++) {
		struct sd_diag diag = { 0 };
		struct sd_arena small;
		enum sd_status status;

		sd_arena_init(&small, 0);
		small.fail_at = at;
		status = import(&small, NULL, &diag);
		sd_arena_finish(&small);
		if (status == SD_OK) {
			ck_assert_uint_gt(at, 20);
			return;
		}
		ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	}
}
END_TEST

/* ---- published networks ---- */

static void read_network(const char *file, uint32_t nodes, uint32_t edges)
{
	char path[4096];
	struct sd_text content, bytes;
	struct sd_diag diag = { 0 };
	const struct sd_graph *graph;

	snprintf(path, sizeof(path), "%s/tests/data/onnx/%s", SOURCE_ROOT, file);
	ck_assert_msg(sd_input_read(&mem, path, &content, &diag) == SD_OK, "%s", say(&diag));
	ck_assert_int_eq(sd_input_kind("-", content), SD_INPUT_ONNX);
	ck_assert_msg(sd_input_bytes(&mem, SD_INPUT_ONNX, content, NULL, NULL, &bytes, &diag) == SD_OK, "%s", say(&diag));
	graph = &decoded(bytes)->graph;
	ck_assert_uint_eq(graph->node_count, nodes);
	ck_assert_uint_eq(graph->edge_count, edges);
}

START_TEST(published_networks_are_read_whole)
{
	read_network("light_bvlc_alexnet.onnx", 59, 58);
	read_network("light_squeezenet.onnx", 159, 166);
	read_network("light_shufflenet.onnx", 729, 744);
	read_network("light_densenet121.onnx", 2596, 2653);
}
END_TEST

RUN_TESTS("onnx_import", sources_nodes_and_outputs, shapes_and_sizes_where_they_are_known, data_are_numbered_and_constants_are_local,
          names_are_made_unique_and_valid, types_are_translated_by_opset_and_rank, values_come_from_one_place, bodies_are_not_built,
          a_cycle_is_for_the_planner, what_is_cut_off_is_no_model, every_failing_allocation_is_told, published_networks_are_read_whole)
