/* order_loop - a stream must be finished before the iteration loop starts it again.
 *
 * Rule   The last slot of every lane that runs with the model comes before the StreamSwitch
 *        of the loop. Lanes that hold a StreamSwitch or a StreamSwitchN, and those whose last
 *        slot is in a body, are left out.
 * Why    The loop's activator starts all these streams for the next turn.
 * Example two branches that a StreamSwitchN starts: that of the StreamSwitchN itself is not waited for, since nothing runs
 *        behind it there that could tell.
 * Cost   O(slots). */
#include "passes.h"

#include "loop.h"

enum sd_status sd__pass_order_loop(struct sd_job *job)
{
	uint32_t *end, count, turn = sd_loop_turn(job);

	if (turn == SD_NO_INDEX)
		return SD_OK;
	SD_TRY(sd_loop_ends(job, job->slots.lane, job->slots.lane_count, &end, &count));
	for (uint32_t i = 0; i < count; i++)
		SD_TRY(sd_job_order(job, end[i], turn, SD_CAUSE_LOOP));
	return SD_OK;
}
