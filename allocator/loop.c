/* loop.c - what must be done before an iteration loop begins its next turn. */
#include "loop.h"
#include "mutants.h"

/* Whether a lane, or once they are there a piece, runs otherwise than with the model. */
static bool is_started(const struct sd_job *job, uint32_t part)
{
	return job->is_started ? job->is_started[part] || job->is_jumped[part] : sd_starts_lane(&job->starts, part);
}

/* A StreamSwitch leaves its stream for one that it starts, and so does a StreamSwitchN. Neither can tell anything behind it on the
 * stream that was left, and a StreamSwitchN tells nobody at all: if the end of its stream were asked for, no such loop had a plan. */
enum sd_status sd_loop_ends(struct sd_job *job, const uint32_t *part_of, uint32_t parts, uint32_t **end, uint32_t *count)
{
	const struct sd_slots *slots = &job->slots;
	uint32_t *last = SD_NEW(job->mem, uint32_t, parts), kept = 0;
	bool *switches = SD_NEW0(job->mem, bool, parts);

	SD_NEED(job, last && switches);
	memset(last, 0xff, (size_t)parts * sizeof(*last));
	for (uint32_t s = 0; s < slots->count; s++) {
		if ((sd_slot_launches(slots, s) || slots->kind[s] == SD_SLOT_HEAD) && !(SD_MUTANT(loop_first_slot) && last[part_of[s]] != SD_NO_INDEX))
			last[part_of[s]] = s;
		switches[part_of[s]] |= sd_op_leaves_stream(sd_job_op(job, slots->node[s]));
	}
	for (uint32_t part = 0; part < parts; part++) {
		uint32_t s = last[part];

		if (s != SD_NO_INDEX && (!switches[part] || SD_MUTANT(loop_switch_streams)) && (!is_started(job, part) || SD_MUTANT(loop_started_streams)) &&
		    job->graph->graph_of[slots->node[s]] == SD_ROOT)
			last[kept++] = s;
	}
	*end = last;
	*count = kept;
	return SD_OK;
}
