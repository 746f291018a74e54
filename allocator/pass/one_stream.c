/* one_stream - everything on one stream (option single_stream).
 *
 * Rule   All clusters of the root share one fresh stream, those of a body the stream of
 *        its parent. A stream label, or an automatic multi-stream mode, contradicts the
 *        option and refuses the request.
 * Cost   O(clusters). */
#include "passes.h"

#include "journal.h"
#include "mutants.h"

enum sd_status sd__pass_one_stream(struct sd_job *job)
{
	int32_t stream;

	if (job->mode.stated)
		return SD_FAIL0(job->diag, SD_CODE_MODES_CONFLICT, SD_NO_NODE);
	stream = job->default_stream == SD_NO_STREAM || SD_MUTANT(one_stream_but_bodies) ? sd_job_fresh(job) : job->default_stream;
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		struct sd_cluster *c = &job->clusters.at[k];
		uint32_t first = job->clusters.node[c->first_node];

		if (c->label && !SD_MUTANT(one_stream_with_label))
			return SD_FAIL1(job->diag, SD_CODE_LABEL_IN_SINGLE, first, sd_arg_label(first));
		c->stream = stream;
		if (job->default_stream != SD_NO_STREAM)
			sd_hint(job, first, SD_REASON_PARENT_STREAM, job->graph->graph[job->visited].parent);
	}
	return SD_OK;
}
