#include "run_trace.h"

#include <stdio.h>

/* Where an arrow starts. */
struct source {
	const struct sd_run_time *time; /* NULL: no task was in front */
	uint32_t stream;
};

/* Arrows that lead to the next task of a stream; linked by `next`. */
struct arrow {
	struct source from;
	const char *kind;
	uint32_t number, next;
};

#define NO_ARROW UINT32_MAX

struct tracer {
	struct sd_emitter *out;
	const struct sd_watch *watch;
	const struct sd_issue *issue;
	uint32_t process;
	uint64_t base_ns, arrows;
	struct source *last, *event, *notify; /* by stream, by number */
	uint32_t *pending;                    /* by stream: first arrow */
	struct arrow *arrow;                  /* one for each wait */
	uint32_t arrow_count;
};

/* ---- events ---- */

static void begin_event(struct tracer *t, const char *phase, const char *name)
{
	sd_emit_line(t->out, 1);
	sd_emit_open(t->out, '{');
	sd_emit_key(t->out, "ph");
	sd_emit_string(t->out, phase);
	sd_emit_key(t->out, "name");
	sd_emit_string(t->out, name);
	sd_emit_key(t->out, "pid");
	sd_emit_uint(t->out, t->process);
}

static void put_uint(struct tracer *t, const char *key, uint64_t number)
{
	sd_emit_key(t->out, key);
	sd_emit_uint(t->out, number);
}

static void put_us(struct tracer *t, const char *key, uint64_t ns)
{
	sd_emit_key(t->out, key);
	sd_emit_real(t->out, (double)ns / 1000.0);
}

/* Of a process, or of a lane: its name, or its place among the lanes. */
static void put_label(struct tracer *t, const char *what, const uint32_t *lane, const char *name)
{
	begin_event(t, "M", what);
	if (lane)
		put_uint(t, "tid", *lane + 1u); /* 0 is the idle thread to some readers */
	sd_emit_key(t->out, "args");
	sd_emit_open(t->out, '{');
	if (name) {
		sd_emit_key(t->out, "name");
		sd_emit_string(t->out, name);
	} else {
		put_uint(t, "sort_index", *lane);
	}
	sd_emit_close(t->out, '}');
	sd_emit_close(t->out, '}');
}

static void put_task(struct tracer *t, const struct sd_step *step, const struct sd_run_time *time, uint64_t run)
{
	begin_event(t, "X", t->watch->runner.name[step->arg]);
	put_uint(t, "tid", step->stream + 1u);
	sd_emit_key(t->out, "cat");
	sd_emit_string(t->out, step->attached ? "attached" : "task");
	put_us(t, "ts", time->began_ns - t->base_ns);
	put_us(t, "dur", time->ended_ns - time->began_ns);
	sd_emit_key(t->out, "args");
	sd_emit_open(t->out, '{');
	put_uint(t, "run", run);
	put_uint(t, "visit", step->visit);
	sd_emit_close(t->out, '}');
	sd_emit_close(t->out, '}');
}

static void put_arrow_end(struct tracer *t, const struct arrow *arrow, bool starts, uint32_t lane, uint64_t at_ns)
{
	char name[32];

	snprintf(name, sizeof(name), "%s %u", arrow->kind, arrow->number);
	begin_event(t, starts ? "s" : "f", name);
	put_uint(t, "tid", lane + 1u);
	sd_emit_key(t->out, "cat");
	sd_emit_string(t->out, "sync");
	put_uint(t, "id", t->arrows);
	put_us(t, "ts", at_ns - t->base_ns);
	if (!starts) {
		sd_emit_key(t->out, "bp");
		sd_emit_string(t->out, "e");
	}
	sd_emit_close(t->out, '}');
}

/* An end lies within the task that it belongs to: a task's last nanosecond, another's first. */
static void put_arrow(struct tracer *t, const struct arrow *arrow, uint32_t lane, const struct sd_run_time *to)
{
	const struct sd_run_time *from = arrow->from.time;

	t->arrows++;
	put_arrow_end(t, arrow, true, arrow->from.stream, from->ended_ns - (from->ended_ns > from->began_ns));
	put_arrow_end(t, arrow, false, lane, to->began_ns);
}

/* ---- runs ---- */

static void wait_for(struct tracer *t, uint32_t stream, struct source from, const char *kind, uint32_t number)
{
	if (!from.time)
		return;
	t->arrow[t->arrow_count] = (struct arrow){ from, kind, number, t->pending[stream] };
	t->pending[stream] = t->arrow_count++;
}

static void take_launch(struct tracer *t, const struct sd_step *step, const struct sd_run_time *time, uint64_t run)
{
	if (!time->is_done)
		return;
	put_task(t, step, time, run);
	for (uint32_t a = t->pending[step->stream]; a != NO_ARROW; a = t->arrow[a].next)
		put_arrow(t, &t->arrow[a], step->stream, time);
	t->pending[step->stream] = NO_ARROW;
	t->last[step->stream] = (struct source){ time, step->stream };
}

static void take_sync(struct tracer *t, const struct sd_step *step)
{
	switch (step->kind) {
	case SD_STEP_RECORD: t->event[step->arg] = t->last[step->stream]; break;
	case SD_STEP_WAIT: wait_for(t, step->stream, t->event[step->arg], "event", step->arg); break;
	case SD_STEP_NOTIFY_RECORD: t->notify[step->arg] = t->last[step->stream]; break;
	case SD_STEP_NOTIFY_WAIT: wait_for(t, step->stream, t->notify[step->arg], "notify", step->arg); break;
	case SD_STEP_ACTIVATE: wait_for(t, step->arg, t->last[step->stream], "activate", step->arg); break;
	case SD_STEP_LAUNCH:
	case SD_STEP_HOLD: break;
	}
}

static void start_run(struct tracer *t)
{
	const struct sd_plan *plan = t->watch->runner.plan;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		t->last[s].time = NULL;
		t->pending[s] = NO_ARROW;
	}
	for (uint32_t e = 0; e < plan->event_count; e++)
		t->event[e].time = NULL;
	for (uint32_t n = 0; n < plan->notify_count; n++)
		t->notify[n].time = NULL;
	t->arrow_count = 0;
}

static void put_run(struct tracer *t, uint64_t run)
{
	const struct sd_run_time *time = t->watch->time[run];
	uint32_t launch = 0;

	start_run(t);
	for (uint32_t i = 0; i < t->issue->step_count; i++) {
		const struct sd_step *step = &t->issue->step[i];

		if (step->kind == SD_STEP_LAUNCH)
			take_launch(t, step, &time[launch++], run + 1);
		else
			take_sync(t, step);
	}
}

static void find_base(struct tracer *t)
{
	t->base_ns = UINT64_MAX;
	for (uint64_t run = 0; run < t->watch->measure.runs; run++) {
		for (uint32_t i = 0; i < t->issue->launch_count; i++) {
			const struct sd_run_time *time = &t->watch->time[run][i];

			if (time->is_done && time->began_ns < t->base_ns)
				t->base_ns = time->began_ns;
		}
	}
}

static bool take_room(struct sd_arena *mem, struct tracer *t)
{
	const struct sd_plan *plan = t->watch->runner.plan;

	t->last = SD_NEW0(mem, struct source, plan->stream_count + 1);
	t->event = SD_NEW0(mem, struct source, plan->event_count + 1);
	t->notify = SD_NEW0(mem, struct source, plan->notify_count + 1);
	t->pending = SD_NEW(mem, uint32_t, plan->stream_count + 1);
	t->arrow = SD_NEW(mem, struct arrow, t->issue->step_count + 1);
	return t->last && t->event && t->notify && t->pending && t->arrow;
}

static void put_lanes(struct tracer *t, const char *process)
{
	const struct sd_plan *plan = t->watch->runner.plan;
	char name[48];

	put_label(t, "process_name", NULL, process);
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		snprintf(name, sizeof(name), "stream %u%s", s, plan->stream[s].attached ? " (attached)" : plan->stream[s].huge ? " (huge)" : "");
		put_label(t, "thread_name", &s, name);
		put_label(t, "thread_sort_index", &s, NULL);
	}
}

bool sd_run_trace_write(struct sd_arena *mem, struct sd_emitter *out, const struct sd_trace_part *part, uint32_t count)
{
	struct tracer t = { .out = out };

	sd_emit_open(out, '{');
	sd_emit_key(out, "displayTimeUnit");
	sd_emit_string(out, "ns");
	sd_emit_key(out, "traceEvents");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < count; i++) {
		t.watch = part[i].watch;
		t.issue = sd_model_issue(part[i].watch->runner.model);
		t.process = i + 1;
		if (!take_room(mem, &t))
			return false;
		find_base(&t);
		put_lanes(&t, part[i].name);
		for (uint64_t run = 0; run < t.watch->measure.runs; run++)
			put_run(&t, run);
	}
	sd_emit_close(out, ']');
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
	return true;
}
