/* balance_time - WeightedLoadBalance:N: paths go where little time is spent beside theirs.
 *
 * Rule   Paths (cover_paths) by the level of their first node; within a level the one that takes
 *        longest first, then by time * cores, by the most cores of a node, by edges to others.
 *        Looked at are the streams that hold neighbours, most edges first, the three with
 *        the least time on the six levels from here, and an unused one: eight at most. The
 *        cheapest is taken:
 *          3 * edges cut + 4 * sum over the path's levels (among the six from here, or all
 *          if it has none there) of its time * the stream's + 2 * time of stream and path
 *          + 2 for an unused stream; times in microseconds.
 *        Of the three cheapest the one is taken with which all paths placed so far are done first
 *        (overlap.c), as long as the graph is small enough to ask. An operator of unknown time
 *        counts with the mean of the known ones, or 10 microseconds if none is known.
 * Example times 60, 50, 40, 30, 20, 10 without edges, N = 2: 0 1 1 0 0 1.
 * Differs Graph Engine's comparison of times runs one operator after the other, so it never
 *        decides, and an unknown time is 0. With compat ge the cheapest is taken.
 * Cost   O((nodes + paths) * N + edges + paths * log paths), and LOOKS_MOST. */
#include "passes.h"

#include "base/merge.h"
#include "overlap.h"
#include "mutants.h"

#define NEAR_WEIGHT 3.0
#define CONFLICT_WEIGHT 4.0
#define LOAD_WEIGHT 2.0
#define NEW_WEIGHT 2.0
#define CANDIDATES 8u
#define LIGHTEST 3u

#define NO_TIME 1e-9

#define COMPARED 3u
#define LOOKS_MOST 8000000u /* spent on comparing times, per graph */
#define TIME_IF_NONE_KNOWN 10.0

struct time_balance {
	double *total;                            /* per path: time of its nodes */
	double conflict[SD_AUTO_STREAMS_MAX + 1]; /* per stream, with the path */
	struct sd_overlap overlap;
	uint64_t looks;                           /* that are left */
};

static void rank(struct sd_balance *b, void *mode, uint32_t path, struct sd_score *score)
{
	struct time_balance *tb = mode;
	double core_time = 0;
	int32_t most = 0;

	tb->total[path] = 0;
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++) {
		const struct sd_work_cost *cost = &b->paths->dag.cost[b->paths->work[i]];

		tb->total[path] += cost->duration_us;
		core_time += cost->duration_us * ((double)cost->vector + (double)cost->cube);
		most = cost->cube > most ? cost->cube : most;
		most = cost->vector > most ? cost->vector : most;
	}
	score->key[0] = -tb->total[path];
	score->key[1] = -core_time;
	score->key[2] = -(double)most;
	score->key[3] = -(double)b->interaction[path];
}

static bool is_busy(const struct sd_work_cost *cost)
{
	return cost->duration_us > NO_TIME || cost->cube > 0 || cost->vector > 0;
}

/* Time that each stream spends beside the path, on levels in front of `end`. False if it is not
 * busy there. */
static bool find_conflicts(const struct sd_balance *b, struct time_balance *tb, uint32_t path, uint32_t end)
{
	const struct sd_dag *dag = &b->paths->dag;
	bool busy = false;

	memset(tb->conflict, 0, sizeof(tb->conflict));
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++) {
		uint32_t w = b->paths->work[i];

		if (dag->level[w] >= end)
			break;
		if (!is_busy(&dag->cost[w]))
			continue;
		busy = true;
		sd_levels_sum(&b->levels, dag->level[w], dag->cost[w].duration_us, tb->conflict);
	}
	return busy;
}

static bool offer(struct sd_balance *b, void *mode, uint32_t path)
{
	struct time_balance *tb = mode;
	double window[SD_AUTO_STREAMS_MAX + 1] = { 0 };
	uint32_t end = sd_path_window_end(b->paths, path);

	for (uint32_t s = 0; s < b->active; s++) {
		b->key[s].key[0] = -(double)b->near[s];
		b->key[s].key[1] = b->held[s];
	}
	sd_balance_offer(b, CANDIDATES, true);
	for (uint32_t level = sd_path_level(b->paths, path); level < end; level++)
		sd_levels_sum(&b->levels, level, 1, window);
	for (uint32_t s = 0; s < b->active; s++)
		b->key[s].key[0] = window[s];
	sd_balance_offer(b, LIGHTEST, false);
	if (!find_conflicts(b, tb, path, end) && !SD_MUTANT(time_window_only))
		find_conflicts(b, tb, path, b->paths->dag.depth);
	return false;
}

static void score(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream, struct sd_score *score)
{
	const struct time_balance *tb = mode;
	double cut = sd_balance_cut(b, stream), conflict = tb->conflict[stream], load = b->held[stream] + tb->total[path];

	*score = (struct sd_score){ {
		NEAR_WEIGHT * cut + (SD_MUTANT(time_conflict_free) ? 0.0 : CONFLICT_WEIGHT) * conflict + LOAD_WEIGHT * load + NEW_WEIGHT * (stream == b->active),
		conflict, cut, load, stream,
	} };
}

static int compare_scores(const void *arg, uint32_t a, uint32_t b)
{
	const struct sd_score *score = arg;

	return sd_score_compare(&score[a], &score[b]);
}

/* The cheapest few candidates, by score. */
static uint32_t list_cheapest(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream[COMPARED])
{
	struct sd_score scores[CANDIDATES] = { 0 };
	uint32_t item[CANDIDATES], spare[CANDIDATES], count = 0;

	for (uint32_t i = 0; i < b->candidate_count; i++) {
		score(b, mode, path, b->candidate[i], &scores[i]);
		item[i] = i;
	}
	sd_merge_sort(item, spare, b->candidate_count, compare_scores, scores);
	for (uint32_t i = 0; i < b->candidate_count && i < COMPARED; i++)
		stream[count++] = b->candidate[item[i]];
	return count;
}

static void choose_by_time(struct sd_balance *b, void *mode, uint32_t path, uint32_t *stream)
{
	struct time_balance *tb = mode;
	uint32_t option[COMPARED] = { 0 }, options = list_cheapest(b, mode, path, option);
	int64_t shortest = INT64_MAX;

	*stream = option[0];
	for (uint32_t i = 0; i < options && options > 1; i++) {
		uint32_t streams = option[i] == b->active ? b->active + 1 : b->active;
		int64_t span;

		sd_overlap_put(&tb->overlap, path, option[i]);
		if (sd_overlap_cost(&tb->overlap, streams) <= tb->looks) {
			tb->looks -= sd_overlap_cost(&tb->overlap, streams);
			span = sd_overlap_span(&tb->overlap, streams);
			if (span < shortest)
				*stream = option[i];
			shortest = span < shortest ? span : shortest;
		}
		sd_overlap_take(&tb->overlap, path, option[i]);
	}
	sd_overlap_put(&tb->overlap, path, *stream);
}

static void placed(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream)
{
	struct time_balance *tb = mode;

	b->held[stream] += tb->total[path];
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++) {
		uint32_t w = b->paths->work[i];

		if (is_busy(&b->paths->dag.cost[w]))
			sd_levels_add(&b->levels, b->paths->dag.level[w], stream, b->paths->dag.cost[w].duration_us);
	}
}

static void fill_unknown_times(struct sd_dag *dag)
{
	double sum = 0, mean = TIME_IF_NONE_KNOWN;
	uint32_t known = 0;

	for (uint32_t w = 0; w < dag->count; w++) {
		known += dag->cost[w].duration_ns > 0;
		sum += dag->cost[w].duration_us;
	}
	if (known)
		mean = sum / known;
	for (uint32_t w = 0; w < dag->count; w++) {
		if (dag->cost[w].duration_ns < 0 && !SD_MUTANT(time_unknown_short))
			dag->cost[w].duration_us = mean;
	}
}

enum sd_status sd__pass_balance_time(struct sd_job *job)
{
	struct time_balance tb;
	struct sd_balancer balancer = { &tb, CANDIDATES, rank, offer, score, NULL, placed };
	struct sd_balance b;

	if (job->mode.kind != SD_AUTO_WEIGHTED_LOAD_BALANCE)
		return SD_OK;
	tb.total = SD_NEW(job->mem, double, job->paths->count);
	SD_NEED(job, tb.total);
	if (job->options->compat != SD_GE) {
		fill_unknown_times(&job->paths->dag);
		SD_TRY(sd_overlap_open(&tb.overlap, job));
		tb.looks = LOOKS_MOST;
		balancer.choose = choose_by_time;
	}
	SD_TRY(sd_balance_open(&b, job));
	return sd_balance_run(&b, &balancer);
}
