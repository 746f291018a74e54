#include "simulate.h"

#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "runner.h"
#include "streamd/device_sim.h"

#define PLENTY (1u << 30) /* of everything: a plan that was proved fits the device it was made for */

/* Where an arrow begins: what was last launched on the stream. */
struct source {
	uint32_t span, stream;
	bool known;
};

struct drawing {
	const struct sd_runner *runner;
	const struct sd_issue *issue;
	struct sd_span *span;
	struct sd_arrow *arrow;
	uint32_t span_count, arrow_count;
	uint32_t *last;                 /* by stream: span */
	uint32_t *pending;              /* by stream: its first arrow without a span behind it; linked by next */
	uint32_t *next;                 /* by arrow */
	struct source *record[2];       /* by kind and number */
	uint32_t *sync_of[2];           /* by kind and number: its first sync, linked by same; those that share it come in their order */
	uint32_t *same;                 /* by sync */
	uint32_t *met;                  /* by sync: how often */
};

static uint32_t *list_of(struct sd_arena *mem, size_t count)
{
	uint32_t *list = SD_NEW(mem, uint32_t, count + 1);

	if (list)
		memset(list, 0xff, (count + 1) * sizeof(*list));
	return list;
}

static bool take_room(struct sd_arena *mem, struct drawing *d)
{
	const struct sd_plan *plan = d->runner->plan;

	d->span = SD_NEW(mem, struct sd_span, d->issue->launch_count + 1);
	d->arrow = SD_NEW(mem, struct sd_arrow, d->issue->step_count + 1);
	d->next = list_of(mem, d->issue->step_count);
	d->last = list_of(mem, plan->stream_count);
	d->pending = list_of(mem, plan->stream_count);
	d->record[SD_SYNC_EVENT] = SD_NEW0(mem, struct source, plan->event_count + 1);
	d->record[SD_SYNC_NOTIFY] = SD_NEW0(mem, struct source, plan->notify_count + 1);
	d->sync_of[SD_SYNC_EVENT] = list_of(mem, plan->event_count);
	d->sync_of[SD_SYNC_NOTIFY] = list_of(mem, plan->notify_count);
	d->same = list_of(mem, plan->sync_count);
	d->met = SD_NEW0(mem, uint32_t, plan->sync_count + 1);
	return d->span && d->arrow && d->next && d->last && d->pending && d->record[0] && d->record[1] && d->sync_of[0] && d->sync_of[1] && d->same &&
	       d->met;
}

static void index_syncs(struct drawing *d)
{
	const struct sd_plan *plan = d->runner->plan;

	for (uint32_t y = plan->sync_count; y-- > 0;) {
		uint32_t *first = &d->sync_of[plan->sync[y].kind][plan->sync[y].id];

		d->same[y] = *first;
		*first = y;
	}
}

/* The sync of a wait: of those with its number and streams the one that was met least often. */
static uint32_t sync_of(struct drawing *d, enum sd_sync_kind kind, uint32_t number, uint32_t from_stream, uint32_t to_stream)
{
	const struct sd_sync *sync = d->runner->plan->sync;
	uint32_t found = SD_NO_SPAN;

	for (uint32_t y = d->sync_of[kind][number]; y != SD_NO_SPAN; y = d->same[y]) {
		if (sync[y].record_stream == from_stream && sync[y].wait_stream == to_stream && (found == SD_NO_SPAN || d->met[y] < d->met[found]))
			found = y;
	}
	if (found != SD_NO_SPAN)
		d->met[found]++;
	return found;
}

static void add_arrow(struct drawing *d, struct source from, uint32_t to_stream, enum sd_tie tie, uint32_t number)
{
	if (!from.known)
		return;
	d->arrow[d->arrow_count] = (struct sd_arrow){
		.tie = tie, .number = number, .from = from.span, .to = SD_NO_SPAN, .from_stream = from.stream, .to_stream = to_stream,
		.sync = tie == SD_TIE_START ? SD_NO_SPAN : sync_of(d, tie == SD_TIE_NOTIFY ? SD_SYNC_NOTIFY : SD_SYNC_EVENT, number, from.stream, to_stream),
		.from_ns = from.span == SD_NO_SPAN ? 0 : d->span[from.span].ended_ns,
	};
	d->next[d->arrow_count] = d->pending[to_stream];
	d->pending[to_stream] = d->arrow_count++;
}

static struct source source_of(const struct drawing *d, uint32_t stream)
{
	return (struct source){ d->last[stream], stream, true };
}

static void add_sync(struct drawing *d, const struct sd_step *step)
{
	switch (step->kind) {
	case SD_STEP_RECORD: d->record[SD_SYNC_EVENT][step->arg] = source_of(d, step->stream); break;
	case SD_STEP_NOTIFY_RECORD: d->record[SD_SYNC_NOTIFY][step->arg] = source_of(d, step->stream); break;
	case SD_STEP_WAIT: add_arrow(d, d->record[SD_SYNC_EVENT][step->arg], step->stream, SD_TIE_EVENT, step->arg); break;
	case SD_STEP_NOTIFY_WAIT: add_arrow(d, d->record[SD_SYNC_NOTIFY][step->arg], step->stream, SD_TIE_NOTIFY, step->arg); break;
	case SD_STEP_ACTIVATE: add_arrow(d, source_of(d, step->stream), step->arg, SD_TIE_START, 0); break;
	case SD_STEP_LAUNCH:
	case SD_STEP_HOLD: break;
	}
}

/* A span had to follow `other`: the one that ended last is what it is told to be behind. */
static void follow(struct drawing *d, struct sd_span *span, uint32_t other, enum sd_tie tie, uint32_t number)
{
	if (other == SD_NO_SPAN || (span->behind != SD_NO_SPAN && d->span[other].ended_ns <= d->span[span->behind].ended_ns))
		return;
	span->behind = other;
	span->tie = tie;
	span->number = number;
}

static void add_span(struct drawing *d, const struct sd_step *step, const struct sd_run_time *time)
{
	struct sd_span *span = &d->span[d->span_count];

	*span = (struct sd_span){ .node = step->arg, .stream = step->stream, .attached = step->attached, .behind = SD_NO_SPAN,
	                          .began_ns = (int64_t)time->began_ns, .ended_ns = (int64_t)time->ended_ns };
	follow(d, span, d->last[step->stream], SD_TIE_STREAM, 0);
	for (uint32_t a = d->pending[step->stream]; a != SD_NO_SPAN; a = d->next[a]) {
		d->arrow[a].to = d->span_count;
		d->arrow[a].to_ns = span->began_ns;
		follow(d, span, d->arrow[a].from, d->arrow[a].tie, d->arrow[a].number);
	}
	d->pending[step->stream] = SD_NO_SPAN;
	d->last[step->stream] = d->span_count++;
}

/* The spans from which the last end follows, backwards. */
static void mark_critical(struct drawing *d, struct sd_timeline *timeline)
{
	uint32_t at = SD_NO_SPAN;

	for (uint32_t s = 0; s < d->span_count; s++) {
		if (at == SD_NO_SPAN || d->span[s].ended_ns > d->span[at].ended_ns)
			at = s;
	}
	timeline->critical_last = at;
	timeline->end_ns = at == SD_NO_SPAN ? 0 : d->span[at].ended_ns;
	for (; at != SD_NO_SPAN; at = d->span[at].behind) {
		d->span[at].critical = true;
		timeline->critical_count++;
	}
}

static void count_assumed(const struct sd_graph *graph, struct sd_timeline *timeline)
{
	for (uint32_t s = 0; s < timeline->span_count; s++) {
		uint32_t node = timeline->span[s].node, extra = node < graph->node_count ? graph->extra_of[node] : UINT32_MAX;

		timeline->assumed_count += extra == UINT32_MAX || graph->extra[extra].duration_ns < 0;
	}
	timeline->assumed_ns = SD_RUN_DEFAULT_NS;
}

static enum sd_status draw(struct sd_arena *mem, const struct sd_runner *runner, struct sd_timeline *timeline, struct sd_diag *diag)
{
	struct drawing d = { .runner = runner, .issue = sd_model_issue(runner->model) };
	uint32_t launch = 0;

	if (!take_room(mem, &d))
		return sd_memory_fail(mem, diag);
	index_syncs(&d);
	for (uint32_t i = 0; i < d.issue->step_count; i++) {
		const struct sd_step *step = &d.issue->step[i];

		if (step->kind == SD_STEP_LAUNCH)
			add_span(&d, step, &runner->time[launch++]);
		else
			add_sync(&d, step);
	}
	mark_critical(&d, timeline);
	for (uint32_t a = 0; a < d.arrow_count; a++) {
		if (d.arrow[a].to == SD_NO_SPAN)
			d.arrow[a].to_ns = timeline->end_ns;
	}
	timeline->span = d.span;
	timeline->arrow = d.arrow;
	timeline->span_count = d.span_count;
	timeline->arrow_count = d.arrow_count;
	count_assumed(timeline->graph, timeline);
	return SD_OK;
}

static enum sd_status run(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_device *device,
                          struct sd_timeline *timeline, struct sd_diag *diag)
{
	const struct sd_run_options options = { .turns = 1, .timeout_ms = SD_FOR_EVER };
	struct sd_edges_verdict verdict;
	struct sd_runner runner;
	enum sd_status status, closed;

	SD_TRY(sd_runner_open(mem, request, plan, device, &options, &runner, diag));
	status = sd_runner_run(&runner, &verdict, diag);
	if (status == SD_OK)
		status = draw(mem, &runner, timeline, diag);
	closed = sd_runner_close(&runner, status == SD_OK ? diag : NULL);
	return status == SD_OK ? closed : status;
}

enum sd_status sd_simulate(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_timeline *timeline,
                           struct sd_diag *diag)
{
	struct sd_machine_model model;
	struct sd_sim_options options = { .profile = request->device.profile, .streams_max = PLENTY, .events_max = PLENTY, .notifies_max = PLENTY,
	                                  .tasks_per_stream_max = PLENTY, .model = &model };
	struct sd_device *device;
	enum sd_status status;

	*timeline = (struct sd_timeline){ .plan = plan, .graph = &request->graph, .name = sd_plan_names(mem, &request->graph, plan) };
	if (!timeline->name)
		return sd_memory_fail(mem, diag);
	sd_machine_model_of(&request->device.model, &model);
	SD_TRY(sd_sim_open(&options, &device, diag));
	status = run(mem, request, plan, device, timeline, diag);
	device->ops->close(device);
	return status;
}
