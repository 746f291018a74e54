#include "kept.h"

/* The launch of all that lies in front that ended last. */
struct front {
	uint64_t ended_ns;
	uint32_t step;
};

struct walker {
	struct front *stream, *event, *notify;
	uint32_t *held; /* by stream: holds that are closed */
	struct sd_kept_verdict *verdict;
};

static void later(struct front *front, struct front other)
{
	if (other.step != SD_NO_LAUNCH && (front->step == SD_NO_LAUNCH || other.ended_ns > front->ended_ns))
		*front = other;
}

static void note(struct sd_kept_verdict *verdict, uint32_t before, uint32_t after, uint64_t early_ns)
{
	if (verdict->broken++ == 0) {
		verdict->before = before;
		verdict->after = after;
		verdict->early_ns = early_ns;
	}
}

static void launched(struct walker *w, uint32_t stream, uint32_t step, const struct sd_run_time *time)
{
	struct front *front = &w->stream[stream];

	if (!time->is_done) {
		note(w->verdict, SD_NO_LAUNCH, step, 0);
		return;
	}
	if (front->step != SD_NO_LAUNCH) {
		w->verdict->orders++;
		if (time->began_ns < front->ended_ns)
			note(w->verdict, front->step, step, front->ended_ns - time->began_ns);
	}
	later(front, (struct front){ time->ended_ns, step });
}

static void take_step(struct walker *w, const struct sd_step *step)
{
	switch (step->kind) {
	case SD_STEP_LAUNCH: break;
	case SD_STEP_RECORD: w->event[step->arg] = w->stream[step->stream]; break;
	case SD_STEP_WAIT: later(&w->stream[step->stream], w->event[step->arg]); break;
	case SD_STEP_NOTIFY_RECORD: w->notify[step->arg] = w->stream[step->stream]; break;
	case SD_STEP_NOTIFY_WAIT: later(&w->stream[step->stream], w->notify[step->arg]); break;
	case SD_STEP_HOLD: w->held[step->stream]++; break;
	case SD_STEP_ACTIVATE:
		if (w->held[step->arg] == 0)
			break;
		w->held[step->arg]--;
		later(&w->stream[step->arg], w->stream[step->stream]);
		break;
	}
}

static struct front *fronts(struct sd_arena *mem, uint32_t count)
{
	struct front *front = SD_NEW(mem, struct front, count + 1);

	for (uint32_t i = 0; front && i < count; i++)
		front[i] = (struct front){ 0, SD_NO_LAUNCH };
	return front;
}

bool sd_kept_check(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_issue *issue, const struct sd_run_time *time,
                   struct sd_kept_verdict *verdict)
{
	struct sd_arena_mark mark = sd_arena_mark(mem);
	struct walker w = {
		.stream = fronts(mem, plan->stream_count), .event = fronts(mem, plan->event_count), .notify = fronts(mem, plan->notify_count),
		.held = SD_NEW0(mem, uint32_t, plan->stream_count + 1), .verdict = verdict,
	};
	uint32_t launch = 0;

	*verdict = (struct sd_kept_verdict){ .before = SD_NO_LAUNCH, .after = SD_NO_LAUNCH };
	if (!w.stream || !w.event || !w.notify || !w.held)
		return false;
	for (uint32_t i = 0; i < issue->step_count; i++) {
		if (issue->step[i].kind == SD_STEP_LAUNCH)
			launched(&w, issue->step[i].stream, i, &time[launch++]);
		else
			take_step(&w, &issue->step[i]);
	}
	sd_arena_rewind(mem, mark);
	return true;
}
