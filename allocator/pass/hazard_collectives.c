/* hazard_collectives - collectives that share two ranks or more and that nothing orders.
 *
 * Rule   Every launched collective, and every node that states `comm`, is held against the last
 *        one in front of it, as the plan runs, of its own communicator, and of each other one that
 *        has two ranks or more in common with it, in each run. Where the plan does not order the two, that is
 *        a hazard, told once for each node. A communicator is known by its group, else by the
 *        ranks that it states, else it is the one that states neither; its ranks are those that
 *        its first node with ranks states. Whether communicators without ranks share any is not
 *        known. Only the first SHARED_MAX communicators are held against others than their own.
 * Why    Each rank may start the two in another order, and each then waits for the other for ever.
 * Example g1 over ranks 0 to 3 and g2 over ranks 2 to 5, on two streams: told.
 * Differs Graph Engine does not look.
 * Cost   That of reduce.c where collectives are on two streams, and O(collectives * SHARED_MAX + ranks
 *        * SHARED_MAX). */
#include "passes.h"

#include "base/merge.h"
#include "communicator.h"
#include "hazard.h"
#include "mutants.h"

#define SHARED_MAX 128u /* communicators; a device has memory for far fewer */

struct ranks {
	uint32_t count; /* 0: not stated */
	int64_t *at;    /* ascending, each once */
};

struct gathering {
	struct sd_job *job;
	struct sd_oracle oracle;
	uint32_t count, *slot;   /* collectives, in flat order */
	struct sd_text *key;     /* what their communicator is known by */
	uint32_t *number;        /* of that communicator */
	uint32_t *of_slot;       /* per slot: number; SD_NO_INDEX: no collective */
	uint32_t communicators, *last; /* per communicator: last collective met */
	uint32_t *previous;      /* per slot: the one met before of its communicator; SD_NO_INDEX: none */
	bool *shares;            /* SHARED_MAX * SHARED_MAX: two ranks or more in common */
	uint32_t *partner;       /* per slot: an earlier collective that is not ordered; SD_NO_INDEX: none */
};

static bool is_collective(const struct sd_job *job, uint32_t slot)
{
	uint32_t node = job->slots.node[slot];

	return job->slots.kind[slot] == SD_SLOT_MAIN && (job->collective[node] || sd_comm_of(job->graph, node));
}

/* A group's name, or the bytes of the ranks. */
static struct sd_text key_of(const struct sd_graph *graph, uint32_t node)
{
	const struct sd_comm *comm = sd_comm_of(graph, node);
	struct sd_text key = sd_communicator(graph, node);

	if (key.len == 0 && comm && comm->rank_count)
		return (struct sd_text){ (const char *)&graph->rank[comm->rank_first], comm->rank_count * (uint32_t)sizeof(*graph->rank) };
	return key;
}

static enum sd_status gather(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t count = 0, slots = job->slots.count;
	bool several_lanes = false;

	for (uint32_t s = 0, lane = SD_NO_INDEX; s < slots; s++) {
		if (!is_collective(job, s))
			continue;
		several_lanes |= count++ && job->slots.lane[s] != lane;
		lane = job->slots.lane[s];
	}
	if (!several_lanes)
		return SD_OK;
	g->slot = SD_NEW(job->mem, uint32_t, count);
	g->key = SD_NEW(job->mem, struct sd_text, count);
	g->number = SD_NEW(job->mem, uint32_t, count);
	g->of_slot = SD_NEW(job->mem, uint32_t, slots);
	g->partner = SD_NEW(job->mem, uint32_t, slots);
	g->previous = SD_NEW(job->mem, uint32_t, slots);
	SD_NEED(job, g->slot && g->key && g->number && g->of_slot && g->partner && g->previous);
	memset(g->of_slot, 0xff, slots * sizeof(*g->of_slot));
	memset(g->partner, 0xff, slots * sizeof(*g->partner));
	for (uint32_t s = 0; s < slots; s++) {
		if (!is_collective(job, s))
			continue;
		g->key[g->count] = key_of(job->graph, job->slots.node[s]);
		g->slot[g->count++] = s;
	}
	SD_TRY(sd_job_intern(job, g->key, g->count, 0, g->number, &g->communicators));
	for (uint32_t i = 0; i < g->count; i++)
		g->of_slot[g->slot[i]] = g->number[i];
	g->last = SD_NEW(job->mem, uint32_t, g->communicators);
	SD_NEED(job, g->last);
	memset(g->last, 0xff, g->communicators * sizeof(*g->last));
	return SD_OK;
}

static int compare_numbers(const void *ctx, uint32_t a, uint32_t b)
{
	const int64_t *at = ctx;

	return at[a] < at[b] ? -1 : at[a] > at[b];
}

static enum sd_status sort_ranks(struct sd_job *job, const struct sd_comm *comm, struct ranks *ranks)
{
	const int64_t *rank = job->graph->rank + comm->rank_first;
	uint32_t *item = SD_NEW(job->mem, uint32_t, comm->rank_count), *spare = SD_NEW(job->mem, uint32_t, comm->rank_count);

	ranks->at = SD_NEW(job->mem, int64_t, comm->rank_count);
	SD_NEED(job, item && spare && ranks->at);
	for (uint32_t i = 0; i < comm->rank_count; i++)
		item[i] = i;
	sd_merge_sort(item, spare, comm->rank_count, compare_numbers, rank);
	for (uint32_t i = 0; i < comm->rank_count; i++) {
		if (i == 0 || rank[item[i]] != rank[item[i - 1]])
			ranks->at[ranks->count++] = rank[item[i]];
	}
	return SD_OK;
}

static bool have_two_in_common(const struct ranks *a, const struct ranks *b)
{
	uint32_t common = 0;

	for (uint32_t i = 0, k = 0; common < 2 && i < a->count && k < b->count;) {
		common += a->at[i] == b->at[k];
		if (a->at[i] <= b->at[k])
			i++;
		else
			k++;
	}
	return common + SD_MUTANT(ranks_one_in_common) >= 2;
}

static enum sd_status find_sharing(struct gathering *g)
{
	struct sd_job *job = g->job;
	uint32_t looked_at = g->communicators < SHARED_MAX ? g->communicators : SHARED_MAX;
	struct ranks *ranks = SD_NEW0(job->mem, struct ranks, looked_at);

	g->shares = SD_NEW0(job->mem, bool, (size_t)SHARED_MAX * SHARED_MAX);
	SD_NEED(job, ranks && g->shares);
	for (uint32_t i = 0; i < g->count; i++) {
		const struct sd_comm *comm = sd_comm_of(job->graph, job->slots.node[g->slot[i]]);

		if (g->number[i] < looked_at && comm && comm->rank_count && ranks[g->number[i]].count == 0)
			SD_TRY(sort_ranks(job, comm, &ranks[g->number[i]]));
	}
	for (uint32_t a = 0; a < looked_at; a++) {
		for (uint32_t b = 0; b < looked_at; b++)
			g->shares[a * SHARED_MAX + b] = have_two_in_common(&ranks[a], &ranks[b]);
		g->shares[a * SHARED_MAX + a] |= ranks[a].count == 0;
	}
	return SD_OK;
}

static void look_at(struct gathering *g, uint32_t slot, uint32_t communicator, const struct sd_clock *known)
{
	const struct sd_job *job = g->job;
	uint32_t node = job->slots.node[slot], from = g->last[communicator];

	for (uint32_t i = 0; i < SD_HAZARD_WALK && from != SD_NO_INDEX && g->partner[slot] == SD_NO_INDEX; i++, from = g->previous[from]) {
		uint32_t other = job->slots.node[from];

		if (!SD_MUTANT(ranks_of_other_bodies) && !sd_may_both_run(job, other, node))
			continue;
		if (!sd_is_before(job, known, from, slot) && !sd_oracle_before(&g->oracle, from, slot))
			g->partner[slot] = from;
		if (sd_runs_with(job, node, other))
			break;
	}
}

static void meet(void *arg, uint32_t slot, const struct sd_clock *known)
{
	struct gathering *g = arg;
	uint32_t own = g->of_slot[slot];

	if (own == SD_NO_INDEX)
		return;
	if (own >= SHARED_MAX || g->shares[own * SHARED_MAX + own])
		look_at(g, slot, own, known);
	for (uint32_t other = 0; own < SHARED_MAX && other < SHARED_MAX && other < g->communicators; other++) {
		if (other != own && !SD_MUTANT(ranks_of_own_group) && g->shares[own * SHARED_MAX + other])
			look_at(g, slot, other, known);
	}
	g->previous[slot] = g->last[own];
	g->last[own] = slot;
}

enum sd_status sd__pass_hazard_collectives(struct sd_job *job)
{
	struct gathering g = { .job = job };

	SD_TRY(gather(&g));
	if (g.count == 0)
		return SD_OK;
	SD_TRY(find_sharing(&g));
	SD_TRY(sd_oracle_open(&g.oracle, job));
	SD_TRY(sd_reduce_watch(job, &job->syncs, meet, &g));
	SD_TRY(g.oracle.status);
	for (uint32_t i = 0; i < g.count; i++) {
		uint32_t partner = g.partner[g.slot[i]];

		if (partner != SD_NO_INDEX)
			SD_TRY(sd_hazard(job, SD_CODE_COLLECTIVES_UNORDERED, job->slots.node[g.slot[i]],
			                 sd_arg_node(job->slots.node[partner]), (struct sd_arg){ 0 }));
	}
	return SD_OK;
}
