/* make_slots - what is launched, lane by lane.
 *
 * Rule   A launched node has one slot on its logical stream, its lane, and one on each of its
 *        attached streams; one without logical stream has its slot on lane 0. Slots are
 *        numbered in flat order, those of one node main first, then by stream, so the
 *        slots of a lane run in ascending order.
 * Why    Syncs are recorded and waited for by what runs; nodes that launch nothing only
 *        hand on what they wait for.
 * Cost   O(nodes + attached streams). */
#include "passes.h"

struct filler {
	struct sd_job *job;
	uint32_t *last; /* per lane: its last slot so far */
};

static void add_slot(struct filler *f, uint32_t node, uint32_t lane, bool attached)
{
	struct sd_slots *slots = &f->job->slots;
	uint32_t s = slots->count++;

	slots->node[s] = node;
	slots->lane[s] = lane;
	slots->attached[s] = attached;
	slots->before[s] = f->last[lane];
	f->last[lane] = s;
}

/* The distinct attached streams of a node, ascending: requests that share a stream share a slot. */
static void add_attached(struct filler *f, uint32_t node)
{
	const struct sd_job *job = f->job;
	uint32_t first = job->attached_first[node], count = job->attached_first[node + 1] - first, least = 0;

	for (uint32_t done = 0; done < count;) {
		uint32_t lane = SD_NO_INDEX;

		for (uint32_t i = 0; i < count; i++) {
			if (job->attached[first + i] >= least && job->attached[first + i] < lane)
				lane = job->attached[first + i];
		}
		if (lane == SD_NO_INDEX)
			return;
		add_slot(f, node, lane, true);
		least = lane + 1;
		done++;
	}
}

static uint32_t count_lanes(const struct sd_job *job, uint32_t *slots)
{
	uint32_t lanes = job->logical_stream_count;

	*slots = 0;
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (job->launched[n])
			*slots += 1 + job->attached_first[n + 1] - job->attached_first[n];
		if (job->stream[n] >= (int32_t)lanes)
			lanes = (uint32_t)job->stream[n] + 1;
	}
	return lanes == 0 && *slots ? 1 : lanes;
}

enum sd_status sd__pass_make_slots(struct sd_job *job)
{
	struct sd_slots *slots = &job->slots;
	uint32_t count, lanes = count_lanes(job, &count);
	struct filler f = { job, SD_NEW(job->mem, uint32_t, lanes) };

	*slots = (struct sd_slots){
		.lane_count = lanes, .node = SD_NEW(job->mem, uint32_t, count), .lane = SD_NEW(job->mem, uint32_t, count),
		.of_node = SD_NEW(job->mem, uint32_t, job->graph->node_count), .before = SD_NEW(job->mem, uint32_t, count),
		.attached = SD_NEW(job->mem, uint8_t, count), .stream = SD_NEW(job->mem, uint32_t, count),
		.starts_piece = SD_NEW0(job->mem, uint8_t, count),
	};
	SD_NEED(job, f.last && slots->node && slots->lane && slots->of_node && slots->before && slots->attached &&
	             slots->stream && slots->starts_piece);
	memset(f.last, 0xff, (size_t)lanes * sizeof(*f.last));
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i];

		slots->of_node[n] = SD_NO_INDEX;
		if (!job->launched[n])
			continue;
		slots->of_node[n] = slots->count;
		add_slot(&f, n, job->stream[n] == SD_NO_STREAM ? 0 : (uint32_t)job->stream[n], false);
		add_attached(&f, n);
	}
	return SD_OK;
}
