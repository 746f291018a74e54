/* number_syncs - events and notifies numbered in the order in which they are recorded.
 *
 * Rule   Syncs are sorted by the place of the sender, then of the receiver; in that order
 *        events are numbered from 0, and so are notifies. First come the gears, the bodies of
 *        each Case with `_batch_num` in flat order: all gears of one Case count from the same
 *        number, the next Case from the highest that was reached, then all other syncs.
 * Why    Numbers follow execution and nothing else, so equal graphs get equal plans. Of the gears of
 *        one Case only one runs, so they may share events, of which a device has few.
 * Differs Graph Engine numbers by the names of the senders.
 * Cost   O(slots + syncs). */
#include "passes.h"
#include "mutants.h"

static enum sd_status sort_by_sender(struct sd_job *job)
{
	struct sd_order_list *syncs = &job->syncs;
	struct sd_order_pair *sorted = SD_NEW(job->mem, struct sd_order_pair, syncs->count);
	uint32_t *place = SD_NEW0(job->mem, uint32_t, job->slots.count + 1u);

	SD_NEED(job, sorted && place);
	for (uint32_t i = 0; i < syncs->count; i++)
		place[syncs->at[i].from + 1]++;
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		place[slot + 1] += place[slot];
	/* The list is sorted by receiver, and counting keeps that among equal senders. */
	for (uint32_t i = 0; i < syncs->count; i++)
		sorted[place[syncs->at[i].from]++] = syncs->at[i];
	syncs->at = sorted;
	return SD_OK;
}

/* The outermost body of a Case with `_batch_num` in which a slot runs: a gear. */
struct gear {
	uint32_t functional, body; /* SD_NO_INDEX: none */
};

static struct gear gear_of(const struct sd_job *job, uint32_t slot)
{
	struct gear gear = { SD_NO_INDEX, 0 };

	for (uint32_t s = job->slots.scope[slot]; s != SD_SCOPE_ROOT; s = job->scopes.at[s].parent) {
		uint32_t node = job->scopes.functional[job->scopes.at[s].functional].node;
		enum sd_op op = sd_job_op(job, node);

		if ((op == SD_OP_CASE || op == SD_OP_STATELESS_CASE) && (sd_graph_has(job->graph, node, SD_ATTR_BATCH_NUM) || SD_MUTANT(number_any_case)))
			gear = (struct gear){ job->scopes.at[s].functional, job->scopes.at[s].body };
	}
	return gear;
}

struct numbers {
	struct sd_job *job;
	enum sd_sync_kind kind;
	uint32_t *first; /* per body of a functional node (sd_functional.first_jump): where its numbers stand */
};

static uint32_t *of_gear(const struct numbers *n, struct gear gear)
{
	return &n->first[n->job->scopes.functional[gear.functional].first_jump + gear.body];
}

/* Only one gear runs: all gears of a Case count from the same number. */
static uint32_t number_gears(struct numbers *n)
{
	const struct sd_job *job = n->job;
	uint32_t base = 0;

	for (uint32_t i = 0; i < job->syncs.count; i++) {
		struct gear gear = gear_of(job, job->syncs.at[i].from);

		if (gear.functional != SD_NO_INDEX && sd_job_sync_kind(job, job->syncs.at[i].cause) == n->kind)
			job->sync_id[i] = (*of_gear(n, gear))++;
	}
	/* What was counted in each gear becomes where it begins, Case after Case. */
	for (uint32_t f = 0; f < job->scopes.functional_count; f++) {
		uint32_t *first = &n->first[job->scopes.functional[f].first_jump], most = 0;

		for (uint32_t k = 0; k < job->scopes.functional[f].body_count; k++) {
			most = (first[k] > most) != SD_MUTANT(number_gears_least) ? first[k] : most;
			first[k] = base;
		}
		base += most;
	}
	return base;
}

/* Numbers all syncs of a kind; answers how many numbers there are. */
static uint32_t number_kind(struct numbers *n)
{
	const struct sd_job *job = n->job;
	uint32_t bodies = job->graph->graph_count - 1, next;

	memset(n->first, 0, bodies * sizeof(*n->first));
	next = bodies ? number_gears(n) : 0;
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		struct gear gear = bodies ? gear_of(job, job->syncs.at[i].from) : (struct gear){ SD_NO_INDEX, 0 };

		if (sd_job_sync_kind(job, job->syncs.at[i].cause) != n->kind)
			continue;
		if (gear.functional == SD_NO_INDEX)
			job->sync_id[i] = next++;
		else
			job->sync_id[i] += *of_gear(n, gear);
	}
	return next;
}

enum sd_status sd__pass_number_syncs(struct sd_job *job)
{
	struct numbers n = { .job = job, .first = SD_NEW(job->mem, uint32_t, job->graph->graph_count) };

	SD_TRY(sort_by_sender(job));
	job->sync_id = SD_NEW(job->mem, uint32_t, job->syncs.count);
	SD_NEED(job, job->sync_id && n.first);
	n.kind = SD_SYNC_EVENT;
	job->event_count = number_kind(&n);
	n.kind = SD_SYNC_NOTIFY;
	job->notify_count = number_kind(&n);
	return SD_OK;
}
