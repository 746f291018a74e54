/* user_streams - more streams asked for by label than usually pay.
 *
 * Rule   Streams of a model that start with it, and on which a node with a stream label is launched, are
 *        counted. More than 4 are told once, at the first such node of the fifth.
 * Why    Two to four streams let copies in, computing and copies out run beside each other; each one more takes a
 *        stream of the device, and syncs. It costs and breaks nothing, so that it never refuses a plan.
 * Example five chains with labels l1 to l5: told at the first node with l5.
 * Differs Graph Engine does not count. Streams that a node starts are labelled for what starts them, and
 *        explicit_streams are the caller's own count.
 * Cost   O(slots). */
#include "passes.h"

#include "mutants.h"

#define USUAL_MOST 4u

enum sd_status sd__pass_user_streams(struct sd_job *job)
{
	const struct sd_slots *slots = &job->slots;
	bool *counted = SD_NEW0(job->mem, bool, job->logical_stream_count + 1);
	uint32_t count = 0, fifth = SD_NO_NODE;

	SD_NEED(job, counted);
	for (uint32_t s = 0; s < slots->count; s++) {
		uint32_t node = slots->node[s];

		if (slots->kind[s] != SD_SLOT_MAIN || !job->label[node] || counted[slots->lane[s]] ||
		    (job->is_started[slots->stream[s]] && !SD_MUTANT(user_streams_started)))
			continue;
		counted[slots->lane[s]] = true;
		if (++count == USUAL_MOST + 1 + SD_MUTANT(user_streams_late))
			fifth = node;
	}
	return fifth == SD_NO_NODE ? SD_OK : sd_job_warn(job, SD_CODE_MANY_USER_STREAMS, fifth, sd_arg_int(count), (struct sd_arg){ 0 });
}
