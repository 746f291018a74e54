/* close_holes - no stream of a model of unknown shape stays empty.
 *
 * Rule   Streams in use by nodes that are free to run anywhere become 0, 1, ... in ascending
 *        order; all that must be on the main stream is on 0.
 * Why    A number that nobody uses still costs the loader a stream. The automatic modes leave
 *        such numbers between the graphs, and so does an engine whose only node is an output.
 * Differs With compat ge holes stay, unless an automatic mode or a custom pass placed the nodes. Graph
 *        Engine leaves holes behind custom passes.
 * Cost   O(nodes + streams). */
#include "passes.h"

#include "dynamic.h"
#include "mutants.h"

enum sd_status sd__pass_close_holes(struct sd_job *job)
{
	uint32_t given = (uint32_t)job->next_stream;
	uint32_t first_by_pass = UINT32_MAX;
	int32_t *number = SD_NEW(job->mem, int32_t, given), used = 0;

	SD_NEED(job, number);
	job->main_stream_count = given;
	if ((job->options->compat == SD_GE || SD_MUTANT(holes_stay)) && !sd_mode_balances(&job->mode) && job->first_by_pass == UINT32_MAX && !SD_MUTANT(holes_closed_with_ge))
		return SD_OK;
	memset(number, 0xff, given * sizeof(*number));
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (!sd_dynamic_on_main(job, n))
			number[job->stream[n]] = 0;
	}
	for (uint32_t s = 0; s < given; s++) {
		first_by_pass = s == job->first_by_pass ? (uint32_t)used : first_by_pass;
		number[s] = number[s] == SD_NO_STREAM ? SD_NO_STREAM : used++;
	}
	job->next_stream = used ? used : 1;
	job->first_by_pass = first_by_pass;
	job->main_stream_count = (uint32_t)job->next_stream;
	return sd_dynamic_renumber(job, number);
}
