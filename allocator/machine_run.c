#include "machine_internal.h"

#include "base/heap.h"

int64_t sd__sum(int64_t a, int64_t b)
{
	return a > SD_MACHINE_FOR_EVER - 1 - b ? SD_MACHINE_FOR_EVER - 1 : a + b;
}

/* Earliest first; at one moment in the order in which the items were added. */
static int compare_events(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_machine *m = ctx;
	const struct sd__event *x = &m->events.at[a], *y = &m->events.at[b];

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

void sd__agenda_add(struct sd_machine *m, int64_t time, enum sd__happening what, uint32_t of, uint64_t order, const uint32_t *amount)
{
	uint32_t at = SD__NONE;

	if (!sd_vec_room(m->mem, &m->agenda)) {
		m->is_broken = true;
		return;
	}
	if (m->free_events.count)
		at = m->free_events.at[--m->free_events.count];
	else if (sd_vec_room(m->mem, &m->events))
		at = m->events.count++;
	if (at == SD__NONE) {
		m->is_broken = true;
		return;
	}
	m->events.at[at] = (struct sd__event){ .time = time, .order = order, .serial = m->serial++, .of = of, .what = (uint8_t)what };
	if (amount)
		memcpy(m->events.at[at].amount, amount, sizeof(m->events.at[at].amount));
	if (what != SD__SEEN && what != SD__OPENS)
		m->items.at[of].pins++;
	sd_heap_push(m->agenda.at, &m->agenda.count, at, compare_events, m);
}

static void end_later(struct sd_machine *m, uint32_t item, int64_t ns)
{
	struct sd__item *it = &m->items.at[item];

	it->is_waiting = false;
	sd__agenda_add(m, sd__sum(m->now, ns), SD__ENDS, item, it->order, NULL);
}

static void wait_for(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];
	struct sd__signal *s = &m->signals.at[it->signal];

	if (s->is_seen) {
		s->is_seen = !it->takes;
		end_later(m, item, m->model.wait_ns);
		return;
	}
	it->is_waiting = true;
	it->pins++;
	if (s->last != SD__NONE)
		m->items.at[s->last].next_waiter = item;
	else
		s->first = item;
	s->last = item;
}

/* The head of its stream is there. */
static void item_begins(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];
	const struct sd__stream *s = &m->streams.at[it->stream];

	it->ready = m->now;
	if (it->kind != SD_MACHINE_WORK) {
		it->began = m->now;
		it->has_begun = true;
	}
	switch ((enum sd_machine_kind)it->kind) {
	case SD_MACHINE_WORK:
		sd__work_wants(m, item);
		break;
	case SD_MACHINE_RECORD:
		end_later(m, item, m->model.record_ns);
		break;
	case SD_MACHINE_WAIT:
		wait_for(m, item);
		break;
	case SD_MACHINE_HOLD:
		if (s->holds_open > s->holds_passed)
			end_later(m, item, 0);
		else
			it->is_waiting = true;
		break;
	case SD_MACHINE_ACTIVATE:
		end_later(m, item, 0);
		break;
	}
}

/* Waiters pass in the order in which they came, until one takes the signal. */
static void signal_seen(struct sd_machine *m, uint32_t signal)
{
	m->signals.at[signal].is_seen = true;
	while (m->signals.at[signal].is_seen && m->signals.at[signal].first != SD__NONE) {
		struct sd__signal *s = &m->signals.at[signal];
		uint32_t item = s->first;
		struct sd__item *it = &m->items.at[item];

		s->first = it->next_waiter;
		s->last = s->first == SD__NONE ? SD__NONE : s->last;
		if (!it->is_over) {
			s->is_seen = !it->takes;
			end_later(m, item, m->model.wait_ns);
		}
		sd__item_unpin(m, item);
	}
	sd__signal_unref(m, signal);
}

static void hold_opens(struct sd_machine *m, uint32_t stream, uint32_t serial)
{
	struct sd__stream *s = &m->streams.at[stream];

	if (!s->is_live || s->serial != serial || s->holds_open >= s->holds_promised)
		return;
	s->holds_open++;
	if (s->head != SD__NONE && m->items.at[s->head].kind == SD_MACHINE_HOLD && m->items.at[s->head].is_waiting &&
	    s->holds_open > s->holds_passed)
		end_later(m, s->head, 0);
}

static void activate(struct sd_machine *m, const struct sd__item *it)
{
	struct sd__stream *s = &m->streams.at[it->signal];
	const uint32_t serial[SD__CORES] = { it->serial, 0 };

	if (!s->is_live || s->serial != it->serial || s->holds_promised == s->holds_added)
		return;
	s->holds_promised++;
	sd__agenda_add(m, sd__sum(m->now, m->model.activate_ns), SD__OPENS, it->signal, it->order, serial);
}

/* What others see of an item that ends in its turn. */
static void announce(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];

	if (it->kind == SD_MACHINE_RECORD) {
		struct sd__signal *s = &m->signals.at[it->signal];

		s->is_recorded = true;
		s->recorded_at = m->now;
		s->refs++;
		sd__agenda_add(m, sd__sum(m->now, m->model.event_latency_ns), SD__SEEN, it->signal, it->order, NULL);
	} else if (it->kind == SD_MACHINE_ACTIVATE) {
		activate(m, it);
	}
}

/* True if an item ended by it. */
static bool happen(struct sd_machine *m, const struct sd__event *e, struct sd_machine_end *end)
{
	struct sd__item *it = &m->items.at[e->of];
	bool has_ended = false;

	if (e->what == SD__SEEN || e->what == SD__OPENS) {
		if (e->what == SD__SEEN)
			signal_seen(m, e->of);
		else
			hold_opens(m, e->of, e->amount[0]);
		return false;
	}
	if (!it->is_over) {
		if (e->what == SD__BEGINS)
			item_begins(m, e->of);
		else if (e->what == SD__CORES_FREE)
			sd__work_gives(m, e->of, e->amount);
		it = &m->items.at[e->of];
		has_ended = e->what == SD__ENDS || (e->what == SD__CORES_FREE && !(it->left[0] | it->left[1] | it->held[0] | it->held[1]));
	}
	if (has_ended) {
		announce(m, e->of);
		sd__work_leaves(m, e->of);
		sd__stream_pop(m, m->items.at[e->of].stream, end);
	}
	sd__item_unpin(m, e->of);
	return has_ended;
}

bool sd_machine_next(struct sd_machine *m, int64_t until_ns, struct sd_machine_end *end)
{
	while (!m->is_broken) {
		uint32_t first = m->agenda.count ? m->agenda.at[0] : SD__NONE;

		if (first != SD__NONE && m->events.at[first].time <= m->now) {
			struct sd__event event = m->events.at[sd_heap_pop(m->agenda.at, &m->agenda.count, compare_events, m)];

			sd__give_back(m, &m->free_events, first);
			if (happen(m, &event, end))
				return true;
		} else if (m->stirred.count) {
			sd__cores_deal(m);
		} else if (first != SD__NONE && m->events.at[first].time <= until_ns) {
			m->now = m->events.at[first].time;
		} else {
			break;
		}
	}
	if (until_ns != SD_MACHINE_FOR_EVER && until_ns > m->now)
		m->now = until_ns;
	return false;
}

bool sd_machine_cut(struct sd_machine *m, uint32_t stream, struct sd_machine_end *end)
{
	struct sd__stream *s = &m->streams.at[stream];
	uint32_t head = s->head;

	if (head == SD__NONE)
		return false;
	if (m->items.at[head].kind == SD_MACHINE_HOLD) {
		uint32_t passed = s->holds_passed + 1;

		s->holds_promised = s->holds_promised > passed ? s->holds_promised : passed;
		s->holds_open = s->holds_open > passed ? s->holds_open : passed;
	}
	if (m->items.at[head].kind == SD_MACHINE_WORK)
		sd__work_leaves(m, head);
	sd__stream_pop(m, stream, end);
	return true;
}
