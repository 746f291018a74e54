/* The graph of a model, rebuilt as a request. Nodes in order: one Data for each input,
 * one Const for each initializer, the model's nodes as listed, NetOutput. */
#include "onnx.h"

#include <stdio.h>

#include "json_message.h"
#include "onnx_model.h"
#include "onnx_types.h"
#include "proto/names.h"
#include "quote.h"

#define NAME_KEPT 480u /* bytes; a number that makes it unique still fits 512 */
#define NO_VALUE UINT32_MAX
#define COUNT_MAX (1u << 29) /* of nodes or values; a graph of that size is far beyond any device */

typedef Streamd__V1__Node node_t;

/* Who gives a value. */
struct giver {
	uint32_t node, output;
};

struct import {
	struct sd_arena *mem;
	struct sd_diag *diag;
	struct onnx_model model;
	uint32_t node_count;
	node_t **node;
	bool *constant;               /* per node: the same in every run */
	struct sd_text *name;         /* per node */
	struct sd__names names;
	struct sd_text *given;        /* names of values, as they are given */
	struct giver *giver;
	uint32_t given_count;
	struct sd__names values;
	struct onnx_value *fact;      /* what the model says of values by name */
	struct sd_text *fact_name;
	struct sd__names facts;
};

static enum sd_status no_memory(struct import *im)
{
	return sd_memory_fail(im->mem, im->diag);
}

static enum sd_status fail_value(struct import *im, struct sd_text node, const char *what, struct sd_text value)
{
	char quoted_node[SD_QUOTE_MAX], quoted_value[SD_QUOTE_MAX];

	return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE,
	                sd_arg_words(sd_words(im->mem, "node %s %s %s", sd_quote(quoted_node, node), what, sd_quote(quoted_value, value))));
}

/* ---- texts and names ---- */

static char *copy_text(struct import *im, struct sd_text text)
{
	char *copy = sd_arena_alloc(im->mem, (size_t)text.len + 1);

	if (!copy)
		return NULL;
	if (text.len)
		memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	return copy;
}

static bool is_usable(struct sd_text name)
{
	return name.len > 0 && name.len <= NAME_KEPT && name.at[0] != '^' && !memchr(name.at, '\0', name.len);
}

static bool set_numbered(struct import *im, uint32_t index, struct sd_text stem, uint32_t number)
{
	char text[NAME_KEPT + 16];
	int len = snprintf(text, sizeof(text), "%.*s_%u", (int)(stem.len < NAME_KEPT ? stem.len : NAME_KEPT), stem.at, number);

	im->name[index] = (struct sd_text){ copy_text(im, (struct sd_text){ text, (uint32_t)len }), (uint32_t)len };
	return im->name[index].at != NULL;
}

/* Gives node `index` its wish if nobody has it, else the stem with the first free number from its own. */
static enum sd_status set_name(struct import *im, uint32_t index, struct sd_text wish, struct sd_text stem)
{
	bool usable = is_usable(wish);
	uint32_t number = index;

	if (usable)
		im->name[index] = (struct sd_text){ copy_text(im, wish), wish.len };
	else if (!set_numbered(im, index, stem, number))
		return no_memory(im);
	if (!im->name[index].at)
		return no_memory(im);
	while (sd__names_add(&im->names, index) != SD__NO_NAME) {
		if (!set_numbered(im, index, usable ? wish : stem, number++))
			return no_memory(im);
	}
	im->node[index]->name = sd_message_string(im->name[index].at);
	return SD_OK;
}

/* ---- nodes ---- */

static enum sd_status give(struct import *im, uint32_t node, uint32_t output, struct sd_text value)
{
	im->given[im->given_count] = value;
	im->giver[im->given_count] = (struct giver){ node, output };
	if (sd__names_add(&im->values, im->given_count) != SD__NO_NAME)
		return fail_value(im, im->name[node], "gives what is given already:", value);
	im->given_count++;
	return SD_OK;
}

static const struct onnx_value *fact_of(const struct import *im, struct sd_text value)
{
	uint32_t found = sd__names_find(&im->facts, value);

	return found == SD__NO_NAME ? NULL : &im->fact[found];
}

/* Bytes of all items; -1 where a dimension or the item's size is not known. */
static int64_t bytes_of(const struct import *im, const struct onnx_value *fact, int item_bytes)
{
	int64_t bytes = item_bytes;

	if (!fact->has_shape || item_bytes == 0)
		return -1;
	for (uint32_t i = 0; i < fact->dim_count; i++) {
		int64_t dim = im->model.dim[fact->dim_first + i];

		if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes))
			return -1;
	}
	return bytes;
}

static enum sd_status add_output(struct import *im, node_t *node, struct sd_text value)
{
	Streamd__V1__Output *output = sd_message_new(im->mem, &streamd__v1__output__descriptor);
	const struct onnx_value *fact = fact_of(im, value);
	int item_bytes;

	if (!output)
		return no_memory(im);
	node->outputs[node->n_outputs++] = output;
	if (!fact)
		return SD_OK;
	output->dtype = sd_message_string(sd__onnx_dtype(fact->type, &item_bytes));
	output->n_shape = fact->dim_count;
	output->shape = im->model.dim + fact->dim_first;
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
		known |= fact_of(im, values[i]) != NULL;
	if (!known)
		return SD_OK;
	node->outputs = SD_NEW(im->mem, Streamd__V1__Output *, count);
	if (!node->outputs)
		return no_memory(im);
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

static enum sd_status set_index(struct import *im, node_t *node, int64_t index)
{
	Streamd__V1__Attr *attr = sd_message_new(im->mem, &streamd__v1__attr__descriptor);
	Streamd__V1__Value *value = sd_message_new(im->mem, &streamd__v1__value__descriptor);

	node->attrs = SD_NEW(im->mem, Streamd__V1__Attr *, 1);
	if (!attr || !value || !node->attrs)
		return no_memory(im);
	attr->name = sd_message_string("index");
	attr->value = value;
	value->kind_case = STREAMD__V1__VALUE__KIND_I;
	value->i = index;
	node->attrs[node->n_attrs++] = attr;
	return SD_OK;
}

/* A node that only gives a value of the model: Data or Const. */
static enum sd_status add_source(struct import *im, const char *type, struct sd_text value, node_t **node)
{
	uint32_t index = im->node_count;

	*node = new_node(im, type, "DNN_VM_GE_LOCAL");
	if (!*node)
		return no_memory(im);
	im->constant[index] = strcmp(type, "Const") == 0;
	SD_TRY(set_name(im, index, value, (struct sd_text){ type, (uint32_t)strlen(type) }));
	SD_TRY(give(im, index, 0, value));
	im->node_count++;
	return add_outputs(im, *node, &value, 1);
}

static enum sd_status add_sources(struct import *im)
{
	const struct onnx_model *m = &im->model;
	int64_t data_count = 0;
	node_t *node;

	for (uint32_t i = 0; i < m->input.count; i++) {
		/* Older models list their initializers, whose facts come first, among the inputs. */
		if (sd__names_find(&im->facts, m->input.at[i].name) < m->initializer.count)
			continue;
		SD_TRY(add_source(im, "Data", m->input.at[i].name, &node));
		SD_TRY(set_index(im, node, data_count++));
	}
	for (uint32_t i = 0; i < m->initializer.count; i++)
		SD_TRY(add_source(im, "Const", m->initializer.at[i].name, &node));
	return SD_OK;
}

static int rank_of(const struct import *im, const struct onnx_node *node)
{
	for (uint32_t i = 0; i < node->input_count && i < 2; i++) {
		const struct onnx_value *fact = fact_of(im, im->model.text[node->input_first + i]);

		if (fact && fact->has_shape)
			return (int)fact->dim_count;
	}
	return -1;
}

static enum sd_status refuse_body(struct import *im, uint32_t index, const struct onnx_node *node)
{
	char name[SD_QUOTE_MAX], body[SD_QUOTE_MAX], type[SD_QUOTE_MAX];

	return SD_FAIL1(im->diag, SD_CODE_NOT_BUILT, SD_NO_NODE,
	                sd_arg_words(sd_words(im->mem, "reading the body %s of model node %s (%s)", sd_quote(body, node->body),
	                                      sd_quote(name, im->name[index]), sd_quote(type, node->type))));
}

static enum sd_status add_node(struct import *im, const struct onnx_node *from)
{
	const struct sd_text *outputs = im->model.text + from->output_first;
	bool is_default = from->domain.len == 0 || sd_text_is(from->domain, "ai.onnx");
	const struct onnx_type_row *row = is_default ? sd__onnx_type(from->type, im->model.opset, rank_of(im, from)) : NULL;
	const char *type = row ? row->ge : copy_text(im, from->type);
	uint32_t index = im->node_count;

	if (!type || !new_node(im, type, row ? row->engine : NULL))
		return no_memory(im);
	SD_TRY(set_name(im, index, from->name, from->type));
	if (from->body.len > 0)
		return refuse_body(im, index, from);
	if (strlen(type) != (row ? strlen(row->ge) : from->type.len))
		return fail_value(im, im->name[index], "has an operator type with a NUL in it:", from->type);
	for (uint32_t i = 0; i < from->output_count; i++) {
		if (outputs[i].len > 0)
			SD_TRY(give(im, index, i, outputs[i]));
	}
	im->constant[index] = sd_text_is(from->type, "Constant");
	im->node_count++;
	return add_outputs(im, im->node[index], outputs, from->output_count);
}

/* ---- edges ---- */

static enum sd_status add_input(struct import *im, uint32_t index, struct sd_text value)
{
	node_t *node = im->node[index];
	uint32_t found = value.len ? sd__names_find(&im->values, value) : NO_VALUE;
	struct sd_text source;
	size_t cap;
	char *text;

	if (value.len == 0) {
		node->inputs[node->n_inputs++] = sd_message_string("");
		return SD_OK;
	}
	if (found == SD__NO_NAME)
		return fail_value(im, im->name[index], "reads what no node, input or initializer gives:", value);
	source = im->name[im->giver[found].node];
	cap = (size_t)source.len + 16;
	text = sd_arena_alloc(im->mem, cap);
	if (!text)
		return no_memory(im);
	snprintf(text, cap, "%s:%u", source.at, im->giver[found].output);
	node->inputs[node->n_inputs++] = text;
	im->constant[index] &= im->constant[im->giver[found].node];
	return SD_OK;
}

static bool make_inputs(struct import *im, uint32_t index, uint32_t count)
{
	im->node[index]->inputs = SD_NEW(im->mem, char *, count);
	return im->node[index]->inputs != NULL;
}

/* A tensor filled by a constant shape is a constant as well: it is made when the model is loaded. */
static void settle_constant(struct import *im, uint32_t index, const struct onnx_node *from)
{
	if (sd_text_is(from->type, "ConstantOfShape") && im->constant[index])
		im->node[index]->engine = sd_message_string("DNN_VM_GE_LOCAL");
	else
		im->constant[index] = sd_text_is(from->type, "Constant");
}

static enum sd_status link_node(struct import *im, uint32_t index, const struct onnx_node *from)
{
	if (!make_inputs(im, index, from->input_count))
		return no_memory(im);
	im->constant[index] = true;
	for (uint32_t i = 0; i < from->input_count; i++)
		SD_TRY(add_input(im, index, im->model.text[from->input_first + i]));
	settle_constant(im, index, from);
	return SD_OK;
}

static enum sd_status add_net_output(struct import *im)
{
	const struct onnx_values *outputs = &im->model.output;
	uint32_t index = im->node_count;

	if (!new_node(im, "NetOutput", "DNN_VM_GE_LOCAL"))
		return no_memory(im);
	SD_TRY(set_name(im, index, SD_TEXT("NetOutput"), SD_TEXT("NetOutput")));
	im->node_count++;
	if (!make_inputs(im, index, outputs->count))
		return no_memory(im);
	for (uint32_t i = 0; i < outputs->count; i++)
		SD_TRY(add_input(im, index, outputs->at[i].name));
	return SD_OK;
}

/* ---- the whole ---- */

static uint32_t fact_count(const struct import *im)
{
	return im->model.initializer.count + im->model.input.count + im->model.described.count + im->model.output.count;
}

static enum sd_status gather_facts(struct import *im)
{
	const struct onnx_values *from[] = { &im->model.initializer, &im->model.input, &im->model.described, &im->model.output };
	uint32_t count = 0, most = fact_count(im);

	im->fact = SD_NEW(im->mem, struct onnx_value, most);
	im->fact_name = SD_NEW(im->mem, struct sd_text, most);
	if (!im->fact || !im->fact_name || !sd__names_init(&im->facts, im->mem, im->fact_name, most))
		return no_memory(im);
	for (size_t k = 0; k < 4; k++) {
		for (uint32_t i = 0; i < from[k]->count; i++) {
			im->fact[count] = from[k]->at[i];
			im->fact_name[count] = from[k]->at[i].name;
			if (im->fact_name[count].len > 0 && sd__names_add(&im->facts, count) == SD__NO_NAME)
				count++;
		}
	}
	return SD_OK;
}

static enum sd_status make_room(struct import *im)
{
	const struct onnx_model *m = &im->model;
	uint32_t sources = m->initializer.count + m->input.count, nodes = sources + m->node_count + 1, values = sources;

	for (uint32_t i = 0; i < m->node_count; i++)
		values += m->node[i].output_count;
	if (nodes > COUNT_MAX || values > COUNT_MAX || fact_count(im) > COUNT_MAX)
		return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("it has more nodes or values than can be numbered"));
	/* One more: a value is looked up before it is known to be new. */
	im->given = SD_NEW(im->mem, struct sd_text, (size_t)values + 1);
	im->giver = SD_NEW(im->mem, struct giver, (size_t)values + 1);
	im->node = SD_NEW(im->mem, node_t *, nodes);
	im->name = SD_NEW(im->mem, struct sd_text, nodes);
	im->constant = SD_NEW0(im->mem, bool, nodes);
	if (!im->given || !im->giver || !im->node || !im->name || !im->constant)
		return no_memory(im);
	if (!sd__names_init(&im->names, im->mem, im->name, nodes) || !sd__names_init(&im->values, im->mem, im->given, values + 1))
		return no_memory(im);
	return SD_OK;
}

static enum sd_status build(struct import *im)
{
	uint32_t first;

	SD_TRY(make_room(im));
	SD_TRY(gather_facts(im));
	SD_TRY(add_sources(im));
	first = im->node_count;
	for (uint32_t i = 0; i < im->model.node_count; i++)
		SD_TRY(add_node(im, &im->model.node[i]));
	for (uint32_t i = 0; i < im->model.node_count; i++)
		SD_TRY(link_node(im, first + i, &im->model.node[i]));
	return add_net_output(im);
}

enum sd_status sd_onnx_import(struct sd_arena *mem, struct sd_text bytes, Streamd__V1__PlanRequest **request, struct sd_diag *diag)
{
	struct import im = { .mem = mem, .diag = diag };
	Streamd__V1__Graph *graph = sd_message_new(mem, &streamd__v1__graph__descriptor);

	*request = sd_message_new(mem, &streamd__v1__plan_request__descriptor);
	if (!graph || !*request)
		return no_memory(&im);
	SD_TRY(sd__onnx_read(mem, bytes, &im.model, diag));
	SD_TRY(build(&im));
	graph->name = is_usable(im.model.name) ? copy_text(&im, im.model.name) : copy_text(&im, SD_TEXT("model"));
	if (!graph->name)
		return no_memory(&im);
	graph->nodes = im.node;
	graph->n_nodes = im.node_count;
	(*request)->graph = graph;
	return SD_OK;
}
