#include "base/check.h"
#include "pool_impl.h"
#include "streamd/device.h"

/* ---- leases ---- */

/* Gives one back; the slot goes with its last tenant when it is broken or idle ones are not kept. */
static struct sd_pool_parting part(struct sd_pool *pool, struct sd__lease *lease, bool is_broken)
{
	struct sd__slot *slot = lease->slot;
	struct sd_pool_parting parting = { .slot = sd_slab_id(&pool->slots, slot) };

	if (is_broken && slot->maker == lease) {
		slot->never_made = true;
		pool->created--;
	}
	if (is_broken)
		sd__slot_break(slot);
	sd__lease_drop(pool, lease);
	parting.is_gone = slot->tenant_count == 0 && (slot->is_broken || !pool->limits.keeps_idle);
	if (parting.is_gone)
		sd__slot_drop(pool, slot);
	return parting;
}

enum sd_status sd_pool_release(struct sd_pool *pool, sd_pool_id id, bool is_broken, struct sd_pool_parting *parting, struct sd_diag *diag)
{
	bool was_live;
	struct sd__lease *lease = sd_slab_find(&pool->leases, id, &was_live);

	if (!lease)
		return SD_FAIL1(diag, was_live ? SD_CODE_POOL_RELEASED : SD_CODE_POOL_NO_LEASE, SD_NO_NODE, sd_arg_int((int64_t)id));
	*parting = part(pool, lease, is_broken);
	return SD_OK;
}

enum sd_status sd_pool_remove_model(struct sd_pool *pool, sd_pool_id id,
                                    void (*parted)(void *arg, sd_pool_id lease, const struct sd_pool_parting *parting), void *arg)
{
	struct sd__model *model;

	SD_TRY(sd__find_model(pool, id, &model, NULL));
	while (model->first) {
		sd_pool_id lease = sd_slab_id(&pool->leases, model->first);
		struct sd_pool_parting parting = part(pool, model->first, false);

		if (parted)
			parted(arg, lease, &parting);
	}
	pool->events -= model->events;
	pool->notifies -= model->notifies;
	sd__model_unlink(pool, model);
	return SD_OK;
}

/* ---- slots ---- */

enum sd_status sd_pool_destroy_slot(struct sd_pool *pool, sd_pool_id model_id, sd_pool_id id, bool force, struct sd_diag *diag)
{
	bool was_live, model_was_live;
	struct sd__slot *slot = sd_slab_find(&pool->slots, id, &was_live);
	struct sd__model *model = sd_slab_find(&pool->models, model_id, &model_was_live);
	uint32_t others;

	if (id == 0)
		return SD_FAIL3(diag, SD_CODE_BAD_VALUE, SD_NO_NODE, sd_arg_words("slot"), sd_arg_words("0"), sd_arg_words("a slot"));
	if (!slot && !was_live)
		return SD_FAIL1(diag, SD_CODE_POOL_NO_SLOT, SD_NO_NODE, sd_arg_int((int64_t)id));
	if (!slot)
		return SD_OK;
	others = slot->tenant_count - (model && sd__pool_holds(pool, model, slot));
	if (others && !force)
		return SD_FAIL2(diag, SD_CODE_POOL_BUSY, SD_NO_NODE, sd_arg_int((int64_t)id), sd_arg_int(others));
	while (slot->tenants)
		sd__lease_drop(pool, slot->tenants);
	sd__slot_drop(pool, slot);
	return SD_OK;
}

static void give_up(struct sd_pool *pool, struct sd__slot *slot, sd_pool_id *gone, uint32_t *count)
{
	gone[(*count)++] = sd_slab_id(&pool->slots, slot);
	sd__slot_drop(pool, slot);
}

uint32_t sd_pool_trim(struct sd_pool *pool, uint32_t keep, sd_pool_id *gone, uint32_t most)
{
	uint32_t count = 0;

	while (count < most && pool->idle_count > keep)
		give_up(pool, pool->first_idle, gone, &count);
	return count;
}

/* ---- idle slots that make room ---- */

static struct sd__bucket *next_bucket(const struct sd_pool *pool, struct sd_pool_key above)
{
	struct sd__bucket like = { .key = above };
	struct sd_tree_node *node = sd_tree_above(&pool->buckets, &like.by_key);

	return node ? SD_TREE_OF(node, struct sd__bucket, by_key) : NULL;
}

/* An idle slot of the bucket; one that is chosen counts as closed. */
static struct sd__slot *find_idle(const struct sd__bucket *bucket)
{
	struct sd_tree_node *node = bucket->slots.root;

	if (!node || SD__SLOT_OF(node)->least_load != SD__LOAD_IDLE)
		return NULL;
	while (sd__slot_load(SD__SLOT_OF(node)) != SD__LOAD_IDLE) {
		struct sd_tree_node *left = node->child[0];

		node = left && SD__SLOT_OF(left)->least_load == SD__LOAD_IDLE ? left : node->child[1];
	}
	return SD__SLOT_OF(node);
}

/* What is still to be given up: so many huge ones, and so many more of any kind that costs a stream. */
struct room {
	uint64_t huge, others;
	bool is_all; /* no matter how many, whatever they cost */
	sd_pool_id *gone;
	uint32_t most, count;
};

static bool is_wanted(const struct sd__bucket *bucket, const struct room *room)
{
	if (room->count == room->most)
		return false;
	if (room->is_all)
		return true;
	return sd__flags_cost_stream(bucket->key.flags) && (room->others || (room->huge && (bucket->key.flags & SD_STREAM_HUGE)));
}

static void empty_bucket(struct sd_pool *pool, struct sd__bucket *bucket, struct room *room)
{
	bool is_huge = bucket->key.flags & SD_STREAM_HUGE, is_last = false;
	struct sd__slot *slot;

	/* The bucket goes with its last slot. */
	while (!is_last && is_wanted(bucket, room) && (slot = find_idle(bucket))) {
		is_last = bucket->slot_count == 1;
		give_up(pool, slot, room->gone, &room->count);
		if (is_huge && room->huge)
			room->huge--;
		else if (room->others)
			room->others--;
	}
}

static void empty_domain(struct sd_pool *pool, uint32_t number, struct room *room)
{
	struct sd__bucket *bucket = next_bucket(pool, (struct sd_pool_key){ .domain = number, .priority = -1 }), *next;

	for (; bucket && bucket->key.domain == number; bucket = next) {
		next = next_bucket(pool, bucket->key);
		empty_bucket(pool, bucket, room);
	}
}

uint32_t sd_pool_trim_domain(struct sd_pool *pool, uint32_t number, sd_pool_id *gone, uint32_t most)
{
	struct room room = { .is_all = true, .gone = gone, .most = most };

	empty_domain(pool, number, &room);
	return room.count;
}

struct idle {
	uint64_t streams, huge; /* huge ones count among the streams too */
};

static void count_domain(const struct sd_pool *pool, uint32_t number, struct idle *idle)
{
	struct sd__bucket *bucket = next_bucket(pool, (struct sd_pool_key){ .domain = number, .priority = -1 });

	for (; bucket && bucket->key.domain == number; bucket = next_bucket(pool, bucket->key)) {
		idle->streams += sd__flags_cost_stream(bucket->key.flags) ? bucket->idle_count : 0;
		idle->huge += bucket->key.flags & SD_STREAM_HUGE ? bucket->idle_count : 0;
	}
}

/* Idle slots that may make room for the model, those that it would be given not counted. */
static struct idle count_idle(const struct sd_pool *pool, const struct sd__model *model, const struct sd__choice *choice)
{
	struct idle idle = { 0 };

	count_domain(pool, sd__domain_number(model->domain), &idle);
	for (const struct sd__domain *domain = pool->first_orphan; domain; domain = domain->next)
		count_domain(pool, sd__domain_number(domain), &idle);
	for (const struct sd__slot *slot = choice->first; slot; slot = slot->next_chosen) {
		bool is_idle = slot->tenant_count == 0;

		idle.streams -= is_idle && sd__flags_cost_stream(slot->bucket->key.flags);
		idle.huge -= is_idle && (slot->bucket->key.flags & SD_STREAM_HUGE);
	}
	return idle;
}

static uint64_t missing(uint64_t needed, uint64_t taken, uint64_t limit)
{
	uint64_t left = limit > taken ? limit - taken : 0;

	return limit && needed > left ? needed - left : 0;
}

static struct room room_for(const struct sd_pool *pool, const struct sd__choice *choice)
{
	const struct sd_pool_limits *limits = &pool->limits;
	uint64_t streams = limits->streams_max > limits->streams_reserved ? limits->streams_max - limits->streams_reserved : 0, all;
	struct room room = { .huge = missing(choice->new_huge, pool->huge_streams, limits->huge_streams_max) };

	all = streams ? missing(choice->new_streams, pool->streams, streams) : 0;
	room.others = all > room.huge ? all - room.huge : 0;
	return room;
}

uint32_t sd_pool_make_room(struct sd_pool *pool, sd_pool_id model_id, const struct sd_pool_want *want, uint32_t want_count,
                           sd_pool_id *gone, uint32_t most, uint32_t *own)
{
	struct sd__model *model;
	struct sd__choice choice;
	struct room room;
	struct idle idle;

	*own = 0;
	if (sd__find_model(pool, model_id, &model, NULL) != SD_OK || sd__choose(pool, model, want, want_count, &choice, NULL) != SD_OK)
		return 0;
	room = room_for(pool, &choice);
	room.gone = gone;
	room.most = most;
	idle = count_idle(pool, model, &choice);
	if (room.huge <= idle.huge && room.huge + room.others <= idle.streams && room.huge + room.others <= most) {
		sd__choice_show(&choice);
		empty_domain(pool, sd__domain_number(model->domain), &room);
		*own = room.count;
		for (struct sd__domain *domain = pool->first_orphan, *next; domain; domain = next) {
			next = domain->next;
			empty_domain(pool, sd__domain_number(domain), &room);
		}
	}
	sd__choice_undo(&choice);
	return room.count;
}
