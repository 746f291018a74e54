/* The nodes of one graph: sources, operators, NetOutput; edges come when all of them are there. */
#include <stdio.h>

#include "json_message.h"
#include "onnx_parts.h"
#include "onnx_types.h"
#include "quote.h"

/* ---- names ---- */

bool sd__onnx_is_usable(struct sd_text name)
{
	return name.len > 0 && name.len <= SD_NAME_KEPT && name.at[0] != '^' && !memchr(name.at, '\0', name.len);
}

/* Gives node `index` its wish if nobody has it, else the stem with the first free number from its own. */
static enum sd_status set_name(struct import *im, uint32_t index, struct sd_text wish, struct sd_text stem)
{
	struct sd_unique *names = &im->whole->names;
	bool done = sd__onnx_is_usable(wish) ? sd_unique_name(names, wish, index, &im->name[index]) : sd_unique_numbered(names, stem, index, &im->name[index]);

	if (!done)
		return sd__onnx_no_memory(im);
	im->node[index]->name = sd_message_string(im->name[index].at);
	return SD_OK;
}

/* ---- nodes ---- */

static enum sd_status give(struct import *im, uint32_t node, uint32_t output, struct sd_text value)
{
	im->given[im->given_count] = value;
	im->giver[im->given_count] = (struct giver){ node, output };
	if (sd__names_add(&im->values, im->given_count) != SD__NO_NAME)
		return sd__onnx_fail(im, im->name[node], "gives what is given already:", value);
	im->given_count++;
	return SD_OK;
}

const struct onnx_value *sd__onnx_fact(const struct import *im, struct sd_text value)
{
	uint32_t found = sd__names_find(&im->facts, value);

	if (found == SD__NO_NAME)
		return im->around ? sd__onnx_fact(im->around, value) : NULL;
	return &im->fact[found];
}

/* Bytes of all items; -1 where a dimension or the item's size is not known. */
static int64_t bytes_of(const struct import *im, const struct onnx_value *fact, int item_bytes)
{
	int64_t bytes = item_bytes;

	if (!fact->has_shape || item_bytes == 0)
		return -1;
	for (uint32_t i = 0; i < fact->dim_count; i++) {
		int64_t dim = fact->dim[i];

		if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes))
			return -1;
	}
	return bytes;
}

static enum sd_status add_output(struct import *im, node_t *node, struct sd_text value)
{
	Streamd__V1__Output *output = sd_message_new(im->mem, &streamd__v1__output__descriptor);
	const struct onnx_value *fact = sd__onnx_fact(im, value);
	int item_bytes;

	if (!output)
		return sd__onnx_no_memory(im);
	node->outputs[node->n_outputs++] = output;
	if (!fact)
		return SD_OK;
	output->dtype = sd_message_string(sd__onnx_dtype(fact->type, &item_bytes));
	output->n_shape = fact->dim_count;
	output->shape = fact->dim;
	if (bytes_of(im, fact, item_bytes) >= 0) {
		output->bytes__case = STREAMD__V1__OUTPUT__BYTES__BYTES;
		output->bytes = bytes_of(im, fact, item_bytes);
	}
	return SD_OK;
}

/* Says what is known of the node's outputs, if it is anything at all. */
static enum sd_status add_outputs(struct import *im, node_t *node, const struct sd_text *values, uint32_t count)
{
	bool known = false;

	for (uint32_t i = 0; i < count; i++)
		known |= sd__onnx_fact(im, values[i]) != NULL;
	if (!known)
		return SD_OK;
	node->outputs = SD_NEW(im->mem, Streamd__V1__Output *, count);
	if (!node->outputs)
		return sd__onnx_no_memory(im);
	for (uint32_t i = 0; i < count; i++)
		SD_TRY(add_output(im, node, values[i]));
	return SD_OK;
}

static node_t *new_node(struct import *im, const char *type, const char *engine)
{
	node_t *node = sd_message_new(im->mem, &streamd__v1__node__descriptor);

	if (!node)
		return NULL;
	node->op_type = sd_message_string(type);
	if (engine)
		node->engine = sd_message_string(engine);
	im->node[im->node_count] = node;
	return node;
}

static enum sd_status set_int(struct import *im, node_t *node, const char *name, int64_t number)
{
	Streamd__V1__Attr *attr = sd_message_new(im->mem, &streamd__v1__attr__descriptor);
	Streamd__V1__Value *value = sd_message_new(im->mem, &streamd__v1__value__descriptor);

	node->attrs = SD_NEW(im->mem, Streamd__V1__Attr *, 1);
	if (!attr || !value || !node->attrs)
		return sd__onnx_no_memory(im);
	attr->name = sd_message_string(name);
	attr->value = value;
	value->kind_case = STREAMD__V1__VALUE__KIND_I;
	value->i = number;
	node->attrs[node->n_attrs++] = attr;
	return SD_OK;
}

/* A node that only gives a value of the model: Data or Const. */
static enum sd_status add_source(struct import *im, const char *type, struct sd_text value, node_t **node)
{
	uint32_t index = im->node_count;

	*node = new_node(im, type, "DNN_VM_GE_LOCAL");
	if (!*node)
		return sd__onnx_no_memory(im);
	im->constant[index] = strcmp(type, "Const") == 0;
	SD_TRY(set_name(im, index, value, (struct sd_text){ type, (uint32_t)strlen(type) }));
	SD_TRY(give(im, index, 0, value));
	im->node_count++;
	return add_outputs(im, *node, &value, 1);
}

/* A body's input k is input k of its node; what it reads from outside are inputs behind those. */
static const char *index_name(const struct import *im)
{
	return im->around ? "_parent_node_index" : "index";
}

static enum sd_status add_inputs(struct import *im)
{
	const struct onnx_model *m = im->model;
	int64_t data_count = 0;
	node_t *node;

	for (uint32_t i = 0; i < m->input.count; i++) {
		/* Older models list their initializers, whose facts come first, among the inputs. */
		if (sd__names_find(&im->facts, m->input.at[i].name) < m->initializer.count)
			continue;
		SD_TRY(add_source(im, "Data", m->input.at[i].name, &node));
		SD_TRY(set_int(im, node, index_name(im), data_count++));
	}
	return SD_OK;
}

static enum sd_status add_outside(struct import *im)
{
	node_t *node;

	for (uint32_t i = 0; im->around && i < im->scope->outside.count; i++) {
		struct sd_text value = im->scope->outside.at[i];

		SD_TRY(add_source(im, "Data", value, &node));
		SD_TRY(set_int(im, node, index_name(im), (int64_t)im->captured->first + sd__names_find(&im->captured->names, value)));
	}
	return SD_OK;
}

enum sd_status sd__onnx_add_sources(struct import *im)
{
	const struct onnx_values *initializers = &im->model->initializer;
	node_t *node;

	SD_TRY(add_inputs(im));
	for (uint32_t i = 0; i < initializers->count; i++)
		SD_TRY(add_source(im, "Const", initializers->at[i].name, &node));
	return add_outside(im);
}

static int rank_of(const struct import *im, const struct onnx_node *node)
{
	for (uint32_t i = 0; i < node->input_count && i < 2; i++) {
		const struct onnx_value *fact = sd__onnx_fact(im, im->model->text[node->input_first + i]);

		if (fact && fact->has_shape)
			return (int)fact->dim_count;
	}
	return -1;
}

/* Graph Engine's operator for one whose bodies we know how to run; NULL for others. */
static const char *type_with_bodies(struct sd_text type)
{
	static const struct {
		const char *onnx, *ge;
	} rows[] = { { "If", "If" }, { "Loop", "For" }, { "Scan", "For" }, { "SequenceMap", "For" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sd_text_is(type, rows[i].onnx))
			return rows[i].ge;
	}
	return NULL;
}

static enum sd_status refuse_body(struct import *im, uint32_t index, const struct onnx_node *node)
{
	char name[SD_QUOTE_MAX], body[SD_QUOTE_MAX], type[SD_QUOTE_MAX];

	return SD_FAIL1(im->diag, SD_CODE_NOT_BUILT, SD_NO_NODE,
	                sd_arg_words(sd_words(im->mem, "reading the body %s of model node %s (%s)",
	                                      sd_quote(body, im->model->body[node->body_first].attribute), sd_quote(name, im->name[index]),
	                                      sd_quote(type, node->type))));
}

enum sd_status sd__onnx_add_node(struct import *im, const struct onnx_node *from)
{
	const struct sd_text *outputs = im->model->text + from->output_first;
	bool is_default = from->domain.len == 0 || sd_text_is(from->domain, "ai.onnx");
	const struct onnx_type_row *row = is_default ? sd__onnx_type(from->type, im->model->opset, rank_of(im, from)) : NULL;
	const char *type = row ? row->ge : sd_text_copy(im->mem, from->type);
	uint32_t index = im->node_count;

	if (from->body_count && is_default)
		type = type_with_bodies(from->type);

	if (!new_node(im, type ? type : "", row ? row->engine : NULL))
		return sd__onnx_no_memory(im);
	SD_TRY(set_name(im, index, from->name, from->type));
	if (from->body_count && (!is_default || !type))
		return refuse_body(im, index, from);
	if (!type)
		return sd__onnx_no_memory(im);
	if (!row && !from->body_count && strlen(type) != from->type.len)
		return sd__onnx_fail(im, im->name[index], "has an operator type with a NUL in it:", from->type);
	for (uint32_t i = 0; i < from->output_count; i++) {
		if (outputs[i].len > 0)
			SD_TRY(give(im, index, i, outputs[i]));
	}
	im->constant[index] = sd_text_is(from->type, "Constant");
	im->node_count++;
	return add_outputs(im, im->node[index], outputs, from->output_count);
}

enum sd_status sd__onnx_add_end(struct import *im, uint32_t *index)
{
	*index = im->node_count;
	if (!new_node(im, "NetOutput", "DNN_VM_GE_LOCAL"))
		return sd__onnx_no_memory(im);
	SD_TRY(set_name(im, *index, SD_TEXT("NetOutput"), SD_TEXT("NetOutput")));
	im->node_count++;
	return SD_OK;
}
