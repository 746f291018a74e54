#include "balance.h"

#include "base/merge.h"

#define EQUAL_BELOW 1e-9

int sd_score_compare(const struct sd_score *a, const struct sd_score *b)
{
	for (uint32_t i = 0; i < SD_BALANCE_KEYS; i++) {
		double more = a->key[i] - b->key[i];

		if (more > EQUAL_BELOW || more < -EQUAL_BELOW)
			return more < 0 ? -1 : 1;
	}
	return 0;
}

void sd_levels_sum(const struct sd_levels *levels, uint32_t level, double factor, double *sum)
{
	uint32_t at = levels->first[level];

	for (uint32_t i = 0; i < levels->count[level]; i++)
		sum[levels->stream[at + i]] += factor * levels->amount[at + i];
}

void sd_levels_add(struct sd_levels *levels, uint32_t level, uint32_t stream, double amount)
{
	uint32_t at = levels->first[level], i = 0;

	while (i < levels->count[level] && levels->stream[at + i] != stream)
		i++;
	if (i == levels->count[level]) {
		levels->stream[at + i] = stream;
		levels->amount[at + i] = 0;
		levels->count[level]++;
	}
	levels->amount[at + i] += amount;
}

/* A level has room for as many streams as it has nodes, or as there are streams. */
static enum sd_status make_levels(struct sd_balance *b)
{
	const struct sd_dag *dag = &b->paths->dag;
	struct sd_levels *levels = &b->levels;
	struct sd_job *job = b->job;
	uint32_t room = 0;

	levels->first = SD_NEW0(job->mem, uint32_t, dag->depth + 1u);
	levels->count = SD_NEW0(job->mem, uint32_t, dag->depth);
	SD_NEED(job, levels->first && levels->count);
	for (uint32_t w = 0; w < dag->count; w++)
		levels->first[dag->level[w]]++;
	for (uint32_t level = 0; level < dag->depth; level++) {
		uint32_t nodes = levels->first[level];

		levels->first[level] = room;
		room += nodes < b->limit ? nodes : b->limit;
	}
	levels->stream = SD_NEW(job->mem, uint32_t, room);
	levels->amount = SD_NEW(job->mem, double, room);
	SD_NEED(job, levels->stream && levels->amount);
	return SD_OK;
}

static void count_interaction(struct sd_balance *b)
{
	const struct sd_dag *dag = &b->paths->dag;

	for (uint32_t w = 0; w < dag->count; w++) {
		for (uint32_t i = dag->succ_first[w]; i < dag->succ_first[w + 1]; i++) {
			uint32_t from = b->paths->of_work[w], to = b->paths->of_work[dag->succ[i]];

			b->interaction[from] += from != to;
			b->interaction[to] += from != to;
		}
	}
}

enum sd_status sd_balance_open(struct sd_balance *b, struct sd_job *job)
{
	*b = (struct sd_balance){ .job = job, .paths = job->paths, .limit = job->mode.streams };
	b->held = SD_NEW0(job->mem, double, b->limit + 1u);
	b->near = SD_NEW0(job->mem, uint32_t, b->limit + 1u);
	b->interaction = SD_NEW0(job->mem, uint32_t, b->paths->count);
	SD_NEED(job, b->held && b->near && b->interaction);
	count_interaction(b);
	return make_levels(b);
}

void sd_balance_offer_one(struct sd_balance *b, uint32_t stream)
{
	if (b->candidate_count == b->candidate_most)
		return;
	for (uint32_t i = 0; i < b->candidate_count; i++) {
		if (b->candidate[i] == stream)
			return;
	}
	b->candidate[b->candidate_count++] = stream;
}

static int compare_keys(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_score *score = ctx;

	return sd_score_compare(&score[a], &score[b]);
}

void sd_balance_offer(struct sd_balance *b, uint32_t most, bool only_near)
{
	uint32_t item[SD_AUTO_STREAMS_MAX + 1], spare[SD_AUTO_STREAMS_MAX + 1], count = 0;

	for (uint32_t s = 0; s < b->active; s++) {
		if (!only_near || b->near[s])
			item[count++] = s;
	}
	/* The sort is stable, so that of equal streams the lower one comes first. */
	sd_merge_sort(item, spare, count, compare_keys, b->key);
	for (uint32_t i = 0; i < count && i < most; i++)
		sd_balance_offer_one(b, item[i]);
}

/* Counts the edges between the path and the streams of paths that are placed. */
static void look_around(struct sd_balance *b, const int32_t *placed, uint32_t path)
{
	const struct sd_dag *dag = &b->paths->dag;

	memset(b->near, 0, (b->limit + 1u) * sizeof(*b->near));
	b->near_count = 0;
	for (uint32_t i = b->paths->first[path]; i < b->paths->first[path + 1]; i++) {
		uint32_t w = b->paths->work[i];

		for (uint32_t e = dag->succ_first[w]; e < dag->succ_first[w + 1]; e++) {
			int32_t stream = placed[b->paths->of_work[dag->succ[e]]];

			b->near[stream < 0 ? b->limit : (uint32_t)stream] += stream >= 0;
			b->near_count += stream >= 0;
		}
		for (uint32_t e = dag->pred_first[w]; e < dag->pred_first[w + 1]; e++) {
			int32_t stream = placed[b->paths->of_work[dag->pred[e]]];

			b->near[stream < 0 ? b->limit : (uint32_t)stream] += stream >= 0;
			b->near_count += stream >= 0;
		}
	}
}

static uint32_t best_score(struct sd_balance *b, const struct sd_balancer *balancer, uint32_t path)
{
	struct sd_score best = { { 0 } }, score;
	uint32_t at = 0;

	for (uint32_t i = 0; i < b->candidate_count; i++) {
		score = (struct sd_score){ { 0 } };
		balancer->score(b, balancer->mode, path, b->candidate[i], &score);
		if (i == 0 || sd_score_compare(&score, &best) < 0) {
			best = score;
			at = i;
		}
	}
	return b->candidate[at];
}

static uint32_t choose(struct sd_balance *b, const struct sd_balancer *balancer, uint32_t path)
{
	uint32_t stream;
	bool unseen;

	b->candidate_count = 0;
	b->candidate_most = balancer->candidates;
	unseen = balancer->offer(b, balancer->mode, path);
	if (unseen)
		return b->candidate[0];
	if (b->active < b->limit)
		sd_balance_offer_one(b, b->active);
	if (!balancer->choose)
		return best_score(b, balancer, path);
	balancer->choose(b, balancer->mode, path, &stream);
	return stream;
}

/* The paths by level of their first nodes, within a level by rank, then by number. */
static enum sd_status order_paths(struct sd_balance *b, const struct sd_balancer *balancer, uint32_t *order)
{
	struct sd_job *job = b->job;
	uint32_t count = b->paths->count, *spare = SD_NEW(job->mem, uint32_t, count);
	struct sd_score *score = SD_NEW0(job->mem, struct sd_score, count);

	SD_NEED(job, spare && score);
	for (uint32_t p = 0; p < count; p++) {
		order[p] = p;
		balancer->rank(b, balancer->mode, p, &score[p]);
		memmove(score[p].key + 1, score[p].key, (SD_BALANCE_KEYS - 1) * sizeof(double));
		score[p].key[0] = sd_path_level(b->paths, p);
	}
	sd_merge_sort(order, spare, count, compare_keys, score);
	return SD_OK;
}

enum sd_status sd_balance_run(struct sd_balance *b, const struct sd_balancer *balancer)
{
	struct sd_job *job = b->job;
	uint32_t count = b->paths->count, *order = SD_NEW(job->mem, uint32_t, count);
	int32_t *placed = SD_NEW(job->mem, int32_t, count);

	SD_NEED(job, order && placed);
	memset(placed, 0xff, count * sizeof(*placed));
	SD_TRY(order_paths(b, balancer, order));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t stream;

		if (i % SD_STOP_STRIDE == 0 && sd_job_stopped(job))
			return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
		look_around(b, placed, order[i]);
		stream = choose(b, balancer, order[i]);
		if (stream == b->active)
			b->active++;
		placed[order[i]] = (int32_t)stream;
		b->paths->stream[order[i]] = stream;
		balancer->placed(b, balancer->mode, order[i], stream);
	}
	b->paths->streams = b->active;
	return SD_OK;
}
