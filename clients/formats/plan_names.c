#include "plan_names.h"

#include <stdarg.h>
#include <stdio.h>

uint32_t sd_inserted_suffix(struct sd_text name)
{
	const uint32_t words = sizeof(SD_INSERTED_SUFFIX) - 1;
	uint32_t digits = 0;

	while (digits < name.len && name.at[name.len - digits - 1] >= '0' && name.at[name.len - digits - 1] <= '9')
		digits++;
	if (digits == 0 || name.len <= digits + words || memcmp(name.at + name.len - digits - words, SD_INSERTED_SUFFIX, words) != 0)
		return 0;
	return digits + words;
}

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

#define MOST_DIGITS 10 /* of a uint32_t */

/* For each inserted node the place of its stream in the list of its StreamSwitch. False over budget. */
static bool find_places(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, uint32_t *place)
{
	uint32_t *on = SD_NEW0(mem, uint32_t, plan->stream_count); /* by stream: its inserted node + 1 */

	if (!on)
		return false;
	for (uint32_t i = 0; i < plan->inserted_count; i++) {
		int32_t stream = plan->node[graph->node_count + i].stream;

		if (stream >= 0 && (uint32_t)stream < plan->stream_count)
			on[stream] = i + 1;
	}
	for (uint32_t a = 0; a < plan->activation_count; a++) {
		const struct sd_activation *list = &plan->activation[a];

		for (uint32_t k = 0; k < list->count; k++) {
			uint32_t stream = plan->activated[list->first + k], relay = stream < plan->stream_count ? on[stream] : 0;

			if (relay && plan->inserted[relay - 1] == list->node)
				place[relay - 1] = k;
		}
	}
	return true;
}

const struct sd_text *sd_plan_names(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan)
{
	uint32_t nodes = graph->node_count, *place;
	struct sd_text *name;

	if (plan->node_count == nodes)
		return graph->name;
	name = SD_NEW(mem, struct sd_text, plan->node_count);
	place = SD_NEW0(mem, uint32_t, plan->inserted_count);
	if (!name || !place || !find_places(mem, graph, plan, place))
		return NULL;
	memcpy(name, graph->name, nodes * sizeof(*name));
	for (uint32_t i = nodes; i < plan->node_count; i++) {
		struct sd_text of = graph->name[plan->inserted[i - nodes]];
		size_t room = of.len + sizeof(SD_INSERTED_SUFFIX) + MOST_DIGITS;
		char *at = SD_NEW(mem, char, room);

		if (!at)
			return NULL;
		memcpy(at, of.at, of.len);
		name[i] = (struct sd_text){ at, of.len + (uint32_t)snprintf(at + of.len, room - of.len, SD_INSERTED_SUFFIX "%u", place[i - nodes]) };
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
