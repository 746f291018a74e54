/* loop.c - what must be done before an iteration loop begins its next turn. */
#include "loop.h"

enum sd_status sd_loop_ends(struct sd_job *job, const uint32_t *part_of, uint32_t parts, uint32_t **end, uint32_t *count)
{
	const struct sd_slots *slots = &job->slots;
	uint32_t *last = SD_NEW(job->mem, uint32_t, parts), kept = 0;
	bool *switches = SD_NEW0(job->mem, bool, parts);

	SD_NEED(job, last && switches);
	memset(last, 0xff, (size_t)parts * sizeof(*last));
	for (uint32_t s = 0; s < slots->count; s++) {
		last[part_of[s]] = s;
		switches[part_of[s]] |= sd_job_op(job, slots->node[s]) == SD_OP_STREAM_SWITCH;
	}
	for (uint32_t part = 0; part < parts; part++) {
		uint32_t s = last[part];

		if (s != SD_NO_INDEX && !switches[part] && !sd_starts_lane(&job->starts, slots->lane[s]) &&
		    job->graph->graph_of[slots->node[s]] == SD_ROOT)
			last[kept++] = s;
	}
	*end = last;
	*count = kept;
	return SD_OK;
}
