/* order_loop - a stream must be finished before the iteration loop starts it again.
 *
 * Rule   The last slot of every lane that runs with the model comes before the StreamSwitch
 *        of the loop. Lanes that hold a StreamSwitch, and those whose last slot is in a body,
 *        are left out. Pieces need no order of their own: the last slot of a lane stands
 *        behind all others on it.
 * Why    The loop's activator starts all these streams for the next turn.
 * Cost   O(slots). */
#include "passes.h"

enum sd_status sd__pass_order_loop(struct sd_job *job)
{
	uint32_t *last = SD_NEW(job->mem, uint32_t, job->slots.lane_count);
	bool *switches = SD_NEW0(job->mem, bool, job->slots.lane_count);

	SD_NEED(job, last && switches);
	if (job->starts.loop_node == SD_NO_NODE || job->starts.loop_switch == SD_NO_NODE)
		return SD_OK;
	memset(last, 0xff, (size_t)job->slots.lane_count * sizeof(*last));
	for (uint32_t s = 0; s < job->slots.count; s++) {
		if (sd_slot_launches(&job->slots, s) || job->slots.kind[s] == SD_SLOT_HEAD)
			last[job->slots.lane[s]] = s;
		switches[job->slots.lane[s]] |= sd_job_op(job, job->slots.node[s]) == SD_OP_STREAM_SWITCH;
	}
	for (uint32_t lane = 0; lane < job->slots.lane_count; lane++) {
		if (last[lane] == SD_NO_INDEX || switches[lane] || sd_starts_lane(&job->starts, lane) ||
		    job->graph->graph_of[job->slots.node[last[lane]]] != SD_ROOT)
			continue;
		SD_TRY(sd_job_order(job, last[lane], job->slots.of_node[job->starts.loop_switch], SD_CAUSE_LOOP));
	}
	return SD_OK;
}
