#include "timeline.h"

#include <string.h>

#include "json_path.h"
#include "plan_names.h"
#include "streamd/flow_of.h"
#include "streamd/issue.h"
#include "streamd/node_work.h"
#include "streamd/simulate.h"

/* Where an arrow begins: what was last launched on the stream. */
struct source {
	uint32_t span, stream;
	bool known;
};

struct drawing {
	const struct sd_plan *plan;
	const struct sd_simulation *simulation;
	struct sd_issue issue;
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
	const struct sd_plan *plan = d->plan;

	d->span = SD_NEW(mem, struct sd_span, d->issue.launch_count + 1);
	d->arrow = SD_NEW(mem, struct sd_arrow, d->issue.step_count + 1);
	d->next = list_of(mem, d->issue.step_count);
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
	const struct sd_plan *plan = d->plan;

	for (uint32_t y = plan->sync_count; y-- > 0;) {
		uint32_t *first = &d->sync_of[plan->sync[y].kind][plan->sync[y].id];

		d->same[y] = *first;
		*first = y;
	}
}

/* The sync of a wait: of those with its number and streams the one that was met least often. */
static uint32_t sync_of(struct drawing *d, enum sd_sync_kind kind, uint32_t number, uint32_t from_stream, uint32_t to_stream)
{
	const struct sd_sync *sync = d->plan->sync;
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

static void add_span(struct drawing *d, const struct sd_step *step, const struct sd_simulated_launch *launch)
{
	struct sd_span *span = &d->span[d->span_count];

	*span = (struct sd_span){ .node = launch->node, .stream = launch->stream, .attached = launch->attached, .behind = SD_NO_SPAN,
	                          .began_ns = launch->began_ns, .ended_ns = launch->ended_ns };
	follow(d, span, d->last[step->stream], SD_TIE_STREAM, 0);
	for (uint32_t a = d->pending[step->stream]; a != SD_NO_SPAN; a = d->next[a]) {
		d->arrow[a].to = d->span_count;
		d->arrow[a].to_ns = span->began_ns;
		follow(d, span, d->arrow[a].from, d->arrow[a].tie, d->arrow[a].number);
	}
	d->pending[step->stream] = SD_NO_SPAN;
	d->last[step->stream] = d->span_count++;
}

/* The chain that ends last, and why each of its spans is behind the one before it. */
static void mark_critical(struct drawing *d, struct sd_timeline *timeline)
{
	static const uint8_t tie_of[] = { [SD_LINK_START] = SD_TIE_NONE, [SD_LINK_STREAM] = SD_TIE_STREAM, [SD_LINK_SYNC] = SD_TIE_EVENT,
	                                  [SD_LINK_ACTIVATION] = SD_TIE_START, [SD_LINK_ENGINE] = SD_TIE_ENGINE };
	const struct sd_simulation *simulation = d->simulation;

	timeline->critical_last = SD_NO_SPAN;
	timeline->critical_count = simulation->link_count;
	for (uint32_t i = 0; i < simulation->link_count; i++) {
		const struct sd_chain_link *link = &simulation->link[i];
		struct sd_span *span = &d->span[link->launch];

		span->critical = true;
		span->behind = i ? timeline->critical_last : SD_NO_SPAN;
		span->tie = tie_of[link->reason];
		timeline->critical_last = link->launch;
	}
}

/* Of spans that a sync keeps back: whether it is an event or a notify, and its number. */
static void name_syncs(struct drawing *d)
{
	for (uint32_t a = 0; a < d->arrow_count; a++) {
		const struct sd_arrow *arrow = &d->arrow[a];
		struct sd_span *span = arrow->to == SD_NO_SPAN ? NULL : &d->span[arrow->to];

		if (span && span->behind == arrow->from && span->tie == SD_TIE_EVENT && arrow->tie != SD_TIE_START) {
			span->tie = arrow->tie;
			span->number = arrow->number;
		}
	}
}

static enum sd_status draw(struct sd_arena *mem, struct drawing *d, struct sd_timeline *timeline, struct sd_diag *diag)
{
	uint32_t launch = 0;

	if (!take_room(mem, d))
		return sd_memory_fail(mem, diag);
	index_syncs(d);
	for (uint32_t i = 0; i < d->issue.step_count; i++) {
		const struct sd_step *step = &d->issue.step[i];

		if (step->kind == SD_STEP_LAUNCH)
			add_span(d, step, &d->simulation->launch[launch++]);
		else
			add_sync(d, step);
	}
	mark_critical(d, timeline);
	name_syncs(d);
	for (uint32_t a = 0; a < d->arrow_count; a++) {
		if (d->arrow[a].to == SD_NO_SPAN)
			d->arrow[a].to_ns = timeline->end_ns;
	}
	timeline->span = d->span;
	timeline->arrow = d->arrow;
	timeline->span_count = d->span_count;
	timeline->arrow_count = d->arrow_count;
	return SD_OK;
}

enum sd_status sd_timeline_make(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_timeline *timeline,
                                struct sd_diag *diag)
{
	const struct sd_choices choices = { NULL, NULL };
	struct sd_simulation simulation;
	struct drawing d = { .plan = plan, .simulation = &simulation };
	struct sd_flow flow;

	*timeline = (struct sd_timeline){ .plan = plan, .graph = &request->graph, .name = sd_plan_names(mem, &request->graph, plan) };
	if (!timeline->name)
		return sd_memory_fail(mem, diag);
	SD_TRY(sd_simulate(mem, request, plan, &simulation, diag));
	SD_TRY(sd_flow_of(mem, &request->graph, plan, &flow, diag));
	SD_TRY(sd_issue_make(mem, plan, &flow, &choices, &d.issue, diag));
	timeline->end_ns = simulation.makespan_ns;
	timeline->assumed_ns = SD_NODE_UNKNOWN_NS;
	timeline->assumed_count = simulation.assumed;
	return draw(mem, &d, timeline, diag);
}
