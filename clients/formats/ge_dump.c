/* A dump's graphs, rebuilt as a request. Nodes stay in the dump's order, which is topological. */
#include "ge_dump_parts.h"
#include "json_message.h"
#include "quote.h"
#include "text_message.h"
#include "unique.h"

typedef Streamd__Dump__Tensor dump_tensor;
typedef Streamd__V1__Node node_t;

#define NODES_MAX (1u << 29)

/* One graph of the dump, its ops found by name. */
struct graph_world {
	struct dump_import *im;
	dump_graph *graph;
	struct sd_text *name;  /* per op, in the dump */
	struct sd__names names;
	struct sd_text *unique; /* per op, in the request */
	bool *left_out;
};

/* All of a dump. */
struct dump_world {
	struct dump_import *im;
	Streamd__Dump__Model *model;
	struct sd_unique names; /* of the request's nodes */
};

enum sd_status sd__dump_no_memory(struct dump_import *im)
{
	return sd_memory_fail(im->mem, im->diag);
}

static struct sd_text text_of(const char *string)
{
	return (struct sd_text){ string ? string : "", string ? (uint32_t)strlen(string) : 0 };
}

static enum sd_status fail_op(struct dump_import *im, struct sd_text op, const char *what, struct sd_text other)
{
	char quoted_op[SD_QUOTE_MAX], quoted_other[SD_QUOTE_MAX];

	return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE,
	                sd_arg_words(sd_words(im->mem, "%s %s %s", sd_quote(quoted_op, op), what, sd_quote(quoted_other, other))));
}

/* ---- names ---- */

static enum sd_status name_ops(struct dump_world *w, struct graph_world *g)
{
	uint32_t count = (uint32_t)g->graph->n_op;

	g->name = SD_NEW(g->im->mem, struct sd_text, count);
	g->unique = SD_NEW(g->im->mem, struct sd_text, count);
	g->left_out = SD_NEW0(g->im->mem, bool, count);
	if (!g->name || !g->unique || !g->left_out || !sd__names_init(&g->names, g->im->mem, g->name, count))
		return sd__dump_no_memory(g->im);
	for (uint32_t i = 0; i < count; i++) {
		g->name[i] = text_of(g->graph->op[i]->name);
		if (sd__names_add(&g->names, i) != SD__NO_NAME)
			return fail_op(g->im, g->name[i], "stands twice in graph", text_of(g->graph->name));
		if (!sd_unique_name(&w->names, g->name[i], 1, &g->unique[i]))
			return sd__dump_no_memory(g->im);
	}
	return SD_OK;
}

/* ---- what stream allocation had put in ---- */

/* The StreamSwitch behind which allocation put this StreamActive: "<switch>_StreamActive_<n>"; SD__NO_NAME if it did not. */
static uint32_t switch_of(const struct graph_world *g, uint32_t op)
{
	static const char middle[] = "_StreamActive_";
	const char *name = g->name[op].at, *found = NULL, *next = name;
	uint32_t source;

	if (!g->graph->op[op]->type || strcmp(g->graph->op[op]->type, "StreamActive") != 0)
		return SD__NO_NAME;
	while ((next = strstr(next, middle)))
		found = next++;
	if (!found || strspn(found + strlen(middle), "0123456789") != strlen(found) - strlen(middle))
		return SD__NO_NAME;
	source = sd__names_find(&g->names, (struct sd_text){ name, (uint32_t)(found - name) });
	if (source == SD__NO_NAME || !g->graph->op[source]->type || strcmp(g->graph->op[source]->type, "StreamSwitch") != 0)
		return SD__NO_NAME;
	return source;
}

static bool is_sync(const dump_op *op)
{
	static const char *const types[] = { "Send", "Recv", "SendNotify", "RecvNotify" };

	for (size_t i = 0; op->type && i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(op->type, types[i]) == 0)
			return true;
	}
	return false;
}

static void leave_out(struct graph_world *g)
{
	for (uint32_t i = 0; i < g->graph->n_op; i++) {
		g->left_out[i] = is_sync(g->graph->op[i]) || switch_of(g, i) != SD__NO_NAME;
		g->im->left_out += g->left_out[i];
	}
}

/* ---- edges ---- */

#define PORT_DIGITS 9u /* of an output's number */

/* What may stand behind the last colon: a number, or -1 for a control edge. */
static bool is_port(struct sd_text text)
{
	uint32_t digits = 0;

	while (digits < text.len && text.at[digits] >= '0' && text.at[digits] <= '9')
		digits++;
	return sd_text_is(text, "-1") || (digits == text.len && digits > 0 && digits <= PORT_DIGITS);
}

/* "src:0", "src:-1", "src": the name, and what stands behind it. */
static void split_input(struct sd_text input, struct sd_text *source, struct sd_text *output)
{
	uint32_t colon = input.len;

	while (colon > 0 && input.at[colon - 1] != ':')
		colon--;
	*source = input;
	*output = SD_TEXT(":0");
	if (colon == 0 || !is_port((struct sd_text){ input.at + colon, input.len - colon }))
		return;
	source->len = colon - 1;
	*output = (struct sd_text){ input.at + colon - 1, input.len - colon + 1 };
}

/* `*kept` is false for an input from a node that is left out. */
static enum sd_status add_input(struct graph_world *g, uint32_t op, const char *input, node_t *node, bool *kept)
{
	struct sd_text source, output;
	uint32_t found;
	char *text;

	*kept = true;
	split_input(text_of(input), &source, &output);
	if (source.len == 0) {
		node->inputs[node->n_inputs++] = sd_message_string("");
		return SD_OK;
	}
	found = sd__names_find(&g->names, source);
	if (found == SD__NO_NAME)
		return fail_op(g->im, g->name[op], "reads from what its graph does not hold:", source);
	if (g->left_out[found]) {
		found = switch_of(g, found);
		*kept = found != SD__NO_NAME;
		if (!*kept)
			return SD_OK;
	}
	text = sd_arena_alloc(g->im->mem, (size_t)g->unique[found].len + output.len + 1);
	if (!text)
		return sd__dump_no_memory(g->im);
	memcpy(text, g->unique[found].at, g->unique[found].len);
	memcpy(text + g->unique[found].len, output.at, output.len);
	text[g->unique[found].len + output.len] = '\0';
	node->inputs[node->n_inputs++] = text;
	return SD_OK;
}

/* A body's output k is input k of its NetOutput: its inputs go where their descriptions say, if no two go to one place. */
static enum sd_status order_outputs(struct graph_world *g, const dump_op *op, node_t *node)
{
	char **placed = SD_NEW0(g->im->mem, char *, node->n_inputs);
	int64_t place;

	if (!placed)
		return sd__dump_no_memory(g->im);
	for (size_t k = 0; k < op->n_input_desc; k++) {
		const dump_tensor *tensor = op->input_desc[k];

		if (!sd__dump_int(tensor->attr, tensor->n_attr, "_parent_node_index", &place) || k >= node->n_inputs || place < 0 ||
		    place >= (int64_t)op->n_input_desc || place >= (int64_t)node->n_inputs || placed[place])
			return SD_OK;
		placed[place] = node->inputs[k];
	}
	for (size_t k = 0; k < op->n_input_desc; k++) {
		if (!placed[k])
			return SD_OK;
	}
	memcpy(node->inputs, placed, op->n_input_desc * sizeof(*placed));
	return SD_OK;
}

static enum sd_status add_inputs(struct graph_world *g, uint32_t index, node_t *node)
{
	const dump_op *op = g->graph->op[index];
	bool kept;

	node->inputs = SD_NEW(g->im->mem, char *, op->n_input);
	if (!node->inputs)
		return sd__dump_no_memory(g->im);
	for (size_t i = 0; i < op->n_input; i++)
		SD_TRY(add_input(g, index, op->input[i], node, &kept));
	if (op->n_input_desc && strcmp(node->op_type, "NetOutput") == 0)
		return order_outputs(g, op, node);
	return SD_OK;
}

/* ---- nodes ---- */

static enum sd_status set_dtype(struct dump_import *im, const char *dtype, Streamd__V1__Output *output)
{
	size_t len;

	if (!dtype)
		return SD_OK;
	if (strncmp(dtype, "DT_", 3) == 0)
		dtype += 3;
	len = strlen(dtype) + 1;
	output->dtype = sd_arena_alloc(im->mem, len);
	if (!output->dtype)
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < len; i++)
		output->dtype[i] = (char)(dtype[i] >= 'A' && dtype[i] <= 'Z' ? dtype[i] - 'A' + 'a' : dtype[i]);
	return SD_OK;
}

#define RANK_UNKNOWN (-2)

static enum sd_status add_outputs(struct dump_import *im, const dump_op *op, node_t *node)
{
	node->outputs = SD_NEW(im->mem, Streamd__V1__Output *, op->n_output_desc);
	if (!node->outputs)
		return sd__dump_no_memory(im);
	for (size_t k = 0; k < op->n_output_desc; k++) {
		const dump_tensor *tensor = op->output_desc[k];
		Streamd__V1__Output *output = sd_message_new(im->mem, &streamd__v1__output__descriptor);

		if (!output)
			return sd__dump_no_memory(im);
		node->outputs[node->n_outputs++] = output;
		SD_TRY(set_dtype(im, tensor->dtype, output));
		if (tensor->shape && !(tensor->shape->n_dim && tensor->shape->dim[0] == RANK_UNKNOWN)) {
			output->n_shape = tensor->shape->n_dim;
			output->shape = tensor->shape->dim;
		}
		if (tensor->has_size && tensor->size > 0) {
			output->bytes__case = STREAMD__V1__OUTPUT__BYTES__BYTES;
			output->bytes = tensor->size;
		}
	}
	return SD_OK;
}

static enum sd_status add_node(struct graph_world *g, uint32_t index, node_t **out)
{
	struct dump_import *im = g->im;
	const dump_op *op = g->graph->op[index];
	node_t *node = *out = sd_message_new(im->mem, &streamd__v1__node__descriptor);

	if (!node)
		return sd__dump_no_memory(im);
	node->name = sd_message_string(g->unique[index].at);
	node->op_type = op->type ? op->type : sd_message_string("");
	if (strcmp(node->op_type, DUMP_BODY) == 0)
		node->engine = sd_message_string("DNN_VM_GE_LOCAL");
	node->subgraphs = SD_NEW(im->mem, char *, op->n_subgraph_name);
	if (!node->subgraphs)
		return sd__dump_no_memory(im);
	for (size_t i = 0; i < op->n_subgraph_name; i++) {
		if (op->subgraph_name[i][0])
			node->subgraphs[node->n_subgraphs++] = op->subgraph_name[i];
	}
	SD_TRY(sd__dump_attrs(im, op->attr, op->n_attr, &node->attrs, &node->n_attrs));
	SD_TRY(add_outputs(im, op, node));
	return add_inputs(g, index, node);
}

static enum sd_status add_nodes(struct dump_world *w, dump_graph *graph, node_t ***node, size_t *node_count)
{
	struct graph_world g = { .im = w->im, .graph = graph };

	SD_TRY(name_ops(w, &g));
	leave_out(&g);
	*node_count = 0;
	*node = SD_NEW(w->im->mem, node_t *, graph->n_op);
	if (!*node)
		return sd__dump_no_memory(w->im);
	for (uint32_t i = 0; i < graph->n_op; i++) {
		if (!g.left_out[i])
			SD_TRY(add_node(&g, i, &(*node)[(*node_count)++]));
		sd__dump_streams_add(w->im, graph->op[i], g.left_out[i] ? NULL : (*node)[*node_count - 1]);
	}
	return SD_OK;
}

/* ---- graphs ---- */

static bool is_unknown(const dump_graph *graph)
{
	return sd__dump_bool(graph->attr, graph->n_attr, "_graph_unknown_flag");
}

static enum sd_status add_root(struct dump_world *w, Streamd__V1__Graph *to)
{
	dump_graph *graph = w->model->graph[0];

	to->name = graph->name && graph->name[0] ? graph->name : sd_message_string("model");
	to->dynamic = is_unknown(graph);
	SD_TRY(sd__dump_attrs(w->im, graph->attr, graph->n_attr, &to->attrs, &to->n_attrs));
	return add_nodes(w, graph, &to->nodes, &to->n_nodes);
}

static enum sd_status add_body(struct dump_world *w, dump_graph *graph, Streamd__V1__Graph *to)
{
	Streamd__V1__Subgraph *body = sd_message_new(w->im->mem, &streamd__v1__subgraph__descriptor);

	if (!body)
		return sd__dump_no_memory(w->im);
	to->subgraphs[to->n_subgraphs++] = body;
	body->name = graph->name ? graph->name : sd_message_string("");
	body->dynamic = is_unknown(graph);
	SD_TRY(sd__dump_attrs(w->im, graph->attr, graph->n_attr, &body->attrs, &body->n_attrs));
	return add_nodes(w, graph, &body->nodes, &body->n_nodes);
}

/* Which graphs some node of the dump names as its body. */
static enum sd_status find_named(struct dump_world *w, bool **named)
{
	const Streamd__Dump__Model *model = w->model;
	uint32_t count = (uint32_t)model->n_graph, found;
	struct sd_text *name = SD_NEW(w->im->mem, struct sd_text, count);
	struct sd__names names;

	*named = SD_NEW0(w->im->mem, bool, count);
	if (!name || !*named || !sd__names_init(&names, w->im->mem, name, count))
		return sd__dump_no_memory(w->im);
	for (uint32_t i = 1; i < count; i++) {
		name[i] = text_of(model->graph[i]->name);
		if (sd__names_add(&names, i) != SD__NO_NAME)
			return fail_op(w->im, name[i], "is the name of two graphs of", text_of(model->graph[0]->name));
	}
	for (uint32_t i = 0; i < count; i++) {
		for (size_t n = 0; n < model->graph[i]->n_op; n++) {
			const dump_op *op = model->graph[i]->op[n];

			for (size_t k = 0; k < op->n_subgraph_name; k++) {
				found = sd__names_find(&names, text_of(op->subgraph_name[k]));
				if (found != SD__NO_NAME)
					(*named)[found] = true;
			}
		}
	}
	return SD_OK;
}

static enum sd_status build(struct dump_world *w, Streamd__V1__Graph *to)
{
	size_t nameless = 0;
	bool *named;

	SD_TRY(find_named(w, &named));
	SD_TRY(add_root(w, to));
	to->subgraphs = SD_NEW(w->im->mem, Streamd__V1__Subgraph *, w->model->n_graph);
	if (!to->subgraphs)
		return sd__dump_no_memory(w->im);
	for (size_t i = 1; i < w->model->n_graph; i++) {
		nameless += !named[i];
		if (named[i])
			SD_TRY(add_body(w, w->model->graph[i], to));
		for (size_t k = 0; !named[i] && k < w->model->graph[i]->n_op; k++)
			sd__dump_streams_add(w->im, w->model->graph[i]->op[k], NULL);
	}
	if (nameless)
		sd_note(w->im->notes, sd_words(w->im->mem, "%zu graphs that no node names as its body are left out", nameless));
	if (w->im->left_out)
		sd_note(w->im->notes, sd_words(w->im->mem, "%u nodes that stream allocation puts in (Send, Recv, StreamActive behind a StreamSwitch) are left out", w->im->left_out));
	return SD_OK;
}

/* ---- the whole ---- */

static enum sd_status read_model(struct dump_world *w, struct sd_text text)
{
	struct dump_import *im = w->im;
	size_t count = 0;

	w->model = sd_message_new(im->mem, &streamd__dump__model__descriptor);
	if (!w->model)
		return sd__dump_no_memory(im);
	SD_TRY(sd_text_message_read(im->mem, text, &w->model->base, im->diag));
	if (w->model->n_graph == 0)
		return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE,
		                sd_arg_words("it holds no graph; a dump is a ge_proto_*.txt or ge_onnx_*.pbtxt of Graph Engine"));
	for (size_t i = 0; i < w->model->n_graph; i++) {
		if (w->model->graph[i]->n_node && w->model->graph[i]->n_op)
			return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("a graph holds both op and node, which are of two kinds of dumps"));
		if (w->model->graph[i]->n_node)
			SD_TRY(sd__dump_from_onnx(im, w->model->graph[i]));
		count += w->model->graph[i]->n_op;
	}
	if (count > NODES_MAX)
		return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("it has more nodes than can be numbered"));
	return sd_unique_init(&w->names, im->mem, (uint32_t)count) && sd__dump_streams_init(im, count) ? SD_OK : sd__dump_no_memory(im);
}

enum sd_status sd_ge_dump_import(struct sd_arena *mem, struct sd_text text, const struct sd_dump_wish *wish, Streamd__V1__PlanRequest **request,
                                 struct sd_notes *notes, struct sd_diag *diag)
{
	struct dump_import im = { .mem = mem, .diag = diag, .notes = notes };
	struct dump_world w = { .im = &im };

	*request = sd_message_new(mem, &streamd__v1__plan_request__descriptor);
	if (!*request || !((*request)->graph = sd_message_new(mem, &streamd__v1__graph__descriptor)))
		return sd__dump_no_memory(&im);
	SD_TRY(read_model(&w, text));
	SD_TRY(build(&w, (*request)->graph));
	if (wish && wish->nodes)
		*wish->nodes = (struct sd_dump_nodes){ im.op_count, im.node_of, w.model->graph[0]->n_node > 0 };
	return wish && wish->trusts_streams ? sd__dump_trust_streams(&im, *request) : SD_OK;
}
