/* fork_pieces - bodies that were cut begin and end on each of their pieces.
 *
 * Rule   Where structured bodies use several pieces of a lane, their node has a slot in front of
 *        them on every piece that holds some of them, and one behind them; a loop has one
 *        more behind its body on each.
 * Why    A piece that begins in one body of a choice may go on with another, or behind the
 *        bodies; that must be ordered in every run, by syncs whose ends always run.
 * Example case {a1 a2 | b1}: with b1 on the piece that a2 begins, nothing but a slot in front of
 *        a2 could tell b1 that what stands before the bodies is done.
 * Cost   O(slots * depth), where anything was cut in structured bodies. */
#include "passes.h"
#include "mutants.h"

/* A slot to be inserted. */
struct extra {
	uint32_t at;         /* in front of this slot */
	uint32_t exit;       /* of which exit it is a double */
	uint32_t stream;
	enum sd_slot_kind kind; /* a fork, join or again */
};

struct forker {
	struct sd_job *job;
	SD_VEC(struct extra) forks, joins, agains;
	SD_VEC(uint32_t) piece;   /* of the lane being looked at, in order */
	uint32_t *next_on_lane;   /* per slot: the next one on its lane */
	uint32_t *moved;          /* per slot: its new number */
};

static void link_lanes(struct forker *f, uint32_t *last)
{
	const struct sd_slots *slots = &f->job->slots;

	memset(last, 0xff, slots->lane_count * sizeof(*last));
	for (uint32_t s = slots->count; s-- > 0;) {
		f->next_on_lane[s] = last[slots->lane[s]];
		last[slots->lane[s]] = s;
	}
}

static enum sd_status add_piece(struct forker *f, uint32_t stream)
{
	if (f->piece.count && f->piece.at[f->piece.count - 1] == stream)
		return SD_OK;
	if (!sd_vec_room(f->job->mem, &f->piece))
		SD_NEED(f->job, NULL);
	f->piece.at[f->piece.count++] = stream;
	return SD_OK;
}

static enum sd_status add_extra(struct forker *f, struct extra extra, enum sd_slot_kind kind)
{
	extra.kind = kind;
	if (kind == SD_SLOT_FORK ? !sd_vec_room(f->job->mem, &f->forks) : kind == SD_SLOT_JOIN ? !sd_vec_room(f->job->mem, &f->joins) :
	                                                                                        !sd_vec_room(f->job->mem, &f->agains))
		SD_NEED(f->job, NULL);
	if (kind == SD_SLOT_FORK)
		f->forks.at[f->forks.count++] = extra;
	else if (kind == SD_SLOT_JOIN)
		f->joins.at[f->joins.count++] = extra;
	else
		f->agains.at[f->agains.count++] = extra;
	return SD_OK;
}

/* Forks stand lane by lane: behind that of the lane, or in front of the next one that there is. */
static uint32_t fork_place(const struct sd_slots *slots, uint32_t number)
{
	struct sd_exit_range own = slots->exits[slots->exit.at[number].functional];

	if (slots->exit.at[number].fork != SD_NO_INDEX)
		return slots->exit.at[number].fork + 1;
	for (uint32_t i = number + 1; i < own.first + own.count; i++) {
		if (slots->exit.at[i].fork != SD_NO_INDEX)
			return slots->exit.at[i].fork;
	}
	return own.begin;
}

/* The pieces of one lane that hold something of the bodies. */
static enum sd_status double_exit(struct forker *f, uint32_t number)
{
	const struct sd_job *job = f->job;
	const struct sd_slots *slots = &job->slots;
	struct sd_exit exit = slots->exit.at[number];
	uint32_t entry = slots->before[exit.slot];

	f->piece.count = 0;
	/* In front of structured bodies stands their node, or a fork. */
	for (uint32_t s = f->next_on_lane[entry]; s != exit.slot; s = f->next_on_lane[s])
		SD_TRY(add_piece(f, slots->stream[s]));
	for (uint32_t i = 0; i < f->piece.count; i++) {
		struct extra extra = { fork_place(slots, number), number, f->piece.at[i], SD_SLOT_FORK };

		if (slots->stream[entry] != extra.stream)
			SD_TRY(add_extra(f, extra, SD_SLOT_FORK));
		extra.at = exit.again;
		if (exit.again != SD_NO_INDEX && !SD_MUTANT(fork_no_again) && slots->stream[exit.again] != extra.stream)
			SD_TRY(add_extra(f, extra, SD_SLOT_AGAIN));
		extra.at = exit.slot;
		if (slots->stream[exit.slot] != extra.stream && !SD_MUTANT(fork_no_join))
			SD_TRY(add_extra(f, extra, SD_SLOT_JOIN));
	}
	return SD_OK;
}

static enum sd_status double_exits(struct forker *f)
{
	const struct sd_job *job = f->job;

	for (uint32_t i = 0; i < job->scopes.functional_count; i++) {
		struct sd_exit_range range = job->slots.exits[i];

		for (uint32_t k = 0; job->scopes.functional[i].form == SD_FORM_STRUCTURED && k < range.count; k++)
			SD_TRY(double_exit(f, range.first + k));
	}
	return SD_OK;
}

/* Where each slot goes. Forks stand by functional node, outer ones first, and so do the places in front of which they go. */
static void move_slots(struct forker *f)
{
	uint32_t slots = f->job->slots.count, *more = f->moved;

	memset(more, 0, slots * sizeof(*more));
	for (uint32_t i = 0; i < f->forks.count; i++)
		more[f->forks.at[i].at]++;
	for (uint32_t i = 0; i < f->joins.count; i++)
		more[f->joins.at[i].at]++;
	for (uint32_t i = 0; i < f->agains.count; i++)
		more[f->agains.at[i].at]++;
	for (uint32_t s = 0, sum = 0; s < slots; s++) {
		sum += more[s];
		more[s] = s + sum;
	}
}

static uint32_t moved(const struct forker *f, uint32_t slot)
{
	return slot == SD_NO_INDEX ? SD_NO_INDEX : f->moved[slot];
}

static void move_all(const struct forker *f, uint32_t *slot, uint32_t count)
{
	for (uint32_t i = 0; slot && i < count; i++)
		slot[i] = moved(f, slot[i]);
}

static void move_orders(const struct forker *f, struct sd_order_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		list->at[i].from = moved(f, list->at[i].from);
		list->at[i].to = moved(f, list->at[i].to);
	}
}

/* References to slots that are kept elsewhere. */
static void move_references(struct forker *f)
{
	struct sd_job *job = f->job;
	struct sd_slots *slots = &job->slots;
	uint32_t nodes = job->graph->node_count;

	move_all(f, slots->of_node, nodes);
	move_all(f, slots->waits_at, nodes);
	move_all(f, slots->sender, SD_MUTANT(fork_stale_senders) ? 0 : nodes);
	move_all(f, slots->tail.at, slots->tail.count);
	for (uint32_t i = 0; i < job->starts.count; i++)
		job->starts.at[i].relay_slot = moved(f, job->starts.at[i].relay_slot);
	for (uint32_t i = 0; i < slots->exit.count; i++) {
		struct sd_exit *exit = &slots->exit.at[i];

		exit->slot = moved(f, exit->slot);
		exit->fork = moved(f, exit->fork);
		exit->again = moved(f, exit->again);
	}
	for (uint32_t i = 0; i < job->scopes.functional_count; i++)
		slots->exits[i].begin = slots->exits[i].count ? moved(f, slots->exits[i].begin) : 0;
	move_all(f, slots->entry.at, slots->entry.count);
	for (uint32_t i = 0; i < slots->need.count; i++)
		slots->need.at[i].slot = SD_MUTANT(fork_stale_needs) ? slots->need.at[i].slot : moved(f, slots->need.at[i].slot);
	move_orders(f, &job->syncs);
	move_orders(f, &job->orders);
}

/* Nobody asks what the bodies tell by way of an inserted slot. */
static enum sd_status keep_told(struct forker *f, uint32_t count)
{
	struct sd_slots *slots = &f->job->slots;
	uint32_t *told = SD_NEW(f->job->mem, uint32_t, slots->tail.count);

	SD_NEED(f->job, told);
	for (uint32_t i = 0; i < slots->tail.count; i++)
		told[i] = i < count ? slots->told[i] : SD_NO_INDEX;
	slots->told = told;
	return SD_OK;
}

/* The arrays by slot, with the slots at their new numbers. */
static enum sd_status spread(struct forker *f, uint32_t count)
{
	struct sd_job *job = f->job;
	struct sd_slots *slots = &job->slots, old = *slots;

	slots->count = count;
	slots->node = SD_NEW(job->mem, uint32_t, count);
	slots->lane = SD_NEW(job->mem, uint32_t, count);
	slots->scope = SD_NEW(job->mem, uint32_t, count);
	slots->kind = SD_NEW(job->mem, uint8_t, count);
	slots->before = SD_NEW(job->mem, uint32_t, count);
	slots->reach = SD_NEW(job->mem, uint32_t, count);
	slots->stream = SD_NEW(job->mem, uint32_t, count);
	slots->exit_of = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, slots->node && slots->lane && slots->scope && slots->kind && slots->before && slots->reach && slots->stream &&
	             slots->exit_of);
	for (uint32_t s = 0; s < old.count; s++) {
		uint32_t at = f->moved[s];

		slots->node[at] = old.node[s];
		slots->lane[at] = old.lane[s];
		slots->scope[at] = old.scope[s];
		slots->kind[at] = old.kind[s];
		slots->before[at] = moved(f, old.before[s]);
		slots->reach[at] = old.reach[s] ? f->moved[old.reach[s] - 1] + 1 : 0;
		slots->stream[at] = old.stream[s];
		slots->exit_of[at] = old.exit_of[s];
	}
	return SD_OK;
}

/* Writes an inserted slot at its number. */
static enum sd_status insert(struct forker *f, const struct extra *extra, uint32_t at)
{
	struct sd_job *job = f->job;
	struct sd_slots *slots = &job->slots;
	struct sd_exit exit = slots->exit.at[extra->exit];
	uint32_t bodies = job->scopes.functional[exit.functional].body_count;

	slots->node[at] = slots->node[exit.slot];
	slots->lane[at] = slots->lane[exit.slot];
	slots->scope[at] = slots->scope[extra->kind == SD_SLOT_AGAIN ? exit.again : exit.slot];
	slots->kind[at] = (uint8_t)extra->kind;
	slots->before[at] = slots->before[extra->kind == SD_SLOT_AGAIN ? exit.again : exit.slot];
	slots->reach[at] = sd_slot_reach(slots, slots->before[at]);
	slots->stream[at] = extra->stream;
	slots->exit_of[at] = SD_NO_INDEX;
	if (extra->kind != SD_SLOT_JOIN)
		return SD_OK;
	if (!sd_vec_room(job->mem, &slots->exit))
		SD_NEED(job, NULL);
	slots->exit_of[at] = slots->exit.count;
	slots->exit.at[slots->exit.count++] = (struct sd_exit){ at, exit.functional, slots->tail.count, SD_NO_INDEX, SD_NO_INDEX };
	for (uint32_t k = 0; k < bodies; k++) {
		if (!sd_vec_room(job->mem, &slots->tail))
			SD_NEED(job, NULL);
		slots->tail.at[slots->tail.count++] = SD_NO_INDEX;
	}
	return SD_OK;
}

/* The last slot of each body on the piece of an inserted join. What stands deeper has a join of its own there, in front. */
static void find_tails(struct forker *f, const struct sd_exit *exit)
{
	const struct sd_job *job = f->job;
	struct sd_slots *slots = &f->job->slots;
	uint32_t begin = slots->exits[exit->functional].begin, around = slots->scope[exit->slot];

	for (uint32_t s = exit->slot; s-- > begin;) {
		const struct sd_scope *scope = &job->scopes.at[slots->scope[s]];
		uint32_t *tail;

		if (slots->stream[s] != slots->stream[exit->slot] || scope->parent != around || scope->functional != exit->functional ||
		    slots->scope[s] == SD_SCOPE_ROOT)
			continue;
		tail = &slots->tail.at[exit->first_tail + scope->body];
		*tail = *tail == SD_NO_INDEX || SD_MUTANT(fork_first_tail) ? s : *tail;
		if (slots->reach[s] > slots->reach[exit->slot])
			slots->reach[exit->slot] = slots->reach[s];
	}
}

/* Inner joins stand in front of outer ones, and are done first. */
static void find_all_tails(struct forker *f, uint32_t first)
{
	struct sd_slots *slots = &f->job->slots;

	for (uint32_t s = 0; s < slots->count; s++) {
		if (slots->exit_of[s] != SD_NO_INDEX && slots->exit_of[s] >= first)
			find_tails(f, &slots->exit.at[slots->exit_of[s]]);
	}
}

/* Extras of one place stand together in front of it, forks behind joins: bodies end before others begin. */
static enum sd_status insert_all(struct forker *f, uint32_t *left)
{
	uint32_t slots = f->job->slots.count;

	memset(left, 0, slots * sizeof(*left));
	for (uint32_t i = f->forks.count; i-- > 0;)
		SD_TRY(insert(f, &f->forks.at[i], f->moved[f->forks.at[i].at] - ++left[f->forks.at[i].at]));
	for (uint32_t i = f->joins.count; i-- > 0;)
		SD_TRY(insert(f, &f->joins.at[i], f->moved[f->joins.at[i].at] - ++left[f->joins.at[i].at]));
	for (uint32_t i = f->agains.count; i-- > 0;)
		SD_TRY(insert(f, &f->agains.at[i], f->moved[f->agains.at[i].at] - ++left[f->agains.at[i].at]));
	return SD_OK;
}

enum sd_status sd__pass_fork_pieces(struct sd_job *job)
{
	struct forker f = { .job = job };
	uint32_t slots = job->slots.count, tails = job->slots.tail.count, exits = job->slots.exit.count, *scratch;

	if (!job->slots.exit.count || job->stream_count == job->slots.lane_count)
		return SD_OK;
	f.next_on_lane = SD_NEW(job->mem, uint32_t, slots);
	f.moved = SD_NEW(job->mem, uint32_t, slots);
	scratch = SD_NEW(job->mem, uint32_t, slots + job->slots.lane_count);
	SD_NEED(job, f.next_on_lane && f.moved && scratch);
	link_lanes(&f, scratch);
	SD_TRY(double_exits(&f));
	if (f.forks.count + f.joins.count + f.agains.count == 0)
		return SD_OK;
	move_slots(&f);
	SD_TRY(spread(&f, slots + f.forks.count + f.joins.count + f.agains.count));
	move_references(&f);
	scratch = SD_NEW(job->mem, uint32_t, job->slots.count);
	SD_NEED(job, scratch);
	SD_TRY(insert_all(&f, scratch));
	find_all_tails(&f, exits);
	return keep_told(&f, tails);
}
