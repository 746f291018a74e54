#include "verify_labels.h"

#include "base/merge.h"

static int compare_texts(struct sd_text a, struct sd_text b)
{
	uint32_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.at, b.at, shorter) : 0;

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare(const struct sd__labels *labels, uint32_t i, uint32_t graph, struct sd_text label)
{
	if (labels->graph[i] != graph)
		return labels->graph[i] < graph ? -1 : 1;
	return compare_texts(labels->text[i], label);
}

static int compare_items(const void *context, uint32_t a, uint32_t b)
{
	const struct sd__labels *labels = context;

	return compare(labels, a, labels->graph[b], labels->text[b]);
}

static enum sd_status add(struct sd__labels *labels, struct sd__judge *judge, uint32_t n)
{
	size_t len = sd_graph_label(judge->graph, n, NULL, 0);
	char *text;

	if (len == 0 || judge->plan->node[n].logical_stream < 0)
		return SD_OK;
	SD__TAKE(text, judge->mem, char, len + 1);
	sd_graph_label(judge->graph, n, text, len + 1);
	labels->text[labels->count] = (struct sd_text){ text, (uint32_t)len };
	labels->graph[labels->count] = judge->graph->graph_of[n];
	labels->lane[labels->count] = (uint32_t)judge->plan->node[n].logical_stream;
	labels->order[labels->count] = labels->count;
	labels->count++;
	return SD_OK;
}

enum sd_status sd__labels_init(struct sd__labels *labels, struct sd__judge *judge)
{
	uint32_t labelled = 0, *spare;

	for (uint32_t n = 0; n < judge->real_nodes; n++)
		labelled += sd_graph_has(judge->graph, n, SD_ATTR_STREAM_LABEL) || sd_graph_has(judge->graph, n, SD_ATTR_USER_STREAM_LABEL);
	labels->count = 0;
	SD__TAKE(labels->text, judge->mem, struct sd_text, labelled + 1);
	SD__TAKE(labels->graph, judge->mem, uint32_t, labelled + 1);
	SD__TAKE(labels->lane, judge->mem, uint32_t, labelled + 1);
	SD__TAKE(labels->order, judge->mem, uint32_t, labelled + 1);
	SD__TAKE(spare, judge->mem, uint32_t, labelled + 1);
	for (uint32_t n = 0; n < judge->real_nodes; n++) {
		if (sd_graph_has(judge->graph, n, SD_ATTR_STREAM_LABEL) || sd_graph_has(judge->graph, n, SD_ATTR_USER_STREAM_LABEL))
			SD_TRY(add(labels, judge, n));
	}
	sd_merge_sort(labels->order, spare, labels->count, compare_items, labels);
	return SD_OK;
}

uint32_t sd__labels_first(const struct sd__labels *labels, uint32_t graph, struct sd_text label)
{
	uint32_t low = 0, high = labels->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare(labels, labels->order[middle], graph, label) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool sd__labels_has(const struct sd__labels *labels, uint32_t at, uint32_t graph, struct sd_text label)
{
	return at < labels->count && compare(labels, labels->order[at], graph, label) == 0;
}
