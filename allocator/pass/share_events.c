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
 *        wait pass too early.
 * Example p1 -> c1 and p2 -> c2 with number 0, p2 behind c1: both events are the same.
 * Differs Graph Engine believes what it is told. Malformed items are errors at any size here; with
 *        compat ge, only above the threshold.
 * Cost   O(nodes + syncs), with items also O(nodes * log nodes + items * log syncs) and one
 *        reduction (reduce.c). */
#include "passes.h"

#include "base/merge.h"
#include "decimal.h"
#include "reduce.h"

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

static int compare_receivers(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_order_pair *pair = ctx;

	return pair[a].to < pair[b].to ? -1 : pair[a].to > pair[b].to;
}

/* Answers which of the `asked` pairs behind the syncs in `pair` nothing implies: apart of members[of[i]]. */
static enum sd_status ask(struct sharer *s, const struct sd_order_pair *pair, uint32_t asked, const uint32_t *of)
{
	struct sd_job *job = s->job;
	uint32_t syncs = job->syncs.count, count = syncs + asked;
	uint32_t *order = SD_NEW(job->mem, uint32_t, count), *spare = SD_NEW(job->mem, uint32_t, count);
	struct sd_order_list all = { count, SD_NEW(job->mem, struct sd_order_pair, count) };
	bool *question = SD_NEW(job->mem, bool, count), *missing = SD_NEW(job->mem, bool, count);

	SD_NEED(job, order && spare && all.at && question && missing);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sd_merge_sort(order, spare, count, compare_receivers, pair);
	for (uint32_t i = 0; i < count; i++) {
		all.at[i] = pair[order[i]];
		question[i] = order[i] >= syncs;
	}
	SD_TRY(sd_reduce_ask(job, &all, question, missing));
	for (uint32_t i = 0; i < count; i++) {
		if (question[i])
			s->apart[of[order[i] - syncs]] |= missing[i];
	}
	return SD_OK;
}

/* Each event of a number is waited for before the next one is recorded, or they are apart. Within a
 * slot waits come first. */
static enum sd_status prove_turns(struct sharer *s)
{
	struct sd_job *job = s->job;
	struct sd_order_pair *pair = SD_NEW(job->mem, struct sd_order_pair, (size_t)job->syncs.count + s->member_count);
	uint32_t *of = SD_NEW(job->mem, uint32_t, s->member_count), asked = 0;

	SD_NEED(job, pair && of);
	memcpy(pair, job->syncs.at, job->syncs.count * sizeof(*pair));
	for (uint32_t i = 0; i < s->member_count; i++) {
		uint32_t waits, records = job->syncs.at[s->member[i]].from;

		if (i == 0 || s->number[s->member[i]] != s->number[s->member[i - 1]])
			continue;
		waits = job->syncs.at[s->member[i - 1]].to;
		s->apart[i] = job->rank[waits] > job->rank[records];
		if (s->apart[i] || waits == records)
			continue;
		of[asked] = i;
		pair[job->syncs.count + asked++] = (struct sd_order_pair){ waits, records, SD_CAUSE_ORDER };
	}
	return asked ? ask(s, pair, asked, of) : SD_OK;
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

/* Numbers follow the records, as before; those that share one have that of the first of them. */
static enum sd_status number_events(struct sharer *s)
{
	struct sd_job *job = s->job;
	uint32_t *first = SD_NEW(job->mem, uint32_t, job->syncs.count), *given = SD_NEW(job->mem, uint32_t, job->syncs.count);

	SD_NEED(job, first && given);
	memset(given, 0xff, job->syncs.count * sizeof(*given));
	for (uint32_t i = 0; i < job->syncs.count; i++)
		first[i] = i;
	for (uint32_t i = 1; i < s->member_count; i++) {
		bool joins = !s->apart[i] && s->number[s->member[i]] == s->number[s->member[i - 1]];

		first[s->member[i]] = joins ? first[s->member[i - 1]] : s->member[i];
		job->events_shared |= joins;
	}
	job->event_count = 0;
	for (uint32_t i = 0; i < job->syncs.count; i++) {
		if (sd_job_sync_kind(job, job->syncs.at[i].cause) != SD_SYNC_EVENT)
			continue;
		if (given[first[i]] == SD_NO_INDEX)
			given[first[i]] = job->event_count++;
		job->sync_id[i] = given[first[i]];
	}
	return SD_OK;
}

enum sd_status sd__pass_share_events(struct sd_job *job)
{
	struct sharer s = { .job = job };
	bool above = job->event_count > SHARED_ABOVE;

	if (!above && job->options->compat == SD_GE)
		return SD_OK;
	if (above) {
		s.number = SD_NEW(job->mem, int32_t, job->syncs.count);
		SD_NEED(job, s.number);
		memset(s.number, 0xff, job->syncs.count * sizeof(*s.number));
	}
	SD_TRY(read_items(&s, true));
	if (above)
		SD_TRY(read_items(&s, false));
	if (s.member_count == 0)
		return SD_OK;
	SD_TRY(list_members(&s));
	SD_TRY(prove_turns(&s));
	SD_TRY(warn(&s));
	return number_events(&s);
}
