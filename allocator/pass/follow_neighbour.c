/* follow_neighbour - in a graph of unknown shape, what owns no stream goes where a neighbour is.
 *
 * Rule   In rank order, once, each cluster S without a stream looks at the clusters P that
 *        feed it, then at those that it feeds. P can be followed if S runs on P's engine,
 *        or may attach, or P itself followed a cluster of S's engine; but no AICPU cluster
 *        follows an independent engine. Of these, the cheapest engine, then the lowest rank
 *        is taken (the one that P followed, if any); when that has no stream yet, S stays
 *        without. In the end, clusters without stream get that of their engine, unless
 *        the engine skips stream assignment: those run on the main stream.
 * Example HcomAllReduce -> Where: two streams. Relu -> Where and Where -> Relu: one.
 * Cost   O(clusters + edges). */
#include "passes.h"

#include "dynamic.h"
#include "journal.h"
#include "mutants.h"

struct consumers {
	uint32_t *first, *at; /* per cluster; clusters that it feeds */
};

static enum sd_status list_consumers(struct sd_job *job, struct consumers *list)
{
	const struct sd_clusters *c = &job->clusters;
	uint32_t edges = c->count ? c->at[c->count - 1].first_pred + c->at[c->count - 1].pred_count : 0;

	list->first = SD_NEW0(job->mem, uint32_t, c->count + 2u);
	list->at = SD_NEW(job->mem, uint32_t, edges);
	SD_NEED(job, list->first && list->at);
	for (uint32_t i = 0; i < edges; i++)
		list->first[c->pred[i] + 2]++;
	for (uint32_t k = 0; k < c->count; k++)
		list->first[k + 1] += list->first[k];
	/* Filling moves each start to the next one's place: shifted by one, it ends where it should. */
	for (uint32_t k = 0; k < c->count; k++) {
		for (uint32_t i = 0; i < c->at[k].pred_count; i++)
			list->at[list->first[c->pred[c->at[k].first_pred + i] + 1]++] = k;
	}
	return SD_OK;
}

static bool can_follow(const struct sd_job *job, const struct sd_cluster *s, const struct sd_cluster *p)
{
	const struct sd_engine *mine = &job->engines.engine[s->engine];

	if (mine->role == SD_ROLE_AICPU && job->engines.engine[p->engine].independent && !SD_MUTANT(neighbour_behind_collective))
		return false;
	return s->engine == p->engine || mine->attach ||
	       (p->root != SD_NO_INDEX && job->clusters.at[p->root].engine == s->engine);
}

/* The best of some neighbours; SD_NO_INDEX if none can be followed. */
static uint32_t best_of(const struct sd_job *job, const struct sd_cluster *s, const uint32_t *near, uint32_t count)
{
	const struct sd_cluster *at = job->clusters.at;
	uint32_t best = SD_NO_INDEX;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = near[i];
		int64_t cost = job->engines.engine[at[p].engine].cost;
		int64_t lowest = best == SD_NO_INDEX ? INT64_MAX : job->engines.engine[at[best].engine].cost;

		if (can_follow(job, s, &at[p]) && (best == SD_NO_INDEX || cost < lowest || (cost == lowest && p < best)))
			best = p;
	}
	return best;
}

static void follow(struct sd_job *job, const struct consumers *list, uint32_t k)
{
	struct sd_cluster *at = job->clusters.at;
	uint32_t p = best_of(job, &at[k], job->clusters.pred + at[k].first_pred, at[k].pred_count);

	if (p == SD_NO_INDEX && !SD_MUTANT(neighbour_producers_only))
		p = best_of(job, &at[k], list->at + list->first[k], list->first[k + 1] - list->first[k]);
	if (p == SD_NO_INDEX)
		return;
	if (at[p].root != SD_NO_INDEX)
		p = at[p].root;
	if (at[p].stream == SD_NO_STREAM)
		return;
	at[k].stream = at[p].stream;
	at[k].root = p;
	sd_hint(job, job->clusters.node[at[k].first_node], SD_REASON_NEIGHBOUR, job->clusters.node[at[p].first_node]);
}

enum sd_status sd__pass_follow_neighbour(struct sd_job *job)
{
	struct sd_cluster *at = job->clusters.at;
	struct consumers list;

	SD_TRY(list_consumers(job, &list));
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		if (at[k].stream == SD_NO_STREAM)
			follow(job, &list, k);
	}
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		if (at[k].stream != SD_NO_STREAM || job->engines.engine[at[k].engine].skip_assign_stream)
			continue;
		at[k].stream = sd_dynamic_engine_stream(job, at[k].engine);
		sd_hint(job, job->clusters.node[at[k].first_node], SD_REASON_NO_NEIGHBOUR, SD_NO_NODE);
	}
	return SD_OK;
}
