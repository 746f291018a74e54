/* balance_nodes - LoadBalance:N: paths go where few operators stand beside theirs.
 *
 * Rule   Paths (cover_paths) by the level of their first node; within a level the longest
 *        first, then the one with most edges to others. Looked at are the streams that hold
 *        neighbours, most edges first, then the three with fewest operators on the six levels
 *        from here, then an unused one: six at most. The cheapest is taken:
 *          3 * edges cut + 4 * (largest + variance of operators on those levels, over streams)
 *          + operators of stream and path + 2 for an unused stream.
 * Why    A sync costs about as much as a few operators that could have run beside others.
 * Example ten operators without edges, N = 2: 0 1 0 1 0 1 0 1 0 1. A diamond: all on one.
 * Cost   O(nodes + edges + paths * (log paths + N)). */
#include "passes.h"

#include "balance.h"
#include "mutants.h"

#define NEAR_WEIGHT 3.0
#define BALANCE_WEIGHT 4.0
#define NEW_WEIGHT 2.0
#define CANDIDATES 6u
#define LIGHTEST 3u

struct node_balance {
	double mass[SD_AUTO_STREAMS_MAX + 1]; /* per stream: operators in the window of the path */
	double own;                           /* of the path itself */
};

static void rank(struct sd_balance *b, void *mode, uint32_t path, struct sd_score *score)
{
	(void)mode;
	score->key[0] = -(double)sd_path_size(b->paths, path);
	score->key[1] = -(double)b->interaction[path];
}

static void weigh_window(struct sd_balance *b, struct node_balance *nb, uint32_t path)
{
	uint32_t end = sd_path_window_end(b->paths, path);

	memset(nb->mass, 0, sizeof(nb->mass));
	for (uint32_t level = sd_path_level(b->paths, path); level < end; level++)
		sd_levels_sum(&b->levels, level, 1, nb->mass);
	nb->own = 0;
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++)
		nb->own += b->paths->dag.level[b->paths->work[i]] < end;
}

static bool offer(struct sd_balance *b, void *mode, uint32_t path)
{
	struct node_balance *nb = mode;

	weigh_window(b, nb, path);
	for (uint32_t s = 0; s < b->active; s++) {
		b->key[s].key[0] = -(double)b->near[s];
		b->key[s].key[1] = b->held[s];
	}
	sd_balance_offer(b, CANDIDATES, true);
	for (uint32_t s = 0; s < b->active; s++)
		b->key[s].key[0] = nb->mass[s];
	sd_balance_offer(b, LIGHTEST, false);
	return false;
}

/* The largest mass and the variance of all, with the path on `stream`. */
static double imbalance(const struct sd_balance *b, const struct node_balance *nb, uint32_t stream)
{
	uint32_t streams = b->active + (stream == b->active);
	double sum = nb->own, largest = 0, squares = 0, mean;

	for (uint32_t s = 0; s < streams; s++)
		sum += nb->mass[s];
	mean = sum / streams;
	for (uint32_t s = 0; s < streams; s++) {
		double mass = nb->mass[s] + (s == stream ? nb->own : 0);

		largest = mass > largest ? mass : largest;
		squares += (mass - mean) * (mass - mean);
	}
	return (SD_MUTANT(balance_largest_free) ? 0.0 : largest) + squares / streams;
}

static void score(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream, struct sd_score *score)
{
	double cut = sd_balance_cut(b, stream), balance = imbalance(b, mode, stream);
	double load = b->held[stream] + sd_path_size(b->paths, path);

	*score = (struct sd_score){ {
		(SD_MUTANT(balance_cut_free) ? 0.0 : NEAR_WEIGHT) * cut + BALANCE_WEIGHT * balance + load + NEW_WEIGHT * (stream == b->active), cut, balance,
		load, stream,
	} };
}

static void placed(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream)
{
	(void)mode;
	b->held[stream] += sd_path_size(b->paths, path);
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++)
		sd_levels_add(&b->levels, b->paths->dag.level[b->paths->work[i]], stream, 1);
}

enum sd_status sd__pass_balance_nodes(struct sd_job *job)
{
	struct node_balance nb;
	const struct sd_balancer balancer = { &nb, CANDIDATES, rank, offer, score, NULL, placed };
	struct sd_balance b;

	if (job->mode.kind != SD_AUTO_LOAD_BALANCE)
		return SD_OK;
	SD_TRY(sd_balance_open(&b, job));
	return sd_balance_run(&b, &balancer);
}
