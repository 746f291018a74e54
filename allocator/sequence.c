#include "sequence.h"

#include "ways.h"
#include "mutants.h"

#define PLACED UINT32_MAX

struct sequencer {
	struct sd_job *job;
	const struct sd_order_list *orders;
	uint32_t *left;              /* per slot: what it still waits for */
	uint32_t *first_out, *out;   /* per slot: slots that wait for it */
	uint32_t *stack;             /* slots that wait for nothing any more */
};

struct pairs_of {
	struct sequencer *q;
	uint32_t to;
	void (*see)(struct sequencer *, uint32_t, uint32_t);
};

static void see_way(void *ctx, uint32_t from)
{
	struct pairs_of *pairs = ctx;

	pairs->see(pairs->q, from, pairs->to);
}

/* Calls `see` with every (from, to) that must hold. */
static void each_pair(struct sequencer *q, void (*see)(struct sequencer *, uint32_t, uint32_t))
{
	for (uint32_t i = 0; i < q->orders->count; i++)
		see(q, q->orders->at[i].from, q->orders->at[i].to);
	for (uint32_t s = 0; s < q->job->slots.count; s++)
		sd_each_way(q->job, s, see_way, &(struct pairs_of){ q, s, see });
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
	each_pair(q, count_pair);
	for (uint32_t s = 0; s < slots; s++)
		q->first_out[s + 2] += q->first_out[s + 1];
	q->out = SD_NEW(job->mem, uint32_t, q->first_out[slots + 1]);
	SD_NEED(job, q->out);
	each_pair(q, put_pair);
	return SD_OK;
}

/* Puts a slot in its place, and with it those in front of `upto` that waited for nothing else. */
static void place(struct sequencer *q, uint32_t slot, uint32_t upto, uint32_t *done)
{
	uint32_t count = 0;

	q->stack[count++] = slot;
	while (count > 0) {
		uint32_t s = q->stack[--count];

		q->job->sequence[(*done)++] = s;
		q->left[s] = PLACED;
		for (uint32_t k = q->first_out[s]; k < q->first_out[s + 1]; k++) {
			uint32_t to = q->out[k];

			if (--q->left[to] == 0 && (to < upto || SD_MUTANT(sequence_eager)))
				q->stack[count++] = to;
		}
	}
}

/* In the order of their numbers as far as that goes: what is over is over soon. */
static enum sd_status sequence(struct sequencer *q)
{
	struct sd_job *job = q->job;
	uint32_t done = 0, slots = job->slots.count;

	q->stack = SD_NEW(job->mem, uint32_t, slots);
	SD_NEED(job, q->stack);
	for (uint32_t s = 0; s < slots; s++) {
		if (q->left[s] == 0)
			place(q, s, s, &done);
	}
	for (uint32_t s = 0; done < slots && s < slots; s++) {
		if (q->left[s] != PLACED)
			return SD_FAIL0(job->diag, SD_CODE_ORDER_CYCLE, job->slots.node[s]);
	}
	return SD_OK;
}

enum sd_status sd_sequence(struct sd_job *job, const struct sd_order_list *orders)
{
	struct sequencer q = { .job = job, .orders = orders };

	SD_TRY(index_pairs(&q));
	SD_TRY(sequence(&q));
	for (uint32_t i = 0; i < job->slots.count; i++)
		job->rank[job->sequence[i]] = SD_MUTANT(sequence_flat_rank) ? job->sequence[i] : i;
	return SD_OK;
}
