/* The graphs of a model, rebuilt as a request. Nodes in order: one Data for each input, one Const for
 * each initializer, in a body one Data for each value from outside, the model's nodes as listed, NetOutput. */
#include "onnx_parts.h"

#include <stdio.h>

#include "json_message.h"
#include "quote.h"

#define NO_VALUE UINT32_MAX

enum sd_status sd__onnx_no_memory(struct import *im)
{
	return sd_memory_fail(im->mem, im->diag);
}

enum sd_status sd__onnx_fail(struct import *im, struct sd_text node, const char *what, struct sd_text value)
{
	char quoted_node[SD_QUOTE_MAX], quoted_value[SD_QUOTE_MAX];

	return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE,
	                sd_arg_words(sd_words(im->mem, "node %s %s %s", sd_quote(quoted_node, node), what, sd_quote(quoted_value, value))));
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
		return sd__onnx_fail(im, im->name[index], "reads what no node, input or initializer gives:", value);
	source = im->name[im->giver[found].node];
	cap = (size_t)source.len + 16;
	text = sd_arena_alloc(im->mem, cap);
	if (!text)
		return sd__onnx_no_memory(im);
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

static enum sd_status add_bodies(struct import *im, uint32_t index, const struct onnx_node *from, const struct captured *captured);

/* What the bodies of a node read from outside, each once, as inputs behind its own. */
static enum sd_status find_captured(struct import *im, const struct onnx_node *from, struct captured *captured)
{
	uint64_t most = 0;

	for (uint32_t k = 0; k < from->body_count; k++)
		most += im->scope->body[from->body_first + k]->outside.count;
	if (most > ONNX_COUNT_MAX)
		return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("it has more values than can be numbered"));
	*captured = (struct captured){ .value = SD_NEW(im->mem, struct sd_text, most + 1), .first = from->input_count };
	if (!captured->value || !sd__names_init(&captured->names, im->mem, captured->value, (uint32_t)most + 1))
		return sd__onnx_no_memory(im);
	for (uint32_t k = 0; k < from->body_count; k++) {
		const struct onnx_scope *body = im->scope->body[from->body_first + k];

		for (uint32_t i = 0; i < body->outside.count; i++) {
			captured->value[captured->count] = body->outside.at[i];
			captured->count += sd__names_add(&captured->names, captured->count) == SD__NO_NAME;
		}
	}
	return SD_OK;
}

static enum sd_status link_node(struct import *im, uint32_t index, const struct onnx_node *from)
{
	struct captured captured;

	SD_TRY(find_captured(im, from, &captured));
	if (!make_inputs(im, index, from->input_count + captured.count))
		return sd__onnx_no_memory(im);
	im->constant[index] = true;
	for (uint32_t i = 0; i < from->input_count; i++)
		SD_TRY(add_input(im, index, im->model->text[from->input_first + i]));
	for (uint32_t i = 0; i < captured.count; i++)
		SD_TRY(add_input(im, index, captured.value[i]));
	settle_constant(im, index, from);
	return from->body_count ? add_bodies(im, index, from, &captured) : SD_OK;
}

/* Output k of a node with bodies is input k of their NetOutput; a Loop's body has its condition in front, which is nobody's. */
static enum sd_status add_net_output(struct import *im)
{
	const struct onnx_values *outputs = &im->model->output;
	uint32_t index, turn = im->outputs_turned;

	SD_TRY(sd__onnx_add_end(im, &index));
	if (!make_inputs(im, index, outputs->count))
		return sd__onnx_no_memory(im);
	for (uint32_t i = 0; i < outputs->count; i++)
		SD_TRY(add_input(im, index, outputs->at[(i + turn) % outputs->count].name));
	return SD_OK;
}

/* ---- the whole ---- */

static uint32_t fact_count(const struct import *im)
{
	return im->model->initializer.count + im->model->input.count + im->model->described.count + im->model->output.count;
}

static enum sd_status gather_facts(struct import *im)
{
	const struct onnx_values *from[] = { &im->model->initializer, &im->model->input, &im->model->described, &im->model->output };
	uint32_t count = 0, most = fact_count(im);

	im->fact = SD_NEW(im->mem, struct onnx_value, most);
	im->fact_name = SD_NEW(im->mem, struct sd_text, most);
	if (!im->fact || !im->fact_name || !sd__names_init(&im->facts, im->mem, im->fact_name, most))
		return sd__onnx_no_memory(im);
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
	const struct onnx_model *m = im->model;
	uint64_t sources = (uint64_t)m->initializer.count + m->input.count + im->scope->outside.count;
	uint64_t nodes = sources + m->node_count + 1, values = sources;

	for (uint32_t i = 0; i < m->node_count; i++)
		values += m->node[i].output_count;
	if (nodes > ONNX_COUNT_MAX || values > ONNX_COUNT_MAX || fact_count(im) > ONNX_COUNT_MAX)
		return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("it has more nodes or values than can be numbered"));
	/* One more: a value is looked up before it is known to be new. */
	im->given = SD_NEW(im->mem, struct sd_text, values + 1);
	im->giver = SD_NEW(im->mem, struct giver, values + 1);
	im->node = SD_NEW(im->mem, node_t *, nodes);
	im->name = SD_NEW(im->mem, struct sd_text, nodes);
	im->constant = SD_NEW0(im->mem, bool, nodes);
	if (!im->given || !im->giver || !im->node || !im->name || !im->constant ||
	    !sd__names_init(&im->values, im->mem, im->given, (uint32_t)values + 1))
		return sd__onnx_no_memory(im);
	return SD_OK;
}

static enum sd_status build(struct import *im)
{
	uint32_t first;

	SD_TRY(make_room(im));
	SD_TRY(gather_facts(im));
	SD_TRY(sd__onnx_add_sources(im));
	first = im->node_count;
	for (uint32_t i = 0; i < im->model->node_count; i++)
		SD_TRY(sd__onnx_add_node(im, &im->model->node[i]));
	for (uint32_t i = 0; i < im->model->node_count; i++)
		SD_TRY(link_node(im, first + i, &im->model->node[i]));
	return add_net_output(im);
}

/* ---- bodies ---- */

/* An If's bodies in Graph Engine's order, then_branch first; any other node has one body. */
static enum sd_status order_bodies(struct import *im, uint32_t index, const struct onnx_node *from, uint32_t order[2])
{
	const struct onnx_body *body = im->model->body + from->body_first;
	bool is_if = sd_text_is(from->type, "If");

	order[0] = 0;
	order[1] = 1;
	if (is_if && from->body_count == 2 && sd_text_is(body[0].attribute, "else_branch"))
		order[0] = 1, order[1] = 0;
	if (from->body_count != (is_if ? 2 : 1) || (is_if && !sd_text_is(body[order[0]].attribute, "then_branch")))
		return sd__onnx_fail(im, im->name[index], "does not have the bodies of", from->type);
	return SD_OK;
}

/* Calls build(), which comes back here for bodies in the body: as deep as bodies may nest. */
static enum sd_status add_body(struct import *im, uint32_t index, const struct onnx_node *from, uint32_t k, const struct captured *captured)
{
	const struct onnx_scope *scope = im->scope->body[from->body_first + k];
	struct import inner = { .mem = im->mem, .diag = im->diag, .whole = im->whole, .scope = scope, .model = &scope->model, .around = im,
	                        .captured = captured, .outputs_turned = sd_text_is(from->type, "Loop") };
	Streamd__V1__Graph *graph = im->whole->graph;
	Streamd__V1__Subgraph *body = sd_message_new(im->mem, &streamd__v1__subgraph__descriptor);
	char stem[SD_NAME_KEPT + 32];
	struct sd_text name, attribute = im->model->body[from->body_first + k].attribute;

	if (!body)
		return sd__onnx_no_memory(im);
	snprintf(stem, sizeof(stem), "%.*s_%.*s", (int)(im->name[index].len < SD_NAME_KEPT ? im->name[index].len : SD_NAME_KEPT), im->name[index].at,
	         (int)(attribute.len < 16 ? attribute.len : 16), attribute.at);
	if (!sd_unique_name(&im->whole->body_names, (struct sd_text){ stem, (uint32_t)strlen(stem) }, k, &name))
		return sd__onnx_no_memory(im);
	SD_TRY(build(&inner));
	body->name = sd_message_string(name.at);
	body->nodes = inner.node;
	body->n_nodes = inner.node_count;
	graph->subgraphs[graph->n_subgraphs++] = body;
	im->node[index]->subgraphs[im->node[index]->n_subgraphs++] = body->name;
	return SD_OK;
}

static enum sd_status add_bodies(struct import *im, uint32_t index, const struct onnx_node *from, const struct captured *captured)
{
	uint32_t order[2];

	SD_TRY(order_bodies(im, index, from, order));
	im->node[index]->subgraphs = SD_NEW(im->mem, char *, from->body_count);
	if (!im->node[index]->subgraphs)
		return sd__onnx_no_memory(im);
	for (uint32_t k = 0; k < from->body_count; k++)
		SD_TRY(add_body(im, index, from, order[k], captured));
	return SD_OK;
}

/* ---- the whole ---- */

static enum sd_status open_whole(struct sd_arena *mem, const struct onnx_sum *sum, struct whole *whole, struct sd_diag *diag)
{
	whole->graph = sd_message_new(mem, &streamd__v1__graph__descriptor);
	if (!whole->graph || !sd_unique_init(&whole->names, mem, (uint32_t)sum->nodes) ||
	    !sd_unique_init(&whole->body_names, mem, (uint32_t)sum->bodies))
		return sd_memory_fail(mem, diag);
	whole->graph->subgraphs = SD_NEW(mem, Streamd__V1__Subgraph *, sum->bodies);
	return whole->graph->subgraphs ? SD_OK : sd_memory_fail(mem, diag);
}

enum sd_status sd_onnx_import(struct sd_arena *mem, struct sd_text bytes, Streamd__V1__PlanRequest **request, struct sd_diag *diag)
{
	struct whole whole = { .graph = NULL };
	struct import im = { .mem = mem, .diag = diag, .whole = &whole };
	struct onnx_scope *root;
	struct onnx_sum sum;

	*request = sd_message_new(mem, &streamd__v1__plan_request__descriptor);
	if (!*request)
		return sd__onnx_no_memory(&im);
	SD_TRY(sd__onnx_scopes(mem, bytes, &root, &sum, diag));
	SD_TRY(open_whole(mem, &sum, &whole, diag));
	im.scope = root;
	im.model = &root->model;
	SD_TRY(build(&im));
	whole.graph->name = sd_text_copy(mem, sd__onnx_is_usable(root->model.name) ? root->model.name : SD_TEXT("model"));
	if (!whole.graph->name)
		return sd__onnx_no_memory(&im);
	whole.graph->nodes = im.node;
	whole.graph->n_nodes = im.node_count;
	(*request)->graph = whole.graph;
	return SD_OK;
}
