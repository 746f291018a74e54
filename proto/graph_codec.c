#include "graph_codec.h"

#include "graph_decode.h"
#include "plain.h"

/* ---- failures and checks that all parts share ---- */

enum sd_status sd__over_budget(struct sd__decode *d)
{
	size_t bytes = d->mem->budget_bytes ? d->mem->budget_bytes : d->mem->used_bytes;

	return SD_FAIL1(d->diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)bytes));
}

enum sd_status sd__malformed(struct sd__decode *d, struct sd_text at, const char *why)
{
	return SD_FAIL2(d->diag, SD_CODE_BAD_WIRE, SD_NO_NODE, sd_arg_int(at.at - d->bytes.at), sd_arg_words(why));
}

enum sd_status sd__check_text(struct sd__decode *d, uint32_t node, const char *what, struct sd_text text)
{
	if (text.len == 0)
		return SD_OK;
	if (text.len <= SD_NAME_BYTES_MAX && text.at[0] != '^' && sd__text_is_plain(text))
		return SD_OK;
	return SD_FAIL2(d->diag, SD_CODE_BAD_NAME, node, sd_arg_text(text), sd_arg_words(what));
}

enum sd_status sd__check_name(struct sd__decode *d, uint32_t node, const char *what, struct sd_text text)
{
	if (text.len == 0)
		return SD_FAIL2(d->diag, SD_CODE_BAD_NAME, node, sd_arg_text(text), sd_arg_words(what));
	return sd__check_text(d, node, what, text);
}

enum sd_status sd__check_range(struct sd__decode *d, uint32_t node, const char *key, uint64_t value,
                               int64_t low, int64_t high, const char *must)
{
	if ((int64_t)value >= low && (int64_t)value <= high)
		return SD_OK;
	return SD_FAIL3(d->diag, SD_CODE_BAD_VALUE, node, sd_arg_words(key), sd_arg_int((int64_t)value), sd_arg_words(must));
}

/* ---- memory ---- */

static bool take_node_arrays(struct sd__decode *d)
{
	size_t n = d->counts->nodes;

	d->name = SD_NEW(d->mem, struct sd_text, n);
	d->op_type = SD_NEW(d->mem, uint32_t, n);
	d->engine = SD_NEW(d->mem, uint32_t, n);
	d->graph_of = SD_NEW(d->mem, uint32_t, n);
	d->in_first = SD_NEW(d->mem, uint32_t, n + 1);
	d->body_first = SD_NEW(d->mem, uint32_t, n + 1);
	d->extra_of = SD_NEW(d->mem, uint32_t, n);
	d->task_count = SD_NEW(d->mem, int64_t, n);
	d->attached_task_count = SD_NEW(d->mem, int64_t, n);
	d->attrs = SD_NEW(d->mem, struct sd_attr_range, n);
	d->attr_present = SD_NEW(d->mem, uint64_t, n);
	return d->name && d->op_type && d->engine && d->graph_of && d->in_first && d->body_first && d->extra_of &&
	       d->task_count && d->attached_task_count && d->attrs && d->attr_present;
}

static bool take_pools(struct sd__decode *d)
{
	const struct sd_counts *c = d->counts;

	d->in = SD_NEW(d->mem, struct sd_edge, c->edges);
	d->body = SD_NEW(d->mem, uint32_t, c->bodies);
	d->attr = SD_NEW(d->mem, struct sd_attr, c->attrs);
	d->extra = SD_NEW(d->mem, struct sd_extra, c->extras);
	d->overwrite = SD_NEW(d->mem, uint32_t, c->overwrites);
	d->write = SD_NEW(d->mem, struct sd_text, c->writes);
	d->output = SD_NEW(d->mem, struct sd_output, c->outputs);
	d->shape = SD_NEW(d->mem, int64_t, c->shape);
	d->rank = SD_NEW(d->mem, int64_t, c->ranks);
	d->map_attr = (uint32_t)c->attrs;
	return d->in && d->body && d->attr && d->extra && d->overwrite && d->write && d->output && d->shape && d->rank;
}

static bool take_tables(struct sd__decode *d)
{
	uint32_t graphs = (uint32_t)d->counts->graphs;

	d->graph = SD_NEW0(d->mem, struct sd_subgraph, graphs);
	d->graph_bytes = SD_NEW(d->mem, struct sd_text, graphs);
	d->graph_name = SD_NEW(d->mem, struct sd_text, graphs);
	return d->graph && d->graph_bytes && d->graph_name &&
	       sd__names_init(&d->graph_names, d->mem, d->graph_name, graphs) &&
	       sd__names_init(&d->node_names, d->mem, d->name, (uint32_t)d->counts->nodes) &&
	       sd__intern_init(&d->strings, d->mem) && sd__attr_names_init(d) &&
	       sd__intern_add(&d->strings, SD_TEXT("")) == 0;
}

/* What has been read becomes visible, also after a failure. */
static void show(struct sd__decode *d)
{
	d->request->graph = (struct sd_graph){
		.node_count = d->nodes, .edge_count = d->edges, .graph_count = (uint32_t)d->counts->graphs,
		.graph = d->graph,
		.name = d->name, .op_type = d->op_type, .engine = d->engine, .graph_of = d->graph_of,
		.in_first = d->in_first, .body_first = d->body_first,
		.task_count = d->task_count, .attached_task_count = d->attached_task_count,
		.attrs = d->attrs, .attr_present = d->attr_present, .extra_of = d->extra_of,
		.in = d->in, .body = d->body, .attr = d->attr, .extra = d->extra,
		.overwrite = d->overwrite, .write = d->write, .output = d->output, .shape = d->shape, .rank = d->rank,
		.string = d->strings.text, .string_count = d->strings.count,
		.extra_count = d->extras, .attr_count = d->attr_count,
	};
}

/* ---- graphs ---- */

/* Field numbers that differ between Graph and Subgraph. */
static uint32_t attrs_field(uint32_t graph)
{
	return graph == SD_ROOT ? 4 : 3;
}

static uint32_t dynamic_field(uint32_t graph)
{
	return graph == SD_ROOT ? 5 : 4;
}

/* Name and kind of one graph; of the root also where its subgraphs are. */
static enum sd_status read_head(struct sd__decode *d, uint32_t graph, uint32_t *graphs)
{
	struct sd_subgraph *g = &d->graph[graph];
	struct sd_wire wire = sd_wire_over(d->graph_bytes[graph]);
	struct sd_field f;

	g->parent = SD_NO_NODE;
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			g->name = f.bytes;
		else if (f.number == dynamic_field(graph))
			g->dynamic = f.number_value != 0;
		else if (f.number == 3 && graph == SD_ROOT) {
			SD_REQUIRE(*graphs < d->counts->graphs);
			d->graph_bytes[(*graphs)++] = f.bytes;
		}
	}
	d->graph_name[graph] = g->name;
	if (graph == SD_ROOT)
		return sd__check_text(d, SD_NO_NODE, "graph name", g->name);
	SD_TRY(sd__check_name(d, SD_NO_NODE, "subgraph name", g->name));
	if (sd__names_add(&d->graph_names, graph) != SD__NO_NAME)
		return SD_FAIL1(d->diag, SD_CODE_NAME_TWICE, SD_NO_NODE, sd_arg_text(g->name));
	return SD_OK;
}

static enum sd_status read_attrs(struct sd__decode *d, uint32_t graph)
{
	struct sd_wire wire = sd_wire_over(d->graph_bytes[graph]);
	struct sd_field f;
	uint32_t first = d->attr_count;
	uint64_t present;

	while (sd_wire_next(&wire, &f)) {
		if (f.number == attrs_field(graph))
			SD_TRY(sd__decode_attr(d, SD_NO_NODE, f.bytes));
	}
	return sd__finish_attrs(d, SD_NO_NODE, first, &d->graph[graph].attrs, &present);
}

static enum sd_status read_nodes(struct sd__decode *d, uint32_t graph)
{
	struct sd_subgraph *g = &d->graph[graph];
	struct sd_wire wire = sd_wire_over(d->graph_bytes[graph]);
	struct sd_field f;
	bool has_attrs = false;

	g->first_node = d->nodes;
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 2)
			SD_TRY(sd__decode_node(d, graph, f.bytes));
		else
			has_attrs |= f.number == attrs_field(graph);
	}
	g->node_count = d->nodes - g->first_node;
	/* They are read apart, because a range of attributes must not be torn by those of nodes. */
	return has_attrs ? read_attrs(d, graph) : SD_OK;
}

static enum sd_status decode_graph(struct sd__decode *d, struct sd_text bytes)
{
	uint32_t graphs = 1;

	d->graph_bytes[SD_ROOT] = bytes;
	for (uint32_t g = 0; g < graphs; g++)
		SD_TRY(read_head(d, g, &graphs));
	SD_REQUIRE(graphs == d->counts->graphs);
	for (uint32_t g = 0; g < graphs; g++)
		SD_TRY(read_nodes(d, g));
	d->in_first[d->nodes] = d->edges;
	d->body_first[d->nodes] = d->bodies;
	SD_TRY(sd__link_pending(d));
	return sd__check_bodies(d);
}

/* ---- the request ---- */

static enum sd_status decode(struct sd__decode *d)
{
	struct sd_text graph = { "", 0 }, options = graph, device = graph;
	struct sd_wire wire = sd_wire_over(d->bytes);
	struct sd_field f;

	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			graph = f.bytes;
		else if (f.number == 2)
			options = f.bytes;
		else if (f.number == 3)
			device = f.bytes;
	}
	SD_TRY(decode_graph(d, graph));
	SD_TRY(sd__decode_options(d, options));
	return sd__decode_device(d, device);
}

enum sd_status sd_request_decode(struct sd_arena *mem, struct sd_text bytes, const struct sd_counts *counts,
                                 struct sd_request *request, struct sd_diag *diag)
{
	struct sd__decode d = { .mem = mem, .diag = diag, .bytes = bytes, .counts = counts, .request = request };
	enum sd_status status;

	*request = (struct sd_request){ 0 };
	if (!counts->has_graph)
		return SD_FAIL0(diag, SD_CODE_EMPTY_GRAPH, SD_NO_NODE);
	if (counts->nodes > SD_NODES_MAX || counts->graphs > SD_NODES_MAX)
		return SD_FAIL3(diag, SD_CODE_LIMIT_NODES, SD_NO_NODE, sd_arg_int((int64_t)counts->nodes),
		                sd_arg_words("nodes and subgraphs"), sd_arg_int(SD_NODES_MAX));
	if (!take_node_arrays(&d) || !take_pools(&d) || !take_tables(&d))
		return sd__over_budget(&d);
	status = decode(&d);
	show(&d);
	return status;
}
