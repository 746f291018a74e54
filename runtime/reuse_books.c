#include <stdlib.h>

#include "reuse_impl.h"

enum sd_status reuse_no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

static int by_id(sd_pool_id a, sd_pool_id b)
{
	return (a > b) - (a < b);
}

static int by_slot(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	return by_id(((const struct reuse_entry *)a)->slot, ((const struct reuse_entry *)b)->slot);
}

static int by_model(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	return by_id(((const struct reuse_model *)a)->id, ((const struct reuse_model *)b)->id);
}

static int by_lease(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	return by_id(((const struct reuse_lease *)a)->id, ((const struct reuse_lease *)b)->id);
}

struct reuse_entry *reuse_find_entry(struct sd_reuse *reuse, sd_pool_id slot)
{
	struct reuse_entry key = { .slot = slot };

	return (struct reuse_entry *)sd_tree_find(&reuse->entries, &key.node);
}

struct reuse_model *reuse_find_model(struct sd_reuse *reuse, sd_pool_id model)
{
	struct reuse_model key = { .id = model };

	return (struct reuse_model *)sd_tree_find(&reuse->models, &key.node);
}

struct reuse_lease *reuse_find_lease(struct sd_reuse *reuse, sd_pool_id lease)
{
	struct reuse_lease key = { .id = lease };

	return (struct reuse_lease *)sd_tree_find(&reuse->leases, &key.node);
}

void reuse_file_lease(struct sd_reuse *reuse, struct reuse_lease *lease)
{
	sd_tree_insert(&reuse->leases, &lease->node);
	lease->next_of_model = lease->model->leases;
	lease->model->leases = lease;
	lease->next_of_entry = lease->entry->leases;
	lease->entry->leases = lease;
}

void reuse_drop_lease(struct sd_reuse *reuse, struct reuse_lease *lease)
{
	struct reuse_lease **at = &lease->model->leases;

	while (*at != lease)
		at = &(*at)->next_of_model;
	*at = lease->next_of_model;
	at = &lease->entry->leases;
	while (*at != lease)
		at = &(*at)->next_of_entry;
	*at = lease->next_of_entry;
	sd_tree_remove(&reuse->leases, &lease->node);
	free(lease);
}

enum sd_status sd_reuse_create(struct sd_reuse **made, struct sd_device *device, const struct sd_pool_limits *limits, struct sd_diag *diag)
{
	struct sd_reuse *reuse = calloc(1, sizeof(*reuse));

	*made = NULL;
	if (!reuse)
		return reuse_no_memory(diag);
	if (limits && sd_pool_create(&reuse->pool, limits) != SD_OK) {
		free(reuse);
		return reuse_no_memory(diag);
	}
	reuse->device = device;
	reuse->entries.compare = by_slot;
	reuse->models.compare = by_model;
	reuse->leases.compare = by_lease;
	pthread_mutex_init(&reuse->lock, NULL);
	pthread_cond_init(&reuse->changed, NULL);
	*made = reuse;
	return SD_OK;
}

void sd_reuse_destroy(struct sd_reuse *reuse)
{
	struct sd_tree_node *node;

	if (!reuse)
		return;
	while ((node = sd_tree_first(&reuse->leases)))
		reuse_drop_lease(reuse, (struct reuse_lease *)node);
	while ((node = sd_tree_first(&reuse->models))) {
		sd_tree_remove(&reuse->models, node);
		free(node);
	}
	while ((node = sd_tree_first(&reuse->entries))) {
		reuse->device->ops->stream_destroy(reuse->device, ((struct reuse_entry *)node)->stream, true, NULL); /* else the device does, at its end */
		sd_tree_remove(&reuse->entries, node);
		free(node);
	}
	sd_pool_destroy(reuse->pool);
	pthread_cond_destroy(&reuse->changed);
	pthread_mutex_destroy(&reuse->lock);
	free(reuse);
}

enum sd_status sd_reuse_add_model(struct sd_reuse *reuse, struct sd_text domain, sd_pool_id *id, struct sd_diag *diag)
{
	struct reuse_model *model = calloc(1, sizeof(*model));
	enum sd_status status;
	uint32_t number;

	*id = 0;
	if (!model)
		return reuse_no_memory(diag);
	reuse_lock(reuse);
	status = sd_pool_domain(reuse->pool, domain, &number);
	if (status == SD_OK)
		status = sd_pool_add_model(reuse->pool, number, model, &model->id);
	if (status == SD_OK) {
		*id = model->id;
		sd_tree_insert(&reuse->models, &model->node);
	}
	reuse_unlock(reuse);
	if (status == SD_OK)
		return SD_OK;
	free(model);
	return reuse_no_memory(diag);
}

/* One slot that nobody holds is given up, or one stream that is left is tried again; 0: there is none. */
static sd_pool_id next_to_trim(struct sd_reuse *reuse, uint32_t keep, sd_pool_id *tried)
{
	sd_pool_id slot = 0;

	reuse_lock(reuse);
	if (!reuse->pool || sd_pool_trim(reuse->pool, keep, &slot, 1) == 0) {
		struct reuse_entry key = { .slot = *tried };
		struct sd_tree_node *node = sd_tree_above(&reuse->entries, &key.node);

		while (node && ((struct reuse_entry *)node)->state != REUSE_LEFT)
			node = sd_tree_above(&reuse->entries, node);
		slot = node ? ((struct reuse_entry *)node)->slot : 0;
		*tried = slot;
	}
	reuse_unlock(reuse);
	return slot;
}

uint32_t sd_reuse_trim(struct sd_reuse *reuse, uint32_t keep)
{
	sd_pool_id slot, tried = 0;
	uint32_t count = 0;

	while ((slot = next_to_trim(reuse, keep, &tried)))
		count += reuse_destroy_gone(reuse, slot, false, NULL) == SD_OK;
	return count;
}

void sd_reuse_stats(struct sd_reuse *reuse, struct sd_reuse_stats *stats)
{
	*stats = (struct sd_reuse_stats){ 0 };
	reuse_lock(reuse);
	if (reuse->pool)
		sd_pool_stats(reuse->pool, &stats->pool);
	stats->streams = reuse->entry_count;
	stats->streams_left = reuse->left_count;
	stats->create_failures = reuse->create_failures;
	reuse_unlock(reuse);
}
