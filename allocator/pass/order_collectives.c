/* order_collectives - collectives of one communicator start in one order on every rank.
 *
 * Rule   Where an automatic mode placed the nodes, the collectives of each communicator in each
 *        graph become a chain in topological order: where two neighbours of the chain are on
 *        different streams, the first comes before the second. The communicator is the group
 *        that the node states, else its attribute `group`, else the one that states none.
 * Why    The modes spread collectives over streams like any operator. Two that nothing orders
 *        may start in another order on another rank, and then wait for each other for ever.
 *        The order follows from the graph alone, never from times, so ranks agree.
 * Example HcomAllReduce a and b without path between them, on streams 0 and 1: b waits for a.
 * Differs With compat ge nothing is added.
 * Cost   O(slots + collectives * log collectives). */
#include "passes.h"

#include "base/merge.h"
#include "communicator.h"
#include "mutants.h"

struct chains {
	uint32_t count;
	uint32_t *slot;        /* collectives, in flat order */
	struct sd_text *group;
	uint32_t *number;      /* of the group's text */
};

static bool is_member(const struct sd_job *job, uint32_t slot)
{
	return job->slots.kind[slot] == SD_SLOT_MAIN && job->collective[job->slots.node[slot]];
}

static enum sd_status collect(struct sd_job *job, struct chains *c)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < job->slots.count; s++)
		count += is_member(job, s);
	*c = (struct chains){ 0, SD_NEW(job->mem, uint32_t, count), SD_NEW(job->mem, struct sd_text, count),
	                      SD_NEW(job->mem, uint32_t, count) };
	SD_NEED(job, c->slot && c->group && c->number);
	for (uint32_t s = 0; s < job->slots.count; s++) {
		if (!is_member(job, s))
			continue;
		c->group[c->count] = sd_communicator(job->graph, job->slots.node[s]);
		c->slot[c->count++] = s;
	}
	return SD_OK;
}

static int compare_members(const void *arg, uint32_t a, uint32_t b)
{
	const uint64_t *key = arg;

	return key[a] < key[b] ? -1 : key[a] > key[b];
}

/* Asks for the order of neighbours of a chain. */
static enum sd_status link_chains(struct sd_job *job, const struct chains *c)
{
	uint32_t *item = SD_NEW(job->mem, uint32_t, c->count), *spare = SD_NEW(job->mem, uint32_t, c->count);
	uint64_t *key = SD_NEW(job->mem, uint64_t, c->count);

	SD_NEED(job, item && spare && key);
	for (uint32_t i = 0; i < c->count; i++) {
		item[i] = i;
		key[i] = (uint64_t)(SD_MUTANT(collectives_one_chain) ? 0 : c->number[i]) << 32 | job->graph->graph_of[job->slots.node[c->slot[i]]];
	}
	/* The sort is stable: members of a chain stay in flat order. */
	sd_merge_sort(item, spare, c->count, compare_members, key);
	for (uint32_t i = 1 + SD_MUTANT(collectives_second_on); i < c->count; i++) {
		if (key[item[i - 1]] == key[item[i]])
			SD_TRY(sd_job_order(job, c->slot[item[i - 1]], c->slot[item[i]], SD_CAUSE_ORDER));
	}
	return SD_OK;
}

enum sd_status sd__pass_order_collectives(struct sd_job *job)
{
	struct chains chains;
	uint32_t groups;

	if (job->options->compat == SD_GE || !sd_mode_balances(&job->mode))
		return SD_OK;
	SD_TRY(collect(job, &chains));
	SD_TRY(sd_job_intern(job, chains.group, chains.count, 0, chains.number, &groups));
	return link_chains(job, &chains);
}
