/* dynamic_one_stream - a model of unknown shape runs on one stream unless more are asked for.
 *
 * Rule   Without dynamic_multi_stream every node of the root and of the bodies of unknown shape
 *        is on stream 0. Labels, single_stream and an automatic mode change nothing.
 * Cost   O(nodes). */
#include "passes.h"

#include "dynamic.h"
#include "mutants.h"

enum sd_status sd__pass_dynamic_one_stream(struct sd_job *job)
{
	for (uint32_t n = 0; n < job->graph->node_count; n++)
		job->stream[n] = sd_dynamic_plans(job->graph, job->graph->graph_of[n]) || SD_MUTANT(dynamic_known_bodies) ? 0 : SD_NO_STREAM;
	job->next_stream = 1;
	job->main_stream_count = !SD_MUTANT(dynamic_not_counted);
	return SD_OK;
}
