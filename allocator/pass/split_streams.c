/* split_streams - a logical stream longer than the device takes becomes several physical ones.
 *
 * Rule   Along each lane, items are counted: an event wait 2, a launch its tasks, a record 1.
 *        A cut falls in front of an item when there are items since the last cut, not all
 *        of them empty, and with this one and the reserve they exceed the limit. Waits and
 *        records stay with their node: a cut in front of a wait or the launch puts the
 *        whole slot on the new piece, one in front of a record the next slot of the lane.
 *        The count goes on from where the cut fell. A new piece takes the next free stream
 *        number, over all lanes in the order in which cuts take effect; the first piece
 *        keeps the number of its logical stream.
 *        With single_stream, a stream too long for the device's normal streams becomes a huge
 *        one where the device has those. With unlimited depth nothing is cut.
 * Why    A device stream holds a fixed number of tasks.
 * Differs Records that alone would push a piece over the limit, the syncs between pieces
 *        included, move their node to the next piece; Graph Engine tears syncs from their
 *        nodes, which can lose an order.
 * Cost   O(slots + syncs). */
#include "passes.h"

#define EVENT_WAIT 2 /* items: a device waits, then resets the event */

struct lane_state {
	int64_t items;    /* since the last cut as it fell */
	int64_t held;     /* on the current piece: whole slots, and the wait for the piece before */
	uint32_t stream;  /* current piece */
	uint32_t launches;/* on the current piece */
	bool cut_next;    /* a cut in front of a record: the next slot begins a piece */
};

struct splitter {
	struct sd_job *job;
	int64_t limit;               /* 0: none */
	uint32_t *waits, *records;   /* per slot */
	struct lane_state *lane;
	SD_VEC(uint32_t) logical_of; /* per stream */
};

static void count_syncs(struct splitter *s)
{
	const struct sd_order_list *syncs = &s->job->syncs;

	for (uint32_t i = 0; i < syncs->count; i++) {
		s->records[syncs->at[i].from]++;
		s->waits[syncs->at[i].to]++;
	}
}

/* Counts one item; whether a cut falls in front of it. */
static bool cuts_before(const struct splitter *s, struct lane_state *lane, int64_t size)
{
	if (s->limit && lane->items && lane->items + size + SD_TASK_RESERVE > s->limit) {
		lane->items = size;
		return true;
	}
	lane->items += size;
	return false;
}

/* Counts what stands in a slot up to its launch; whether a cut falls in front of any of it. */
static bool cuts_up_to_launch(const struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	bool cut = false;

	for (uint32_t i = 0; i < s->waits[slot]; i++)
		cut |= cuts_before(s, lane, EVENT_WAIT);
	return cuts_before(s, lane, s->job->tasks[s->job->slots.node[slot]]) || cut;
}

static enum sd_status begin_piece(struct splitter *s, struct lane_state *lane, uint32_t slot)
{
	if (!sd_vec_room(s->job->mem, &s->logical_of))
		SD_NEED(s->job, NULL);
	lane->stream = s->logical_of.count;
	lane->held = EVENT_WAIT;
	lane->launches = 0;
	lane->cut_next = false;
	s->logical_of.at[s->logical_of.count++] = s->job->slots.lane[slot];
	s->job->slots.starts_piece[slot] = 1;
	return SD_OK;
}

static enum sd_status place_slot(struct splitter *s, uint32_t slot)
{
	struct lane_state *lane = &s->lane[s->job->slots.lane[slot]];
	int64_t tasks = s->job->tasks[s->job->slots.node[slot]];
	int64_t size = EVENT_WAIT * (int64_t)s->waits[slot] + tasks + s->records[slot];
	bool cut = cuts_up_to_launch(s, lane, slot) || lane->cut_next;

	/* With the record that the next piece waits for, it must fit; if not, the cut falls here instead. */
	if (!cut && s->limit && lane->launches && lane->held + size + 1 > s->limit) {
		cut = true;
		lane->items = 0;
		cuts_up_to_launch(s, lane, slot);
	}
	/* A slot that begins its piece anyway needs no other one, however long it is. */
	if (cut && lane->launches)
		SD_TRY(begin_piece(s, lane, slot));
	for (uint32_t i = 0; i < s->records[slot]; i++)
		lane->cut_next |= cuts_before(s, lane, 1);
	lane->held += size;
	lane->launches++;
	s->job->slots.stream[slot] = lane->stream;
	return SD_OK;
}

/* The limit that holds: none, the normal one, or that of a huge stream. */
static int64_t choose_limit(struct splitter *s, bool *huge)
{
	const struct sd_job *job = s->job;
	int64_t total = 0;

	*huge = false;
	if (job->limits.unlimited_depth || job->graph->graph[SD_ROOT].dynamic)
		return 0;
	if (!job->options->single_stream || !job->limits.has_huge || !job->limits.max_tasks_per_stream)
		return job->limits.max_tasks_per_stream;
	for (uint32_t i = 0; i < job->slots.count; i++)
		total += job->tasks[job->slots.node[i]];
	if (total + SD_TASK_RESERVE <= job->limits.max_tasks_per_stream)
		return job->limits.max_tasks_per_stream;
	*huge = true;
	return job->limits.max_tasks_per_huge_stream;
}

/* An order from the last slot of each piece to the first of the next. */
static enum sd_status join_pieces(struct sd_job *job)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < job->slots.count; i++)
		count += job->slots.starts_piece[i];
	job->split_orders.at = SD_NEW(job->mem, struct sd_order_pair, count);
	SD_NEED(job, job->split_orders.at);
	for (uint32_t i = 0; i < job->slots.count; i++) {
		if (job->slots.starts_piece[i])
			job->split_orders.at[job->split_orders.count++] =
				(struct sd_order_pair){ job->slots.before[i], i, SD_CAUSE_SPLIT };
	}
	return SD_OK;
}

enum sd_status sd__pass_split_streams(struct sd_job *job)
{
	struct splitter s = {
		.job = job, .waits = SD_NEW0(job->mem, uint32_t, job->slots.count),
		.records = SD_NEW0(job->mem, uint32_t, job->slots.count),
		.lane = SD_NEW0(job->mem, struct lane_state, job->slots.lane_count),
	};
	bool huge;

	SD_NEED(job, s.waits && s.records && s.lane);
	s.limit = choose_limit(&s, &huge);
	count_syncs(&s);
	for (uint32_t lane = 0; lane < job->slots.lane_count; lane++) {
		s.lane[lane].stream = lane;
		if (!sd_vec_room(job->mem, &s.logical_of))
			SD_NEED(job, NULL);
		s.logical_of.at[s.logical_of.count++] = lane;
	}
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		SD_TRY(place_slot(&s, slot));
	job->stream_count = s.logical_of.count;
	job->logical_of = s.logical_of.at;
	job->huge = SD_NEW(job->mem, bool, job->stream_count);
	SD_NEED(job, job->huge);
	memset(job->huge, huge, job->stream_count * sizeof(*job->huge));
	return join_pieces(job);
}
