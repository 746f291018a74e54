/* share_events - in a very large plan, events that take turns share a number.
 *
 * Rule   `_event_multiplexing` lists "SendTo;NODE;NUMBER" (the event from here to that node) and
 *        "RecvFrom;NODE;NUMBER" (the one from there): events with the same NUMBER share one,
 *        where the plan has more than 65,500 events. Each must be waited for before the next
 *        one is recorded; from where the plan does not say so they have another number, and a
 *        warning tells it. Of two items about one event the last RecvFrom counts, then the last
 *        SendTo. An item about nodes between which there is no event says nothing.
 * Why    A front end that reuses buffers knows which copies wait for each other, and a device has
 *        65,536 events. A number that is recorded twice before it is waited for would let a
 *        wait pass too early. With bodies numbers are left alone: their gears share some already.
 * Example p1 -> c1 and p2 -> c2 with number 0, p2 behind c1: both events are the same.
 * Differs Graph Engine believes what it is told. Malformed items are errors at any size here; with
 *        compat ge, only above the threshold.
 * Cost   O(nodes + syncs), with items also O(nodes * log nodes + items * log syncs) and one
 *        reduction (reduce.c). */
#include "passes.h"

#include "base/merge.h"
#include "clock.h"
#include "decimal.h"
#include "reduce.h"
#include "mutants.h"

#define SHARED_ABOVE 65500u /* events; Graph Engine's threshold */
#define NO_TURN (-1)

struct sharer {
	struct sd_job *job;
	uint32_t *by_name;  /* nodes in order of their names; NULL: not needed yet */
	int32_t *number;    /* per sync: the declared one; NO_TURN: none */
	uint32_t *member;   /* syncs with a number, by number, then in the order of their records */
	uint32_t member_count;
	bool *apart;        /* per member: does not take turns with the one before it */
};

struct item {
	bool sends;
	uint32_t peer;
	int32_t number;
};

static const struct sd_list *items_of(const struct sd_graph *g, uint32_t node)
{
	const struct sd_value *value = sd_graph_has(g, node, SD_ATTR_EVENT_MULTIPLEXING) ? sd_graph_attr(g, node, SD_ATTR_EVENT_MULTIPLEXING) : NULL;

	return value && value->kind == SD_VALUE_LIST && value->list.item == SD_VALUE_STRING && value->list.count ? &value->list : NULL;
}

/* ---- reading ---- */

static enum sd_status sort_names(struct sharer *s)
{
	struct sd_job *job = s->job;
	const uint32_t *rank = sd_text_ranks(job->mem, job->graph->name, job->graph->node_count);

	s->by_name = SD_NEW(job->mem, uint32_t, job->graph->node_count);
	SD_NEED(job, rank && s->by_name);
	for (uint32_t n = 0; n < job->graph->node_count; n++)
		s->by_name[rank[n]] = n;
	return SD_OK;
}

/* The node of this name; SD_NO_NODE if there is none. */
static uint32_t find_node(const struct sharer *s, struct sd_text name)
{
	const struct sd_graph *g = s->job->graph;
	uint32_t low = 0, high = g->node_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = sd_text_compare(g->name[s->by_name[middle]], name);

		if (order == 0)
			return s->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return SD_NO_NODE;
}

/* Cut at the first and the last semicolon: a name may hold some itself. */
static bool cut_item(struct sd_text text, struct sd_text *verb, struct sd_text *name, struct sd_text *number)
{
	uint32_t first = 0, last = text.len;

	while (first < text.len && text.at[first] != ';')
		first++;
	while (last > first && text.at[last - 1] != ';')
		last--;
	if (first + 1 >= last)
		return false;
	*verb = (struct sd_text){ text.at, first };
	*name = (struct sd_text){ text.at + first + 1, last - first - 2 };
	*number = (struct sd_text){ text.at + last, text.len - last };
	return true;
}

static enum sd_status read_item(struct sharer *s, uint32_t node, struct sd_text text, struct item *item)
{
	struct sd_text verb, name, number;

	if (!cut_item(text, &verb, &name, &number) || (!sd_text_is(verb, "SendTo") && !sd_text_is(verb, "RecvFrom")) ||
	    !sd_decimal(number, false, &item->number))
		return SD_FAIL1(s->job->diag, SD_CODE_BAD_MULTIPLEXING, node, sd_arg_text(text));
	if (!s->by_name)
		SD_TRY(sort_names(s));
	item->sends = sd_text_is(verb, "SendTo");
	item->peer = find_node(s, name);
	if (item->peer == SD_NO_NODE)
		return SD_FAIL2(s->job->diag, SD_CODE_UNKNOWN_REFERENCE, node, sd_arg_text(name), sd_arg_words("_event_multiplexing"));
	return SD_OK;
}

/* The event from one node to another; SD_NO_INDEX if there is none. Syncs are sorted by sender, then receiver. */
static uint32_t find_event(const struct sd_job *job, uint32_t sender, uint32_t receiver)
{
	uint32_t from = job->slots.sender[sender], to = job->slots.of_node[receiver], low = 0, high = job->syncs.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct sd_order_pair *at = &job->syncs.at[middle];

		if (at->from < from || (at->from == from && at->to < to))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == job->syncs.count || job->syncs.at[low].from != from || job->syncs.at[low].to != to ||
	    sd_job_sync_kind(job, job->syncs.at[low].cause) != SD_SYNC_EVENT)
		return SD_NO_INDEX;
	return low;
}

/* Reads all items; notes the numbers of those that begin with the verb, if they are to be noted at all. */
static enum sd_status read_items(struct sharer *s, bool sends)
{
	struct sd_job *job = s->job;

	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		const struct sd_list *items = items_of(job->graph, n);

		for (uint32_t i = 0; items && i < items->count; i++) {
			struct item item;
			uint32_t event;

			SD_TRY(read_item(s, n, items->string[i], &item));
			if (!s->number || item.sends != sends)
				continue;
			event = find_event(job, sends ? n : item.peer, sends ? item.peer : n);
			if (event == SD_NO_INDEX)
				continue;
			s->member_count += s->number[event] == NO_TURN;
			s->number[event] = item.number;
		}
	}
	return SD_OK;
}

/* ---- turns ---- */

static int compare_members(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sharer *s = ctx;
	const struct sd_job *job = s->job;
	uint32_t rank_a = job->rank[job->syncs.at[a].from], rank_b = job->rank[job->syncs.at[b].from];

	if (s->number[a] != s->number[b])
		return s->number[a] < s->number[b] ? -1 : 1;
	return rank_a < rank_b ? -1 : rank_a > rank_b;
}

static enum sd_status list_members(struct sharer *s)
{
	struct sd_job *job = s->job;
	uint32_t *spare = SD_NEW(job->mem, uint32_t, s->member_count);

	s->member = SD_NEW(job->mem, uint32_t, s->member_count);
	s->apart = SD_NEW0(job->mem, bool, s->member_count);
	SD_NEED(job, spare && s->member && s->apart);
	s->member_count = 0;
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		if (s->number[i] != NO_TURN)
			s->member[s->member_count++] = i;
	}
	sd_merge_sort(s->member, spare, s->member_count, compare_members, s);
	return SD_OK;
}

/* Pairs of a number: the slot that waits, and the one that records next. */
struct questions {
	const struct sharer *s;
	uint32_t *first;    /* per slot + 1: into member, of those whose event it records */
	uint32_t *member;
};

/* The member in front of this one in its number; SD_NO_INDEX: it is the first. */
static uint32_t turn_before(const struct sharer *s, uint32_t i)
{
	return i > 0 && s->number[s->member[i]] == s->number[s->member[i - 1]] ? i - 1 : SD_NO_INDEX;
}

/* Each event of a number is waited for before the next one is recorded, or they are apart. Within a
 * slot waits come first. */
static void look_at_turns(void *arg, uint32_t slot, const struct sd_clock *known)
{
	const struct questions *q = arg;
	const struct sd_job *job = q->s->job;

	for (uint32_t k = q->first[slot]; k < q->first[slot + 1]; k++) {
		uint32_t before = turn_before(q->s, q->member[k]), waits;

		if (before == SD_NO_INDEX)
			continue;
		waits = job->syncs.at[q->s->member[before]].to;
		if (job->slots.lane[waits] == job->slots.lane[slot])
			q->s->apart[q->member[k]] = job->rank[waits] > job->rank[slot];
		else
			q->s->apart[q->member[k]] = !SD_MUTANT(share_unproved) && sd_clock_knows(known, job->slots.lane[waits]) < sd_slot_reach(&job->slots, waits);
	}
}

static int compare_receivers(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_order_pair *pair = ctx;

	return pair[a].to < pair[b].to ? -1 : pair[a].to > pair[b].to;
}

/* The syncs as a sweep wants them: by receiver. */
static enum sd_status sort_syncs(struct sd_job *job, struct sd_order_list *sorted)
{
	uint32_t count = job->syncs.count, *order = SD_NEW(job->mem, uint32_t, count), *spare = SD_NEW(job->mem, uint32_t, count);

	*sorted = (struct sd_order_list){ count, SD_NEW(job->mem, struct sd_order_pair, count) };
	SD_NEED(job, order && spare && sorted->at);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sd_merge_sort(order, spare, count, compare_receivers, job->syncs.at);
	for (uint32_t i = 0; i < count; i++)
		sorted->at[i] = job->syncs.at[order[i]];
	return SD_OK;
}

static enum sd_status prove_turns(struct sharer *s)
{
	struct sd_job *job = s->job;
	struct questions q = { s, SD_NEW0(job->mem, uint32_t, job->slots.count + 2u), SD_NEW(job->mem, uint32_t, s->member_count) };
	struct sd_order_list sorted;

	SD_NEED(job, q.first && q.member);
	/* Counted two places up: filling then moves each start to where it belongs. */
	for (uint32_t i = 0; i < s->member_count; i++)
		q.first[job->syncs.at[s->member[i]].from + 2]++;
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		q.first[slot + 2] += q.first[slot + 1];
	for (uint32_t i = 0; i < s->member_count; i++)
		q.member[q.first[job->syncs.at[s->member[i]].from + 1]++] = i;
	SD_TRY(sort_syncs(job, &sorted));
	return sd_reduce_watch(job, &sorted, look_at_turns, &q);
}

/* ---- numbers ---- */

static enum sd_status warn(struct sharer *s)
{
	int32_t told = NO_TURN;

	for (uint32_t i = 0; i < s->member_count; i++) {
		int32_t number = s->number[s->member[i]];

		if (!s->apart[i] || number == told)
			continue;
		told = number;
		SD_TRY(sd_job_warn(s->job, SD_CODE_TURNS_UNPROVED, s->job->slots.node[s->job->syncs.at[s->member[i]].from],
		                   sd_arg_int(number), (struct sd_arg){ 0 }));
	}
	return SD_OK;
}

/* Those that share a number have the lowest of theirs; what is free then is closed up. */
static enum sd_status number_events(struct sharer *s)
{
	struct sd_job *job = s->job;
	uint32_t *given = SD_NEW0(job->mem, uint32_t, job->event_count), count = 0;

	SD_NEED(job, given);
	for (uint32_t first = 0, end; first < s->member_count; first = end) {
		uint32_t lowest = job->sync_id[s->member[first]];

		for (end = first + 1; end < s->member_count && turn_before(s, end) != SD_NO_INDEX && !s->apart[end]; end++)
			lowest = job->sync_id[s->member[end]] < lowest ? job->sync_id[s->member[end]] : lowest;
		for (uint32_t i = first; i < end; i++)
			job->sync_id[s->member[i]] = lowest;
		job->events_shared |= end > first + 1;
	}
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		if (sd_job_sync_kind(job, job->syncs.at[i].cause) == SD_SYNC_EVENT)
			given[job->sync_id[i]] = 1;
	}
	for (uint32_t id = 0; id < job->event_count; id++) {
		count += given[id];
		given[id] = count - 1;
	}
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		if (sd_job_sync_kind(job, job->syncs.at[i].cause) == SD_SYNC_EVENT)
			job->sync_id[i] = given[job->sync_id[i]];
	}
	job->event_count = count;
	return SD_OK;
}

enum sd_status sd__pass_share_events(struct sd_job *job)
{
	struct sharer s = { .job = job };
	bool above = job->event_count > (SD_MUTANT(share_threshold_at) ? 0 : SHARED_ABOVE), shares = above && job->graph->graph_count == 1;

	if (!above && (job->options->compat == SD_GE || SD_MUTANT(share_malformed_below)))
		return SD_OK;
	if (shares) {
		s.number = SD_NEW(job->mem, int32_t, job->syncs.count);
		SD_NEED(job, s.number);
		memset(s.number, 0xff, job->syncs.count * sizeof(*s.number));
	}
	SD_TRY(read_items(&s, true));
	if (shares)
		SD_TRY(read_items(&s, false));
	if (s.member_count == 0)
		return SD_OK;
	SD_TRY(list_members(&s));
	SD_TRY(prove_turns(&s));
	SD_TRY(warn(&s));
	return number_events(&s);
}
