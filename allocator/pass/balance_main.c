/* balance_main - MainStream:N: one stream for what must run alone, others beside it.
 *
 * Rule   Paths in the order of balance_nodes. A path whose first node is alone on its level, or
 *        all of whose nodes are, goes to stream 0. Else stream 0 is looked at, those that
 *        hold neighbours, most edges first, the three with the least conflict, and an unused
 *        one: six at most. Conflict is the number of operators on the levels that the path
 *        has among the six from here. The cheapest is taken:
 *          3 * edges cut + 4 * conflict + 2 for an unused stream - 4 * nodes alone on their
 *          levels, for stream 0.
 * Example two chains of three: 0 0 0 and 1 1 1. A short way beside a long one: all on 0.
 * Cost   O((nodes + paths) * N + edges + paths * log paths). */
#include "passes.h"

#include "balance.h"
#include "mutants.h"

#define NEAR_WEIGHT 3.0
#define CONFLICT_WEIGHT 4.0
#define NEW_WEIGHT 2.0
#define ALONE_WEIGHT 4.0
#define CANDIDATES 6u
#define LEAST 3u
#define MAIN 0u

struct main_balance {
	uint32_t *width, *alone;                  /* nodes per level; per path: nodes alone on their levels */
	double conflict[SD_AUTO_STREAMS_MAX + 1]; /* per stream, with the path */
};

static void rank(struct sd_balance *b, void *mode, uint32_t path, struct sd_score *score)
{
	(void)mode;
	score->key[0] = -(double)sd_path_size(b->paths, path);
	score->key[1] = -(double)b->interaction[path];
}

static void find_conflicts(struct sd_balance *b, struct main_balance *mb, uint32_t path)
{
	uint32_t end = sd_path_window_end(b->paths, path);

	memset(mb->conflict, 0, sizeof(mb->conflict));
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++) {
		uint32_t level = b->paths->dag.level[b->paths->work[i]];

		if (level >= end)
			break;
		sd_levels_sum(&b->levels, level, 1, mb->conflict);
	}
}

static bool offer(struct sd_balance *b, void *mode, uint32_t path)
{
	struct main_balance *mb = mode;

	sd_balance_offer_one(b, MAIN);
	if ((mb->width[sd_path_level(b->paths, path)] == 1 && !SD_MUTANT(main_width_ignored)) || mb->alone[path] == sd_path_size(b->paths, path))
		return true;
	find_conflicts(b, mb, path);
	for (uint32_t s = 0; s < b->active; s++) {
		b->key[s].key[0] = -(double)b->near[s];
		b->key[s].key[1] = 0;
	}
	sd_balance_offer(b, CANDIDATES, true);
	for (uint32_t s = 0; s < b->active; s++)
		b->key[s].key[0] = mb->conflict[s];
	sd_balance_offer(b, LEAST, false);
	return false;
}

static void score(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream, struct sd_score *score)
{
	const struct main_balance *mb = mode;
	double cut = sd_balance_cut(b, stream), conflict = mb->conflict[stream], fresh = stream == b->active;
	double alone = stream == MAIN ? mb->alone[path] : 0;

	*score = (struct sd_score){ {
		NEAR_WEIGHT * cut + (SD_MUTANT(main_conflict_free) ? 0.0 : CONFLICT_WEIGHT) * conflict + NEW_WEIGHT * fresh - ALONE_WEIGHT * alone, cut, conflict,
		fresh, alone,
	} };
}

static void placed(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream)
{
	(void)mode;
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++)
		sd_levels_add(&b->levels, b->paths->dag.level[b->paths->work[i]], stream, 1);
}

static enum sd_status count_alone(struct sd_job *job, struct main_balance *mb)
{
	const struct sd_dag *dag = &job->paths->dag;

	mb->width = SD_NEW0(job->mem, uint32_t, dag->depth);
	mb->alone = SD_NEW0(job->mem, uint32_t, job->paths->count);
	SD_NEED(job, mb->width && mb->alone);
	for (uint32_t w = 0; w < dag->count; w++)
		mb->width[dag->level[w]]++;
	for (uint32_t w = 0; w < dag->count; w++)
		mb->alone[job->paths->of_work[w]] += mb->width[dag->level[w]] == 1;
	return SD_OK;
}

enum sd_status sd__pass_balance_main(struct sd_job *job)
{
	struct main_balance mb;
	const struct sd_balancer balancer = { &mb, CANDIDATES, rank, offer, score, NULL, placed };
	struct sd_balance b;

	if (job->mode.kind != SD_AUTO_MAIN_STREAM)
		return SD_OK;
	SD_TRY(count_alone(job, &mb));
	SD_TRY(sd_balance_open(&b, job));
	return sd_balance_run(&b, &balancer);
}
