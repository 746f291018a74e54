/* order_pieces - the pieces of a lane keep its order.
 *
 * Rule   Two slots that follow each other on their lane, in any run, on different pieces, are
 *        ordered; not where a jump leads from the one to the other, nor where the one stands
 *        in a body and the other around it: there the body begins or ends on a piece in which
 *        fork_pieces has put a slot. What stands in the head of a stream only, every piece
 *        knows from the node that starts it.
 * Why    Memory was laid out under the order of the lane.
 * Cost   O(slots * depth). */
#include "passes.h"

#include "sequence.h"
#include "ways.h"

struct joiner {
	struct sd_job *job;
	struct sd_order_list *out; /* at is NULL: they are counted */
	uint32_t *double_first;    /* per functional node + 1: into double_fork */
	uint32_t *double_fork;     /* inserted slots in front of bodies, in order */
};

static void join(struct joiner *j, uint32_t from, uint32_t to)
{
	const struct sd_slots *slots = &j->job->slots;

	if (from == SD_NO_INDEX || slots->stream[from] == slots->stream[to] || slots->scope[from] != slots->scope[to] ||
	    slots->kind[from] == SD_SLOT_HEAD)
		return;
	if (j->out->at)
		j->out->at[j->out->count] = (struct sd_order_pair){ from, to, SD_CAUSE_SPLIT };
	j->out->count++;
}

static bool is_double_fork(const struct sd_slots *slots, uint32_t slot)
{
	uint32_t before = slots->before[slot];

	return slots->kind[slot] == SD_SLOT_FORK && before != SD_NO_INDEX && slots->node[before] == slots->node[slot] &&
	       slots->lane[before] == slots->lane[slot];
}

/* Behind bodies the lane goes on from where each way left it: the pieces that they used one after the other, and
 * the one in front of them, if a way uses none. */
static void join_exit(struct joiner *j, uint32_t slot, const struct sd_exit *exit)
{
	const struct sd_slots *slots = &j->job->slots;
	struct sd_exit_range own = slots->exits[exit->functional];
	bool doubles = slot && slots->kind[slot] == SD_SLOT_JOIN && slots->kind[slot - 1] == SD_SLOT_JOIN &&
	               slots->node[slot - 1] == slots->node[slot] && slots->lane[slot - 1] == slots->lane[slot];

	if (exit >= slots->exit.at + own.first && exit < slots->exit.at + own.first + own.count)
		join(j, slots->before[slot], slot);
	if (doubles)
		join(j, slot - 1, slot);
}

static void join_all(struct joiner *j)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;
	uint32_t last_fork = SD_NO_INDEX;

	for (uint32_t s = 0; s < slots->count; s++) {
		const struct sd_exit *exit = sd_slots_exit(slots, s);
		enum sd_label_role role;
		bool jumped = sd_way_label(job, s, &role) != NULL;

		if (exit) {
			join_exit(j, s, exit);
		} else if (is_double_fork(slots, s)) {
			/* One after the other, behind the first one of the lane. */
			bool follows = last_fork == s - 1 && slots->node[last_fork] == slots->node[s] && slots->lane[last_fork] == slots->lane[s];

			join(j, follows ? last_fork : slots->before[s], s);
			last_fork = s;
		} else if (!jumped) {
			join(j, slots->before[s], s);
		}
	}
}

/* Inserted forks by functional node. */
static enum sd_status index_doubles(struct joiner *j)
{
	struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;
	uint32_t functionals = job->scopes.functional_count, count = 0;

	j->double_first = SD_NEW0(job->mem, uint32_t, functionals + 2u);
	SD_NEED(job, j->double_first);
	for (uint32_t s = 0; s < slots->count; s++) {
		if (is_double_fork(slots, s)) {
			j->double_first[job->scopes.functional_of[slots->node[s]] + 2]++;
			count++;
		}
	}
	j->double_fork = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, j->double_fork);
	for (uint32_t i = 0; i < functionals; i++)
		j->double_first[i + 2] += j->double_first[i + 1];
	for (uint32_t s = 0; s < slots->count; s++) {
		if (is_double_fork(slots, s))
			j->double_fork[j->double_first[job->scopes.functional_of[slots->node[s]] + 1]++] = s;
	}
	return SD_OK;
}

static uint32_t find_double(const struct joiner *j, uint32_t functional, uint32_t stream)
{
	for (uint32_t i = j->double_first[functional]; i < j->double_first[functional + 1]; i++) {
		if (j->job->slots.stream[j->double_fork[i]] == stream)
			return j->double_fork[i];
	}
	return SD_NO_INDEX;
}

/* The slot in front of another on its own piece: where that does not hold what is in front on the lane, the
 * slot that was put in front of the innermost bodies around. */
static uint32_t front_on_piece(const struct joiner *j, uint32_t slot)
{
	const struct sd_job *job = j->job;
	const struct sd_slots *slots = &job->slots;
	const struct sd_exit *exit = sd_slots_exit(slots, slot);
	uint32_t before = slots->before[slot], found = SD_NO_INDEX;

	if (before == SD_NO_INDEX || slots->stream[before] == slots->stream[slot])
		return before;
	if (exit)
		found = find_double(j, exit->functional, slots->stream[slot]);
	for (uint32_t scope = slots->scope[slot]; found == SD_NO_INDEX && scope != SD_SCOPE_ROOT; scope = job->scopes.at[scope].parent)
		found = find_double(j, job->scopes.at[scope].functional, slots->stream[slot]);
	return found;
}

static enum sd_status find_fronts(struct joiner *j)
{
	struct sd_job *job = j->job;
	struct sd_slots *slots = &job->slots;
	uint32_t *front = SD_NEW(job->mem, uint32_t, slots->count);

	SD_NEED(job, front);
	for (uint32_t s = 0; s < slots->count; s++)
		front[s] = front_on_piece(j, s);
	slots->front = front;
	return SD_OK;
}

enum sd_status sd__pass_order_pieces(struct sd_job *job)
{
	struct joiner j = { .job = job, .out = &job->split_orders };

	if (job->stream_count == job->slots.lane_count)
		return SD_OK;
	SD_TRY(index_doubles(&j));
	SD_TRY(find_fronts(&j));
	join_all(&j);
	job->split_orders.at = SD_NEW(job->mem, struct sd_order_pair, job->split_orders.count);
	SD_NEED(job, job->split_orders.at);
	job->split_orders.count = 0;
	join_all(&j);
	return SD_OK;
}
