/* The file is walked twice: once to count what is there, once to fill arrays of that
 * size. Messages inside messages are read by functions that call only deeper ones, so
 * that no file, however nested, makes the stack grow. */
#include "onnx_model.h"

#include "json_path.h"
#include "proto/wire.h"

/* Field numbers of the format. */
enum { MODEL_GRAPH = 7, MODEL_OPSET = 8, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_VALUE_INFO = 13, GRAPH_SPARSE = 15 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_TYPE = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_GRAPH = 6, ATTRIBUTE_GRAPHS = 11 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, SPARSE_VALUES = 1, SPARSE_DIMS = 3 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_TYPE_ELEM = 1, TENSOR_TYPE_SHAPE = 2, SHAPE_DIM = 1, DIM_VALUE = 1 };

struct reader {
	struct sd_arena *mem;
	struct sd_diag *diag;
	struct onnx_model *model;
	bool counting;
	uint64_t dims, texts, bodies;
};

static enum sd_status fail(struct reader *r, const char *what)
{
	return SD_FAIL1(r->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words(what));
}

static enum sd_status end_of(struct reader *r, const struct sd_wire *wire)
{
	return wire->bad ? fail(r, "the file is cut off or no ONNX model") : SD_OK;
}

static void add_dim(struct reader *r, struct onnx_value *value, int64_t dim)
{
	if (!r->counting)
		r->model->dim[r->dims] = dim;
	r->dims++;
	value->dim_count++;
}

static void start_dims(struct reader *r, struct onnx_value *value)
{
	value->has_shape = true;
	value->dim = r->counting ? NULL : r->model->dim + r->dims;
	value->dim_count = 0;
}

/* ---- values ---- */

static enum sd_status read_dim(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;
	int64_t dim = -1;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == DIM_VALUE && field.type == SD_WIRE_VARINT)
			dim = (int64_t)field.number_value < 0 ? -1 : (int64_t)field.number_value;
	}
	add_dim(r, value, dim);
	return end_of(r, &wire);
}

static enum sd_status read_shape(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	start_dims(r, value);
	while (sd_wire_next(&wire, &field)) {
		if (field.number == SHAPE_DIM && field.type == SD_WIRE_BYTES)
			SD_TRY(read_dim(r, field.bytes, value));
	}
	return end_of(r, &wire);
}

static enum sd_status read_tensor_type(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == TENSOR_TYPE_ELEM && field.type == SD_WIRE_VARINT)
			value->type = (int32_t)field.number_value;
		else if (field.number == TENSOR_TYPE_SHAPE && field.type == SD_WIRE_BYTES)
			SD_TRY(read_shape(r, field.bytes, value));
	}
	return end_of(r, &wire);
}

static enum sd_status read_type(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == TYPE_TENSOR && field.type == SD_WIRE_BYTES)
			SD_TRY(read_tensor_type(r, field.bytes, value));
	}
	return end_of(r, &wire);
}

static enum sd_status read_value(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.type != SD_WIRE_BYTES)
			continue;
		if (field.number == VALUE_NAME)
			value->name = field.bytes;
		else if (field.number == VALUE_TYPE)
			SD_TRY(read_type(r, field.bytes, value));
	}
	return end_of(r, &wire);
}

/* Dimensions are a packed list, or one field each. */
static enum sd_status read_dims(struct reader *r, const struct sd_field *field, struct onnx_value *value)
{
	struct sd_wire packed;
	uint64_t dim;

	if (field->type == SD_WIRE_VARINT) {
		add_dim(r, value, (int64_t)field->number_value);
		return SD_OK;
	}
	if (field->type != SD_WIRE_BYTES)
		return SD_OK;
	packed = sd_wire_over(field->bytes);
	while (sd_wire_varint(&packed, &dim))
		add_dim(r, value, (int64_t)dim);
	return end_of(r, &packed);
}

/* An initializer; its data are a field that nobody looks into. */
static enum sd_status read_tensor(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	start_dims(r, value);
	while (sd_wire_next(&wire, &field)) {
		if (field.number == TENSOR_NAME && field.type == SD_WIRE_BYTES)
			value->name = field.bytes;
		else if (field.number == TENSOR_TYPE && field.type == SD_WIRE_VARINT)
			value->type = (int32_t)field.number_value;
		else if (field.number == TENSOR_DIMS)
			SD_TRY(read_dims(r, &field, value));
	}
	return end_of(r, &wire);
}

/* Its name and type are those of the tensor of its values, its shape is its own. */
static enum sd_status read_sparse(struct reader *r, struct sd_text bytes, struct onnx_value *value)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct onnx_value inner = { 0 };
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == SPARSE_VALUES && field.type == SD_WIRE_BYTES)
			SD_TRY(read_tensor(r, field.bytes, &inner));
	}
	*value = (struct onnx_value){ .name = inner.name, .type = inner.type };
	return end_of(r, &wire);
}

/* ---- nodes ---- */

static void add_body(struct reader *r, struct onnx_node *node, struct sd_text attribute, struct sd_text graph)
{
	if (!r->counting)
		r->model->body[r->bodies] = (struct onnx_body){ attribute, graph };
	r->bodies++;
	node->body_count++;
}

static enum sd_status read_attribute(struct reader *r, struct sd_text bytes, struct onnx_node *node)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_text name = SD_TEXT("?");
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == ATTRIBUTE_NAME && field.type == SD_WIRE_BYTES && field.bytes.len > 0)
			name = field.bytes;
	}
	SD_TRY(end_of(r, &wire));
	wire = sd_wire_over(bytes);
	while (sd_wire_next(&wire, &field)) {
		if ((field.number == ATTRIBUTE_GRAPH || field.number == ATTRIBUTE_GRAPHS) && field.type == SD_WIRE_BYTES)
			add_body(r, node, name, field.bytes);
	}
	return SD_OK;
}

static void add_text(struct reader *r, uint32_t *count, struct sd_text text)
{
	if (!r->counting)
		r->model->text[r->texts] = text;
	r->texts++;
	++*count;
}

static enum sd_status read_node_field(struct reader *r, const struct sd_field *field, struct onnx_node *node)
{
	switch (field->number) {
	case NODE_NAME:
		node->name = field->bytes;
		break;
	case NODE_TYPE:
		node->type = field->bytes;
		break;
	case NODE_DOMAIN:
		node->domain = field->bytes;
		break;
	case NODE_ATTRIBUTE:
		return read_attribute(r, field->bytes, node);
	}
	return SD_OK;
}

/* The values of one kind, so that a node's inputs lie together. */
static void read_names(struct reader *r, struct sd_text bytes, uint32_t kind, uint32_t *first, uint32_t *count)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	*first = (uint32_t)r->texts;
	while (sd_wire_next(&wire, &field)) {
		if (field.number == kind && field.type == SD_WIRE_BYTES)
			add_text(r, count, field.bytes);
	}
}

static enum sd_status read_node(struct reader *r, struct sd_text bytes, struct onnx_node *node)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	node->body_first = (uint32_t)r->bodies;
	while (sd_wire_next(&wire, &field)) {
		if (field.type == SD_WIRE_BYTES)
			SD_TRY(read_node_field(r, &field, node));
	}
	SD_TRY(end_of(r, &wire));
	read_names(r, bytes, NODE_INPUT, &node->input_first, &node->input_count);
	read_names(r, bytes, NODE_OUTPUT, &node->output_first, &node->output_count);
	return SD_OK;
}

/* ---- graph and model ---- */

static enum sd_status add_value(struct reader *r, struct sd_text bytes, struct onnx_values *values,
                                enum sd_status (*read)(struct reader *, struct sd_text, struct onnx_value *))
{
	struct onnx_value value = { 0 };

	SD_TRY(read(r, bytes, &value));
	if (!r->counting)
		values->at[values->count] = value;
	values->count++;
	return SD_OK;
}

static enum sd_status add_node(struct reader *r, struct sd_text bytes)
{
	struct onnx_node node = { 0 };

	SD_TRY(read_node(r, bytes, &node));
	if (!r->counting)
		r->model->node[r->model->node_count] = node;
	r->model->node_count++;
	return SD_OK;
}

static enum sd_status read_graph_field(struct reader *r, const struct sd_field *field)
{
	struct onnx_model *m = r->model;

	switch (field->number) {
	case GRAPH_NODE: return add_node(r, field->bytes);
	case GRAPH_INITIALIZER: return add_value(r, field->bytes, &m->initializer, read_tensor);
	case GRAPH_SPARSE: return add_value(r, field->bytes, &m->initializer, read_sparse);
	case GRAPH_INPUT: return add_value(r, field->bytes, &m->input, read_value);
	case GRAPH_OUTPUT: return add_value(r, field->bytes, &m->output, read_value);
	case GRAPH_VALUE_INFO: return add_value(r, field->bytes, &m->described, read_value);
	case GRAPH_NAME: m->name = field->bytes; break;
	}
	return SD_OK;
}

static enum sd_status read_graph(struct reader *r, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct onnx_model *m = r->model;
	struct sd_field field;

	m->node_count = m->input.count = m->output.count = m->initializer.count = m->described.count = 0;
	r->dims = r->texts = r->bodies = 0;
	while (sd_wire_next(&wire, &field)) {
		if (field.type == SD_WIRE_BYTES)
			SD_TRY(read_graph_field(r, &field));
	}
	return end_of(r, &wire);
}

static bool make_room(struct reader *r)
{
	struct onnx_model *m = r->model;

	m->node = SD_NEW(r->mem, struct onnx_node, m->node_count);
	m->input.at = SD_NEW(r->mem, struct onnx_value, m->input.count);
	m->output.at = SD_NEW(r->mem, struct onnx_value, m->output.count);
	m->initializer.at = SD_NEW(r->mem, struct onnx_value, m->initializer.count);
	m->described.at = SD_NEW(r->mem, struct onnx_value, m->described.count);
	m->text = SD_NEW(r->mem, struct sd_text, r->texts);
	m->dim = SD_NEW(r->mem, int64_t, r->dims);
	m->body = SD_NEW(r->mem, struct onnx_body, r->bodies);
	m->text_count = (uint32_t)r->texts;
	m->body_count = (uint32_t)r->bodies;
	return m->body && m->node && m->input.at && m->output.at && m->initializer.at && m->described.at && m->text && m->dim;
}

static int64_t read_opset(struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_text domain = SD_TEXT("");
	struct sd_field field;
	int64_t version = 0;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == OPSET_DOMAIN && field.type == SD_WIRE_BYTES)
			domain = field.bytes;
		else if (field.number == OPSET_VERSION && field.type == SD_WIRE_VARINT)
			version = (int64_t)field.number_value;
	}
	return domain.len == 0 || sd_text_is(domain, "ai.onnx") ? version : 0;
}

enum sd_status sd__onnx_read_body(struct sd_arena *mem, struct sd_text graph, int64_t opset, struct onnx_model *model, struct sd_diag *diag)
{
	struct reader r = { .mem = mem, .diag = diag, .model = model, .counting = true };

	*model = (struct onnx_model){ .name = SD_TEXT(""), .opset = opset };
	SD_TRY(read_graph(&r, graph));
	if (r.texts > ONNX_COUNT_MAX || r.dims > ONNX_COUNT_MAX)
		return fail(&r, "it has more values than can be numbered");
	if (!make_room(&r))
		return sd_memory_fail(mem, diag);
	r.counting = false;
	return read_graph(&r, graph);
}

enum sd_status sd__onnx_read(struct sd_arena *mem, struct sd_text file, struct onnx_model *model, struct sd_diag *diag)
{
	struct reader r = { .mem = mem, .diag = diag };
	struct sd_wire wire = sd_wire_over(file);
	struct sd_text graph = { NULL, 0 };
	struct sd_field field;
	int64_t opset = 0;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == MODEL_GRAPH && field.type == SD_WIRE_BYTES)
			graph = field.bytes;
		else if (field.number == MODEL_OPSET && field.type == SD_WIRE_BYTES && read_opset(field.bytes) > 0)
			opset = read_opset(field.bytes);
	}
	SD_TRY(end_of(&r, &wire));
	return graph.at ? sd__onnx_read_body(mem, graph, opset, model, diag) : fail(&r, "it holds no graph");
}
