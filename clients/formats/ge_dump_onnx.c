/* The ge_onnx kind of a dump: nodes whose every fact is an attribute. */
#include <stdio.h>

#include "ge_dump_parts.h"
#include "json_message.h"

typedef Streamd__Dump__Node dump_node;
typedef Streamd__Dump__Attribute dump_attribute;
typedef Streamd__Dump__Tensor dump_tensor;

#define TENSORS_MAX 20 /* from here on a node's tensors are JSON texts, which say nothing that planning needs */

/* Facts of the node, not attributes of its operator. */
static bool is_fact(const char *name)
{
	static const char *const names[] = {
		"id", "stream_id", "input_name", "src_name", "src_index", "dst_name", "dst_index", "input_i", "output_i", "workspace", "workspace_bytes",
		"is_input_const", "input_desc_nums", "output_desc_nums", "send_event_id_list", "recv_event_id_list", "attr_groups",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return strncmp(name, "input_desc_", 11) == 0 || strncmp(name, "output_desc_", 12) == 0;
}

/* The dump writes truth as 0 and 1; these the planner reads as truth. */
static bool is_truth(const char *name)
{
	static const char *const names[] = {
		"_enable_inner_parallel", "is_loop_active", "_is_potential_const", "_mix_is_aiv", "reference", "_rts_label_node", "_subgraph_end_node",
		"subgraph_first_active", "created_inside",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* An empty field of the stated type is 0 or empty: the dump leaves such values out. */
static enum sd_status fill_value(struct dump_import *im, const dump_attribute *from, Streamd__Dump__Value *value)
{
	const char *type = from->type ? from->type : "";
	bool is_list = type[0] && type[strlen(type) - 1] == 'S';

	value->has_b = !is_list && strcmp(type, "INT") == 0 && is_truth(from->name) && (from->i == 0 || from->i == 1);
	value->b = from->i == 1;
	value->has_i = strcmp(type, "INT") == 0 && !value->has_b;
	value->i = from->i;
	value->has_f = strcmp(type, "FLOAT") == 0;
	value->f = from->f;
	value->has_s = strcmp(type, "STRING") == 0;
	value->s = from->s;
	if (!is_list)
		return SD_OK;
	value->list = sd_message_new(im->mem, &streamd__dump__list__descriptor);
	if (!value->list)
		return sd__dump_no_memory(im);
	value->list->n_s = from->n_strings;
	value->list->s = from->strings;
	value->list->n_i = from->n_ints;
	value->list->i = from->ints;
	value->list->n_f = from->n_floats;
	value->list->f = from->floats;
	return SD_OK;
}

static enum sd_status add_entry(struct dump_import *im, const dump_attribute *from, dump_op *op)
{
	dump_entry *entry = sd_message_new(im->mem, &streamd__dump__entry__descriptor);

	if (!entry || !(entry->value = sd_message_new(im->mem, &streamd__dump__value__descriptor)))
		return sd__dump_no_memory(im);
	entry->key = from->name;
	op->attr[op->n_attr++] = entry;
	return fill_value(im, from, entry->value);
}

static const dump_attribute *attribute_of(const dump_node *node, const char *name)
{
	for (size_t i = 0; i < node->n_attribute; i++) {
		if (node->attribute[i]->name && strcmp(node->attribute[i]->name, name) == 0)
			return node->attribute[i];
	}
	return NULL;
}

static const dump_attribute *fact_of_output(const dump_node *node, const char *fact, int64_t output)
{
	char name[64];

	snprintf(name, sizeof(name), "output_desc_%s:%d", fact, (int)output);
	return attribute_of(node, name);
}

static enum sd_status fill_output(struct dump_import *im, const dump_node *node, int64_t output, dump_tensor *tensor)
{
	const dump_attribute *dtype = fact_of_output(node, "dtype", output), *shape = fact_of_output(node, "shape", output);
	const dump_attribute *size = fact_of_output(node, "size", output);

	if (dtype && dtype->has_s) {
		tensor->dtype = sd_arena_zero(im->mem, dtype->s.len + 1, 1);
		if (!tensor->dtype)
			return sd__dump_no_memory(im);
		memcpy(tensor->dtype, dtype->s.data, dtype->s.len);
	}
	if (shape) {
		tensor->shape = sd_message_new(im->mem, &streamd__dump__shape__descriptor);
		if (!tensor->shape)
			return sd__dump_no_memory(im);
		tensor->shape->n_dim = shape->n_ints;
		tensor->shape->dim = shape->ints;
	}
	tensor->has_size = size && size->has_i;
	tensor->size = size ? size->i : 0;
	return SD_OK;
}

static enum sd_status add_outputs(struct dump_import *im, const dump_node *node, dump_op *op)
{
	const dump_attribute *stated = attribute_of(node, "output_desc_nums");
	int64_t count = stated && stated->has_i && stated->i > 0 && stated->i < TENSORS_MAX ? stated->i : 0;

	op->output_desc = SD_NEW(im->mem, dump_tensor *, (size_t)count);
	if (!op->output_desc)
		return sd__dump_no_memory(im);
	for (int64_t k = 0; k < count; k++) {
		dump_tensor *tensor = sd_message_new(im->mem, &streamd__dump__tensor__descriptor);

		if (!tensor)
			return sd__dump_no_memory(im);
		op->output_desc[op->n_output_desc++] = tensor;
		SD_TRY(fill_output(im, node, k, tensor));
	}
	return SD_OK;
}

static enum sd_status add_op(struct dump_import *im, const dump_node *node, dump_graph *graph, bool *has_text)
{
	dump_op *op = sd_message_new(im->mem, &streamd__dump__op__descriptor);
	const char *type = node->op_type ? node->op_type : "";

	if (!op)
		return sd__dump_no_memory(im);
	graph->op[graph->n_op++] = op;
	op->name = node->name;
	op->n_input = node->n_input;
	op->input = node->input;
	op->type = sd_message_string(strncmp(type, "ge:", 3) == 0 ? type + 3 : type);
	if (strcmp(type, DUMP_BODY) == 0)
		return SD_OK;
	op->attr = SD_NEW(im->mem, dump_entry *, node->n_attribute);
	if (!op->attr)
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < node->n_attribute; i++) {
		const dump_attribute *attribute = node->attribute[i];

		if (attribute->name && strcmp(attribute->name, "stream_id") == 0)
			op->stream_id = attribute->i;
		if (!attribute->name || is_fact(attribute->name) || attribute->g)
			continue;
		*has_text |= attribute->has_s;
		SD_TRY(add_entry(im, attribute, op));
	}
	return add_outputs(im, node, op);
}

enum sd_status sd__dump_from_onnx(struct dump_import *im, dump_graph *graph)
{
	bool has_text = false, has_bodies = false;

	graph->op = SD_NEW(im->mem, dump_op *, graph->n_node);
	if (!graph->op)
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < graph->n_node; i++) {
		SD_TRY(add_op(im, graph->node[i], graph, &has_text));
		has_bodies |= strcmp(graph->op[i]->type, DUMP_BODY) == 0;
	}
	if (has_bodies)
		sd_note(im->notes, "this kind of dump does not say whose body a graph is: bodies stand as nodes of type subgraph that launch nothing; "
		                   "dump ge_proto to plan them");
	if (!has_text)
		sd_note(im->notes, "the dump holds no attribute with a text, as at DUMP_GE_GRAPH=2: stream labels and core limits are missing; "
		                   "dump ge_proto, or at DUMP_GE_GRAPH=1");
	return SD_OK;
}
