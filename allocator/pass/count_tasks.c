/* count_tasks - which nodes are launched, and how many device tasks each has.
 *
 * Rule   A node is launched when its task count is above 0. Not stated, it is 0 on the
 *        idle engines (engines.h) and for functional nodes, else 1; NetOutput
 *        always has 1. An attached stream gets `attached_task_count` tasks, not stated as
 *        many as the main one. The split counts `_node_sqe_num`, or for collectives
 *        `_hccl_task_num` (`_hccl_attached_task_num`), instead where they are above 0, with one more for a receiver.
 * Why    A node without task has no place on a stream; the split needs the rest.
 * Cost   O(nodes). */
#include "passes.h"
#include "mutants.h"

/* Collectives by type; those on the collective engine count as such whatever their type. */
static const char *const collective_type[] = {
	"HcomBroadcast", "HcomAllGather", "HcomAllReduce", "HcomReduceScatter", "HcomReduce",
	"HcomAllToAllV", "HcomGatherAllToAllV", "HcomAllToAllVC", "HcomAllToAll",
};

static bool is_collective_type(struct sd_text type)
{
	for (size_t i = 0; i < sizeof(collective_type) / sizeof(collective_type[0]); i++) {
		if (sd_text_is(type, collective_type[i]))
			return true;
	}
	return false;
}

static int64_t stated_tasks(const struct sd_job *job, uint32_t node, bool idle_engine, bool functional)
{
	int64_t stated = job->graph->task_count[node];

	if (stated != SD_TASKS_UNKNOWN)
		return stated;
	if (sd_job_op(job, node) == SD_OP_NET_OUTPUT)
		return !SD_MUTANT(count_output_idle);
	return idle_engine || functional ? 0 : 1;
}

static int64_t counted_tasks(const struct sd_job *job, uint32_t node, bool collective, enum sd_attr_key collective_key)
{
	const struct sd_graph *graph = job->graph;
	int64_t number = 0;

	if (!sd_graph_int(graph, node, SD_ATTR_NODE_SQE_NUM, &number) && collective)
		sd_graph_int(graph, node, collective_key, &number);
	if (number > 0 && (sd_job_op(job, node) == SD_OP_RECV || sd_job_op(job, node) == SD_OP_RECV_MEM))
		number += !SD_MUTANT(count_recv_alone);
	return number;
}

enum sd_status sd__pass_count_tasks(struct sd_job *job)
{
	const struct sd_graph *graph = job->graph;
	uint32_t hccl = sd_engines_find(&job->engines, SD_TEXT("DNN_HCCL"));
	bool *functional = SD_NEW(job->mem, bool, graph->string_count);
	bool *collective_of_type = SD_NEW(job->mem, bool, graph->string_count);

	job->launched = SD_NEW(job->mem, bool, graph->node_count);
	job->tasks = SD_NEW(job->mem, int64_t, graph->node_count);
	job->attached_tasks = SD_NEW(job->mem, int64_t, graph->node_count);
	job->collective = SD_NEW(job->mem, bool, graph->node_count);
	SD_NEED(job, functional && collective_of_type && job->launched && job->tasks && job->attached_tasks && job->collective);
	for (uint32_t i = 0; i < graph->string_count; i++) {
		functional[i] = sd_op_is_functional(graph->string[i]);
		collective_of_type[i] = is_collective_type(graph->string[i]);
	}
	for (uint32_t n = 0; n < graph->node_count; n++) {
		uint32_t engine = job->engine[n], type = graph->op_type[n];
		bool idle = engine != SD_NO_ENGINE && job->engines.engine[engine].idle;
		int64_t tasks = stated_tasks(job, n, idle, functional[type]);
		bool collects = engine == hccl || collective_of_type[type];
		int64_t counted = counted_tasks(job, n, collects, SD_ATTR_HCCL_TASK_NUM);
		int64_t beside = counted_tasks(job, n, collects, SD_ATTR_HCCL_ATTACHED_TASK_NUM);

		job->collective[n] = collects;
		job->launched[n] = tasks > 0;
		job->tasks[n] = counted > 0 ? counted : tasks;
		if (beside <= 0)
			beside = graph->attached_task_count[n] == SD_TASKS_UNKNOWN || SD_MUTANT(count_attached_as_main) ? tasks : graph->attached_task_count[n];
		job->attached_tasks[n] = beside;
	}
	return SD_OK;
}
