/* Notifies that are recorded again, in later turns of a loop, before it is sure that they were waited for.
 *
 * A device counts no records: a second one before the wait is lost, and then a wait is left over for ever. A plan orders what its
 * graph asks for and no more, and what nobody reads may lag behind the turn it belongs to. So where steps leave it open whether a
 * notify's last wait is over, its next record waits for that, by an event of the loader's own. Events need nothing: a wait is
 * for the record that was enqueued last.
 *
 * Whether it is sure is seen by a sweep with one clock for each stream that waits so, COLUMNS of them at a time. */
#include "base/vec.h"
#include "loader_impl.h"

#define COLUMNS 64u
#define NO_STEP UINT32_MAX

/* A notify is recorded at one step after it was waited for at another. */
struct turn {
	uint32_t wait, record; /* steps */
	bool is_open;          /* nothing orders them */
};

/* What is known to be over: for each column of the band the last step of its stream, + 1. */
struct clocks {
	uint32_t *stream, *event, *notify; /* by stream; by event and notify: as known at its last record */
	uint32_t *column;                  /* by stream: column + 1 in the band, 0: none */
};

struct sweep {
	struct sd_arena *mem;
	const struct sd_plan *plan;
	const struct sd_issue *issue;
	SD_VEC(struct turn) turn;
	uint32_t *waits;    /* streams of the turns' waits, each once */
	uint32_t wait_count;
	struct clocks known;
};

static bool find_turns(struct sweep *w)
{
	uint32_t *last = SD_NEW(w->mem, uint32_t, w->plan->notify_count + 1);

	if (!last)
		return false;
	for (uint32_t n = 0; n < w->plan->notify_count; n++)
		last[n] = NO_STEP;
	for (uint32_t i = 0; i < w->issue->step_count; i++) {
		const struct sd_step *step = &w->issue->step[i];

		if (step->kind == SD_STEP_NOTIFY_WAIT)
			last[step->arg] = i;
		if (step->kind != SD_STEP_NOTIFY_RECORD || last[step->arg] == NO_STEP)
			continue;
		if (!sd_vec_room(w->mem, &w->turn))
			return false;
		w->turn.at[w->turn.count++] = (struct turn){ last[step->arg], i, false };
	}
	return true;
}

static bool take_room(struct sweep *w)
{
	const struct sd_plan *plan = w->plan;
	bool *seen = SD_NEW0(w->mem, bool, plan->stream_count + 1);

	w->waits = SD_NEW(w->mem, uint32_t, plan->stream_count + 1);
	w->known.column = SD_NEW(w->mem, uint32_t, plan->stream_count + 1);
	w->known.stream = SD_NEW(w->mem, uint32_t, (size_t)plan->stream_count * COLUMNS + 1);
	w->known.event = SD_NEW(w->mem, uint32_t, (size_t)plan->event_count * COLUMNS + 1);
	w->known.notify = SD_NEW(w->mem, uint32_t, (size_t)plan->notify_count * COLUMNS + 1);
	if (!seen || !w->waits || !w->known.column || !w->known.stream || !w->known.event || !w->known.notify)
		return false;
	for (uint32_t t = 0; t < w->turn.count; t++) {
		uint32_t stream = w->issue->step[w->turn.at[t].wait].stream;

		if (!seen[stream])
			w->waits[w->wait_count++] = stream;
		seen[stream] = true;
	}
	return true;
}

static void learn(uint32_t *clock, const uint32_t *other)
{
	for (uint32_t c = 0; c < COLUMNS; c++)
		clock[c] = other[c] > clock[c] ? other[c] : clock[c];
}

static uint32_t *clock_of(uint32_t *clocks, uint32_t at)
{
	return clocks + (size_t)at * COLUMNS;
}

static void take_step(const struct clocks *known, const struct sd_step *step, uint32_t at)
{
	uint32_t *mine = clock_of(known->stream, step->stream);

	if (known->column[step->stream])
		mine[known->column[step->stream] - 1] = at + 1;
	switch (step->kind) {
	case SD_STEP_LAUNCH:
	case SD_STEP_HOLD: break;
	case SD_STEP_RECORD: memcpy(clock_of(known->event, step->arg), mine, COLUMNS * sizeof(*mine)); break;
	case SD_STEP_WAIT: learn(mine, clock_of(known->event, step->arg)); break;
	case SD_STEP_NOTIFY_RECORD: memcpy(clock_of(known->notify, step->arg), mine, COLUMNS * sizeof(*mine)); break;
	case SD_STEP_NOTIFY_WAIT: learn(mine, clock_of(known->notify, step->arg)); break;
	case SD_STEP_ACTIVATE: learn(clock_of(known->stream, step->arg), mine); break;
	}
}

/* Looks at the turns whose waits are on streams of the band from `first` on; what is open is ordered from there on. */
static void sweep_band(struct sweep *w, uint32_t first)
{
	const struct sd_plan *plan = w->plan;
	const struct clocks *known = &w->known;
	uint32_t t = 0;

	memset(known->column, 0, plan->stream_count * sizeof(*known->column));
	memset(known->stream, 0, (size_t)plan->stream_count * COLUMNS * sizeof(*known->stream));
	memset(known->event, 0, (size_t)plan->event_count * COLUMNS * sizeof(*known->event));
	memset(known->notify, 0, (size_t)plan->notify_count * COLUMNS * sizeof(*known->notify));
	for (uint32_t c = 0; c < COLUMNS && first + c < w->wait_count; c++)
		known->column[w->waits[first + c]] = c + 1;
	for (uint32_t i = 0; i < w->issue->step_count; i++) {
		const struct sd_step *step = &w->issue->step[i];

		if (t < w->turn.count && w->turn.at[t].record == i) {
			struct turn *turn = &w->turn.at[t++];
			uint32_t column = known->column[w->issue->step[turn->wait].stream];
			uint32_t *knows = column ? &clock_of(known->stream, step->stream)[column - 1] : NULL;

			if (knows && *knows <= turn->wait) {
				turn->is_open = true;
				*knows = turn->wait + 1;
			}
		}
		take_step(known, step, i);
	}
}

/* ---- the steps, and what is put between them ---- */

struct guards {
	struct sd__steps *out;
	struct sd_step *step;
	uint32_t *of;        /* by step: its turn + 1, of the wait and of the record */
	uint32_t *event;     /* by turn */
	uint32_t *free_event;
	uint32_t free_count;
};

static void put(struct guards *g, struct sd_step like, enum sd_step_kind kind, uint32_t arg)
{
	like.kind = kind;
	like.arg = arg;
	g->step[g->out->step_count++] = like;
}

static void put_step(struct guards *g, const struct sd_step *step, uint32_t turn)
{
	if (turn && step->kind == SD_STEP_NOTIFY_RECORD) {
		put(g, *step, SD_STEP_WAIT, g->event[turn - 1]);
		g->free_event[g->free_count++] = g->event[turn - 1];
	}
	put(g, *step, step->kind, step->arg);
	if (turn && step->kind == SD_STEP_NOTIFY_WAIT) {
		g->event[turn - 1] = g->free_count > 0 ? g->free_event[--g->free_count] : g->out->event_count++;
		put(g, *step, SD_STEP_RECORD, g->event[turn - 1]);
	}
}

static bool put_guards(const struct sweep *w, uint32_t open, struct sd__steps *out)
{
	struct guards g = {
		.out = out, .step = SD_NEW(w->mem, struct sd_step, (size_t)w->issue->step_count + 2 * (size_t)open),
		.of = SD_NEW0(w->mem, uint32_t, w->issue->step_count), .event = SD_NEW(w->mem, uint32_t, w->turn.count),
		.free_event = SD_NEW(w->mem, uint32_t, open),
	};

	if (!g.step || !g.of || !g.event || !g.free_event)
		return false;
	for (uint32_t t = 0; t < w->turn.count; t++) {
		if (w->turn.at[t].is_open)
			g.of[w->turn.at[t].wait] = g.of[w->turn.at[t].record] = t + 1;
	}
	out->step = g.step;
	out->step_count = 0;
	for (uint32_t i = 0; i < w->issue->step_count; i++)
		put_step(&g, &w->issue->step[i], g.of[i]);
	return true;
}

bool sd__steps_make(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_issue *issue, struct sd__steps *out)
{
	struct sweep w = { .mem = mem, .plan = plan, .issue = issue };
	uint32_t open = 0;

	*out = (struct sd__steps){ issue->step, issue->step_count, plan->event_count };
	if (!find_turns(&w))
		return false;
	if (w.turn.count == 0)
		return true;
	if (!take_room(&w))
		return false;
	for (uint32_t first = 0; first < w.wait_count; first += COLUMNS)
		sweep_band(&w, first);
	for (uint32_t t = 0; t < w.turn.count; t++)
		open += w.turn.at[t].is_open;
	return open == 0 || put_guards(&w, open, out);
}
