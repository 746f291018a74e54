#include "needs.h"
#include "mutants.h"

enum sd_status sd_needs_init(struct sd_needs *needs, struct sd_job *job)
{
	uint32_t lanes = job->slots.lane_count;

	*needs = (struct sd_needs){
		.job = job, .latest = SD_NEW(job->mem, uint32_t, lanes), .stamp = SD_NEW0(job->mem, uint32_t, lanes),
		.cause = SD_NEW(job->mem, enum sd_cause, lanes), .need = SD_NEW(job->mem, uint32_t, lanes),
		.lane = SD_NEW(job->mem, uint32_t, lanes),
	};
	SD_NEED(job, needs->latest && needs->stamp && needs->cause && needs->need && needs->lane);
	return SD_OK;
}

void sd_needs_begin(struct sd_needs *needs)
{
	needs->reading++;
	needs->lanes = 0;
}

uint32_t sd_needs_new(struct sd_needs *needs, uint32_t slot, uint32_t older)
{
	struct sd_slots *slots = &needs->job->slots;

	if (!sd_vec_room(needs->job->mem, &slots->need)) {
		needs->failed = true;
		return SD_NO_INDEX;
	}
	slots->need.at[slots->need.count] = (struct sd_need){ slot, older };
	return slots->need.count++;
}

/* Takes the latest slot off two chains of needs. What is older than a launch is done with it, and ends both. */
static uint32_t take_latest(const struct sd_slots *slots, uint32_t *a, uint32_t *b)
{
	uint32_t of_a = *a == SD_NO_INDEX ? 0 : slots->need.at[*a].slot, of_b = *b == SD_NO_INDEX ? 0 : slots->need.at[*b].slot;
	bool takes_a = *a != SD_NO_INDEX && (*b == SD_NO_INDEX || of_a >= of_b);
	bool takes_b = *b != SD_NO_INDEX && (*a == SD_NO_INDEX || of_b >= of_a);
	uint32_t slot = takes_a ? of_a : of_b;

	*a = takes_a ? slots->need.at[*a].older : *a;
	*b = takes_b ? slots->need.at[*b].older : *b;
	if (!sd_slots_exit(slots, slot))
		*a = *b = SD_NO_INDEX;
	return slot;
}

/* Both of two needs on one lane. */
static uint32_t both(struct sd_needs *needs, uint32_t a, uint32_t b)
{
	uint32_t kept;

	needs->scratch.count = 0;
	while (a != b && a != SD_NO_INDEX && b != SD_NO_INDEX) {
		if (!sd_vec_room(needs->job->mem, &needs->scratch)) {
			needs->failed = true;
			return a;
		}
		needs->scratch.at[needs->scratch.count++] = take_latest(&needs->job->slots, &a, &b);
	}
	kept = a == SD_NO_INDEX ? b : a;
	while (needs->scratch.count > 0)
		kept = sd_needs_new(needs, needs->scratch.at[--needs->scratch.count], kept);
	return kept;
}

/* Two slots on one lane, of which one is a join: the later one is waited for, and knows both. */
static void meet_join(struct sd_needs *needs, uint32_t lane, uint32_t slot, enum sd_cause cause, uint32_t need)
{
	uint32_t old = needs->latest[lane], mine = needs->need[lane];

	if (mine == SD_NO_INDEX)
		mine = sd_needs_new(needs, old, SD_NO_INDEX);
	if (need == SD_NO_INDEX)
		need = sd_needs_new(needs, slot, SD_NO_INDEX);
	needs->latest[lane] = old > slot ? old : slot;
	needs->cause[lane] = old > slot ? needs->cause[lane] : cause;
	needs->need[lane] = both(needs, mine, need);
}

void sd_needs_meet(struct sd_needs *needs, uint32_t slot, enum sd_cause cause, uint32_t need)
{
	const struct sd_slots *slots = &needs->job->slots;
	uint32_t lane = slots->lane[slot];
	bool met = needs->stamp[lane] == needs->reading;

	if (met && (needs->latest[lane] >= slot || SD_MUTANT(edges_first_of_lane)) && !sd_slots_exit(slots, needs->latest[lane]))
		return;
	if (met && (sd_slots_exit(slots, slot) || sd_slots_exit(slots, needs->latest[lane]))) {
		meet_join(needs, lane, slot, cause, need);
		return;
	}
	if (!met)
		needs->lane[needs->lanes++] = lane;
	needs->stamp[lane] = needs->reading;
	needs->latest[lane] = slot;
	needs->cause[lane] = cause;
	needs->need[lane] = need;
}

enum sd_status sd_needs_keep(struct sd_needs *needs, struct sd_need_list *list)
{
	*list = (struct sd_need_list){ needs->pool.count, needs->lanes };
	for (uint32_t i = 0; i < needs->lanes; i++) {
		uint32_t lane = needs->lane[i];

		if (!sd_vec_room(needs->job->mem, &needs->pool))
			SD_NEED(needs->job, NULL);
		needs->pool.at[needs->pool.count++] = (struct sd_met){ needs->latest[lane], needs->cause[lane], needs->need[lane] };
	}
	SD_NEED(needs->job, !needs->failed);
	return SD_OK;
}
