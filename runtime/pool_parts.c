#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "pool_impl.h"
#include "streamd/device.h"

#define HASH_FIRST 64u

/* ---- orders ---- */

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_domains(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct sd__domain *x = SD_TREE_OF(a, struct sd__domain, by_name), *y = SD_TREE_OF(b, struct sd__domain, by_name);

	return sd_text_compare((struct sd_text){ x->name, x->name_len }, (struct sd_text){ y->name, y->name_len });
}

static int compare_buckets(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct sd_pool_key *x = &SD_TREE_OF(a, struct sd__bucket, by_key)->key, *y = &SD_TREE_OF(b, struct sd__bucket, by_key)->key;
	int order = compare_numbers(x->domain, y->domain);

	order = order ? order : compare_numbers(x->priority, y->priority);
	return order ? order : compare_numbers(x->flags, y->flags);
}

static int compare_slots(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	const struct sd__slot *x = SD__SLOT_OF(a), *y = SD__SLOT_OF(b);
	int order = compare_numbers(x->task_count, y->task_count);

	return order ? order : compare_numbers(x->item.index, y->item.index);
}

int64_t sd__slot_load(const struct sd__slot *slot)
{
	if (slot->is_chosen || slot->tenant_count >= SD_POOL_TENANTS_MAX)
		return SD__LOAD_CLOSED;
	return slot->tenant_count ? slot->tasks_held : SD__LOAD_IDLE;
}

static void refresh_slot(struct sd_tree_node *node)
{
	struct sd__slot *slot = SD__SLOT_OF(node);

	slot->least_load = sd__slot_load(slot);
	for (int side = 0; side < 2; side++) {
		if (node->child[side] && SD__SLOT_OF(node->child[side])->least_load < slot->least_load)
			slot->least_load = SD__SLOT_OF(node->child[side])->least_load;
	}
}

/* ---- a pool without anything in it ---- */

bool sd__pool_init_parts(struct sd_pool *pool)
{
	sd_slab_init(&pool->domains, sizeof(struct sd__domain), SD__POOL_DOMAIN);
	sd_slab_init(&pool->models, sizeof(struct sd__model), SD__POOL_MODEL);
	sd_slab_init(&pool->leases, sizeof(struct sd__lease), SD__POOL_LEASE);
	sd_slab_init(&pool->slots, sizeof(struct sd__slot), SD__POOL_SLOT);
	pool->domain_names.compare = compare_domains;
	pool->buckets.compare = compare_buckets;
	pool->hash = calloc(HASH_FIRST, sizeof(struct sd__lease *));
	pool->hash_size = HASH_FIRST;
	return pool->hash != NULL;
}

void sd__pool_finish_parts(struct sd_pool *pool)
{
	struct sd_tree_node *node;

	while ((node = pool->buckets.root)) {
		sd_tree_remove(&pool->buckets, node);
		free(SD_TREE_OF(node, struct sd__bucket, by_key));
	}
	while ((node = pool->domain_names.root)) {
		sd_tree_remove(&pool->domain_names, node);
		free(SD_TREE_OF(node, struct sd__domain, by_name)->name);
	}
	sd_slab_finish(&pool->domains);
	sd_slab_finish(&pool->models);
	sd_slab_finish(&pool->leases);
	sd_slab_finish(&pool->slots);
	free(pool->hash);
}

/* ---- leases by (model, slot) ---- */

/* Both numbers are the pool's own, so that no peer can aim at a place. */
static uint32_t hash_place(const struct sd_pool *pool, uint32_t model, uint32_t slot)
{
	uint64_t mixed = ((uint64_t)model << 32 | slot) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(mixed >> 32) & (pool->hash_size - 1);
}

static struct sd__lease **hash_link(const struct sd_pool *pool, const struct sd__model *model, const struct sd__slot *slot)
{
	struct sd__lease **link = &pool->hash[hash_place(pool, model->item.index, slot->item.index)];

	while (*link && ((*link)->model != model || (*link)->slot != slot))
		link = &(*link)->hash_next;
	return link;
}

bool sd__pool_holds(const struct sd_pool *pool, const struct sd__model *model, const struct sd__slot *slot)
{
	return slot->tenant_count && *hash_link(pool, model, slot);
}

static bool hash_grow(struct sd_pool *pool, uint64_t items)
{
	uint32_t old_size = pool->hash_size;
	struct sd__lease **old = pool->hash, **fresh;
	uint64_t size = old_size;

	while (size < items)
		size *= 2;
	if (size == old_size)
		return true;
	fresh = calloc(size, sizeof(struct sd__lease *));
	if (!fresh)
		return false;
	pool->hash = fresh;
	pool->hash_size = (uint32_t)size;
	for (uint32_t i = 0; i < old_size; i++) {
		while (old[i]) {
			struct sd__lease *lease = old[i];
			struct sd__lease **head = &fresh[hash_place(pool, lease->model->item.index, lease->slot->item.index)];

			old[i] = lease->hash_next;
			lease->hash_next = *head;
			*head = lease;
		}
	}
	free(old);
	return true;
}

bool sd__pool_reserve(struct sd_pool *pool, uint64_t leases, uint64_t slots)
{
	return sd_slab_reserve(&pool->leases, leases) && sd_slab_reserve(&pool->slots, slots) &&
	       hash_grow(pool, pool->leases.live + leases);
}

/* ---- buckets and domains ---- */

struct sd__bucket *sd__bucket_find(const struct sd_pool *pool, const struct sd_pool_key *key)
{
	struct sd__bucket like = { .key = *key };
	struct sd_tree_node *node = sd_tree_find(&pool->buckets, &like.by_key);

	return node ? SD_TREE_OF(node, struct sd__bucket, by_key) : NULL;
}

struct sd__bucket *sd__bucket_make(struct sd_pool *pool, const struct sd_pool_key *key, struct sd__domain *domain)
{
	struct sd__bucket *bucket = sd__bucket_find(pool, key);

	if (bucket)
		return bucket;
	bucket = malloc(sizeof(*bucket));
	if (!bucket)
		return NULL;
	*bucket = (struct sd__bucket){ .key = *key, .domain = domain, .slots = { .compare = compare_slots, .refresh = refresh_slot } };
	sd_tree_insert(&pool->buckets, &bucket->by_key);
	return bucket;
}

void sd__bucket_drop_if_empty(struct sd_pool *pool, struct sd__bucket *bucket)
{
	if (!bucket || bucket->slot_count)
		return;
	sd_tree_remove(&pool->buckets, &bucket->by_key);
	free(bucket);
}

uint32_t sd__domain_number(const struct sd__domain *domain)
{
	return domain->item.index + 1;
}

struct sd__domain *sd__domain_at(const struct sd_pool *pool, uint32_t number)
{
	struct sd_slab_item *item = number && number <= pool->domains.used ? sd_slab_at(&pool->domains, number - 1) : NULL;

	return item && item->is_live ? (struct sd__domain *)item : NULL;
}

void sd__domain_drop_if_unused(struct sd_pool *pool, struct sd__domain *domain)
{
	if (domain->models || domain->slots)
		return;
	sd_tree_remove(&pool->domain_names, &domain->by_name);
	free(domain->name);
	sd_slab_give(&pool->domains, domain);
}

static void link_orphan(struct sd_pool *pool, struct sd__domain *domain)
{
	domain->prev = NULL;
	domain->next = pool->first_orphan;
	if (domain->next)
		domain->next->prev = domain;
	pool->first_orphan = domain;
}

static void unlink_orphan(struct sd_pool *pool, struct sd__domain *domain)
{
	*(domain->prev ? &domain->prev->next : &pool->first_orphan) = domain->next;
	if (domain->next)
		domain->next->prev = domain->prev;
}

/* ---- models ---- */

void sd__model_link(struct sd_pool *pool, struct sd__model *model)
{
	struct sd__domain *domain = model->domain;

	if (domain->models++ == 0 && domain->slots)
		unlink_orphan(pool, domain);
	model->prev = pool->last_model;
	*(model->prev ? &model->prev->next : &pool->first_model) = model;
	pool->last_model = model;
}

void sd__model_unlink(struct sd_pool *pool, struct sd__model *model)
{
	struct sd__domain *domain = model->domain;

	*(model->prev ? &model->prev->next : &pool->first_model) = model->next;
	*(model->next ? &model->next->prev : &pool->last_model) = model->prev;
	if (--domain->models == 0 && domain->slots)
		link_orphan(pool, domain);
	sd__domain_drop_if_unused(pool, domain);
	sd_slab_give(&pool->models, model);
}

/* ---- slots ---- */

static void link_idle(struct sd_pool *pool, struct sd__slot *slot)
{
	slot->prev = pool->last_idle;
	slot->next = NULL;
	*(slot->prev ? &slot->prev->next : &pool->first_idle) = slot;
	pool->last_idle = slot;
	pool->idle_count++;
	slot->bucket->idle_count++;
}

static void unlink_idle(struct sd_pool *pool, struct sd__slot *slot)
{
	*(slot->prev ? &slot->prev->next : &pool->first_idle) = slot->next;
	*(slot->next ? &slot->next->prev : &pool->last_idle) = slot->prev;
	pool->idle_count--;
	slot->bucket->idle_count--;
}

bool sd__flags_cost_stream(uint32_t flags)
{
	return !(flags & SD_STREAM_FORBIDDEN_DEFAULT);
}

struct sd__slot *sd__slot_make(struct sd_pool *pool, struct sd__bucket *bucket, int64_t task_count)
{
	struct sd__slot *slot = sd_slab_take(&pool->slots);

	slot->bucket = bucket;
	slot->task_count = task_count;
	bucket->slot_count++;
	bucket->domain->slots++;
	pool->streams += sd__flags_cost_stream(bucket->key.flags);
	pool->huge_streams += (bucket->key.flags & SD_STREAM_HUGE) != 0;
	pool->created++;
	sd_tree_insert(&bucket->slots, &slot->by_tasks);
	link_idle(pool, slot);
	return slot;
}

void sd__slot_drop(struct sd_pool *pool, struct sd__slot *slot)
{
	struct sd__bucket *bucket = slot->bucket;
	struct sd__domain *domain = bucket->domain;

	SD_REQUIRE(slot->tenant_count == 0);
	unlink_idle(pool, slot);
	if (!slot->is_broken)
		sd_tree_remove(&bucket->slots, &slot->by_tasks);
	pool->streams -= sd__flags_cost_stream(bucket->key.flags);
	pool->huge_streams -= (bucket->key.flags & SD_STREAM_HUGE) != 0;
	pool->destroyed += !slot->never_made;
	sd_slab_give(&pool->slots, slot);
	bucket->slot_count--;
	sd__bucket_drop_if_empty(pool, bucket);
	if (--domain->slots == 0 && domain->models == 0)
		unlink_orphan(pool, domain);
	sd__domain_drop_if_unused(pool, domain);
}

void sd__slot_break(struct sd__slot *slot)
{
	if (!slot->is_broken)
		sd_tree_remove(&slot->bucket->slots, &slot->by_tasks);
	slot->is_broken = true;
}

/* ---- leases ---- */

static void take_place(struct sd__slot *slot, int64_t task_count)
{
	struct sd_tree *tree = &slot->bucket->slots;

	if (task_count <= slot->task_count) {
		sd_tree_touch(tree, &slot->by_tasks);
		return;
	}
	sd_tree_remove(tree, &slot->by_tasks);
	slot->task_count = task_count;
	sd_tree_insert(tree, &slot->by_tasks);
}

struct sd__lease *sd__lease_make(struct sd_pool *pool, struct sd__model *model, struct sd__slot *slot, int64_t task_count)
{
	struct sd__lease *lease = sd_slab_take(&pool->leases), **link = hash_link(pool, model, slot);

	SD_REQUIRE(!*link);
	lease->slot = slot;
	lease->model = model;
	lease->task_count = task_count;
	*link = lease;
	lease->slot_next = slot->tenants;
	if (lease->slot_next)
		lease->slot_next->slot_prev = lease;
	slot->tenants = lease;
	lease->model_prev = model->last;
	*(model->last ? &model->last->model_next : &model->first) = lease;
	model->last = lease;
	model->lease_count++;
	if (slot->tenant_count++ == 0)
		unlink_idle(pool, slot);
	slot->tasks_held += task_count;
	take_place(slot, task_count);
	return lease;
}

void sd__lease_drop(struct sd_pool *pool, struct sd__lease *lease)
{
	struct sd__slot *slot = lease->slot;
	struct sd__model *model = lease->model;

	*hash_link(pool, model, slot) = lease->hash_next;
	*(lease->slot_prev ? &lease->slot_prev->slot_next : &slot->tenants) = lease->slot_next;
	if (lease->slot_next)
		lease->slot_next->slot_prev = lease->slot_prev;
	*(lease->model_prev ? &lease->model_prev->model_next : &model->first) = lease->model_next;
	*(lease->model_next ? &lease->model_next->model_prev : &model->last) = lease->model_prev;
	model->lease_count--;
	if (slot->maker == lease)
		slot->maker = NULL;
	slot->tasks_held -= lease->task_count;
	if (--slot->tenant_count == 0)
		link_idle(pool, slot);
	if (!slot->is_broken)
		sd_tree_touch(&slot->bucket->slots, &slot->by_tasks);
	sd_slab_give(&pool->leases, lease);
}
