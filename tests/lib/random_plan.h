/* random_plan.h - plans that are well-formed and otherwise nonsense, by seed. */
#ifndef SD_RANDOM_PLAN_H
#define SD_RANDOM_PLAN_H

#include "base/arena.h"
#include "streamd/plan.h"

#define RANDOM_PLAN_GRAPHS 4u /* graphs that its commands belong to */

struct sd_plan *random_plan(struct sd_arena *mem, uint64_t seed);

/* NULL when both plans say the same, else the name of the first array or number that differs. */
const char *plan_difference(const struct sd_plan *a, const struct sd_plan *b);

#endif
