#include "base/check.h"
#include "pool_impl.h"
#include "streamd/device.h"

/* ---- is there enough ---- */

static uint64_t left_of(uint64_t limit, uint64_t taken)
{
	return limit > taken ? limit - taken : 0;
}

static enum sd_status short_of(struct sd_pool_shortfall *shortfall, struct sd_pool_shortfall found, bool for_ever, struct sd_diag *diag)
{
	static const struct {
		enum sd_code now, never;
	} code[SD_POOL_RESOURCES] = {
		[SD_POOL_STREAMS] = { SD_CODE_POOL_FEW_STREAMS, SD_CODE_POOL_NO_STREAMS },
		[SD_POOL_HUGE_STREAMS] = { SD_CODE_POOL_FEW_HUGE_STREAMS, SD_CODE_POOL_NO_HUGE_STREAMS },
		[SD_POOL_EVENTS] = { SD_CODE_POOL_FEW_EVENTS, SD_CODE_POOL_NO_EVENTS },
		[SD_POOL_NOTIFIES] = { SD_CODE_POOL_FEW_NOTIFIES, SD_CODE_POOL_NO_NOTIFIES },
	};

	if (shortfall)
		*shortfall = found;
	return SD_FAIL3(diag, for_ever ? code[found.resource].never : code[found.resource].now, SD_NO_NODE,
	                sd_arg_int((int64_t)found.needed), sd_arg_int((int64_t)found.available), sd_arg_int((int64_t)found.limit));
}

/* `asked` is what the whole of it must find room for, `needed` what is to be new. */
struct need {
	enum sd_pool_resource resource;
	uint64_t asked, needed, taken, limit;
};

static enum sd_status check_enough(const struct sd_pool *pool, const struct sd__choice *choice, uint32_t events, uint32_t notifies,
                                   struct sd_pool_shortfall *shortfall, struct sd_diag *diag)
{
	const struct sd_pool_limits *limits = &pool->limits;
	const struct need need[] = {
		{ SD_POOL_STREAMS, choice->streams, choice->new_streams, pool->streams,
		  limits->streams_max ? left_of(limits->streams_max, limits->streams_reserved) : UINT32_MAX },
		{ SD_POOL_HUGE_STREAMS, choice->huge, choice->new_huge, pool->huge_streams, limits->huge_streams_max ? limits->huge_streams_max : UINT32_MAX },
		{ SD_POOL_EVENTS, events, events, pool->events, limits->events_max ? limits->events_max : UINT32_MAX },
		{ SD_POOL_NOTIFIES, notifies, notifies, pool->notifies, limits->notifies_max ? limits->notifies_max : UINT32_MAX },
	};

	for (size_t i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		uint64_t available = left_of(need[i].limit, need[i].taken);

		if (need[i].needed > available)
			return short_of(shortfall, (struct sd_pool_shortfall){ need[i].resource, need[i].needed, available, need[i].limit },
			                need[i].asked > need[i].limit, diag);
	}
	return SD_OK;
}

/* ---- memory for all of it, before anything is changed ---- */

static enum sd_status no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("no memory is left"));
}

static void drop_empty_buckets(struct sd_pool *pool, const struct sd__model *model, const struct sd_pool_want *want, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct sd_pool_key key = sd__key_of(model, &want[i]);

		sd__bucket_drop_if_empty(pool, sd__bucket_find(pool, &key));
	}
}

static bool make_buckets(struct sd_pool *pool, struct sd__model *model, const struct sd_pool_want *want, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct sd_pool_key key = sd__key_of(model, &want[i]);

		if (want[i].count == 0 || sd__bucket_make(pool, &key, model->domain))
			continue;
		drop_empty_buckets(pool, model, want, i);
		return false;
	}
	return true;
}

static bool make_room(struct sd_pool *pool, struct sd__model *model, const struct sd_pool_want *want, uint32_t want_count,
                      const struct sd__choice *choice)
{
	return sd__pool_reserve(pool, choice->slots, choice->new_slots) && make_buckets(pool, model, want, want_count);
}

/* ---- taking ---- */

static void give(struct sd_pool *pool, struct sd__model *model, struct sd__slot *slot, const struct sd_pool_want *want,
                 struct sd_pool_grant *grant, bool is_new)
{
	struct sd__lease *lease = sd__lease_make(pool, model, slot, want->task_count);

	if (is_new)
		slot->maker = lease;
	*grant = (struct sd_pool_grant){
		.lease = sd_slab_id(&pool->leases, lease), .slot = sd_slab_id(&pool->slots, slot), .want = grant->want,
		.key = slot->bucket->key, .task_count = slot->task_count, .shared_with = slot->tenant_count - 1, .is_new = is_new,
	};
}

static struct sd_pool_grant *give_want(struct sd_pool *pool, struct sd__model *model, const struct sd_pool_want *want, uint32_t number,
                                       struct sd__choice *choice, struct sd_pool_grant *grant)
{
	struct sd_pool_key key = sd__key_of(model, want);
	struct sd__bucket *bucket = sd__bucket_find(pool, &key);
	uint32_t left = want->count;

	for (; choice->first && choice->first->want == number; left--, grant++) {
		struct sd__slot *slot = choice->first;

		choice->first = slot->next_chosen;
		slot->is_chosen = false;
		grant->want = number;
		give(pool, model, slot, want, grant, false);
		pool->reused++;
	}
	for (; left; left--, grant++) {
		grant->want = number;
		give(pool, model, sd__slot_make(pool, bucket, want->task_count), want, grant, true);
	}
	return grant;
}

static void give_all(struct sd_pool *pool, struct sd__model *model, const struct sd_pool_want *want, uint32_t want_count,
                     struct sd__choice *choice, struct sd_pool_grant *grant)
{
	for (uint32_t i = 0; i < want_count; i++)
		grant = give_want(pool, model, &want[i], i, choice, grant);
}

enum sd_status sd_pool_acquire(struct sd_pool *pool, sd_pool_id model_id, const struct sd_pool_want *want, uint32_t want_count,
                               uint32_t events, uint32_t notifies, struct sd_pool_grant *grant,
                               struct sd_pool_shortfall *shortfall, struct sd_diag *diag)
{
	struct sd__model *model;
	struct sd__choice choice;
	enum sd_status status;

	SD_TRY(sd__find_model(pool, model_id, &model, diag));
	SD_TRY(sd__choose(pool, model, want, want_count, &choice, diag));
	status = check_enough(pool, &choice, events, notifies, shortfall, diag);
	if (status == SD_OK && !make_room(pool, model, want, want_count, &choice))
		status = no_memory(diag);
	if (status != SD_OK) {
		sd__choice_undo(&choice);
		return status;
	}
	give_all(pool, model, want, want_count, &choice, grant);
	pool->events += events;
	model->events += events;
	pool->notifies += notifies;
	model->notifies += notifies;
	return SD_OK;
}

enum sd_status sd_pool_measure(const struct sd_pool *pool, sd_pool_id model_id, const struct sd_pool_want *want, uint32_t want_count,
                               uint32_t *slots, uint32_t *new_slots, struct sd_diag *diag)
{
	struct sd__model *model;
	struct sd__choice choice;

	SD_TRY(sd__find_model(pool, model_id, &model, diag));
	SD_TRY(sd__choose(pool, model, want, want_count, &choice, diag));
	sd__choice_undo(&choice);
	*slots = choice.slots < UINT32_MAX ? (uint32_t)choice.slots : UINT32_MAX;
	*new_slots = choice.new_slots < UINT32_MAX ? (uint32_t)choice.new_slots : UINT32_MAX;
	return SD_OK;
}
