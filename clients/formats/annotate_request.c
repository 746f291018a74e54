/* Streams into the attributes of a request's nodes. */
#include "annotate.h"

#include "json_message.h"
#include "request_parts.h"

typedef Streamd__V1__Node node_t;
typedef Streamd__V1__Attr attr_t;

#define ADDED 3u /* attributes of a node */

struct writer {
	struct sd_arena *mem;
	const struct sd_annotation *a;
	char **name; /* by node */
	uint32_t next;
};

static bool is_ours(const char *name)
{
	return strcmp(name, "stream_id") == 0 || strcmp(name, "_logic_stream_id") == 0;
}

static Streamd__V1__Value *add(struct writer *w, node_t *node, const char *name)
{
	attr_t *attr = sd_message_new(w->mem, &streamd__v1__attr__descriptor);
	Streamd__V1__Value *value = sd_message_new(w->mem, &streamd__v1__value__descriptor);

	if (!attr || !value)
		return NULL;
	attr->name = sd_message_string(name);
	attr->value = value;
	node->attrs[node->n_attrs++] = attr;
	return value;
}

static bool add_number(struct writer *w, node_t *node, const char *name, int64_t number)
{
	Streamd__V1__Value *value = add(w, node, name);

	if (!value)
		return false;
	value->kind_case = STREAMD__V1__VALUE__KIND_I;
	value->i = number;
	return true;
}

static bool add_label(struct writer *w, node_t *node, struct sd_text label)
{
	Streamd__V1__Value *value = add(w, node, "_user_stream_label");
	char *text = sd_arena_alloc(w->mem, (size_t)label.len + 1);

	if (!value || !text)
		return false;
	memcpy(text, label.at, label.len);
	text[label.len] = '\0';
	value->kind_case = STREAMD__V1__VALUE__KIND_S;
	value->s = text;
	return true;
}

static bool annotate_node(struct writer *w, node_t *node)
{
	uint32_t n = w->next++;
	attr_t **attrs = SD_NEW(w->mem, attr_t *, node->n_attrs + ADDED);
	size_t kept = 0;

	if (!attrs)
		return false;
	for (size_t i = 0; i < node->n_attrs; i++) {
		if (!is_ours(node->attrs[i]->name))
			attrs[kept++] = node->attrs[i];
	}
	node->attrs = attrs;
	node->n_attrs = kept;
	w->name[n] = node->name;
	return (!w->a->label[n].len || add_label(w, node, w->a->label[n])) && add_number(w, node, "stream_id", w->a->plan->node[n].stream) &&
	       (w->a->logical[n] < 0 || add_number(w, node, "_logic_stream_id", w->a->logical[n]));
}

static bool annotate_graph(struct writer *w, Streamd__V1__Graph *graph)
{
	for (size_t i = 0; i < graph->n_nodes; i++) {
		if (!annotate_node(w, graph->nodes[i]))
			return false;
	}
	for (size_t g = 0; g < graph->n_subgraphs; g++) {
		for (size_t i = 0; i < graph->subgraphs[g]->n_nodes; i++) {
			if (!annotate_node(w, graph->subgraphs[g]->nodes[i]))
				return false;
		}
	}
	return true;
}

enum sd_status sd_annotate_request(struct sd_arena *mem, struct sd_emitter *out, const struct sd_annotation *annotation, struct sd_text bytes,
                                   struct sd_diag *diag)
{
	uint32_t count = annotation->request->graph.node_count;
	struct writer w = { .mem = mem, .a = annotation, .name = SD_NEW(mem, char *, count + 1) };
	Streamd__V1__PlanRequest *message;

	if (!w.name)
		return sd_memory_fail(mem, diag);
	SD_TRY(sd__request_unpack(mem, bytes, &message, diag));
	if (message->graph && !annotate_graph(&w, message->graph))
		return sd_memory_fail(mem, diag);
	if (annotation->plan->main_stream_count)
		SD_TRY(sd__request_set_partition(mem, message, annotation->logical, w.name, count, annotation->plan->main_stream_count, diag));
	sd_json_message_write(out, &message->base, false);
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}
