/* make_slots - what happens on each lane, in what order.
 *
 * Rule   A launched node has one slot on its logical stream, its lane, and one on each of its
 *        attached streams; one without logical stream has its slot on lane 0. Slots are
 *        numbered in flat order, those of one node main first, then by stream, so the
 *        slots of a lane run in ascending order. A StreamSwitch that starts a stream leaves
 *        its own for good: what must come behind it is told from the head of the stream
 *        that it starts, by a slot in front of all others there. Nothing else stands
 *        behind it on its own stream.
 * Why    Syncs are recorded and waited for by what runs; nodes that launch nothing only
 *        hand on what they wait for.
 * Cost   O(nodes + attached streams + starters). */
#include "passes.h"

struct filler {
	struct sd_job *job;
	uint32_t *last;   /* per lane: its last slot so far */
	bool *starts;     /* per node */
	uint32_t starter; /* starters met so far */
};

static uint32_t add_slot(struct filler *f, uint32_t node, uint32_t lane, enum sd_slot_kind kind)
{
	struct sd_slots *slots = &f->job->slots;
	uint32_t s = slots->count++;

	slots->node[s] = node;
	slots->lane[s] = lane;
	slots->kind[s] = (uint8_t)kind;
	slots->before[s] = f->last[lane];
	f->last[lane] = s;
	return s;
}

/* The head of a lane that is about to get its first slot, if it is a StreamSwitch alone that starts it. */
static void add_head(struct filler *f, uint32_t lane)
{
	const struct sd_starts *starts = &f->job->starts;
	uint32_t first = starts->first_of_lane[lane];
	const struct sd_starter *starter;

	if (f->last[lane] != SD_NO_INDEX || starts->first_of_lane[lane + 1] != first + 1)
		return;
	starter = &starts->at[starts->of_lane[first]];
	if (sd_job_op(f->job, starter->node) == SD_OP_STREAM_SWITCH && starter->relay_lane == SD_NO_NODE)
		f->job->slots.sender[starter->node] = add_slot(f, starter->node, lane, SD_SLOT_HEAD);
}

/* A StreamSwitch that starts a stream ends its own. */
static enum sd_status check_end(const struct filler *f, uint32_t node, uint32_t lane)
{
	const struct sd_job *job = f->job;
	uint32_t last = f->last[lane];

	if (last == SD_NO_INDEX || job->slots.kind[last] != SD_SLOT_MAIN || !f->starts[job->slots.node[last]] ||
	    sd_job_op(job, job->slots.node[last]) != SD_OP_STREAM_SWITCH)
		return SD_OK;
	return SD_FAIL1(job->diag, SD_CODE_BEHIND_SWITCH, node, sd_arg_node(job->slots.node[last]));
}

/* The distinct attached streams of a node, ascending: requests that share a stream share a slot. */
static void add_attached(struct filler *f, uint32_t node)
{
	const struct sd_job *job = f->job;
	uint32_t first = job->attached_first[node], count = job->attached_first[node + 1] - first, least = 0;

	for (uint32_t done = 0; done < count; done++) {
		uint32_t lane = SD_NO_INDEX;

		for (uint32_t i = 0; i < count; i++) {
			if (job->attached[first + i] >= least && job->attached[first + i] < lane)
				lane = job->attached[first + i];
		}
		if (lane == SD_NO_INDEX)
			return;
		add_slot(f, node, lane, SD_SLOT_ATTACHED);
		least = lane + 1;
	}
}

/* The StreamActive behind a StreamSwitch that starts several streams. Starters stand in flat order too. */
static void add_relay(struct filler *f, uint32_t node)
{
	const struct sd_starts *starts = &f->job->starts;
	const struct sd_starter *starter = &starts->at[f->starter];

	if (f->starter == starts->count || starter->node != node)
		return;
	f->starter++;
	if (starter->relay_lane != SD_NO_NODE)
		f->job->slots.sender[node] = add_slot(f, node, starter->relay_lane, SD_SLOT_RELAY);
}

static enum sd_status make_room(struct filler *f)
{
	struct sd_job *job = f->job;
	struct sd_slots *slots = &job->slots;
	uint32_t nodes = job->graph->node_count, count = 2 * job->starts.count + job->attached_first[nodes];

	for (uint32_t n = 0; n < nodes; n++)
		count += job->launched[n];
	*slots = (struct sd_slots){
		.lane_count = job->starts.lane_count, .node = SD_NEW(job->mem, uint32_t, count),
		.lane = SD_NEW(job->mem, uint32_t, count), .of_node = SD_NEW(job->mem, uint32_t, nodes),
		.sender = SD_NEW(job->mem, uint32_t, nodes), .before = SD_NEW(job->mem, uint32_t, count),
		.kind = SD_NEW(job->mem, uint8_t, count), .stream = SD_NEW(job->mem, uint32_t, count),
		.starts_piece = SD_NEW0(job->mem, uint8_t, count),
	};
	f->last = SD_NEW(job->mem, uint32_t, slots->lane_count);
	f->starts = SD_NEW0(job->mem, bool, nodes);
	SD_NEED(job, f->last && f->starts && slots->node && slots->lane && slots->of_node && slots->sender && slots->before &&
	             slots->kind && slots->stream && slots->starts_piece);
	memset(f->last, 0xff, (size_t)slots->lane_count * sizeof(*f->last));
	for (uint32_t i = 0; i < job->starts.count; i++)
		f->starts[job->starts.at[i].node] = true;
	memset(slots->of_node, 0xff, (size_t)nodes * sizeof(*slots->of_node));
	memset(slots->sender, 0xff, (size_t)nodes * sizeof(*slots->sender));
	return SD_OK;
}

enum sd_status sd__pass_make_slots(struct sd_job *job)
{
	struct filler f = { .job = job };

	SD_TRY(make_room(&f));
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i], lane = job->stream[n] == SD_NO_STREAM ? 0 : (uint32_t)job->stream[n];

		if (!job->launched[n])
			continue;
		SD_TRY(check_end(&f, n, lane));
		add_head(&f, lane);
		job->slots.of_node[n] = add_slot(&f, n, lane, SD_SLOT_MAIN);
		add_attached(&f, n);
		add_relay(&f, n);
		if (job->slots.sender[n] == SD_NO_INDEX)
			job->slots.sender[n] = job->slots.of_node[n];
	}
	/* Lanes on which nothing is launched may have a head all the same. */
	for (uint32_t lane = 0; lane < job->slots.lane_count; lane++)
		add_head(&f, lane);
	return SD_OK;
}
