/* hazard_labels - a stream label of the user that brings no overlap at all.
 *
 * Rule   A user label is of use if some launch under it can run beside some launch on another
 *        stream. Where every launch under it stands, in the plan, behind or in front of every
 *        other one, that is a hazard, told once for each label, at its first launched node.
 * Why    A stream and its syncs cost; who asked for them hoped to gain.
 * Example a -> b -> c, b labelled: told. With d beside b it is not.
 * Differs Graph Engine does not look.
 * Cost   O(slots + syncs + starters). A slot is ordered with all others exactly if everything in front
 *        of it, as the plan runs, has something to run before that stands no further back, and
 *        everything behind it something to wait for that stands no further in front. */
#include "passes.h"

#include "hazard.h"
#include "ways.h"
#include "mutants.h"

struct chart {
	struct sd_job *job;
	uint32_t *first_out; /* per rank: of the first slot that waits for this one; slots: nobody does */
	uint32_t *last_in;   /* per rank: 1 + that of the last slot it waits for; 0: none */
	bool *alone;         /* per rank: ordered with all others */
};

static void add_pair(struct chart *c, uint32_t from, uint32_t to)
{
	uint32_t rank_from = c->job->rank[from], rank_to = c->job->rank[to];

	if (rank_to < c->first_out[rank_from])
		c->first_out[rank_from] = rank_to;
	if (rank_from + 1 > c->last_in[rank_to])
		c->last_in[rank_to] = rank_from + 1;
}

struct starting {
	uint32_t count, slot;
};

static void see_starter(void *ctx, uint32_t slot)
{
	struct starting *starting = ctx;

	starting->count++;
	starting->slot = slot;
}

/* Whichever body ran, an exit of its stream stands behind it. */
static void add_bodies(struct chart *c, const struct sd_exit *exit)
{
	const struct sd_slots *slots = &c->job->slots;

	for (uint32_t k = 0; k < c->job->scopes.functional[exit->functional].body_count; k++) {
		uint32_t tail = slots->tail.at[exit->first_tail + k];

		if (tail != SD_NO_INDEX && slots->stream[tail] == slots->stream[exit->slot])
			add_pair(c, tail, exit->slot);
	}
}

static void add_pairs(struct chart *c)
{
	const struct sd_job *job = c->job;
	const struct sd_slots *slots = &job->slots;

	for (uint32_t i = 0; i < job->syncs.count; i++)
		add_pair(c, job->syncs.at[i].from, job->syncs.at[i].to);
	for (uint32_t s = 0; s < slots->count; s++) {
		struct starting starting = { 0, SD_NO_INDEX };
		uint32_t front = slots->before[s];

		if (front == SD_NO_INDEX || !sd_follows_on_lane(slots, front, s))
			front = slots->front[s];
		if (front == SD_NO_INDEX)
			sd_each_starter(job, s, see_starter, &starting);
		/* Of several starters nobody knows which one it is. */
		if (starting.count == 1)
			front = starting.slot;
		if (front != SD_NO_INDEX)
			add_pair(c, front, s);
		if (sd_slots_exit(slots, s))
			add_bodies(c, sd_slots_exit(slots, s));
	}
}

static enum sd_status draw(struct chart *c)
{
	struct sd_job *job = c->job;
	uint32_t slots = job->slots.count, furthest = 0, nearest = slots;

	c->first_out = SD_NEW(job->mem, uint32_t, slots);
	c->last_in = SD_NEW0(job->mem, uint32_t, slots);
	c->alone = SD_NEW(job->mem, bool, slots);
	SD_NEED(job, c->first_out && c->last_in && c->alone);
	for (uint32_t p = 0; p < slots; p++)
		c->first_out[p] = slots;
	add_pairs(c);
	for (uint32_t p = 0; p < slots; p++) {
		c->alone[p] = furthest <= p + SD_MUTANT(overlap_of_neighbours);
		furthest = c->first_out[p] > furthest ? c->first_out[p] : furthest;
	}
	for (uint32_t p = slots; p-- > 0;) {
		c->alone[p] &= nearest > p || SD_MUTANT(overlap_backwards_only);
		nearest = c->last_in[p] < nearest ? c->last_in[p] : nearest;
	}
	return SD_OK;
}

enum sd_status sd__pass_hazard_labels(struct sd_job *job)
{
	struct chart c = { .job = job };
	uint32_t labels = job->labels.count + 1, *first = SD_NEW(job->mem, uint32_t, labels);
	bool *overlaps = SD_NEW0(job->mem, bool, labels);

	SD_NEED(job, first && overlaps);
	if (labels == 1)
		return SD_OK;
	SD_TRY(draw(&c));
	memset(first, 0xff, labels * sizeof(*first));
	for (uint32_t s = 0; s < job->slots.count; s++) {
		uint32_t label = job->user_label[job->slots.node[s]];

		if (first[label] == SD_NO_INDEX && job->slots.kind[s] == SD_SLOT_MAIN)
			first[label] = s;
		overlaps[label] |= !c.alone[job->rank[s]];
	}
	for (uint32_t s = 0; s < job->slots.count; s++) {
		uint32_t node = job->slots.node[s], label = job->user_label[node];

		if (label && first[label] == s && !overlaps[label])
			SD_TRY(sd_hazard(job, SD_CODE_LABEL_WITHOUT_OVERLAP, node, sd_arg_label(node), (struct sd_arg){ 0 }));
	}
	return SD_OK;
}
