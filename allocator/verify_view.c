/* The graph as the plan runs it: with the StreamActives that it inserts behind StreamSwitches
 * that start several streams. They are nodes like others from then on: launched once, with
 * one task, on a stream of their own. */
#include "verify_internal.h"

static const char *inserted_fault(const struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	const struct sd_graph *graph = judge->graph;

	if (plan->node_count < graph->node_count || plan->node_count - graph->node_count != plan->inserted_count)
		return "the plan is for another number of nodes";
	for (uint32_t i = 0; i < plan->inserted_count; i++) {
		uint32_t node = plan->inserted[i];

		if (node >= graph->node_count || (!sd_text_is(graph->string[graph->op_type[node]], "StreamSwitch") &&
		                                  !sd_text_is(graph->string[graph->op_type[node]], "StreamSwitchN")))
			return "an inserted node does not stand behind a StreamSwitch";
	}
	return NULL;
}

/* One array of the graph, longer by the inserted nodes; theirs are all zero. */
static void *longer(struct sd__judge *judge, const void *array, size_t size)
{
	size_t old = (size_t)judge->graph->node_count * size;
	unsigned char *copy = sd_arena_zero(judge->mem, judge->plan->node_count, size);

	if (copy && old)
		memcpy(copy, array, old);
	return copy;
}

static enum sd_status extend(struct sd__judge *judge, struct sd_graph *view)
{
	const struct sd_graph *graph = judge->graph;
	uint32_t inserted = judge->plan->inserted_count, nodes = graph->node_count;
	struct sd_text *string = SD_NEW(judge->mem, struct sd_text, graph->string_count + 1u);
	uint32_t *op_type = longer(judge, graph->op_type, sizeof(uint32_t));
	uint32_t *engine = longer(judge, graph->engine, sizeof(uint32_t));
	uint32_t *graph_of = longer(judge, graph->graph_of, sizeof(uint32_t));
	uint32_t *in_first = SD_NEW(judge->mem, uint32_t, judge->plan->node_count + 1u);
	int64_t *task_count = longer(judge, graph->task_count, sizeof(int64_t));
	int64_t *attached_tasks = longer(judge, graph->attached_task_count, sizeof(int64_t));
	struct sd_attr_range *attrs = longer(judge, graph->attrs, sizeof(*attrs));
	uint64_t *present = longer(judge, graph->attr_present, sizeof(uint64_t));

	if (!string || !op_type || !engine || !graph_of || !in_first || !task_count || !attached_tasks || !attrs || !present)
		return SD_RESOURCE_EXHAUSTED;
	memcpy(string, graph->string, graph->string_count * sizeof(*string));
	string[graph->string_count] = SD_TEXT("StreamActive");
	memcpy(in_first, graph->in_first, ((size_t)nodes + 1) * sizeof(*in_first));
	for (uint32_t i = 0; i < inserted; i++) {
		op_type[nodes + i] = graph->string_count;
		graph_of[nodes + i] = graph->graph_of[judge->plan->inserted[i]];
		task_count[nodes + i] = 1;
		in_first[nodes + i + 1] = in_first[nodes];
	}
	view->node_count = judge->plan->node_count;
	view->string = string;
	view->string_count = graph->string_count + 1;
	view->op_type = op_type;
	view->engine = engine;
	view->graph_of = graph_of;
	view->in_first = in_first;
	view->task_count = task_count;
	view->attached_task_count = attached_tasks;
	view->attrs = attrs;
	view->attr_present = present;
	return SD_OK;
}

enum sd_status sd__verify_view(struct sd__judge *judge)
{
	const char *wrong = inserted_fault(judge);
	struct sd_request *view;

	judge->real_nodes = judge->graph->node_count;
	if (wrong) {
		sd__violate(judge->verdict, SD_VIOLATION_COUNT, wrong, SD_NO_NODE, SD_NO_NODE, -1, judge->plan->node_count);
		return SD_OK;
	}
	if (judge->plan->inserted_count == 0)
		return SD_OK;
	SD__TAKE(view, judge->mem, struct sd_request, 1);
	*view = *judge->request;
	SD_TRY(extend(judge, &view->graph));
	judge->request = view;
	judge->graph = &view->graph;
	return SD_OK;
}
