#include "pool_impl.h"
#include "streamd/device.h"

static struct sd_pool_slot_facts facts_of(const struct sd_pool *pool, const struct sd__slot *slot)
{
	return (struct sd_pool_slot_facts){
		.slot = sd_slab_id(&pool->slots, slot), .key = slot->bucket->key, .task_count = slot->task_count,
		.tenants = slot->tenant_count, .is_broken = slot->is_broken,
	};
}

enum sd_status sd_pool_describe(const struct sd_pool *pool, sd_pool_id id, struct sd_pool_slot_facts *facts, struct sd_diag *diag)
{
	bool was_lease, was_slot = false;
	const struct sd__lease *lease = sd_slab_find(&pool->leases, id, &was_lease);
	const struct sd__slot *slot = lease ? lease->slot : sd_slab_find(&pool->slots, id, &was_slot);

	if (slot) {
		*facts = facts_of(pool, slot);
		return SD_OK;
	}
	return SD_FAIL1(diag, was_lease || was_slot ? SD_CODE_POOL_STALE : SD_CODE_POOL_NO_SLOT, SD_NO_NODE, sd_arg_int((int64_t)id));
}

enum sd_status sd_pool_lease_model(const struct sd_pool *pool, sd_pool_id id, struct sd_pool_model_facts *facts, struct sd_diag *diag)
{
	bool was_live;
	const struct sd__lease *lease = sd_slab_find(&pool->leases, id, &was_live);

	if (!lease)
		return SD_FAIL1(diag, was_live ? SD_CODE_POOL_RELEASED : SD_CODE_POOL_NO_LEASE, SD_NO_NODE, sd_arg_int((int64_t)id));
	return sd_pool_model_facts(pool, sd_slab_id(&pool->models, lease->model), facts, diag);
}

void sd_pool_stats(const struct sd_pool *pool, struct sd_pool_stats *stats)
{
	*stats = (struct sd_pool_stats){
		.created = pool->created, .reused = pool->reused, .destroyed = pool->destroyed, .slots = pool->slots.live,
		.slots_idle = pool->idle_count, .slots_huge = pool->huge_streams, .leases = pool->leases.live,
		.models = pool->models.live, .domains = pool->domains.live, .streams = pool->streams,
		.events = (uint32_t)pool->events, .notifies = (uint32_t)pool->notifies,
	};
}

static struct sd_pool_model_facts model_facts_of(const struct sd_pool *pool, const struct sd__model *model)
{
	return (struct sd_pool_model_facts){
		.model = sd_slab_id(&pool->models, model), .domain = sd__domain_number(model->domain), .owner = model->owner,
		.leases = model->lease_count, .events = model->events, .notifies = model->notifies,
	};
}

enum sd_status sd_pool_model_facts(const struct sd_pool *pool, sd_pool_id id, struct sd_pool_model_facts *facts, struct sd_diag *diag)
{
	struct sd__model *model;

	SD_TRY(sd__find_model(pool, id, &model, diag));
	*facts = model_facts_of(pool, model);
	return SD_OK;
}

void sd_pool_each_model(const struct sd_pool *pool, void (*visit)(void *arg, const struct sd_pool_model_facts *facts), void *arg)
{
	for (const struct sd__model *model = pool->first_model; model; model = model->next) {
		struct sd_pool_model_facts facts = model_facts_of(pool, model);

		visit(arg, &facts);
	}
}

void sd_pool_each_slot(const struct sd_pool *pool, void (*visit)(void *arg, const struct sd_pool_slot_facts *facts), void *arg)
{
	for (uint32_t i = 0; i < pool->slots.used; i++) {
		const struct sd__slot *slot = (const void *)sd_slab_at(&pool->slots, i);

		if (slot->item.is_live) {
			struct sd_pool_slot_facts facts = facts_of(pool, slot);

			visit(arg, &facts);
		}
	}
}

void sd_pool_each_key(const struct sd_pool *pool, void (*visit)(void *arg, const struct sd_pool_key_facts *facts), void *arg)
{
	for (const struct sd_tree_node *node = sd_tree_first(&pool->buckets); node; node = sd_tree_above(&pool->buckets, node)) {
		const struct sd__bucket *bucket = SD_TREE_OF(node, const struct sd__bucket, by_key);
		const struct sd_pool_key_facts facts = { .key = bucket->key, .slots = bucket->slot_count, .idle = bucket->idle_count };

		visit(arg, &facts);
	}
}

void sd_pool_each_lease(const struct sd_pool *pool, sd_pool_id id,
                        void (*visit)(void *arg, sd_pool_id lease, const struct sd_pool_slot_facts *facts), void *arg)
{
	struct sd__model *model;

	if (sd__find_model(pool, id, &model, NULL) != SD_OK)
		return;
	for (const struct sd__lease *lease = model->first; lease; lease = lease->model_next) {
		struct sd_pool_slot_facts facts = facts_of(pool, lease->slot);

		visit(arg, sd_slab_id(&pool->leases, lease), &facts);
	}
}
