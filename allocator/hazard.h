/* hazard.h - what the hazard passes are made of: which launches are ordered, and how a hazard is told.
 *
 * Two launches are ordered if streams, starts and syncs of the finished plan let one begin only when
 * the other is done. Launches that are not may run at the same time, or in either order. */
#ifndef SD_HAZARD_H
#define SD_HAZARD_H

#include "reduce.h"

/* Whether `from` is done before `to` starts; asked about main slots, and `from` stands in front in job->sequence. */
struct sd_question {
	uint32_t from, to; /* slots */
	bool ordered;      /* the answer */
};

/* Answers all questions in one sweep: O(that of reduce.c + questions), with bodies the oracle's beside. Needs the final
 * syncs, sorted by receiver. */
enum sd_status sd_answer(struct sd_job *job, struct sd_question *question, uint32_t count);

/* Whether the lane alone orders two slots: both stand on it, and neither is ordered behind its piece only. */
static inline bool sd_follows_on_lane(const struct sd_slots *slots, uint32_t from, uint32_t to)
{
	return slots->lane[from] == slots->lane[to] && sd_slot_done(slots, from) && sd_slot_done(slots, to);
}

/* The answer to one question inside a sweep, while `known` is what `to` knows. */
static inline bool sd_is_before(const struct sd_job *job, const struct sd_clock *known, uint32_t from, uint32_t to)
{
	return sd_follows_on_lane(&job->slots, from, to) || sd_clock_knows(known, job->slots.lane[from]) >= sd_slot_reach(&job->slots, from);
}

/* Answers by the definition, in every run that has both: where several lanes leave bodies and meet again, clocks know too
 * little. Without bodies, and for more than ORACLE_MAX questions, the answer is no. */
struct sd_oracle {
	struct sd_job *job;
	struct sd_order_list asked; /* the syncs, and behind them the question */
	uint32_t *first;
	bool *doubt, *keep;
	uint32_t left;
	enum sd_status status;      /* other than SD_OK: cancelled, or out of memory */
};

enum sd_status sd_oracle_open(struct sd_oracle *oracle, struct sd_job *job);
bool sd_oracle_before(struct sd_oracle *oracle, uint32_t from, uint32_t to);

/* Whether there is a way to take the branches in which both nodes run. */
bool sd_may_both_run(const struct sd_job *job, uint32_t a, uint32_t b);

/* Whether `other` runs in every run in which `node` does. */
bool sd_runs_with(const struct sd_job *job, uint32_t node, uint32_t other);

/* What a node is held against is the last one in front of it, in each run. Bodies make several runs: nodes are looked at,
 * one by one, up to one that always runs with it, but no more than so many. */
#define SD_HAZARD_WALK 128u

/* A warning; with option strict the end of the run, with the same words. */
enum sd_status sd_hazard(struct sd_job *job, enum sd_code code, uint32_t node, struct sd_arg a, struct sd_arg b);

#endif
