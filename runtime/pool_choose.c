/* The rule of pool.h: which slots a model would be given, and how many new ones.
 *
 * Why a choice and no taking: an acquire is all or nothing. Nothing is changed before it is known
 * to succeed, so there is nothing to undo but marks.
 *
 * The marks: a chosen slot counts as closed, and the trees know it; a second want passes over it
 * as it passes over full ones. */
#include "base/check.h"
#include "pool_impl.h"
#include "streamd/device.h"
#include "streamd/stream_flags.h"

struct search {
	const struct sd_pool *pool;
	const struct sd__model *model;
	int64_t load_max; /* of a slot that still has room */
};

/* A place in the order of a tree, between slots or at one. */
struct place {
	int64_t task_count, number;
};

static bool is_above(const struct sd__slot *slot, struct place place)
{
	return slot->task_count != place.task_count ? slot->task_count > place.task_count
	                                            : (int64_t)slot->item.index > place.number;
}

static bool is_below(const struct sd__slot *slot, struct place place)
{
	return slot->task_count != place.task_count ? slot->task_count < place.task_count
	                                            : (int64_t)slot->item.index < place.number;
}

/* The candidate next to `place`, on `side` of it (0: below, 1: above), of a subtree. */
static struct sd__slot *next_to(const struct search *search, struct sd_tree_node *node, struct place place, int side)
{
	struct sd__slot *slot = node ? SD__SLOT_OF(node) : NULL, *found;

	if (!slot || slot->least_load > search->load_max)
		return NULL;
	if (!(side ? is_above(slot, place) : is_below(slot, place)))
		return next_to(search, node->child[side], place, side);
	found = next_to(search, node->child[!side], place, side);
	if (found)
		return found;
	if (sd__slot_load(slot) <= search->load_max && !sd__pool_holds(search->pool, search->model, slot))
		return slot;
	return next_to(search, node->child[side], place, side);
}

/* The two nearest candidates around the asked task count. Both only move outward. */
struct pair {
	const struct search *search;
	struct sd__bucket *bucket;
	int64_t asked;
	struct sd__slot *below, *above; /* NULL: none is left */
	uint32_t left; /* slots still to be chosen */
};

static struct sd__slot *next_above(const struct pair *pair, struct place from)
{
	return next_to(pair->search, pair->bucket->slots.root, from, 1);
}

/* Downward in task count, but upward in number among those of equal count. */
static struct sd__slot *next_below(const struct pair *pair, struct place from, bool is_first)
{
	struct sd__slot *slot = is_first ? NULL : next_above(pair, from);

	if (slot && slot->task_count == from.task_count)
		return slot;
	slot = next_to(pair->search, pair->bucket->slots.root, (struct place){ from.task_count, -1 }, 0);
	return slot ? next_above(pair, (struct place){ slot->task_count, -1 }) : NULL;
}

static void begin(struct pair *pair)
{
	struct place at = { pair->asked, -1 };

	pair->above = next_above(pair, at);
	pair->below = next_below(pair, at, true);
}

/* The trees are told of the mark, and the next ones looked for, only where somebody looks again. */
static struct sd__slot *take_nearest(struct pair *pair, bool is_last_want)
{
	struct sd__slot *above = pair->above, *below = pair->below, *nearest;
	bool is_upper = above && (!below || above->task_count - pair->asked <= pair->asked - below->task_count);

	nearest = is_upper ? above : below;
	if (!nearest)
		return NULL;
	nearest->is_chosen = true;
	if (--pair->left == 0 && is_last_want)
		return nearest;
	sd_tree_touch(&pair->bucket->slots, &nearest->by_tasks);
	if (pair->left == 0)
		return nearest;
	if (is_upper)
		pair->above = next_above(pair, (struct place){ nearest->task_count, nearest->item.index });
	else
		pair->below = next_below(pair, (struct place){ nearest->task_count, nearest->item.index }, false);
	return nearest;
}

/* ---- wants ---- */

struct sd_pool_key sd__key_of(const struct sd__model *model, const struct sd_pool_want *want)
{
	return (struct sd_pool_key){ sd__domain_number(model->domain), sd_stream_priority_clamp(want->priority), want->flags };
}

/* Tasks that a stream with these flags takes. */
static int64_t tasks_max(const struct sd_pool_limits *limits, uint32_t flags)
{
	int64_t most = flags & SD_STREAM_HUGE ? limits->huge_tasks_max : limits->tasks_max;

	if (limits->unlimited_depth && (flags & SD_STREAM_PERSISTENT) && !(flags & SD_STREAM_AICPU))
		most = 0;
	return most;
}

static enum sd_status check_want(const struct sd_pool *pool, const struct sd_pool_want *want, struct sd_diag *diag)
{
	int64_t most = tasks_max(&pool->limits, want->flags);

	SD_TRY(sd_stream_flags_check(want->flags, pool->limits.has_huge, diag));
	most = most ? most : SD__TASKS_MAX;
	if (want->task_count < 0 || want->task_count > most)
		return SD_FAIL3(diag, SD_CODE_POOL_TASKS, SD_NO_NODE, sd_arg_int(want->task_count), sd_arg_int(want->flags), sd_arg_int(most));
	return SD_OK;
}

static int64_t load_max(const struct sd_pool_limits *limits, const struct sd_pool_want *want)
{
	int64_t most = tasks_max(limits, want->flags);

	if (limits->mode == SD_POOL_EXCLUSIVE)
		return SD__LOAD_IDLE;
	return most ? most - want->task_count : SD__LOAD_CLOSED - 1;
}

static void choose_for(struct search *search, const struct sd_pool_want *want, uint32_t number, bool is_last_want, struct sd__choice *choice)
{
	struct sd_pool_key key = sd__key_of(search->model, want);
	struct pair pair = { .search = search, .asked = want->task_count, .bucket = sd__bucket_find(search->pool, &key), .left = want->count };
	struct sd__slot *slot = NULL;

	search->load_max = load_max(&search->pool->limits, want);
	if (pair.bucket && pair.left)
		begin(&pair);
	while (pair.bucket && pair.left && (slot = take_nearest(&pair, is_last_want))) {
		slot->want = number;
		slot->next_chosen = NULL;
		*(choice->last ? &choice->last->next_chosen : &choice->first) = slot;
		choice->last = slot;
		choice->reused++;
	}
	choice->slots += want->count;
	choice->streams += sd__flags_cost_stream(want->flags) ? want->count : 0;
	choice->huge += want->flags & SD_STREAM_HUGE ? want->count : 0;
	choice->new_slots += pair.left;
	choice->new_streams += sd__flags_cost_stream(want->flags) ? pair.left : 0;
	choice->new_huge += want->flags & SD_STREAM_HUGE ? pair.left : 0;
}

enum sd_status sd__choose(const struct sd_pool *pool, const struct sd__model *model, const struct sd_pool_want *want,
                          uint32_t want_count, struct sd__choice *choice, struct sd_diag *diag)
{
	struct search search = { .pool = pool, .model = model };

	*choice = (struct sd__choice){ 0 };
	for (uint32_t i = 0; i < want_count; i++)
		SD_TRY(check_want(pool, &want[i], diag));
	for (uint32_t i = 0; i < want_count; i++)
		choose_for(&search, &want[i], i, i + 1 == want_count, choice);
	return SD_OK;
}

void sd__choice_show(const struct sd__choice *choice)
{
	if (choice->last)
		sd_tree_touch(&choice->last->bucket->slots, &choice->last->by_tasks);
}

void sd__choice_undo(struct sd__choice *choice)
{
	for (struct sd__slot *slot = choice->first; slot; slot = slot->next_chosen) {
		slot->is_chosen = false;
		sd_tree_touch(&slot->bucket->slots, &slot->by_tasks);
	}
}
