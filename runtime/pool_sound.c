#include "pool_impl.h"
#include "streamd/device.h"

struct sums {
	uint64_t slots, idle, tenants, leases, streams, huge, bucket_slots, bucket_idle, domain_models, domain_slots;
	uint64_t events, notifies, unmade;
};

static bool sum_slot(const struct sd_pool *pool, const struct sd__slot *slot, struct sums *sums)
{
	uint32_t tenants = 0;
	int64_t tasks = 0;

	for (const struct sd__lease *lease = slot->tenants; lease; lease = lease->slot_next) {
		if (!lease->item.is_live || lease->slot != slot || !sd__pool_holds(pool, lease->model, slot))
			return false;
		tenants++;
		tasks += lease->task_count;
	}
	sums->slots++;
	sums->idle += tenants == 0;
	sums->unmade += slot->never_made;
	sums->tenants += tenants;
	sums->streams += sd__flags_cost_stream(slot->bucket->key.flags);
	sums->huge += (slot->bucket->key.flags & SD_STREAM_HUGE) != 0;
	return tenants == slot->tenant_count && tasks == slot->tasks_held && tenants <= SD_POOL_TENANTS_MAX &&
	       !slot->is_chosen && !(slot->is_broken && tenants == 0);
}

static bool sum_slots(const struct sd_pool *pool, struct sums *sums)
{
	for (uint32_t i = 0; i < pool->slots.used; i++) {
		const struct sd__slot *slot = (const void *)sd_slab_at(&pool->slots, i);

		if (slot->item.is_live && !sum_slot(pool, slot, sums))
			return false;
	}
	return true;
}

static int64_t least_load(const struct sd_tree_node *node)
{
	int64_t least = node ? sd__slot_load(SD__SLOT_OF(node)) : SD__LOAD_CLOSED;

	for (int side = 0; node && side < 2; side++) {
		int64_t below = least_load(node->child[side]);

		least = below < least ? below : least;
	}
	return !node || least == SD__SLOT_OF(node)->least_load ? least : INT64_MIN;
}

static bool sum_buckets(const struct sd_pool *pool, struct sums *sums)
{
	struct sd_tree_node *node = sd_tree_first(&pool->buckets);

	for (; node; node = sd_tree_above(&pool->buckets, node)) {
		const struct sd__bucket *bucket = SD_TREE_OF(node, struct sd__bucket, by_key);

		if (!bucket->slot_count || !sd_tree_is_sound(&bucket->slots) || least_load(bucket->slots.root) == INT64_MIN)
			return false;
		sums->bucket_slots += bucket->slot_count;
		sums->bucket_idle += bucket->idle_count;
	}
	return sd_tree_is_sound(&pool->buckets);
}

static bool sum_models(const struct sd_pool *pool, struct sums *sums)
{
	uint32_t models = 0;

	for (const struct sd__model *model = pool->first_model; model; model = model->next) {
		uint32_t leases = 0;

		for (const struct sd__lease *lease = model->first; lease; lease = lease->model_next, leases++) {
			if (lease->model != model)
				return false;
		}
		if (leases != model->lease_count || !model->item.is_live)
			return false;
		models++;
		sums->leases += leases;
		sums->events += model->events;
		sums->notifies += model->notifies;
	}
	return models == pool->models.live;
}

static bool sum_domains(const struct sd_pool *pool, struct sums *sums)
{
	struct sd_tree_node *node = sd_tree_first(&pool->domain_names);
	uint32_t orphans = 0, domains = 0;

	for (; node; node = sd_tree_above(&pool->domain_names, node), domains++) {
		const struct sd__domain *domain = SD_TREE_OF(node, struct sd__domain, by_name);

		sums->domain_models += domain->models;
		sums->domain_slots += domain->slots;
		orphans += domain->slots && !domain->models;
	}
	for (const struct sd__domain *domain = pool->first_orphan; domain; domain = domain->next, orphans--) {
		if (!domain->item.is_live || domain->models || !domain->slots)
			return false;
	}
	return orphans == 0 && domains == pool->domains.live && sd_tree_is_sound(&pool->domain_names);
}

static uint64_t idle_listed(const struct sd_pool *pool)
{
	uint64_t count = 0;

	for (const struct sd__slot *slot = pool->first_idle; slot; slot = slot->next)
		count += slot->tenant_count == 0;
	return count;
}

bool sd_pool_is_sound(const struct sd_pool *pool)
{
	struct sums sums = { 0 };

	if (!sum_slots(pool, &sums) || !sum_buckets(pool, &sums) || !sum_models(pool, &sums) || !sum_domains(pool, &sums))
		return false;
	return sums.slots == pool->slots.live && sums.bucket_slots == sums.slots && sums.domain_slots == sums.slots &&
	       sums.idle == pool->idle_count && sums.bucket_idle == sums.idle && idle_listed(pool) == sums.idle &&
	       sums.leases == pool->leases.live && sums.tenants == sums.leases && sums.domain_models == pool->models.live &&
	       sums.streams == pool->streams && sums.huge == pool->huge_streams && sums.events == pool->events &&
	       sums.notifies == pool->notifies &&
	       pool->created - pool->destroyed == sums.slots - sums.unmade;
}
