#include "runner.h"

#include "accesses.h"
#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "streamd/flow_of.h"
#include "streamd/node_work.h"

/* The n-th number of a sequence by seed, from 0 to below `bound`. */
static uint64_t drawn(uint64_t seed, uint64_t n, uint64_t bound)
{
	uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + n + 1;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) % bound;
}

static void note_done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	struct sd_run_time *time = arg;

	*time = (struct sd_run_time){ began_ns, ended_ns, status == SD_OK };
}

/* A collective takes its communicator; what keeps nothing busy takes time. */
static enum sd_task_kind kind_of(enum sd_engine_class engine)
{
	return engine == SD_ENGINE_COMM ? SD_TASK_COLLECTIVE : engine == SD_ENGINE_NONE ? SD_TASK_SLEEP : SD_TASK_KERNEL;
}

static void take_one_core(struct sd_engine_work *work)
{
	if (work->engine == SD_ENGINE_COMM || work->engine == SD_ENGINE_NONE)
		return;
	work->engine = SD_ENGINE_CUBE;
	work->cube_cores = 1;
	work->gang = false;
}

static enum sd_status fill_task(void *arg, const struct sd_step *step, uint32_t launch, struct sd_task *task, struct sd_diag *diag)
{
	struct sd_runner *runner = arg;
	const struct sd_run_options *options = &runner->options;
	struct sd_engine_work work;

	sd_node_work(&runner->request->graph, runner->plan, step->arg, &work);
	if (options->random)
		work.duration_ns = SD_RUN_SHORTEST_NS + drawn(options->seed + (runner->run << 20), launch, SD_RUN_LONGEST_NS - SD_RUN_SHORTEST_NS + 1);
	if (options->takes_one_core)
		take_one_core(&work);
	*task = (struct sd_task){
		.name = runner->name[step->arg], .kind = options->work ? SD_TASK_KERNEL : kind_of(work.engine), .engine = work.engine,
		.cube_cores = work.cube_cores, .vector_cores = work.vector_cores, .communicator = work.communicator, .gang = work.gang,
		.duration_ns = work.duration_ns, .run = options->work, .done = note_done, .done_arg = &runner->time[launch],
	};
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
	struct sd_load load = {
		.plan = plan, .choices = { choose, runner }, .task = fill_task, .task_arg = runner, .priority = options->priority,
		.runs_at_once = options->runs_at_once, .timeout_ms = options->timeout_ms, .source = options->source,
	};
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

enum sd_status sd_runner_events(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan,
                                const struct sd_run_options *options, uint32_t *events, struct sd_diag *diag)
{
	struct sd_runner runner = { .mem = mem, .request = request, .plan = plan, .options = *options };
	const struct sd_load load = { .plan = plan, .flow = &runner.flow, .choices = { choose, &runner } };

	SD_TRY(sd_flow_of(mem, &request->graph, plan, &runner.flow, diag));
	return sd_load_events(mem, &load, events, diag);
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
