#include "graph_builder.h"

#include <stdlib.h>

#include "base/check.h"

/* The request being made; the arrays behind the const members of struct sd_graph. Each has
 * room for as many items as the text has bytes. */
struct builder {
	struct sd_arena *mem;
	struct sd_graph *g;
	struct sd_subgraph *graph;
	struct sd_text *name, *string;
	uint32_t *op_type, *engine, *graph_of, *in_first, *body_first, *extra_of, *body;
	int64_t *task_count, *attached_task_count;
	struct sd_attr_range *attrs;
	uint64_t *attr_present;
	struct sd_edge *in;
	struct sd_attr *attr;
	struct sd_extra *extra;
	struct sd_output *output;
	uint32_t *overwrite, overwrites, writes, ranks;
	struct sd_text *write;
	int64_t *rank;
	struct sd_text *input, *body_name, *over_name; /* to be looked up when all names are known */
};

static bool take(struct sd_text *rest, const char *separators, struct sd_text *token)
{
	uint32_t len = 0;

	while (rest->len && strchr(separators, *rest->at)) {
		rest->at++;
		rest->len--;
	}
	while (len < rest->len && !strchr(separators, rest->at[len]))
		len++;
	*token = (struct sd_text){ rest->at, len };
	rest->at += len;
	rest->len -= len;
	return len > 0;
}

/* Cuts at the first `mark`: `text` keeps what stands before it. */
static bool cut(struct sd_text *text, char mark, struct sd_text *behind)
{
	const char *at = memchr(text->at, mark, text->len);

	if (!at)
		return false;
	*behind = (struct sd_text){ at + 1, text->len - (uint32_t)(at - text->at) - 1 };
	text->len = (uint32_t)(at - text->at);
	return true;
}

static bool is_number(struct sd_text text)
{
	uint32_t sign = text.len > 1 && text.at[0] == '-';

	for (uint32_t i = sign; i < text.len; i++) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
	}
	return text.len > 0;
}

static uint32_t find_text(const struct sd_text *list, uint32_t count, struct sd_text text)
{
	uint32_t i = 0;

	while (i < count && !sd_text_equal(list[i], text))
		i++;
	return i;
}

static uint32_t intern(struct builder *b, struct sd_text text)
{
	uint32_t at = find_text(b->string, b->g->string_count, text);

	if (at == b->g->string_count)
		b->string[b->g->string_count++] = text;
	return at;
}

static enum sd_attr_key key_of(struct sd_text name)
{
	static const char *const known[] = {
#define SD_X(key, text) text,
		SD_ATTR_LIST(SD_X)
#undef SD_X
	};
	int key = 0;

	while (key < SD_ATTR_OTHER && !sd_text_is(name, known[key]))
		key++;
	return (enum sd_attr_key)key;
}

/* "a,b" */
static struct sd_value strings_of(struct builder *b, struct sd_text text)
{
	struct sd_text *string = SD_NEW(b->mem, struct sd_text, text.len + 1u);
	uint32_t count = 0, first = 0;

	SD_REQUIRE(string);
	for (uint32_t i = 0; i <= text.len; i++) {
		if (i < text.len && text.at[i] != ',')
			continue;
		string[count++] = (struct sd_text){ text.at + first, i - first };
		first = i + 1;
	}
	return (struct sd_value){ .kind = SD_VALUE_LIST, .list = { .item = SD_VALUE_STRING, .count = count, .string = string } };
}

static struct sd_value value_of(struct sd_text text)
{
	if (sd_text_is(text, "true") || sd_text_is(text, "false"))
		return (struct sd_value){ .kind = SD_VALUE_BOOL, .boolean = text.len == 4 };
	if (text.len > 1 && text.at[0] == '\'' && text.at[text.len - 1] == '\'')
		return (struct sd_value){ .kind = SD_VALUE_STRING, .string = { text.at + 1, text.len - 2 } };
	if (is_number(text))
		return (struct sd_value){ .kind = SD_VALUE_INT, .integer = strtoll(text.at, NULL, 10) };
	return (struct sd_value){ .kind = SD_VALUE_STRING, .string = text };
}

/* Attributes of a range stand sorted by name. */
static void add_attr(struct builder *b, struct sd_attr_range *range, struct sd_text name, struct sd_text value)
{
	uint32_t at = b->g->attr_count++;

	for (; at > range->first && sd_text_compare(b->attr[at - 1].name, name) > 0; at--)
		b->attr[at] = b->attr[at - 1];
	if (value.len > 2 && value.at[0] == '[' && value.at[value.len - 1] == ']')
		b->attr[at] = (struct sd_attr){ name, key_of(name), strings_of(b, (struct sd_text){ value.at + 1, value.len - 2 }) };
	else
		b->attr[at] = (struct sd_attr){ name, key_of(name), value_of(value) };
	range->count++;
}

static struct sd_extra *extra_of(struct builder *b, uint32_t node)
{
	if (b->extra_of[node] == UINT32_MAX) {
		b->extra_of[node] = b->g->extra_count;
		b->extra[b->g->extra_count++] = (struct sd_extra){
			.node = node, .duration_ns = -1, .cube_cores = -1, .vector_cores = -1,
		};
	}
	return &b->extra[b->extra_of[node]];
}

static void add_output(struct builder *b, uint32_t node, int64_t bytes)
{
	struct sd_extra *extra = extra_of(b, node);

	b->output[b->extra_of[node]] = (struct sd_output){ .bytes = bytes };
	extra->output_first = b->extra_of[node];
	extra->output_count = 1;
	extra->has_outputs = true;
}

/* Lists of a node that few have; each is given once. */
static bool add_list(struct builder *b, uint32_t node, struct sd_text key, struct sd_text value)
{
	struct sd_extra *extra;
	struct sd_text item;

	if (!sd_text_is(key, "over") && !sd_text_is(key, "writes") && !sd_text_is(key, "ranks"))
		return false;
	extra = extra_of(b, node);
	if (sd_text_is(key, "over")) {
		for (extra->overwrite_first = b->overwrites; take(&value, ",", &item); extra->overwrite_count++)
			b->over_name[b->overwrites++] = item;
	} else if (sd_text_is(key, "writes")) {
		for (extra->write_first = b->writes; take(&value, ",", &item); extra->write_count++)
			b->write[b->writes++] = item;
	} else {
		extra->has_comm = true;
		for (extra->comm.rank_first = b->ranks; take(&value, ",", &item); extra->comm.rank_count++)
			b->rank[b->ranks++] = value_of(item).integer;
	}
	return true;
}

static void add_setting(struct builder *b, uint32_t node, struct sd_text key, struct sd_text value)
{
	if (sd_text_is(key, "tasks")) {
		b->task_count[node] = b->attached_task_count[node] = value_of(value).integer;
	} else if (sd_text_is(key, "bytes")) {
		add_output(b, node, value_of(value).integer);
	} else if (sd_text_is(key, "ns")) {
		extra_of(b, node)->duration_ns = value_of(value).integer;
	} else if (sd_text_is(key, "cube")) {
		extra_of(b, node)->cube_cores = (int32_t)value_of(value).integer;
	} else if (sd_text_is(key, "vector")) {
		extra_of(b, node)->vector_cores = (int32_t)value_of(value).integer;
	} else if (sd_text_is(key, "comm")) {
		extra_of(b, node)->has_comm = true;
		extra_of(b, node)->comm.group = value;
	} else if (!add_list(b, node, key, value)) {
		add_attr(b, &b->attrs[node], key, value);
		if (key_of(key) != SD_ATTR_OTHER)
			b->attr_present[node] |= 1ull << key_of(key);
	}
}

static void begin_graph(struct builder *b, struct sd_text name)
{
	b->graph[b->g->graph_count++] = (struct sd_subgraph){
		.name = name, .first_node = b->g->node_count, .parent = SD_NO_NODE,
	};
}

static void add_node(struct builder *b, struct sd_text line)
{
	uint32_t node = b->g->node_count++;
	struct sd_text type, engine = SD_TEXT(""), token, value;

	SD_REQUIRE(take(&line, " \t", &b->name[node]) && take(&line, " \t", &type));
	cut(&type, '@', &engine);
	b->op_type[node] = intern(b, type);
	b->engine[node] = intern(b, engine);
	b->graph_of[node] = b->g->graph_count - 1;
	b->graph[b->g->graph_count - 1].node_count++;
	b->task_count[node] = b->attached_task_count[node] = SD_TASKS_UNKNOWN;
	b->extra_of[node] = UINT32_MAX;
	b->attrs[node].first = b->g->attr_count;
	while (take(&line, " \t", &token)) {
		if (cut(&token, '=', &value))
			add_setting(b, node, token, value);
		else if (sd_text_is(token, "gang"))
			extra_of(b, node)->gang = true;
		else if (token.at[0] == '{')
			b->body_name[b->body_first[node + 1]++] = (struct sd_text){ token.at + 1, token.len - 1 };
		else
			b->input[b->g->edge_count++] = token;
	}
	b->in_first[node + 1] = b->g->edge_count;
	b->body_first[node + 2] = b->body_first[node + 1];
}

static void link_input(struct builder *b, uint32_t edge, uint32_t first, uint32_t count)
{
	struct sd_text name = b->input[edge], port = SD_TEXT("0");
	uint32_t at;

	b->in[edge] = (struct sd_edge){ SD_NO_NODE, 0 };
	if (sd_text_is(name, "-"))
		return;
	if (name.at[0] == '^') {
		name = (struct sd_text){ name.at + 1, name.len - 1 };
		port = SD_TEXT("-1");
	} else {
		cut(&name, ':', &port);
	}
	at = find_text(b->name + first, count, name);
	SD_REQUIRE(at < count && is_number(port));
	b->in[edge] = (struct sd_edge){ first + at, (int32_t)value_of(port).integer };
}

static void link_bodies(struct builder *b, uint32_t node)
{
	for (uint32_t i = b->body_first[node]; i < b->body_first[node + 1]; i++) {
		uint32_t graph = 1;

		while (graph < b->g->graph_count && !sd_text_equal(b->graph[graph].name, b->body_name[i]))
			graph++;
		SD_REQUIRE(graph < b->g->graph_count);
		b->body[i] = graph;
		b->graph[graph].parent = node;
		b->graph[graph].instance = i - b->body_first[node];
	}
}

static void link_all(struct builder *b)
{
	for (uint32_t node = 0; node < b->g->node_count; node++) {
		const struct sd_subgraph *graph = &b->graph[b->graph_of[node]];

		for (uint32_t edge = b->in_first[node]; edge < b->in_first[node + 1]; edge++)
			link_input(b, edge, graph->first_node, graph->node_count);
		link_bodies(b, node);
	}
	for (uint32_t i = 0; i < b->overwrites; i++) {
		b->overwrite[i] = find_text(b->name, b->g->node_count, b->over_name[i]);
		SD_REQUIRE(b->overwrite[i] < b->g->node_count);
	}
}

#define ARRAYS(X)                                                                                      \
	X(graph, struct sd_subgraph) X(name, struct sd_text) X(string, struct sd_text)                 \
	X(op_type, uint32_t) X(engine, uint32_t) X(graph_of, uint32_t) X(in_first, uint32_t)           \
	X(body_first, uint32_t) X(extra_of, uint32_t) X(body, uint32_t) X(task_count, int64_t)         \
	X(attached_task_count, int64_t) X(attrs, struct sd_attr_range) X(attr_present, uint64_t)       \
	X(in, struct sd_edge) X(attr, struct sd_attr) X(extra, struct sd_extra) X(output, struct sd_output) \
	X(overwrite, uint32_t) X(write, struct sd_text) X(rank, int64_t)

static void begin_request(struct builder *b, size_t room)
{
#define SD_X(member, type)                               \
	b->g->member = b->member = SD_NEW0(b->mem, type, room); \
	SD_REQUIRE(b->member);
	ARRAYS(SD_X)
#undef SD_X
	b->input = SD_NEW0(b->mem, struct sd_text, room);
	b->body_name = SD_NEW0(b->mem, struct sd_text, room);
	b->over_name = SD_NEW0(b->mem, struct sd_text, room);
	SD_REQUIRE(b->input && b->body_name && b->over_name);
	intern(b, SD_TEXT(""));
	begin_graph(b, SD_TEXT("g"));
}

struct sd_request *request_of(struct sd_arena *mem, const char *text)
{
	struct sd_request *request = SD_NEW0(mem, struct sd_request, 1);
	struct sd_text rest = { text, (uint32_t)strlen(text) }, line;
	struct builder b = { .mem = mem };

	SD_REQUIRE(request);
#define SD_X(name) request->device.model.name = -1;
	SD_MODEL_LIST(SD_X)
#undef SD_X
	b.g = &request->graph;
	begin_request(&b, (size_t)rest.len + 3);
	while (take(&rest, ";\n", &line)) {
		struct sd_text token, look = line;

		if (!take(&look, " \t", &token))
			continue;
		if (token.at[0] == '[')
			begin_graph(&b, (struct sd_text){ token.at + 1, token.len - 2 });
		else
			add_node(&b, line);
	}
	link_all(&b);
	return request;
}

uint32_t node_named(const struct sd_graph *graph, const char *name)
{
	uint32_t node = find_text(graph->name, graph->node_count, (struct sd_text){ name, (uint32_t)strlen(name) });

	SD_REQUIRE(node < graph->node_count);
	return node;
}

const char *names_of(struct sd_arena *mem, const struct sd_graph *graph, const uint32_t *node, uint32_t count)
{
	size_t bytes = 1;
	char *out, *at;

	for (uint32_t i = 0; i < count; i++)
		bytes += graph->name[node[i]].len + 1;
	out = at = SD_NEW0(mem, char, bytes);
	SD_REQUIRE(out);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			*at++ = ' ';
		memcpy(at, graph->name[node[i]].at, graph->name[node[i]].len);
		at += graph->name[node[i]].len;
	}
	return out;
}
