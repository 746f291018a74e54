/* holders.h - the models that hold most of something. */
#ifndef SD_HOLDERS_H
#define SD_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "streamd/pool.h"

struct sd_share {
	struct sd_pool_model_facts facts;
	uint64_t held;
};

struct sd_ranking {
	/* Set by the caller: */
	enum sd_pool_resource resource;
	bool with_all;          /* models that hold none of it, too */
	uint32_t most;          /* room in `share`, 1 or more */
	struct sd_share *share; /* largest first; of equal ones the oldest */
	uint32_t count;         /* of them, filled */
	uint32_t holders;       /* how many there are, those that found no room too */
};

/* O(models), and no more than O(most) for one that is among the largest. */
void sd_rank_holders(const struct sd_pool *pool, struct sd_ranking *ranking);

#endif
