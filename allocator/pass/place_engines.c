/* place_engines - which engine runs each node.
 *
 * Rule   A node keeps the engine it states; else its fusion or specified engine
 *        attributes decide; else its operator type does (engines.c).
 * Why    Everything below groups nodes by engine.
 * Cost   O(nodes + distinct types). */
#include "passes.h"

enum sd_status sd__pass_place_engines(struct sd_job *job)
{
	const struct sd_graph *graph = job->graph;

	SD_TRY(sd_engines_make(job->mem, &job->request->device, &job->engines, job->diag));
	SD_TRY(sd_engines_place(job->mem, job->request, &job->engines, &job->engine, job->diag));
	job->op_of_type = SD_NEW(job->mem, enum sd_op, graph->string_count);
	SD_NEED(job, job->op_of_type);
	for (uint32_t i = 0; i < graph->string_count; i++)
		job->op_of_type[i] = sd_op_find(graph->string[i]);
	return SD_OK;
}
