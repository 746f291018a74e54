#include "holders.h"

static uint64_t held_of(const struct sd_pool_model_facts *facts, enum sd_pool_resource resource)
{
	switch (resource) {
	case SD_POOL_EVENTS: return facts->events;
	case SD_POOL_NOTIFIES: return facts->notifies;
	default: return facts->leases;
	}
}

static void rank(void *arg, const struct sd_pool_model_facts *facts)
{
	struct sd_ranking *ranking = arg;
	uint64_t held = held_of(facts, ranking->resource);
	uint32_t at;

	if (held == 0 && !ranking->with_all)
		return;
	ranking->holders++;
	if (ranking->count == ranking->most && held <= ranking->share[ranking->most - 1].held)
		return;
	at = ranking->count < ranking->most ? ranking->count++ : ranking->most - 1;
	for (; at > 0 && ranking->share[at - 1].held < held; at--)
		ranking->share[at] = ranking->share[at - 1];
	ranking->share[at] = (struct sd_share){ *facts, held };
}

void sd_rank_holders(const struct sd_pool *pool, struct sd_ranking *ranking)
{
	ranking->count = ranking->holders = 0;
	sd_pool_each_model(pool, rank, ranking);
}
