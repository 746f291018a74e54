/* sort_nodes - a topological order for every graph, and the order in which graphs are visited.
 *
 * Rule   The submitted order where it is topological; else, or when asked for, one of
 *        the sorts of sort.c. Everything that numbers streams or syncs goes by it.
 * Cost   O(nodes + edges), with a logarithm where names or sizes decide. */
#include "passes.h"

enum sd_status sd__pass_sort_nodes(struct sd_job *job)
{
	SD_TRY(sd_adjacency_make(job->mem, job->graph, &job->adjacency, job->diag));
	return sd_sort_make(job->mem, job->request, &job->adjacency, &job->order, job->diag);
}
