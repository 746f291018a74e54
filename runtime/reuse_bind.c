/* Streams in slots. Whoever first comes to a slot without a stream files an entry that says so and
 * asks the device; others wait for the outcome, after they have made all they were to make
 * themselves, so that no two calls wait for each other. */
#include <stdlib.h>

#include "reuse_impl.h"

static struct reuse_entry *new_entry(struct sd_reuse *reuse, sd_pool_id slot)
{
	struct reuse_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->slot = slot;
	entry->state = REUSE_CREATING;
	sd_tree_insert(&reuse->entries, &entry->node);
	reuse->entry_count++;
	return entry;
}

static void drop_entry(struct sd_reuse *reuse, struct reuse_entry *entry)
{
	sd_tree_remove(&reuse->entries, &entry->node);
	reuse->entry_count--;
	reuse->left_count -= entry->state == REUSE_LEFT;
	free(entry);
}

static void let_go(struct sd_reuse *reuse, struct reuse_entry *entry)
{
	if (--entry->users == 0 && entry->state == REUSE_FAILED)
		drop_entry(reuse, entry);
}

static enum sd_status ask_device(struct sd_reuse *reuse, const struct sd_pool_key *key, struct reuse_entry *entry, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = reuse->device->ops;
	struct sd_diag first = { 0 };
	sd_handle stream = SD_NO_HANDLE;
	int32_t rt_id = 0;
	enum sd_status status = ops->stream_create(reuse->device, key->priority, key->flags, &stream, &rt_id, &first);

	if (status == SD_RESOURCE_EXHAUSTED && sd_reuse_trim(reuse, 0) > 0) /* others on the device may have taken what the pool counts on */
		status = ops->stream_create(reuse->device, key->priority, key->flags, &stream, &rt_id, diag);
	else if (status != SD_OK && diag && diag->code == SD_CODE_NONE)
		*diag = first;
	reuse_lock(reuse);
	entry->stream = stream;
	entry->rt_id = rt_id;
	entry->state = status == SD_OK ? REUSE_LIVE : REUSE_FAILED;
	reuse->create_failures += status != SD_OK;
	pthread_cond_broadcast(&reuse->changed);
	reuse_unlock(reuse);
	return status;
}

/* An entry for each grant, held by this call; those without a stream are ours to fill. */
static bool find_all(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count, struct reuse_entry **entry, bool *is_mine)
{
	bool is_whole = true;

	reuse_lock(reuse);
	for (uint32_t i = 0; i < count && is_whole; i++) {
		entry[i] = reuse_find_entry(reuse, grant[i].slot);
		if (!entry[i]) {
			entry[i] = new_entry(reuse, grant[i].slot);
			is_mine[i] = entry[i];
		}
		is_whole = entry[i];
		if (is_whole)
			entry[i]->users++;
	}
	reuse_unlock(reuse);
	return is_whole;
}

/* After a failure: nobody waits for what is not made any more. */
static void give_up_rest(struct sd_reuse *reuse, uint32_t count, struct reuse_entry *const *entry, const bool *is_mine)
{
	reuse_lock(reuse);
	for (uint32_t i = 0; i < count; i++)
		if (is_mine[i] && entry[i]->state == REUSE_CREATING)
			entry[i]->state = REUSE_FAILED;
	pthread_cond_broadcast(&reuse->changed);
	reuse_unlock(reuse);
}

static enum sd_status make_mine(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count, struct reuse_entry *const *entry,
                                const bool *is_mine, uint32_t *failed, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < count; i++) {
		enum sd_status status = is_mine[i] ? ask_device(reuse, &grant[i].key, entry[i], diag) : SD_OK;

		if (status != SD_OK) {
			*failed = i;
			return status;
		}
	}
	return SD_OK;
}

/* Under the lock. Only streams that are there are handed out; the first that is not is told. */
static bool wait_for_others(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count, struct reuse_entry *const *entry,
                            const bool *is_mine, struct sd_reuse_stream *stream, uint32_t *failed)
{
	for (uint32_t i = 0; i < count; i++) {
		while (entry[i]->state == REUSE_CREATING)
			pthread_cond_wait(&reuse->changed, &reuse->lock);
		if (entry[i]->state != REUSE_LIVE) {
			*failed = i;
			return false;
		}
		stream[i] = (struct sd_reuse_stream){ .lease = grant[i].lease, .slot = grant[i].slot, .stream = entry[i]->stream, .rt_id = entry[i]->rt_id,
			                              .want = grant[i].want, .shared_with = grant[i].shared_with, .is_reused = !is_mine[i] };
	}
	return true;
}

enum sd_status reuse_fill(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count, struct sd_reuse_stream *stream,
                          bool *is_mine, uint32_t *failed, bool *is_other, struct sd_diag *diag)
{
	struct reuse_entry **entry = calloc(count ? count : 1, sizeof(struct reuse_entry *));
	enum sd_status status;

	*failed = 0;
	*is_other = false;
	if (!entry)
		return reuse_no_memory(diag);
	if (find_all(reuse, grant, count, entry, is_mine))
		status = make_mine(reuse, grant, count, entry, is_mine, failed, diag);
	else
		status = reuse_no_memory(diag);
	if (status != SD_OK)
		give_up_rest(reuse, count, entry, is_mine);
	reuse_lock(reuse);
	if (status == SD_OK && !wait_for_others(reuse, grant, count, entry, is_mine, stream, failed)) {
		*is_other = true;
		status = SD_FAIL1(diag, SD_CODE_STREAM_UNMADE, SD_NO_NODE, sd_arg_int((int64_t)grant[*failed].slot));
	}
	for (uint32_t i = 0; i < count; i++)
		if (entry[i])
			let_go(reuse, entry[i]);
	reuse_unlock(reuse);
	free(entry);
	return status;
}

/* The stream of an entry that this call took out of use. */
static enum sd_status destroy_going(struct sd_reuse *reuse, struct reuse_entry *entry, bool force, struct sd_diag *diag)
{
	enum sd_status status = reuse->device->ops->stream_destroy(reuse->device, entry->stream, force, diag);

	reuse_lock(reuse);
	if (status == SD_OK) {
		drop_entry(reuse, entry);
	} else {
		entry->state = REUSE_LEFT;
		reuse->left_count++;
	}
	reuse_unlock(reuse);
	return status;
}

enum sd_status reuse_destroy_gone(struct sd_reuse *reuse, sd_pool_id slot, bool force, struct sd_diag *diag)
{
	struct reuse_entry *entry;

	reuse_lock(reuse);
	entry = reuse_find_entry(reuse, slot);
	if (entry && entry->state != REUSE_LIVE && entry->state != REUSE_LEFT)
		entry = NULL; /* was not made, or another call is at it */
	if (entry) {
		reuse->left_count -= entry->state == REUSE_LEFT;
		entry->state = REUSE_GOING;
	}
	reuse_unlock(reuse);
	return entry ? destroy_going(reuse, entry, force, diag) : SD_OK;
}

enum sd_status sd_reuse_bind(struct sd_reuse *reuse, const struct sd_pool_grant *grant, uint32_t count,
                             struct sd_reuse_stream *stream, uint32_t *failed, struct sd_diag *diag)
{
	bool *is_mine = calloc(count ? count : 1, sizeof(*is_mine)), is_other;
	enum sd_status status;

	*failed = 0;
	if (!is_mine)
		return reuse_no_memory(diag);
	status = reuse_fill(reuse, grant, count, stream, is_mine, failed, &is_other, diag);
	for (uint32_t i = 0; status != SD_OK && i < count; i++)
		if (is_mine[i])
			reuse_destroy_gone(reuse, grant[i].slot, false, NULL);
	free(is_mine);
	return status;
}

enum sd_status sd_reuse_unbind(struct sd_reuse *reuse, sd_pool_id slot, bool force, struct sd_diag *diag)
{
	return reuse_destroy_gone(reuse, slot, force, diag);
}
