/* make_slots - what is launched, lane by lane.
 *
 * Rule   A launched node has one slot on its logical stream, its lane; one without logical
 *        stream has its slot on lane 0. Slots are numbered in flat order, so the slots of
 *        a lane run in ascending order.
 * Why    Syncs are recorded and waited for by what runs; nodes that launch nothing only
 *        hand on what they wait for.
 * Cost   O(nodes). */
#include "passes.h"

enum sd_status sd__pass_make_slots(struct sd_job *job)
{
	struct sd_slots *slots = &job->slots;
	uint32_t count = 0, lanes = job->main_stream_count, *last;

	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		count += job->launched[n];
		if (job->stream[n] >= (int32_t)lanes)
			lanes = (uint32_t)job->stream[n] + 1;
	}
	if (lanes == 0 && count)
		lanes = 1;
	*slots = (struct sd_slots){
		.lane_count = lanes, .node = SD_NEW(job->mem, uint32_t, count), .lane = SD_NEW(job->mem, uint32_t, count),
		.of_node = SD_NEW(job->mem, uint32_t, job->graph->node_count), .before = SD_NEW(job->mem, uint32_t, count),
		.stream = SD_NEW(job->mem, uint32_t, count), .starts_piece = SD_NEW0(job->mem, uint8_t, count),
	};
	last = SD_NEW(job->mem, uint32_t, lanes);
	SD_NEED(job, slots->node && slots->lane && slots->of_node && slots->before && slots->stream &&
	             slots->starts_piece && last);
	memset(last, 0xff, (size_t)lanes * sizeof(*last));
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i], s = slots->count;

		slots->of_node[n] = SD_NO_INDEX;
		if (!job->launched[n])
			continue;
		slots->of_node[n] = slots->count++;
		slots->node[s] = n;
		slots->lane[s] = job->stream[n] == SD_NO_STREAM ? 0 : (uint32_t)job->stream[n];
		slots->before[s] = last[slots->lane[s]];
		last[slots->lane[s]] = s;
	}
	return SD_OK;
}
