#include "runner.h"

#include "accesses.h"
#include "engines.h"
#include "flow_of.h"
#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "optype.h"

/* ---- what a node is on a device ---- */

/* Operators that fill the cube cores where nothing is said about the kind of core. */
static bool is_cube_type(struct sd_text type)
{
	static const char *const part[] = { "MatMul", "Conv", "Gemm", "Attention" };

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (memmem(type.at, type.len, part[i], strlen(part[i])))
			return true;
	}
	return false;
}

static enum sd_engine_class core_of(const struct sd_graph *graph, uint32_t node)
{
	struct sd_text kind;

	if (!sd_graph_string(graph, node, SD_ATTR_CUBE_VECTOR_CORE_TYPE, &kind))
		return is_cube_type(graph->string[graph->op_type[node]]) ? SD_ENGINE_CUBE : SD_ENGINE_VECTOR;
	if (sd_text_is(kind, "AIV") || sd_text_is(kind, "MIX_AIV"))
		return SD_ENGINE_VECTOR;
	return sd_text_is(kind, "MIX") || sd_text_is(kind, "MIX_AIC") ? SD_ENGINE_MIX : SD_ENGINE_CUBE;
}

static enum sd_engine_class class_of(const struct sd_graph *graph, uint32_t node)
{
	static const struct {
		const char *engine;
		enum sd_engine_class class;
	} rows[] = {
		{ "VectorEngine", SD_ENGINE_VECTOR }, { "DNN_HCCL", SD_ENGINE_COMM }, { "DNN_VM_AICPU", SD_ENGINE_AICPU },
		{ "DNN_VM_AICPU_ASCEND", SD_ENGINE_AICPU }, { "DNN_VM_AICPU_FFTS_PLUS", SD_ENGINE_AICPU }, { "DNN_VM_RTS", SD_ENGINE_NONE },
		{ "DNN_VM_GE_LOCAL", SD_ENGINE_NONE }, { "DSAEngine", SD_ENGINE_OTHER }, { "DNN_VM_DVPP", SD_ENGINE_OTHER },
	};
	struct sd_text engine;

	if (node >= graph->node_count)
		return SD_ENGINE_NONE;
	sd_engine_of(graph, node, &engine);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sd_text_is(engine, rows[i].engine))
			return rows[i].class;
	}
	return core_of(graph, node);
}

/* Numbers of communicators, by the names of their groups: equal ones have equal numbers, which are not 0. */
static uint32_t communicator_of(const struct sd_graph *graph, uint32_t node)
{
	struct sd_text group = { "", 0 };
	uint32_t hash = 2166136261u;

	if (graph->extra_of[node] != UINT32_MAX && graph->extra[graph->extra_of[node]].has_comm)
		group = graph->extra[graph->extra_of[node]].comm.group;
	else if (!sd_graph_string(graph, node, SD_ATTR_GROUP, &group))
		return 1;
	for (uint32_t i = 0; i < group.len; i++)
		hash = (hash ^ (unsigned char)group.at[i]) * 16777619u;
	return hash ? hash : 1;
}

/* The n-th number of a sequence by seed, from 0 to below `bound`. */
static uint64_t drawn(uint64_t seed, uint64_t n, uint64_t bound)
{
	uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + n + 1;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) % bound;
}

static uint64_t duration_of(const struct sd_runner *runner, uint32_t node, uint32_t launch)
{
	const struct sd_graph *graph = &runner->request->graph;
	uint32_t extra = node < graph->node_count ? graph->extra_of[node] : UINT32_MAX;

	if (runner->options.random)
		return SD_RUN_SHORTEST_NS + drawn(runner->options.seed + (runner->run << 20), launch, SD_RUN_LONGEST_NS - SD_RUN_SHORTEST_NS + 1);
	if (extra != UINT32_MAX && graph->extra[extra].duration_ns >= 0)
		return (uint64_t)graph->extra[extra].duration_ns;
	return SD_RUN_DEFAULT_NS;
}

static uint32_t cores_of(int32_t fills, int32_t cap)
{
	uint32_t cores = fills > 0 ? (uint32_t)fills : 0;

	return cap > 0 && (cores == 0 || (uint32_t)cap < cores) ? (uint32_t)cap : cores;
}

static void note_done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	struct sd_run_time *time = arg;

	*time = (struct sd_run_time){ began_ns, ended_ns, status == SD_OK };
}

static enum sd_status fill_task(void *arg, const struct sd_step *step, uint32_t launch, struct sd_task *task, struct sd_diag *diag)
{
	struct sd_runner *runner = arg;
	const struct sd_graph *graph = &runner->request->graph;
	uint32_t node = step->arg;
	const struct sd_placement *place = &runner->plan->node[node];
	const struct sd_extra *extra = node < graph->node_count && graph->extra_of[node] != UINT32_MAX ? &graph->extra[graph->extra_of[node]] : NULL;

	*task = (struct sd_task){
		.name = runner->name[node], .kind = SD_TASK_KERNEL, .engine = class_of(graph, node),
		.cube_cores = cores_of(extra ? extra->cube_cores : -1, place->cube_cores),
		.vector_cores = cores_of(extra ? extra->vector_cores : -1, place->vector_cores),
		.gang = extra && extra->gang, .duration_ns = duration_of(runner, node, launch), .done = note_done, .done_arg = &runner->time[launch],
	};
	if (runner->options.takes_one_core && task->engine != SD_ENGINE_COMM && task->engine != SD_ENGINE_NONE) {
		task->engine = SD_ENGINE_CUBE;
		task->cube_cores = 1;
		task->gang = false;
	}
	if (task->engine == SD_ENGINE_COMM) {
		task->kind = SD_TASK_COLLECTIVE;
		task->communicator = node < graph->node_count ? communicator_of(graph, node) : 0;
	} else if (task->engine == SD_ENGINE_NONE) {
		task->kind = SD_TASK_SLEEP; /* a label, an activation, the end of the model: no engine works */
	}
	if (runner->options.work) {
		task->kind = SD_TASK_KERNEL;
		task->run = runner->options.work;
	}
	if (runner->accesses && !step->attached) {
		task->access = runner->accesses->access + runner->accesses->first[step->slot];
		task->access_count = runner->accesses->first[step->slot + 1] - runner->accesses->first[step->slot];
	}
	return SD_OK;
}

/* ---- opening ---- */

static uint32_t choose(void *arg, uint32_t node, uint32_t bodies)
{
	const struct sd_runner *runner = arg;
	bool loops = runner->flow.kind[node] == SD_FLOW_LOOPS;

	if (runner->options.draws_choices)
		return (uint32_t)drawn(runner->options.seed, node, loops ? SD_RUN_TURNS_MAX : bodies) + loops;
	if (loops)
		return runner->options.turns;
	return runner->options.branch < bodies ? runner->options.branch : bodies - 1;
}

static enum sd_status name_nodes(struct sd_runner *runner, struct sd_diag *diag)
{
	const struct sd_text *text = sd_plan_names(runner->mem, &runner->request->graph, runner->plan);
	const char **name = SD_NEW(runner->mem, const char *, runner->plan->node_count + 1);

	if (!text || !name)
		return sd_memory_fail(runner->mem, diag);
	for (uint32_t n = 0; n < runner->plan->node_count; n++) {
		char *at = sd_arena_alloc(runner->mem, text[n].len + 1);

		if (!at)
			return sd_memory_fail(runner->mem, diag);
		memcpy(at, text[n].at, text[n].len);
		at[text[n].len] = '\0';
		name[n] = at;
	}
	runner->name = name;
	return SD_OK;
}

static enum sd_status find_accesses(struct sd_runner *runner, struct sd_diag *diag)
{
	struct sd_accesses *accesses = sd_arena_alloc(runner->mem, sizeof(*accesses));

	if (!accesses)
		return sd_memory_fail(runner->mem, diag);
	runner->accesses = accesses;
	return sd_accesses_of(runner->mem, &runner->request->graph, runner->plan, &runner->flow, &sd_model_issue(runner->model)->visits, accesses, diag);
}

static enum sd_status prepare(struct sd_runner *runner, struct sd_diag *diag)
{
	const struct sd_issue *issue = sd_model_issue(runner->model);

	runner->time = SD_NEW0(runner->mem, struct sd_run_time, issue->launch_count + 1);
	runner->seen = SD_NEW0(runner->mem, struct sd_seen, issue->visits.slot_count + 1);
	if (!runner->time || !runner->seen)
		return sd_memory_fail(runner->mem, diag);
	return runner->options.checks_accesses ? find_accesses(runner, diag) : SD_OK;
}

enum sd_status sd_runner_open(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_device *device,
                              const struct sd_run_options *options, struct sd_runner *runner, struct sd_diag *diag)
{
	struct sd_load load = { .plan = plan, .choices = { choose, runner }, .task = fill_task, .task_arg = runner, .timeout_ms = options->timeout_ms,
		.source = options->source };
	enum sd_status status;

	*runner = (struct sd_runner){ .mem = mem, .request = request, .plan = plan, .options = *options };
	SD_TRY(sd_flow_of(mem, &request->graph, plan, &runner->flow, diag));
	SD_TRY(name_nodes(runner, diag));
	load.flow = &runner->flow;
	SD_TRY(sd_model_load(device, &load, &runner->model, diag));
	status = prepare(runner, diag);
	if (status != SD_OK)
		sd_runner_close(runner, NULL);
	return status;
}

enum sd_status sd_runner_run(struct sd_runner *runner, struct sd_edges_verdict *verdict, struct sd_diag *diag)
{
	const struct sd_issue *issue = sd_model_issue(runner->model);
	uint32_t launch = 0;

	memset(runner->time, 0, issue->launch_count * sizeof(*runner->time));
	SD_TRY(sd_model_run(runner->model, diag));
	runner->run++;
	for (uint32_t i = 0; i < issue->step_count; i++) {
		const struct sd_step *step = &issue->step[i];

		if (step->kind != SD_STEP_LAUNCH)
			continue;
		if (!step->attached)
			runner->seen[step->slot] = (struct sd_seen){ runner->time[launch].began_ns, runner->time[launch].ended_ns, runner->time[launch].is_done };
		launch++;
	}
	return sd_edges_check(runner->mem, &runner->request->graph, runner->plan, &runner->flow, &issue->visits, runner->seen, verdict, diag);
}

enum sd_status sd_runner_close(struct sd_runner *runner, struct sd_diag *diag)
{
	if (!runner->model)
		return SD_OK;
	return sd_model_unload(&runner->model, NULL) == SD_OK ? SD_OK : sd_model_unload(&runner->model, diag);
}
