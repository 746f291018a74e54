/* sequence_slots - an order in which all slots can run.
 *
 * Rule   Each slot stands behind the one before it on its lane, the senders of its orders and,
 *        if it is the first of a lane that is started, the starters. Flat order is that where
 *        nothing but edges is asked for; starters and other orders may run across it. The
 *        StreamSwitch of an iteration loop stands behind all that does not need it.
 * Why    The reduction sweeps along it; where there is none, the request asks for what
 *        cannot be. More may be asked for before the StreamSwitch once streams are cut.
 * Cost   O(slots + orders + starters). */
#include "passes.h"

#include "loop.h"

struct sequencer {
	struct sd_job *job;
	uint32_t *left;              /* per slot: what it still waits for */
	uint32_t *first_out, *out;   /* per slot: slots that wait for it */
};

/* Calls `see` with every (from, to) that must hold. */
static void each_pair(const struct sd_job *job, struct sequencer *q, void (*see)(struct sequencer *, uint32_t, uint32_t))
{
	const struct sd_slots *slots = &job->slots;

	for (uint32_t i = 0; i < job->orders.count; i++)
		see(q, job->orders.at[i].from, job->orders.at[i].to);
	for (uint32_t s = 0; s < slots->count; s++) {
		uint32_t lane = slots->lane[s];

		if (slots->before[s] != SD_NO_INDEX) {
			see(q, slots->before[s], s);
			continue;
		}
		for (uint32_t i = job->starts.first_of_lane[lane]; i < job->starts.first_of_lane[lane + 1]; i++)
			see(q, sd_job_starter_slot(job, job->starts.of_lane[i], lane), s);
	}
}

static void count_pair(struct sequencer *q, uint32_t from, uint32_t to)
{
	q->left[to]++;
	q->first_out[from + 2]++;
}

static void put_pair(struct sequencer *q, uint32_t from, uint32_t to)
{
	q->out[q->first_out[from + 1]++] = to;
}

static enum sd_status index_pairs(struct sequencer *q)
{
	struct sd_job *job = q->job;
	uint32_t slots = job->slots.count;

	q->left = SD_NEW0(job->mem, uint32_t, slots);
	q->first_out = SD_NEW0(job->mem, uint32_t, slots + 2u);
	SD_NEED(job, q->left && q->first_out);
	each_pair(job, q, count_pair);
	for (uint32_t s = 0; s < slots; s++)
		q->first_out[s + 2] += q->first_out[s + 1];
	q->out = SD_NEW(job->mem, uint32_t, q->first_out[slots + 1]);
	SD_NEED(job, q->out);
	each_pair(job, q, put_pair);
	return SD_OK;
}

/* Lets the turn of the loop go, which is held back by a wait for nobody, if that is all it waits for. */
static bool let_turn(struct sequencer *q, uint32_t turn, uint32_t *done)
{
	if (turn == SD_NO_INDEX || q->left[turn] != 1)
		return false;
	q->left[turn] = 0;
	q->job->sequence[(*done)++] = turn;
	return true;
}

static enum sd_status sequence(struct sequencer *q)
{
	struct sd_job *job = q->job;
	uint32_t done = 0, slots = job->slots.count, turn = sd_loop_turn(job);

	if (turn != SD_NO_INDEX)
		q->left[turn]++;
	for (uint32_t s = 0; s < slots; s++) {
		if (q->left[s] == 0)
			job->sequence[done++] = s;
	}
	for (uint32_t i = 0; i < done || let_turn(q, turn, &done); i++) {
		uint32_t s = job->sequence[i];

		for (uint32_t k = q->first_out[s]; k < q->first_out[s + 1]; k++) {
			if (--q->left[q->out[k]] == 0)
				job->sequence[done++] = q->out[k];
		}
	}
	for (uint32_t s = 0; done < slots && s < slots; s++) {
		if (q->left[s])
			return SD_FAIL0(job->diag, SD_CODE_ORDER_CYCLE, job->slots.node[s]);
	}
	return SD_OK;
}

enum sd_status sd__pass_sequence_slots(struct sd_job *job)
{
	struct sequencer q = { .job = job };
	uint32_t slots = job->slots.count;

	job->sequence = SD_NEW(job->mem, uint32_t, slots);
	job->rank = SD_NEW(job->mem, uint32_t, slots);
	SD_NEED(job, job->sequence && job->rank);
	if (job->starts.count || job->extra_orders.count || sd_loop_turn(job) != SD_NO_INDEX) {
		SD_TRY(index_pairs(&q));
		SD_TRY(sequence(&q));
	} else {
		for (uint32_t s = 0; s < slots; s++)
			job->sequence[s] = s;
	}
	for (uint32_t i = 0; i < slots; i++)
		job->rank[job->sequence[i]] = i;
	return SD_OK;
}
