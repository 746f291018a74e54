#include "reduce_trial.h"

#include "ways.h"

static uint32_t resolve_need(struct sd_trial *t, uint32_t need);

/* What a slot of a need stands for in the run: a launch; SD_NO_INDEX: nothing. */
static uint32_t resolve_end(struct sd_trial *t, uint32_t slot)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_exit *exit = sd_slots_exit(slots, slot);
	uint32_t way, found;

	if (!exit)
		return slot;
	way = sd_trial_way(t, exit->functional);
	found = resolve_need(t, slots->told[exit->first_tail + way]);
	if (found == SD_NO_INDEX && way && t->job->scopes.functional[exit->functional].loop)
		found = resolve_need(t, slots->told[exit->first_tail]);
	return found;
}

static uint32_t resolve_need(struct sd_trial *t, uint32_t need)
{
	const struct sd_slots *slots = &t->job->slots;
	uint32_t found = SD_NO_INDEX;

	for (; need != SD_NO_INDEX && found == SD_NO_INDEX; need = slots->need.at[need].older)
		found = resolve_end(t, slots->need.at[need].slot);
	return found;
}

/* Where a way through bodies ends on their lane; SD_NO_INDEX: it does not use it. */
static uint32_t end_of_way(struct sd_trial *t, const struct sd_exit *exit)
{
	const uint32_t *tail = t->job->slots.tail.at + exit->first_tail;
	uint32_t way = sd_trial_way(t, exit->functional);

	if (tail[way] == SD_NO_INDEX && way && t->job->scopes.functional[exit->functional].loop)
		way = 0;
	return tail[way];
}

/* The last launch on the lane up to a slot, in the run. What is told behind bodies is what was launched in them; where their
 * lane was cut, the slot behind them that was there before knows the last of it. */
static uint32_t last_launch(struct sd_trial *t, uint32_t from)
{
	const struct sd_slots *slots = &t->job->slots;
	const struct sd_exit *own = sd_slots_exit(slots, from);
	const struct sd_exit *exit = own ? sd_slots_exit_on(slots, own->functional, slots->lane[from]) : NULL;
	uint32_t slot = exit ? end_of_way(t, exit) : from;

	while (slot != SD_NO_INDEX && !sd_slot_launches(slots, slot) && slots->kind[slot] != SD_SLOT_HEAD) {
		const struct sd_exit *inner = sd_slots_exit(slots, slot);
		uint32_t end = inner ? end_of_way(t, inner) : SD_NO_INDEX;

		slot = end == SD_NO_INDEX ? slots->before[slot] : end;
		if (exit && slot != SD_NO_INDEX && slots->scope[slot] == slots->scope[from])
			return SD_NO_INDEX;
	}
	return slot;
}

uint32_t sd_trial_target(struct sd_trial *t, const struct sd_order_pair *order)
{
	const struct sd_slots *slots = &t->job->slots;
	uint32_t target;

	if (order->need == SD_NO_INDEX)
		target = last_launch(t, order->from);
	else if (slots->apart)
		target = resolve_end(t, slots->need.at[order->need].slot);
	else
		target = resolve_need(t, order->need);
	if (target != SD_NO_INDEX && sd_slots_exit(slots, order->from) && slots->stream[target] != slots->stream[order->from])
		return SD_NO_INDEX;
	return target;
}
