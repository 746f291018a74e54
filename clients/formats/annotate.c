/* What is to be written of each node. */
#include "annotate.h"

#include <stdio.h>

#include "json_path.h"
#include "plan_names.h"

#define LABEL_MAX 40 /* bytes of a label of ours */

/* Labels say "these together", within one graph. What starts streams, and bodies, say more. */
static bool labels_will_do(const struct sd_request *request, const struct sd_plan *plan)
{
	return request->graph.graph_count == 1 && plan->activation_count == 0 && plan->mode != SD_MODE_SINGLE;
}

/* As many underscores in front as no label of the graph begins with. */
static uint32_t prefix_of(const struct sd_graph *graph)
{
	uint32_t most = 0;

	for (uint32_t n = 0; n < graph->node_count; n++) {
		struct sd_text label;
		uint32_t count = 0;

		if (!sd_graph_string(graph, n, SD_ATTR_USER_STREAM_LABEL, &label) && !sd_graph_string(graph, n, SD_ATTR_STREAM_LABEL, &label))
			continue;
		while (count < label.len && label.at[count] == '_')
			count++;
		if (label.len - count >= 7 && memcmp(label.at + count, "stream_", 7) == 0 && count + 1 > most)
			most = count + 1;
	}
	return most;
}

static bool name_stream(struct sd_arena *mem, uint32_t id, uint32_t prefix, struct sd_text *label)
{
	char *at = sd_arena_alloc(mem, (size_t)prefix + LABEL_MAX);

	if (!at)
		return false;
	memset(at, '_', prefix);
	*label = (struct sd_text){ at, prefix + (uint32_t)snprintf(at + prefix, LABEL_MAX, "stream_%u", id) };
	return true;
}

/* The label of each logical stream: what its nodes have, else one of ours. */
static bool name_streams(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, struct sd_text *label)
{
	uint32_t prefix = prefix_of(graph);

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		const struct sd_stream *stream = &plan->stream[s];

		if (!label[stream->logical_id].len && !sd_label_of(mem, graph, stream->label_node, &label[stream->logical_id]))
			return false;
	}
	for (uint32_t k = 0; k < plan->logical_stream_count; k++) {
		if (!label[k].len && !name_stream(mem, k, prefix, &label[k]))
			return false;
	}
	return true;
}

static int32_t logical_of(const struct sd_plan *plan, uint32_t node)
{
	const struct sd_placement *at = &plan->node[node];

	if (at->logical_stream != SD_NO_STREAM || at->stream == SD_NO_STREAM)
		return at->logical_stream;
	return (int32_t)plan->stream[at->stream].logical_id;
}

static bool label_nodes(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan, const int32_t *logical, struct sd_text *label)
{
	struct sd_text *of = SD_NEW0(mem, struct sd_text, plan->logical_stream_count + 1);

	if (!of || !name_streams(mem, graph, plan, of))
		return false;
	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (plan->node[n].stream != SD_NO_STREAM && !sd_graph_has(graph, n, SD_ATTR_USER_STREAM_LABEL))
			label[n] = of[logical[n]];
	}
	return true;
}

enum sd_status sd_annotation_make(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan,
                                  struct sd_annotation *annotation, struct sd_diag *diag)
{
	const struct sd_graph *graph = &request->graph;
	int32_t *logical = SD_NEW(mem, int32_t, graph->node_count + 1);
	struct sd_text *label = SD_NEW0(mem, struct sd_text, graph->node_count + 1);
	bool has_labels = labels_will_do(request, plan);

	if (!logical || !label)
		return sd_memory_fail(mem, diag);
	for (uint32_t n = 0; n < graph->node_count; n++)
		logical[n] = logical_of(plan, n);
	if (has_labels && plan->logical_stream_count > 1 && !label_nodes(mem, graph, plan, logical, label))
		return sd_memory_fail(mem, diag);
	*annotation = (struct sd_annotation){ plan, request, logical, label, has_labels };
	return SD_OK;
}
