#include "plan_names.h"

#include <stdarg.h>
#include <stdio.h>

bool sd_label_of(struct sd_arena *mem, const struct sd_graph *graph, uint32_t node, struct sd_text *label)
{
	size_t len;
	char *at;

	*label = (struct sd_text){ "", 0 };
	if (node >= graph->node_count)
		return true;
	len = sd_graph_label(graph, node, NULL, 0);
	at = sd_arena_alloc(mem, len + 1);
	if (!at)
		return false;
	sd_graph_label(graph, node, at, len + 1);
	*label = (struct sd_text){ at, (uint32_t)len };
	return true;
}

const struct sd_text *sd_plan_names(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan)
{
	struct sd_text *name;

	if (plan->node_count == graph->node_count)
		return graph->name;
	name = SD_NEW(mem, struct sd_text, plan->node_count);
	if (!name)
		return NULL;
	memcpy(name, graph->name, graph->node_count * sizeof(*name));
	for (uint32_t i = graph->node_count; i < plan->node_count; i++) {
		struct sd_text of = graph->name[plan->inserted[i - graph->node_count]];
		char *at = SD_NEW(mem, char, of.len + sizeof(SD_INSERTED_SUFFIX));

		if (!at)
			return NULL;
		memcpy(at, of.at, of.len);
		memcpy(at + of.len, SD_INSERTED_SUFFIX, sizeof(SD_INSERTED_SUFFIX) - 1);
		name[i] = (struct sd_text){ at, of.len + (uint32_t)sizeof(SD_INSERTED_SUFFIX) - 1 };
	}
	return name;
}

void sd_put_name(struct sd_emitter *out, struct sd_text name, const char *escaped)
{
	for (uint32_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.at[i];
		char text[6];

		if (c < 0x20 || c == 0x7f) {
			snprintf(text, sizeof(text), "%s\\x%02x", *escaped ? "\\" : "", c);
			sd_emit_raw(out, text, strlen(text));
			continue;
		}
		if (strchr(escaped, c))
			sd_emit_raw(out, "\\", 1);
		sd_emit_raw(out, name.at + i, 1);
	}
}

void sd_put(struct sd_emitter *out, const char *format, ...)
{
	char text[1024];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len > 0)
		sd_emit_raw(out, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}
