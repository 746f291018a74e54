/* dense_streams - logical streams numbered from 0 without gaps.
 *
 * Rule   The numbers in use, over all graphs, become 0, 1, ... in ascending order.
 * Keeps  With compat ge, a number above those that were given out stays as it is, and the
 *        numbers below it count as streams.
 * Cost   O(nodes + numbers given out). */
#include "passes.h"
#include "mutants.h"

enum sd_status sd__pass_dense_streams(struct sd_job *job)
{
	uint32_t given = (uint32_t)sd_job_next(job), nodes = job->graph->node_count, first_by_pass = UINT32_MAX;
	int32_t *number = SD_NEW0(job->mem, int32_t, given), used = 0, highest = SD_NO_STREAM;

	SD_NEED(job, number);
	for (uint32_t n = 0; n < nodes; n++) {
		if (job->stream[n] != SD_NO_STREAM && (uint32_t)job->stream[n] < given)
			number[job->stream[n]] = 1;
	}
	for (uint32_t s = 0; s < given; s++) {
		first_by_pass = s == job->first_by_pass ? (uint32_t)used : first_by_pass;
		number[s] = number[s] || SD_MUTANT(dense_with_gaps) ? used++ : SD_NO_STREAM;
	}
	for (uint32_t n = 0; n < nodes; n++) {
		if (job->stream[n] != SD_NO_STREAM && (uint32_t)job->stream[n] < given)
			job->stream[n] = number[job->stream[n]];
		highest = job->stream[n] > highest ? job->stream[n] : highest;
	}
	used = SD_MUTANT(dense_count_of_used) ? used : highest + 1;
	job->next_stream = used;
	job->first_by_pass = first_by_pass;
	job->main_stream_count = (uint32_t)used;
	return SD_OK;
}
