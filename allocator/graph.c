#include "streamd/graph.h"

#include "engines.h"

const struct sd_value *sd_graph_find(const struct sd_graph *g, struct sd_attr_range attrs, enum sd_attr_key key)
{
	for (uint32_t i = attrs.first; i < attrs.first + attrs.count; i++) {
		if (g->attr[i].key == key)
			return &g->attr[i].value;
	}
	return NULL;
}

const struct sd_value *sd_graph_attr(const struct sd_graph *g, uint32_t node, enum sd_attr_key key)
{
	return sd_graph_has(g, node, key) ? sd_graph_find(g, g->attrs[node], key) : NULL;
}

static const struct sd_value *typed(const struct sd_graph *g, uint32_t node, enum sd_attr_key key,
                                    enum sd_value_kind kind)
{
	const struct sd_value *value = sd_graph_attr(g, node, key);

	return value && value->kind == kind ? value : NULL;
}

bool sd_graph_string(const struct sd_graph *g, uint32_t node, enum sd_attr_key key, struct sd_text *out)
{
	const struct sd_value *value = typed(g, node, key, SD_VALUE_STRING);

	if (!value)
		return false;
	*out = value->string;
	return true;
}

bool sd_graph_int(const struct sd_graph *g, uint32_t node, enum sd_attr_key key, int64_t *out)
{
	const struct sd_value *value = typed(g, node, key, SD_VALUE_INT);

	if (!value)
		return false;
	*out = value->integer;
	return true;
}

bool sd_graph_bool(const struct sd_graph *g, uint32_t node, enum sd_attr_key key)
{
	const struct sd_value *value = typed(g, node, key, SD_VALUE_BOOL);

	return value && value->boolean;
}

/* Writes a part behind `len` bytes and answers the new length, whether it fits or not. */
static size_t put_part(char *out, size_t cap, size_t len, struct sd_text part)
{
	size_t room = len < cap ? cap - len : 0;

	if (part.len < room)
		room = part.len;
	if (room)
		memcpy(out + len, part.at, room);
	return len + part.len;
}

size_t sd_graph_label(const struct sd_graph *g, uint32_t node, char *out, size_t cap)
{
	struct sd_text user, inner;
	bool has_inner = sd_graph_string(g, node, SD_ATTR_STREAM_LABEL, &inner);
	size_t len;

	if (!sd_graph_string(g, node, SD_ATTR_USER_STREAM_LABEL, &user))
		return has_inner ? put_part(out, cap, 0, inner) : 0;
	len = put_part(out, cap, 0, user);
	if (!has_inner || !sd_graph_bool(g, node, SD_ATTR_ENABLE_INNER_PARALLEL))
		return len;
	len = put_part(out, cap, len, SD_TEXT("_"));
	return put_part(out, cap, len, inner);
}

static struct sd_text node_name(const void *of, uint32_t node)
{
	const struct sd_graph *g = of;

	return node < g->node_count ? g->name[node] : SD_TEXT("?");
}

/* The label as the user wrote it: what a message tells him to take away. */
static struct sd_text node_label(const void *of, uint32_t node)
{
	const struct sd_graph *g = of;
	struct sd_text label = SD_TEXT("");

	if (node < g->node_count && !sd_graph_string(g, node, SD_ATTR_USER_STREAM_LABEL, &label))
		sd_graph_string(g, node, SD_ATTR_STREAM_LABEL, &label);
	return label;
}

static struct sd_text node_engine(const void *of, uint32_t node)
{
	const struct sd_graph *g = of;
	struct sd_text engine = SD_TEXT("");

	if (node < g->node_count)
		sd_engine_of(g, node, &engine);
	return engine;
}

struct sd_names sd_graph_names(const struct sd_graph *g)
{
	return (struct sd_names){ .of = g, .node = node_name, .label = node_label, .engine = node_engine };
}
