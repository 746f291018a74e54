#include <stdlib.h>

#include "reuse_impl.h"

/* Under the lock. `id` is of the lease; the caller has no use for it after. */
static enum sd_status give_back(struct sd_reuse *reuse, sd_pool_id id, bool is_broken, sd_pool_id *gone, struct sd_diag *diag)
{
	struct reuse_lease *lease = reuse_find_lease(reuse, id);
	struct sd_pool_parting parting;
	enum sd_status status = sd_pool_release(reuse->pool, id, is_broken, &parting, diag);

	*gone = status == SD_OK && parting.is_gone ? parting.slot : 0;
	if (lease)
		reuse_drop_lease(reuse, lease);
	return status;
}

enum sd_status sd_reuse_release(struct sd_reuse *reuse, sd_pool_id lease, bool is_broken, struct sd_diag *diag)
{
	sd_pool_id gone;
	enum sd_status status;

	reuse_lock(reuse);
	status = give_back(reuse, lease, is_broken, &gone, diag);
	reuse_unlock(reuse);
	if (status != SD_OK)
		return status;
	return gone ? reuse_destroy_gone(reuse, gone, is_broken, diag) : SD_OK;
}

enum sd_status sd_reuse_unbound(struct sd_reuse *reuse, sd_pool_id id, struct sd_diag *diag)
{
	struct reuse_model *model;

	reuse_lock(reuse);
	model = reuse_find_model(reuse, id);
	if (model)
		model->is_bound = false;
	reuse_unlock(reuse);
	return model ? SD_OK : SD_FAIL1(diag, SD_CODE_POOL_NO_MODEL, SD_NO_NODE, sd_arg_int((int64_t)id));
}

static enum sd_status still_bound(const struct reuse_model *model, struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_STILL_BOUND, SD_NO_NODE, sd_arg_int((int64_t)model->id));
}

/* Under the lock: the slot is no more, and neither are the leases on it. */
static enum sd_status take_slot(struct sd_reuse *reuse, sd_pool_id model, sd_pool_id slot, bool force, struct sd_diag *diag)
{
	struct reuse_entry *entry = reuse_find_entry(reuse, slot);

	for (const struct reuse_lease *lease = entry ? entry->leases : NULL; lease; lease = lease->next_of_entry)
		if (lease->model->is_bound)
			return still_bound(lease->model, diag);
	SD_TRY(sd_pool_destroy_slot(reuse->pool, model, slot, force, diag));
	while (entry && entry->leases)
		reuse_drop_lease(reuse, entry->leases);
	return SD_OK;
}

enum sd_status sd_reuse_destroy_stream(struct sd_reuse *reuse, sd_pool_id model, sd_pool_id slot, bool force, struct sd_diag *diag)
{
	enum sd_status status;

	reuse_lock(reuse);
	status = take_slot(reuse, model, slot, force, diag);
	reuse_unlock(reuse);
	return status == SD_OK ? reuse_destroy_gone(reuse, slot, force, diag) : status;
}

/* The next lease to go, by role; the oldest first. */
static struct reuse_lease *next_lease(const struct reuse_model *model)
{
	struct reuse_lease *next = model->leases;

	for (struct reuse_lease *lease = next; lease; lease = lease->next_of_model)
		if (lease->role <= next->role)
			next = lease;
	return next;
}

static bool give_back_next(struct sd_reuse *reuse, struct reuse_model *model, struct sd_diag *diag)
{
	struct reuse_lease *lease;
	sd_pool_id gone = 0;
	bool by_force;

	reuse_lock(reuse);
	lease = next_lease(model);
	by_force = lease && lease->role == SD_REUSE_EXECUTION;
	if (lease)
		give_back(reuse, lease->id, false, &gone, diag);
	reuse_unlock(reuse);
	if (gone)
		reuse_destroy_gone(reuse, gone, by_force, diag);
	return lease;
}

enum sd_status sd_reuse_remove_model(struct sd_reuse *reuse, sd_pool_id id, struct sd_diag *diag)
{
	struct reuse_model *model;
	struct sd_diag told = { 0 };
	bool is_bound;

	reuse_lock(reuse);
	model = reuse_find_model(reuse, id);
	is_bound = model && model->is_bound;
	if (model && !is_bound)
		sd_tree_remove(&reuse->models, &model->node); /* nobody finds it any more */
	reuse_unlock(reuse);
	if (!model)
		return SD_FAIL1(diag, SD_CODE_POOL_NO_MODEL, SD_NO_NODE, sd_arg_int((int64_t)id));
	if (is_bound)
		return still_bound(model, diag);
	while (give_back_next(reuse, model, &told))
		;
	reuse_lock(reuse);
	sd_pool_remove_model(reuse->pool, id, NULL, NULL);
	reuse_unlock(reuse);
	free(model);
	if (told.code == SD_CODE_NONE)
		return SD_OK;
	if (diag && diag->code == SD_CODE_NONE)
		*diag = told;
	return sd_code_status(told.code);
}
