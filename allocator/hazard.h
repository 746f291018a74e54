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

/* Answers all questions in one sweep: O(that of reduce.c + questions). Needs the final syncs, sorted by
 * receiver. */
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

/* Whether there is a way to take the branches in which both nodes run. */
bool sd_may_both_run(const struct sd_job *job, uint32_t a, uint32_t b);

/* A warning; with option strict the end of the run, with the same words. */
enum sd_status sd_hazard(struct sd_job *job, enum sd_code code, uint32_t node, struct sd_arg a, struct sd_arg b);

#endif
