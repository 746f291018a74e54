/* What the request itself says: which nodes launch and how many tasks, and the device's limits. */
#include "verify_internal.h"

#include "engines.h"

/* Types are told by name here once more, so that a mistake in the planner's own table shows. */
static const struct {
	const char *name;
	uint16_t op;
} op_table[] = {
	{ "StreamSwitch", SD__OP_SWITCH }, { "StreamSwitchN", SD__OP_BRANCHES },
	{ "If", SD__OP_FUNCTIONAL | SD__OP_CHOOSES }, { "_If", SD__OP_FUNCTIONAL | SD__OP_CHOOSES }, { "StatelessIf", SD__OP_FUNCTIONAL | SD__OP_CHOOSES },
	{ "Case", SD__OP_FUNCTIONAL | SD__OP_CHOOSES | SD__OP_GEARS }, { "StatelessCase", SD__OP_FUNCTIONAL | SD__OP_CHOOSES | SD__OP_GEARS },
	{ "While", SD__OP_FUNCTIONAL | SD__OP_LOOPS }, { "_While", SD__OP_FUNCTIONAL | SD__OP_LOOPS }, { "StatelessWhile", SD__OP_FUNCTIONAL | SD__OP_LOOPS },
	{ "For", SD__OP_FUNCTIONAL | SD__OP_LOOPS },
	{ "LabelSet", SD__OP_LABEL }, { "LabelGotoEx", SD__OP_GOTO }, { "LabelSwitchByIndex", SD__OP_JUMPS },
	{ "NetOutput", SD__OP_OUTPUT },
	{ "Variable", SD__OP_VARIABLE }, { "VariableV2", SD__OP_VARIABLE }, { "RefData", SD__OP_VARIABLE },
	{ "Data", SD__OP_SOURCE }, { "Const", SD__OP_SOURCE }, { "Constant", SD__OP_SOURCE }, { "ConstPlaceHolder", SD__OP_SOURCE },
	{ "NextIteration", SD__OP_CUTS }, { "RefNextIteration", SD__OP_CUTS },
	{ "Recv", SD__OP_RECEIVES }, { "RecvMem", SD__OP_RECEIVES },
	{ "HcomBroadcast", SD__OP_COLLECTIVE }, { "HcomAllGather", SD__OP_COLLECTIVE },
	{ "HcomAllReduce", SD__OP_COLLECTIVE }, { "HcomReduceScatter", SD__OP_COLLECTIVE },
	{ "HcomReduce", SD__OP_COLLECTIVE }, { "HcomAllToAllV", SD__OP_COLLECTIVE },
	{ "HcomGatherAllToAllV", SD__OP_COLLECTIVE }, { "HcomAllToAllVC", SD__OP_COLLECTIVE },
	{ "HcomAllToAll", SD__OP_COLLECTIVE },
};

static bool text_holds(struct sd_text text, struct sd_text part)
{
	for (uint32_t i = 0; i + part.len <= text.len; i++) {
		if (memcmp(text.at + i, part.at, part.len) == 0)
			return true;
	}
	return false;
}

static uint16_t op_of(struct sd_text type)
{
	uint16_t op = text_holds(type, SD_TEXT("PartitionedCall")) ? SD__OP_FUNCTIONAL : 0;

	for (size_t i = 0; i < sizeof(op_table) / sizeof(op_table[0]); i++) {
		if (sd_text_is(type, op_table[i].name))
			op |= op_table[i].op;
	}
	return op;
}

int64_t sd__tasks_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The count that an attribute states in place of the node's own; 0: none does. */
static int64_t tasks_stated(const struct sd__judge *judge, uint32_t node, bool attached)
{
	uint16_t op = judge->op[judge->graph->op_type[node]];
	bool collective = op & SD__OP_COLLECTIVE ||
	                  (judge->engine[node] != SD_NO_ENGINE && judge->engine[node] == judge->collective_engine);
	int64_t tasks = 0;

	if (!sd_graph_int(judge->graph, node, SD_ATTR_NODE_SQE_NUM, &tasks) && collective)
		sd_graph_int(judge->graph, node, attached ? SD_ATTR_HCCL_ATTACHED_TASK_NUM : SD_ATTR_HCCL_TASK_NUM, &tasks);
	if (tasks <= 0)
		return 0;
	return sd__tasks_add(tasks, op & SD__OP_RECEIVES ? 1 : 0);
}

int64_t sd__launch_tasks(const struct sd__judge *judge, uint32_t node, bool attached)
{
	int64_t stated = tasks_stated(judge, node, attached);

	if (stated > 0)
		return stated;
	if (attached && judge->graph->attached_task_count[node] >= 0)
		return judge->graph->attached_task_count[node];
	return judge->main_tasks[node];
}

static void find_tasks(struct sd__judge *judge, const struct sd_engines *engines)
{
	const struct sd_graph *graph = judge->graph;

	for (uint32_t n = 0; n < graph->node_count; n++) {
		uint16_t op = judge->op[graph->op_type[n]];
		bool idle = op & SD__OP_FUNCTIONAL ||
		            (judge->engine[n] < engines->count && engines->engine[judge->engine[n]].idle);

		if (graph->task_count[n] >= 0)
			judge->main_tasks[n] = graph->task_count[n];
		else
			judge->main_tasks[n] = op & SD__OP_OUTPUT || !idle;
	}
}

/* Whether the request lists every producer before its consumers and has that kept. */
static bool is_listed_in_order(const struct sd__judge *judge)
{
	const struct sd_graph *graph = judge->graph;

	if (judge->request->options.topo_sorting != SD_SORT_SUBMITTED && judge->request->options.topo_sorting != SD_SORT_STABLE)
		return false;
	for (uint32_t n = 0; n < graph->node_count; n++) {
		for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
			uint32_t src = graph->in[e].src;

			if (src != SD_NO_NODE && src >= n && !sd__cuts(judge, src))
				return false;
		}
	}
	return true;
}

enum sd_status sd__verify_facts(struct sd__judge *judge)
{
	const struct sd_graph *graph = judge->graph;
	struct sd_engines engines;
	uint32_t *engine;

	SD__TAKE0(judge->op, judge->mem, uint16_t, graph->string_count + 1);
	for (uint32_t s = 0; s < graph->string_count; s++)
		judge->op[s] = op_of(graph->string[s]);
	SD_TRY(sd_limits_resolve(&judge->request->device, &judge->limits, &judge->verdict->why));
	judge->depth_unlimited = judge->limits.unlimited_depth || graph->graph[SD_ROOT].dynamic;
	SD_TRY(sd_engines_make(judge->mem, &judge->request->device, &engines, &judge->verdict->why));
	SD_TRY(sd_engines_place(judge->mem, judge->request, &engines, &engine, &judge->verdict->why));
	judge->engine = engine;
	judge->collective_engine = sd_engines_find(&engines, SD_TEXT("DNN_HCCL"));
	SD__TAKE(judge->main_tasks, judge->mem, int64_t, graph->node_count);
	find_tasks(judge, &engines);
	judge->listed_in_order = is_listed_in_order(judge);
	return SD_OK;
}
