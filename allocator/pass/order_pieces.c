/* order_pieces - the pieces of a lane keep its order.
 *
 * Rule   Two slots that follow each other on their lane, in any run, on different pieces, are
 *        ordered; not where a jump leads from the one to the other, nor where the one stands
 *        in a structured body and the other around it: there the body begins or ends on a piece in which
 *        fork_pieces has put a slot. What stands around lowered bodies is ordered before the slot from which they are jumped
 *        into, or behind their end label, and what stands in them before the jump that leaves them. Behind bodies a lane goes on from their ends on every
 *        piece, and from what stands in front of them if a way does not use it. The body of a structured loop goes on with its
 *        first slot on the piece on which the condition ended, so that this end stands behind all others. What stands in
 *        the head of a stream only, every piece knows from the node that starts it.
 *        Who waits for bodies waits for their ends on every piece; what is to wait at their
 *        beginning, waits on every piece on which they begin.
 * Why    Memory was laid out under the order of the lane.
 * Cost   O((slots + orders) * depth). */
#include "passes.h"

#include "sequence.h"
#include "split.h"
#include "ways.h"
#include "mutants.h"

/* What has been asked for already about an exit of lowered bodies. */
enum { ENTERED = 1, TURNED = 2, LEFT = 4, ENDED = 8 };

struct joiner {
	struct sd_job *job;
	bool *passed_by;           /* per slot behind bodies: some way through them does not use the lane */
	bool *live;                /* per slot: what launches, waits or tells something follows from it */
	uint8_t *asked;            /* per exit: ENTERED | TURNED | LEFT | ENDED */
	struct sd_order_list *out; /* at is NULL: they are counted */
};

static void put(struct joiner *j, struct sd_order_pair order)
{
	if (j->out->at)
		j->out->at[j->out->count] = order;
	j->out->count++;
}

/* Whether the slot in front is one that was put behind the same bodies, on another piece. */
static bool follows_double(const struct sd_slots *slots, uint32_t slot)
{
	return slot && slots->kind[slot] == SD_SLOT_JOIN && slots->kind[slot - 1] == SD_SLOT_JOIN &&
	       slots->node[slot - 1] == slots->node[slot] && slots->lane[slot - 1] == slots->lane[slot];
}

/* Whether something runs in every run on the lane from `slot` back to where its body begins. What is deeper has been looked at. */
static bool uses_lane(const struct joiner *j, uint32_t slot)
{
	const struct sd_slots *slots = &j->job->slots;
	uint32_t scope = slot == SD_NO_INDEX ? 0 : slots->scope[slot];

	for (; slot != SD_NO_INDEX && slots->scope[slot] == scope; slot = slots->before[slot]) {
		if (sd_slot_launches(slots, slot) || slots->kind[slot] == SD_SLOT_WAITS || (slots->kind[slot] == SD_SLOT_JOIN && !j->passed_by[slot]))
			return true;
	}
	return false;
}

/* Where some way through bodies does not use their lane. Inner bodies end in front of outer ones. */
static enum sd_status find_passed_by(struct joiner *j)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;

	j->passed_by = SD_NEW0(job->mem, bool, slots->count);
	SD_NEED(job, j->passed_by);
	for (uint32_t s = 0; s < slots->count; s++) {
		const struct sd_exit *exit = slots->kind[s] == SD_SLOT_JOIN ? sd_slots_exit(slots, s) : NULL;
		const struct sd_functional *fun = exit ? &job->scopes.functional[exit->functional] : NULL;

		for (uint32_t k = 0; exit && k < (fun->loop ? 1 : fun->body_count); k++)
			j->passed_by[s] |= !uses_lane(j, slots->tail.at[exit->first_tail + k]);
	}
	return SD_OK;
}

static void join(struct joiner *j, uint32_t from, uint32_t to);

static bool is_asked(const struct joiner *j, const struct sd_exit *exit, uint8_t what)
{
	uint8_t *asked = &j->asked[exit - j->job->slots.exit.at];
	bool before = *asked & what;

	*asked |= what;
	return before;
}

/* Where lowered bodies leave a lane other than that of their labels, the jump out of them waits. */
static void leave(struct joiner *j, const struct sd_exit *exit, uint32_t bodies, uint8_t what)
{
	const struct sd_job *job = j->job;
	const struct sd_functional *fun = &job->scopes.functional[exit->functional];

	if (is_asked(j, exit, what))
		return;
	for (uint32_t k = 0; k < bodies; k++) {
		uint32_t tail = job->slots.tail.at[exit->first_tail + k];

		if (tail != SD_NO_INDEX)
			join(j, tail, sd_way_jump(job, fun, k));
	}
}

/* From outside of the bodies in which `to` stands, or from the condition of the loop whose body it is: of lowered ones the
 * jump into them waits. */
static void enter(struct joiner *j, uint32_t from, uint32_t to)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;
	const struct sd_scope *inner = &job->scopes.at[slots->scope[to]], *outer = &job->scopes.at[slots->scope[from]];
	const struct sd_functional *fun = &job->scopes.functional[inner->functional];
	const struct sd_exit *exit;

	/* The head of a stream that a node in bodies starts stands in front of their fork. */
	if (outer->depth > inner->depth || fun->form != SD_FORM_LOWERED || SD_MUTANT(pieces_lowered_not_entered))
		return;
	exit = sd_slots_exit_on(slots, inner->functional, slots->lane[from]);
	if (outer->depth == inner->depth)
		leave(j, exit, 1, TURNED);
	else if (!is_asked(j, exit, ENTERED))
		join(j, slots->before[exit->slot], sd_way_in(job, fun));
}

/* Orders a slot behind lowered bodies behind their end label. Answers whether what stands in front of them is by that, too. */
static bool join_lowered(struct joiner *j, const struct sd_exit *exit, uint32_t to)
{
	const struct sd_job *job = j->job;
	const struct sd_functional *fun = &job->scopes.functional[exit->functional];
	uint32_t end = job->slots.sender[fun->end_node];

	if (SD_MUTANT(pieces_lowered_not_left))
		return false;
	leave(j, exit, fun->body_count, LEFT);
	if (job->slots.stream[end] != job->slots.stream[to])
		put(j, (struct sd_order_pair){ end, to, SD_CAUSE_SPLIT, SD_NO_INDEX });
	return j->asked[exit - job->slots.exit.at] & ENTERED;
}

/* Orders a slot behind the ends of bodies on other pieces. */
static void join_ends(struct joiner *j, uint32_t from, uint32_t to)
{
	const struct sd_slots *slots = &j->job->slots;

	for (uint32_t end = from;; end--) {
		if (slots->stream[end] != slots->stream[to])
			put(j, (struct sd_order_pair){ end, to, SD_CAUSE_SPLIT, SD_NO_INDEX });
		if (!follows_double(slots, end))
			return;
	}
}

/* The body of a structured loop goes on with `first` on the piece of a slot with which its condition ends, and that stands behind
 * all else of the condition. What the lane goes on with on other pieces stands behind `first`. */
static void turn(struct joiner *j, uint32_t end, uint32_t first, uint32_t to)
{
	const struct sd_slots *slots = &j->job->slots;
	const struct sd_exit *exit = slots->kind[end] == SD_SLOT_JOIN ? sd_slots_exit(slots, end) : NULL;

	if (slots->stream[first] != slots->stream[to] && !SD_MUTANT(pieces_turn_on_one))
		put(j, (struct sd_order_pair){ first, to, SD_CAUSE_SPLIT, SD_NO_INDEX });
	if (!exit || is_asked(j, exit, ENDED) || SD_MUTANT(pieces_turn_of_one_end))
		return;
	join_ends(j, end, end);
	if (j->passed_by[end])
		join(j, slots->before[end], end);
}

/* Orders a slot behind what it goes on from on other pieces of its lane. */
static void join(struct joiner *j, uint32_t from, uint32_t to)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;
	uint32_t first = to;

	for (; from != SD_NO_INDEX && slots->scope[from] == slots->scope[to]; from = slots->before[from]) {
		bool join = slots->kind[from] == SD_SLOT_JOIN;

		if (sd_slot_launches(slots, from) || slots->kind[from] == SD_SLOT_WAITS) {
			if (slots->stream[from] != slots->stream[to])
				put(j, (struct sd_order_pair){ from, to, SD_CAUSE_SPLIT, SD_NO_INDEX });
			return;
		}
		if (slots->kind[from] == SD_SLOT_EXIT && join_lowered(j, sd_slots_exit(slots, from), to))
			return;
		if (join)
			join_ends(j, from, to);
		if (join && (!j->passed_by[from] || SD_MUTANT(pieces_join_of_one_way)))
			return;
		first = from;
	}
	if (from != SD_NO_INDEX && sd_split_turn(job, first) == from)
		turn(j, from, first, to);
	else if (from != SD_NO_INDEX)
		enter(j, from, to);
}

/* Whether structured bodies begin on a stream, with a lane that their node forks. */
static bool begins_on(const struct sd_job *job, uint32_t functional, uint32_t lane, uint32_t stream)
{
	const struct sd_slots *slots = &job->slots;
	struct sd_exit_range own = slots->exits[functional];

	for (uint32_t i = own.first_entry; i < own.first_entry + own.entry_count; i++) {
		uint32_t entry = slots->entry.at[i];

		if (slots->lane[entry] != lane)
			continue;
		if (slots->kind[entry] != SD_SLOT_FORK ? slots->stream[entry] == stream :
		                                         begins_on(job, job->scopes.functional_of[slots->node[entry]], lane, stream))
			return true;
	}
	return false;
}

static bool begins_with(const struct sd_job *job, uint32_t slot)
{
	const struct sd_slots *slots = &job->slots;

	return begins_on(job, job->scopes.functional_of[slots->node[slot]], slots->lane[slot], slots->stream[slot]);
}

/* An order on one stream holds by itself. */
static void put_between(struct joiner *j, uint32_t from, uint32_t to, enum sd_cause cause, uint32_t need)
{
	if (j->job->slots.stream[from] != j->job->slots.stream[to])
		put(j, (struct sd_order_pair){ from, to, cause, need });
}

/* Asks for an order; one from bodies from each piece on which they may end. */
static void ask(struct joiner *j, const struct sd_order_pair *order, uint32_t to)
{
	const struct sd_slots *slots = &j->job->slots;
	uint32_t need = order->need;

	if (need == SD_NO_INDEX)
		put_between(j, order->from, to, order->cause, SD_NO_INDEX);
	for (; need != SD_NO_INDEX; need = slots->need.at[need].older) {
		uint32_t end = slots->need.at[need].slot;

		if (!sd_slots_exit(slots, end)) {
			put_between(j, end, to, order->cause, SD_NO_INDEX);
			return;
		}
		put_between(j, end, to, order->cause, need);
		for (; follows_double(slots, end) && !SD_MUTANT(pieces_ends_on_last); end--)
			put_between(j, end - 1, to, order->cause, need);
	}
}

/* What a slot in front of bodies, or behind that of a loop, was to wait for, its double on another piece must wait
 * for where bodies begin there. */
static void copy_orders(struct joiner *j, uint32_t of, uint32_t to)
{
	const struct sd_order_list *orders = &j->job->orders;
	uint32_t low = 0, high = orders->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (orders->at[middle].to < of)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < orders->count && orders->at[low].to == of; low++)
		ask(j, &orders->at[low], to);
}

/* Whether a slot behind the body of a loop is not the one that was there before the split. */
static bool is_double_again(const struct sd_slots *slots, uint32_t slot)
{
	return slots->kind[slot] == SD_SLOT_AGAIN && slot + 1 < slots->count && slots->kind[slot + 1] == SD_SLOT_AGAIN &&
	       slots->node[slot + 1] == slots->node[slot] && slots->lane[slot + 1] == slots->lane[slot];
}

/* Of its own lane the next turn waits for whichever piece this one ended on. */
static void copy_waits(struct joiner *j, uint32_t slot)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;
	const struct sd_exit *exit = sd_slots_exit_on(slots, job->scopes.functional_of[slots->node[slot]], slots->lane[slot]);
	uint32_t need = slots->told[exit->first_tail + 1];

	if (!begins_with(job, slot))
		return;
	if (slots->kind[slot] == SD_SLOT_FORK && exit->fork != SD_NO_INDEX && !SD_MUTANT(pieces_gate_forgotten))
		copy_orders(j, exit->fork, slot);
	if (slots->kind[slot] != SD_SLOT_AGAIN)
		return;
	if (is_double_again(slots, slot))
		copy_orders(j, exit->again, slot);
	if (need != SD_NO_INDEX)
		ask(j, &(struct sd_order_pair){ slots->need.at[need].slot, slot, SD_CAUSE_ORDER, need }, slot);
}

static bool is_double_fork(const struct sd_slots *slots, uint32_t slot)
{
	uint32_t before = slots->before[slot];

	return slots->kind[slot] == SD_SLOT_FORK && before != SD_NO_INDEX && slots->node[before] == slots->node[slot] &&
	       slots->lane[before] == slots->lane[slot];
}

/* With bodies, what was implied before the split may be so no longer: all orders are asked for again, but for what
 * bodies that begin on other pieces were to wait for. */
static void ask_all(struct joiner *j)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;

	for (uint32_t i = 0; i < job->orders.count; i++) {
		uint32_t to = job->orders.at[i].to;
		bool gate = slots->kind[to] == SD_SLOT_FORK || slots->kind[to] == SD_SLOT_AGAIN;

		if (!gate || begins_with(job, to))
			ask(j, &job->orders.at[i], to);
	}
}

/* Calls `list` twice: to count its orders, and to write them. */
static enum sd_status collect(struct joiner *j, void (*list)(struct joiner *), struct sd_order_list *out)
{
	j->out = out;
	*out = (struct sd_order_list){ 0, NULL };
	list(j);
	out->at = SD_NEW(j->job->mem, struct sd_order_pair, out->count);
	SD_NEED(j->job, out->at);
	out->count = 0;
	list(j);
	return SD_OK;
}

/* A lane that goes on in the body of a structured loop on another piece than that on which the condition ended cannot be kept in
 * order: the executor reads the result of a condition, which does not order all of it before the body. */
static enum sd_status check_loops(const struct sd_job *job)
{
	const struct sd_slots *slots = &job->slots;

	for (uint32_t s = 0; s < slots->count; s++) {
		uint32_t from = sd_slot_launches(slots, s) ? sd_split_turn(job, s) : SD_NO_INDEX;

		if (from != SD_NO_INDEX && slots->stream[from] != slots->stream[s] && !SD_MUTANT(pieces_loop_torn))
			return SD_FAIL1(job->diag, SD_CODE_LIMIT_LOOP, job->scopes.functional[job->scopes.at[slots->scope[s]].functional].node,
			                sd_arg_int(job->limits.max_tasks_per_stream));
	}
	return SD_OK;
}

/* Whether nothing stands in front of a slot, in some run, on its lane in the body in which it is. */
static bool begins_in_body(const struct joiner *j, uint32_t slot)
{
	const struct sd_slots *slots = &j->job->slots;
	uint32_t from = slots->before[slot];

	return from == SD_NO_INDEX || slots->scope[from] != slots->scope[slot] || !uses_lane(j, from);
}

/* A slot in front of bodies needs no order, unless they begin with it on its piece. What stands apart does not know its
 * lane, only its piece; the head of a stream is the first of both. */
static enum sd_status find_live(struct joiner *j)
{
	struct sd_job *job = j->job;
	struct sd_slots *slots = &job->slots;

	j->live = SD_NEW0(job->mem, bool, slots->count);
	slots->apart = SD_NEW0(job->mem, bool, slots->count);
	SD_NEED(job, j->live && slots->apart);
	for (uint32_t i = 0; i < job->syncs.count; i++)
		j->live[job->syncs.at[i].to] = true;
	for (uint32_t s = slots->count; s-- > 0;) {
		j->live[s] |= sd_slot_launches(slots, s) || slots->kind[s] == SD_SLOT_WAITS || slots->kind[s] == SD_SLOT_HEAD;
		slots->apart[s] = slots->kind[s] == SD_SLOT_AGAIN || slots->kind[s] == SD_SLOT_JOIN || !j->live[s] || is_double_fork(slots, s);
		/* The body of a loop that begins on several pieces does so behind its first slot, see turn(). */
		if (is_double_fork(slots, s) && sd_split_turn(job, slots->before[s]) != SD_NO_INDEX)
			j->live[slots->before[s]] |= j->live[s];
		else if (j->live[s] && slots->front[s] != SD_NO_INDEX && begins_in_body(j, s))
			j->live[slots->front[s]] = true;
	}
	return SD_OK;
}

static void join_all(struct joiner *j)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;

	memset(j->asked, 0, slots->exit.count * sizeof(*j->asked));
	for (uint32_t s = 0; s < slots->count; s++) {
		enum sd_label_role role;
		bool jumped = sd_way_label(job, s, &role) != NULL;

		if (is_double_fork(slots, s) || slots->kind[s] == SD_SLOT_AGAIN)
			copy_waits(j, s);
		if (j->live[s] && !jumped && (sd_slot_launches(slots, s) || (slots->kind[s] == SD_SLOT_WAITS && !SD_MUTANT(pieces_not_joined)) || slots->kind[s] == SD_SLOT_FORK))
			join(j, slots->before[s], s);
	}
}

/* Whether what has scope `outer` always runs when what has scope `inner` does: the body of a loop, behind its condition. */
static bool runs_with(const struct sd_scopes *scopes, uint32_t inner, uint32_t outer)
{
	const struct sd_scope *at = scopes->at;
	bool condition = at[outer].depth && at[outer].body == 0 && scopes->functional[at[outer].functional].loop;

	while (at[inner].depth > at[outer].depth)
		inner = at[inner].parent;
	return inner == outer || (condition && at[inner].depth == at[outer].depth && at[inner].functional == at[outer].functional);
}

/* The slot in front of another on its own piece that always runs with it: where that does not hold what is in front on the
 * lane, the last one there. */
static enum sd_status find_fronts(struct joiner *j)
{
	struct sd_job *job = j->job;
	struct sd_slots *slots = &job->slots;
	uint32_t *front = SD_NEW(job->mem, uint32_t, slots->count), *last = SD_NEW(job->mem, uint32_t, job->stream_count);

	SD_NEED(job, front && last);
	memset(last, 0xff, job->stream_count * sizeof(*last));
	for (uint32_t s = 0; s < slots->count; s++) {
		uint32_t before = slots->before[s], found = last[slots->stream[s]];

		while (found != SD_NO_INDEX && !SD_MUTANT(pieces_front_of_any_body) && !runs_with(&job->scopes, slots->scope[s], slots->scope[found]))
			found = front[found];
		front[s] = before == SD_NO_INDEX || slots->stream[before] == slots->stream[s] ? before : found;
		last[slots->stream[s]] = s;
	}
	slots->front = front;
	return SD_OK;
}

enum sd_status sd__pass_order_pieces(struct sd_job *job)
{
	struct joiner j = { .job = job };

	if (job->stream_count == job->slots.lane_count)
		return SD_OK;
	SD_TRY(find_fronts(&j));
	SD_TRY(find_passed_by(&j));
	if (job->scopes.functional_count)
		SD_TRY(collect(&j, ask_all, &job->syncs));
	SD_TRY(find_live(&j));
	SD_TRY(check_loops(job));
	j.asked = SD_NEW(job->mem, uint8_t, job->slots.exit.count);
	SD_NEED(job, j.asked);
	SD_TRY(collect(&j, join_all, &job->split_orders));
	return job->scopes.functional_count ? sd_job_sort_orders(job, &job->split_orders) : SD_OK;
}
