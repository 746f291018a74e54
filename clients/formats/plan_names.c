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
