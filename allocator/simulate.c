#include "streamd/simulate.h"

#include <string.h>

#include "critical.h"
#include "mutants.h"
#include "streamd/flow_of.h"
#include "streamd/node_work.h"

#define LEAST_URGENT 7

struct replay {
	struct sd_arena *mem;
	const struct sd_request *request;
	const struct sd_plan *plan;
	struct sd_machine_model model;
	struct sd_issue issue;
	struct sd_machine *machine;
	uint32_t *stream, *event, *notify; /* the machine's, by the plan's; of syncs those of the last record */
	uint32_t *last;                    /* by stream: its last step; SD_NO_STEP: none */
	uint32_t *recorded, *noted;        /* by event, by notify: step of the last record */
	uint32_t *hold, *next_hold;        /* by stream: the oldest hold that nothing opens yet; by step: the next one */
	struct sd_ran *ran;
	struct sd_engine_work *work;
	struct sd_run_time *time;
	uint32_t *step_of;                 /* by launch */
	uint32_t assumed;
};

static enum sd_status no_memory(const struct sd_arena *mem, struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
}

/* ---- what is run ---- */

static enum sd_status issue(struct replay *r, struct sd_diag *diag)
{
	const struct sd_choices choices = { NULL, NULL };
	struct sd_diag why = { 0 };
	struct sd_flow flow;
	enum sd_status status = sd_flow_of(r->mem, &r->request->graph, r->plan, &flow, &why);

	if (status == SD_OK)
		status = sd_issue_make(r->mem, r->plan, &flow, &choices, &r->issue, &why);
	if (status == SD_RESOURCE_EXHAUSTED && why.code != SD_CODE_MANY_TURNS)
		return no_memory(r->mem, diag);
	if (status != SD_OK && diag && diag->code == SD_CODE_NONE)
		*diag = why;
	return status;
}

static uint32_t *filled(struct sd_arena *mem, uint32_t count)
{
	uint32_t *list = SD_NEW(mem, uint32_t, (size_t)count + 1);

	if (list)
		memset(list, 0xff, ((size_t)count + 1) * sizeof(*list));
	return list;
}

static bool take_room(struct replay *r)
{
	const struct sd_plan *plan = r->plan;
	uint32_t steps = r->issue.step_count, launches = r->issue.launch_count;

	r->stream = filled(r->mem, plan->stream_count);
	r->event = filled(r->mem, plan->event_count);
	r->notify = filled(r->mem, plan->notify_count);
	r->last = filled(r->mem, plan->stream_count);
	r->recorded = filled(r->mem, plan->event_count);
	r->noted = filled(r->mem, plan->notify_count);
	r->hold = filled(r->mem, plan->stream_count);
	r->next_hold = filled(r->mem, steps);
	r->ran = SD_NEW0(r->mem, struct sd_ran, (size_t)steps + 1);
	r->work = SD_NEW(r->mem, struct sd_engine_work, (size_t)launches + 1);
	r->time = SD_NEW0(r->mem, struct sd_run_time, (size_t)launches + 1);
	r->step_of = filled(r->mem, launches);
	return r->stream && r->event && r->notify && r->last && r->recorded && r->noted && r->hold && r->next_hold && r->ran && r->work && r->time &&
	       r->step_of;
}

/* ---- on the machine ---- */

/* What the device has too few of it gets all of: how many that is the hazards tell. */
static struct sd_machine_work work_of(const struct replay *r, const struct sd_engine_work *stated)
{
	struct sd_machine_work work = sd_machine_work_of(&r->model, stated);

	if (sd_machine_can_run(r->machine, &work))
		return work;
	work.cube = work.cube < r->model.cube_cores ? work.cube : r->model.cube_cores;
	work.vector = work.vector < r->model.vector_cores ? work.vector : r->model.vector_cores;
	work.aicpu = work.aicpu && r->model.aicpu_servers > 0;
	return work;
}

static enum sd_status add_launch(struct replay *r, uint32_t stream, uint32_t step, uint32_t launch)
{
	struct sd_engine_work *stated = &r->work[launch];
	struct sd_machine_work work;

	r->assumed += !sd_node_work(&r->request->graph, r->plan, r->issue.step[step].arg, stated);
	r->step_of[launch] = step;
	r->ran[step].launch = launch;
	work = work_of(r, stated);
	return sd_machine_add_work(r->machine, stream, &work, step);
}

/* Each record has a signal of its own, that of a notify too: the wait behind it in the list is for it (issue.h). */
static enum sd_status add_record(struct replay *r, uint32_t stream, uint32_t step, uint32_t *signal, uint32_t *recorded)
{
	if (*recorded != SD_NO_STEP)
		sd_machine_drop_signal(r->machine, *signal);
	*recorded = step;
	SD_TRY(sd_machine_add_signal(r->machine, signal));
	return sd_machine_add_record(r->machine, stream, *signal, step);
}

static enum sd_status add_wait(struct replay *r, uint32_t stream, uint32_t step, uint32_t signal, uint32_t recorded)
{
	r->ran[step].partner = recorded;
	return SD_MUTANT(simulate_no_waits) ? SD_OK : sd_machine_add_wait(r->machine, stream, signal, false, step);
}

static enum sd_status add_hold(struct replay *r, uint32_t stream, uint32_t of, uint32_t step)
{
	uint32_t *end = &r->hold[of];

	while (*end != SD_NO_STEP)
		end = &r->next_hold[*end];
	*end = step;
	return sd_machine_add_hold(r->machine, stream, step);
}

static enum sd_status add_activate(struct replay *r, uint32_t stream, uint32_t started, uint32_t step)
{
	uint32_t opened = r->hold[started];

	if (opened != SD_NO_STEP) {
		r->ran[opened].partner = step;
		r->hold[started] = r->next_hold[opened];
	}
	return sd_machine_add_activate(r->machine, stream, r->stream[started], step);
}

static enum sd_status add_step(struct replay *r, uint32_t step, uint32_t *launch)
{
	const struct sd_step *s = &r->issue.step[step];
	uint32_t stream = r->stream[s->stream];

	r->ran[step].previous = r->last[s->stream];
	r->ran[step].partner = SD_NO_STEP;
	r->last[s->stream] = step;
	switch (s->kind) {
	case SD_STEP_LAUNCH: return add_launch(r, stream, step, (*launch)++);
	case SD_STEP_RECORD: return add_record(r, stream, step, &r->event[s->arg], &r->recorded[s->arg]);
	case SD_STEP_WAIT: return add_wait(r, stream, step, r->event[s->arg], r->recorded[s->arg]);
	case SD_STEP_NOTIFY_RECORD: return add_record(r, stream, step, &r->notify[s->arg], &r->noted[s->arg]);
	case SD_STEP_NOTIFY_WAIT: return add_wait(r, stream, step, r->notify[s->arg], r->noted[s->arg]);
	case SD_STEP_HOLD: return add_hold(r, stream, s->stream, step);
	case SD_STEP_ACTIVATE: break;
	}
	return add_activate(r, stream, s->arg, step);
}

static int32_t urgency(int32_t priority)
{
	return priority < 0 ? 0 : priority > LEAST_URGENT ? LEAST_URGENT : priority;
}

static enum sd_status set_up(struct replay *r)
{
	r->machine = sd_machine_new(r->mem, &r->model);
	if (!r->machine)
		return SD_RESOURCE_EXHAUSTED;
	for (uint32_t s = 0; s < r->plan->stream_count; s++)
		SD_TRY(sd_machine_add_stream(r->machine, urgency(r->plan->stream[s].priority), s > 0, &r->stream[s]));
	return SD_OK;
}

static void run(struct replay *r)
{
	struct sd_machine_end end;

	while (sd_machine_next(r->machine, SD_MACHINE_FOR_EVER, &end)) {
		struct sd_ran *ran = &r->ran[end.tag];

		ran->began_ns = end.began_ns;
		ran->ended_ns = end.ended_ns;
		if (end.kind == SD_MACHINE_WORK)
			r->time[ran->launch] = (struct sd_run_time){ (uint64_t)end.began_ns, (uint64_t)end.ended_ns, true };
	}
}

static enum sd_status replay(struct replay *r)
{
	uint32_t launch = 0;

	SD_TRY(set_up(r));
	for (uint32_t i = 0; i < r->issue.step_count; i++)
		SD_TRY(add_step(r, i, &launch));
	run(r);
	if (sd_machine_is_broken(r->machine))
		return SD_RESOURCE_EXHAUSTED;
	return sd_machine_left(r->machine) ? SD_INTERNAL : SD_OK; /* no order of issue lets that happen */
}

/* The same launches one after the other; gives its memory back. */
static enum sd_status run_on_one(struct replay *r, int64_t *makespan_ns)
{
	struct sd_arena_mark mark = sd_arena_mark(r->mem);
	struct sd_machine_end end;
	uint32_t stream;

	*makespan_ns = 0;
	r->machine = sd_machine_new(r->mem, &r->model);
	if (!r->machine || sd_machine_add_stream(r->machine, 0, false, &stream) != SD_OK)
		return SD_RESOURCE_EXHAUSTED;
	for (uint32_t i = 0; i < r->issue.launch_count; i++) {
		struct sd_machine_work work = work_of(r, &r->work[i]);

		SD_TRY(sd_machine_add_work(r->machine, stream, &work, i));
		while (sd_machine_left(r->machine) > 1 && sd_machine_next(r->machine, SD_MACHINE_FOR_EVER, &end))
			*makespan_ns = end.ended_ns;
	}
	while (sd_machine_next(r->machine, SD_MACHINE_FOR_EVER, &end))
		*makespan_ns = end.ended_ns;
	sd_arena_rewind(r->mem, mark);
	return SD_OK;
}

/* ---- figures ---- */

static bool tell_streams(struct replay *r, struct sd_simulated_stream *stream)
{
	struct sd_measure measure;

	if (!sd_measure_start(r->mem, r->plan->stream_count, &measure) || !sd_measure_add(r->mem, &r->issue, r->time, &measure))
		return false;
	for (uint32_t s = 0; s < r->plan->stream_count; s++)
		stream[s] = (struct sd_simulated_stream){ (int64_t)measure.stream[s].busy_ns, (int64_t)measure.stream[s].overlap_ns };
	return true;
}

static void tell_launches(const struct replay *r, struct sd_simulated_launch *launch, int64_t *makespan_ns)
{
	*makespan_ns = 0;
	for (uint32_t i = 0; i < r->issue.launch_count; i++) {
		const struct sd_step *step = &r->issue.step[r->step_of[i]];
		const struct sd_ran *ran = &r->ran[r->step_of[i]];

		launch[i] = (struct sd_simulated_launch){ step->arg, step->stream, step->attached, ran->began_ns, ran->ended_ns };
		if (ran->ended_ns > *makespan_ns || SD_MUTANT(simulate_to_last_listed))
			*makespan_ns = ran->ended_ns;
	}
}

static enum sd_status tell(struct replay *r, struct sd_simulation *simulation)
{
	struct sd_simulated_stream *stream = SD_NEW(r->mem, struct sd_simulated_stream, (size_t)r->plan->stream_count + 1);
	struct sd_simulated_launch *launch = SD_NEW(r->mem, struct sd_simulated_launch, (size_t)r->issue.launch_count + 1);
	struct sd_chain_link *link = SD_NEW(r->mem, struct sd_chain_link, (size_t)r->issue.launch_count + 1);
	struct sd_arena_mark mark = sd_arena_mark(r->mem);
	struct sd_critical of = { r->mem, &r->issue, NULL, NULL, NULL, &r->model };

	if (!stream || !launch || !link || !take_room(r))
		return SD_RESOURCE_EXHAUSTED;
	SD_TRY(replay(r));
	of.ran = r->ran;
	of.work = r->work;
	of.step_of = r->step_of;
	*simulation = (struct sd_simulation){ .stream_count = r->plan->stream_count, .launch_count = r->issue.launch_count, .assumed = r->assumed,
	                                      .stream = stream, .launch = launch, .link = link };
	tell_launches(r, launch, &simulation->makespan_ns);
	if (!tell_streams(r, stream) || !sd_critical_chain(&of, link, &simulation->link_count))
		return SD_RESOURCE_EXHAUSTED;
	SD_TRY(run_on_one(r, &simulation->one_stream_ns));
	sd_arena_rewind(r->mem, mark);
	return SD_OK;
}

enum sd_status sd_simulate(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan,
                           struct sd_simulation *simulation, struct sd_diag *diag)
{
	struct replay r = { .mem = mem, .request = request, .plan = plan };

	enum sd_status status;

	sd_machine_model_of(&request->device.model, &r.model);
	SD_TRY(issue(&r, diag));
	status = tell(&r, simulation);
	if (status == SD_INTERNAL)
		return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("the plan comes to no end on the device model"));
	return status == SD_OK ? SD_OK : no_memory(mem, diag);
}
