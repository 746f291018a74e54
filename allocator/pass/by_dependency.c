/* by_dependency - a cluster goes on where a producer left off, or takes a stream of its engine.
 *
 * Rule   In rank order, each cluster S without a stream looks at the clusters P that feed it.
 *        P can be followed if: same scheduler; P's engine is not independent and P has no
 *        label; and then S is forced to attach, or (nothing but S on P's engine follows P,
 *        unless memory has priority) and S runs on P's engine, or S's engine may attach, or
 *        the cluster that P followed runs on S's engine. Of these, the cheapest engine, then the
 *        lowest rank is followed. With none, S takes the next stream of its engine, in turn
 *        up to max_parallel_num. Engines then get ranges of stream numbers in the order of
 *        their names; a body's first stream is the stream of its parent.
 * Why    Following costs no sync; a second stream is worth one only where two can run.
 * Example AIcore -> RTS -> AIcore: 0, 0, 0. AIcore -> {RTS, AIcore}: 0, 1, 0.
 * Differs With compat ge a body without engine stream still gives back a stream number.
 * Cost   O(clusters + edges + engines). */
#include "passes.h"

#include "journal.h"
#include "mutants.h"

struct turns {
	uint32_t *next, *count;        /* per engine: next stream in turn, streams used so far */
	int32_t *start;                /* per engine: first stream of its range */
	uint32_t owner_count, *owner;  /* clusters that took a stream of their engine */
	uint32_t follower_count, *follower;
};

/* FOLLOWS, or why S cannot follow P. */
static enum sd_reason follows(const struct sd_job *job, const struct sd_cluster *s, const struct sd_cluster *p)
{
	const struct sd_engine *mine = &job->engines.engine[s->engine], *theirs = &job->engines.engine[p->engine];

	if (mine->scheduler != theirs->scheduler && !SD_MUTANT(follow_other_scheduler))
		return SD_REASON_OTHER_SCHEDULER;
	if (theirs->independent)
		return SD_REASON_PRODUCER_INDEPENDENT;
	if (p->label)
		return SD_REASON_PRODUCER_LABELLED;
	if (s->force_attach)
		return SD_REASON_FOLLOWS;
	if (!job->options->memory_priority && p->same_engine_successors > (s->engine == p->engine || SD_MUTANT(follow_taken) ? 1u : 0u))
		return SD_REASON_PRODUCER_TAKEN;
	if (s->engine == p->engine || mine->attach)
		return SD_REASON_FOLLOWS;
	return p->root != SD_NO_INDEX && job->clusters.at[p->root].engine == s->engine ? SD_REASON_FOLLOWS : SD_REASON_OTHER_ENGINE;
}

static uint32_t first_node(const struct sd_job *job, uint32_t cluster)
{
	return job->clusters.node[job->clusters.at[cluster].first_node];
}

static uint32_t best_producer(const struct sd_job *job, const struct sd_cluster *s)
{
	const struct sd_clusters *c = &job->clusters;
	uint32_t best = SD_NO_INDEX;

	for (uint32_t i = 0; i < s->pred_count; i++) {
		uint32_t p = c->pred[s->first_pred + i];
		int64_t cost = job->engines.engine[c->at[p].engine].cost;

		if (follows(job, s, &c->at[p]) != SD_REASON_FOLLOWS)
			continue;
		if (best == SD_NO_INDEX || (SD_MUTANT(follow_dearest) ? cost > job->engines.engine[c->at[best].engine].cost : cost < job->engines.engine[c->at[best].engine].cost) ||
		    (cost == job->engines.engine[c->at[best].engine].cost && p < best))
			best = p;
	}
	return best;
}

static void take_turn(const struct sd_job *job, struct turns *t, uint32_t k)
{
	struct sd_cluster *c = &job->clusters.at[k];
	uint32_t turn = t->next[c->engine] < job->max_parallel[c->engine] + SD_MUTANT(follow_one_more_turn) ? t->next[c->engine] : 0;

	c->stream = (int32_t)turn;
	t->next[c->engine] = turn + 1;
	if (t->count[c->engine] <= turn)
		t->count[c->engine] = turn + 1;
	t->owner[t->owner_count++] = k;
}

/* What the first of those that feed a cluster has against being followed. */
static void hint_at_turn(struct sd_job *job, uint32_t k)
{
	const struct sd_cluster *s = &job->clusters.at[k];
	uint32_t p = s->pred_count ? job->clusters.pred[s->first_pred] : SD_NO_INDEX;

	if (p == SD_NO_INDEX)
		sd_hint(job, first_node(job, k), SD_REASON_NOTHING_FEEDS, SD_NO_NODE);
	else
		sd_hint(job, first_node(job, k), follows(job, s, &job->clusters.at[p]), first_node(job, p));
}

static void choose(struct sd_job *job, struct turns *t)
{
	struct sd_cluster *at = job->clusters.at;

	for (uint32_t k = 0; k < job->clusters.count; k++) {
		uint32_t p;

		if (at[k].stream != SD_NO_STREAM)
			continue;
		p = best_producer(job, &at[k]);
		if (p == SD_NO_INDEX) {
			take_turn(job, t, k);
			hint_at_turn(job, k);
			continue;
		}
		/* Rank order need not be topological: the producer may come later. */
		if (at[p].stream == SD_NO_STREAM) {
			take_turn(job, t, p);
			sd_hint(job, first_node(job, p), SD_REASON_FOLLOWED_EARLY, first_node(job, k));
		}
		sd_hint(job, first_node(job, k), SD_REASON_FOLLOWS, first_node(job, p));
		at[k].stream = at[p].stream;
		at[k].root = at[p].root == SD_NO_INDEX ? p : at[p].root;
		t->follower[t->follower_count++] = k;
	}
}

static void number_streams(struct sd_job *job, struct turns *t)
{
	struct sd_cluster *at = job->clusters.at;
	bool inherits = job->default_stream != SD_NO_STREAM && (t->owner_count || job->options->compat == SD_GE) && !SD_MUTANT(follow_own_body_stream);
	int32_t inherited;

	job->next_stream -= inherits;
	inherited = t->owner_count ? sd_job_next(job) : job->next_stream;
	for (uint32_t e = 0; e < job->engines.count; e++) {
		t->start[e] = job->next_stream;
		job->next_stream += (int32_t)t->count[e];
	}
	for (uint32_t i = 0; i < t->owner_count; i++) {
		struct sd_cluster *c = &at[t->owner[i]];

		c->stream += t->start[c->engine];
		if (!inherits || c->stream != inherited)
			continue;
		c->stream = job->default_stream;
		sd_hint(job, first_node(job, t->owner[i]), SD_REASON_PARENT_STREAM, job->graph->graph[job->visited].parent);
	}
	for (uint32_t i = 0; i < t->follower_count; i++)
		at[t->follower[i]].stream = at[at[t->follower[i]].root].stream;
}

enum sd_status sd__pass_by_dependency(struct sd_job *job)
{
	struct turns t = {
		.next = SD_NEW0(job->mem, uint32_t, job->engines.count),
		.count = SD_NEW0(job->mem, uint32_t, job->engines.count),
		.start = SD_NEW(job->mem, int32_t, job->engines.count),
		.owner = SD_NEW(job->mem, uint32_t, job->clusters.count),
		.follower = SD_NEW(job->mem, uint32_t, job->clusters.count),
	};

	SD_NEED(job, t.next && t.count && t.start && t.owner && t.follower);
	choose(job, &t);
	number_streams(job, &t);
	return SD_OK;
}
