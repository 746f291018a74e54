/* balance.h - spreading paths over at most N streams: what the three automatic modes share.
 *
 * Paths are placed one after the other, by the level of their first node. The mode tells
 * in which order within a level, which streams are looked at, and how one is better than
 * another. A path is never moved again. */
#ifndef SD_BALANCE_H
#define SD_BALANCE_H

#include "dag.h"

#define SD_BALANCE_WINDOW 6u /* levels looked at, from the first one of the path */
#define SD_BALANCE_KEYS 5u

/* What a stream holds on each level of the graph. Only streams that hold anything are kept. */
struct sd_levels {
	uint32_t *first, *count; /* per level: into stream and amount */
	uint32_t *stream;
	double *amount;
};

/* A stream's worth for a path: smaller is better, the first key that differs decides. */
struct sd_score {
	double key[SD_BALANCE_KEYS];
};

struct sd_balance {
	struct sd_job *job;
	struct sd_paths *paths;
	uint32_t limit, active;   /* streams allowed, streams used so far */
	struct sd_levels levels;
	double *held;             /* per stream: sum of what its paths weigh */
	uint32_t *near;           /* per stream: edges between it and the path */
	uint32_t near_count;      /* edges between the path and placed paths */
	uint32_t *interaction;    /* per path: edges to and from other paths */
	uint32_t candidate[SD_AUTO_STREAMS_MAX + 1], candidate_count, candidate_most;
	struct sd_score key[SD_AUTO_STREAMS_MAX + 1]; /* per stream: what sd_balance_offer sorts by */
};

/* What a mode decides. `path` is its number, `stream` may be the next unused one. */
struct sd_balancer {
	void *mode;
	uint32_t candidates; /* streams looked at for a path, at most */
	/* Keys by which paths of one level are taken, smallest first. */
	void (*rank)(struct sd_balance *b, void *mode, uint32_t path, struct sd_score *score);
	/* Offers candidates; the next unused stream is offered behind them if there is one. True if the
	 * first offered one is to be taken unseen. */
	bool (*offer)(struct sd_balance *b, void *mode, uint32_t path);
	void (*score)(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream, struct sd_score *score);
	/* Chooses among the candidates by other means than the score alone; NULL: the best score. */
	void (*choose)(struct sd_balance *b, void *mode, uint32_t path, uint32_t *stream);
	/* The path is on the stream now. */
	void (*placed)(struct sd_balance *b, void *mode, uint32_t path, uint32_t stream);
};

enum sd_status sd_balance_open(struct sd_balance *b, struct sd_job *job);
enum sd_status sd_balance_run(struct sd_balance *b, const struct sd_balancer *balancer);

/* -1, 0, 1. Two keys that differ by a billionth or less are equal. */
int sd_score_compare(const struct sd_score *a, const struct sd_score *b);

/* Offers streams in ascending order of b->key; of all active ones or (only_near) those that have an
 * edge with the path; at most `most`. */
void sd_balance_offer(struct sd_balance *b, uint32_t most, bool only_near);
void sd_balance_offer_one(struct sd_balance *b, uint32_t stream);

/* Edges between the path and placed paths that would be cut. */
static inline double sd_balance_cut(const struct sd_balance *b, uint32_t stream)
{
	return (double)(b->near_count - b->near[stream]);
}

static inline uint32_t sd_path_size(const struct sd_paths *paths, uint32_t path)
{
	return paths->first[path + 1] - paths->first[path];
}

static inline uint32_t sd_path_level(const struct sd_paths *paths, uint32_t path)
{
	return paths->dag.level[paths->work[paths->first[path]]];
}

/* The first level behind the window of a path. */
static inline uint32_t sd_path_window_end(const struct sd_paths *paths, uint32_t path)
{
	uint32_t level = sd_path_level(paths, path);

	return paths->dag.depth - level > SD_BALANCE_WINDOW ? level + SD_BALANCE_WINDOW : paths->dag.depth;
}

/* Adds factor times what each stream holds on the level to `sum`, per stream. */
void sd_levels_sum(const struct sd_levels *levels, uint32_t level, double factor, double *sum);
void sd_levels_add(struct sd_levels *levels, uint32_t level, uint32_t stream, double amount);

#endif
