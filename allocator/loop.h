/* loop.h - what must be done before an iteration loop begins its next turn. */
#ifndef SD_LOOP_H
#define SD_LOOP_H

#include "job.h"

/* The slot of the StreamSwitch behind which the next turn begins; SD_NO_INDEX: there is none. */
static inline uint32_t sd_loop_turn(const struct sd_job *job)
{
	const struct sd_starts *starts = &job->starts;

	if (starts->loop_node == SD_NO_NODE || starts->loop_switch == SD_NO_NODE)
		return SD_NO_INDEX;
	return job->slots.of_node[starts->loop_switch];
}

/* The last slots of parts of lanes: `part_of` says to which of `parts` each slot belongs. Parts are lanes, or
 * pieces once start_pieces has told who starts them. Those that are started, hold a StreamSwitch or StreamSwitchN, or end in a body,
 * have none. Ascending parts; in the arena of the job. */
enum sd_status sd_loop_ends(struct sd_job *job, const uint32_t *part_of, uint32_t parts, uint32_t **end, uint32_t *count);

#endif
