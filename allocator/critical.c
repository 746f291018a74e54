/* The critical chain of a run on the model: of each launch what it had to wait for last. */
#include "critical.h"

#include "base/merge.h"

struct walker {
	const struct sd_critical *of;
	uint32_t *by_end, *by_begin; /* launches, ascending */
	uint32_t count;
};

static const struct sd_ran *launch_of(const struct walker *w, uint32_t launch)
{
	return &w->of->ran[w->of->step_of[launch]];
}

static int compare_ends(const void *ctx, uint32_t a, uint32_t b)
{
	int64_t x = launch_of(ctx, a)->ended_ns, y = launch_of(ctx, b)->ended_ns;

	return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

static int compare_begins(const void *ctx, uint32_t a, uint32_t b)
{
	int64_t x = launch_of(ctx, a)->began_ns, y = launch_of(ctx, b)->began_ns;

	return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

static bool uses_cube(const struct sd_engine_work *work)
{
	return work->engine == SD_ENGINE_CUBE || work->engine == SD_ENGINE_MIX;
}

static bool uses_vector(const struct sd_engine_work *work)
{
	return work->engine == SD_ENGINE_VECTOR || work->engine == SD_ENGINE_MIX || (work->engine == SD_ENGINE_COMM && work->vector_cores > 0);
}

/* Whether the two may have to wait for each other. */
static bool share(const struct sd_engine_work *a, const struct sd_engine_work *b)
{
	if ((uses_cube(a) && uses_cube(b)) || (uses_vector(a) && uses_vector(b)))
		return true;
	return a->engine == b->engine && (a->engine == SD_ENGINE_COMM ? a->communicator == b->communicator : a->engine == SD_ENGINE_AICPU || a->engine == SD_ENGINE_OTHER);
}

/* How many of a sorted list are below the time; of `by_end` or `by_begin`. */
static uint32_t below(const struct walker *w, const uint32_t *list, bool ends, int64_t ns)
{
	uint32_t low = 0, high = w->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct sd_ran *ran = launch_of(w, list[middle]);

		if ((ends ? ran->ended_ns : ran->began_ns) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Who made room for a launch that could have begun sooner: one that ended when it began, else the last one to begin of
 * those that ran then, which gave cores away while it went on. UINT32_MAX: nobody. */
static uint32_t made_room(const struct walker *w, uint32_t launch)
{
	const struct sd_engine_work *work = w->of->work;
	int64_t began_ns = launch_of(w, launch)->began_ns;

	for (uint32_t i = below(w, w->by_end, true, began_ns); i < w->count && launch_of(w, w->by_end[i])->ended_ns == began_ns; i++) {
		if (w->by_end[i] != launch && launch_of(w, w->by_end[i])->began_ns < began_ns && share(&work[w->by_end[i]], &work[launch]))
			return w->by_end[i];
	}
	for (uint32_t i = below(w, w->by_begin, false, began_ns); i-- > 0;) {
		if (launch_of(w, w->by_begin[i])->ended_ns > began_ns && share(&work[w->by_begin[i]], &work[launch]))
			return w->by_begin[i];
	}
	return UINT32_MAX;
}

/* Times may be as long as the machine knows them. */
static int64_t sum(int64_t a, int64_t b)
{
	return a > SD_MACHINE_FOR_EVER - b ? SD_MACHINE_FOR_EVER : a + b;
}

static int64_t end_of(const struct walker *w, uint32_t step)
{
	return step == SD_NO_STEP ? 0 : w->of->ran[step].ended_ns;
}

/* The step in front that ended last, as far as `step` could see: of its stream, or its partner. */
static uint32_t behind(const struct walker *w, uint32_t step, enum sd_link_reason *reason)
{
	const struct sd_ran *ran = &w->of->ran[step];
	bool holds = w->of->issue->step[step].kind == SD_STEP_HOLD;
	int64_t late = holds ? w->of->model->activate_ns : w->of->model->event_latency_ns;

	if (ran->partner == SD_NO_STEP || sum(end_of(w, ran->partner), late) <= end_of(w, ran->previous))
		return ran->previous;
	*reason = holds ? SD_LINK_ACTIVATION : SD_LINK_SYNC;
	return ran->partner;
}

/* When a launch could have begun if nobody else had kept anything busy. */
static int64_t ready_at(const struct walker *w, uint32_t step)
{
	const struct sd_machine_model *model = w->of->model;
	uint32_t previous = w->of->ran[step].previous;
	int64_t issued_ns = model->host_issue_ns > SD_MACHINE_FOR_EVER / ((int64_t)step + 1) ? SD_MACHINE_FOR_EVER : model->host_issue_ns * ((int64_t)step + 1);
	int64_t free_ns = end_of(w, previous);
	bool is_first_use = previous == SD_NO_STEP && w->of->issue->step[step].stream > 0;

	return sum(sum(free_ns > issued_ns ? free_ns : issued_ns, model->launch_gap_ns), is_first_use ? model->activate_ns : 0);
}

/* The launch that comes before one in the chain, and why; UINT32_MAX: none does. */
static uint32_t before(const struct walker *w, uint32_t launch, enum sd_link_reason *reason)
{
	uint32_t step = w->of->step_of[launch], room;

	*reason = SD_LINK_STREAM;
	if (w->of->ran[step].began_ns > ready_at(w, step)) {
		room = made_room(w, launch);
		if (room != UINT32_MAX) {
			*reason = SD_LINK_ENGINE;
			return room;
		}
	}
	do {
		step = behind(w, step, reason);
	} while (step != SD_NO_STEP && w->of->issue->step[step].kind != SD_STEP_LAUNCH);
	if (step != SD_NO_STEP)
		return w->of->ran[step].launch;
	*reason = SD_LINK_START;
	return UINT32_MAX;
}

static bool sort_launches(struct walker *w)
{
	struct sd_arena *mem = w->of->mem;
	uint32_t *spare = SD_NEW(mem, uint32_t, (size_t)w->count + 1);

	w->by_end = SD_NEW(mem, uint32_t, (size_t)w->count + 1);
	w->by_begin = SD_NEW(mem, uint32_t, (size_t)w->count + 1);
	if (!spare || !w->by_end || !w->by_begin)
		return false;
	for (uint32_t i = 0; i < w->count; i++)
		w->by_end[i] = w->by_begin[i] = i;
	sd_merge_sort(w->by_end, spare, w->count, compare_ends, w);
	sd_merge_sort(w->by_begin, spare, w->count, compare_begins, w);
	return true;
}

bool sd_critical_chain(const struct sd_critical *of, struct sd_chain_link *link, uint32_t *count)
{
	struct walker w = { .of = of, .count = of->issue->launch_count };
	uint32_t launch;

	*count = 0;
	if (w.count == 0)
		return true;
	if (!sort_launches(&w))
		return false;
	/* Each begins before the one that it leads to, or is in front of it: no launch comes twice. */
	for (launch = w.by_end[w.count - 1]; launch != UINT32_MAX && *count < w.count; (*count)++) {
		link[*count].launch = launch;
		launch = before(&w, launch, &link[*count].reason);
	}
	for (uint32_t i = 0; i < *count / 2; i++) {
		struct sd_chain_link swapped = link[i];

		link[i] = link[*count - 1 - i];
		link[*count - 1 - i] = swapped;
	}
	return true;
}
