/* Leases, as a whole or not at all. The pool decides under the lock; the streams are made without
 * it; then the leases are filed, or all is given back. Whoever was granted a slot whose stream
 * another call failed to make gives it back as broken and asks again. */
#include <stdlib.h>

#include "reuse_impl.h"

#define TRIES 8

struct attempt {
	uint32_t count;              /* slots */
	struct sd_pool_grant *grant;
	struct reuse_lease **lease;
	sd_pool_id *gone;            /* slots whose streams are to go */
	uint32_t gone_count;
	bool *is_mine;               /* the stream was made by this call */
};

static void finish(struct attempt *a)
{
	for (uint32_t i = 0; a->lease && i < a->count; i++)
		free(a->lease[i]);
	free(a->lease);
	free(a->grant);
	free(a->gone);
	free(a->is_mine);
}

static bool begin(struct attempt *a, uint32_t count)
{
	size_t room = count ? count : 1;

	*a = (struct attempt){ .count = count, .grant = calloc(room, sizeof(*a->grant)), .lease = calloc(room, sizeof(struct reuse_lease *)),
		               .gone = calloc(room, sizeof(*a->gone)), .is_mine = calloc(room, sizeof(*a->is_mine)) };
	if (!a->grant || !a->lease || !a->gone || !a->is_mine)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		a->lease[i] = calloc(1, sizeof(**a->lease));
		if (!a->lease[i])
			return false;
	}
	return true;
}

static void destroy_gone(struct sd_reuse *reuse, struct attempt *a)
{
	for (uint32_t i = 0; i < a->gone_count; i++)
		reuse_destroy_gone(reuse, a->gone[i], false, NULL);
	a->gone_count = 0;
}

static enum sd_status ask_pool(struct sd_reuse *reuse, sd_pool_id model, const struct sd_pool_want *want, uint32_t want_count, struct attempt *a,
                               struct sd_pool_shortfall *shortfall, struct sd_diag *diag)
{
	struct reuse_model *known;
	enum sd_status status;
	uint32_t own;

	reuse_lock(reuse);
	known = reuse_find_model(reuse, model);
	a->gone_count = known ? sd_pool_make_room(reuse->pool, model, want, want_count, a->gone, a->count, &own) : 0;
	status = sd_pool_acquire(reuse->pool, model, want, want_count, 0, 0, a->grant, shortfall, diag);
	if (status == SD_OK)
		known->is_bound = true;
	reuse_unlock(reuse);
	destroy_gone(reuse, a);
	return status;
}

/* All that this attempt was granted goes back; what it made goes, unless another model came to share it. */
static void undo(struct sd_reuse *reuse, struct attempt *a)
{
	reuse_lock(reuse);
	for (uint32_t i = 0; i < a->count; i++) {
		struct reuse_entry *entry = reuse_find_entry(reuse, a->grant[i].slot);
		bool is_there = entry && entry->state == REUSE_LIVE;
		struct sd_pool_parting parting = { 0 };
		struct sd_pool_slot_facts facts;

		if (sd_pool_release(reuse->pool, a->grant[i].lease, !is_there, &parting, NULL) != SD_OK)
			parting.is_gone = sd_pool_describe(reuse->pool, a->grant[i].slot, &facts, NULL) != SD_OK; /* the model was removed meanwhile */
		if (!parting.is_gone && a->is_mine[i])
			parting.is_gone = sd_pool_destroy_slot(reuse->pool, 0, a->grant[i].slot, false, NULL) == SD_OK;
		if (parting.is_gone)
			a->gone[a->gone_count++] = a->grant[i].slot;
	}
	reuse_unlock(reuse);
	destroy_gone(reuse, a);
}

/* False: the model or a stream went meanwhile. */
static bool file_all(struct sd_reuse *reuse, sd_pool_id id, const enum sd_reuse_role *role, struct attempt *a)
{
	struct reuse_model *model;
	bool is_whole;

	reuse_lock(reuse);
	model = reuse_find_model(reuse, id);
	is_whole = model;
	for (uint32_t i = 0; i < a->count && is_whole; i++) {
		a->lease[i]->entry = reuse_find_entry(reuse, a->grant[i].slot);
		is_whole = a->lease[i]->entry && a->lease[i]->entry->state == REUSE_LIVE;
	}
	for (uint32_t i = 0; i < a->count && is_whole; i++) {
		struct reuse_lease *lease = a->lease[i];

		lease->id = a->grant[i].lease;
		lease->model = model;
		lease->role = role[a->grant[i].want];
		reuse_file_lease(reuse, lease);
		a->lease[i] = NULL;
	}
	reuse_unlock(reuse);
	return is_whole;
}

/* `again`: somebody else's failure; to ask once more may help. */
static enum sd_status try(struct sd_reuse *reuse, sd_pool_id model, const struct sd_pool_want *want, const enum sd_reuse_role *role, uint32_t want_count,
                          struct attempt *a, struct sd_reuse_stream *stream, struct sd_pool_shortfall *shortfall, bool *again, struct sd_diag *diag)
{
	uint32_t failed;
	enum sd_status status;

	*again = false;
	SD_TRY(ask_pool(reuse, model, want, want_count, a, shortfall, diag));
	status = reuse_fill(reuse, a->grant, a->count, stream, a->is_mine, &failed, again, diag);
	if (status == SD_OK && !file_all(reuse, model, role, a))
		status = SD_FAIL1(diag, SD_CODE_STREAM_UNMADE, SD_NO_NODE, sd_arg_int((int64_t)a->grant[0].slot));
	if (status != SD_OK)
		undo(reuse, a);
	return status;
}

enum sd_status sd_reuse_acquire(struct sd_reuse *reuse, sd_pool_id model, const struct sd_pool_want *want, const enum sd_reuse_role *role,
                                uint32_t want_count, struct sd_reuse_stream *stream, struct sd_pool_shortfall *shortfall, struct sd_diag *diag)
{
	struct sd_diag told = { 0 };
	enum sd_status status = SD_OK;
	uint32_t count = 0;
	bool again = true;

	for (uint32_t i = 0; i < want_count; i++)
		count += want[i].count;
	for (int tries = 0; again && tries < TRIES; tries++) {
		struct attempt a;

		told = (struct sd_diag){ 0 };
		again = false;
		if (begin(&a, count))
			status = try(reuse, model, want, role, want_count, &a, stream, shortfall, &again, &told);
		else
			status = reuse_no_memory(&told);
		finish(&a);
	}
	if (status != SD_OK && diag && diag->code == SD_CODE_NONE)
		*diag = told;
	return status;
}
